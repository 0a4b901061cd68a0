// Every known controller: its program, its attestation, its counts.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { count } from "../format.js";
import { t } from "../language.js";
import { chip, grid, time } from "../parts.js";
import * as words from "../words.js";

function attested(row) {
  if (row.attestation === "not_attested") return chip("mute", t("devices.not_attested"));
  return h("span", {}, chip(row.attestation === "match" ? "good" : "bad",
    words.plain(row.attestation)), " ", row.attested_at ? time(row.attested_at) : "");
}

export async function open({ main, frame, own }) {
  const [{ devices }, { tables }, kept] = await Promise.all([
    get("/devices"), get("/tables"), get("/maintenance?most=1")]);
  if (!own.alive) return;
  const tableOf = new Map(tables.map((one) => [one.device, one]));
  const counts = new Map(kept.devices.map((one) => [one.device, one]));
  const live = (row) => frame.states.get(tableOf.get(row.device)?.id);
  put(main, h("h1", {}, t("common.devices")), grid(t("common.devices"), [
    [t("devices.serial_number"), (row) => String(row.device)],
    [t("common.table"), (row) => {
      const table = tableOf.get(row.device);
      return table ? h("a", { href: `#/table/${table.id}` }, table.name) : t("devices.none");
    }],
    [t("common.role"), (row) => words.plain(row.role)],
    [t("common.board"), (row) => row.board || "–"],
    [t("devices.firmware"), (row) => row.firmware || "–"],
    [t("devices.attestation"), attested],
    [t("common.link"), (row) => words.link(live(row)?.link || "closed")],
    [t("common.boot"), (row) => count(counts.get(row.device)?.boot), "figure"],
    [t("devices.records_kept"), (row) => count(counts.get(row.device)?.records), "figure"],
    [t("common.rounds"), (row) => count(counts.get(row.device)?.rounds), "figure"],
    [t("devices.faults_raised"), (row) => count(counts.get(row.device)?.faults), "figure"],
    [t("devices.first_seen"), (row) => time(row.first_at)],
    [t("devices.last_seen"), (row) => time(row.heard_at)],
  ], devices, t("devices.no_device_been_seen_yet")));
}
