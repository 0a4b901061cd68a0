// One round on which two named users rule: why it waits, its evidence, its outcome, who is paid what.

import { get, post, requestKey } from "../api.js";
import { h, put } from "../dom.js";
import { count, money } from "../format.js";
import { t } from "../language.js";
import { recordOf, resultOf } from "../outcomes.js";
import { ask, chip, empty, english, failure, field, grid, time } from "../parts.js";
import { may, user } from "../session.js";
import * as words from "../words.js";
import { settled, settledColumns } from "./bets.js";
import { lateGrid, secondUser } from "./late.js";
import { evidence } from "./round.js";
import { why } from "./stakes.js";

function previewColumns(names, currency) {
  const cell = (name) => (line) => money(line[`${name}_cents`], currency);
  return [
    [t("common.player"), (line) => names.get(line.account) || t("ruling.account", { account: line.account })],
    [t("common.bet"), (line) => words.slip(line.slip)],
    [t("common.stake"), cell("stake"), "figure"],
    [t("common.outcome"), (line) => words.plain(line.outcome)],
    [t("ruling.receives"), (line) => h("b", {}, money(line.win_cents + line.back_cents, currency)), "figure"],
    [t("common.won"), cell("win"), "figure"],
    [t("common.stake_returned"), cell("back"), "figure"],
    [t("common.stays_play"), cell("live"), "figure"],
    [t("common.lost"), cell("lost"), "figure"],
    [t("ruling.article"), (line) => line.rule || "–"],
  ];
}

function balanceColumns(currency) {
  return [
    [t("common.player"), (one) => one.name],
    [t("common.account"), (one) => one.account],
    [t("common.balance_now"), (one) => money(one.before_cents, currency), "figure"],
    [t("ruling.new_balance"), (one) => h("b", {}, money(one.after_cents, currency),
      one.after_cents < 0 ? [" ", chip("bad", t("ruling.below_zero"))] : null), "figure"],
  ];
}

/** The rounds in which the stakes of the round play on, as they would be settled again. */
function later(seen, names, currency) {
  if (!seen.later.length) return null;
  const rounds = seen.later.map((one) => h("section", {},
    h("h4", {}, t("ruling.round_settlement",
    { number: count(one.number), outcome: words.outcomeLong(one.outcome), generation: one.generation })),
  grid(t("ruling.who_gets_what_round", { number: one.number }), previewColumns(names, currency), one.lines,
    t("ruling.no_bet_left_round"))));
  return h("section", { "aria-label": t("ruling.rounds_settled_again") },
    h("h3", {}, t("ruling.rounds_which_stakes_play")),
    h("p", { class: "terms" }, t("ruling.each_keeps_own_outcome_settled")), rounds);
}

/** The totals of a ruling, as of a settled round. */
function sums(seen, outcome) {
  const names = ["stake", "win", "back", "live", "lost"].map((name) => `${name}_cents`);
  const found = names.map((name) => [name, seen.lines.reduce((sum, one) => sum + one[name], 0)]);
  return { outcome, bet_count: seen.lines.length, ...Object.fromEntries(found) };
}

/** Ask the second user, who confirms or declines with a password. */
function askSecond(round, said, seen, done) {
  const second = secondUser();
  const body = () => ({ outcome: said.outcome, reason: said.reason, second: second.read() });
  const place = `/rounds/${round.id}/ruling`;
  const key = { "Idempotency-Key": requestKey() };
  ask({
    title: t("common.round_number_one",
      { number: count(round.number), one: words.outcomeLong(said.outcome) }),
    text: t("ruling.requests_ruling_one_two_supervisor", { user: user().name, reason: said.reason }),
    fields: second.fields, agree: t("common.confirm"), danger: true,
    act: async () => {
      const { generation } = await post(place, { ...body(), evidence: said.evidence,
        preview: seen.preview, settled: seen.settled }, key);
      done(t("ruling.round_ruled_settlement", { number: count(round.number), generation }));
    },
    refuse: { label: t("common.decline"), act: async () => {
      await post(`${place}/decline`, body());
      done(t("ruling.declined_nothing_settled", { second: second.read().name }), false);
    } },
  });
}

const KINDS = [["void", t("ruling.void_as_if_table_voided")],
  ["stakes_back", t("ruling.stakes_returned_every_stake_goes")]];

function form(context, round, currency) {
  const { own, frame } = context;
  const result = resultOf(round, currency);
  const kinds = [...(result ? [["result", t("ruling.result_seen")]] : []), ...KINDS,
    ["record", t("ruling.as_input_tabletool_settle_json")]];
  const kind = field(t("ruling.outcome_round"), { options: kinds });
  const reason = field(t("common.reason"), { required: true, maxlength: 200, autocomplete: "off" },
    t("ruling.why_two_users_decide_kept"));
  const proof = field(t("common.evidence"), { required: true, maxlength: 500, autocomplete: "off" },
    t("common.who_saw_which_recording_shows"));
  const parts = { result, record: recordOf(round) };
  const rest = h("div", { class: "entered" });
  const trouble = h("div", {});
  const shown = h("div", { class: "shown", role: "region", "aria-label": t("ruling.effect_ruling") });
  const button = h("button", { type: "submit", class: "primary" }, t("ruling.preview_ruling"));

  const names = new Map(round.bets.map((bet) => [bet.account_id, bet.player]));

  function forget() {
    put(shown);
    put(trouble);
  }

  function choose() {
    const part = parts[kind.input.value];
    put(rest, ...(part ? [part.elements] : []));
    forget();
  }

  function said() {
    const [word, why_] = [kind.input.value, reason.input.value.trim()];
    const part = parts[word];
    return { reason: why_, outcome: part ? part.read() : { [word]: why_ },
      evidence: proof.input.value.trim() };
  }

  function done(text, isDone = true) {
    frame.announce(text);
    if (isDone) location.hash = "#/rulings";
    else put(trouble, h("p", { role: "status" }, text));
  }

  async function preview() {
    const ruling = said();
    const seen = await post(`/rounds/${round.id}/ruling/preview`, { outcome: ruling.outcome });
    if (!own.alive) return;
    for (const { account, name } of seen.balances) names.set(account, name);
    put(shown, h("h3", {}, t("ruling.effect_ruling")),
      settled(sums(seen, ruling.outcome), currency, false),
      grid(t("ruling.who_gets_what"), previewColumns(names, currency), seen.lines,
        t("ruling.no_bet_play_round_no")),
      later(seen, names, currency),
      seen.differences.length ? h("div", { class: "failure", role: "alert" }, h("p", {}, h("b", {},
        t("ruling.cards_entered_not_those_shoe"))), h("ul", {}, seen.differences.map(
        (text) => h("li", {}, english(text))))) : null,
      grid(t("ruling.new_balances"), balanceColumns(currency), seen.balances,
        t("ruling.no_player_bet_round")),
      h("p", {}, h("button", { type: "button", class: "primary",
        onclick: () => askSecond(round, ruling, seen, done) }, t("ruling.ask_second_user"))));
    frame.announce(t("ruling.preview_shown"));
    shown.scrollIntoView({ block: "nearest" });
  }

  const made = h("form", { class: "ruling" }, kind.element, reason.element, rest, proof.element,
    trouble,
    h("p", {}, button));
  made.addEventListener("input", forget);
  kind.input.addEventListener("change", choose);
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    forget();
    button.disabled = true;
    try {
      await preview();
    } catch (problem) {
      put(trouble, failure(problem));
    }
    button.disabled = false;
    if (trouble.childElementCount) trouble.scrollIntoView({ block: "nearest" });
  });
  choose();
  return [made, shown];
}

/** The cards a shoe read, in the order it dealt them, and those it burned. */
function dealt({ cards, burned, why }) {
  return h("section", { class: "panel" }, h("h2", {}, t("ruling.cards_shoe_read")),
    h("p", {}, cards.length ? cards.map(words.card).join("  ") : t("ruling.none")),
    burned.length ? h("p", {}, t("ruling.burned", { card: burned.map(words.card).join("  ") })) : null,
    why ? h("p", { class: "terms" }, why) : null);
}

function ruling(context, round, currency) {
  const title = round.settled ? t("ruling.correct_round") : t("ruling.rule_round");
  const inside = may("rounds.rule") ? form(context, round, currency)
    : [empty(t("ruling.your_role_may_see_rulings"))];
  return h("section", { class: "panel", id: "ruling", tabindex: "-1", "aria-label": title },
    h("h2", {}, title), h("p", { class: "terms" }, t("ruling.two_named_users_rule_together")),
    inside);
}

export async function open(context) {
  const { main, parts, own } = context;
  const id = Number(parts[0]);
  const [round, { stakes }, waiting] = await Promise.all([get(`/rounds/${id}`), get("/stakes"),
    get("/late-bets/waiting")]);
  const table = round.table_id ? await get(`/tables/${round.table_id}`) : null;
  if (round.records.some((one) => one.type === "cards_ended")) {
    round.shoeCards = await post(`/rounds/${id}/cards`, {}).catch((problem) => ({ cards: [],
      burned: [], record: null, why: problem.message }));
  }
  if (!own.alive) return;
  const currency = table?.currency || "EUR";
  const inPlay = stakes.filter((row) => row.round_id === id);
  const late = waiting.late_bets.filter((bet) => bet.round === id);
  const jump = h("button", { type: "button", onclick: () => {
    const target = document.getElementById("ruling");
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  } }, t("ruling.go_ruling"));
  put(main,
    h("div", { class: "title-row" },
      h("h1", {}, table ? t("ruling.ruling_round", { number: count(round.number), table: table.name })
        : t("ruling.ruling_round_number", { number: count(round.number) })),
      round.settled ? chip("good", t("ruling.settled_number", { settled: round.settled }))
        : chip("warn", t("ruling.not_settled")),
      table && may("rounds.rule") ? jump : null),
    h("p", { class: "terms" }, table ? `${words.terms(round)} · ` : "", `${t("common.opened")} `,
      time(round.opened_at), ` · ${t("common.no_more_bets")} `, time(round.closed_at),
        ` · ${t("common.ended")} `,
      time(round.ended_at), round.end ? [" · ", english(words.plain(round.end))] : ""),
    h("section", { class: "panel" }, h("h2", {}, t("common.stakes_play")), inPlay.length
      ? h("ul", { class: "notices" }, inPlay.map((row) => h("li", {}, why(row),
        h("p", {}, t("ruling.bets_all", { count: row.bets, stake: money(row.stake_cents, currency) })))))
      : empty(t("ruling.no_stake_round_play"))),
    late.length ? h("section", { class: "panel" }, h("h2", {}, t("common.late_bets")),
      lateGrid(late, () => open(context))) : null,
    ...evidence(round), round.shoeCards ? dealt(round.shoeCards) : null,
    h("section", { class: "panel" }, h("h2", {}, t("common.bets")),
      grid(t("common.bets_round"), settledColumns(currency), round.bets, t("common.no_bet_placed"))),
    table ? ruling(context, round, currency) : empty(t("ruling.no_table_house_played_round")));
}
