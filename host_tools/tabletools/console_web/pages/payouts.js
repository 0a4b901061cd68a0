// Held payouts: those that wait for a supervisor, and those decided.

import { get, post, requestKey } from "../api.js";
import { h, put } from "../dom.js";
import { both, money } from "../format.js";
import { t } from "../language.js";
import { ask, chip, field, grid, older, time } from "../parts.js";
import { may, user } from "../session.js";
import { secondUser } from "./late.js";

const PAGE = 50;

/** Release or decline. The requester needs a second user to release. */
function decide(row, done) {
  const own = row.user_id === user().user;
  const amount = money(row.amount_cents, row.currency);
  const reason = field(t("common.reason"), { required: true, maxlength: 500, autocomplete: "off" },
    t("payouts.printed_receipt_what_checked_or"));
  const second = own ? secondUser() : null;
  for (const one of second ? second.fields : []) one.input.required = false;  // none declines
  const key = { "Idempotency-Key": requestKey() };
  const send = (released, text) => async () => {
    const more = released && second ? { second: second.read() } : {};
    await post(`/held-payouts/${row.id}/decision`, { released, reason: reason.input.value, ...more },
      key);
    await done(text);
  };
  ask({
    title: t("payouts.payout", { amount, player: row.player, number: row.player_number }),
    text: [t("payouts.requested_balance_paid_24_hours",
      { user: row.requested_by, balance: money(row.balance_cents, row.currency),
      paid: money(row.paid_cents, row.currency) }), own
      ? t("payouts.you_requested_yourself_second_user") : ""].join(" "),
    fields: [reason, ...(second ? second.fields : [])], agree: t("payouts.release"), danger: true,
    act: send(true, t("payouts.paid_out", { amount, player: row.player })),
    refuse: { label: t("common.decline"),
      act: send(false, t("payouts.is_declined", { amount, player: row.player })) },
  });
}

function state(row, done) {
  if (row.decided_at) {
    const word = row.posting_id ? chip("good", t("payouts.released")) : chip("mute", t("payouts.declined"));
    const by = [row.decided_by, row.second_user].filter(Boolean);
    return [word, ` ${t("payouts.by", { by: both(by), reason: row.reason })} `, row.posting_id
      ? h("a", { href: `#/receipt/cash/${row.posting_id}`,
      "aria-label": t("common.receipt_movement", { id: row.posting_id }) }, t("common.receipt")) : null];
  }
  return may("payouts.release") ? h("button", { type: "button", "aria-label":
    t("payouts.decide_payout", { id: row.id, player: row.player }), onclick: () => decide(row, done) },
      t("payouts.decide"))
    : chip("warn", t("payouts.waiting_supervisor"));
}

/** Held payouts as a table. done: called after a decision. */
export function payoutGrid(rows, done) {
  return grid(t("common.held_payouts"), [
    [t("common.payout"), (row) => String(row.id)],
    [t("common.player"), (row) => h("a", { href: `#/account/${row.account_id}` },
      `${row.player}, ${row.player_number}`)],
    [t("common.amount"), (row) => money(row.amount_cents, row.currency), "figure"],
    [t("common.balance_now"), (row) => money(row.balance_cents, row.currency), "figure"],
    [t("common.requested"), (row) => [time(row.at), ` ${t("payouts.by_user", { user: row.requested_by })}`]],
    [t("payouts.decision"), (row) => state(row, done), "words"],
  ], rows, t("payouts.no_payout_waiting"));
}

export async function open(context) {
  const { main, own, frame } = context;
  const waiting = h("div", {});
  const decided = h("div", {});
  const rows = [];

  async function page() {
    const before = rows.length ? `&before=${rows.at(-1).id}` : "";
    const { payouts } = await get(`/held-payouts?waiting=false&most=${PAGE}${before}`);
    if (!own.alive) return false;
    rows.push(...payouts);
    put(decided, rows.length ? payoutGrid(rows, done) : h("p", { class: "empty" },
      t("payouts.no_payout_been_decided_yet")));
    return payouts.length === PAGE;
  }

  async function done(text) {
    await open(context);
    frame.announce(text);
  }

  const { payouts } = await get("/held-payouts?waiting=true&most=200");
  if (!own.alive) return;
  put(waiting, payoutGrid(payouts, done));
  const more = older(page);
  put(main, h("h1", {}, t("common.held_payouts")),
    h("p", { class: "terms" }, t("payouts.payout_or_above_limit_house")),
  h("section", { class: "panel" }, h("h2", {}, t("payouts.waiting")), waiting),
  h("section", { class: "panel" }, h("h2", {}, t("payouts.decided")), decided, more));
  more.hidden = !(await page());
}
