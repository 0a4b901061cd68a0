// Rules by which users want an alarm: pace, undone rounds, hold, bets that are open for long.

import { get, post, remove } from "../api.js";
import { h, put } from "../dom.js";
import { ask, field, grid, time } from "../parts.js";
import { may } from "../session.js";
import * as words from "../words.js";

const NAMES = { pace: "Games an hour", undone: "Rounds undone", hold: "Hold", long_open: "Bets open" };
const UNITS = { pace: "games an hour", undone: "%", hold: "%", long_open: "s" };
const HUNDREDTHS = new Set(["undone", "hold"]);

/** A limit as it is shown: hundredths of 1 % as a percentage. */
function limit(measure, value) {
  if (value === null) return "–";
  return `${HUNDREDTHS.has(measure) ? value / 100 : value} ${UNITS[measure]}`;
}

/** A typed limit in whole units of the measure, null for none. */
function typed(measure, text) {
  if (text.trim() === "") return null;
  const value = Number(text.replace(",", "."));
  return HUNDREDTHS.has(measure) ? Math.round(value * 100) : value;
}

function add(tables, done) {
  const measure = field("What", { options: Object.entries(NAMES) });
  const table = field("Table", { options: [["", "Every table"],
    ...tables.map((one) => [String(one.id), one.name])] });
  const low = field("Lower limit", { inputmode: "decimal" },
    "Empty: none. Percent for hold and undone rounds, seconds for open bets.");
  const high = field("Upper limit", { inputmode: "decimal" }, "Empty: none.");
  const hours = field("Over how many hours", { type: "number", min: 1, max: 744, value: 24, required: true });
  const games = field("From how many rounds on", { type: "number", min: 1, value: 20, required: true });
  ask({ title: "Add a rule", fields: [measure, table, low, high, hours, games], agree: "Add the rule",
    act: async () => {
      const what = measure.input.value;
      await post("/alarm-rules", { measure: what, table: Number(table.input.value) || null,
        low: typed(what, low.input.value), high: typed(what, high.input.value),
        hours: Number(hours.input.value), least_games: Number(games.input.value) });
      await done("The rule is added");
    } });
}

function end(rule, done) {
  ask({ title: `End rule ${rule.id}`, text: "Its alarms end with it.", agree: "End the rule",
    act: async () => {
      await remove(`/alarm-rules/${rule.id}`);
      await done("The rule is ended");
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
      ["Rule", (row) => row.id], ["What", (row) => NAMES[row.measure] || words.plain(row.measure)],
      ["Table", (row) => row.table_name || "Every table"],
      ["Lower limit", (row) => limit(row.measure, row.low), "figure"],
      ["Upper limit", (row) => limit(row.measure, row.high), "figure"],
      ["Hours", (row) => row.hours, "figure"], ["Rounds", (row) => row.least_games, "figure"],
      ["Added", (row) => [time(row.at), ` ${row.user_name}`]],
      ...(mayChange ? [["", (row) => h("button", { type: "button", "aria-label": `End rule ${row.id}`,
        onclick: () => end(row, done) }, "End")]] : []),
    ];
    put(body, grid("Alarm rules", columns, rules, "No rule yet."));
  }
  async function done(text) {
    await show();
    frame.announce(text);
  }
  put(main, h("h1", {}, "Alarm rules"),
    h("p", { class: "terms" }, "A table that is outside the band raises an alarm; back in it, the "
      + "alarm is over. Alarms go to webhooks and mail as the settings of the host say."),
    mayChange ? h("p", { class: "buttons" }, h("button", { type: "button",
      onclick: () => add(tables, done) }, "Add a rule")) : null, body);
  await show();
}
