// The forms by which a player places bets: each is {title, path, element, read}.

import { h } from "./dom.js";
import { BETS, BOXED } from "./games.js";
import { t } from "./language.js";
import { field } from "./parts.js";
import * as words from "./words.js";

const list = (text) => text.trim().split(/[\s,]+/).filter(Boolean);
const option = (word) => [word, words.plain(word)];
const set = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => (
  Array.isArray(value) ? value.length : value !== "" && value !== null)));

function form(title, path, fields, read) {
  return { title, path, read, element: h("div", { class: "entered" },
    fields.map((one) => one.element)) };
}

const numbers = (label, hint) => field(label, { autocomplete: "off", inputmode: "text" }, hint);

/** A bet of roulette: its numbers as on the cloth; dozens and columns have an index. */
function roulette() {
  const bet = field(t("common.bet"), { options: BETS.roulette.map(option) });
  const on = numbers(t("slips.numbers"), t("slips.such_as_17_or_14"));
  const index = field(t("slips.dozen_or_column"), { options: [["", "–"], [1, "1"], [2, "2"], [3, "3"]] });
  const choice = field(t("slips.zero"),
    { options: [["", t("slips.as_table_says")], ["half", t("slips.half_lost")],
    ["prison", t("slips.en_prison")]] });
  return form(t("slips.bet"), "/bets", [bet, on, index, choice], () => set({ bet: bet.input.value,
    numbers: list(on.input.value), index: Number(index.input.value) || null,
    choice: choice.input.value }));
}

/** An announced bundle of bets, accepted together; only of those that the table accepts. */
function call(accepted) {
  const name = field(t("slips.call_bet"), { options: accepted.map(option) });
  const number = field(t("slips.number_middle"), { autocomplete: "off", inputmode: "numeric" });
  const sides = field(t("slips.neighbours_each_side"), { type: "number", min: 1, max: 9, value: 2 });
  const show = () => {
    for (const one of [number, sides]) one.element.hidden = name.input.value !== "neighbours";
  };
  name.input.addEventListener("change", show);
  show();
  return form(t("slips.a_call_bet"), "/calls", [name, number, sides], () => (
    name.input.value === "neighbours" ? { call: "neighbours", number: number.input.value.trim(),
      sides: Number(sides.input.value) } : { call: name.input.value }));
}

const whole = (text) => list(text).map(Number);

/** A form of Keno with marked numbers. */
function marked() {
  const on = numbers(t("slips.numbers_marked"), t("slips.from_1_80_such_as"));
  const games = field(t("slips.draws"), { type: "number", min: 1, max: 999, value: 1 });
  return form(t("slips.marked_numbers"), "/bets", [on, games], () => set({ bet: "numbers",
    on: whole(on.input.value).sort((a, b) => a - b), games: Number(games.input.value) }));
}

/** A combination ticket: groups of equally many numbers; every set of so many groups plays. */
function combination() {
  const groups = field(t("slips.groups"), { rows: 4, autocomplete: "off" },
    t("slips.one_group_line_each_equally"));
  const ways = numbers(t("slips.groups_set"), t("slips.such_as_1_2_each"));
  const games = field(t("slips.draws"), { type: "number", min: 1, max: 999, value: 1 });
  return form(t("slips.combination_ticket"), "/bets", [groups, ways, games], () => set({ bet: "numbers",
    groups: groups.input.value.split("\n").map(whole).filter((one) => one.length),
    ways: whole(ways.input.value), games: Number(games.input.value) }));
}

/** A bet of any other game: its name, what it is on, and a choice where it has one. */
function plain(game) {
  const bet = field(t("common.bet"), BETS[game] ? { options: BETS[game].map(option) } : { required: true });
  const on = numbers(t("slips.on"), t("slips.what_bet_such_as_3"));
  const choice = field(t("slips.choice"), { autocomplete: "off" });
  const box = field(t("slips.box"), { type: "number", min: 1, max: 20, step: 1 },
    t("slips.where_more_than_one_box"));
  const fields = [bet, on, choice, ...(BOXED.includes(game) ? [box] : [])];
  const read = (text) => list(text).map((word) => (/^\d+$/.test(word) ? Number(word) : word));
  return form(t("slips.bet"), "/bets", fields, () => set({ bet: bet.input.value,
    on: read(on.input.value), choice: choice.input.value.trim(),
    box: Number(box.input.value) || null }));
}

/** The forms of a table. seat: what /v1/seat says of it. */
export function slips({ game, limits }) {
  if (game === "roulette") {
    const accepted = limits.call_bets || [];
    return [roulette(), ...(accepted.length ? [call(accepted)] : [])];
  }
  return game === "keno" ? [marked(), combination()] : [plain(game)];
}
