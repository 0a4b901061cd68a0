// Whether wheels and dice are fair: the audit of each table's rounds since its last move.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { count } from "../format.js";
import { chip, empty, failure, grid } from "../parts.js";
import * as words from "../words.js";

const KINDS = { quiet: "good", watch: "warn", alarm: "bad" };
const WORDS = { quiet: "Quiet", watch: "Watch", alarm: "Alarm" };

function found(audit, table) {
  if (!audit.machine) {
    return [h("p", { class: "empty" }, "This game has no wheel and no dice to audit.")];
  }
  const facts = [["Results audited", count(audit.n)],
    ["Results needed to detect more than a gross fault", count(audit.minimum)],
    ["Rounds without a result", count(audit.voids)],
    ["Results before the last move", count(audit.before)]];
  return [
    h("p", {}, audit.n ? chip(KINDS[audit.verdict], WORDS[audit.verdict])
      : chip("mute", "No result yet"), " ",
    audit.n < audit.minimum ? chip("mute", "Few results") : null),
    h("dl", { class: "facts" }, facts.map(([term, value]) => h("div", { class: "fact" },
      h("dt", {}, term), h("dd", {}, value)))),
    ...(audit.n ? [
      h("p", {}, h("b", {}, "Next step: "), audit.step),
      grid(`Tests of ${table.name}`, [["Test", (row) => row.test],
        ["p", (row) => row.p_text, "figure"],
        ["Level", (row) => row.level.toPrecision(2), "figure"],
        ["Finding", (row) => row.detail, "words"],
        ["Check", (row) => row.verdict === "quiet" ? "" : row.advice, "words"]],
      audit.tests, "No test has been made."),
      ...audit.not_tested.map((row) => h("p", { class: "terms" },
        `Not tested: ${row.test}: ${row.reason}`)),
      h("img", { class: "plot", src: `/v1/tables/${table.id}/audit.svg?n=${audit.n}`, width: 1000,
        height: 400, alt: `Frequency of each field, in the order of the machine. `
        + `${audit.most_often}` }),
      h("p", {}, `Most often: ${audit.most_often}`),
    ] : []),
  ];
}

export async function open({ main, own }) {
  const { tables } = await get("/tables");
  const panels = tables.map((table) => {
    const body = h("div", { class: "alarms" }, h("p", { class: "empty" }, "Counting results."));
    return { table, body, element: h("section", { class: "panel" },
      h("h2", {}, table.name), h("p", { class: "terms" }, words.terms(table)), body) };
  });
  put(main, h("h1", {}, "Fairness"), h("p", { class: "terms" }, "Each machine is tested on its "
    + "results since it was last moved, that is, since its device was last configured. A fair "
    + "machine that is audited daily gives at most one false alarm a year."),
  tables.length ? panels.map((one) => one.element) : empty("There is no table yet."));
  for (const { table, body } of panels) {
    try {
      const audit = await get(`/tables/${table.id}/audit`);
      if (!own.alive) return;
      put(body, ...found(audit, table).filter(Boolean));
    } catch (problem) {
      put(body, failure(problem));
    }
  }
}
