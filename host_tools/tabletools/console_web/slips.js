// The forms by which a player places bets: each is {title, path, element, read}.

import { h } from "./dom.js";
import { BETS, BOXED } from "./games.js";
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
  const bet = field("Bet", { options: BETS.roulette.map(option) });
  const on = numbers("Numbers", "Such as 17, or 14 17 of a split; none for red or odd.");
  const index = field("Dozen or column", { options: [["", "–"], [1, "1"], [2, "2"], [3, "3"]] });
  const choice = field("At zero", { options: [["", "As the table says"], ["half", "Half is lost"],
    ["prison", "En prison"]] });
  return form("A bet", "/bets", [bet, on, index, choice], () => set({ bet: bet.input.value,
    numbers: list(on.input.value), index: Number(index.input.value) || null,
    choice: choice.input.value }));
}

/** An announced bundle of bets, accepted together; only of those that the table accepts. */
function call(accepted) {
  const name = field("Call bet", { options: accepted.map(option) });
  const number = field("Number in the middle", { autocomplete: "off", inputmode: "numeric" });
  const sides = field("Neighbours on each side", { type: "number", min: 1, max: 9, value: 2 });
  const show = () => {
    for (const one of [number, sides]) one.element.hidden = name.input.value !== "neighbours";
  };
  name.input.addEventListener("change", show);
  show();
  return form("A call bet", "/calls", [name, number, sides], () => (
    name.input.value === "neighbours" ? { call: "neighbours", number: number.input.value.trim(),
      sides: Number(sides.input.value) } : { call: name.input.value }));
}

const whole = (text) => list(text).map(Number);

/** A form of Keno with marked numbers. */
function marked() {
  const on = numbers("Numbers marked", "From 1 to 80, such as 3 17 42.");
  const games = field("Draws", { type: "number", min: 1, max: 999, value: 1 });
  return form("Marked numbers", "/bets", [on, games], () => set({ bet: "numbers",
    on: whole(on.input.value).sort((a, b) => a - b), games: Number(games.input.value) }));
}

/** A combination ticket: groups of equally many numbers; every set of so many groups plays. */
function combination() {
  const groups = field("Groups", { rows: 4, autocomplete: "off" },
    "One group in a line, each of equally many numbers: 1 2 3");
  const ways = numbers("Groups in a set", "Such as 1 2: each group, and each pair. Empty: 1.");
  const games = field("Draws", { type: "number", min: 1, max: 999, value: 1 });
  return form("A combination ticket", "/bets", [groups, ways, games], () => set({ bet: "numbers",
    groups: groups.input.value.split("\n").map(whole).filter((one) => one.length),
    ways: whole(ways.input.value), games: Number(games.input.value) }));
}

/** A bet of any other game: its name, what it is on, and a choice where it has one. */
function plain(game) {
  const bet = field("Bet", BETS[game] ? { options: BETS[game].map(option) } : { required: true });
  const on = numbers("On", "What the bet is on, such as 3 4; empty where it is on nothing.");
  const choice = field("Choice", { autocomplete: "off" });
  const box = field("Box", { type: "number", min: 1, max: 20, step: 1 },
    "Where you have more than one: the maximum is that of each.");
  const fields = [bet, on, choice, ...(BOXED.includes(game) ? [box] : [])];
  const read = (text) => list(text).map((word) => (/^\d+$/.test(word) ? Number(word) : word));
  return form("A bet", "/bets", fields, () => set({ bet: bet.input.value,
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
