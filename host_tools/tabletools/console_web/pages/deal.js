// The dealer's page of a table, for touch: open, no more bets, enter the round, call a supervisor.

import { get, post, put as send, remove, requestKey } from "../api.js";
import { hands, layout } from "../dealt.js";
import { h, keepingFocus, put } from "../dom.js";
import { announcing } from "../ending.js";
import { count } from "../format.js";
import { t } from "../language.js";
import { roleOf } from "../machines.js";
import { ask, chip, english, failure, field, mark } from "../parts.js";
import { may, user } from "../session.js";
import { throwing } from "../thrower.js";
import * as words from "../words.js";
import { settled } from "./bets.js";
import { closeBets, orders } from "./orders.js";
import { standing } from "./overview.js";

function call(table, frame) {
  const why = field(t("common.why"), { required: true, maxlength: 500, autocomplete: "off" });
  ask({ title: t("deal.call_supervisor", { table: table.name }), fields: [why], agree: t("deal.call"),
    act: async () => {
      await post(`/tables/${table.id}/call`, { why: why.input.value });
      frame.announce(t("deal.supervisor_called"));
    } });
}

/** Who deals, and the button with which a user takes over: takings are counted to that user. */
function dealer(table, own) {
  const element = h("p", { class: "dealer touch" });
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
    } }, isMine ? t("deal.i_leave_table") : t("deal.i_deal_here_now")) : null;
    put(element, h("span", {}, name ? t("deal.dealer", { name }) : t("deal.no_dealer_signed")), change);
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
    onclick: () => act(() => closeBets(table, role)) }, t("deal.no_more_bets"));
  const supervisor = h("button", { type: "button", onclick: () => call(table, frame) },
    t("deal.call_a_supervisor"));
  const end = announcing(table, () => role, act, async () => {});
  return {
    element: h("section", { class: "panel", "aria-label": t("deal.actions") }, end.text, holder, obstacle,
      trouble),
    update: (state) => keepingFocus(holder, () => {
      const now = state?.role || role || roleOf(table, state);
      if (now !== role) {
        role = now;
        given = orders(table, role, act, async () => {});
        put(obstacle, given.obstacle);
        const { opening, entering, voiding } = given.inOrder();
        put(holder, ...[...opening, may("tables.close_bets") ? close : null, ...entering,
          may("tables.call") ? supervisor : null, end.button,
          ...voiding].filter(Boolean));
      }
      given.update(state);
      end.update(state || table);
      close.disabled = !state?.bets_open;
    }),
  };
}

/** The round being dealt: what it lacks, and what is entered next. */
function dealt(table, own, frame) {
  const element = h("section", { class: "panel", "aria-label": t("common.round_word") });
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
        frame.announce(t("deal.entered", { title }));
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
      return form(t("deal.which_bet_which_box"), layout(round, table.currency), t("deal.enter_boxes"),
        (boxes, key) => post(`/rounds/${round.id}/layout`, { boxes }, key));
    }
    if (next !== "hands") return null;
    return form(t("deal.what_boxes_decided"), hands(round, deal.layout.boxes, table.currency),
      t("deal.enter_decisions"), (body, key) => post(`/rounds/${round.id}/hands`, body, key));
  }

  async function load(state) {
    loads += 1;
    const mine = loads;
    const number = state?.round;
    if (!number) {
      shown = "";
      put(element, h("h2", {}, t("common.round_word")),
        h("p", { class: "empty" }, t("common.no_round_being_played")));
      return;
    }
    const [round, deal] = await Promise.all([get(`/rounds/${number}`), get(`/rounds/${number}/deal`)]);
    if (!own.alive || mine !== loads) return;
    const now = JSON.stringify([deal, round.bets.length]);
    if (now === shown) return;  // what is being entered stays
    shown = now;
    const { lacks } = deal;
    const isRuled = lacks.some((one) => one.code === "two_users");
    put(element, h("h2", {}, t("common.round", { number: count(round.number) })),
      lacks.length ? h("div", { role: "status" }, h("p", {}, h("b", {}, t("deal.round_lacks"))),
        h("ul", {}, lacks.map((one) => h("li", {}, words.lack(one) || english(words.plain(one.text))))))
          : null,
      deal.settled ? h("p", { role: "status" }, chip("good", t("common.settled")), " ",
        h("a", { href: `#/round/${round.id}` }, t("deal.see_round"))) : null,
      isRuled ? h("p", {}, h("a", { href: `#/rulings/${round.id}` }, t("deal.rule_second_user")))
        : null,
      deal.settled && round.outcome ? settled(round, table.currency, false) : null,
      entry(round, deal));
  }
  return { element, load: (state) => load(state).catch((problem) => {
    if (own.alive) put(element, h("h2", {}, t("common.round_word")), failure(problem, () => load(state)));
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
  put(main, h("div", { class: "title-row" }, h("h1", {}, t("deal.deal", { table: table.name })), state),
    h("p", { class: "terms" }, `${words.terms(table)} · `,
      h("a", { href: `#/table/${id}` }, t("common.table"))),
    dealer(table, own), roleOf(table, table.live) === "dice_tray" ? throwing(table, own) : null,
    acts.element, round.element);
  show(frame.states.get(id) || table.live, null);
  frame.listen((number, found, changed) => {
    if (number === id) show(found, changed);
  }, own);
}
