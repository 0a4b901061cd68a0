// Rounds, newest first, with a search by table and outcome.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { count, money } from "../format.js";
import { field, grid, older, time, verdict as verdictChip } from "../parts.js";
import * as words from "../words.js";

const PAGE = 50;
const VERDICTS = [["", "Any"], ...["believed", "running", "pending", "unexpected"].map(
  (one) => [one, words.verdict(one)])];

function columns(tables) {
  const unit = (row) => tables.get(row.table_id)?.currency || "EUR";
  return [
    ["Round", (row) => h("a", { href: `#/round/${row.id}` }, count(row.number))],
    ["Table", (row) => tables.get(row.table_id)?.name || `device ${row.device}`, "name"],
    ["Opened", (row) => time(row.opened_at || row.ended_at)],
    ["Verdict", (row) => verdictChip(row)],
    ["Outcome", (row) => words.inForce(row), "words"],
    ["Bets", (row) => count(row.bet_count), "figure"],
    ["Staked", (row) => money(row.stake_cents, unit(row)), "figure"],
    ["Won", (row) => money(row.win_cents, unit(row)), "figure"],
  ];
}

export async function open({ main, query, own }) {
  const { tables } = await get("/tables");
  const byId = new Map(tables.map((one) => [one.id, one]));
  const table = field("Table", { options: [["", "All"], ...tables.map((one) => [one.id,
    one.name])] });
  const outcome = field("Outcome", { type: "search", maxlength: 20, placeholder: "17" });
  const verdict = field("Verdict", { options: VERDICTS });
  const parts = { table, outcome, verdict };
  for (const [name, one] of Object.entries(parts)) one.input.value = query.get(name) || "";
  const wanted = new URLSearchParams();
  for (const [name, one] of Object.entries(parts)) {
    if (one.input.value.trim()) wanted.set(name, one.input.value.trim());
  }
  const form = h("form", { class: "filters", role: "search", "aria-label": "Rounds" },
    Object.values(parts).map((one) => one.element),
    h("button", { type: "submit", class: "primary" }, "Search"));
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
    put(list, grid("Rounds", columns(byId), rows, "No round matches this search."));
    return rounds.length === PAGE;
  }

  const more = older(page);
  put(main, h("h1", {}, "Rounds"), form, list, more);
  more.hidden = !(await page());
}
