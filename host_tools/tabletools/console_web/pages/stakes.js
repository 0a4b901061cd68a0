// Why stakes are open, as text.

import { h } from "../dom.js";
import { chip } from "../parts.js";
import * as words from "../words.js";

const WHY = { waits: ["bad", "Waiting"], late: ["warn", "Late"], plays_on: ["calm", "Stays in play"],
  runs: ["good", "Running"] };
const BECAUSE = {
  no_host: "No host owns the table, so its result cannot be received.",
  silent: "The table is offline: its result arrives when it is back, or never.",
  left: "The table went on to another round without a result of this one.",
  pending: "Records of the table are missing: they may still arrive.",
  unexpected: "The table's records contradict each other or the terms of the table.",
  no_result: "The table's records do not decide it.",
};
const ELSE = { late: "Two users rule on whether the bet counts.",
  plays_on: "It stays in play for the next round of the table.", runs: "Its round is being played." };

/** Why stakes are open, as text. */
export function why(row) {
  const [kind, word] = WHY[row.why] || ["warn", words.plain(row.why)];
  const text = BECAUSE[row.because] || ELSE[row.why] || "";
  return h("div", { class: "why" }, chip(kind, word), h("p", {}, text),
    row.alarm && (row.why === "waits" || row.why === "plays_on")
      ? h("p", { class: "hint" }, `Alarm: ${words.alarmText(row.alarm)}`) : null);
}
