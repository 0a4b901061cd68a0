// The page of the estate: one figure at a time, read again every 10 s. Shows no HTML of a site.

import { get, whenLoggedOut } from "./console/api.js";
import { h, put, say } from "./console/dom.js";
import { money } from "./console/format.js";
import { t } from "./console/language.js";
import { failure, field, grid, languages } from "./console/parts.js";
import * as login from "./console/pages/login.js";
import * as session from "./console/session.js";
import * as words from "./console/words.js";

const FIGURES = {
  floor: t("estate.floor"), hold: t("estate.hold"), alarms: t("estate.alarms"), late: t("estate.late"),
  firmware: t("estate.firmware"), days: t("estate.days"), bias: t("estate.bias"),
  offers: t("estate.offers"),
};
const BY = ["site", "pit", "table", "game", "wheel_model", "ball_batch", "dealer"];
const USED = { floor: ["hours"], hold: ["by", "hours"], bias: ["by", "hours"], alarms: ["open_s"],
  late: ["hours"] };
const CODED = new Set(["game", "kind", "role", "attested", "verdict", "decision"]);  // words of the host
const AGAIN_MS = 10_000;

const fields = {
  by: field(t("estate.by"), { name: "by", options: BY.map((name) => [name, t(`column.${name}`)]) }),
  hours: field(t("estate.hours"), { name: "hours", type: "number", min: 1, max: 8784, value: 24 }),
  open_s: field(t("estate.open_longer"), { name: "open_s", type: "number", min: 0, value: 600 }),
};
const links = Object.entries(FIGURES).map(([name, label]) => h("a", { href: `#${name}` }, label));
const rowCount = h("p", { role: "status" });
const table = h("div", {});
let shown = "";

function figure() {
  const name = location.hash.slice(1);
  return Object.hasOwn(FIGURES, name) ? name : "floor";
}

function text(name, row) {
  const value = row[name];
  if (value === null || value === "") return "–";
  if (name.endsWith("_cents") && row.currency) return money(value, row.currency);
  return CODED.has(name) ? words.inside(value) : String(value);
}

function columns(rows) {
  const isNumber = (name) => rows.every((row) => row[name] === null || /^[-+.\de]+$/.test(row[name]));
  return Object.keys(rows[0] || {}).map((name) => [t(`column.${name}`), (row) => text(name, row),
    isNumber(name) ? "figure" : ""]);
}

async function read() {
  const name = figure();
  const used = USED[name] ?? [];
  for (const [key, one] of Object.entries(fields)) one.element.hidden = !used.includes(key);
  for (const link of links) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const query = new URLSearchParams(used.map((key) => [key, fields[key].input.value]));
  try {
    const body = await get(`/estate/${name}?${query}`);
    if (name !== figure() || JSON.stringify(body) === shown) return;
    shown = JSON.stringify(body);
    const rows = body.rows;
    say(rowCount, t("estate.rows", { count: rows.length }));
    put(table, grid(t("estate.table"), columns(rows), rows, t("estate.no_rows")));
  } catch (problem) {
    shown = "";
    if (problem.status > 0) {
      say(rowCount, "");
      put(table, failure(problem));
    } else {
      say(rowCount, t("estate.no_answer"));
    }
  }
}

const form = h("form", { class: "question", onchange: read, onsubmit: (event) => event.preventDefault() },
  Object.values(fields).map((one) => one.element));
let timer = 0;

/** The figures, for a user who is logged in or a centre without users. */
function open() {
  const name = session.user()?.name;
  put(document.body, h("header", {}, h("h1", {}, t("estate.estate")),
    h("nav", { "aria-label": t("estate.figures") }, links),
    name ? h("p", {}, `${name} `, h("button", { type: "button",
      onclick: () => session.logout().then(() => leave()) }, t("shell.log_out"))) : null),
  h("main", {}, form, rowCount, table, languages()));
  shown = "";
  clearInterval(timer);
  timer = setInterval(read, AGAIN_MS);
  read();
}

function leave(intro = t("estate.log_in")) {
  clearInterval(timer);
  timer = 0;
  session.leave();
  put(document.body, login.view(start, intro));
}

async function start() {
  document.title = t("estate.estate");
  if (session.user() === null && !await session.resume()) return leave();
  if (session.user()?.must_change_password) {
    return put(document.body, login.passwordView(start));
  }
  return open();
}

whenLoggedOut(() => leave(t("app.your_login_ended_log_again")));
addEventListener("hashchange", () => timer && read());
start().catch((problem) => put(document.body, h("main", { class: "gate" },
  h("h1", {}, t("estate.estate")), failure(problem, () => location.reload()))));
