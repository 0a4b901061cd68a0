// One round on which two named users rule: why it waits, its evidence, its outcome, who is paid what.

import { get, post, requestKey } from "../api.js";
import { h, put } from "../dom.js";
import { count, money } from "../format.js";
import { recordOf, resultOf } from "../outcomes.js";
import { ask, chip, empty, failure, field, grid, time } from "../parts.js";
import { may, user } from "../session.js";
import * as words from "../words.js";
import { settled, settledColumns } from "./bets.js";
import { lateGrid, secondUser } from "./late.js";
import { evidence } from "./round.js";
import { why } from "./stakes.js";

const bets = (many) => (many === 1 ? "1 bet" : `${count(many)} bets`);

function previewColumns(names, currency) {
  const cell = (name) => (line) => money(line[`${name}_cents`], currency);
  return [
    ["Player", (line) => names.get(line.account) || `account ${line.account}`],
    ["Bet", (line) => words.slip(line.slip)],
    ["Stake", cell("stake"), "figure"],
    ["Outcome", (line) => words.plain(line.outcome)],
    ["Receives", (line) => h("b", {}, money(line.win_cents + line.back_cents, currency)), "figure"],
    ["Won", cell("win"), "figure"],
    ["Stake returned", cell("back"), "figure"],
    ["Stays in play", cell("live"), "figure"],
    ["Lost", cell("lost"), "figure"],
    ["Article", (line) => line.rule || "–"],
  ];
}

function balanceColumns(currency) {
  return [
    ["Player", (one) => one.name],
    ["Account", (one) => one.account],
    ["Balance now", (one) => money(one.before_cents, currency), "figure"],
    ["New balance", (one) => h("b", {}, money(one.after_cents, currency),
      one.after_cents < 0 ? [" ", chip("bad", "Below zero")] : null), "figure"],
  ];
}

/** The rounds in which the stakes of the round play on, as they would be settled again. */
function later(seen, names, currency) {
  if (!seen.later.length) return null;
  const rounds = seen.later.map((one) => h("section", {}, h("h4", {}, `Round ${count(one.number)}: ${
    words.outcomeLong(one.outcome)}, settlement ${one.generation}`),
  grid(`Who gets what in round ${one.number}`, previewColumns(names, currency), one.lines,
    "No bet is left in this round.")));
  return h("section", { "aria-label": "Rounds settled again" }, h("h3", {}, "Rounds in which its stakes "
    + "play on"), h("p", { class: "terms" }, "Each keeps its own outcome and is settled again, in the "
    + "order of play."), rounds);
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
    title: `Round ${count(round.number)}: ${words.outcomeLong(said.outcome)}`,
    text: `${user().name} requests this ruling: ${said.reason}. One of the two is a supervisor. Exactly `
      + "what was shown is carried out, or nothing.",
    fields: second.fields, agree: "Confirm", danger: true,
    act: async () => {
      const { generation } = await post(place, { ...body(), evidence: said.evidence,
        preview: seen.preview, settled: seen.settled }, key);
      done(`Round ${count(round.number)} was ruled on, settlement ${generation}`);
    },
    refuse: { label: "Decline", act: async () => {
      await post(`${place}/decline`, body());
      done(`Declined by ${second.read().name}: nothing was settled`, false);
    } },
  });
}

const KINDS = [["void", "Void, as if the table had voided it"],
  ["stakes_back", "Stakes returned: every stake goes back"]];

function form(context, round, currency) {
  const { own, frame } = context;
  const result = resultOf(round, currency);
  const kinds = [...(result ? [["result", "A result that was seen"]] : []), ...KINDS,
    ["record", "As input of `tabletool settle` (JSON)"]];
  const kind = field("Outcome of the round", { options: kinds });
  const reason = field("Reason", { required: true, maxlength: 200, autocomplete: "off" },
    "Why two users decide. It is kept in the audit log.");
  const proof = field("Evidence", { required: true, maxlength: 500, autocomplete: "off" },
    "Who saw it, and which recording shows it.");
  const parts = { result, record: recordOf(round) };
  const rest = h("div", { class: "entered" });
  const trouble = h("div", {});
  const shown = h("div", { class: "shown", role: "region", "aria-label": "Effect of the ruling" });
  const button = h("button", { type: "submit", class: "primary" }, "Preview the ruling");

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
    put(shown, h("h3", {}, "Effect of the ruling"),
      settled(sums(seen, ruling.outcome), currency, false),
      grid("Who gets what", previewColumns(names, currency), seen.lines,
        "No bet is in play in this round: no player is paid."),
      later(seen, names, currency),
      seen.differences.length ? h("div", { class: "failure", role: "alert" }, h("p", {}, h("b", {},
        "The cards entered are not those the shoe read:")), h("ul", {}, seen.differences.map(
        (text) => h("li", {}, text)))) : null,
      grid("New balances", balanceColumns(currency), seen.balances,
        "No player has a bet in this round."),
      h("p", {}, h("button", { type: "button", class: "primary",
        onclick: () => askSecond(round, ruling, seen, done) }, "Ask the second user")));
    frame.announce("The preview is shown");
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
  return h("section", { class: "panel" }, h("h2", {}, "Cards the shoe read"),
    h("p", {}, cards.length ? cards.map(words.card).join("  ") : "None."),
    burned.length ? h("p", {}, `Burned: ${burned.map(words.card).join("  ")}`) : null,
    why ? h("p", { class: "terms" }, why) : null);
}

function ruling(context, round, currency) {
  const title = round.settled ? "Correct the round" : "Rule on the round";
  const inside = may("rounds.rule") ? form(context, round, currency)
    : [empty("Your role may see rulings, but not make them.")];
  return h("section", { class: "panel", id: "ruling", tabindex: "-1", "aria-label": title },
    h("h2", {}, title), h("p", { class: "terms" }, "Two named users rule together, one of them a "
      + "supervisor. The bets are paid by the rules; earlier payments are reversed first."),
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
  } }, "Go to the ruling");
  put(main,
    h("div", { class: "title-row" },
      h("h1", {}, `Ruling: round ${count(round.number)}${table ? ` of ${table.name}` : ""}`),
      round.settled ? chip("good", `Settled, number ${round.settled}`) : chip("warn", "Not settled"),
      table && may("rounds.rule") ? jump : null),
    h("p", { class: "terms" }, table ? `${words.terms(round)} · ` : "", "opened ",
      time(round.opened_at), " · no more bets ", time(round.closed_at), " · ended ",
      time(round.ended_at), round.end ? ` · ${words.plain(round.end)}` : ""),
    h("section", { class: "panel" }, h("h2", {}, "Stakes in play"), inPlay.length
      ? h("ul", { class: "notices" }, inPlay.map((row) => h("li", {}, why(row),
        h("p", {}, `${bets(row.bets)}, ${money(row.stake_cents, currency)} in all`))))
      : empty("No stake of this round is in play.")),
    late.length ? h("section", { class: "panel" }, h("h2", {}, "Late bets"),
      lateGrid(late, () => open(context))) : null,
    ...evidence(round), round.shoeCards ? dealt(round.shoeCards) : null,
    h("section", { class: "panel" }, h("h2", {}, "Bets"),
      grid("Bets of the round", settledColumns(currency), round.bets, "No bet was placed.")),
    table ? ruling(context, round, currency) : empty("No table of this house played this round."));
}
