// The frame around every page: the name, the pages, the user, whether the data is live.

import { h, put, say } from "./dom.js";
import { get } from "./api.js";
import { clock, utc, zone } from "./format.js";
import { follow } from "./live.js";
import * as session from "./session.js";
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
import * as overview from "./pages/overview.js";
import * as payouts from "./pages/payouts.js";
import * as receipt from "./pages/receipt.js";
import * as round from "./pages/round.js";
import * as rounds from "./pages/rounds.js";
import * as rules from "./pages/rules.js";
import * as rulings from "./pages/rulings.js";
import * as seats from "./pages/seats.js";
import * as table from "./pages/table.js";
import * as takings from "./pages/takings.js";
import * as users from "./pages/users.js";
import * as wall from "./pages/wall.js";

const page = (path, title, action, open, group) => ({ path, title, action, open, group });
/** A page without a place of its own in the navigation. under: path of the page it belongs to. */
const detail = (path, title, action, open, under) => ({ path, title, action, open, under });

export const PAGES = [
  page("", "Pit", "tables.see", overview.open, "Floor"),
  page("wall", "Wall", "tables.see", wall.open, "Floor"),
  page("alarms", "Alarms", "alarms.see", alarms.open, "Floor"),
  page("rounds", "Rounds", "rounds.see", rounds.open, "Floor"),
  page("rulings", "Rulings", "bets.see", rulings.open, "Floor"),
  page("late", "Late bets", "late_bets.see", late.open, "Floor"),
  page("accounts", "Accounts", "accounts.see", accounts.open, "Cash"),
  page("payouts", "Held payouts", "accounts.see", payouts.open, "Cash"),
  page("close", "Day close", "desk.see", close.open, "Cash"),
  page("seats", "Seats", "sessions.see", seats.open, "Cash"),
  page("fairness", "Fairness", "rounds.see", fairness.open, "Machines"),
  page("devices", "Devices", "devices.see", devices.open, "Machines"),
  page("maintenance", "Maintenance", "devices.see", maintenance.open, "Machines"),
  page("rules", "Alarm rules", "rules.see", rules.open, "House"),
  page("takings", "Takings", "takings.see", takings.open, "House"),
  page("users", "Users", "users.see", users.open, "House"),
  page("log", "Action log", "audit.see", log.open, "House"),
  detail("table", "Table", "tables.see", table.open, ""),
  detail("deal", "Deal", "rounds.deal", deal.open, ""),
  detail("account", "Account", "accounts.see", account.open, "accounts"),
  detail("receipt", "Receipt", "accounts.see", receipt.open, "accounts"),
  detail("round", "Round", "rounds.see", round.open, "rounds"),
];

function link(one) {
  const badge = one.path === "alarms" ? h("span", { class: "badge", hidden: true }) : null;
  return h("li", {}, h("a", { href: `#/${one.path}`, "data-path": one.path }, one.title, badge));
}

function navigation() {
  const groups = ["Floor", "Cash", "Machines", "House"].map((name) => {
    const own = PAGES.filter((one) => one.group === name && session.may(one.action));
    if (own.length === 0) return [];
    return [h("li", { class: "group" }, h("span", { class: "group-name" }, name),
      h("ul", {}, own.map(link)))];
  });
  return h("nav", { "aria-label": "Pages" }, h("ul", {}, groups));
}

/** Whether a change of a table is one of its alarms: their number may be equal, but they differ. */
const isAlarmed = (changed) => "alarms" in changed || "newest_alarm" in changed;

/** The frame of the pages. states: of every table of this host; listen(watcher): gets changes. */
export function shell(onLogout) {
  const me = session.user();
  const watchers = new Set();
  const states = new Map();
  const live = h("p", { class: "live", "data-live": "yes" }, h("span", { class: "lamp" }),
    h("span", { class: "live-word" }, "Live"));
  const lost = h("div", { class: "lost", role: "alert" });
  const now = h("time", { class: "now" }, h("span"), h("span"));
  const nav = navigation();
  const holder = h("div", { class: "page" });
  const polite = h("p", { class: "unseen", "aria-live": "polite" });
  const skip = h("a", { class: "skip", href: "#main", onclick: (event) => {
    event.preventDefault();
    document.getElementById("main").focus();
  } }, "Skip to the content");
  const root = h("div", { class: "shell" }, skip,
    h("header", {},
      h("a", { class: "brand", href: "#/" }, h("img", { src: "mark.svg", alt: "", width: 28,
        height: 28 }), h("span", {}, "Tablewire")),
      live, now,
      h("p", { class: "who" }, h("b", {}, me.name), h("span", { class: "role" }, me.role)),
      h("button", { type: "button", class: "quiet", onclick: onLogout }, "Log out")),
    nav, holder, lost, polite);

  function tick() {
    const at = new Date().toISOString();
    now.title = utc(at);
    const own = zone(at);
    say(now.firstChild, `${clock(at)} ${own}`);
    say(now.lastChild, own === "UTC" ? " " : ` · ${at.slice(11, 16)} UTC`);
  }

  function mark(since) {
    const word = since === null ? "yes" : "no";
    if (live.dataset.live === word) return;
    live.dataset.live = word;
    root.dataset.live = word;
    say(live.lastChild, since === null ? "Live" : "Not live");
    put(lost, ...(since === null ? [] : [
      h("b", {}, `Not live since ${clock(since)}`),
      h("span", {}, "This page may be out of date. Reconnecting; if this persists, check the "
        + "network of this screen and the pit host."),
    ]));
  }

  async function recount() {
    const found = await get("/alarms?shelved=false&most=500").catch(() => null);
    const badge = nav.querySelector(".badge");
    if (found === null || badge === null) return;
    const many = found.alarms.filter((one) => one.acknowledged_at === null).length;
    const word = many >= 500 ? "500+" : String(many);
    if (badge.textContent !== word && many > 0) say(polite, many === 1 ? "1 active alarm"
      : `${word} active alarms`);
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
      put(holder, main);
    },
    end() {
      stop();
      clearInterval(ticking);
    },
  };
}
