// Bets that came late, and the rulings of two named users on those that wait.

import { get, post, requestKey } from "../api.js";
import { h, put } from "../dom.js";
import { money, seconds } from "../format.js";
import { ask, chip, field, grid, time } from "../parts.js";
import { may, user } from "../session.js";
import * as words from "../words.js";

/** The fields of the second user, who decides together with the one logged in. who: the label. */
export function secondUser(who = "Second user") {
  const name = field(`${who}: name`, { autocomplete: "off", required: true });
  const password = field(`${who}: password`, {
    type: "password", autocomplete: "off", required: true,
  });
  return { fields: [name, password],
    read: () => ({ name: name.input.value.trim(), password: password.input.value }) };
}

function ruling(bet, isValid, done) {
  const reason = field("Reason", { rows: 3, maxlength: 500, required: true });
  const second = secondUser();
  const key = { "Idempotency-Key": requestKey() };
  ask({
    title: isValid ? `Bet ${bet.bet} counts` : `Bet ${bet.bet} does not count`,
    text: `${user().name} and a second user who may rule sign this decision.`,
    fields: [reason, ...second.fields], agree: isValid ? "It counts" : "It does not count",
    act: () => post(`/bets/${bet.bet}/ruling`, {
      second: second.read(),
      valid: isValid, reason: reason.input.value,
    }, key).then(() => done()),
  });
}

function ruled(bet, done) {
  if (bet.ruled_valid !== null) {
    return bet.ruled_valid ? chip("good", "Counts") : chip("warn", "Does not count");
  }
  if (bet.bet === null) return chip("mute", "Refused");
  if (bet.standing !== "referred") return chip("mute", words.plain(bet.standing));
  if (!may("bets.rule")) return chip("warn", "Waiting for a ruling");
  return h("span", { class: "buttons" },
    h("button", { type: "button", "aria-label": `Bet ${bet.bet} counts`,
      onclick: () => ruling(bet, true, done) }, "Counts"),
    h("button", { type: "button", "aria-label": `Bet ${bet.bet} does not count`,
      onclick: () => ruling(bet, false, done) }, "Does not count"));
}

/** Late bets as a table, with buttons for users who may rule. done: called after a ruling. */
export function lateGrid(rows, done) {
  return grid("Late bets", [
    ["Round", (row) => h("a", { href: `#/round/${row.round}` }, String(row.round))],
    ["Player", (row) => row.player],
    ["Bet", (row) => words.slip(row.slip)],
    ["Stake", (row) => money(row.stake_cents, row.currency), "figure"],
    ["Ruling", (row) => ruled(row, done)],
    ["Terminal", (row) => row.terminal || "–"],
    ["Requested", (row) => time(row.at)],
    ["After opening", (row) => seconds(row.after_open_ms), "figure"],
    ["After the launch", (row) => seconds(row.after_launch_ms), "figure"],
    ["After no more bets", (row) => seconds(row.after_closed_ms), "figure"],
    ["After the result", (row) => seconds(row.after_result_ms), "figure"],
    ["Timed by", (row) => row.clock === "device"
      ? `the table, ± ${row.uncertainty_ms} ms` : "the host"],
  ], rows, "No bet was late.");
}

export async function open(context) {
  const { main, own } = context;
  const found = await get("/late-bets");
  if (!own.alive) return;
  const rows = (found.late_bets || found.bets || []).toReversed();
  put(main, h("h1", {}, "Late bets"), h("p", { class: "terms" }, "Bets requested after no more "
    + "bets. The 2011 rules refuse them; under the 2023 rules two named users decide."),
  lateGrid(rows, () => open(context)));
}
