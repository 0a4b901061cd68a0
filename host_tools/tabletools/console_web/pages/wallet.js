// The external wallet of the players: whether it works, what waits for it, a day compared with it.

import { get, post } from "../api.js";
import { h, put } from "../dom.js";
import { date, money } from "../format.js";
import { t } from "../language.js";
import { ask, chip, english, facts, failure, field, grid, time } from "../parts.js";
import { may } from "../session.js";
import * as words from "../words.js";
import { secondUser } from "./late.js";

const STATES = { requested: t("wallet.requested"), queued: t("wallet.queued"),
  reversing: t("wallet.reversing"), held: t("wallet.held") };
const DIFFERENCES = { missing: t("wallet.is_missing"), extra: t("wallet.is_extra"),
  amount: t("wallet.is_amount"), other: t("wallet.is_other"), twice: t("wallet.is_twice"),
  not_reversed: t("wallet.is_not_reversed"), only_reversed: t("wallet.is_only_reversed") };
/** What a user decides of a movement that the wallet refused. text, done: of its number. */
const ACTS = {
  retry: { word: t("wallet.retry"), means: t("wallet.retry_means"),
    text: (id) => t("wallet.retry_movement", { id }), done: (id) => t("wallet.retry_done", { id }) },
  close: { word: t("wallet.close"), means: t("wallet.close_means"), needsSecond: true,
    text: (id) => t("wallet.close_movement", { id }), done: (id) => t("wallet.close_done", { id }) },
};

const subject = (row) => t("wallet.subject", { kind: words.plain(row.kind),
  amount: money(row.cents, row.currency), player: row.player_number });

/** Request it again, or note with a second user that it was moved at the wallet by hand. */
function decide(row, name, done) {
  const act = ACTS[name];
  const reason = field(t("common.reason"), { required: true, maxlength: 500, autocomplete: "off" });
  const second = act.needsSecond ? secondUser() : null;
  ask({
    title: act.text(row.id), text: `${subject(row)}. ${act.means}`, danger: act.needsSecond,
    fields: [reason, ...(second ? second.fields : [])], agree: act.word,
    act: async () => {
      const more = second ? { second: second.read() } : {};
      await post(`/wallet/transfers/${row.id}/${name}`, { reason: reason.input.value, ...more });
      await done(act.done(row.id));
    },
  });
}

function state(row, done) {
  if (row.state !== "held") return chip("mute", STATES[row.state]);
  const names = Object.keys(ACTS).filter((name) => may(`wallet.${name}`));
  return [chip("bad", STATES.held), ...names.flatMap((name) => [" ", h("button", {
    type: "button", "aria-label": ACTS[name].text(row.id),
    onclick: () => decide(row, name, done) }, ACTS[name].word)])];
}

/** Movements as a table. done: called after a decision; without it none can be taken. */
function movements(caption, rows, none, done = null) {
  return grid(caption, [
    [t("wallet.movement"), (row) => String(row.id)],
    [t("wallet.kind"), (row) => words.plain(row.kind)],
    [t("common.player"), (row) => h("a", { href: `#/account/${row.account}` }, row.player_number)],
    [t("common.amount"), (row) => money(row.cents, row.currency), "figure"],
    [t("common.day"), (row) => date(row.day)],
    [t("wallet.since"), (row) => time(row.at)],
    [t("wallet.state"), (row) => (done ? state(row, done)
      : STATES[row.state] || words.plain(row.state)), "words"],
    [t("wallet.answer"), (row) => english(row.error) || "–", "words"],
  ], rows, none);
}

/** Some of many: how many of them the list has. */
const part = (rows, count) => (rows.length < count
  ? h("p", {}, t("wallet.first_of", { rows: rows.length, count })) : null);

function compared(comparison) {
  const { counts } = comparison;
  const final = counts.open === 0 ? chip("good", t("wallet.agrees"))
    : chip("warn", t("wallet.not_final"));
  const verdict = counts.differences === 0 ? final : chip("bad", t("wallet.differs"));
  const sums = comparison.sums.flatMap((sum) => [
    [t("wallet.debited", { unit: sum.currency }), money(sum.debited_cents, sum.currency)],
    [t("wallet.credited", { unit: sum.currency }), money(sum.credited_cents, sum.currency)]]);
  return [h("h3", {}, date(comparison.day), " ", verdict), facts([
    [t("wallet.agreed"), String(comparison.agreed)], [t("wallet.differ"), String(counts.differences)],
    [t("wallet.open"), String(counts.open)], [t("wallet.by_hand"), String(counts.by_hand)],
    ...sums]),
  h("h4", {}, t("wallet.differences")), grid(t("wallet.differences"), [
    [t("wallet.difference"), (row) => DIFFERENCES[row.kind]],
    [t("wallet.player_number"), (row) => row.account],
    [t("common.amount"), (row) => money(row.cents, row.currency), "figure"],
    [t("wallet.key"), (row) => h("code", {}, row.key), "words"],
    [t("wallet.detail"), (row) => english(row.text), "words"],
  ], comparison.differences, t("wallet.no_difference")), part(comparison.differences, counts.differences),
  ...[["open", t("wallet.open")], ["by_hand", t("wallet.by_hand")]].flatMap(([name, title]) => (
    comparison[name].length === 0 ? [] : [h("h4", {}, title), movements(title, comparison[name], ""),
      part(comparison[name], counts[name])]))];
}

/** The comparison of a day, made on request: the wallet sends its statement. */
function day(newest, own) {
  const wanted = field(t("close.gaming_day"), { type: "date", value: newest, required: true });
  const result = h("div", { "aria-live": "polite" });
  const button = h("button", { type: "submit" }, t("wallet.compare"));
  async function compare() {
    button.disabled = true;
    put(result, h("p", {}, t("wallet.comparing")));
    try {
      const comparison = await get(`/wallet/days/${wanted.input.value}`);
      if (own.alive) put(result, ...compared(comparison));
    } catch (problem) {
      put(result, failure(problem));
    }
    button.disabled = false;
  }
  return [h("form", { class: "filters", onsubmit: (event) => {
    event.preventDefault();
    compare();
  } }, wanted.element, button), result];
}

export async function open(context) {
  const { main, own, frame } = context;
  async function done(text) {
    await open(context);
    frame.announce(text);
  }
  const wallet = await get("/wallet");
  if (!own.alive) return;
  const title = h("h1", {}, t("common.wallet"));
  if (!wallet.is_external) {
    put(main, title, h("p", { class: "terms" }, t("wallet.is_the_ledger")));
    return;
  }
  const names = Object.keys(STATES);
  const count = names.reduce((sum, name) => sum + wallet.open[name], 0);
  put(main, title, h("p", { class: "terms" }, t("wallet.money_is_there")),
    h("p", {}, wallet.trouble ? chip("bad", t("wallet.down")) : chip("good", t("wallet.up")), " ",
      wallet.trouble ? english(wallet.trouble) : ""),
    facts(names.map((name) => [STATES[name], String(wallet.open[name])])),
    h("section", { class: "panel" }, h("h2", {}, t("wallet.waiting")),
      movements(t("wallet.waiting"), wallet.waiting, t("wallet.nothing_waits"), done),
      part(wallet.waiting, count)),
    h("section", { class: "panel" }, h("h2", {}, t("wallet.day")), ...day(wallet.day, own)));
}
