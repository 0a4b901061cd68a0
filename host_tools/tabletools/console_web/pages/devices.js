// Every known controller: its program, its attestation, its counts.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { count } from "../format.js";
import { chip, grid, time } from "../parts.js";
import * as words from "../words.js";

function attested(row) {
  if (row.attestation === "not_attested") return chip("mute", "Not attested");
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
  put(main, h("h1", {}, "Devices"), grid("Devices", [
    ["Serial number", (row) => String(row.device)],
    ["Table", (row) => {
      const table = tableOf.get(row.device);
      return table ? h("a", { href: `#/table/${table.id}` }, table.name) : "None";
    }],
    ["Role", (row) => words.plain(row.role)],
    ["Board", (row) => row.board || "–"],
    ["Firmware", (row) => row.firmware || "–"],
    ["Attestation", attested],
    ["Link", (row) => words.link(live(row)?.link || "closed")],
    ["Boot", (row) => count(counts.get(row.device)?.boot), "figure"],
    ["Records kept", (row) => count(counts.get(row.device)?.records), "figure"],
    ["Rounds", (row) => count(counts.get(row.device)?.rounds), "figure"],
    ["Faults raised", (row) => count(counts.get(row.device)?.faults), "figure"],
    ["First seen", (row) => time(row.first_at)],
    ["Last seen", (row) => time(row.heard_at)],
  ], devices, "No device has been seen yet. Check the ports of the tables in the host's settings."));
}
