// Every open stake and why; what waits for two named users links to its round.

import { get, post, requestKey } from "../api.js";
import { h, put } from "../dom.js";
import { count, money } from "../format.js";
import { t } from "../language.js";
import { ask, field, grid, time } from "../parts.js";
import { may, user } from "../session.js";
import { lateGrid, secondUser } from "./late.js";
import * as ruling from "./ruling.js";
import { why } from "./stakes.js";

/** Refund the stakes in play at a table that no longer plays. */
function end(table, done) {
  const reason = field(t("common.reason"), { required: true, maxlength: 500, autocomplete: "off" });
  const second = secondUser();
  const key = { "Idempotency-Key": requestKey() };
  ask({ title: t("rulings.return_stakes_play", { table: table.name }), danger: true,
    agree: t("common.confirm"),
    text: t("rulings.table_out_service_second_user", { user: user().name }),
    fields: [reason, ...second.fields],
    act: async () => {
      const found = await post(`/tables/${table.id}/stakes-end`,
        { second: second.read(), reason: reason.input.value }, key);
      await done(t("rulings.returned", { back: money(found.back_cents, table.currency), table: table.name }));
    } });
}

function columns(tables, done) {
  const name = (row) => tables.get(row.table_id)?.name || t("rulings.table", { table: row.table_id });
  const ends = (row) => (row.why === "plays_on" && may("rounds.rule") && tables.has(row.table_id)
    ? h("p", {}, h("button", { type: "button", "aria-label": t("rulings.return_stakes_round",
      { round: row.round_id }),
      onclick: () => end(tables.get(row.table_id), done) }, t("rulings.return_stakes"))) : null);
  return [
    [t("common.round_word"), (row) => h("a", { href: `#/rulings/${row.round_id}` }, count(row.number))],
    [t("common.table"), name],
    [t("common.why"), (row) => [why(row), ends(row)], "words"],
    [t("common.bets"), (row) => count(row.bets), "figure"],
    [t("common.staked"), (row) => money(row.stake_cents, tables.get(row.table_id)?.currency), "figure"],
    [t("common.since"), (row) => time(row.since_at)],
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
    put(waits, grid(t("rulings.stakes_waiting_ruling"), shown, stakes.filter(isWaiting),
      t("rulings.no_stake_waiting_every_round")));
    put(plays, grid(t("common.stakes_play"), shown, stakes.filter((row) => !isWaiting(row)),
      t("rulings.no_stake_play")));
    late.hidden = waiting.late_bets.length === 0;
    put(late, h("h2", {}, t("common.late_bets")), lateGrid(waiting.late_bets, done));
  }

  async function done(text = t("rulings.ruling_stored")) {
    await load();
    frame.announce(text);
    main.querySelector("h1").focus();
  }

  put(main, h("h1", { tabindex: "-1" }, t("common.rulings")),
    h("p", { class: "terms" }, t("rulings.when_no_table_decides_round")), late,
  h("section", { class: "panel" }, h("h2", {}, t("rulings.waiting")), waits),
  h("section", { class: "panel" }, h("h2", {}, t("common.play")), plays));
  await load();
  frame.listen((_number, _state, changed) => {
    if (changed && ("round" in changed || "link" in changed || "results" in changed
      || frame.isAlarmed(changed)) && !document.querySelector("dialog")) load();
  }, own);
  return undefined;
}
