// Bets and settlements as tables; shared by the pages of a table and of a round.

import { h } from "../dom.js";
import { count, money, seconds } from "../format.js";
import { time } from "../parts.js";
import * as words from "../words.js";

/** Columns of bets in play. */
export function betColumns(currency) {
  return [
    ["Player", (bet) => bet.player],
    ["Bet", (bet) => words.slip(bet.slip)],
    ["Stake", (bet) => money(bet.stake_cents, currency), "figure"],
    ["After opening", (bet) => (bet.after_open_ms === null ? "–" : seconds(bet.after_open_ms)),
      "figure"],
    ["State", words.fate],
  ];
}

/** Columns of settled bets: with the article of each. */
export function settledColumns(currency) {
  return [
    ["Bet", (bet) => h("a", { href: `#/receipt/bet/${bet.id}`,
      "aria-label": `Receipt of bet ${bet.id}` }, String(bet.id))],
    ["Player", (bet) => bet.player, "breaks"],
    ["Terminal", (bet) => bet.terminal || "–", "breaks"],
    ["Slip", (bet) => words.slip(bet.slip)],
    ["Placed", (bet) => time(bet.placed_at)],
    ["Stake", (bet) => money(bet.stake_cents, currency), "figure"],
    ["Outcome", words.fate],
    ["Won", (bet) => money(bet.win_cents, currency), "figure"],
    ["Returned", (bet) => money(bet.back_cents, currency), "figure"],
    ["Lost", (bet) => money(bet.lost_cents, currency), "figure"],
    ["In words", (bet) => bet.sentence || "–", "words"],
  ];
}

/** The totals of a settled round. */
export function settled(round, currency, isLinked = true) {
  const facts = [
    ...(isLinked ? [["Round", h("a", { href: `#/round/${round.id}` }, count(round.number))]] : []),
    ["Outcome", words.inForce(round)],
    ["Bets", count(round.bet_count)],
    ["Staked", money(round.stake_cents, currency)],
    ["Won", money(round.win_cents, currency)],
    ["Stakes returned", money(round.back_cents, currency)],
    ["Lost to the house", money(round.lost_cents, currency)],
    ["Stays in play", money(round.live_cents, currency)],
  ];
  return h("dl", { class: "facts" }, facts.map(([term, value]) => (
    h("div", { class: term === "Outcome" ? "fact whole" : "fact" }, h("dt", {}, term),
      h("dd", { class: term === "Outcome" ? "long" : null }, value)))));
}
