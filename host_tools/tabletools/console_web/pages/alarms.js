// Alarms: active until a named user notes what was done about them.

import { get, post } from "../api.js";
import { h, put } from "../dom.js";
import { count } from "../format.js";
import { ask, chip, empty, field, older, time } from "../parts.js";
import { reasonOf } from "../reasons.js";
import { may } from "../session.js";
import * as words from "../words.js";

const PAGE = 50;

function acknowledge(alarm, done) {
  const note = field("What was done", { rows: 3, maxlength: 500, required: true },
    "Kept on record under your name.");
  ask({
    title: `Acknowledge alarm ${alarm.id}`, text: words.alarmText(alarm.text), fields: [note],
    agree: "Acknowledge",
    act: () => post(`/alarms/${alarm.id}/acknowledge`, { note: note.input.value }).then(done),
  });
}

function item(alarm, tables, reasons, done) {
  const { cause, remedy } = reasonOf(reasons, alarm);
  const place = tables.get(alarm.table_id);
  const heading = `${alarm.code ? `${alarm.code} · ` : ""}${words.plain(alarm.kind)}`;
  const isActive = alarm.acknowledged_at === null;
  return h("li", {}, h("article", { class: isActive ? "alarm" : "alarm done" },
    h("div", {},
      h("div", { class: "alarm-head" }, h("h2", {}, heading),
        isActive ? chip("bad", "Unacknowledged") : chip("good", "Acknowledged"), time(alarm.at)),
      h("p", {}, words.alarmText(alarm.text)),
      cause && cause !== alarm.text ? h("p", {}, h("b", {}, "Cause: "), cause) : null,
      remedy ? h("p", {}, h("b", {}, "Remedy: "), remedy) : null,
      h("p", { class: "hint" },
        place ? h("a", { href: `#/table/${place.id}` }, place.name) : "No table",
        alarm.device ? ` · device ${alarm.device}` : "",
        alarm.round_id ? h("span", {}, " · ", h("a", { href: `#/round/${alarm.round_id}` },
          "round")) : "",
        alarm.repeats ? ` · ${count(alarm.repeats)} more of the same` : ""),
      isActive ? null : h("p", {}, h("b", {}, `${alarm.acknowledged_name}: `), alarm.note, " (",
        time(alarm.acknowledged_at), ")")),
    isActive && may("alarms.acknowledge")
      ? h("p", {}, h("button", { type: "button", "aria-label": `Acknowledge alarm ${alarm.id}`,
        onclick: () => acknowledge(alarm, done) }, "Acknowledge"))
      : null));
}

export async function open({ main, query, frame, own }) {
  const [{ tables }, reasons] = await Promise.all([get("/tables"), get("/reasons")]);
  const byId = new Map(tables.map((one) => [one.id, one]));
  const all = query.get("all") === "yes";
  const list = h("ul", { class: "alarms", role: "list" });
  const none = empty(all ? "No alarm has been raised yet."
    : "No active alarm. Nothing needs attention now.");
  let before = null;

  async function page(replace) {
    const last = before && !replace ? `&before=${before}` : "";
    const found = (await get(`/alarms?standing=${!all}&most=${PAGE}${last}`)).alarms;
    if (!own.alive) return false;
    const items = found.map((one) => item(one, byId, reasons, done));
    if (replace) put(list, ...items);
    else list.append(...items);
    before = found.length ? found.at(-1).id : before;
    none.hidden = list.childElementCount > 0;
    return found.length === PAGE;
  }

  async function done() {
    await page(true);
    await frame.recount();
    frame.announce("The alarm is acknowledged");
    const heading = main.querySelector("h1");
    heading.setAttribute("tabindex", "-1");
    heading.focus();
  }

  const more = older(() => page(false));
  const change = h("input", { type: "checkbox", checked: all, onchange: () => {
    location.hash = change.checked ? "#/alarms?all=yes" : "#/alarms";
  } });
  put(main, h("h1", {}, "Alarms"),
    h("label", { class: "toggle" }, change, "Show acknowledged alarms too"), none, list, more);
  more.hidden = !(await page(true));
  frame.listen((_number, _state, changed) => {
    if (changed && frame.isAlarmed(changed) && !document.querySelector("dialog")) page(true);
  }, own);
}
