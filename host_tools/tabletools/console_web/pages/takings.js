// What tables took: drop, win, hold and pace of gaming days, and the same as a file for a spreadsheet.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { count, money, number, percent } from "../format.js";
import { t } from "../language.js";
import { failure, field, grid } from "../parts.js";
import * as words from "../words.js";

const GROUPS = [["table", t("common.table")], ["dealer", t("takings.dealer")], ["game", t("common.game")],
  ["zone", t("takings.zone")], ["day", t("common.day")]];
const NOTHING = { dealer: t("takings.no_dealer_signed"), zone: t("takings.no_zone") };
export const DAYS = [["1", t("takings.over_1_day")], ["7", t("takings.over_7_days")],
  ["31", t("takings.over_31_days")]];
export const FILES = [["en", "12,345.67"], ["nl", "12.345,67"]];

function nameOf(row, by) {
  if (by === "game") return words.game(row.name);
  return row.name || NOTHING[by] || "–";
}

function figures(report) {
  const figure = (title, cell) => [title, cell, "figure"];
  const columns = [
    [GROUPS.find(([by]) => by === report.by)[1], (row) => nameOf(row, report.by)],
    figure(t("takings.games"), (row) => count(row.games)),
    figure(t("takings.drop"), (row) => money(row.drop_cents, row.currency)),
    figure(t("takings.win"), (row) => money(row.win_cents, row.currency)),
    figure(t("takings.hold"), (row) => percent(row.hold_percent)),
    figure(t("takings.theoretical_hold"), (row) => percent(row.theoretical_hold_percent)),
    figure(t("takings.theoretical_win"), (row) => (row.theory_known_cents
      ? money(row.theoretical_win_cents, row.currency) : "–")),
    figure(t("common.games_hour"), (row) => (row.games_an_hour ? number(row.games_an_hour) : "–")),
  ];
  return grid(t("common.takings"), columns, report.rows, t("takings.no_round_settled_time"));
}

export async function open({ main, query, own }) {
  const chosen = new URLSearchParams({ by: query.get("by") || "table", days: query.get("days") || "1" });
  if (query.get("day")) chosen.set("day", query.get("day"));
  const day = field(t("takings.first_gaming_day"), { type: "date", onchange: go });
  const days = field(t("takings.length"), { options: DAYS, onchange: go });
  const by = field(t("takings.by"), { options: GROUPS, onchange: go });
  days.input.value = chosen.get("days");
  by.input.value = chosen.get("by");
  function go() {
    const wanted = new URLSearchParams({ by: by.input.value, days: days.input.value });
    if (day.input.value) wanted.set("day", day.input.value);
    location.hash = `#/takings?${wanted}`;
  }
  const body = h("div", {});
  put(main, h("h1", {}, t("common.takings")),
    h("div", { class: "filters" }, day.element, days.element, by.element), body);
  try {
    const report = await get(`/takings?${chosen}`);
    if (!own.alive) return;
    day.input.value = report.day;
    put(body, figures(report),
      h("p", { class: "hint" }, t("takings.drop_stakes_decided_theoretical_what")),
      h("p", { class: "buttons" }, FILES.map(([locale, example]) => h("a", { class: "button",
        href: `/v1/takings.csv?${chosen}&locale=${locale}`, download: "" },
        t("takings.file_spreadsheet", { example })))));
  } catch (problem) {
    put(body, failure(problem));
  }
}
