// Every open stake and why; what waits for two named users links to its round.

import { get, post, requestKey } from "../api.js";
import { h, put } from "../dom.js";
import { count, money } from "../format.js";
import { ask, field, grid, time } from "../parts.js";
import { may, user } from "../session.js";
import { lateGrid, secondUser } from "./late.js";
import * as ruling from "./ruling.js";
import { why } from "./stakes.js";

/** Refund the stakes in play at a table that no longer plays. */
function end(table, done) {
  const reason = field("Reason", { required: true, maxlength: 500, autocomplete: "off" });
  const second = secondUser();
  const key = { "Idempotency-Key": requestKey() };
  ask({ title: `Return the stakes in play at ${table.name}`, danger: true, agree: "Confirm",
    text: `For a table that is out of service. ${user().name} and a second user order it by name, one of `
      + "them a supervisor.",
    fields: [reason, ...second.fields],
    act: async () => {
      const found = await post(`/tables/${table.id}/stakes-end`,
        { second: second.read(), reason: reason.input.value }, key);
      await done(`${money(found.back_cents, table.currency)} of ${table.name} returned`);
    } });
}

function columns(tables, done) {
  const name = (row) => tables.get(row.table_id)?.name || `table ${row.table_id}`;
  const ends = (row) => (row.why === "plays_on" && may("rounds.rule") && tables.has(row.table_id)
    ? h("p", {}, h("button", { type: "button", "aria-label": `Return stakes: round ${row.round_id}`,
      onclick: () => end(tables.get(row.table_id), done) }, "Return stakes")) : null);
  return [
    ["Round", (row) => h("a", { href: `#/rulings/${row.round_id}` }, count(row.number))],
    ["Table", name],
    ["Why", (row) => [why(row), ends(row)], "words"],
    ["Bets", (row) => count(row.bets), "figure"],
    ["Staked", (row) => money(row.stake_cents, tables.get(row.table_id)?.currency), "figure"],
    ["Since", (row) => time(row.since_at)],
  ];
}

export async function open(context) {
  if (context.parts.length) return ruling.open(context);
  const { main, own, frame } = context;
  const waits = h("div", {});
  const plays = h("div", {});
  const late = h("section", { class: "panel", hidden: true });

  async function load() {
    const [{ tables }, { stakes }, waiting] = await Promise.all([get("/tables"), get("/stakes"),
      get("/late-bets/waiting")]);
    if (!own.alive) return;
    const shown = columns(new Map(tables.map((one) => [one.id, one])), done);
    const isWaiting = (row) => row.why === "waits" || row.why === "late";
    put(waits, grid("Stakes waiting for a ruling", shown, stakes.filter(isWaiting),
      "No stake is waiting. Every round is settled or being played."));
    put(plays, grid("Stakes in play", shown, stakes.filter((row) => !isWaiting(row)),
      "No stake is in play."));
    late.hidden = waiting.late_bets.length === 0;
    put(late, h("h2", {}, "Late bets"), lateGrid(waiting.late_bets, done));
  }

  async function done(text = "Ruling stored") {
    await load();
    frame.announce(text);
    main.querySelector("h1").focus();
  }

  put(main, h("h1", { tabindex: "-1" }, "Rulings"), h("p", { class: "terms" }, "When no table "
    + "decides a round, two named users do, one of them a supervisor. Open a round to see its evidence and "
    + "to rule on it."), late,
  h("section", { class: "panel" }, h("h2", {}, "Waiting"), waits),
  h("section", { class: "panel" }, h("h2", {}, "In play"), plays));
  await load();
  frame.listen((_number, _state, changed) => {
    if (changed && ("round" in changed || "link" in changed || "results" in changed
      || frame.isAlarmed(changed)) && !document.querySelector("dialog")) load();
  }, own);
  return undefined;
}
