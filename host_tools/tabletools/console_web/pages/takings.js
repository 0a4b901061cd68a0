// What tables took: drop, win, hold and pace of gaming days, and the same as a file for a spreadsheet.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { count, money, percent } from "../format.js";
import { failure, field, grid } from "../parts.js";
import * as words from "../words.js";

const GROUPS = [["table", "Table"], ["dealer", "Dealer"], ["game", "Game"], ["zone", "Zone"], ["day", "Day"]];
const NOTHING = { dealer: "No dealer signed in", zone: "No zone" };
const DAYS = [["1", "1 day"], ["7", "7 days"], ["31", "31 days"]];
const FILES = [["en", "12,345.67"], ["nl", "12.345,67"]];

function nameOf(row, by) {
  if (by === "game") return words.game(row.name);
  return row.name || NOTHING[by] || "–";
}

function figures(report) {
  const figure = (title, cell) => [title, cell, "figure"];
  const columns = [
    [GROUPS.find(([by]) => by === report.by)[1], (row) => nameOf(row, report.by)],
    figure("Games", (row) => count(row.games)),
    figure("Drop", (row) => money(row.drop_cents, row.currency)),
    figure("Win", (row) => money(row.win_cents, row.currency)),
    figure("Hold", (row) => percent(row.hold_percent)),
    figure("Theoretical hold", (row) => percent(row.theoretical_hold_percent)),
    figure("Theoretical win", (row) => (row.theory_known_cents
      ? money(row.theoretical_win_cents, row.currency) : "–")),
    figure("Games an hour", (row) => row.games_an_hour || "–"),
  ];
  return grid("Takings", columns, report.rows, "No round was settled in that time.");
}

export async function open({ main, query, own }) {
  const chosen = new URLSearchParams({ by: query.get("by") || "table", days: query.get("days") || "1" });
  if (query.get("day")) chosen.set("day", query.get("day"));
  const day = field("First gaming day", { type: "date", onchange: go });
  const days = field("Length", { options: DAYS, onchange: go });
  const by = field("By", { options: GROUPS, onchange: go });
  days.input.value = chosen.get("days");
  by.input.value = chosen.get("by");
  function go() {
    const wanted = new URLSearchParams({ by: by.input.value, days: days.input.value });
    if (day.input.value) wanted.set("day", day.input.value);
    location.hash = `#/takings?${wanted}`;
  }
  const body = h("div", {});
  put(main, h("h1", {}, "Takings"),
    h("div", { class: "filters" }, day.element, days.element, by.element), body);
  try {
    const report = await get(`/takings?${chosen}`);
    if (!own.alive) return;
    day.input.value = report.day;
    put(body, figures(report),
      h("p", { class: "hint" }, "Drop: stakes that were decided. Theoretical: what the bank wins on "
        + "average of the bets whose odds are known, settled at every outcome."),
      h("p", { class: "buttons" }, FILES.map(([locale, example]) => h("a", { class: "button",
        href: `/v1/takings.csv?${chosen}&locale=${locale}`, download: "" },
        `File for a spreadsheet: ${example}`))));
  } catch (problem) {
    put(body, failure(problem));
  }
}
