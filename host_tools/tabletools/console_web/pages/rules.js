// Rules by which users want an alarm: pace, undone rounds, hold, bets that are open for long.

import { get, post, remove } from "../api.js";
import { h, put } from "../dom.js";
import { count, hundredths } from "../format.js";
import { t } from "../language.js";
import { ask, field, grid, time } from "../parts.js";
import { may } from "../session.js";
import * as words from "../words.js";

const NAMES = { pace: t("common.games_hour"), undone: t("rules.rounds_undone"), hold: t("rules.hold"),
  long_open: t("common.bets_open") };
const UNITS = { pace: t("rules.games_hour"), long_open: "s" };
const HUNDREDTHS = new Set(["undone", "hold"]);

/** A limit as it is shown: hundredths of 1 % as a percentage. */
function limit(measure, value) {
  if (value === null) return "–";
  return HUNDREDTHS.has(measure) ? hundredths(value) : `${count(value)} ${UNITS[measure]}`;
}

/** A typed limit in whole units of the measure, null for none. */
function typed(measure, text) {
  if (text.trim() === "") return null;
  const value = Number(text.replace(",", "."));
  return HUNDREDTHS.has(measure) ? Math.round(value * 100) : value;
}

function add(tables, done) {
  const measure = field(t("rules.what"), { options: Object.entries(NAMES) });
  const table = field(t("common.table"), { options: [["", t("rules.every_table")],
    ...tables.map((one) => [String(one.id), one.name])] });
  const low = field(t("rules.lower_limit"), { inputmode: "decimal" },
    t("rules.empty_none_percent_hold_undone"));
  const high = field(t("rules.upper_limit"), { inputmode: "decimal" }, t("rules.empty_none"));
  const hours = field(t("rules.over_how_many_hours"), { type: "number", min: 1, max: 744, value: 24,
    required: true });
  const games = field(t("rules.from_how_many_rounds"), { type: "number", min: 1, value: 20, required: true });
  ask({ title: t("rules.add_rule"), fields: [measure, table, low, high, hours, games],
    agree: t("rules.add_the_rule"),
    act: async () => {
      const what = measure.input.value;
      await post("/alarm-rules", { measure: what, table: Number(table.input.value) || null,
        low: typed(what, low.input.value), high: typed(what, high.input.value),
        hours: Number(hours.input.value), least_games: Number(games.input.value) });
      await done(t("rules.rule_added"));
    } });
}

function end(rule, done) {
  ask({ title: t("rules.end_rule", { id: rule.id }), text: t("rules.alarms_end"),
    agree: t("rules.end_the_rule"),
    act: async () => {
      await remove(`/alarm-rules/${rule.id}`);
      await done(t("rules.rule_ended"));
    } });
}

export async function open({ main, frame, own }) {
  const { tables } = await get("/tables");
  const body = h("div", {});
  const mayChange = may("rules.change");
  async function show() {
    const { rules } = await get("/alarm-rules");
    if (!own.alive) return;
    const columns = [
      [t("rules.rule"), (row) => row.id],
        [t("rules.what"), (row) => NAMES[row.measure] || words.plain(row.measure)],
      [t("common.table"), (row) => row.table_name || t("rules.every_table")],
      [t("rules.lower_limit"), (row) => limit(row.measure, row.low), "figure"],
      [t("rules.upper_limit"), (row) => limit(row.measure, row.high), "figure"],
      [t("rules.hours"), (row) => row.hours, "figure"], [t("common.rounds"), (row) => row.least_games,
        "figure"],
      [t("rules.added"), (row) => [time(row.at), ` ${row.user_name}`]],
      ...(mayChange ? [["", (row) => h("button",
        { type: "button", "aria-label": t("rules.end_rule", { id: row.id }),
        onclick: () => end(row, done) }, t("rules.end"))]] : []),
    ];
    put(body, grid(t("common.alarm_rules"), columns, rules, t("rules.no_rule_yet")));
  }
  async function done(text) {
    await show();
    frame.announce(text);
  }
  put(main, h("h1", {}, t("common.alarm_rules")),
    h("p", { class: "terms" }, t("rules.table_outside_band_raises_alarm")),
    mayChange ? h("p", { class: "buttons" }, h("button", { type: "button",
      onclick: () => add(tables, done) }, t("rules.add_rule"))) : null, body);
  await show();
}
