// What a dealer enters of a card round with a shoe: first the boxes, then what they decided.

import { betsOf, cardsOf } from "./boxes.js";
import { h, put } from "./dom.js";
import { cents, money, typed } from "./format.js";
import { t } from "./language.js";
import { field } from "./parts.js";
import * as words from "./words.js";

const RANKS = "A23456789TJQK";
const SUITS = "CDHS";
const MOST_BOXES = 7;
const ACTS = ["card", "stand", "double", "split"];
// What is placed after the deal, in stakes of the first bet; a choice without a stake is 0.
const CHOICES = { casino_war: { surrender: 0, war: 0 }, ultimate: { play: 1, fold: 0 },
  three_card: { play: 1, fold: 0 }, four_card: { play: 1, fold: 0 } };
const POKER = { play: 2, fold: 0 };
const SHARED = { casino_holdem: ["board", "bank"], ultimate: ["board", "bank"] };

/** Games whose hands the shoe determines: no card has to be entered. */
const isKnown = (game) => game === "blackjack" || game === "casino_war";

/** Which bet is on which box: {element, read}; read() returns the bets of each box by number. */
export function layout(round, currency) {
  const { first } = betsOf(round);
  const accounts = [...new Set(first.map((bet) => bet.account_id))];
  const options = Array.from({ length: MOST_BOXES }, (_, n) => [n + 1, t("dealt.box", { n: n + 1 })]);
  const many = field(t("common.boxes_dealt"), { options: options.map(([n]) => [n, String(n)]) },
    t("common.also_those_without_bet"));
  const named = new Map(first.map((bet) => [bet, words.boxOf(bet.slip)]));
  many.input.value = Math.max(1, accounts.length, ...named.values());
  const places = first.map((bet) => {
    const one = field(`${bet.player}: ${words.slip(bet.slip)} ${money(bet.stake_cents, currency)}`,
      { options });
    one.input.value = named.get(bet) || accounts.indexOf(bet.account_id) + 1;
    return [bet, one.input, one.element];
  });
  return {
    element: h("div", { class: "entered" }, many.element, places.map(([, , one]) => one)),
    read() {
      const boxes = Object.fromEntries(options.slice(0, Number(many.input.value))
        .map(([number]) => [number, []]));
      for (const [bet, input] of places) {
        if (!boxes[input.value]) {
          throw new Error(t("dealt.bet_box_dealt",
            { id: bet.id, value: input.value, value2: many.input.value }));
        }
        boxes[input.value].push(bet.id);
      }
      return boxes;
    },
  };
}

/** Buttons that type cards into the field that had the focus last. */
function pad(fields) {
  let at = fields[0];
  let rank = "";
  for (const one of fields) one.addEventListener("focus", () => { at = one; });
  const type = (text) => { at.value = `${at.value} ${text}`.trim(); };
  const button = (name, label, act) => h("button", { type: "button", "aria-label": label,
    onclick: act }, name);
  const chosen = h("p", { class: "hint", "aria-live": "polite" }, t("dealt.tap_rank_then_suit"));
  const ranks = [...RANKS].map((name) => button(name === "T" ? "10" : name,
    t("dealt.rank", { name: name === "T" ? "10" : name }), () => {
      rank = name;
      put(chosen, t("dealt.rank_tap_suit", { name: name === "T" ? "10" : name }));
    }));
  const suits = [...SUITS].map((name) => button(words.card(`2${name}`).slice(-1), { C: t("dealt.clubs"),
    D: t("dealt.diamonds"), H: t("dealt.hearts"), S: t("dealt.spades") }[name], () => {
    if (rank) type(`${rank}${name}`);
    rank = "";
    put(chosen, t("dealt.tap_rank_then_suit"));
  }));
  const back = button("⌫", t("dealt.remove_last_card"), () => {
    at.value = at.value.trim().split(/\s+/).slice(0, -1).join(" ");
  });
  return h("div", { class: "pad", role: "group", "aria-label": t("common.cards") }, chosen, ranks, suits,
    back);
}

/** The stakes and choices of a box that no card shows: {element, add, read}. */
function stakesOf(currency) {
  const rows = new Map();
  const list = h("ul", { class: "notices", role: "list" });
  const show = () => put(list, [...rows.values()].map(({ element }) => element));
  return {
    element: list,
    /** bet: of the player; name: what is placed; stake: in cents, changed in its field. */
    add(bet, name, stake, on) {
      const key = `${bet.id} ${name} ${on || ""}`;
      const amount = field(`${bet.player}: ${words.plain(name)}, ${currency}`, { inputmode: "decimal",
        autocomplete: "off", value: typed(stake) });
      const away = h("button", { type: "button", onclick: () => { rows.delete(key); show(); } },
        t("dealt.remove", { name: words.inside(name), player: bet.player }));
      rows.set(key, { element: h("li", { class: "entered" }, amount.element, away), read() {
        const found = cents(amount.input.value);
        if (found === null) throw new Error(t("dealt.stake_not_amount_such_as", { player: bet.player }));
        return { player: String(bet.account_id), bet: name, stake: found, ...(on ? { on: [on] } : {}) };
      } });
      show();
    },
    read: () => [...rows.values()].map((row) => row.read()),
  };
}

/** Black Jack: each decision as it is made, in order; doubles, splits and insurances with stakes. */
function decided(places, currency) {
  const acts = [];
  const log = h("ol", { class: "acts", "aria-label": t("dealt.decisions_order") });
  const show = () => put(log, acts.map(([box, hand, act]) => h("li", {}, hand > 1
    ? t("dealt.box_hand", { box, hand, act: words.inside(act) })
      : t("common.box", { number: box, value: words.inside(act) }))));
  const boxes = places.map(([number, own]) => {
    const stakes = stakesOf(currency);
    const hand = field(t("dealt.hand_box", { number }),
      { options: [[1, "1"], [2, "2"], [3, "3"], [4, "4"]] });
    hand.element.hidden = true;  // until a hand is split
    const act = (word) => {
      if (word === "split") hand.element.hidden = false;
      const at = Number(hand.input.value);
      acts.push([Number(number), at, word]);
      if (word === "double" || word === "split") {
        for (const bet of own.filter((one) => one.slip.bet === "bet")) {
          stakes.add(bet, word, bet.stake_cents, at > 1 ? at : null);
        }
      }
      show();
    };
    const buttons = ACTS.map((word) => h("button", { type: "button", "aria-label":
      t("common.box", { number, value: words.inside(word) }), onclick: () => act(word) }, words.plain(word)));
    const insured = h("button", { type: "button", "aria-label": t("dealt.box_insurance", { number }),
      onclick: () => own.filter((one) => one.slip.bet === "bet").forEach((bet) => stakes.add(bet,
        "insurance", Math.trunc(bet.stake_cents / 2))) }, t("dealt.insurance"));
    const holder = holderOf(number, own);
    return { number, stakes, holder, element: h("fieldset", {}, h("legend", {},
      nameOf(number, own)), holder?.element, h("div", { class: "buttons" }, buttons,
      own.length ? insured : null), hand.element, stakes.element) };
  });
  const undo = h("button", { type: "button", onclick: () => { acts.pop(); show(); } },
    t("dealt.undo_last_decision"));
  return {
    element: h("div", { class: "why" }, h("div", { class: "boxes" }, boxes.map((box) => box.element)),
      log, undo),
    read: () => ({ decisions: acts.map(([box, hand, act]) => ({ box, hand, act })),
      outcome: { boxes: Object.fromEntries(boxes.map(({ number, stakes, holder }) => {
        const later = stakes.read();
        return [number, { ...(later.length ? { later } : {}),
          ...(holder ? { holder: holder.input.value } : {}) }];
      })) } }),
  };
}

/** Who holds a box with several players and decides for all of them: a field, else null. */
function holderOf(number, own) {
  const players = new Map(own.map((bet) => [String(bet.account_id), bet.player]));
  return players.size > 1 ? field(t("dealt.holder_box", { number }), { options: [...players] },
    t("dealt.decides_all_players_box")) : null;
}

const nameOf = (number, own) => t("common.box",
  { number, value: [...new Set(own.map((bet) => bet.player))].join(", ") || t("common.no_bet") });

/** Other games: each player's choice, and the hands where the shoe does not say whose they are. */
function chosen(round, places, currency) {
  const choices = CHOICES[round.game] || POKER;
  const card = (label) => field(label, { autocomplete: "off" }, t("dealt.such_as_ah_10d_7c"));
  const boxes = places.map(([number, own]) => {
    const stakes = stakesOf(currency);
    const cards = isKnown(round.game) ? null : card(t("dealt.cards_box", { number }));
    const picks = own.filter((bet) => ["ante", "bet"].includes(bet.slip.bet)).map((bet) => {
      const one = field(t("dealt.decides", { player: bet.player }), { options: [["", t("common.not_asked")],
        ...Object.keys(choices).map((word) => [word, words.plain(word)])] });
      one.input.addEventListener("change", () => {
        if (choices[one.input.value]) stakes.add(bet, "bet", bet.stake_cents * choices[one.input.value]);
      });
      return [bet, one];
    });
    return { number, stakes, cards, picks, element: h("fieldset", {}, h("legend", {},
      nameOf(number, own)), picks.map(([, one]) => one.element), cards?.element, stakes.element) };
  });
  const shared = isKnown(round.game) ? [] : (SHARED[round.game] || ["bank"]).map(
    (name) => [name, card(words.plain(name))]);
  const inputs = [...boxes.map((box) => box.cards), ...shared.map(([, one]) => one)]
    .filter(Boolean).map((one) => one.input);
  return {
    element: h("div", { class: "why" }, h("div", { class: "boxes" }, boxes.map((box) => box.element)),
      h("div", { class: "entered" }, shared.map(([, one]) => one.element)),
      inputs.length ? pad(inputs) : null),
    read: () => ({ outcome: {
      ...Object.fromEntries(shared.map(([name, one]) => [name, cardsOf(one.input.value)])),
      boxes: Object.fromEntries(boxes.map(({ number, stakes, cards, picks }) => {
        const later = stakes.read();
        const folded = picks.filter(([, one]) => one.input.value && !choices[one.input.value])
          .map(([bet, one]) => [bet.account_id, one.input.value]);
        const own = cards ? cardsOf(cards.input.value) : "";
        return [number, { ...(own ? { cards: own } : {}), ...(later.length ? { later } : {}),
          ...(folded.length ? { decisions: Object.fromEntries(folded) } : {}) }];
      })),
    } }),
  };
}

/** What the boxes decided: {element, read}. boxes: the bets of each box, as they were entered. */
export function hands(round, boxes, currency) {
  const places = Object.entries(boxes).map(([number, named]) => [number,
    round.bets.filter((bet) => named.includes(String(bet.id)))]);
  return round.game === "blackjack" ? decided(places, currency) : chosen(round, places, currency);
}
