// Why stakes are open, as text.

import { h } from "../dom.js";
import { t } from "../language.js";
import { chip } from "../parts.js";
import * as words from "../words.js";

const WHY = { waits: ["bad", t("stakes.waiting")], late: ["warn", t("stakes.late")],
  plays_on: ["calm", t("common.stays_play")],
  runs: ["good", t("stakes.running")] };
const BECAUSE = {
  no_host: t("stakes.no_host_owns_table_so"),
  silent: t("stakes.table_offline_result_arrives_when"),
  left: t("stakes.table_went_another_round_without"),
  pending: t("stakes.records_table_missing_they_may"),
  unexpected: t("stakes.table_records_contradict_each_other"),
  no_result: t("stakes.table_records_do_not_decide"),
};
const ELSE = { late: t("stakes.two_users_rule_whether_bet"),
  plays_on: t("stakes.stays_play_next_round_table"), runs: t("stakes.round_being_played") };

/** Why stakes are open, as text. */
export function why(row) {
  const [kind, word] = WHY[row.why] || ["warn", words.plain(row.why)];
  const text = BECAUSE[row.because] || ELSE[row.why] || "";
  return h("div", { class: "why" }, chip(kind, word), h("p", {}, text),
    row.alarm && (row.why === "waits" || row.why === "plays_on")
      ? h("p", { class: "hint" }, t("stakes.alarm", { alarm: words.alarmText(row.alarm) })) : null);
}
