// Formatting of numbers. Money is whole cents everywhere: no fraction is ever computed.

const SIGNS = { EUR: "€", USD: "$", GBP: "£" };
const THIN = " ";

function grouped(digits) {
  return digits.replace(/\B(?=(\d{3})+$)/g, THIN);
}

/** Cents as money: 1234567 is "€ 12 345.67". */
export function money(cents, currency = "EUR") {
  if (cents === null || cents === undefined) return "–";
  const whole = BigInt(cents);
  const digits = (whole < 0n ? -whole : whole).toString().padStart(3, "0");
  const sign = whole < 0n ? "−" : "";
  const unit = SIGNS[currency] || currency;
  return `${sign}${unit}\u00a0${grouped(digits.slice(0, -2))}.${digits.slice(-2)}`;
}

/** Money as typed, in cents, null if it is invalid: "12.50" is 1250. */
export function cents(text) {
  const found = /^\s*(\d{1,10})(?:[.,](\d{2}))?\s*$/.exec(text);
  return found ? Number(found[1]) * 100 + Number(found[2] || "0") : null;
}

/** A percentage with its decimals as the host computed it: "5.41" is "5.41 %". */
export const percent = (text) => (text === null ? "–" : `${text.replace("-", "−")}\u00a0%`);

/** A whole number with thousands separators. */
export function count(value) {
  return value === null || value === undefined ? "–" : grouped(String(value));
}

const two = (value) => String(value).padStart(2, "0");

/** The time of day of an instant, in the zone of this screen. */
export function clock(at) {
  const when = new Date(at);
  return `${two(when.getHours())}:${two(when.getMinutes())}:${two(when.getSeconds())}`;
}

/** The offset of this screen's zone from UTC at an instant: "UTC", "UTC+1", "UTC−3:30". */
export function zone(at) {
  const minutes = -new Date(at).getTimezoneOffset();
  if (minutes === 0) return "UTC";
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? "−" : "+"}${hours}${rest ? `:${two(rest)}` : ""}`;
}

/** Date and time in the zone of this screen. */
export function moment(at) {
  if (!at) return "–";
  const when = new Date(at);
  const day = `${when.getFullYear()}-${two(when.getMonth() + 1)}-${two(when.getDate())}`;
  return `${day} ${clock(at)}`;
}

/** The same instant in UTC, to the millisecond, as in records. */
export function utc(at) {
  return at ? `${at.slice(0, 10)} ${at.slice(11, 23)} UTC` : "";
}

/** Tenths as a decimal: 142 is "14.2". */
export function tenths(value) {
  if (value === null || value === undefined) return "–";
  return `${Math.trunc(value / 10)}.${Math.abs(value % 10)}`;
}

/** Milliseconds as seconds: 1234 is "1.234 s", with its sign. */
export function seconds(ms) {
  if (ms === null || ms === undefined) return "–";
  const digits = String(Math.abs(ms)).padStart(4, "0");
  return `${ms < 0 ? "−" : "+"}${digits.slice(0, -3)}.${digits.slice(-3)} s`;
}
