// The close of a gaming day: what has to be at the desk or at a table, fills, credits, the count.

import { get, post, requestKey } from "../api.js";
import { h, put } from "../dom.js";
import { cents, money } from "../format.js";
import { ask, fact, field, grid, time } from "../parts.js";
import { may } from "../session.js";
import * as words from "../words.js";
import { secondUser } from "./late.js";

/** The amount in a field, in cents. Throws what is shown in the dialogue. */
function amount(input) {
  const value = cents(input.value);
  if (value === null) throw Object.assign(new Error("That is no amount."), { step: "write it as 12.50" });
  return value;
}

function decide(title, fields, hint, send, done) {
  const reason = field("Reason", { maxlength: 500, required: true });
  const second = secondUser();
  const key = { "Idempotency-Key": requestKey() };
  ask({ title, text: hint, fields: [...fields, reason, ...second.fields], agree: title,
    act: async () => {
      await send({ reason: reason.input.value, second: second.read() }, key);
      await done(title);
    } });
}

function transfer(kind, title, place, done) {
  const sum = field("Amount", { inputmode: "decimal", required: true });
  decide(title, [sum], "Two users of the desk sign it.", (more, key) => post("/cash-transfers",
    { kind, ...place, cents: amount(sum.input), ...more }, key), done);
}

function count(known, place, done) {
  const day = field("Gaming day", { type: "date", value: known.day, max: known.day, required: true });
  const sum = field("Counted", { inputmode: "decimal", required: true });
  decide("Close the day", [day, sum], "Count before you look at what is expected. A difference "
    + "stays on record; the next day begins with what was counted.", (more, key) => post("/day-closes",
    { day: day.input.value, counted_cents: amount(sum.input), ...place, ...more }, key), done);
}

function figures(known) {
  const sums = [["Counted at the last close", known.opening_cents],
    ["Paid in less paid out, fills less credits since", known.expected_cents - known.opening_cents],
    ["Expected now", known.expected_cents]].map(([term, value]) => {
    const one = fact(term);
    one.value.textContent = money(value, known.currency);
    return one.element;
  });
  const unit = known.currency;
  const closes = [["Day", (row) => row.day], ["Expected", (row) => money(row.expected_cents, unit), "figure"],
    ["Counted", (row) => money(row.counted_cents, unit), "figure"],
    ["Difference", (row) => money(row.counted_cents - row.expected_cents, unit), "figure"],
    ["By", (row) => `${row.first_name}, ${row.second_name}`], ["Reason", (row) => row.reason, "words"]];
  const transfers = [["Time", (row) => time(row.at)], ["Kind", (row) => words.plain(row.kind)],
    ["Amount", (row) => money(row.amount_cents, unit), "figure"],
    ["By", (row) => `${row.first_name}, ${row.second_name}`], ["Reason", (row) => row.reason, "words"]];
  return [h("dl", { class: "facts" }, sums), h("h2", {}, "Closed days"),
    grid("Closed days", closes, known.closes, "No day has been closed here."),
    h("h2", {}, "Fills and credits"),
    grid("Fills and credits", transfers, known.transfers, "Nothing came from the vault yet.")];
}

export async function open({ main, query, frame, own }) {
  const { tables } = await get("/tables");
  const units = [...new Set(["EUR", ...tables.map((one) => one.currency)])];
  const options = [...units.map((unit) => [unit, `Cash desk, ${unit}`]),
    ...tables.map((one) => [`${one.currency} ${one.id}`, `Table ${one.name}`])];
  const where = field("Place", { options, onchange: () => {
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
      put(actions, button("Record a fill", () => transfer("fill", "Record a fill", place, done)),
        button("Record a credit", () => transfer("credit", "Record a credit", place, done)),
        button("Close the day", () => count(known, place, done)));
    }
    put(body, ...figures(known));
  }
  async function done(title) {
    await show();
    frame.announce(`Done: ${title}`);
  }
  put(main, h("h1", {}, "Day close"), h("div", { class: "filters" }, where.element), actions, body);
  await show();
}
