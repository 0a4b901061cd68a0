// Held payouts: those that wait for a supervisor, and those decided.

import { get, post, requestKey } from "../api.js";
import { h, put } from "../dom.js";
import { money } from "../format.js";
import { ask, chip, field, grid, older, time } from "../parts.js";
import { may, user } from "../session.js";
import { secondUser } from "./late.js";

const PAGE = 50;

/** Release or decline. The requester needs a second user to release. */
function decide(row, done) {
  const own = row.user_id === user().user;
  const amount = money(row.amount_cents, row.currency);
  const reason = field("Reason", { required: true, maxlength: 500, autocomplete: "off" },
    "It is printed on the receipt: what was checked, or why it is not paid.");
  const second = own ? secondUser() : null;
  for (const one of second ? second.fields : []) one.input.required = false;  // none declines
  const key = { "Idempotency-Key": requestKey() };
  const send = (released, said) => async () => {
    const more = released && second ? { second: second.read() } : {};
    await post(`/held-payouts/${row.id}/decision`, { released, reason: reason.input.value, ...more },
      key);
    await done(`${amount} for ${row.player} ${said}`);
  };
  ask({
    title: `Payout of ${amount}: ${row.player}, ${row.player_number}`,
    text: `Requested by ${row.requested_by}. Balance ${money(row.balance_cents, row.currency)}; with `
      + `it ${money(row.paid_cents, row.currency)} are paid in 24 hours.${own
        ? " You requested it yourself: a second user releases it with you." : ""}`,
    fields: [reason, ...(second ? second.fields : [])], agree: "Release", danger: true,
    act: send(true, "paid out"), refuse: { label: "Decline", act: send(false, "declined") },
  });
}

function state(row, done) {
  if (row.decided_at) {
    const word = row.posting_id ? chip("good", "Released") : chip("mute", "Declined");
    return [word, ` by ${row.decided_by}${row.second_user ? ` and ${row.second_user}` : ""}: `
      + `${row.reason} `, row.posting_id ? h("a", { href: `#/receipt/cash/${row.posting_id}`,
      "aria-label": `Receipt of movement ${row.posting_id}` }, "Receipt") : null];
  }
  return may("payouts.release") ? h("button", { type: "button", "aria-label":
    `Decide: payout ${row.id} of ${row.player}`, onclick: () => decide(row, done) }, "Decide")
    : chip("warn", "Waiting for a supervisor");
}

/** Held payouts as a table. done: called after a decision. */
export function payoutGrid(rows, done) {
  return grid("Held payouts", [
    ["Payout", (row) => String(row.id)],
    ["Player", (row) => h("a", { href: `#/account/${row.account_id}` },
      `${row.player}, ${row.player_number}`)],
    ["Amount", (row) => money(row.amount_cents, row.currency), "figure"],
    ["Balance now", (row) => money(row.balance_cents, row.currency), "figure"],
    ["Requested", (row) => [time(row.at), ` by ${row.requested_by}`]],
    ["Decision", (row) => state(row, done), "words"],
  ], rows, "No payout is waiting.");
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
      "No payout has been decided yet."));
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
  put(main, h("h1", {}, "Held payouts"), h("p", { class: "terms" }, "A payout at or above the "
    + "limit of the house is held. Two named users release it, one of them a supervisor. It reserves "
    + "nothing: the release checks the balance again."),
  h("section", { class: "panel" }, h("h2", {}, "Waiting"), waiting),
  h("section", { class: "panel" }, h("h2", {}, "Decided"), decided, more));
  more.hidden = !(await page());
}
