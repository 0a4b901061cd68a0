// One player: balance, money in and out, where the player sits, movements and bets with receipts.

import { get, post, put as replace, requestKey } from "../api.js";
import { h, put } from "../dom.js";
import { cents, money } from "../format.js";
import { t } from "../language.js";
import { ask, empty, fact, field, grid, older, pinField, time } from "../parts.js";
import { may } from "../session.js";
import * as words from "../words.js";
import { secondUser } from "./late.js";
import { payoutGrid } from "./payouts.js";
import { seatGrid } from "./seats.js";

const PAGE = 50;
const receipt = (kind, id) => h("a", { href: `#/receipt/${kind}/${id}`,
  "aria-label": kind === "bet" ? t("common.receipt_bet", { id }) : t("common.receipt_movement", { id }) },
    t("common.receipt"));

export function movementColumns(currency) {
  return [
    [t("common.time"), (row) => time(row.at)],
    [t("account.movement"), (row) => words.plain(row.kind)],
    [t("common.amount"), (row) => money(row.amount_cents, currency), "figure"],
    [t("common.balance"), (row) => money(row.balance_cents, currency), "figure"],
    [t("common.round_word"), (row) => (row.round_id ? h("a", { href: `#/round/${row.round_id}` },
      t("common.of", { rank: row.round_number, suit: row.table_name })) : "–")],
    [t("account.by"), (row) => row.user_name || "–"],
  ];
}

const receiptColumn = [t("common.receipt"), (row) => (row.has_receipt ? receipt("cash", row.id) : "–")];

function betColumns(currency) {
  return [
    [t("common.bet"), (bet) => String(bet.id)],
    [t("common.slip"), (bet) => words.slip(bet.slip), "words"],
    [t("account.placed"), (bet) => time(bet.placed_at)],
    [t("common.stake"), (bet) => money(bet.stake_cents, currency), "figure"],
    [t("account.came"), (bet) => words.fate(bet)],
    [t("common.won"), (bet) => money(bet.win_cents, currency), "figure"],
    [t("common.receipt"), (bet) => receipt("bet", bet.id)],
  ];
}

/** A field for money, and the typed amount in cents. Throws Error. */
function amountField(hint) {
  const amount = field(t("common.amount"), { required: true, inputmode: "decimal", autocomplete: "off",
    maxlength: 13 }, hint);
  return { field: amount, read() {
    const found = cents(amount.input.value);
    if (!found) throw new Error(t("account.not_amount_enter_12_or"));
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
  const sum = amountField(isIn ? "" : t("account.paid_24_hours_supervisor_release",
    { paid: money(account.paid_cents, currency), limit }));
  const send = (what, toSay) => async () => {
    const wanted = { cents: sum.read(), seen_cents: account.balance_cents };
    if (second) wanted.second = second.read();
    await post(`/accounts/${account.id}/${what}`, wanted, key);
    await done(toSay(money(wanted.cents, currency)));
  };
  ask({
    title: `${isIn ? t("account.deposit") : t("common.payout")}: ${account.name}, ${account.player_number}`,
    text: t("account.balance", { balance: money(account.balance_cents, currency) }),
    fields: [sum.field, ...(second ? second.fields : [])],
    agree: isIn ? t("account.pay") : t("account.pay_out"),
    act: isIn ? send("deposits", (amount) => t("account.paid", { amount }))
      : send("payouts", (amount) => t("account.paid_out", { amount })),
    refuse: isIn ? undefined : { label: t("account.request_release"),
      act: send("held-payouts", (amount) => t("account.wait_their_release", { amount })) },
  });
}

/** Have the player type a PIN, seen by two users. */
function setPin(account, done) {
  const pin = pinField(true);
  const second = secondUser();
  ask({ title: t("account.pin", { account: account.name, number: account.player_number }),
    agree: t("account.set_pin"),
    text: t("account.second_user_one_you_supervisor"),
    fields: [pin, ...second.fields],
    act: async () => {
      await replace(`/accounts/${account.id}/pin`, { pin: pin.input.value, second: second.read() });
      await done(t("account.another_pin", { account: account.name }));
    } });
}

/** Move money by hand, for what no rule covers: two users, with reason and evidence. */
async function adjust(account, done) {
  const { tables } = await get("/tables");
  const { currency } = account;
  const key = { "Idempotency-Key": requestKey() };
  const table = field(t("account.bank_table"), { options: tables.filter((one) => one.currency === currency)
    .map((one) => [one.id, one.name]) });
  const direction = field(t("common.direction"), { options: [["1", t("account.bank_pays_player")],
    ["-1", t("account.player_pays_bank")]] });
  const amount = amountField("");
  const text = (label, hint) => field(label, { required: true, maxlength: 500, autocomplete: "off" }, hint);
  const reason = text(t("common.reason"), t("account.what_no_rule_no_correction"));
  const proof = text(t("common.evidence"), t("common.who_saw_which_recording_shows"));
  const round = field(t("common.round_word"), { inputmode: "numeric", autocomplete: "off", maxlength: 15 },
    t("account.number_address_page_if_about"));
  const second = secondUser();
  ask({
    title: t("account.adjustment", { account: account.name, number: account.player_number }), danger: true,
      agree: t("account.adjust"),
    text: t("account.balance_two_named_users_decide", { balance: money(account.balance_cents, currency) }),
    fields: [table, direction, amount.field, reason, proof, round, ...second.fields],
    act: async () => {
      const wanted = { cents: Number(direction.input.value) * amount.read(),
        table: Number(table.input.value), reason: reason.input.value.trim(),
        evidence: proof.input.value.trim(), second: second.read(), seen_cents: account.balance_cents };
      if (round.input.value.trim()) wanted.round = Number(round.input.value);
      await post(`/accounts/${account.id}/adjustments`, wanted, key);
      await done(t("account.adjusted", { cents: money(Math.abs(wanted.cents), currency) }));
    },
  });
}

function buttons(account, done) {
  const button = (text, isIn, needsTwo = false) => h("button", { type: "button", class: "primary",
    onclick: () => move(account, isIn, done, needsTwo ? secondUser() : null) }, text);
  return h("p", { class: "buttons" },
    may("accounts.deposit") ? button(t("account.deposit"), true) : null,
    may("accounts.deposit") ? button(t("account.pay_second_user"), true, true) : null,
    may("accounts.pay_out") ? button(t("account.pay_out"), false) : null,
    may("accounts.pin") ? h("button", { type: "button", onclick: () => setPin(account, done) },
      t("account.set_a_pin")) : null,
    h("a", { class: "button", href: `#/statement/${account.id}` }, t("statement.statement")),
    may("accounts.adjust") ? h("button", { type: "button", onclick: () => adjust(account, done) },
      t("account.adjust")) : null);
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
  const facts = [[t("common.player_number"), account.player_number],
    [t("common.balance"), money(account.balance_cents,
    currency)], [t("account.paid_24_hours"), money(account.paid_cents, currency)],
  [t("account.payouts_held_from"), money(account.held_from_cents, currency)],
  [t("common.pin"), account.has_pin ? t("account.set") : t("account.none_sits_no_terminal")]].map(([term,
    value]) => {
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
    put(list, grid(t("account.movements"), [...movementColumns(currency), receiptColumn], rows,
      t("account.no_money_moved")));
    return movements.length === PAGE;
  }

  const more = older(page);
  const panel = (title, ...inside) => h("section", { class: "panel" }, h("h2", {}, title), inside);
  put(main, h("h1", {}, account.name), h("dl", { class: "facts amounts summary" }, facts),
    buttons(account, done),
    payouts.length ? panel(t("common.held_payouts"), payoutGrid(payouts, done)) : null,
    panel(t("common.seats"), seats.length ? seatGrid(seats, done) : empty(t("account.player_no_seat"))),
    panel(t("account.movements"), list, more),
    panel(t("account.newest_bets"), grid(t("common.bets"), betColumns(currency), account.bets,
      t("common.no_bet_placed"))));
  more.hidden = !(await page());
}
