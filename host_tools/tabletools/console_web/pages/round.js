// One round: its outcome, its bets and settlement, its records, the replay of its trace.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { both, count } from "../format.js";
import { t } from "../language.js";
import { chip, english, grid, time, verdict } from "../parts.js";
import { may } from "../session.js";
import { throws } from "../thrower.js";
import * as words from "../words.js";
import { settled, settledColumns } from "./bets.js";

const RECORDS = [
  [t("common.record"), (row) => english(words.plain(row.type))],
  [t("common.received"), (row) => time(row.received_at)],
  [t("common.boot"), (row) => count(row.boot), "figure"],
  [t("round.counter"), (row) => count(row.counter), "figure"],
  [t("common.authentication"), (row) => words.plain(row.seal)],
  [t("round.counts"), (row) => (row.counts ? t("common.yes") : t("common.no"))],
  [t("common.details"), (row) => english(row.text), "words"],
  [t("round.frame_as_received"), (row) => row.raw, "code"],
];

const PARAGRAPHS = [
  [t("round.paragraph"), (row) => row.name],
  [t("round.rules"), (row) => row.rules, "words"],
  [t("round.source"), (row) => t("round.line", { document: row.document, line: row.line })],
];

/** A settlement: what it came to, and who decided it, when, why and by what evidence. */
function generation(round, currency) {
  const title = (row) => (row.generation > 1 ? t("round.number_correction", { generation: row.generation })
    : t("round.number_1"));
  return (row) => h("section", { class: "panel" },
    h("h3", {}, title(row), " ", row.generation === round.settled ? chip("good", t("round.force"))
      : chip("calm", t("round.superseded"))),
    settled({ ...row, bet_count: row.bets }, currency, false), ruled(row));
}

/** Who ruled, when, why, by what evidence. row: of a settlement. */
function ruled(row) {
  if (!row.first) return h("p", { class: "terms" }, `${t("round.settled_record")} `, time(row.at), ".");
  const facts = [[t("common.ruled"), both([row.first, row.second])], [t("common.time"), time(row.at)],
    [t("common.reason"), row.reason], [t("common.evidence"), row.evidence || t("round.audit_log")],
    [t("round.follows"), row.follows ? h("a", { href: `#/round/${row.follows}` },
      t("round.correction_round_whose_stakes_played")) : null]];
  return h("dl", { class: "receipt-lines" }, facts.filter(([, value]) => value).map(
    ([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))));
}

/** The outcome of the record, where two users replaced it. */
function supersededRecord(round) {
  if (!round.superseded) return null;
  const { users, at, reason, evidence: proof } = round.ruling;
  return h("p", { role: "note" },
    h("b", {}, t("round.record_table_says_superseded", { superseded: words.outcomeLong( round.superseded) })),
    ` ${t("round.ruled", { users: both(users), outcome: words.outcomeLong(round.outcome) })} `, time(at),
    `: ${reason}.`, proof ? ` ${t("round.evidence", { proof })}` : "");
}

/** The pictures of a round: drawn of the trace or by the tray's camera; by a second camera. */
function pictures(round, { has_picture: has, word }) {
  const { id } = round;
  const isThrow = round.records.some(({ type }) => type === "dice_result" || type === "throw_evidence");
  const first = has ? h("img", { class: "plot", src: `/v1/rounds/${id}/replay.svg`,
    ...(isThrow ? { width: 640, height: 480, alt: t("round.what_camera_tray_saw_last") }
      : { width: 1000, height: 920,
        alt: t("round.laps_circuits_rotor_sensors_round", { word: words.inside(word) }) }) }) : null;
  const second = round.second_reading?.has_second_picture ? h("img", { class: "plot",
    src: `/v1/rounds/${id}/second-picture.png`,
    alt: t("round.what_second_camera_saw_when") }) : null;
  return first && second ? h("div", { class: "pictures" }, first, second) : first || second;
}

/** The replay of the trace, drawn by the host: the picture and its text. */
async function replay(round) {
  const found = await get(`/rounds/${round.id}/replay`);
  if (!found.has_trace) {
    return [h("p", { class: "empty" }, t("round.ledger_no_trace_round_tables")),
    pictures(round, found)];
  }
  const kind = { agrees: "good" }[found.word] || "bad";
  return [
    h("p", {}, chip(kind, t("round.replay", { word: words.inside(found.word) }))),
    found.trouble ? h("p", {}, english(found.trouble)) : null,
    h("ul", { class: "code" }, found.story.map((line) => h("li", {}, english(line)))),
    pictures(round, found),
  ];
}

/** The evidence of a round: the replay of its trace, and its records as received. */
export function evidence(round) {
  const second = round.second_reading;
  const plot = h("div", {}, h("p", { class: "empty" }, t("round.replay_being_made")));
  replay(round).then((shown) => put(plot, ...shown.filter(Boolean)),
    (problem) => put(plot, h("p", {}, `${problem.message} ${problem.step}`)));
  return [
    h("section", { class: "panel" }, h("h2", {}, t("round.evidence_replay_trace")),
      second ? h("p", {}, second.reason ? t("round.host_does_not_confirm_dice", { reason: second.reason })
        : t("round.host_read_picture", { dice: second.dice.join(" ") })) : null, plot),
    h("section", { class: "panel" }, h("h2", {}, t("round.records_as_received")),
      round.superseded ? h("p", { class: "terms" }, t("round.two_users_replaced_their_outcome",
        { superseded: words.outcomeLong(round.superseded), outcome: words.outcomeLong(round.outcome) }))
        : null,
      grid(t("round.records"), RECORDS, round.records, t("round.ledger_no_record_round")))];
}

export async function open({ main, parts, own }) {
  const id = Number(parts[0]);
  const round = await get(`/rounds/${id}`);
  const table = round.table_id ? await get(`/tables/${round.table_id}`) : null;
  if (!own.alive) return;
  const currency = table?.currency || "EUR";
  put(main,
    h("div", { class: "title-row" },
      h("h1", {}, table ? t("round.round", { number: count(round.number), table: table.name })
        : t("common.round", { number: count(round.number) })),
      verdict(round),
      table && may("bets.see") ? h("a", { href: `#/rulings/${id}` }, t("round.ruling")) : null),
    h("p", { class: "terms" }, words.outcomeLong(round.outcome), ` · ${t("common.opened")} `,
      time(round.opened_at), ` · ${t("common.no_more_bets")} `, time(round.closed_at),
        ` · ${t("common.ended")} `,
      time(round.ended_at), round.thrower ? ` · ${throws(round.thrower)}` : null),
    supersededRecord(round),
    h("section", { class: "panel" }, h("h2", {}, t("common.bets")), round.bets === null
      ? h("p", { class: "empty" }, t("common.your_role_may_not_see"))
      : grid(t("common.bets_round"), settledColumns(currency), round.bets, t("common.no_bet_placed"))),
    round.paragraphs.length ? h("section", { class: "panel" }, h("h2", {}, t("common.what_decided")),
      grid(t("round.paragraphs"), PARAGRAPHS, round.paragraphs, "")) : null,
    round.settlements?.length ? h("section", { class: "panel" }, h("h2", {}, t("common.settlement")),
      round.settlements.toReversed().map(generation(round, currency))) : null,
    ...evidence(round));
}
