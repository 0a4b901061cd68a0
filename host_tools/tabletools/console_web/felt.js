// Pictures of the dice, balls or cards on a table, each with a text alternative.

import { h, put, s, say } from "./dom.js";
import { t } from "./language.js";
import * as words from "./words.js";

const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8],
  6: [0, 2, 3, 5, 6, 8] };
const RANKS = { A: t("felt.ace"), K: t("felt.king"), Q: t("felt.queen"), J: t("felt.jack"), T: "10" };
const SUITS = { C: t("felt.clubs"), D: t("felt.diamonds"), H: t("felt.hearts"), S: t("felt.spades") };

function die(face) {
  return h("li", {}, s("svg", { class: "die", viewBox: "0 0 90 90", role: "img",
    "aria-label": t("felt.die_showing", { face }) },
  s("rect", { x: 3, y: 3, width: 84, height: 84, rx: 14 }),
  (PIPS[face] || []).map((place) => s("circle", { r: 8, cx: 21 + 24 * (place % 3),
    cy: 21 + 24 * Math.trunc(place / 3) }))));
}

function ball(number) {
  return h("li", { class: "number" }, String(number));
}

/** One playing card from its name, such as "TH"; one that was not read is face down. */
function card(name) {
  if (!words.isCard(name)) return h("li", { class: "card unread" }, h("span", { class: "unseen" },
    t("felt.card_not_read")));
  const [rank, suit] = name.toUpperCase();
  const kind = suit === "D" || suit === "H" ? "card red" : "card";
  return h("li", { class: kind }, h("span", { "aria-hidden": "true" }, words.card(name)),
    h("span", { class: "unseen" }, t("common.of", { rank: RANKS[rank] || rank, suit: SUITS[suit] })));
}

/** Rows of items: [name of the row or "", items]. */
function rows(outcome) {
  if (outcome.dice) return [["", outcome.dice.map(die)]];
  if (outcome.drawn) return [["", outcome.drawn.map(ball)]];
  return words.hands(outcome).map(([name, cards]) => [name, cards.map(card)]);
}

/** Whether the newest result is that of the round shown, or of an earlier one. */
function isOver(state, last) {
  return Boolean(last) && (last.number === state.number || state.dealt.length === 0);
}

/** The items on a table, in a panel of constant size. */
export function felt(name, isCards) {
  const shown = h("div", { class: "rows" });
  const sub = h("p", { class: "felt-word" }, "–");
  const element = h("div", { class: "felt", role: "group", "aria-label": name, tabindex: "0" },
    shown, sub);
  let before = "";

  function showItems(found, word) {
    put(shown, ...found.map(([title, items]) => h("div", { class: "hand" },
      title ? h("p", { class: "hand-name" }, title) : null,
      h("ul", { class: "felt-items", role: "list", "aria-label": title || null }, items))));
    say(sub, word);
  }

  return {
    element,
    update(state, last) {
      const dealt = state.dealt || [];
      const now = JSON.stringify([dealt, last?.outcome, state.number]);
      if (now === before) return;
      before = now;
      if (isOver({ ...state, dealt }, last)) {
        const round = t("common.round", { number: last.number });
        showItems(rows(last.outcome), last.is_void ? `${round}: ${words.outcomeLong(last.outcome)}`
          : `${round}${words.sumOf(last.outcome)}`);
      } else if (dealt.length) {
        showItems([["", dealt.map(isCards ? card : ball)]],
          t("felt.round_so_far", { number: state.number, count: dealt.length }));
      } else {
        showItems([], t("felt.nothing_table_yet"));
      }
    },
  };
}
