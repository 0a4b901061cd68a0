// Rounds, newest first, with a search by table and outcome.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { count, money } from "../format.js";
import { t } from "../language.js";
import { field, grid, older, time, verdict as verdictChip } from "../parts.js";
import * as words from "../words.js";

const PAGE = 50;
const VERDICTS = [["", t("rounds.any")], ...["believed", "running", "pending", "unexpected"].map(
  (one) => [one, words.plain(one)])];

function columns(tables) {
  const unit = (row) => tables.get(row.table_id)?.currency || "EUR";
  return [
    [t("common.round_word"), (row) => h("a", { href: `#/round/${row.id}` }, count(row.number))],
    [t("common.table"), (row) => tables.get(row.table_id)?.name || t("common.device", { device: row.device }),
      "name"],
    [t("rounds.opened"), (row) => time(row.opened_at || row.ended_at)],
    [t("rounds.verdict"), (row) => verdictChip(row)],
    [t("common.outcome"), (row) => words.inForce(row), "words"],
    [t("common.bets"), (row) => count(row.bet_count), "figure"],
    [t("common.staked"), (row) => money(row.stake_cents, unit(row)), "figure"],
    [t("common.won"), (row) => money(row.win_cents, unit(row)), "figure"],
  ];
}

export async function open({ main, query, own }) {
  const { tables } = await get("/tables");
  const byId = new Map(tables.map((one) => [one.id, one]));
  const table = field(t("common.table"), { options: [["", t("common.all")], ...tables.map((one) => [one.id,
    one.name])] });
  const outcome = field(t("common.outcome"), { type: "search", maxlength: 20, placeholder: "17" });
  const verdict = field(t("rounds.verdict"), { options: VERDICTS });
  const parts = { table, outcome, verdict };
  for (const [name, one] of Object.entries(parts)) one.input.value = query.get(name) || "";
  const wanted = new URLSearchParams();
  for (const [name, one] of Object.entries(parts)) {
    if (one.input.value.trim()) wanted.set(name, one.input.value.trim());
  }
  const form = h("form", { class: "filters", role: "search", "aria-label": t("common.rounds") },
    Object.values(parts).map((one) => one.element),
    h("button", { type: "submit", class: "primary" }, t("common.search")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const filter = new URLSearchParams();
    for (const [name, one] of Object.entries(parts)) {
      if (one.input.value.trim()) filter.set(name, one.input.value.trim());
    }
    location.hash = `#/rounds?${filter}`;
  });
  const rows = [];
  const list = h("div", {});

  async function page() {
    const filter = new URLSearchParams(wanted);
    filter.set("most", PAGE);
    if (rows.length) filter.set("before", rows.at(-1).id);
    const { rounds } = await get(`/rounds?${filter}`);
    if (!own.alive) return false;
    rows.push(...rounds);
    put(list, grid(t("common.rounds"), columns(byId), rows, t("rounds.no_round_matches_search")));
    return rounds.length === PAGE;
  }

  const more = older(page);
  put(main, h("h1", {}, t("common.rounds")), form, list, more);
  more.hidden = !(await page());
}
