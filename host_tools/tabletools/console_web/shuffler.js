// The picture of a card shuffler: the counts of its gates and whether its shoe may be dealt from.
// It does not know which card is where.

import { h, s, say } from "./dom.js";
import { count } from "./format.js";
import { t } from "./language.js";
import * as words from "./words.js";

const WIDE = 220;

/** Cards through one gate, as a bar beside their number. */
function gate(name, y) {
  const bar = s("rect", { class: "passed", x: 0, y: y + 8, width: 0, height: 18, rx: 4 });
  const label = s("text", { class: "gate-word", x: 0, y }, name);
  return {
    parts: [label, s("rect", { class: "way", x: 0, y: y + 8, width: WIDE, height: 18, rx: 4 }), bar],
    update(passed, expected) {
      const share = expected ? Math.min(passed / expected, 1) : 0;
      bar.setAttribute("width", (WIDE * share).toFixed(1));
      say(label, passed === undefined ? t("shuffler.nothing_counted_yet", { name })
        : t("shuffler.of", { name, passed: count(passed), expected: count(expected) }));
    },
  };
}

/** Shown in the panel of the machine: element, and update(state). */
export function shuffler() {
  const [into, out] = [gate(t("common.cards_in"), 24), gate(t("common.cards_out"), 84)];
  const shackle = s("path", { class: "shackle", d: "M90 172 v-14 a20 20 0 0 1 40 0 v14" });
  const lock = s("g", { class: "lock" }, shackle,
    s("rect", { x: 80, y: 170, width: 60, height: 46, rx: 8 }));
  const picture = s("svg", { class: "gates", viewBox: "0 0 220 224", "aria-hidden": "true" },
    into.parts, out.parts, lock);
  const verdict = h("p", { class: "felt-word" }, "");
  const shoe = h("p", { class: "felt-word" }, "");
  return {
    element: h("div", { class: "felt", role: "group", "aria-label": t("shuffler.shuffler") }, picture,
      verdict,
      shoe),
    update(state) {
      const { shuffle, lock: shoeLock } = state.machine || {};
      into.update(shuffle?.count_in, shuffle?.expected);
      out.update(shuffle?.count_out, shuffle?.expected);
      const isOpen = shoeLock?.shoe === "unlocked";
      shackle.setAttribute("transform", isOpen ? "translate(0 -14)" : "");
      lock.classList.toggle("open", isOpen);
      const word = shuffle && words.because(shuffle.verdict, shuffle.reason);
      say(verdict, shuffle ? t("shuffler.shuffle_cards_out", { word, cardsIn: count(shuffle.count_in),
        cardsOut: count(shuffle.count_out), expected: count(shuffle.expected) })
        : t("shuffler.no_shuffle_yet"));
      const why = shoeLock && words.because(shoeLock.shoe, shoeLock.reason || shoeLock.replacement);
      say(shoe, shoeLock ? t("shuffler.shoe", { why }) : t("shuffler.shoe_not_reported_yet"));
    },
  };
}
