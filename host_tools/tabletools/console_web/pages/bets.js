// Bets and settlements as tables; shared by the pages of a table and of a round.

import { h } from "../dom.js";
import { count, money, seconds } from "../format.js";
import { t } from "../language.js";
import { english, time } from "../parts.js";
import * as words from "../words.js";

/** Columns of bets in play. */
export function betColumns(currency) {
  return [
    [t("common.player"), (bet) => bet.player],
    [t("common.bet"), (bet) => words.slip(bet.slip)],
    [t("common.stake"), (bet) => money(bet.stake_cents, currency), "figure"],
    [t("common.after_opening"), (bet) => (bet.after_open_ms === null ? "–" : seconds(bet.after_open_ms)),
      "figure"],
    [t("common.state"), words.fate],
  ];
}

/** Columns of settled bets: with the article of each. */
export function settledColumns(currency) {
  return [
    [t("common.bet"), (bet) => h("a", { href: `#/receipt/bet/${bet.id}`,
      "aria-label": t("common.receipt_bet", { id: bet.id }) }, String(bet.id))],
    [t("common.player"), (bet) => bet.player, "breaks"],
    [t("common.terminal"), (bet) => bet.terminal || "–", "breaks"],
    [t("common.slip"), (bet) => words.slip(bet.slip)],
    [t("bets.placed"), (bet) => time(bet.placed_at)],
    [t("common.stake"), (bet) => money(bet.stake_cents, currency), "figure"],
    [t("common.outcome"), words.fate],
    [t("common.won"), (bet) => money(bet.win_cents, currency), "figure"],
    [t("bets.returned"), (bet) => money(bet.back_cents, currency), "figure"],
    [t("common.lost"), (bet) => money(bet.lost_cents, currency), "figure"],
    [t("common.words"), (bet) => english(bet.sentence) || "–", "words"],
  ];
}

/** The totals of a settled round. */
export function settled(round, currency, isLinked = true) {
  const facts = [
    ...(isLinked ? [[t("common.round_word"), h("a", { href: `#/round/${round.id}` }, count(round.number))]]
      : []),
    [t("common.outcome"), words.inForce(round), true],
    [t("common.bets"), count(round.bet_count)],
    [t("common.staked"), money(round.stake_cents, currency)],
    [t("common.won"), money(round.win_cents, currency)],
    [t("bets.stakes_returned"), money(round.back_cents, currency)],
    [t("bets.lost_house"), money(round.lost_cents, currency)],
    [t("common.stays_play"), money(round.live_cents, currency)],
  ];
  return h("dl", { class: "facts" }, facts.map(([term, value, isLong]) => (
    h("div", { class: isLong ? "fact whole" : "fact" }, h("dt", {}, term),
      h("dd", { class: isLong ? "long" : null }, value)))));
}
