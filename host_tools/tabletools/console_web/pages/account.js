// One player: balance, money in and out, where the player sits, movements and bets with receipts.

import { get, post, put as replace, requestKey } from "../api.js";
import { h, put } from "../dom.js";
import { cents, money } from "../format.js";
import { ask, empty, fact, field, grid, older, pinField, time } from "../parts.js";
import { may } from "../session.js";
import * as words from "../words.js";
import { secondUser } from "./late.js";
import { payoutGrid } from "./payouts.js";
import { seatGrid } from "./seats.js";

const PAGE = 50;
const receipt = (kind, id) => h("a", { href: `#/receipt/${kind}/${id}`,
  "aria-label": `Receipt of ${kind === "bet" ? "bet" : "movement"} ${id}` }, "Receipt");

function movementColumns(currency) {
  return [
    ["Time", (row) => time(row.at)],
    ["Movement", (row) => words.plain(row.kind)],
    ["Amount", (row) => money(row.amount_cents, currency), "figure"],
    ["Balance", (row) => money(row.balance_cents, currency), "figure"],
    ["Round", (row) => (row.round_id ? h("a", { href: `#/round/${row.round_id}` },
      `${row.round_number} of ${row.table_name}`) : "–")],
    ["By", (row) => row.user_name || "–"],
    ["Receipt", (row) => (row.has_receipt ? receipt("cash", row.id) : "–")],
  ];
}

function betColumns(currency) {
  return [
    ["Bet", (bet) => String(bet.id)],
    ["Slip", (bet) => words.slip(bet.slip), "words"],
    ["Placed", (bet) => time(bet.placed_at)],
    ["Stake", (bet) => money(bet.stake_cents, currency), "figure"],
    ["Came to", (bet) => words.fate(bet)],
    ["Won", (bet) => money(bet.win_cents, currency), "figure"],
    ["Receipt", (bet) => receipt("bet", bet.id)],
  ];
}

/** A field for money, and the typed amount in cents. Throws Error. */
function amountField(hint) {
  const amount = field("Amount", { required: true, inputmode: "decimal", autocomplete: "off",
    maxlength: 13 }, hint);
  return { field: amount, read() {
    const found = cents(amount.input.value);
    if (!found) throw new Error("This is not an amount: enter 12 or 12.50");
    return found;
  } };
}

/**
 * Take cash, or pay it out. A held payout is requested instead, and released elsewhere.
 * second: fields of the user who confirms a deposit above what one may pay in alone, or null.
 */
function move(account, isIn, done, second = null) {
  const { currency } = account;
  const key = { "Idempotency-Key": requestKey() };
  const limit = money(account.held_from_cents, currency);
  const amount = amountField(isIn ? "" : `${money(account.paid_cents, currency)} paid in 24 hours. `
    + `A supervisor has to release payouts from ${limit}: request the release.`);
  const send = (what, said) => async () => {
    const wanted = { cents: amount.read(), seen_cents: account.balance_cents };
    if (second) wanted.second = second.read();
    await post(`/accounts/${account.id}/${what}`, wanted, key);
    await done(`${money(wanted.cents, currency)} ${said}`);
  };
  ask({
    title: `${isIn ? "Deposit" : "Payout"}: ${account.name}, ${account.player_number}`,
    text: `Balance ${money(account.balance_cents, currency)}.`,
    fields: [amount.field, ...(second ? second.fields : [])],
    agree: isIn ? "Pay in" : "Pay out",
    act: isIn ? send("deposits", "paid in") : send("payouts", "paid out"),
    refuse: isIn ? undefined : { label: "Request its release",
      act: send("held-payouts", "wait for their release") },
  });
}

/** Have the player type a PIN, seen by two users. */
function setPin(account, done) {
  const pin = pinField(true);
  const second = secondUser();
  ask({ title: `PIN of ${account.name}, ${account.player_number}`, agree: "Set the PIN",
    text: "A second user, one of you a supervisor, sees the player type it. A seat of the player ends.",
    fields: [pin, ...second.fields],
    act: async () => {
      await replace(`/accounts/${account.id}/pin`, { pin: pin.input.value, second: second.read() });
      await done(`${account.name} has another PIN`);
    } });
}

/** Move money by hand, for what no rule covers: two users, with reason and evidence. */
async function adjust(account, done) {
  const { tables } = await get("/tables");
  const { currency } = account;
  const key = { "Idempotency-Key": requestKey() };
  const table = field("Bank of table", { options: tables.filter((one) => one.currency === currency)
    .map((one) => [one.id, one.name]) });
  const direction = field("Direction", { options: [["1", "The bank pays the player"],
    ["-1", "The player pays the bank"]] });
  const amount = amountField("");
  const text = (label, hint) => field(label, { required: true, maxlength: 500, autocomplete: "off" }, hint);
  const reason = text("Reason", "What no rule and no correction covers.");
  const proof = text("Evidence", "Who saw it, and which recording shows it.");
  const round = field("Round", { inputmode: "numeric", autocomplete: "off", maxlength: 15 },
    "The number in the address of its page, if it is about a round of that table.");
  const second = secondUser();
  ask({
    title: `Adjustment: ${account.name}, ${account.player_number}`, danger: true, agree: "Adjust",
    text: `Balance ${money(account.balance_cents, currency)}. Two named users decide, one of them a `
      + "supervisor.",
    fields: [table, direction, amount.field, reason, proof, round, ...second.fields],
    act: async () => {
      const wanted = { cents: Number(direction.input.value) * amount.read(),
        table: Number(table.input.value), reason: reason.input.value.trim(),
        evidence: proof.input.value.trim(), second: second.read(), seen_cents: account.balance_cents };
      if (round.input.value.trim()) wanted.round = Number(round.input.value);
      await post(`/accounts/${account.id}/adjustments`, wanted, key);
      await done(`${money(Math.abs(wanted.cents), currency)} adjusted`);
    },
  });
}

function buttons(account, done) {
  const button = (text, isIn, needsTwo = false) => h("button", { type: "button", class: "primary",
    onclick: () => move(account, isIn, done, needsTwo ? secondUser() : null) }, text);
  return h("p", { class: "buttons" },
    may("accounts.deposit") ? button("Deposit", true) : null,
    may("accounts.deposit") ? button("Pay in with a second user", true, true) : null,
    may("accounts.pay_out") ? button("Pay out", false) : null,
    may("accounts.pin") ? h("button", { type: "button", onclick: () => setPin(account, done) },
      "Set a PIN") : null,
    may("accounts.adjust") ? h("button", { type: "button", onclick: () => adjust(account, done) },
      "Adjust") : null);
}

export async function open(context) {
  const { main, parts, own, frame } = context;
  const id = Number(parts[0]);
  const [account, { payouts }, { seats }] = await Promise.all([get(`/accounts/${id}`),
    get(`/held-payouts?account=${id}`), get(`/seats?account=${id}`)]);
  if (!own.alive) return;

  async function done(text) {
    await open(context);
    frame.announce(text);
  }

  const { currency } = account;
  const facts = [["Player number", account.player_number], ["Balance", money(account.balance_cents,
    currency)], ["Paid in 24 hours", money(account.paid_cents, currency)],
  ["Payouts held from", money(account.held_from_cents, currency)],
  ["PIN", account.has_pin ? "Set" : "None: sits at no terminal"]].map(([term, value]) => {
    const made = fact(term);
    put(made.value, value);
    return made.element;
  });
  const rows = [];
  const list = h("div", {});

  async function page() {
    const before = rows.length ? `&before=${rows.at(-1).id}` : "";
    const { movements } = await get(`/accounts/${id}/movements?most=${PAGE}${before}`);
    if (!own.alive) return false;
    rows.push(...movements);
    put(list, grid("Movements", movementColumns(currency), rows, "No money has moved."));
    return movements.length === PAGE;
  }

  const more = older(page);
  const panel = (title, ...inside) => h("section", { class: "panel" }, h("h2", {}, title), inside);
  put(main, h("h1", {}, account.name), h("dl", { class: "facts amounts summary" }, facts),
    buttons(account, done),
    payouts.length ? panel("Held payouts", payoutGrid(payouts, done)) : null,
    panel("Seats", seats.length ? seatGrid(seats, done) : empty("The player has no seat.")),
    panel("Movements", list, more),
    panel("Newest bets", grid("Bets", betColumns(currency), account.bets, "No bet was placed.")));
  more.hidden = !(await page());
}
