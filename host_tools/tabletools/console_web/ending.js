// The announced end of play: the last shoe, the last round or the last fifteen minutes.

import { post, remove } from "./api.js";
import { h, say } from "./dom.js";
import { moment } from "./format.js";
import { ask, field } from "./parts.js";
import { may } from "./session.js";

const SHOE = ["shoe", "The last shoe: the one being dealt"];
const KINDS = [["round", "The last round: this one, or the next if none is being played"],
  ["minutes", "The last fifteen minutes"]];

/** What was announced, as a sentence; empty where nothing is. */
export function ending(table) {
  if (table.play_end === "minutes") {
    return `The last fifteen minutes: no round opens bets from ${moment(table.play_end_at)} on.`;
  }
  return table.play_end ? `The last ${table.play_end} was announced: no round after it opens bets.`
    : "";
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
      say(button, shown.play_end ? "Withdraw the announced end" : "Announce the end of play");
    },
  };
}

function announce(table, role, done) {
  const options = role === "card_shoe" ? [...KINDS, SHOE] : KINDS;
  const last = field("What is announced", { options });
  ask({ title: `End of play: ${table.name}`, fields: [last], agree: "Announce",
    text: "What is being played goes on to its result. After it no round opens bets.",
    act: () => post(`/tables/${table.id}/play-end`, { last: last.input.value }).then(done) });
}
