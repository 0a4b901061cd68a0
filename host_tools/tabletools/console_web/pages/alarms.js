// Alarms after ISA-18.2: what is active, what is over, who acknowledged it; those of one cause together.

import { get, post } from "../api.js";
import { h, put } from "../dom.js";
import { clock, count } from "../format.js";
import { t } from "../language.js";
import { ask, chip, empty, english, failure, field, older, time } from "../parts.js";
import { reasonOf } from "../reasons.js";
import { may } from "../session.js";
import * as words from "../words.js";

const PAGE = 100;
const URGENT = 1;
const STATES = {
  unacknowledged: ["bad", t("alarms.active_not_acknowledged")],
    acknowledged: ["warn", t("alarms.active_acknowledged")],
  returned: ["warn", t("alarms.over_not_acknowledged")], shelved: ["mute", t("alarms.shelved")],
    normal: ["good", t("alarms.normal")],
};
const PRIORITIES = [["4", t("alarms.any")], ["3", t("alarms.medium_or_more_urgent")],
  ["2", t("alarms.high_or_urgent")], ["1", t("alarms.urgent")]];
const PRIORITY_NAMES = [t("alarms.urgent"), t("alarms.high"), t("alarms.medium"), t("alarms.low")];
const SHOWN = [["open", t("alarms.open")], ["shelved", t("alarms.shelved")],
  ["all", t("alarms.all_also_past_ones")]];

function act(path, title, ids, label, done, more = [], hint = t("alarms.kept_record_under_your_name")) {
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
  act("acknowledge", ids.length === 1 ? t("alarms.acknowledge_alarm", { id: ids[0] })
    : t("alarms.acknowledge_alarms", { count: ids.length }), ids, t("alarms.what_done"), done);

function shelve(ids, done) {
  const options = [["15", t("alarms.for_15_minutes")], ["60", t("alarms.for_1_hour")],
    ["240", t("alarms.for_4_hours")],
    ["480", t("alarms.for_8_hours")]];
  act("shelve", ids.length === 1 ? t("alarms.shelve_alarm", { id: ids[0] })
    : t("alarms.shelve_alarms", { count: ids.length }), ids, t("common.why"), done,
    [field(t("alarms.for"), { options })],
    t("alarms.until_then_neither_counted_nor"));
}

function buttons(alarm, done) {
  if (!may("alarms.acknowledge") || alarm.state === "normal") return null;
  const button = (label, action) => h("button", { type: "button",
    "aria-label": t("alarms.alarm", { label, id: alarm.id }), onclick: action }, label);
  const isShelvable = alarm.state !== "shelved" && alarm.priority !== null && alarm.priority > URGENT;
  return h("p", { class: "buttons" },
    alarm.acknowledged_at === null ? button(t("alarms.acknowledge"), () => acknowledge([alarm.id], done))
      : null,
    alarm.state === "shelved" ? button(t("alarms.unshelve"),
      () => act("unshelve", t("alarms.unshelve_alarm", { id: alarm.id }),
      [alarm.id], t("common.why"), done)) : null,
    isShelvable ? button(t("alarms.shelve"), () => shelve([alarm.id], done)) : null,
    alarm.cleared_at === null ? button(t("alarms.over"),
      () => act("clear", t("alarms.alarm_over", { id: alarm.id }),
      [alarm.id], t("alarms.how_you_know"), done, [], t("alarms.host_notes_end_most_causes"))) : null);
}

function history(alarm) {
  const facts = [
    alarm.cleared_at && h("p", {}, h("b", {}, `${t("alarms.over_word")} `), time(alarm.cleared_at), " ",
      alarm.cleared_name || t("alarms.noted_host")),
    alarm.acknowledged_at && h("p", {}, h("b", {}, `${alarm.acknowledged_name}: `), alarm.note, " (",
      time(alarm.acknowledged_at), ")"),
    alarm.state === "shelved" && h("p", {},
      h("b", {}, `${t("alarms.shelved_it", { user: alarm.shelved_name })} `),
      alarm.shelved_why),
  ];
  return facts.filter(Boolean);
}

function articleOf(alarm, { tables, reasons, done, chosen }) {
  const { cause, remedy } = reasonOf(reasons, alarm);
  const place = tables.get(alarm.table_id);
  const [kind, word] = STATES[alarm.state];
  const until = alarm.state === "shelved" ? ` ${t("alarms.until", { time: clock(alarm.shelved_until_at) })}`
    : "";
  const box = may("alarms.acknowledge") && alarm.state !== "normal"
    ? h("input", { type: "checkbox", "aria-label": t("alarms.select_alarm", { id: alarm.id }),
      value: alarm.id,
      checked: chosen.has(alarm.id), onchange: ({ target }) => chosen.set(alarm.id, target.checked) })
    : null;
  return h("article", { class: `alarm ${alarm.state}` },
    h("div", {},
      h("div", { class: "alarm-head" }, box && h("label", { class: "toggle" }, box),
        h("h2", {}, `${alarm.code ? `${alarm.code} · ` : ""}${words.plain(alarm.kind)}`),
        chip(kind, `${word}${until}`),
        alarm.priority ? h("span", {}, PRIORITY_NAMES[alarm.priority - 1]) : null, time(alarm.at)),
      h("p", {}, english(words.alarmText(alarm.text))),
      cause && cause !== alarm.text ? h("p", {}, h("b", {}, `${t("common.cause")} `), english(cause)) : null,
      remedy && alarm.state !== "normal" ? h("p", {}, h("b", {}, `${t("common.remedy")} `), english(remedy))
        : null,
      h("p", { class: "hint" },
        place ? h("a", { href: `#/table/${place.id}` }, place.name) : t("alarms.no_table"),
        alarm.device ? ` · ${t("common.device", { device: alarm.device })}` : "",
        alarm.round_id ? h("span", {}, " · ", h("a", { href: `#/round/${alarm.round_id}` },
          "round")) : "",
        alarm.repeats ? ` · ${t("alarms.more_same", { repeats: count(alarm.repeats) })}` : ""),
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
    h("summary", {}, `${t("alarms.more_same_cause", { count: followers.length })} `,
      [...new Set(followers.map((one) => context.tables.get(one.table_id)?.name
        || t("alarms.no_table_word")))]
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
  const chosen = [select(t("alarms.show"), "show", SHOWN), select(t("alarms.priority"), "priority",
    PRIORITIES),
    select(t("common.table"), "table",
      [["", t("common.all")], ...[...tables.values()].map((one) => [String(one.id), one.name])])];
  return h("div", { class: "filters" }, chosen.map((one) => one.element));
}

/** What is done with several at once. */
function several(shown, chosen, done) {
  const trouble = h("div", {});
  function start(action) {
    const ids = [...chosen].filter(([, isChosen]) => isChosen).map(([id]) => id);
    put(trouble);
    if (ids.length) action(ids, done);
    else put(trouble, failure({ message: t("alarms.no_alarm_selected"),
      step: t("alarms.select_some_list") }));
  }
  const all = h("button", { type: "button", onclick: () => {
    for (const box of shown.querySelectorAll(".alarm input[type=checkbox]")) {
      box.checked = true;
      chosen.set(Number(box.value), true);
    }
  } }, t("alarms.select_all"));
  return h("div", {}, h("p", { class: "buttons" }, all,
    h("button", { type: "button", onclick: () => start(acknowledge) }, t("alarms.acknowledge_selected")),
    h("button", { type: "button", onclick: () => start(shelve) }, t("alarms.shelve_selected"))), trouble);
}

export async function open({ main, query, frame, own }) {
  const [{ tables }, reasons] = await Promise.all([get("/tables"), get("/reasons")]);
  const byId = new Map(tables.map((one) => [one.id, one]));
  const show = query.get("show") || "open";
  const list = h("ul", { class: "alarms", role: "list" });
  const none = empty(show === "open" && !query.get("table")
    ? t("alarms.no_open_alarm_nothing_needs") : t("alarms.no_alarm_kind"));
  const chosen = new Map();
  const context = { tables: byId, reasons, done, chosen };
  let loaded = [];
  // A button that somebody is about to press is not replaced, nor the one a dialogue returns to.
  const isBusy = () => document.querySelector("dialog") || list.matches(":focus-within");

  async function page(isFirst, isLive = false) {
    const wanted = new URLSearchParams({ standing: show !== "all", most: PAGE });
    if (show !== "all") wanted.set("shelved", show === "shelved");
    for (const name of ["table", "priority"]) if (query.get(name)) wanted.set(name, query.get(name));
    if (!isFirst && loaded.length) wanted.set("before", loaded.at(-1).id);
    const { alarms } = await get(`/alarms?${wanted}`);
    if (!own.alive || (isLive && isBusy())) return false;
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
    frame.announce(t("common.done", { title }));
    const heading = main.querySelector("h1");
    heading.setAttribute("tabindex", "-1");
    heading.focus();
  }

  const more = older(() => page(false));
  put(main, h("h1", {}, t("common.alarms")), filters(query, byId),
    may("alarms.acknowledge") && show !== "all" ? several(list, chosen, done) : null, none, list, more);
  more.hidden = !(await page(true));
  frame.listen((_number, _state, changed) => {
    if (changed && frame.isAlarmed(changed) && !isBusy()) page(true, true);
  }, own);
}
