// The frame around every page: the name, the pages, the user, whether the data is live.

import { h, put, say } from "./dom.js";
import { get } from "./api.js";
import { clock, utc, zone } from "./format.js";
import { t } from "./language.js";
import { follow } from "./live.js";
import { languages } from "./parts.js";
import * as session from "./session.js";
import * as words from "./words.js";
import * as account from "./pages/account.js";
import * as accounts from "./pages/accounts.js";
import * as alarms from "./pages/alarms.js";
import * as close from "./pages/close.js";
import * as deal from "./pages/deal.js";
import * as devices from "./pages/devices.js";
import * as fairness from "./pages/fairness.js";
import * as late from "./pages/late.js";
import * as log from "./pages/log.js";
import * as maintenance from "./pages/maintenance.js";
import * as offers from "./pages/offers.js";
import * as overview from "./pages/overview.js";
import * as payouts from "./pages/payouts.js";
import * as receipt from "./pages/receipt.js";
import * as round from "./pages/round.js";
import * as rounds from "./pages/rounds.js";
import * as rules from "./pages/rules.js";
import * as rulings from "./pages/rulings.js";
import * as seats from "./pages/seats.js";
import * as statement from "./pages/statement.js";
import * as table from "./pages/table.js";
import * as takings from "./pages/takings.js";
import * as tray from "./pages/tray.js";
import * as users from "./pages/users.js";
import * as wallet from "./pages/wallet.js";
import * as wall from "./pages/wall.js";

const page = (path, title, action, open, group) => ({ path, title, action, open, group });
/** A page without a place of its own in the navigation. under: path of the page it belongs to. */
const detail = (path, title, action, open, under) => ({ path, title, action, open, under });

export const PAGES = [
  page("", t("common.pit"), "tables.see", overview.open, "floor"),
  page("wall", t("common.wall"), "tables.see", wall.open, "floor"),
  page("alarms", t("common.alarms"), "alarms.see", alarms.open, "floor"),
  page("rounds", t("common.rounds"), "rounds.see", rounds.open, "floor"),
  page("rulings", t("common.rulings"), "bets.see", rulings.open, "floor"),
  page("late", t("common.late_bets"), "late_bets.see", late.open, "floor"),
  page("accounts", t("common.accounts"), "accounts.see", accounts.open, "cash"),
  page("payouts", t("common.held_payouts"), "accounts.see", payouts.open, "cash"),
  page("close", t("common.day_close"), "desk.see", close.open, "cash"),
  page("wallet", t("common.wallet"), "wallet.see", wallet.open, "cash"),
  page("seats", t("common.seats"), "sessions.see", seats.open, "cash"),
  page("fairness", t("common.fairness"), "rounds.see", fairness.open, "machines"),
  page("devices", t("common.devices"), "devices.see", devices.open, "machines"),
  page("maintenance", t("common.maintenance"), "devices.see", maintenance.open, "machines"),
  page("offers", t("common.offers"), "offers.see", offers.open, "machines"),
  page("rules", t("common.alarm_rules"), "rules.see", rules.open, "house"),
  page("takings", t("common.takings"), "takings.see", takings.open, "house"),
  page("users", t("common.users"), "users.see", users.open, "house"),
  page("log", t("common.action_log"), "audit.see", log.open, "house"),
  detail("table", t("common.table"), "tables.see", table.open, ""),
  detail("tray", t("tray.tray"), "devices.see", tray.open, ""),
  detail("deal", t("shell.deal"), "rounds.deal", deal.open, ""),
  detail("account", t("common.account"), "accounts.see", account.open, "accounts"),
  detail("statement", t("statement.statement"), "accounts.see", statement.open, "accounts"),
  detail("receipt", t("common.receipt"), "accounts.see", receipt.open, "accounts"),
  detail("round", t("common.round_word"), "rounds.see", round.open, "rounds"),
];

const GROUPS = { floor: t("shell.floor"), cash: t("shell.cash"), machines: t("shell.machines"),
  house: t("shell.house") };
const MOST = 500;

function link(one) {
  const badge = one.path === "alarms" ? h("span", { class: "badge", hidden: true }) : null;
  return h("li", {}, h("a", { href: `#/${one.path}`, "data-path": one.path }, one.title, badge));
}

function navigation() {
  const groups = Object.entries(GROUPS).map(([group, name]) => {
    const own = PAGES.filter((one) => one.group === group && session.may(one.action));
    if (own.length === 0) return [];
    return [h("li", { class: "group" }, h("span", { class: "group-name" }, name),
      h("ul", {}, own.map(link)))];
  });
  return h("nav", { "aria-label": t("shell.pages") }, h("ul", {}, groups));
}

/** Whether a change of a table is one of its alarms: their number may be equal, but they differ. */
const isAlarmed = (changed) => "alarms" in changed || "newest_alarm" in changed;

/** The frame of the pages. states: of every table of this host; listen(watcher): gets changes. */
export function shell(onLogout) {
  const me = session.user();
  const watchers = new Set();
  const states = new Map();
  const live = h("p", { class: "live", "data-live": "yes" }, h("span", { class: "lamp" }),
    h("span", { class: "live-word" }, t("shell.live")));
  const lost = h("div", { class: "lost", role: "alert" });
  const now = h("time", { class: "now" }, h("span"), h("span"));
  const nav = navigation();
  const holder = h("div", { class: "page" });
  const polite = h("p", { class: "unseen", "aria-live": "polite" });
  const skip = h("a", { class: "skip", href: "#main", onclick: (event) => {
    event.preventDefault();
    document.getElementById("main").focus();
  } }, t("shell.skip_content"));
  const root = h("div", { class: "shell" }, skip,
    h("header", {},
      h("a", { class: "brand", href: "#/" }, h("img", { src: "mark.svg", alt: "", width: 28,
        height: 28 }), h("span", {}, "Tablewire")),
      live, now,
      h("p", { class: "who" }, h("b", {}, me.name), h("span", { class: "role" }, words.inside(me.role))),
      h("button", { type: "button", class: "quiet", onclick: onLogout }, t("shell.log_out"))),
    nav, holder, lost, polite);

  function tick() {
    const at = new Date().toISOString();
    now.title = utc(at);
    const own = zone(at);
    say(now.firstChild, `${clock(at)} ${own}`);
    say(now.lastChild, own === "UTC" ? " " : ` · ${t("shell.utc", { at: at.slice(11, 16) })}`);
  }

  function mark(since) {
    const word = since === null ? "yes" : "no";
    if (live.dataset.live === word) return;
    live.dataset.live = word;
    root.dataset.live = word;
    say(live.lastChild, since === null ? t("shell.live") : t("shell.not_live"));
    put(lost, ...(since === null ? [] : [
      h("b", {}, t("shell.not_live_since", { since: clock(since) })),
      h("span", {}, t("shell.page_may_out_date_reconnecting")),
    ]));
  }

  async function recount() {
    const found = await get(`/alarms?shelved=false&most=${MOST}`).catch(() => null);
    const badge = nav.querySelector(".badge");
    if (found === null || badge === null) return;
    const many = found.alarms.filter((one) => one.acknowledged_at === null).length;
    const word = many >= MOST ? `${MOST}+` : String(many);
    if (badge.textContent !== word && many > 0) say(polite, t("shell.active_alarms", { count: many }));
    badge.hidden = many === 0;
    say(badge, word);
    badge.setAttribute("aria-label", `${word} active`);
  }

  const stop = follow("/live", (number, state, changed) => {
    states.set(number, state);
    if (changed === null || isAlarmed(changed)) recount();
    for (const watcher of watchers) watcher(number, state, changed);
  }, mark, recount);  // any request shows whether the login has ended
  const ticking = setInterval(tick, 1000);
  tick();
  recount();

  return {
    root, states, recount, isAlarmed,
    listen(watcher, own) {
      watchers.add(watcher);
      own.onLeave.push(() => watchers.delete(watcher));
    },
    announce: (text) => say(polite, text),
    replace(main, one) {
      for (const a of nav.querySelectorAll("a")) {
        if (one && a.dataset.path === one.path) a.setAttribute("aria-current", "page");
        else if (one && a.dataset.path === one.under) a.setAttribute("aria-current", "true");
        else a.removeAttribute("aria-current");
      }
      // On a narrow screen the pages are a row that scrolls.
      nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
      put(holder, main, languages());
    },
    end() {
      stop();
      clearInterval(ticking);
    },
  };
}
