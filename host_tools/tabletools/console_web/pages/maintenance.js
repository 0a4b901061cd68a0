// Maintenance of the machines: boots, service, configuration, faults, releases.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { t } from "../language.js";
import { english, grid, older, time } from "../parts.js";
import * as words from "../words.js";
import { daily } from "./daily.js";

const PAGE = 100;

export async function open({ main, frame, own }) {
  const { tables } = await get("/tables");
  const tableOf = new Map(tables.map((one) => [one.device, one]));
  const list = h("div", {});
  const rows = [];
  async function page() {
    const before = rows.length ? `&before=${rows.at(-1).frame}` : "";
    const found = await get(`/maintenance?most=${PAGE}${before}`);
    if (!own.alive) return false;
    rows.push(...found.rows);
    put(list, grid(t("common.maintenance"), [
      [t("maintenance.report"), (row) => english(words.plain(row.type))],
      [t("common.table"), (row) => tableOf.get(row.device)?.name || t("common.device",
        { device: row.device }), "name"],
      [t("common.received"), (row) => time(row.received_at)],
      [t("common.boot"), (row) => String(row.boot), "figure"],
      [t("common.details"), (row) => english(row.text), "words"],
      [t("common.authentication"), (row) => words.plain(row.seal)],
    ], rows, t("maintenance.no_service_been_recorded_yet")));
    return found.rows.length === PAGE;
  }
  const more = older(page);
  const checks = daily(tables, frame, own);
  put(main, h("h1", {}, t("common.maintenance")), checks.element,
    h("section", { class: "panel" }, h("h2", {}, t("maintenance.machine_reports")),
      h("p", { class: "terms" }, t("maintenance.boots_service_changes_configuration_faults")),
      list, more));
  const [hasMore] = await Promise.all([page(), checks.load()]);
  more.hidden = !hasMore;
}
