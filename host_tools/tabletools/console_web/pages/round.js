// One round: its outcome, its bets and settlement, its records, the replay of its trace.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { count } from "../format.js";
import { chip, grid, time, verdict } from "../parts.js";
import { may } from "../session.js";
import * as words from "../words.js";
import { settled, settledColumns } from "./bets.js";

const RECORDS = [
  ["Record", (row) => words.plain(row.type)],
  ["Received", (row) => time(row.received_at)],
  ["Boot", (row) => count(row.boot), "figure"],
  ["Counter", (row) => count(row.counter), "figure"],
  ["Authentication", (row) => words.plain(row.seal)],
  ["Counts", (row) => (row.counts ? "Yes" : "No")],
  ["Details", (row) => row.text, "words"],
  ["Frame as received", (row) => row.raw, "code"],
];

const PARAGRAPHS = [
  ["Paragraph", (row) => row.name],
  ["Rules", (row) => row.rules, "words"],
  ["Source", (row) => `${row.document}, line ${row.line}`],
];

/** A settlement: what it came to, and who decided it, when, why and by what evidence. */
function generation(round, currency) {
  const title = (row) => (row.generation > 1 ? `Number ${row.generation}, a correction` : "Number 1");
  return (row) => h("section", { class: "panel" },
    h("h3", {}, title(row), " ", row.generation === round.settled ? chip("good", "In force")
      : chip("calm", "Superseded")),
    settled({ ...row, bet_count: row.bets }, currency, false), ruled(row));
}

/** Who ruled, when, why, by what evidence. row: of a settlement. */
function ruled(row) {
  if (!row.first) return h("p", { class: "terms" }, "Settled by the record, ", time(row.at), ".");
  const facts = [["Ruled by", `${row.first} and ${row.second}`], ["Time", time(row.at)],
    ["Reason", row.reason], ["Evidence", row.evidence || "in the audit log"],
    ["Follows", row.follows ? h("a", { href: `#/round/${row.follows}` },
      "the correction of a round whose stakes played on in this one") : null]];
  return h("dl", { class: "receipt-lines" }, facts.filter(([, value]) => value).map(
    ([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))));
}

/** The outcome of the record, where two users replaced it. */
function supersededRecord(round) {
  if (!round.superseded) return null;
  const { users, at, reason, evidence: proof } = round.ruling;
  return h("p", { role: "note" }, h("b", {}, `The record of the table says ${words.outcomeLong(
    round.superseded)}: superseded.`), ` ${users[0]} and ${users[1]} ruled ${words.outcomeLong(
    round.outcome)} at `, time(at), `: ${reason}.`, proof ? ` Evidence: ${proof}.` : "");
}

/** The pictures of a round: drawn of the trace or by the tray's camera; by a second camera. */
function pictures(round, { has_picture: has, word }) {
  const { id } = round;
  const isThrow = round.records.some(({ type }) => type === "dice_result" || type === "throw_evidence");
  const first = has ? h("img", { class: "plot", src: `/v1/rounds/${id}/replay.svg`,
    ...(isThrow ? { width: 640, height: 480, alt: "What the camera of the tray saw last." }
      : { width: 1000, height: 920,
        alt: `Laps, circuits, rotor and sensors of the round over time. Replay ${word}.` }) }) : null;
  const second = round.second_reading?.has_second_picture ? h("img", { class: "plot",
    src: `/v1/rounds/${id}/second-picture.png`,
    alt: "What the second camera saw when the result came." }) : null;
  return first && second ? h("div", { class: "pictures" }, first, second) : first || second;
}

/** The replay of the trace, drawn by the host: the picture and its text. */
async function replay(round) {
  const found = await get(`/rounds/${round.id}/replay`);
  if (!found.has_trace) {
    return [h("p", { class: "empty" }, "The ledger has no trace of this round. Tables keep what "
      + "their sensors reported in the last ten rounds; the host fetches it after each."),
    pictures(round, found)];
  }
  const kind = { agrees: "good" }[found.word] || "bad";
  return [
    h("p", {}, chip(kind, `Replay ${found.word}`)),
    found.trouble ? h("p", {}, found.trouble) : null,
    h("ul", { class: "code" }, found.story.map((line) => h("li", {}, line))),
    pictures(round, found),
  ];
}

/** The evidence of a round: the replay of its trace, and its records as received. */
export function evidence(round) {
  const second = round.second_reading;
  const plot = h("div", {}, h("p", { class: "empty" }, "The replay is being made."));
  replay(round).then((shown) => put(plot, ...shown.filter(Boolean)),
    (problem) => put(plot, h("p", {}, `${problem.message} ${problem.step}`)));
  return [
    h("section", { class: "panel" }, h("h2", {}, "Evidence: the replay of the trace"),
      second ? h("p", {}, second.reason ? `The host does not confirm the dice: ${second.reason}.`
        : `The host read ${second.dice.join(" ")} in the picture.`) : null, plot),
    h("section", { class: "panel" }, h("h2", {}, "Records as received"),
      round.superseded ? h("p", { class: "terms" }, "Two users replaced their outcome: ",
        `${words.outcomeLong(round.superseded)} is superseded by `,
        `${words.outcomeLong(round.outcome)}.`) : null,
      grid("Records", RECORDS, round.records, "The ledger has no record of this round."))];
}

export async function open({ main, parts, own }) {
  const id = Number(parts[0]);
  const round = await get(`/rounds/${id}`);
  const table = round.table_id ? await get(`/tables/${round.table_id}`) : null;
  if (!own.alive) return;
  const currency = table?.currency || "EUR";
  put(main,
    h("div", { class: "title-row" },
      h("h1", {}, `Round ${count(round.number)}${table ? ` of ${table.name}` : ""}`),
      verdict(round),
      table && may("bets.see") ? h("a", { href: `#/rulings/${id}` }, "Ruling") : null),
    h("p", { class: "terms" }, words.outcomeLong(round.outcome), " · opened ",
      time(round.opened_at), " · no more bets ", time(round.closed_at), " · ended ",
      time(round.ended_at)),
    supersededRecord(round),
    h("section", { class: "panel" }, h("h2", {}, "Bets"), round.bets === null
      ? h("p", { class: "empty" }, "Your role may not see bets.")
      : grid("Bets of the round", settledColumns(currency), round.bets, "No bet was placed.")),
    round.paragraphs.length ? h("section", { class: "panel" }, h("h2", {}, "What decided"),
      grid("Paragraphs", PARAGRAPHS, round.paragraphs, "")) : null,
    round.settlements?.length ? h("section", { class: "panel" }, h("h2", {}, "Settlement"),
      round.settlements.toReversed().map(generation(round, currency))) : null,
    ...evidence(round));
}
