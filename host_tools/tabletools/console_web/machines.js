// The display of each kind of machine: its picture, and the terms of its state.

import { count, seconds, tenths } from "./format.js";
import { felt } from "./felt.js";
import { ROLES } from "./games.js";
import { shuffler } from "./shuffler.js";
import { DOUBLE, moneyWheel, roulette, SEGMENTS_52, SEGMENTS_54, SINGLE } from "./wheels.js";
import * as words from "./words.js";

/** The role of a table's machine: as reported, else derived from its game; for cards it may be two. */
export const roleOf = (table, state) => state?.role || ROLES[table.game] || "";

/** The picture of a table: element, and update(state, last result). */
export function machine(table, role, state) {
  if (role === "roulette") return roulette(table.variant === "american00" ? DOUBLE : SINGLE);
  if (role === "money_wheel") {
    return moneyWheel(state.layout === "segments_54" ? SEGMENTS_54 : SEGMENTS_52);
  }
  if (role === "shuffler") return shuffler();
  return felt(words.game(table.game), role !== "draw_machine");
}

const turning = (state) => (state.machine_drpm ? `${tenths(state.machine_drpm)} rpm` : "still");
const direction = (state) => words.plain(state.machine_direction);
const counted = (state) => state.progress ?? "–";
const edges = (state) => count(state.edges_lost);
const own = (name, textOf) => (state) => {
  const found = state.machine?.[name];
  return found ? textOf(found) : "–";
};
const outOf = (some, all) => (all === undefined ? count(some) : `${count(some)} of ${count(all)}`);

const TERMS = {
  roulette: [["Ball circuits", counted], ["Rotor", turning], ["Direction", direction],
    ["Edges lost", edges]],
  money_wheel: [["Revolutions", counted], ["Wheel", turning], ["Direction", direction],
    ["Last stop", own("stop", (one) => `Segment ${one.segment + 1}`)], ["Edges lost", edges]],
  dice_tray: [["Last throw", own("throw", (one) => (one.reason ? words.alarmText(one.reason) : "Valid"))],
    ["Held", own("throw", (one) => seconds(one.held_ms).replace("+", ""))],
    ["Far wall hits", own("throw", (one) => count(one.hits))],
    ["Agreeing pictures", own("throw", (one) => count(one.agreed))]],
  shuffler: [["Last shuffle", own("shuffle", (one) => words.because(one.verdict, one.reason))],
    ["Cards in", own("shuffle", (one) => outOf(one.count_in, one.expected))],
    ["Cards out", own("shuffle", (one) => outOf(one.count_out, one.expected))],
    ["Shoe", own("lock", (one) => words.because(one.shoe, one.reason || one.replacement))]],
  card_shoe: [["Cards of this round", (state) => count((state.dealt || []).length)],
    ["Cards out of the shoe", own("shoe", (one) => outOf(one.drawn, one.cards))],
    ["Shoe", own("shoe", (one) => words.plain(one.event))]],
  draw_machine: [["Balls drawn", (state) => count((state.dealt || []).length)],
    ["Balls in the chamber", own("balls", (one) => outOf(one.inside, one.expected))],
    ["Counted by", own("balls", (one) => words.plain(one.counted_by))]],
};

/** The terms of a role: [term, state => text]. */
export const termsOf = (role) => TERMS[role] || [];
