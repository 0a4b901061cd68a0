// Alarms after ISA-18.2: what is active, what is over, who acknowledged it; those of one cause together.

import { get, post } from "../api.js";
import { h, put } from "../dom.js";
import { clock, count } from "../format.js";
import { ask, chip, empty, failure, field, older, time } from "../parts.js";
import { reasonOf } from "../reasons.js";
import { may } from "../session.js";
import * as words from "../words.js";

const PAGE = 100;
const URGENT = 1;
const STATES = {
  unacknowledged: ["bad", "Active, not acknowledged"], acknowledged: ["warn", "Active, acknowledged"],
  returned: ["warn", "Over, not acknowledged"], shelved: ["mute", "Shelved"], normal: ["good", "Normal"],
};
const PRIORITIES = [["4", "Any"], ["3", "Medium or more urgent"], ["2", "High or urgent"], ["1", "Urgent"]];
const PRIORITY_NAMES = ["Urgent", "High", "Medium", "Low"];
const SHOWN = [["open", "Open"], ["shelved", "Shelved"], ["all", "All, also past ones"]];

const names = (ids) => (ids.length === 1 ? `alarm ${ids[0]}` : `${ids.length} alarms`);

function act(path, title, ids, label, done, more = [], hint = "Kept on record under your name.") {
  const note = field(label, { rows: 3, maxlength: 500, required: true }, hint);
  ask({ title, fields: [note, ...more], agree: title,
    act: async () => {
      const minutes = more.length ? { minutes: Number(more[0].input.value) } : {};
      const reason = path === "acknowledge" ? "note" : "reason";
      await post(`/alarms/${path}`, { alarms: ids, [reason]: note.input.value, ...minutes });
      await done(title);
    } });
}

const acknowledge = (ids, done) =>
  act("acknowledge", `Acknowledge ${names(ids)}`, ids, "What was done", done);

function shelve(ids, done) {
  const options = [["15", "15 minutes"], ["60", "1 hour"], ["240", "4 hours"], ["480", "8 hours"]];
  act("shelve", `Shelve ${names(ids)}`, ids, "Why", done, [field("For", { options })],
    "Until then it is neither counted nor shown among what needs attention.");
}

function buttons(alarm, done) {
  if (!may("alarms.acknowledge") || alarm.state === "normal") return null;
  const button = (label, action) => h("button", { type: "button",
    "aria-label": `${label} alarm ${alarm.id}`, onclick: action }, label);
  const isShelvable = alarm.state !== "shelved" && alarm.priority !== null && alarm.priority > URGENT;
  return h("p", { class: "buttons" },
    alarm.acknowledged_at === null ? button("Acknowledge", () => acknowledge([alarm.id], done)) : null,
    alarm.state === "shelved" ? button("Unshelve", () => act("unshelve", `Unshelve alarm ${alarm.id}`,
      [alarm.id], "Why", done)) : null,
    isShelvable ? button("Shelve", () => shelve([alarm.id], done)) : null,
    alarm.cleared_at === null ? button("It is over", () => act("clear", `Alarm ${alarm.id} is over`,
      [alarm.id], "How you know", done, [], "The host notes the end of most causes by itself.")) : null);
}

function history(alarm) {
  const facts = [
    alarm.cleared_at && h("p", {}, h("b", {}, "Over: "), time(alarm.cleared_at), " ",
      alarm.cleared_name || "noted by the host"),
    alarm.acknowledged_at && h("p", {}, h("b", {}, `${alarm.acknowledged_name}: `), alarm.note, " (",
      time(alarm.acknowledged_at), ")"),
    alarm.state === "shelved" && h("p", {}, h("b", {}, `${alarm.shelved_name} shelved it: `),
      alarm.shelved_why),
  ];
  return facts.filter(Boolean);
}

function articleOf(alarm, { tables, reasons, done, chosen }) {
  const { cause, remedy } = reasonOf(reasons, alarm);
  const place = tables.get(alarm.table_id);
  const [kind, word] = STATES[alarm.state];
  const until = alarm.state === "shelved" ? ` until ${clock(alarm.shelved_until_at)}` : "";
  const box = may("alarms.acknowledge") && alarm.state !== "normal"
    ? h("input", { type: "checkbox", "aria-label": `Select alarm ${alarm.id}`, value: alarm.id,
      checked: chosen.has(alarm.id), onchange: ({ target }) => chosen.set(alarm.id, target.checked) })
    : null;
  return h("article", { class: `alarm ${alarm.state}` },
    h("div", {},
      h("div", { class: "alarm-head" }, box && h("label", { class: "toggle" }, box),
        h("h2", {}, `${alarm.code ? `${alarm.code} · ` : ""}${words.plain(alarm.kind)}`),
        chip(kind, `${word}${until}`),
        alarm.priority ? h("span", {}, PRIORITY_NAMES[alarm.priority - 1]) : null, time(alarm.at)),
      h("p", {}, words.alarmText(alarm.text)),
      cause && cause !== alarm.text ? h("p", {}, h("b", {}, "Cause: "), cause) : null,
      remedy && alarm.state !== "normal" ? h("p", {}, h("b", {}, "Remedy: "), remedy) : null,
      h("p", { class: "hint" },
        place ? h("a", { href: `#/table/${place.id}` }, place.name) : "No table",
        alarm.device ? ` · device ${alarm.device}` : "",
        alarm.round_id ? h("span", {}, " · ", h("a", { href: `#/round/${alarm.round_id}` },
          "round")) : "",
        alarm.repeats ? ` · ${count(alarm.repeats)} more of the same` : ""),
      history(alarm)),
    buttons(alarm, done));
}

/** Alarms with those that follow from each: [[first, followers]]. */
function byCause(alarms) {
  const first = new Map(alarms.map((one) => [one.id, [one, []]]));
  const groups = [];
  for (const one of alarms) {
    const cause = first.get(one.first_up);
    if (cause) cause[1].push(one);
    else groups.push(first.get(one.id));
  }
  return groups;
}

/** What waits for a user comes before what was acknowledged, the most urgent first. */
const rank = (alarm) => (alarm.acknowledged_at === null ? 0 : 10) + (alarm.priority || URGENT);

function groupOf([alarm, followers], context) {
  const rest = followers.length === 0 ? null : h("details", {},
    h("summary", {}, `${count(followers.length)} more of the same cause: `,
      [...new Set(followers.map((one) => context.tables.get(one.table_id)?.name || "no table"))]
        .slice(0, 12).join(", ")),
    h("ul", { class: "alarms", role: "list" },
      followers.map((one) => h("li", {}, articleOf(one, context)))));
  return h("li", {}, articleOf(alarm, context), rest);
}

/** The choice of what is listed; kept in the address. */
function filters(query, tables) {
  const go = () => {
    location.hash = `#/alarms?${new URLSearchParams(chosen.map((one) => [one.input.name,
      one.input.value]).filter(([, value]) => value))}`;
  };
  const select = (label, name, options) => {
    const one = field(label, { name, options, onchange: go });
    one.input.value = query.get(name) || options[0][0];
    return one;
  };
  const chosen = [select("Show", "show", SHOWN), select("Priority", "priority", PRIORITIES),
    select("Table", "table",
      [["", "All"], ...[...tables.values()].map((one) => [String(one.id), one.name])])];
  return h("div", { class: "filters" }, chosen.map((one) => one.element));
}

/** What is done with several at once. */
function several(shown, chosen, done) {
  const trouble = h("div", {});
  function start(action) {
    const ids = [...chosen].filter(([, isChosen]) => isChosen).map(([id]) => id);
    put(trouble);
    if (ids.length) action(ids, done);
    else put(trouble, failure({ message: "No alarm is selected.", step: "select some in the list" }));
  }
  const all = h("button", { type: "button", onclick: () => {
    for (const box of shown.querySelectorAll(".alarm input[type=checkbox]")) {
      box.checked = true;
      chosen.set(Number(box.value), true);
    }
  } }, "Select all");
  return h("div", {}, h("p", { class: "buttons" }, all,
    h("button", { type: "button", onclick: () => start(acknowledge) }, "Acknowledge the selected"),
    h("button", { type: "button", onclick: () => start(shelve) }, "Shelve the selected")), trouble);
}

export async function open({ main, query, frame, own }) {
  const [{ tables }, reasons] = await Promise.all([get("/tables"), get("/reasons")]);
  const byId = new Map(tables.map((one) => [one.id, one]));
  const show = query.get("show") || "open";
  const list = h("ul", { class: "alarms", role: "list" });
  const none = empty(show === "open" && !query.get("table")
    ? "No open alarm. Nothing needs attention now." : "No alarm of that kind.");
  const chosen = new Map();
  const context = { tables: byId, reasons, done, chosen };
  let loaded = [];

  async function page(isFirst) {
    const wanted = new URLSearchParams({ standing: show !== "all", most: PAGE });
    if (show !== "all") wanted.set("shelved", show === "shelved");
    for (const name of ["table", "priority"]) if (query.get(name)) wanted.set(name, query.get(name));
    if (!isFirst && loaded.length) wanted.set("before", loaded.at(-1).id);
    const { alarms } = await get(`/alarms?${wanted}`);
    if (!own.alive) return false;
    loaded = isFirst ? alarms : [...loaded, ...alarms];
    const groups = byCause(loaded);
    if (show !== "all") groups.sort(([a], [b]) => rank(a) - rank(b));  // of equal ones the newest first
    put(list, ...groups.map((group) => groupOf(group, context)));
    none.hidden = loaded.length > 0;
    return alarms.length === PAGE;
  }

  async function done(title) {
    chosen.clear();
    await page(true);
    await frame.recount();
    frame.announce(`Done: ${title}`);
    const heading = main.querySelector("h1");
    heading.setAttribute("tabindex", "-1");
    heading.focus();
  }

  const more = older(() => page(false));
  put(main, h("h1", {}, "Alarms"), filters(query, byId),
    may("alarms.acknowledge") && show !== "all" ? several(list, chosen, done) : null, none, list, more);
  more.hidden = !(await page(true));
  frame.listen((_number, _state, changed) => {
    const isBusy = document.querySelector("dialog") || list.matches(":focus-within");
    if (changed && frame.isAlarmed(changed) && !isBusy) page(true);
  }, own);
}
