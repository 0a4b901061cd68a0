// The action log: every login and every action.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { grid, older, time } from "../parts.js";
import * as words from "../words.js";

const PAGE = 100;

function detail(found) {
  return Object.entries(found || {}).map(([name, value]) => `${name}: ${
    typeof value === "object" ? JSON.stringify(value) : value}`).join(", ") || "–";
}

export async function open({ main, own }) {
  const list = h("div", {});
  const rows = [];
  async function page() {
    const before = rows.length ? `&before=${rows.at(-1).seq}` : "";
    const found = await get(`/audit?most=${PAGE}${before}`);
    if (!own.alive) return false;
    rows.push(...found.rows);
    put(list, grid("Actions", [
      ["Number", (row) => String(row.seq), "figure"],
      ["Time", (row) => time(row.at)],
      ["Who", (row) => row.who],
      ["Action", (row) => words.plain(row.action)],
      ["Subject", (row) => row.subject],
      ["Detail", (row) => detail(row.detail), "words"],
    ], rows, "No actions yet."));
    return found.rows.length === PAGE;
  }
  const more = older(page);
  put(main, h("h1", {}, "Action log"), h("p", { class: "terms" }, "Every login and every action, "
    + "newest first."), list, more);
  more.hidden = !(await page());
}
