// A receipt to print: a deposit, a payout or a bet, with the deciding article and the evidence.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { count, money, moment, utc, zone } from "../format.js";
import * as words from "../words.js";

function at(value) {
  if (!value) return "–";
  const own = zone(value);
  return own === "UTC" ? utc(value) : `${moment(value)} ${own} (${utc(value)})`;
}

/** Lines of [term, value]; those without a value are omitted. */
function lines(title, rows) {
  const found = rows.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return found.length ? h("section", {}, h("h2", {}, title), h("dl", { class: "receipt-lines" },
    found.map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))))) : null;
}

function cash(found) {
  const { adjustment, held, currency } = found;
  return [
    lines(words.plain(found.kind), [
      ["Number", String(found.id)], ["Time", at(found.at)],
      ["Amount", h("b", {}, money(Math.abs(found.amount_cents), currency))],
      ["Balance afterwards", money(found.balance_cents, currency)],
      ["Player", `${found.player}, ${found.player_number}`],
      ["Booked by", adjustment ? null : found.cashier],
    ]),
    adjustment ? lines("Adjustment", [
      ["Direction", found.amount_cents > 0 ? `from the bank of ${adjustment.table_name} to the player`
        : `from the player to the bank of ${adjustment.table_name}`],
      ["About", adjustment.round ? `round ${count(adjustment.round_number)}` : null],
      ["Decided by", adjustment.users.join(" and ")], ["Reason", adjustment.reason],
      ["Evidence", adjustment.evidence],
    ]) : null,
    held ? lines("Release", [
      ["Held payout", String(held.payout)], ["Requested", `${at(held.at)} by ${held.requested_by}`],
      ["Released by", held.second_user ? `${held.released_by} and ${held.second_user}`
        : held.released_by], ["Reason", held.reason],
    ]) : null,
  ];
}

function bet(found) {
  const { bet: own, currency, evidence, ruling } = found;
  return [
    lines(`Bet ${own.id}`, [
      ["Table", found.table_name], ["Round", count(found.round_number)],
      ["Game", found.game ? words.terms(found) : null],
      ["Player", `${own.player}, ${found.player_number}`], ["Placed", at(own.placed_at)],
      ["Slip", words.slip(own.slip)], ["Stake", money(own.stake_cents, currency)],
    ]),
    lines("Settlement", [
      ["Outcome", words.fate(own)], ["Result of the round", found.result
        ? words.outcomeLong(found.result) : null],
      ["Settled", found.settled_at ? `${at(found.settled_at)}, number ${found.settled}` : null],
      ["Won", own.win_cents === null ? null : h("b", {}, money(own.win_cents, currency))],
      ["Stake returned", own.back_cents === null ? null : money(own.back_cents, currency)],
      ["Lost", own.lost_cents === null ? null : money(own.lost_cents, currency)],
      ["In words", own.sentence],
    ]),
    ruling ? lines(found.superseded ? "Correction" : "Ruling", [
      ["Outcome of the record", found.superseded ? `${words.outcomeLong(found.superseded)}, superseded`
        : null],
      ["Ruled by", ruling.users.join(" and ")], ["Time", at(ruling.at)], ["Reason", ruling.reason],
      ["Evidence", ruling.evidence],
      ["Follows", ruling.follows ? "the correction of an earlier round, whose stakes played on in this one"
        : null],
    ]) : null,
    lines("What decided", found.paragraphs.map((each) => [each.name,
      `${each.rules} (${each.document}, line ${each.line})`])),
    evidence ? lines(found.superseded ? "Record of the table, superseded" : "Record of the table", [
      ["Outcome", found.superseded ? words.outcomeLong(found.superseded) : null],
      ["Record", `${words.plain(evidence.type)}, frame ${evidence.frame}`],
      ["Device", `${evidence.device}, boot ${evidence.boot}, counter ${evidence.counter}`],
      ["Authentication", words.plain(evidence.seal)], ["Received", at(evidence.received_at)],
    ]) : null,
  ];
}

const KINDS = { bet: ["bets", bet], cash: ["movements", cash] };

export async function open({ main, parts, own }) {
  const [place, body] = KINDS[parts[0]] || KINDS.cash;
  const found = await get(`/${place}/${Number(parts[1])}/receipt`);
  if (!own.alive) return;
  const { chain, checkpoint } = found;
  put(main, h("article", { class: "receipt panel" },
    h("h1", {}, "Receipt"), h("p", {}, h("b", {}, found.house)), ...body(found),
    lines("Proof", [
      ["Entry of the chain", chain ? count(chain.seq) : "not found near its time"],
      ["Digest", chain ? h("code", { class: "code" }, chain.digest) : null],
      ["Signed checkpoint", checkpoint ? `entry ${count(checkpoint.seq)}, ${at(checkpoint.at)}`
        : "not covered yet: print it again later"],
    ]),
    h("p", { class: "terms" }, `Printed ${at(found.printed_at)} by ${found.printed_by}`)),
  h("p", { class: "buttons" }, h("button", { type: "button", class: "primary",
    onclick: () => print() }, "Print")));
}
