// Whether wheels, dice, cards and balls are fair: the audit of each table since its last move.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { count } from "../format.js";
import { t } from "../language.js";
import { chip, empty, english, failure, grid } from "../parts.js";
import * as words from "../words.js";

const KINDS = { quiet: "good", watch: "warn", alarm: "bad" };
const WORDS = { quiet: t("fairness.quiet"), watch: t("fairness.watch"), alarm: t("fairness.alarm") };

function panelOf(audit, table) {
  if (!audit.machine) {
    return [h("p", { class: "empty" }, t("fairness.no_machine_to_audit"))];
  }
  const facts = [[t("fairness.results_audited"), count(audit.n)],
    [t("fairness.results_needed_detect_more_than"), count(audit.minimum)],
    ...(audit.voids === null ? [] : [[t("fairness.rounds_without_result"), count(audit.voids)],
      [t("fairness.results_before_last_move"), count(audit.before)]])];
  return [
    h("p", {}, audit.n ? chip(KINDS[audit.verdict], WORDS[audit.verdict])
      : chip("mute", t("fairness.no_result_yet")), " ",
    audit.n < audit.minimum ? chip("mute", t("fairness.few_results")) : null),
    h("dl", { class: "facts" }, facts.map(([term, value]) => h("div", { class: "fact" },
      h("dt", {}, term), h("dd", {}, value)))),
    audit.most_records ? h("p", { class: "terms" },
      t("fairness.newest_records_are_tested", { records: count(audit.most_records) })) : null,
    ...(audit.n ? [
      h("p", {}, h("b", {}, `${t("common.next_step")} `), english(audit.step)),
      grid(t("fairness.tests", { table: table.name }), [[t("fairness.test"), (row) => english(row.test)],
        ["p", (row) => row.p_text, "figure"],
        [t("fairness.level"), (row) => row.level.toPrecision(2), "figure"],
        [t("fairness.finding"), (row) => english(row.detail), "words"],
        [t("fairness.check"), (row) => row.verdict === "quiet" ? "" : english(row.advice), "words"]],
      audit.tests, t("fairness.no_test_been_made")),
      ...audit.not_tested.map((row) => h("p", { class: "terms" },
        t("fairness.not_tested", { test: row.test, reason: row.reason }))),
      h("img", { class: "plot", src: `/v1/tables/${table.id}/audit.svg?n=${audit.n}`, width: 1000,
        height: 400, alt: t("fairness.frequency_each_field_order_machine", { field: audit.most_often }) }),
      h("p", {}, t("fairness.most_often", { field: audit.most_often })),
    ] : []),
  ];
}

export async function open({ main, own }) {
  const { tables } = await get("/tables");
  const panels = tables.map((table) => {
    const body = h("div", { class: "alarms" }, h("p", { class: "empty" }, t("fairness.counting_results")));
    return { table, body, element: h("section", { class: "panel" },
      h("h2", {}, table.name), h("p", { class: "terms" }, words.terms(table)), body) };
  });
  put(main, h("h1", {}, t("common.fairness")),
    h("p", { class: "terms" }, t("fairness.each_machine_tested_results_since")),
  tables.length ? panels.map((one) => one.element) : empty(t("fairness.there_no_table_yet")));
  for (const { table, body } of panels) {
    try {
      const audit = await get(`/tables/${table.id}/audit`);
      if (!own.alive) return;
      put(body, ...panelOf(audit, table).filter(Boolean));
    } catch (problem) {
      put(body, failure(problem));
    }
  }
}
