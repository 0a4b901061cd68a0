// The words of the wire and of the ledger in plain English.

const PHASES = {
  closed: "Closed", bets_open: "Bets open", ball_in_rim: "Ball on the rim",
  no_more_bets: "No more bets", dropped: "Ball has dropped", turning: "Wheel turning",
  picked_up: "Dice picked up", thrown: "Dice thrown", drawing: "Drawing balls",
  dealing: "Dealing cards", shuffling: "Shuffling",
};
const LINKS = {
  online: "Online", waiting: "Waiting for the table", offline: "Table silent",
  closed: "Link closed", stranger: "Another device answers",
  stale: "Frames too old", taken: "Owned by another host",
};
const GAMES = {
  roulette: "Roulette", big_wheel: "Big Wheel", money_wheel: "Money wheel", sic_bo: "Sic Bo",
  rocket7: "Rocket 7", diceball: "Diceball", barbut: "Barbut", punto_banco: "Punto Banco",
  blackjack: "Blackjack", keno: "Keno", bingo: "Bingo", jackpot: "Jackpot",
  casino_holdem: "Casino Hold'em", ultimate: "Ultimate Texas Hold'em", red_dog: "Red Dog",
  casino_war: "Casino War", three_card: "Three Card Poker", caribbean: "Caribbean Stud",
  four_card: "Four Card Poker", poker_room: "Poker room", baccarat: "Baccarat",
};
const CAUSES = {
  no_round: "No round is open", ended: "The round has ended", enabled: "The table is enabled",
  disabled: "The table is disabled", dealer: "Closed by a user", stopped: "The device is stopped",
  link_lost: "The link is lost", fault: "A fault is active", ledger_failed: "The ledger failed",
  timeout: "The time ran out", new: "No round so far", let_go: "The host released the table",
  last_round_played: "The last round was played", last_shoe_played: "The last shoe was played",
  last_minutes_over: "The last fifteen minutes are over",
  bets_closed: "No more bets", phase: "No more bets: the round is being played",
};
const VERDICTS = { believed: "Accepted" };
const SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };

/** A word without its underscores, its first letter a capital. */
export function plain(word) {
  if (word === null || word === undefined || word === "") return "–";
  const text = String(word).replaceAll("_", " ");
  return text[0].toUpperCase() + text.slice(1);
}

export const phase = (word) => PHASES[word] || (word ? plain(word) : "Not seen yet");
export const link = (word) => LINKS[word] || plain(word);
export const game = (word) => GAMES[word] || plain(word);
export const verdict = (word) => VERDICTS[word] || plain(word);
export const cause = (word) => (word ? CAUSES[word] || plain(word) : "");

/** Game, variant and edition of a table in one line. */
export function terms(table) {
  const variant = table.variant ? `, ${plain(table.variant).toLowerCase()}` : "";
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
      (text) => [`Box ${number}`, text]))].map(([name, value]) => [name,
    typeof value === "string" ? value.split(" ") : value]);
  return lists.filter(([, cards]) => Array.isArray(cards) && cards.every(isCard));
}

/** The sum of the dice, to be appended to a word. */
export function sumOf(outcome) {
  return outcome.dice ? `: total ${outcome.dice.reduce((sum, face) => sum + face, 0)}` : "";
}

/** The outcome of a round, in short: for a chip. */
export function outcome(found) {
  if (!found) return "–";
  if (found.void !== undefined) return "void";
  if (found.pocket !== undefined) return String(found.pocket);
  if (found.pays !== undefined) return String(found.pays);
  if (found.dice) return found.dice.join("\u2009·\u2009");
  if (found.drawn) return `${found.drawn.length} balls`;
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
  if (!found) return "no result";
  if (found.void !== undefined) return `void: ${plain(found.void).toLowerCase()}`;
  if (found.pocket !== undefined) return `${found.pocket} ${colour(found.pocket)}`;
  if (found.pays !== undefined) return `pays ${found.pays} to 1`;
  if (found.drawn) return `drawn: ${found.drawn.join(" ")}`;
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
  const superseded = round.superseded ? ` (superseded: ${outcomeLong(round.superseded)})` : "";
  return `${outcomeLong(round.outcome)}${superseded}`;
}

/** A slip in words: bet, numbers, choice. */
export function slip(given) {
  const found = typeof given === "string" ? JSON.parse(given) : given;
  const more = [];
  if (found.numbers) more.push(found.numbers.join("-"));
  if (found.index !== undefined) more.push(String(found.index));
  if (found.on !== undefined) more.push(shown(found.on));
  if (found.groups) more.push(found.groups.map(shown).join(" / "));
  if (found.ways) more.push(`in sets of ${shown(found.ways)}`);
  if (found.games > 1) more.push(`for ${found.games} draws`);
  if (found.choice) more.push(`(${found.choice})`);
  if (found.box) more.push(`on box ${found.box}`);
  return [plain(found.bet), ...more].join(" ");
}

/** The box that a slip names, 0 if it names none. */
export const boxOf = (given) => (
  typeof given === "string" ? JSON.parse(given) : given).box || 0;

/** The result of a bet. */
export function fate(bet) {
  if (bet.taken_back) return `Withdrawn: ${plain(bet.taken_back).toLowerCase()}`;
  if (bet.outcome) return plain(bet.outcome);
  if (bet.standing !== "valid") return plain(bet.standing);
  return "In play";
}

/** The text of an alarm or a stop without the signs of JSON in it. */
export function alarmText(text) {
  return String(text).replace(/[{}"]/g, "").replaceAll("_", " ");
}

/** A word with its reason: "Locked: jam in". */
export const because = (word, reason) => (reason ? `${plain(word)}: ${alarmText(reason)}` : plain(word));
