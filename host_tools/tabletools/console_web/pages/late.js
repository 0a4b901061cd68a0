// Bets that came late, and the rulings of two named users on those that wait.

import { get, post, requestKey } from "../api.js";
import { h, put } from "../dom.js";
import { money, seconds } from "../format.js";
import { t } from "../language.js";
import { ask, chip, field, grid, time } from "../parts.js";
import { may, user } from "../session.js";
import * as words from "../words.js";

/** The fields of the second user, who decides together with the one logged in. who: the label.
 *  maySignOn: false where only a password proves it. */
export function secondUser(who = t("late.second_user"), maySignOn = true) {
  const name = field(t("late.name", { who }), { autocomplete: "off", required: true });
  const password = field(t("late.password", { who }), {
    type: "password", autocomplete: "off", required: true,
  });
  const read = () => ({ name: name.input.value.trim(), password: password.input.value });
  if (!maySignOn || !user().sign_on) return { fields: [name, password], read };
  const way = field(t("late.proves", { who }), { options: [["password", t("late.by_password")],
    ["sign-on", t("late.by_sign_on")]], onchange: choose });
  const isSignOn = () => way.input.value === "sign-on";
  function choose() {
    for (const one of [name, password]) {
      one.element.hidden = isSignOn();
      one.input.disabled = isSignOn();
    }
  }
  if (!user().has_password) way.input.value = "sign-on";
  choose();
  return { fields: [way, name, password], read: () => (isSignOn() ? { sign_on: true } : read()) };
}

function ruling(bet, isValid, done) {
  const reason = field(t("common.reason"), { rows: 3, maxlength: 500, required: true });
  const second = secondUser();
  const key = { "Idempotency-Key": requestKey() };
  ask({
    title: isValid ? t("late.bet_counts", { bet: bet.bet }) : t("late.bet_does_not_count", { bet: bet.bet }),
    text: t("late.second_user_who_may_rule", { user: user().name }),
    fields: [reason, ...second.fields], agree: isValid ? t("late.counts") : t("late.does_not_count"),
    act: () => post(`/bets/${bet.bet}/ruling`, {
      second: second.read(),
      valid: isValid, reason: reason.input.value,
    }, key).then(() => done()),
  });
}

function ruled(bet, done) {
  if (bet.ruled_valid !== null) {
    return bet.ruled_valid ? chip("good", t("late.counts_word"))
      : chip("warn", t("late.does_not_count_word"));
  }
  if (bet.bet === null) return chip("mute", t("common.refused"));
  if (bet.standing !== "referred") return chip("mute", words.plain(bet.standing));
  if (!may("bets.rule")) return chip("warn", t("late.waiting_ruling"));
  return h("span", { class: "buttons" },
    h("button", { type: "button", "aria-label": t("late.bet_counts", { bet: bet.bet }),
      onclick: () => ruling(bet, true, done) }, t("late.counts_word")),
    h("button", { type: "button", "aria-label": t("late.bet_does_not_count", { bet: bet.bet }),
      onclick: () => ruling(bet, false, done) }, t("late.does_not_count_word")));
}

/** Late bets as a table, with buttons for users who may rule. done: called after a ruling. */
export function lateGrid(rows, done) {
  return grid(t("common.late_bets"), [
    [t("common.round_word"), (row) => h("a", { href: `#/round/${row.round}` }, String(row.round))],
    [t("common.player"), (row) => row.player],
    [t("common.bet"), (row) => words.slip(row.slip)],
    [t("common.stake"), (row) => money(row.stake_cents, row.currency), "figure"],
    [t("late.ruling"), (row) => ruled(row, done)],
    [t("common.terminal"), (row) => row.terminal || "–"],
    [t("common.requested"), (row) => time(row.at)],
    [t("common.after_opening"), (row) => seconds(row.after_open_ms), "figure"],
    [t("late.after_launch"), (row) => seconds(row.after_launch_ms), "figure"],
    [t("late.after_no_more_bets"), (row) => seconds(row.after_closed_ms), "figure"],
    [t("late.after_result"), (row) => seconds(row.after_result_ms), "figure"],
    [t("late.timed"), (row) => row.clock === "device"
      ? t("late.table_ms", { uncertainty: row.uncertainty_ms }) : t("late.host")],
  ], rows, t("late.no_bet_late"));
}

export async function open(context) {
  const { main, own } = context;
  const found = await get("/late-bets");
  if (!own.alive) return;
  const rows = (found.late_bets || found.bets || []).toReversed();
  put(main, h("h1", {}, t("common.late_bets")),
    h("p", { class: "terms" }, t("late.bets_requested_after_no_more")),
  lateGrid(rows, () => open(context)));
}
