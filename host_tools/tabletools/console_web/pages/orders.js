// What the floor tells a machine: which orders each kind takes, and what is said with them.

import { post } from "../api.js";
import { h } from "../dom.js";
import { ask, field } from "../parts.js";
import { may } from "../session.js";

const whole = (name, label, given, low, high) => ({ name, label,
  given: { type: "number", required: true, min: low, max: high, step: 1, value: given } });

const OPEN = { order: "open_bets", label: "Open a round" };
const VOID = { order: "void_round", label: "Void the round", danger: true, may: "tables.void_round",
  values: { reason: "croupier_void" }, text: "Every stake that is not decided yet comes back." };
const CHECKED = "A second person has counted it too.";
const LOAD = { order: "load_shoe", label: "Declare a new shoe", values: { load: "new" },
  text: CHECKED, asked: [whole("cards", "Cards in the shoe", 416, 1, 999),
    whole("burns", "Cards to be burned", 0, 0, 20)] };
const GO_ON = { order: "load_shoe", label: "Go on with this shoe",
  values: { load: "continued", burns: 0 }, text: CHECKED,
  asked: [whole("cards", "Cards that have left it", 0, 0, 999)] };
const replaced = (replacement, label) => ({ order: "declare_replacement", label,
  values: { replacement }, text: "It voids a round that is open." });

const ORDERS = {
  shuffler: [OPEN, { order: "end_round", label: "The round is settled" },
    replaced("shuffler", "Another shuffler stands here"),
    replaced("manual_shoe", "A manual shoe is used"),
    replaced("deck", "The deck was checked by hand"), VOID],
  card_shoe: [OPEN, { order: "end_cards", label: "The round is dealt" }, LOAD, GO_ON, VOID],
  draw_machine: [{ order: "end_draw", label: "Somebody has won" },
    { order: "declare_balls", label: "Declare the balls", text: CHECKED,
      asked: [whole("inside", "Balls in the chamber", 80, 0, 90)] }, VOID],
  roulette: [VOID], money_wheel: [VOID], dice_tray: [VOID],
};

/** The buttons of a machine's orders that the user's role may give. done: called after each. */
export function orders(table, role, done) {
  return (ORDERS[role] || []).filter((one) => may(one.may || "tables.order")).map((one) => h("button",
    { type: "button", class: one.danger ? "danger" : "", onclick: () => give(table, one, done) },
    one.label));
}

function give(table, one, done) {
  const asked = (one.asked || []).map((each) => [each.name, field(each.label, each.given)]);
  ask({ title: `${one.label}: ${table.name}`, text: one.text || null, agree: one.label,
    danger: Boolean(one.danger), fields: asked.map(([, shown]) => shown),
    act: async () => {
      const said = asked.map(([name, shown]) => [name, Number(shown.input.value)]);
      const values = { ...(one.values || {}), ...Object.fromEntries(said) };
      await post(`/tables/${table.id}/orders`, { order: one.order, values });
      await done();
    } });
}
