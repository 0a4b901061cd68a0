// The dealer's page of a table, for touch: open, no more bets, enter the round, call a supervisor.

import { get, post, put as send, remove, requestKey } from "../api.js";
import { hands, layout } from "../dealt.js";
import { h, put } from "../dom.js";
import { announcing } from "../ending.js";
import { count } from "../format.js";
import { roleOf } from "../machines.js";
import { ask, chip, failure, field, mark } from "../parts.js";
import { may, user } from "../session.js";
import * as words from "../words.js";
import { settled } from "./bets.js";
import { closeBets, orders } from "./orders.js";
import { standing } from "./overview.js";

function call(table, frame) {
  const why = field("Why", { required: true, maxlength: 500, autocomplete: "off" });
  ask({ title: `Call a supervisor to ${table.name}`, fields: [why], agree: "Call",
    act: async () => {
      await post(`/tables/${table.id}/call`, { why: why.input.value });
      frame.announce("A supervisor was called");
    } });
}

/** Who deals, and the button with which a user takes over: takings are counted to that user. */
function dealer(table, own) {
  const element = h("p", { class: "buttons touch" });
  async function show() {
    const { name } = await get(`/tables/${table.id}/dealer`);
    if (!own.alive) return;
    const isMine = name === user().name;
    const change = may("tables.deal") ? h("button", { type: "button", onclick: async () => {
      try {
        await (isMine ? remove : send)(`/tables/${table.id}/dealer`);
        await show();
        element.querySelector("button")?.focus();
      } catch (problem) {
        if (own.alive) put(element, failure(problem, show));
      }
    } }, isMine ? "I leave the table" : "I deal here now") : null;
    put(element, h("span", {}, name ? `Dealer: ${name}` : "No dealer has signed in"), change);
  }
  show().catch((problem) => put(element, failure(problem)));
  return element;
}

/** The buttons of the table: large, in the order in which a round is played. */
export function actions(table, frame) {
  const trouble = h("div", { class: "action-trouble" });
  const holder = h("div", { class: "buttons touch" });
  const obstacle = h("div", {});
  let role = null;
  let given = null;
  async function act(work) {
    put(trouble);
    try {
      await work();
    } catch (problem) {
      put(trouble, failure(problem));
    }
  }
  const close = h("button", { type: "button", class: "primary",
    onclick: () => act(() => closeBets(table, role)) }, "No more bets");
  const supervisor = h("button", { type: "button", onclick: () => call(table, frame) },
    "Call a supervisor");
  const end = announcing(table, () => role, act, async () => {});
  return {
    element: h("section", { class: "panel", "aria-label": "Actions" }, end.text, holder, obstacle,
      trouble),
    update(state) {
      const now = state?.role || role || roleOf(table, state);
      if (now !== role) {
        role = now;
        given = orders(table, role, act, async () => {});
        put(obstacle, given.obstacle);
        const isVoid = (one) => one.classList.contains("danger");
        const [first, ...rest] = given.buttons.filter((one) => !isVoid(one));
        put(holder, ...[first, may("tables.close_bets") ? close : null, ...rest,
          may("tables.call") ? supervisor : null, end.button,
           ...given.buttons.filter(isVoid)].filter(Boolean));
      }
      given.update(state);
      end.update(state || table);
      close.disabled = !state?.bets_open;
    },
  };
}

/** The round being dealt: what it lacks, and what is entered next. */
function dealt(table, own, frame) {
  const element = h("section", { class: "panel", "aria-label": "Round" });
  let shown = "";
  let loads = 0;

  function form(title, made, label, send) {
    const trouble = h("div", {});
    const button = h("button", { type: "submit", class: "primary" }, label);
    const key = { "Idempotency-Key": requestKey() };
    return h("form", { class: "touch", onsubmit: async (event) => {
      event.preventDefault();
      button.disabled = true;
      put(trouble);
      try {
        await send(made.read(), key);
        frame.announce(`${title}: entered`);
        await load(frame.states.get(table.id));
      } catch (problem) {
        if (own.alive) put(trouble, failure(problem));
      }
      button.disabled = false;
    } }, h("h3", {}, title), made.element, trouble, button);
  }

  function entry(round, deal) {
    const next = deal.lacks[0]?.code;
    if (next === "layout") {
      return form("Which bet is on which box", layout(round, table.currency), "Enter the boxes",
        (boxes, key) => post(`/rounds/${round.id}/layout`, { boxes }, key));
    }
    if (next !== "hands") return null;
    return form("What the boxes decided", hands(round, deal.layout.boxes, table.currency),
      "Enter the decisions", (body, key) => post(`/rounds/${round.id}/hands`, body, key));
  }

  async function load(state) {
    loads += 1;
    const mine = loads;
    const number = state?.round;
    if (!number) {
      shown = "";
      put(element, h("h2", {}, "Round"), h("p", { class: "empty" }, "No round is being played."));
      return;
    }
    const [round, deal] = await Promise.all([get(`/rounds/${number}`), get(`/rounds/${number}/deal`)]);
    if (!own.alive || mine !== loads) return;
    const now = JSON.stringify([deal, round.bets.length]);
    if (now === shown) return;  // what is being entered stays
    shown = now;
    const { lacks } = deal;
    const isRuled = lacks.some((one) => one.code === "two_users");
    put(element, h("h2", {}, `Round ${count(round.number)}`),
      lacks.length ? h("div", { role: "status" }, h("p", {}, h("b", {}, "This round lacks:")),
        h("ul", {}, lacks.map((one) => h("li", {}, words.plain(one.text))))) : null,
      deal.settled ? h("p", { role: "status" }, chip("good", "Settled"), " ",
        h("a", { href: `#/round/${round.id}` }, "See the round")) : null,
      isRuled ? h("p", {}, h("a", { href: `#/rulings/${round.id}` }, "Rule on it with a second user"))
        : null,
      deal.settled && round.outcome ? settled(round, table.currency, false) : null,
      entry(round, deal));
  }
  return { element, load: (state) => load(state).catch((problem) => {
    if (own.alive) put(element, h("h2", {}, "Round"), failure(problem, () => load(state)));
  }) };
}

export async function open({ main, parts, frame, own }) {
  const id = Number(parts[0]);
  const table = await get(`/tables/${id}`);
  if (!own.alive) return;
  const state = chip("mute", "–");
  const acts = actions(table, frame);
  const round = dealt(table, own, frame);
  function show(found, changed) {
    mark(state, ...standing(found));
    acts.update(found);
    const touches = ["round", "bets", "bets_open", "phase", "results"];
    if (changed === null || frame.isAlarmed(changed) || touches.some((name) => name in changed)) {
      round.load(found);
    }
  }
  put(main, h("div", { class: "title-row" }, h("h1", {}, `Deal: ${table.name}`), state),
    h("p", { class: "terms" }, `${words.terms(table)} · `, h("a", { href: `#/table/${id}` }, "Table")),
    dealer(table, own), acts.element, round.element);
  show(frame.states.get(id) || table.live, null);
  frame.listen((number, found, changed) => {
    if (number === id) show(found, changed);
  }, own);
}
