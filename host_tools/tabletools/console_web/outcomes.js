// The result of a round entered by hand: the fields each game needs, read as `settle` reads them.

import { CARDS, betsOf, boxes, burned, cardsOf } from "./boxes.js";
import { h } from "./dom.js";
import { cents, money } from "./format.js";
import { DICE } from "./games.js";
import { t } from "./language.js";
import { field } from "./parts.js";
import * as words from "./words.js";

// Games in which all players bet on the same hands, with the names of the hands.
const SHARED = { punto_banco: ["punto", "banco"], baccarat: ["player", "banker"],
  high_low: ["communal", "bank"], red_dog: ["cards"] };
// Games in which each player holds a hand, with the hands that all share.
const OWN = { three_card: ["bank"], caribbean: ["bank"], multi_poker: ["bank"],
  four_card: ["bank"], casino_holdem: ["board", "bank"], ultimate: ["board", "bank"],
  casino_war: ["bank"], blackjack: ["bank"] };
const YES_NO = [["", t("common.no")], ["yes", t("common.yes")]];

/** Whether the meter that a jackpot bet won must be named, because no combination is printed. */
const isNamed = (round) => round.variant === "slots"
  || (round.rules === "hc2023" && round.variant === "blackjack");

function numbersOf(text) {
  const found = text.split(/[\s,]+/).filter(Boolean);
  const wrong = found.find((one) => !/^\d{1,2}$/.test(one));
  if (wrong) throw new Error(t("outcomes.not_ball_give_numbers_spaces", { wrong }));
  return found.map(Number);
}

function one(name, label, given, read, hint = "") {
  const made = field(label, { required: true, autocomplete: "off", ...given }, hint);
  return { elements: [made.element], read: () => ({ [name]: read(made.input.value.trim()) }) };
}

function all(parts) {
  return { elements: parts.map((part) => part.elements),
    read: () => Object.assign({}, ...parts.map((part) => part.read())) };
}

const hand = (name, value = "") => one(name, words.plain(name), { value }, cardsOf, CARDS);

function dice(many) {
  const fields = Array.from({ length: many }, (_, place) => field(t("outcomes.die", { place: place + 1 }),
    { type: "number", min: 1, max: 6, step: 1, required: true }));
  return { elements: fields.map((made) => made.element),
    read: () => ({ dice: fields.map((made) => Number(made.input.value)) }) };
}

/** The cards of a round that all share, and the burned cards. shoe: as the shoe read them. */
function table(names, shoe) {
  return [...names.map((name) => hand(name, shoe?.[name])), burned(shoe?.burned)];
}

/** The hand of each jackpot bet; the cards decide what it wins. */
function prizes(round) {
  const made = betsOf(round).first.map((bet) => ({
    bet,
    cards: field(t("outcomes.hand_bet", { player: bet.player, id: bet.id }),
      { required: true, autocomplete: "off" },
      CARDS),
    folded: field(t("outcomes.folded"), { options: YES_NO }),
  }));
  return { elements: made.map((one) => [one.cards.element, one.folded.element]), read: () => ({
    hands: Object.fromEntries(made.map((one) => [one.bet.id, cardsOf(one.cards.input.value)])),
    folded: made.filter((one) => one.folded.input.value).map((one) => String(one.bet.id)),
  }) };
}

/** What one player of a poker hand put in and showed. place: the first left of the button is 1. */
function seat(bet, place, currency) {
  const order = field(t("outcomes.place_from_left_button"),
    { type: "number", min: 1, step: 1, required: true, value: place });
  const putIn = field(t("outcomes.put"), { inputmode: "decimal", autocomplete: "off" },
    t("outcomes.empty_nothing", { stake: money(bet.stake_cents, currency) }));
  const passed = field(t("outcomes.folded"), { options: [...YES_NO, ["mucked", t("outcomes.mucked_end")]] });
  const cards = field(t("outcomes.cards_shown"), { autocomplete: "off" }, CARDS);
  return {
    element: h("fieldset", {}, h("legend", {}, bet.player), order.element, putIn.element,
      passed.element, cards.element),
    read() {
      const text = putIn.input.value.trim();
      const value = text ? cents(text) : 0;
      if (value === null) throw new Error(t("outcomes.what_put_not_amount_such", { player: bet.player }));
      return { name: String(bet.account_id), place: Number(order.input.value), cents: value,
        passed: passed.input.value, cards: cardsOf(cards.input.value) };
    },
  };
}

/** A hand of the poker room: the board, and what each player put in. */
function pot(round, currency) {
  const board = field(t("common.board"), { autocomplete: "off" },
    t("outcomes.empty_no_flop", { cards: CARDS }));
  const seen = burned();
  const made = betsOf(round).first.map((bet, place) => seat(bet, place + 1, currency));
  return { elements: [board.element, seen.elements, made.map((one) => one.element)], read() {
    const seats = made.map((one) => one.read()).sort((one, other) => one.place - other.place);
    if (new Set(seats.map((one) => one.place)).size < seats.length) {
      throw new Error(t("outcomes.two_players_have_same_place"));
    }
    const cards = cardsOf(board.input.value);
    const named = (some, value) => Object.fromEntries(some.map((one) => [one.name, value(one)]));
    const whoPassed = (how) => seats.filter((one) => one.passed === how).map((one) => one.name);
    const mucked = whoPassed("mucked");
    return {
      order: seats.map((one) => one.name),
      put_in: named(seats.filter((one) => one.cents), (one) => one.cents),
      folded: whoPassed("yes"),
      ...(mucked.length ? { mucked } : {}),
      ...(cards ? { board: cards } : {}),
      ...seen.read(),
      hands: named(seats.filter((one) => one.cards), (one) => one.cards),
    };
  } };
}

function wheel() {
  const mark = field(t("outcomes.mark_segment"), { maxlength: 200, autocomplete: "off" },
    t("outcomes.only_where_bets_name_one"));
  const pays = one("pays", t("outcomes.pays"), { type: "number", min: 1, max: 1000, step: 1 }, Number,
    t("outcomes.number_flapper"));
  return { elements: [pays.elements, mark.element], read: () => ({ ...pays.read(),
    ...(mark.input.value.trim() ? { mark: mark.input.value.trim() } : {}) }) };
}

/** The fields of a result of this round: {elements, read}; null where there are none.
 *  read: the outcome as `settle` reads it; throws Error. */
export function resultOf(round, currency) {
  const { game } = round;
  if (game === "roulette") {
    return one("pocket", t("outcomes.number"), { inputmode: "numeric", maxlength: 2,
      pattern: "0|00|[1-9]|[12][0-9]|3[0-6]" }, String, t("outcomes.pocket_hint"));
  }
  if (game === "big_wheel" || game === "money_wheel") return wheel();
  if (DICE[game]) return dice(DICE[game]);
  if (SHARED[game]) return all(table(SHARED[game]));
  if (OWN[game]) return all([...table(OWN[game], round.shoeCards?.record), boxes(round, currency)]);
  if (game === "keno" || game === "bingo") {
    return one("drawn", t("common.balls_drawn"), { rows: 2 }, numbersOf, t("outcomes.order_spaces_between"));
  }
  if (game === "jackpot" && !isNamed(round)) return prizes(round);
  if (game === "poker_room") return pot(round, currency);
  return null;
}

/** The initial text of a result in JSON; null where any outcome is possible. */
function template(round) {
  const { first } = betsOf(round);
  const own = OWN[round.game];
  if (own) {
    const empty = Object.fromEntries(own.map((name) => [name, ""]));
    return { ...empty, boxes: Object.fromEntries(first.map(
      (bet, place) => [place + 1, { cards: "", bets: [String(bet.id)] }])) };
  }
  if (round.game === "jackpot") {
    return { [isNamed(round) ? "won" : "hands"]: Object.fromEntries(first.map(
      (bet) => [bet.id, isNamed(round) ? null : ""])) };
  }
  if (round.game === "poker_room") {
    const players = first.map((bet) => String(bet.account_id));
    return { order: players, put_in: Object.fromEntries(players.map((player) => [player, 0])),
      folded: [], board: "", hands: {} };
  }
  return null;
}

/** A whole outcome in the format of `settle`, for what the fields do not cover. */
export function recordOf(round) {
  const hint = t("outcomes.as_ledger_md_says_rulings");
  const made = field(t("outcomes.outcome_as_json"), { rows: 6, required: true, spellcheck: "false",
    class: "code" }, hint);
  const begun = template(round);
  if (begun) made.input.value = JSON.stringify(begun, null, 1);
  return { elements: [made.element], read() {
    const found = JSON.parse(made.input.value);
    if (found === null || typeof found !== "object" || Array.isArray(found)) {
      throw new Error(t("outcomes.outcome_not_object_named_fields"));
    }
    return found;
  } };
}
