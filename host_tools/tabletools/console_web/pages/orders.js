// Orders of the floor to a machine: which ones each kind accepts, with which values.

import { post } from "../api.js";
import { h } from "../dom.js";
import { t } from "../language.js";
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
  stranger: t("orders.connect_device_table"), taken: t("orders.end_other_host_or_order"),
};

/** Why no order can reach a table now, empty if it can. */
function unreachable(state) {
  if (!state) return t("orders.no_order_can_sent_from");
  if (!state.held) return t("orders.no_order_can_sent_host");
  if (ANSWERS.includes(state.link)) return "";
  const remedy = REMEDIES[state.link] || t("orders.check_power_cable_port_settings");
  return t("orders.no_order_can_reach_table", { link: words.link(state.link), remedy });
}

const OPEN = { order: "open_bets", label: t("orders.open_round"), fits: isClosed };
const VOID = { order: "void_round", label: t("orders.void_round"), danger: true, may: "tables.void_round",
  fits: runs, values: { reason: "croupier_void" }, isCorrection: isDealt,
  text: t("orders.every_undecided_stake_returned") };
const VOIDS = t("orders.voids_open_round_undecided_stakes");
const LOAD = { order: "load_shoe", label: t("orders.declare_new_shoe"), values: { load: "new" },
  text: t("orders.second_person_counted_too", { voids: VOIDS }),
  inputs: [whole("cards", t("orders.cards_shoe"), 416, 1, 999),
    whole("burns", t("orders.cards_burned"), 0, 0, 20)] };
const GO_ON = { order: "load_shoe", label: t("orders.continue_shoe"),
  values: { load: "continued", burns: 0 }, text: LOAD.text,
  inputs: [whole("cards", t("orders.cards_have_left"), 0, 0, 999)] };
const REPLACED = { order: "declare_replacement", label: t("orders.declare_replacement"), text: VOIDS,
  inputs: [{ name: "replacement", label: t("orders.what_replaced"), given: { options: [
    ["deck", t("orders.deck_checked_completed_hand")], ["shuffler", t("orders.another_shuffler")],
    ["manual_shoe", t("orders.manual_shoe")]] } }] };

const ORDERS = {
  shuffler: [OPEN, { order: "end_round", label: t("orders.end_round"), fits: isDealt,
    text: t("orders.all_hands_played_if_bets") },
  REPLACED, VOID],
  card_shoe: [OPEN, { order: "end_cards", label: t("orders.end_deal"), fits: isDealt,
    text: t("orders.no_card_after_belongs_round") }, LOAD, GO_ON, VOID],
  draw_machine: [{ order: "end_draw", label: t("orders.end_draw_player_won"), fits: isDealt,
    text: t("orders.no_ball_after_counts") },
  { order: "declare_balls", label: t("orders.declare_balls"), fits: isClosed,
    text: t("orders.second_person_counted_them_too"),
    inputs: [whole("inside", t("common.balls_chamber"), 80, 0, 90)] }, VOID],
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
  const those = (wanted) => buttons.filter((_, place) => wanted(mine[place]));
  return {
    buttons,
    /** The same by when a dealer needs them: to open, during and after a round, to void it. */
    inOrder: () => ({ opening: those((one) => one === OPEN), voiding: those((one) => one === VOID),
      entering: those((one) => one !== OPEN && one !== VOID) }),
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
  const reason = field(t("common.reason"), { maxlength: 500, required: true, autocomplete: "off" });
  const proof = field(t("common.evidence"), { maxlength: 500, required: true, autocomplete: "off" },
    t("common.who_saw_which_recording_shows"));
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
