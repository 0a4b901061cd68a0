// A receipt to print: a deposit, a payout or a bet, with the deciding article and the evidence.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { both, count, money, moment, utc, zone } from "../format.js";
import { t } from "../language.js";
import { english } from "../parts.js";
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
      [t("receipt.number"), String(found.id)], [t("common.time"), at(found.at)],
      [t("common.amount"), h("b", {}, money(Math.abs(found.amount_cents), currency))],
      [t("receipt.balance_afterwards"), money(found.balance_cents, currency)],
      [t("common.player"), `${found.player}, ${found.player_number}`],
      [t("receipt.booked"), adjustment ? null : found.cashier],
    ]),
    adjustment ? lines(t("receipt.adjustment"), [
      [t("common.direction"), found.amount_cents > 0
        ? t("receipt.from_bank_player", { table: adjustment.table_name })
        : t("receipt.from_player_bank", { table: adjustment.table_name })],
      [t("receipt.about"), adjustment.round ? t("receipt.round", { round: count(adjustment.round_number) })
        : null],
      [t("receipt.decided"), both(adjustment.users)], [t("common.reason"), adjustment.reason],
      [t("common.evidence"), adjustment.evidence],
    ]) : null,
    held ? lines(t("receipt.release"), [
      [t("receipt.held_payout"), String(held.payout)],
        [t("common.requested"), t("receipt.by", { at: at(held.at), user: held.requested_by })],
      [t("receipt.released"), both([held.released_by, held.second_user].filter(Boolean))],
        [t("common.reason"), held.reason],
    ]) : null,
  ];
}

function bet(found) {
  const { bet: own, currency, evidence, ruling } = found;
  return [
    lines(t("receipt.bet", { id: own.id }), [
      [t("common.table"), found.table_name], [t("common.round_word"), count(found.round_number)],
      [t("common.game"), found.game ? words.terms(found) : null],
      [t("common.player"), `${own.player}, ${found.player_number}`], [t("receipt.placed"), at(own.placed_at)],
      [t("common.slip"), words.slip(own.slip)], [t("common.stake"), money(own.stake_cents, currency)],
    ]),
    lines(t("common.settlement"), [
      [t("common.outcome"), words.fate(own)], [t("receipt.result_round"), found.result
        ? words.outcomeLong(found.result) : null],
      [t("common.settled"), found.settled_at
        ? t("receipt.number_time_settled", { time: at(found.settled_at), settled: found.settled }) : null],
      [t("common.won"), own.win_cents === null ? null : h("b", {}, money(own.win_cents, currency))],
      [t("common.stake_returned"), own.back_cents === null ? null : money(own.back_cents, currency)],
      [t("common.lost"), own.lost_cents === null ? null : money(own.lost_cents, currency)],
      [t("common.words"), english(own.sentence)],
    ]),
    ruling ? lines(found.superseded ? t("receipt.correction") : t("receipt.ruling"), [
      [t("receipt.outcome_record"), found.superseded
        ? t("receipt.superseded", { superseded: words.outcomeLong(found.superseded) })
        : null],
      [t("common.ruled"), both(ruling.users)], [t("common.time"), at(ruling.at)],
        [t("common.reason"), ruling.reason],
      [t("common.evidence"), ruling.evidence],
      [t("receipt.follows"), ruling.follows ? t("receipt.correction_earlier_round_whose_stakes")
        : null],
    ]) : null,
    lines(t("common.what_decided"), found.paragraphs.map((each) => [each.name,
      t("receipt.line", { rules: each.rules, document: each.document, line: each.line })])),
    evidence ? lines(found.superseded ? t("receipt.record_table_superseded") : t("receipt.record_table"), [
      [t("common.outcome"), found.superseded ? words.outcomeLong(found.superseded) : null],
      [t("common.record"), t("receipt.frame", { type: words.plain(evidence.type), frame: evidence.frame })],
      [t("receipt.device"), t("receipt.boot_counter", { device: evidence.device, boot: evidence.boot,
        counter: evidence.counter })],
      [t("common.authentication"), words.plain(evidence.seal)],
        [t("common.received"), at(evidence.received_at)],
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
    h("h1", {}, t("common.receipt")), h("p", {}, h("b", {}, found.house)), ...body(found),
    lines(t("receipt.proof"), [
      [t("receipt.entry_chain"), chain ? count(chain.seq) : t("receipt.not_found_near_time")],
      [t("receipt.digest"), chain ? h("code", { class: "code" }, chain.digest) : null],
      [t("receipt.signed_checkpoint"), checkpoint
        ? t("receipt.entry", { seq: count(checkpoint.seq), at: at(checkpoint.at) })
        : t("receipt.not_covered_yet_print_again")],
    ]),
    h("p", { class: "terms" }, t("receipt.printed", { time: at(found.printed_at), user: found.printed_by }))),
  h("p", { class: "buttons" }, h("button", { type: "button", class: "primary",
    onclick: () => print() }, t("receipt.print"))));
}
