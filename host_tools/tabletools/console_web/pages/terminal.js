// The page of a player at a terminal: the seat by code and PIN, then bets of every game.

import { as, requestKey } from "../api.js";
import { h, put, say } from "../dom.js";
import { ending } from "../ending.js";
import { cents, money } from "../format.js";
import { t } from "../language.js";
import { chip, fact, failure, field, grid, mark } from "../parts.js";
import { slips } from "../slips.js";
import { throws } from "../thrower.js";
import * as words from "../words.js";
import { gate } from "./login.js";

const KEPT = "tablewire-terminal";
const EVERY_MS = 1000;
const server = () => as({ Authorization: `Bearer ${sessionStorage.getItem(KEPT) || ""}` });

/** What is refused of a request of several bets, as one failure; null if nothing is. */
function refusedOf(answer) {
  const refused = (answer.bets || []).filter((one) => one.code !== null);
  return refused.length ? { message: refused[0].detail, step: refused[0].step,
    where: refused[0].where, code: refused[0].code, status: 422 } : null;
}

/** One form with its stake and its button. done: called after a bet was placed. */
function placing(slip, currency, done) {
  const stake = field(t("terminal.stake", { currency }), { inputmode: "decimal", autocomplete: "off",
    required: true }, slip.path === "/calls" ? t("terminal.all_chips_call_together") : "");
  const trouble = h("div", {});
  const button = h("button", { type: "submit", class: "primary" }, t("terminal.place"));
  let key = requestKey();
  return h("form", { class: "panel", "aria-label": slip.title, onsubmit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    put(trouble);
    try {
      const amount = cents(stake.input.value);
      if (amount === null) throw new Error(t("terminal.stake_not_amount_such_as"));
      const answer = await server().post(slip.path, { ...slip.read(), stake_cents: amount },
        { "Idempotency-Key": key });
      key = requestKey();  // until then a repeat is the same request
      const refused = refusedOf(answer);
      if (refused) put(trouble, failure(refused));
      await done();
    } catch (problem) {
      if (problem.status) key = requestKey();
      put(trouble, failure(problem));
    }
    button.disabled = false;
  } }, h("h2", {}, slip.title), slip.element, stake.element, trouble, button);
}

function seated(seat, leave) {
  const state = chip("mute", "–");
  const reason = h("p", { class: "reason", role: "status" }, "");
  const facts = [t("common.balance"), t("common.play")].map((term) => fact(term));
  const trouble = h("div", {});
  const bets = h("div", {});
  let shown = "";
  async function withdraw(bet) {
    try {
      await server().remove(`/bets/${bet.id}`, { "Idempotency-Key": requestKey() });
      await update();
    } catch (problem) {
      put(trouble, failure(problem));
    }
  }
  async function update() {
    const [now, own] = await Promise.all([server().get("/seat"), server().get("/bets")]);
    mark(state, ...(now.bets_open ? ["good", t("common.bets_open")] : ["calm", t("terminal.bets_closed")]));
    const why = now.bets_open ? "" : words.cause(now.cause);
    const turn = now.thrower_place === null ? "" : `${throws({ place: now.thrower_place })}.`;
    reason.textContent = [ending(now), why, turn].filter(Boolean).join(" ");
    say(facts[0].value, money(now.balance_cents, now.currency));
    const open = own.bets.filter((one) => !one.taken_back && !one.outcome);
    say(facts[1].value, money(open.reduce((sum, one) => sum + one.stake_cents, 0), now.currency));
    const text = JSON.stringify([own.bets, now.bets_open]);
    if (text === shown) return;
    shown = text;
    put(bets, grid(t("terminal.own_bets"), [[t("common.bet"), (bet) => words.slip(bet.slip)],
      [t("common.stake"), (bet) => money(bet.stake_cents, now.currency), "figure"],
        [t("common.state"), words.fate],
      [t("terminal.change"), (bet) => (now.bets_open && open.includes(bet) ? h("button", { type: "button",
        onclick: () => withdraw(bet) }, t("terminal.withdraw")) : "")]], own.bets,
          t("terminal.no_bet_round")));
  }
  return { update, trouble, element: h("main", { id: "main", class: "terminal" },
    h("div", { class: "title-row" }, h("h1", {}, seat.name), state, reason),
    h("p", { class: "terms" }, t("terminal.terminal",
      { seat: words.terms(seat), terminal: seat.terminal || "–" })),
    h("dl", { class: "facts" }, facts.map((one) => one.element)), trouble,
    h("div", { class: "slips" }, slips(seat).map((one) => placing(one, seat.currency, update))),
    h("section", { class: "panel" },
      h("h2", {}, t("common.bets_of_this_round")), bets),
    h("p", { class: "buttons" }, h("button", { type: "button", onclick: leave }, t("terminal.leave")))) };
}

/** Show the terminal in an element, until `own` is no longer alive. */
export async function open(root, own) {
  document.title = t("terminal.terminal_tablewire");
  const again = () => open(root, own);
  const seat = sessionStorage.getItem(KEPT) && await server().get("/seat").catch(() => null);
  if (!own.alive) return;
  if (!seat) {
    const code = field(t("terminal.code_seat"), { autocomplete: "off", required: true });
    const pin = field(t("common.pin"), { type: "password", inputmode: "numeric", autocomplete: "off",
      required: true });
    put(root, gate("Tablewire", t("terminal.open_seat_you_offered"), [code, pin], t("terminal.sit_down"),
      async () => {
        const opened = await as({}).post("/seat", { code: code.input.value.trim(),
          pin: pin.input.value });
        sessionStorage.setItem(KEPT, opened.token);
        await again();
      }));
    return;
  }
  const page = seated(seat, async () => {
    await server().remove("/seat").catch(() => null);
    sessionStorage.removeItem(KEPT);
    await again();
  });
  put(root, page.element);
  const tick = async () => {
    if (!own.alive || !page.element.isConnected) return;
    try {
      await page.update();
      put(page.trouble);
    } catch (problem) {
      if (problem.status === 401) return void again();
      put(page.trouble, failure(problem));
    }
    setTimeout(tick, EVERY_MS);
  };
  await tick();
}
