// Parts that pages share: facts, data tables, failures, empty states, times, dialogues.

import { fresh, h, put, refocus, say } from "./dom.js";
import { count, moment, utc } from "./format.js";
import { choose, has, language, LANGUAGES, t } from "./language.js";
import * as words from "./words.js";

/** A text of the host, which is English in every language of the console. */
export const english = (text) => (language === "en" || !text ? text
  : h("span", { lang: "en" }, text));

/** The choice of the language: kept in this browser. */
export function languages() {
  const one = field(t("language.label"), { onchange: ({ target }) => choose(target.value),
    options: Object.entries(LANGUAGES) });
  for (const option of one.input.options) option.lang = option.value;
  one.input.value = language;
  return h("footer", { class: "language" }, one.element);
}

/** A time in the zone of this screen with the UTC as a hint. */
export function time(at) {
  return at ? h("time", { datetime: at, title: utc(at) }, moment(at)) : "–";
}

/** A term and its value, whose element is kept for updates. */
export function fact(term, kind = "") {
  const value = h("dd", { class: kind }, "–");
  return { element: h("div", { class: "fact" }, h("dt", {}, term), value), value };
}

/** Facts as a list. terms: of each its name and its value, a text or elements. */
export function facts(terms) {
  return h("dl", { class: "facts" }, terms.map(([term, value]) => {
    const one = fact(term);
    put(one.value, value);
    return one.element;
  }));
}

/** What went wrong and what to do next. again: action of the button, if there is one. */
export function failure(problem, again = null) {
  const own = problem.status ? english : (text) => text;  // what the host refused is in English
  const title = problem.status && language !== "en" && has(`refusal.${problem.code}`)
    ? h("p", {}, h("b", {}, t(`refusal.${problem.code}`))) : null;
  const message = own(problem.message || String(problem));
  const step = problem.step
    ? h("p", {}, h("b", {}, `${t("common.next_step")} `), own(problem.step)) : null;
  const fields = (problem.errors || []).map((one) => h("li", {}, own(`${one.where || ""} `
    + `${one.what || one.msg || ""}`)));
  return h("div", { class: "failure", role: "alert" },
    title, h("p", {}, title ? message : h("b", {}, message)),
    problem.where && !fields.length ? h("p", {}, t("parts.where", { where: problem.where })) : null,
    problem.cause ? h("p", {}, `${t("common.cause")} `, own(problem.cause)) : null,
    fields.length ? h("ul", {}, fields) : null, step,
    again ? h("button", { type: "button", onclick: again }, t("parts.try_again")) : null);
}

/** An empty state, and why that is all right. */
export function empty(text) {
  return h("p", { class: "empty" }, text);
}

const AT_ONCE = 500;

/** A data table. columns: [title, row => cell, class]. Very many rows are shown on request. */
export function grid(caption, columns, rows, none) {
  if (rows.length === 0) return empty(none);
  const head = columns.map(([title, , kind]) => h("th", { scope: "col", class: kind }, title));
  const line = (row) => h("tr", {}, columns.map(([, cell, kind], place) => (
    h(place === 0 ? "th" : "td", { scope: place === 0 ? "row" : null, class: kind }, cell(row))
  )));
  const body = h("tbody", {}, rows.slice(0, AT_ONCE).map(line));
  const rest = rows.slice(AT_ONCE);
  const more = rest.length ? h("button", { type: "button", onclick: () => {
    body.append(...rest.map(line));
    more.remove();
  } }, t("parts.show_other", { rest: count(rest.length), rows: count(rows.length) })) : null;
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, head)), body), more);
}

/** A field with its label. */
export function field(label, given = {}, hint = "") {
  const id = fresh("field");
  const { options, ...more } = given;
  const hintId = hint ? `${id}-hint` : null;
  const input = options
    ? h("select", { id, "aria-describedby": hintId, ...more },
      options.map(([value, text]) => h("option", { value }, text)))
    : h(more.rows ? "textarea" : "input", { id, "aria-describedby": hintId, ...more });
  return {
    input,
    element: h("p", { class: "field" }, h("label", { for: id }, label), input,
      hint ? h("span", { class: "hint", id: hintId }, hint) : null),
  };
}

/** Ask in a dialogue. fields: of `field`; act: awaited on agreement; a failure stays visible.
 *  refuse: {label, act} of a second button that declines with the same fields. */
export function ask({ title, text = null, fields = [], agree, danger = false, act, refuse }) {
  const id = fresh("dialog");
  const trouble = h("div", {});
  const yes = h("button", { type: "submit", class: danger ? "danger" : "primary" }, agree);
  const no = refuse ? h("button", { type: "submit" }, refuse.label) : null;
  const form = h("form", { method: "dialog" }, h("h2", { id }, title),
    text ? h("p", {}, text) : null, fields.map((one) => one.element), trouble,
    h("p", { class: "buttons" }, yes, no,
      h("button", { type: "button", onclick: () => dialog.close() }, t("parts.cancel"))));
  const dialog = h("dialog", { "aria-labelledby": id }, form);
  const before = document.activeElement;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const buttons = [yes, no].filter(Boolean);
    for (const button of buttons) button.disabled = true;
    try {
      await (no && event.submitter === no ? refuse.act() : act());
      dialog.close();
    } catch (problem) {
      put(trouble, failure(problem));
    }
    for (const button of buttons) button.disabled = false;
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    refocus(before);
  });
  document.body.append(dialog);
  dialog.showModal();
  if (fields.length) fields[0].input.focus();
}

/** A notice shown once, such as a password: it stays until it was handed over. */
export function hand({ title, text, secret }) {
  ask({ title, text, agree: t("parts.i_have_handed_over"), act: async () => {},
    fields: [{ input: h("span"), element: h("p", { class: "secret" }, secret) }] });
}

/** The field in which a player types a PIN. isRequired: an account may also be opened without. */
export function pinField(isRequired) {
  return field(t("parts.pin_typed_player"), { type: "password", autocomplete: "new-password",
    inputmode: "numeric", pattern: "[0-9]{6,12}", maxlength: 12, required: isRequired },
  t("parts.pin_hint"));
}

/** A state word, with a shape so that colour is not the only sign. */
export function chip(kind, text) {
  return h("span", { class: `chip ${kind}` }, text);
}

const VERDICTS = { believed: "good", unexpected: "bad", pending: "warn" };

/** Whether the outcome in force is the table's, or two users ruled it. */
export function verdict(round) {
  if (round.superseded) return chip("warn", t("parts.corrected"));
  if (round.ruling && !round.ruling.follows) return chip("warn", t("parts.ruled_two_users"));
  return chip(VERDICTS[round.verdict] || "calm", words.plain(round.verdict));
}

/** Change the word and the kind of a chip. */
export function mark(element, kind, text) {
  const wanted = `chip ${kind}`;
  if (element.className !== wanted) element.className = wanted;
  say(element, text);
}

/** "More" below a list: fetches the next page. load: returns whether there is more. */
export function older(load, text = t("parts.show_older")) {
  const trouble = h("div", {});
  const button = h("button", { type: "button" }, text);
  const element = h("div", { class: "older" }, button, trouble);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      if (!(await load())) element.hidden = true;
      put(trouble);
    } catch (problem) {
      put(trouble, failure(problem));
    }
    button.disabled = false;
  });
  return element;
}
