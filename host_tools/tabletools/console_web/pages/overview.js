// The pit: every table at a glance.

import { get } from "../api.js";
import { h, put, say } from "../dom.js";
import { count, money } from "../format.js";
import { language, t } from "../language.js";
import { chip, empty, english, fact, mark } from "../parts.js";
import { order, urgency, watch } from "../needs.js";
import * as words from "../words.js";

export const SLOTS = 10;

/** The number of active faults: those raised before the host listened are not in the list. */
export function faultCount(state) {
  return Math.max(state.fault_count || 0, state.faults.length);
}

const NO_KEY = t("overview.table_no_key_accepts_no");

/** Whether a table answers without a key: it cannot prove how old what it reports is. */
const isKeyless = (state) => state.link === "stale" && state.seal === "none";

/** What is wrong with a table beside its faults: [title, cause, remedy] of each. */
export function problems(state) {
  const found = [];
  if (state.stopped) {
    found.push([t("overview.stopped"), english(words.alarmText(state.stopped)),
      t("overview.look_alarms_then_supervisor_releases")]);
  }
  if (state.refused) {
    found.push([t("overview.link_refused"), english(state.refused.what), english(state.refused.step)]);
  } else if (state.trouble && state.trouble !== state.stopped) {
    found.push([t("overview.problem"), english(words.alarmText(state.trouble)), ""]);
  }
  if (isKeyless(state)) {
    found.push([t("overview.no_key"), NO_KEY, t("overview.give_one_over_private_line")]);
  }
  return found;
}

/** The most important state of a table: [kind, text]. */
export function standing(state) {
  if (!state) return ["mute", t("overview.another_host")];
  if (state.stopped) return ["bad", t("overview.stopped")];
  if (state.refused) return ["bad", t("common.refused")];
  if (!state.held) return ["mute", t("overview.not_owned")];
  if (isKeyless(state)) return ["bad", t("overview.no_key")];
  if (state.link !== "online") return ["bad", words.link(state.link)];
  if (faultCount(state)) return ["bad", t("overview.fault")];
  if (state.bets_open) return ["good", t("common.bets_open")];
  return ["calm", words.phase(state.phase)];
}

/** The phase of the round; what was said before the link was lost may be over. */
export const phase = (state) => (state.link === "online" ? words.phase(state.phase)
  : t("overview.not_known"));

/** Whether the line of `why` is the host's own, which is English. */
export const isHostText = (state) => Boolean(state
  && (state.stopped || state.refused || state.trouble || state.faults.length));

/** Why a table accepts no bets now, in one line. */
export function why(state) {
  if (!state) return t("overview.host_owns_table_shows_state");
  if (state.stopped) return words.alarmText(state.stopped);
  if (state.refused) return state.refused.what;
  if (state.trouble) return words.alarmText(state.trouble);
  if (isKeyless(state)) return NO_KEY;
  if (state.faults.length) return `${state.faults[0].code}: ${state.faults[0].cause}`;
  if (faultCount(state)) return t("overview.fault_raised_before_host_connected");
  return state.bets_open ? "" : words.cause(state.cause);
}

/** A row of the last results with a constant number of places. */
export function results(slots) {
  const places = Array.from({ length: slots }, () => h("li", { class: "result" }, ""));
  const element = h("ol", { class: "results", "aria-label": t("overview.last_results_newest_first") },
    places);
  return {
    element,
    update(found) {
      places.forEach((place, index) => {
        const one = found[index];
        const text = one ? words.outcome(one.outcome) : "";
        const kind = one && one.outcome.pocket !== undefined ? words.colour(one.outcome.pocket) : "";
        const name = `result ${one && one.is_void ? "void" : kind}`.trim();
        if (place.className !== name) place.className = name;
        if (place.textContent !== text) place.textContent = text;
        if (one) place.title = t("common.round_number_one", { number: one.number, one: words.inForce(one) });
      });
    },
  };
}

function cardOf(table) {
  const state = chip("mute", "–");
  const reason = h("p", { class: "reason" }, "");
  const facts = [t("common.phase"), t("common.round_word"), t("common.stakes_play"), t("common.bets"),
    t("common.alarms")].map((term) => fact(term));
  const row = results(SLOTS);
  const alarms = facts[4].value;
  const heading = h("h2", {}, h("a", { href: `#/table/${table.id}` }, table.name));
  let needs = [];
  let last = null;
  const element = h("li", {}, h("article", { class: "table-card" },
    h("div", { class: "card-head" }, heading, state), h("p", { class: "terms" }, words.terms(table)),
    h("dl", { class: "facts" }, facts.map((one) => one.element)), row.element, reason));
  function show() {
    const [kind, word] = standing(last);
    const need = needs[0];
    mark(state, need && need.priority <= 2 && kind !== "bad" ? "warn" : kind, word);
    element.firstChild.dataset.kind = need && need.priority <= 2 ? "bad" : kind;
    say(reason, need ? words.need(need) : why(last) || " ");
    reason.lang = !need && isHostText(last) ? "en" : language;
  }
  return {
    element,
    need(found) {
      needs = found;
      show();
    },
    update(found) {
      last = found;
      show();
      if (!found) return;
      say(facts[0].value, phase(found));
      say(facts[1].value, count(found.number));
      say(facts[2].value, money(found.stake_cents, table.currency));
      say(facts[3].value, count(found.bets));
      say(alarms, count(found.alarms));
      alarms.classList.toggle("warn", found.alarms > 0);
      row.update(found.results || []);
    },
  };
}

/** The totals of all tables: a line of figures with constant places. */
function summary(tables) {
  const facts = [t("overview.tables"), t("common.bets_open"), t("overview.needs_attention"),
    t("overview.active_alarms"), t("common.stakes_play")]
    .map((term) => fact(term));
  const units = [...new Set(tables.map((one) => one.currency))];
  return {
    element: h("dl", { class: "facts summary" }, facts.map((one) => one.element)),
    update(states, byTable) {
      const known = [...states.values()];
      const bad = tables.filter((one) => urgency(byTable.get(one.id)) <= 2
        || standing(states.get(one.id))[0] === "bad").length;
      const sums = units.map((unit) => money(tables.filter((one) => one.currency === unit)
        .reduce((sum, one) => sum + (states.get(one.id)?.stake_cents || 0), 0), unit));
      say(facts[0].value, count(tables.length));
      say(facts[1].value, count(known.filter((one) => standing(one)[0] === "good").length));
      say(facts[2].value, count(bad));
      facts[2].value.classList.toggle("warn", bad > 0);
      say(facts[3].value, count(known.reduce((sum, one) => sum + one.alarms, 0)));
      say(facts[4].value, sums.join(" + ") || "–");
    },
  };
}

export async function open({ main, frame, own }) {
  const { tables } = await get("/tables");
  if (!own.alive) return;
  if (tables.length === 0) {
    put(main, h("h1", {}, t("common.pit")), empty(t("overview.no_table_yet_name_tables")));
    return;
  }
  const cards = new Map(tables.map((one) => [one.id, cardOf(one)]));
  const sums = summary(tables);
  const states = new Map();
  const before = new Map();
  const list = h("ul", { class: "cards", role: "list", "aria-label": t("overview.tables") });
  const house = h("ul", { class: "notices", role: "list", "aria-label": t("overview.house") });
  let needs = new Map();

  function update(number, state) {
    if (!cards.has(number)) return;
    states.set(number, state);
    cards.get(number).update(state);
    sums.update(states, needs);
    const now = standing(state);
    const known = before.get(number);
    before.set(number, now[1]);
    if (known !== undefined && known !== now[1] && now[0] === "bad") {
      frame.announce(`${state.name}: ${now[1]}. ${why(state)}`);
    }
  }

  for (const one of tables) {
    const state = frame.states.get(one.id) || one.live;
    cards.get(one.id).update(state);
    if (state) states.set(one.id, state);
  }
  function rank(byTable, inHouse) {
    needs = byTable;
    for (const one of tables) cards.get(one.id).need(needs.get(one.id) || []);
    sums.update(states, needs);
    const wanted = [...tables].sort(order(needs)).map((one) => cards.get(one.id).element);
    // Cards move only when their order changes, and never under the pointer or the focus.
    const isStill = wanted.every((element, place) => element === list.children[place]);
    if (!isStill && !list.matches(":hover, :focus-within")) put(list, ...wanted);
    put(house, ...inHouse.map((one) => h("li", { class: "notice" },
      h("a", { href: one.page }, words.need(one),
        one.cents === null ? "" : `: ${money(one.cents, one.currency)}`))));
    house.hidden = inHouse.length === 0;
  }

  sums.update(states, needs);
  frame.listen(update, own);
  put(list, ...tables.map((one) => cards.get(one.id).element));
  house.hidden = true;
  put(main, h("h1", {}, t("common.pit")), sums.element, house, list);
  await watch(own, rank);
}
