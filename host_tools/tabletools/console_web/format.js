// Numbers, money, dates and times as the language writes them. Money is whole cents everywhere: no
// fraction is ever computed, and a formatter gets its decimal digits as text.

import { locale, t } from "./language.js";

const NONE = "–";
const whole = new Intl.NumberFormat(locale);
const tenth = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 });
const share = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 });
const typing = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, useGrouping: false });
const list = new Intl.ListFormat(locale, { type: "conjunction" });
const DAY = { day: "numeric", month: "short", year: "numeric" };
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
const day = new Intl.DateTimeFormat(locale, DAY);
const time = new Intl.DateTimeFormat(locale, CLOCK);
const both_ = new Intl.DateTimeFormat(locale, { ...DAY, ...CLOCK });
const units = new Map();

/** The digits of a whole number of the smallest units, with a point before the last places. */
function decimal(value, places) {
  const number = BigInt(value);
  const digits = (number < 0n ? -number : number).toString().padStart(places + 1, "0");
  return `${number < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

const isNone = (value) => value === null || value === undefined;

/** Cents as money: 1234567 is "€12,345.67" in English, "€ 12.345,67" in Dutch. */
export function money(cents, unit = "EUR") {
  if (isNone(cents)) return NONE;
  const currency = unit || "EUR";
  if (!units.has(currency)) {
    units.set(currency, new Intl.NumberFormat(locale, { style: "currency", currency,
      minimumFractionDigits: 2, maximumFractionDigits: 2 }));
  }
  return units.get(currency).format(decimal(cents, 2));
}

/** Money as typed, in cents, null if it is invalid: "12.50" is 1250, and so is "12,50". */
export function cents(text) {
  const found = /^\s*(\d{1,10})(?:[.,](\d{2}))?\s*$/.exec(text);
  return found ? Number(found[1]) * 100 + Number(found[2] || "0") : null;
}

/** Cents as they are typed into a field: 1250 is "12.50" in English, "12,50" in Dutch. */
export const typed = (value) => typing.format(decimal(value, 2));

/** A decimal number as the host computed it: "41.5" keeps its one decimal. */
export function number(text) {
  const places = (text.split(".")[1] || "").length;
  return new Intl.NumberFormat(locale, { minimumFractionDigits: places }).format(text);
}

/** A percentage with two decimals as the host computed it: "5.41" is "5.41 %". */
export const percent = (text) => (isNone(text) ? NONE : `${share.format(text)}\u00a0%`);

/** Hundredths of a percent: 541 is "5.41 %". */
export const hundredths = (value) => percent(decimal(value, 2));

/** A whole number with thousands separators. */
export function count(value) {
  return isNone(value) ? NONE : whole.format(value);
}

/** The names of two users or more: "Sue and Tim". */
export const both = (names) => list.format(names);

/** The time of day of an instant, in the zone of this screen. */
export const clock = (at) => time.format(new Date(at));

/** The offset of this screen's zone from UTC at an instant: "UTC", "UTC+1", "UTC−3:30". */
export function zone(at) {
  const minutes = -new Date(at).getTimezoneOffset();
  if (minutes === 0) return "UTC";
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const part = rest ? `:${String(rest).padStart(2, "0")}` : "";
  return `UTC${minutes < 0 ? "−" : "+"}${hours}${part}`;
}

/** Date and time in the zone of this screen. */
export const moment = (at) => (at ? both_.format(new Date(at)) : NONE);

/** A gaming day, "2026-11-29", as a date. */
export const date = (text) => day.format(new Date(`${text}T12:00:00`));

/** An instant in UTC, to the millisecond, as in records. */
export function utc(at) {
  return at ? `${at.slice(0, 10)} ${at.slice(11, 23)} UTC` : "";
}

/** Tenths as a decimal: 142 is "14.2". */
export const tenths = (value) => (isNone(value) ? NONE : tenth.format(decimal(value, 1)));

/** Milliseconds as seconds: 1234 is "+1.234 s". signDisplay: "auto": without the plus. */
export const seconds = (ms, signDisplay = "always") => (isNone(ms) ? NONE : t("format.seconds", {
  seconds: new Intl.NumberFormat(locale, { minimumFractionDigits: 3, signDisplay })
    .format(decimal(ms, 3)) }));
