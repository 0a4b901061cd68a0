// The announced end of play: the last shoe, the last round or the last fifteen minutes.

import { post, remove } from "./api.js";
import { h, say } from "./dom.js";
import { moment } from "./format.js";
import { t } from "./language.js";
import { ask, field } from "./parts.js";
import { may } from "./session.js";

const SHOE = ["shoe", t("ending.last_shoe_one_being_dealt")];
const KINDS = [["round", t("ending.last_round_one_or_next")],
  ["minutes", t("ending.last_fifteen_minutes")]];

/** What was announced, as a sentence; empty where nothing is. */
export function ending(table) {
  if (table.play_end === "minutes") {
    return t("ending.last_fifteen_minutes_no_round", { time: moment(table.play_end_at) });
  }
  if (!table.play_end) return "";
  return table.play_end === "shoe" ? t("ending.last_shoe_announced_no_round")
    : t("ending.last_round_announced_no_round");
}

/** The sentence on a page, and the button by which it is announced or withdrawn.
 *  role: returns that of the machine; act: runs the withdrawal and shows its failure. */
export function announcing(table, role, act, done) {
  const text = h("p", { class: "obstacle", role: "status" });
  let shown = table;
  const button = h("button", { type: "button", onclick: () => (shown.play_end
    ? act(() => remove(`/tables/${table.id}/play-end`).then(done))
    : announce(table, role(), done)) });
  return {
    text, button: may("tables.end_play") ? button : null,
    update(state) {
      shown = state;
      const line = ending(shown);
      say(text, line);
      text.hidden = !line;
      say(button, shown.play_end ? t("ending.withdraw_announced_end") : t("ending.announce_end_play"));
    },
  };
}

function announce(table, role, done) {
  const options = role === "card_shoe" ? [...KINDS, SHOE] : KINDS;
  const last = field(t("ending.what_announced"), { options });
  ask({ title: t("ending.end_play", { table: table.name }), fields: [last], agree: t("ending.announce"),
    text: t("ending.what_being_played_goes_result"),
    act: () => post(`/tables/${table.id}/play-end`, { last: last.input.value }).then(done) });
}
