// Whose turn it is to throw the dice, and the button with which a dealer moves it.

import { get, put as send, remove } from "./api.js";
import { h, put, say } from "./dom.js";
import { t } from "./language.js";
import { ask, failure, field } from "./parts.js";
import { may } from "./session.js";

const PLACES = 20;  // at most, clockwise from 1

/** Who throws, as a sentence. thrower: null where nobody was named. */
export function throws({ place, player_number: player }) {
  return player ? t("thrower.place_player_throws", { place, player }) : t("thrower.place_throws", { place });
}

/** A line with who throws, for the dealer's page of a table of dice. */
export function throwing(table, own) {
  let thrower = null;
  const text = h("span", {});
  const trouble = h("span", {});
  const button = h("button", { type: "button", onclick: () => attempt(move) });
  const element = h("p", { class: "dealer touch" }, text, may("tables.pass_dice") ? button : null, trouble);

  async function attempt(work) {
    put(trouble);
    try {
      await work();
    } catch (problem) {
      if (own.alive) put(trouble, failure(problem, () => attempt(show)));
    }
  }

  async function show() {
    ({ thrower } = await get(`/tables/${table.id}/thrower`));
    say(text, thrower ? throws(thrower) : t("thrower.nobody_throws"));
    say(button, thrower ? t("thrower.pass_dice") : t("thrower.name_thrower"));
  }

  async function move() {
    const { sessions } = await get(`/tables/${table.id}/sessions`);
    const places = Array.from({ length: PLACES }, (_, index) => [index + 1, String(index + 1)]);
    const place = field(t("thrower.place"), { options: places }, t("thrower.counted_clockwise"));
    place.input.value = thrower ? (thrower.place % PLACES) + 1 : 1;
    const reasons = [["named", t("thrower.dealer_names_player")]];
    if (thrower) {
      reasons.unshift(["won", t("thrower.after_winning_throw")],
        ["declined", t("thrower.next_player_does_not_throw")]);
    }
    const why = field(t("common.why"), { options: reasons });
    const players = sessions.map(({ account_id: account, terminal }) => [account,
      t("thrower.player_at_terminal", { account, terminal: terminal || "–" })]);
    const player = field(t("thrower.player"), { options: [["", t("thrower.not_named")], ...players] },
      t("thrower.not_needed"));
    const path = `/tables/${table.id}/thrower`;
    ask({ title: t("thrower.turn_throw", { table: table.name }), fields: [place, why, player],
      agree: t("thrower.give_turn"),
      act: () => send(path, { place: Number(place.input.value), why: why.input.value,
        account: Number(player.input.value) || null }).then(show),
      refuse: thrower && { label: t("thrower.nobody_throws_now"), act: () => remove(path).then(show) } });
  }

  attempt(show);
  return element;
}
