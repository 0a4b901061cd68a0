// The action log: every login and every action.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { t } from "../language.js";
import { english, grid, older, time } from "../parts.js";
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
    put(list, grid(t("log.actions"), [
      [t("log.number"), (row) => String(row.seq), "figure"],
      [t("common.time"), (row) => time(row.at)],
      [t("log.who"), (row) => row.who],
      [t("log.action"), (row) => english(words.plain(row.action))],
      [t("log.subject"), (row) => english(row.subject)],
      [t("log.detail"), (row) => english(detail(row.detail)), "words"],
    ], rows, t("log.no_actions_yet")));
    return found.rows.length === PAGE;
  }
  const more = older(page);
  put(main, h("h1", {}, t("common.action_log")),
    h("p", { class: "terms" }, t("log.every_login_every_action_newest")), list, more);
  more.hidden = !(await page());
}
