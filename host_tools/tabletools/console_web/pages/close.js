// The close of a gaming day: what has to be at the desk or at a table, fills, credits, the count.

import { get, post, requestKey } from "../api.js";
import { h, put } from "../dom.js";
import { cents, date, money } from "../format.js";
import { t } from "../language.js";
import { ask, facts, field, grid, time } from "../parts.js";
import { may } from "../session.js";
import * as words from "../words.js";
import { secondUser } from "./late.js";

/** The amount in a field, in cents. Throws what is shown in the dialogue. */
function amount(input) {
  const value = cents(input.value);
  if (value === null) throw Object.assign(new Error(t("close.no_amount")),
    { step: t("close.write_as_12_50") });
  return value;
}

function decide(title, fields, hint, send, done) {
  const reason = field(t("common.reason"), { maxlength: 500, required: true });
  const second = secondUser();
  const key = { "Idempotency-Key": requestKey() };
  ask({ title, text: hint, fields: [...fields, reason, ...second.fields], agree: title,
    act: async () => {
      await send({ reason: reason.input.value, second: second.read() }, key);
      await done(title);
    } });
}

function transfer(kind, title, place, done) {
  const sum = field(t("common.amount"), { inputmode: "decimal", required: true });
  decide(title, [sum], t("close.two_users_desk_sign"), (more, key) => post("/cash-transfers",
    { kind, ...place, cents: amount(sum.input), ...more }, key), done);
}

function count(known, place, done) {
  const day = field(t("close.gaming_day"), { type: "date", value: known.day, max: known.day,
    required: true });
  const sum = field(t("close.counted"), { inputmode: "decimal", required: true });
  decide(t("close.close_day"), [day, sum], t("close.count_before_you_look_what"),
    (more, key) => post("/day-closes",
    { day: day.input.value, counted_cents: amount(sum.input), ...place, ...more }, key), done);
}

function figures(known) {
  const sums = [[t("close.counted_last_close"), known.opening_cents],
    [t("close.paid_less_paid_out_fills"), known.expected_cents - known.opening_cents],
    [t("close.expected_now"), known.expected_cents]].map(([term, value]) => (
    [term, money(value, known.currency)]));
  const unit = known.currency;
  const closes = [[t("common.day"), (row) => date(row.day)],
    [t("close.expected"), (row) => money(row.expected_cents, unit), "figure"],
    [t("close.counted"), (row) => money(row.counted_cents, unit), "figure"],
    [t("close.difference"), (row) => money(row.counted_cents - row.expected_cents, unit), "figure"],
    [t("close.by"), (row) => `${row.first_name}, ${row.second_name}`],
      [t("common.reason"), (row) => row.reason, "words"]];
  const transfers = [[t("common.time"), (row) => time(row.at)],
    [t("close.kind"), (row) => words.plain(row.kind)],
    [t("common.amount"), (row) => money(row.amount_cents, unit), "figure"],
    [t("close.by"), (row) => `${row.first_name}, ${row.second_name}`],
      [t("common.reason"), (row) => row.reason, "words"]];
  return [facts(sums), h("h2", {}, t("close.closed_days")),
    grid(t("close.closed_days"), closes, known.closes, t("close.no_day_been_closed_here")),
    h("h2", {}, t("close.fills_credits")),
    grid(t("close.fills_credits"), transfers, known.transfers, t("close.nothing_came_from_vault_yet"))];
}

export async function open({ main, query, frame, own }) {
  const { tables } = await get("/tables");
  const units = [...new Set(["EUR", ...tables.map((one) => one.currency)])];
  const options = [...units.map((unit) => [unit, t("close.cash_desk", { unit })]),
    ...tables.map((one) => [`${one.currency} ${one.id}`, t("close.table", { name: one.name })])];
  const where = field(t("close.place"), { options, onchange: () => {
    location.hash = `#/close?${new URLSearchParams({ place: where.input.value })}`;
  } });
  where.input.value = query.get("place") || units[0];
  const [currency, number] = where.input.value.split(" ");
  const place = { currency, table: number ? Number(number) : null };
  const body = h("div", { class: "alarms" });
  const actions = h("p", { class: "buttons" });
  async function show() {
    const wanted = new URLSearchParams({ currency, ...(number ? { table: number } : {}) });
    const known = await get(`/cash-places?${wanted}`);
    if (!own.alive) return;
    const button = (text, act) => h("button", { type: "button", onclick: act }, text);
    if (!actions.childElementCount && may("desk.close")) {
      put(actions, button(t("close.record_fill"), () => transfer("fill", t("close.record_fill"), place,
        done)),
        button(t("close.record_credit"), () => transfer("credit", t("close.record_credit"), place, done)),
        button(t("close.close_day"), () => count(known, place, done)));
    }
    put(body, ...figures(known));
  }
  async function done(title) {
    await show();
    frame.announce(t("common.done", { title }));
  }
  put(main, h("h1", {}, t("common.day_close")), h("div", { class: "filters" }, where.element), actions, body);
  await show();
}
