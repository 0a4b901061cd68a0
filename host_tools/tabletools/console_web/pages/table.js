// One table live: its machine, the bets on it, its problems, the possible actions.

import { get, post, put as send } from "../api.js";
import { h, keepingFocus, put, say } from "../dom.js";
import { announcing } from "../ending.js";
import { count, money, utc } from "../format.js";
import { language, t } from "../language.js";
import { machine, roleOf, termsOf } from "../machines.js";
import { ask, chip, english, fact, failure, field, grid, mark } from "../parts.js";
import { may } from "../session.js";
import * as words from "../words.js";
import { betColumns, settled } from "./bets.js";
import { closeBets, orders } from "./orders.js";
import { faultCount, isHostText, phase, problems, results, standing, why } from "./overview.js";

/** The terms of a table whose machine has a role: [term, state => text]. */
function terms(role, currency, meters) {
  return [[t("common.phase"), phase], [t("common.round_word"), (state) => count(state.number)],
    ...termsOf(role), [t("common.bets"), (state) => count(state.bets)],
    [t("common.stakes_play"), (state) => money(state.stake_cents, currency)],
    ...Object.keys(meters).map((name) => [t("table.jackpot", { name }),
      (state) => money((state.meters || meters)[name], currency)]),
    [t("common.link"), (state) => words.link(state.link)],
      [t("common.authentication"), (state) => words.plain(state.seal)],
    [t("table.unacknowledged_records"), (state) => count(state.unacknowledged)]];
}

/** Picture and facts of the machine, in the terms of its role as soon as that is known. */
function shownMachine(table) {
  const holder = h("div", { class: "machine" });
  const list = h("dl", { class: "facts wide" });
  let role = "";
  let kind = null;
  let picture = null;
  let facts = [];
  return {
    picture: holder, facts: list,
    update(state) {
      role = state.role || role || roleOf(table, state);  // an offline table reports none
      const now = `${role} ${state.layout === "segments_54"}`;
      if (now !== kind) {
        kind = now;
        picture = machine(table, role, state);
        const rows = terms(role, table.currency, table.meters);
        facts = rows.map(([term, textOf]) => ({ ...fact(term), textOf }));
        put(holder, picture.element);
        put(list, ...facts.map((one) => one.element));
      }
      picture.update(state, (state.results || [])[0]);
      for (const one of facts) {
        say(one.value, one.textOf(state));
        one.value.title = one.value.textContent;
      }
    },
  };
}

function troubles(state) {
  const found = problems(state).map((one) => notice(...one));
  for (const one of state.faults) {
    found.push(notice(english(`${one.code} ${words.plain(one.name)}`), english(one.cause),
      english(one.remedy), english(one.rule)));
  }
  const unlisted = faultCount(state) - state.faults.length;
  if (unlisted) {
    found.push(notice(t("table.more_active", { count: unlisted }), t("table.raised_before_host_connected"),
      t("table.see_maintenance_faults_device_recorded")));
  }
  return found;
}

function notice(title, cause, remedy, rule = "") {
  return h("li", { class: "notice" }, h("h3", {}, title), h("p", {}, cause),
    remedy ? h("p", {}, h("b", {}, `${t("common.remedy")} `), remedy) : null,
    rule ? h("p", { class: "hint" }, rule) : null);
}

/** The actions of the user's role at this table. */
function actions(table, done) {
  const trouble = h("div", { class: "action-trouble" });
  async function act(work) {
    put(trouble);
    try {
      await work();
      await done();
    } catch (problem) {
      put(trouble, failure(problem));
    }
  }
  const close = h("button", { type: "button", class: "danger", onclick: () => act(
    () => closeBets(table, role)) }, t("table.close_bets"));
  const reason = () => field(t("table.why_may_continue"), { rows: 3, maxlength: 500, required: true });
  const release = h("button", { type: "button", onclick: () => {
    const why_ = reason();
    ask({ title: t("table.release", { table: table.name }), fields: [why_], agree: t("table.release_word"),
      danger: true,
      text: t("table.bets_open_next_round_pending"),
      act: () => post(`/tables/${table.id}/release`, { why: why_.input.value }).then(done) });
  } }, t("table.release_reason"));
  const enable = h("button", { type: "button", onclick: () => act(
    () => send(`/tables/${table.id}/enabled`, { enabled: !table.enabled })) }, "");
  const end = announcing(table, () => role, act, done);
  const held = (action, button) => (may(action) ? [button] : []);
  const all = h("div", { class: "buttons" });
  const obstacle = h("div", {});
  let role = null;
  let given = { buttons: [], obstacle: null, update: () => {} };
  function showButtons() {
    put(obstacle, given.obstacle);
    put(all, held("tables.close_bets", close), given.buttons, held("devices.release", release),
      end.button || [], held("tables.enable", enable));
  }
  showButtons();
  return {
    ending: end.text,
    element: all.childElementCount || may("tables.order")
      ? h("section", { class: "panel actions", "aria-label": t("table.actions") }, all, obstacle, trouble)
        : null,
    update: (state) => keepingFocus(all, () => {
      const now = state?.role || role || roleOf(table, state);
      if (now !== role) {
        role = now;
        given = orders(table, role, act, done);
        showButtons();
      }
      given.update(state);
      end.update(state || table);
      close.disabled = !state?.bets_open;
      release.disabled = !state?.stopped;
      say(enable, table.enabled ? t("table.take_out_play") : t("common.enable"));
    }),
  };
}

/** Bets of the current round, and the result of the one before. */
function books(table, own) {
  const bets = h("div", { class: "open-bets" });
  const before = h("div", { class: "settled" });
  let loads = 0;
  async function load(state) {
    loads += 1;
    const mine = loads;
    try {
      const [inPlay, last] = await Promise.all([
        state?.round && may("bets.see") ? get(`/rounds/${state.round}/bets`) : { bets: [] },
        get(`/rounds?table=${table.id}&most=5`),
      ]);
      if (!own.alive || mine !== loads) return;
      put(bets, may("bets.see")
        ? grid(t("common.bets_of_this_round"), betColumns(table.currency), inPlay.bets,
          state?.round ? t("table.no_bet_been_placed_round") : t("common.no_round_being_played"))
        : h("p", { class: "empty" }, t("common.your_role_may_not_see")));
      const done = last.rounds.find((one) => one.outcome !== null);
      put(before, done ? settled(done, table.currency)
        : h("p", { class: "empty" }, t("table.no_round_been_settled_here")));
    } catch (problem) {
      if (own.alive && mine === loads) put(bets, failure(problem, () => load(state)));
    }
  }
  return { bets, before, load };
}

export async function open({ main, parts, frame, own }) {
  const id = Number(parts[0]);
  const table = await get(`/tables/${id}`);
  if (!own.alive) return;
  const state = chip("mute", "–");
  const reason = h("p", { class: "reason", "aria-live": "polite" }, "");
  const faults = h("ul", { class: "notices", role: "list" });
  const row = results(15);
  const shown = shownMachine(table);
  const money_ = books(table, own);
  const acts = actions(table, async () => Object.assign(table, await get(`/tables/${id}`),
    acts.update(frame.states.get(id))));
  let shownFaults = "";
  let announced = "";

  function show(found, changed) {
    const [kind, word] = standing(found);
    mark(state, kind, word);
    const line = why(found) === word ? "" : why(found);
    if (reason.textContent !== line) reason.textContent = line;
    reason.lang = isHostText(found) ? "en" : language;
    acts.update(found);
    if (!found) return;
    shown.update(found);
    row.update(found.results || []);
    const now = JSON.stringify([found.faults, faultCount(found), found.stopped, found.refused,
      found.trouble]);
    if (now !== shownFaults) {
      shownFaults = now;
      const list = troubles(found);
      put(faults, ...(list.length ? list : [h("li", { class: "empty" }, t("table.no_active_fault"))]));
    }
    if (announced && announced !== word) frame.announce(`${found.name}: ${word}. ${line}`);
    announced = word;
    const touches = ["round", "bets", "stake_cents", "results", "bets_open"];
    if (changed === null || touches.some((name) => name in changed)) money_.load(found);
  }

  put(main,
    h("div", { class: "title-row" }, h("h1", {}, table.name), state, reason),
    h("p", { class: "terms" }, t("table.device", { table: words.terms(table), device: table.device,
      currency: table.currency }),
      may("rounds.deal") ? [" · ", h("a", { href: `#/deal/${id}` }, t("table.dealer_page"))] : null,
      table.has_host_camera && may("devices.see")
        ? [" · ", h("a", { href: `#/tray/${id}` }, t("table.tray_page"))] : null),
    acts.ending,
    h("div", { class: "table-page" },
      h("div", { class: "table-side" },
        h("section", { class: "panel picture", "aria-label": t("table.machine") }, shown.picture),
        h("section", { class: "panel last-round" }, h("h2", {}, t("table.last_settled_round")),
          money_.before)),
      h("div", { class: "table-side" }, acts.element,
        h("section", { class: "panel state" }, h("h2", {}, t("common.state")), shown.facts),
        h("section", { class: "panel" }, h("h2", {}, t("table.last_results")), row.element),
        h("section", { class: "panel faults" }, h("h2", {}, t("table.faults_problems")), faults)),
      h("section", { class: "panel bets" }, h("h2", {}, t("common.bets_of_this_round")), money_.bets)));
  show(frame.states.get(id) || table.live, null);
  frame.listen((number, found, changed) => {
    if (number === id) show(found, changed);
  }, own);
  main.dataset.since = utc(table.since_at);
}
