// The display of each kind of machine: its picture, and the terms of its state.

import { count, seconds, tenths } from "./format.js";
import { felt } from "./felt.js";
import { ROLES } from "./games.js";
import { t } from "./language.js";
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

const turning = (state) => (state.machine_drpm ? t("machines.rpm", { speed: tenths(state.machine_drpm) })
  : t("machines.still"));
const direction = (state) => words.plain(state.machine_direction);
const counted = (state) => state.progress ?? "–";
const edges = (state) => count(state.edges_lost);
const own = (name, textOf) => (state) => {
  const found = state.machine?.[name];
  return found ? textOf(found) : "–";
};
const outOf = (some, all) => (all === undefined ? count(some)
  : t("common.of", { rank: count(some), suit: count(all) }));

const TERMS = {
  roulette: [[t("machines.ball_circuits"), counted], [t("machines.rotor"), turning],
    [t("common.direction"), direction],
    [t("machines.edges_lost"), edges]],
  money_wheel: [[t("machines.revolutions"), counted], [t("machines.wheel"), turning],
    [t("common.direction"), direction],
    [t("machines.last_stop"), own("stop", (one) => t("machines.segment", { segment: one.segment + 1 }))],
      [t("machines.edges_lost"), edges]],
  dice_tray: [[t("machines.last_throw"),
    own("throw", (one) => (one.reason ? words.alarmText(one.reason) : t("machines.valid")))],
    [t("machines.held"), own("throw", (one) => seconds(one.held_ms, "auto"))],
    [t("machines.far_wall_hits"), own("throw", (one) => count(one.hits))],
    [t("machines.agreeing_pictures"), own("throw", (one) => count(one.agreed))]],
  shuffler: [[t("machines.last_shuffle"), own("shuffle", (one) => words.because(one.verdict, one.reason))],
    [t("common.cards_in"), own("shuffle", (one) => outOf(one.count_in, one.expected))],
    [t("common.cards_out"), own("shuffle", (one) => outOf(one.count_out, one.expected))],
    [t("machines.shoe"), own("lock", (one) => words.because(one.shoe, one.reason || one.replacement))]],
  card_shoe: [[t("machines.cards_round"), (state) => count((state.dealt || []).length)],
    [t("machines.cards_out_shoe"), own("shoe", (one) => outOf(one.drawn, one.cards))],
    [t("machines.shoe"), own("shoe", (one) => words.plain(one.event))]],
  draw_machine: [[t("common.balls_drawn"), (state) => count((state.dealt || []).length)],
    [t("common.balls_chamber"), own("balls", (one) => outOf(one.inside, one.expected))],
    [t("machines.counted"), own("balls", (one) => words.plain(one.counted_by))]],
};

/** The terms of a role: [term, state => text]. */
export const termsOf = (role) => TERMS[role] || [];
