// The words of the wire and of the ledger in the language of the console.

import { has, language, t } from "./language.js";

const SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };

/** A text with its first letter a capital. */
const capital = (text) => text[0].toLocaleUpperCase(language) + text.slice(1);

/** The message of a word, else the word without its underscores. */
function inGroup(group, word) {
  const key = `${group}.${String(word).toLowerCase()}`;
  return has(key) ? t(key) : String(word).replaceAll("_", " ");
}

/** A word as inside a sentence. */
export const inside = (word) => inGroup("word", word);

/** A word alone, its first letter a capital. */
export function plain(word) {
  return word === null || word === undefined || word === "" ? "–" : capital(inside(word));
}

export const phase = (word) => capital(word ? inGroup("phase", word) : t("words.not_reported_yet"));
export const link = (word) => capital(inGroup("link", word));
/** What a round lacks, by its code; nothing in English, where the host says it in full. */
export const lack = ({ code }) => (language !== "en" && has(`lack.${code}`)
  ? capital(t(`lack.${code}`)) : "");
/** What needs a person, by its kind; in English as the host says it, with its particulars. */
export const need = ({ kind, text }) => (language !== "en" && has(`word.${kind}`)
  ? capital(t(`word.${kind}`)) : alarmText(text));
export const game = (word) => capital(inGroup("game", word));
export const cause = (word) => (word ? capital(inGroup("cause", word)) : "");

/** Game, variant and edition of a table in one line. */
export function terms(table) {
  const variant = table.variant ? `, ${inside(table.variant)}` : "";
  return `${game(table.game)}${variant} · ${table.rules}`;
}

/** Whether a word names a card, such as "TH". */
export const isCard = (text) => /^[2-9TJQKA][CDHS]$/i.test(text);

/** A card as printed: "TH" is "10♥". */
export function card(name) {
  const [rank, suit] = name.toUpperCase();
  return `${rank === "T" ? "10" : rank}${SIGNS[suit]}`;
}

/** The cards in an outcome: [[hand, its cards]]. Empty where a field holds anything else. */
export function hands(outcome) {
  const { boxes = {}, ...shared } = outcome;
  const lists = [...Object.entries(shared).map(([name, value]) => [plain(name), value]),
    ...Object.entries(boxes).flatMap(([number, { cards }]) => [cards].flat(2).map(
      (text) => [t("words.box", { number }), text]))].map(([name, value]) => [name,
    typeof value === "string" ? value.split(" ") : value]);
  return lists.filter(([, cards]) => Array.isArray(cards) && cards.every(isCard));
}

/** The sum of the dice, to be appended to a word. */
export function sumOf(outcome) {
  return outcome.dice
    ? `: ${t("words.total", { sum: outcome.dice.reduce((sum, face) => sum + face, 0) })}` : "";
}

/** The outcome of a round, in short: for a chip. */
export function outcome(found) {
  if (!found) return "–";
  if (found.void !== undefined) return t("words.void");
  if (found.pocket !== undefined) return String(found.pocket);
  if (found.pays !== undefined) return String(found.pays);
  if (found.dice) return found.dice.join("\u2009·\u2009");
  if (found.drawn) return t("words.balls", { count: found.drawn.length });
  const dealt = hands(found);
  if (dealt.length) return dealt.map(([, cards]) => cards.map(card).join(" ")).join(" | ");
  return Object.entries(found).map(([name, value]) => `${plain(name)} ${shown(value)}`).join(", ");
}

function shown(value) {
  if (Array.isArray(value)) return value.map(shown).join(" ");
  return value !== null && typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The same in full, for screen readers and tables. */
export function outcomeLong(found) {
  if (!found) return t("words.no_result");
  if (found.void !== undefined) return t("words.void_because", { reason: inside(found.void) });
  if (found.pocket !== undefined) return `${found.pocket} ${inside(colour(found.pocket))}`;
  if (found.pays !== undefined) return t("words.pays", { pays: found.pays });
  if (found.drawn) return t("words.drawn", { balls: found.drawn.join(" ") });
  const dealt = hands(found);
  if (dealt.length) {
    return dealt.map(([name, cards]) => `${name} ${cards.map(card).join(" ")}`).join(", ");
  }
  return outcome(found);
}

const RED = new Set([1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36]);

/** The colour of a pocket. */
export function colour(pocket) {
  if (pocket === "0" || pocket === "00") return "green";
  return RED.has(Number(pocket)) ? "red" : "black";
}

/** The outcome in force of a round, with what it supersedes. */
export function inForce(round) {
  const outcome_ = outcomeLong(round.outcome);
  return round.superseded
    ? t("words.superseded", { outcome: outcome_, before: outcomeLong(round.superseded) }) : outcome_;
}

/** A slip in words: bet, numbers, choice. */
export function slip(given) {
  const found = typeof given === "string" ? JSON.parse(given) : given;
  const more = [];
  if (found.numbers) more.push(found.numbers.join("-"));
  if (found.index !== undefined) more.push(String(found.index));
  if (found.on !== undefined) more.push(shown(found.on));
  if (found.groups) more.push(found.groups.map(shown).join(" / "));
  if (found.ways) more.push(t("words.in_sets", { ways: shown(found.ways) }));
  if (found.games > 1) more.push(t("words.for_draws", { count: found.games }));
  if (found.choice) more.push(`(${inside(found.choice)})`);
  if (found.box) more.push(t("words.on_box", { n: found.box }));
  return [plain(found.bet), ...more].join(" ");
}

/** The box that a slip names, 0 if it names none. */
export const boxOf = (given) => (
  typeof given === "string" ? JSON.parse(given) : given).box || 0;

/** The result of a bet. */
export function fate(bet) {
  if (bet.taken_back) return t("words.withdrawn", { reason: inside(bet.taken_back) });
  if (bet.outcome) return plain(bet.outcome);
  if (bet.standing !== "valid") return plain(bet.standing);
  return t("common.play");
}

/** The text of an alarm or a stop without the signs of JSON in it. */
export function alarmText(text) {
  return String(text).replace(/[{}"]/g, "").replaceAll("_", " ");
}

/** A word with its reason: "Locked: jam in". */
export const because = (word, reason) => (reason ? `${plain(word)}: ${alarmText(reason)}` : plain(word));
