// The record of a card round in which each player holds a hand, entered box by box.

import { h, put } from "./dom.js";
import { cents, money, typed } from "./format.js";
import { t } from "./language.js";
import { field } from "./parts.js";
import * as words from "./words.js";

export const CARDS = t("boxes.cards_as_dealt_such_as");
const CARD = /^([2-9TJQKA])([CDHS])$/;
const MOST_BOXES = 26;
// What a player may decide after the deal, and what is placed then.
const DECIDED = { choices: ["play", "fold"], later: ["bet"] };
const OTHERWISE = { casino_war: { choices: ["war", "surrender"], later: ["war"] },
  blackjack: { choices: [], later: ["double", "split", "insurance"], hasHands: true } };

/** Cards as typed, in the notation of the wire: "10h, as" is "TH AS". Throws Error. */
export function cardsOf(text) {
  const found = text.toUpperCase().replaceAll("10", "T").split(/[\s,]+/).filter(Boolean);
  const wrong = found.find((one) => !CARD.test(one));
  if (wrong) throw new Error(t("boxes.not_card_rank_2_10", { wrong }));
  return found.join(" ");
}

/** The burned cards, if they were seen: {elements, read}. */
export function burned(value = "") {
  const made = field(t("boxes.burned"), { autocomplete: "off", value }, t("boxes.only_cards_seen"));
  return { elements: [made.element], read() {
    const cards = cardsOf(made.input.value);
    return cards ? { burned: cards } : {};
  } };
}

/** Bets in play: those of players, and those an earlier ruling placed, which are entered again. */
export function betsOf(round) {
  const open = round.bets.filter((bet) => bet.taken_back === null
    && (bet.standing === "valid" || bet.ruled_valid));
  const isLater = (bet) => bet.terminal === null && bet.carried_from === null;
  return { first: open.filter((bet) => !isLater(bet)), later: open.filter(isLater) };
}

/** A stake of a player placed after the deal. placed: by an earlier ruling, or null. */
function stake(game, player, placed) {
  const name = field(t("boxes.placed_after_deal", { player }), { options: [["", t("boxes.nothing")],
    ...game.later.map((word) => [word, words.plain(word)])] });
  const value = field(t("boxes.stake"), { inputmode: "decimal", autocomplete: "off" },
    t("boxes.such_as_12_50"));
  const on = game.hasHands ? field(t("boxes.hand"), { type: "number", min: 1, max: 9, step: 1 },
    t("boxes.hands_split_empty_first")) : null;
  if (placed) {
    name.input.value = placed.slip.bet;
    value.input.value = typed(placed.stake_cents);
    if (on && placed.slip.on) on.input.value = String(placed.slip.on[0]);
  }
  return {
    elements: [name.element, value.element, on?.element],
    read(account) {
      if (!name.input.value) return [];
      const found = cents(value.input.value);
      if (found === null) {
        throw new Error(t("boxes.stake_after_deal_not_amount", { player }));
      }
      const hand = on?.input.value ? { on: [Number(on.input.value)] } : {};
      return [{ player: String(account), bet: name.input.value, ...hand, stake: found }];
    },
  };
}

/** The decisions and stakes of one player of a box after the deal. placed: by an earlier ruling. */
function seat(game, account, player, placed) {
  const choice = game.choices.length ? field(t("boxes.decided", { player }),
    { options: [["", t("common.not_asked")],
    ...game.choices.map((word) => [word, words.plain(word)])] }) : null;
  const stakes = (placed.length ? placed : [null]).map((bet) => stake(game, player, bet));
  const rows = h("div", { class: "stakes" }, stakes.map((one) => one.elements));
  const more = h("button", { type: "button", onclick: () => {
    stakes.push(stake(game, player, null));
    rows.append(...stakes.at(-1).elements.filter(Boolean));
  } }, t("boxes.another_stake", { player }));
  return {
    elements: [choice?.element, rows, h("p", {}, more)],
    read: () => ({ decision: choice?.input.value || null,
      later: stakes.flatMap((one) => one.read(account)) }),
  };
}

/** One box: its cards, and its players according to its bets. value: cards that a shoe read. */
function box(round, number, value) {
  const game = OTHERWISE[round.game] || DECIDED;
  const cards = field(t("common.cards"), { required: true, autocomplete: "off", value },
    round.game === "blackjack" ? t("boxes.split_hands_between", { cards: CARDS }) : CARDS);
  const legend = h("legend", {});
  const players = h("div", { class: "why" });
  const seats = new Map();
  let [bets, accounts] = [[], []];
  return {
    element: h("fieldset", {}, legend, cards.element, players),
    /** Show the players of these bets. placed: stakes of a player that an earlier ruling placed. */
    show(given, placed) {
      bets = given;
      const names = new Map(bets.map((bet) => [bet.account_id, bet.player]));
      accounts = [...names.keys()];
      for (const [account, name] of names) {
        if (!seats.has(account)) seats.set(account, seat(game, account, name, placed(account)));
      }
      legend.textContent = t("common.box",
        { number, value: [...names.values()].join(", ") || t("common.no_bet") });
      put(players, accounts.map((account) => seats.get(account).elements).flat(2));
    },
    read() {
      const hands = cards.input.value.split("/").map(cardsOf);
      const found = { cards: hands.length > 1 ? hands : hands[0] };
      if (!bets.length) return found;
      const said = accounts.map((account) => [account, seats.get(account).read()]);
      const decided = said.filter(([, one]) => one.decision)
        .map(([account, one]) => [account, one.decision]);
      const later = said.flatMap(([, one]) => one.later);
      return { ...found, bets: bets.map((bet) => String(bet.id)),
        ...(decided.length ? { decisions: Object.fromEntries(decided) } : {}),
        ...(later.length ? { later } : {}) };
    },
  };
}

/** All boxes of a round: how many were dealt to, which bet is on which, and each box.
 *  Several players may be on one box, and a player on several. */
export function boxes(round, currency) {
  const { first, later } = betsOf(round);
  const read = round.shoeCards?.record?.boxes;
  const accounts = [...new Set(first.map((bet) => bet.account_id))];
  const begun = Object.keys(read || {}).length || Math.max(1, accounts.length);
  const many = field(t("common.boxes_dealt"), { type: "number", min: 1, max: MOST_BOXES, step: 1,
    required: true, value: begun }, t("common.also_those_without_bet"));
  // No record says which player was at which box of a shoe: then the form starts empty.
  const places = first.map((bet) => [bet,
    field(t("boxes.box_bet", { id: bet.id, player: bet.player, slip: words.slip(bet.slip),
    stake: money(bet.stake_cents, currency) }), { type: "number", min: 1,
    max: MOST_BOXES, step: 1, required: true,
    value: read ? "" : accounts.indexOf(bet.account_id) + 1 })]);
  const made = new Map();
  const shown = h("div", { class: "boxes" });
  const entered = new Set();
  const on = (number) => places.filter(([, one]) => Number(one.input.value) === number)
    .map(([bet]) => bet);
  const count = () => Math.min(MOST_BOXES, Math.max(1, Number(many.input.value) || 1));
  const numbers = () => Array.from({ length: count() }, (_, place) => place + 1);
  // A stake placed by an earlier ruling is entered at the first box of its player.
  const placed = (account) => {
    if (entered.has(account)) return [];
    entered.add(account);
    return later.filter((bet) => bet.account_id === account);
  };
  function show() {
    put(shown, ...numbers().map((number) => {
      if (!made.has(number)) {
        const cards = [read?.[number]?.cards ?? ""].flat().join(" / ");
        made.set(number, box(round, number, cards));
      }
      made.get(number).show(on(number), placed);
      return made.get(number).element;
    }));
  }
  for (const one of [many, ...places.map(([, place]) => place)]) {
    one.input.addEventListener("change", show);
  }
  show();
  return {
    elements: [many.element, places.map(([, one]) => one.element), shown],
    read() {
      for (const [bet, one] of places) {
        const number = Number(one.input.value);
        if (!numbers().includes(number)) {
          throw new Error(t("boxes.bet_box_boxes_1_dealt", { id: bet.id, value: one.input.value || "–",
            number: count() }));
        }
      }
      return { boxes: Object.fromEntries(numbers().map(
        (number) => [number, made.get(number).read()])) };
    },
  };
}
