// The language of the console: every text comes from a message file, one for each language.
// A message is a text with {placeholders}, or its plural forms by the rules of the language.

/** The languages with a message file, each by its own name. English is the source. */
export const LANGUAGES = { en: "English", nl: "Nederlands", de: "Deutsch", el: "Ελληνικά" };
const KEPT = "tablewire-language";

const known = (tag) => String(tag).split("-")[0].toLowerCase();

function chosen() {
  const wishes = [localStorage.getItem(KEPT), ...navigator.languages].filter(Boolean);
  return wishes.map(known).find((one) => Object.hasOwn(LANGUAGES, one)) || "en";
}

export const language = chosen();
/** The language with its region, if the browser names one: "nl-BE" writes dates as in Belgium. */
export const locale = navigator.languages.find((tag) => known(tag) === language) || language;

const messages = await (await fetch(new URL(`messages/${language}.json`, import.meta.url))).json();
const plurals = new Intl.PluralRules(language);
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
document.documentElement.lang = language;

/** Whether a key has a message, as words of the wire may have. */
export const has = (key) => Object.hasOwn(messages, key);

/** A message by its key. values: of its placeholders; `count` chooses the plural form. */
export function t(key, values = {}) {
  const message = messages[key];
  const text = message?.other === undefined ? message : message[plurals.select(values.count)];
  return text.replace(/\{(\w+)\}/g, (_all, name) => (
    name === "count" ? whole.format(values.count) : String(values[name])));
}

/** Keep a language for this browser, and show everything in it. */
export function choose(wanted) {
  localStorage.setItem(KEPT, wanted);
  location.reload();
}
