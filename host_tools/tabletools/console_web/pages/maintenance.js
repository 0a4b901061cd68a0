// Maintenance of the machines: boots, service, configuration, faults, releases.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { grid, older, time } from "../parts.js";
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
    put(list, grid("Maintenance", [
      ["Report", (row) => words.plain(row.type)],
      ["Table", (row) => tableOf.get(row.device)?.name || `device ${row.device}`, "name"],
      ["Received", (row) => time(row.received_at)],
      ["Boot", (row) => String(row.boot), "figure"],
      ["Details", (row) => row.text, "words"],
      ["Authentication", (row) => words.plain(row.seal)],
    ], rows, "No service has been recorded yet."));
    return found.rows.length === PAGE;
  }
  const more = older(page);
  const checks = daily(tables, frame, own);
  put(main, h("h1", {}, "Maintenance"), checks.element,
    h("section", { class: "panel" }, h("h2", {}, "Machine reports"),
      h("p", { class: "terms" }, "Boots, service, changes of configuration and faults."),
      list, more));
  const [hasMore] = await Promise.all([page(), checks.load()]);
  more.hidden = !hasMore;
}
