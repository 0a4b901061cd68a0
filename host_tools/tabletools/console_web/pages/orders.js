// Orders of the floor to a machine: which ones each kind accepts, with which values.

import { post } from "../api.js";
import { h } from "../dom.js";
import { ask, field } from "../parts.js";
import { may } from "../session.js";
import * as words from "../words.js";
import { secondUser } from "./late.js";

const whole = (name, label, given, low, high) => ({ name, label,
  given: { type: "number", required: true, min: low, max: high, step: 1, value: given } });

// When an order is possible; the machine decides, and reports why it refuses.
const isClosed = (state) => !state || state.phase === null || state.phase === "closed";
const runs = (state) => !isClosed(state);
const isDealt = (state) => runs(state) && state.phase !== "bets_open";

// Links over which a table answers: its frames may be too old for bets, and orders still arrive.
const ANSWERS = ["online", "stale"];
const REMEDIES = {
  stranger: "connect the device of this table", taken: "end the other host, or order from there",
};

/** Why no order can reach a table now, empty if it can. */
function unreachable(state) {
  if (!state) return "No order can be sent from here: the host that owns the table sends them.";
  if (!state.held) return "No order can be sent: this host does not own the table.";
  if (ANSWERS.includes(state.link)) return "";
  const remedy = REMEDIES[state.link] || "check its power, its cable and the port in the settings";
  return `No order can reach the table. ${words.link(state.link)}: ${remedy}.`;
}

const OPEN = { order: "open_bets", label: "Open a round", fits: isClosed };
const VOID = { order: "void_round", label: "Void the round", danger: true, may: "tables.void_round",
  fits: runs, values: { reason: "croupier_void" }, isCorrection: isDealt,
  text: "Every undecided stake is returned." };
const VOIDS = "It voids an open round: undecided stakes are returned.";
const LOAD = { order: "load_shoe", label: "Declare a new shoe", values: { load: "new" },
  text: `A second person has counted it too. ${VOIDS}`,
  inputs: [whole("cards", "Cards in the shoe", 416, 1, 999),
    whole("burns", "Cards to be burned", 0, 0, 20)] };
const GO_ON = { order: "load_shoe", label: "Continue with this shoe",
  values: { load: "continued", burns: 0 }, text: LOAD.text,
  inputs: [whole("cards", "Cards that have left it", 0, 0, 999)] };
const REPLACED = { order: "declare_replacement", label: "Declare a replacement", text: VOIDS,
  inputs: [{ name: "replacement", label: "What was replaced", given: { options: [
    ["deck", "A deck checked and completed by hand"], ["shuffler", "Another shuffler"],
    ["manual_shoe", "A manual shoe"]] } }] };

const ORDERS = {
  shuffler: [OPEN, { order: "end_round", label: "End the round", fits: isDealt,
    text: "All hands are played. If bets are in play, two named users rule on the outcome of the round." },
  REPLACED, VOID],
  card_shoe: [OPEN, { order: "end_cards", label: "End the deal", fits: isDealt,
    text: "No card after this belongs to the round." }, LOAD, GO_ON, VOID],
  draw_machine: [{ order: "end_draw", label: "End the draw: a player has won", fits: isDealt,
    text: "No ball after this counts." },
  { order: "declare_balls", label: "Declare the balls", fits: isClosed,
    text: "A second person has counted them too.",
    inputs: [whole("inside", "Balls in the chamber", 80, 0, 90)] }, VOID],
  roulette: [VOID], money_wheel: [VOID], dice_tray: [VOID],
};

// Machines to which the close of bets must be sent: they cannot detect it.
const TOLD = ["shuffler", "card_shoe"];

/** Close the bets of a table by hand; the order is sent to machines that cannot detect it. */
export function closeBets(table, role) {
  return TOLD.includes(role) ? send(table, { order: "close_bets" })
    : post(`/tables/${table.id}/close-bets`);
}

/** The buttons of a machine's orders that the user's role may give, and why none can be sent.
 *  act: runs an order and shows its failure; done: called after each. */
export function orders(table, role, act, done) {
  const mine = (ORDERS[role] || []).filter((one) => may(one.may || "tables.order"));
  let shown = null;
  const buttons = mine.map((one) => h("button", { type: "button",
    class: one.danger ? "danger" : null,
    onclick: () => (one.text ? give(table, one, done, Boolean(one.isCorrection?.(shown)))
      : act(() => send(table, one))) }, one.label));
  const obstacle = h("p", { class: "obstacle", role: "status" });
  return {
    buttons,
    obstacle: mine.length ? obstacle : null,
    update(state) {
      shown = state;
      const reason = unreachable(state);
      if (obstacle.textContent !== reason) obstacle.textContent = reason;
      mine.forEach((one, place) => {
        buttons[place].disabled = Boolean(reason || (one.fits && !one.fits(state)));
      });
    },
  };
}

function send(table, one, said = {}, correction = {}) {
  const values = { ...(one.values || {}), ...said };
  return post(`/tables/${table.id}/orders`, { order: one.order, values, ...correction });
}

/** What a correction requires besides the order: a reason, evidence and a second user. */
function correctedBy() {
  const reason = field("Reason", { maxlength: 500, required: true, autocomplete: "off" });
  const proof = field("Evidence", { maxlength: 500, required: true, autocomplete: "off" },
    "Who saw it, and which recording shows it.");
  const second = secondUser();
  return { fields: [reason, proof, ...second.fields],
    read: () => ({ reason: reason.input.value.trim(), evidence: proof.input.value.trim(),
      second: second.read() }) };
}

/** Orders that end or void anything, or declare a count, need a confirmation. */
function give(table, one, done, isCorrection) {
  const correction = isCorrection ? correctedBy() : { fields: [], read: () => ({}) };
  const inputs = (one.inputs || []).map((each) => [each, field(each.label, each.given)]);
  ask({ title: `${one.label}: ${table.name}`, text: one.text, agree: one.label,
    danger: Boolean(one.danger), fields: [...inputs.map(([, shown]) => shown), ...correction.fields],
    act: async () => {
      const values = inputs.map(([each, { input }]) => [each.name,
        each.given.options ? input.value : Number(input.value)]);
      await send(table, one, Object.fromEntries(values), correction.read());
      await done();
    } });
}
