// The wall: up to sixty tables on one screen, the most urgent first, for a display in the pit.

import { get, post } from "../api.js";
import { h, put, say } from "../dom.js";
import { money } from "../format.js";
import { t } from "../language.js";
import { order, watch } from "../needs.js";
import { empty } from "../parts.js";
import { may } from "../session.js";
import * as words from "../words.js";
import { results, standing } from "./overview.js";

const SHOWN = 5;
const TICK_MS = 1000;

/** How long ago: "12 s", "5 min", "3 h". */
function ago(at) {
  if (!at) return "";
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(at)) / 1000));
  if (seconds < 100) return t("wall.seconds", { seconds });
  return seconds < 6000 ? t("wall.minutes", { minutes: Math.round(seconds / 60) })
    : t("wall.hours", { hours: Math.round(seconds / 3600) });
}

function tileOf(table) {
  const [state, least, since, stakes, need] = ["state", "least", "since", "stakes", "need"]
    .map((name) => h("span", { class: `tile-${name}` }, ""));
  const row = results(SHOWN);
  const name = h("a", { href: `#/table/${table.id}` }, table.name);
  const element = h("li", { class: "tile" }, h("div", { class: "tile-row" }, name, state), least,
    h("div", { class: "tile-row" }, since, stakes), row.element, need);
  const minimum = table.limits.minimum;
  say(least, `${words.game(table.game)}${minimum ? `, ${money(minimum, table.currency)}` : ""}`);
  let live = null;
  let needs = [];
  return {
    element,
    set(found) {
      live = found;
    },
    need(found) {
      needs = found;
    },
    show() {
      const [kind, word] = standing(live);
      const first = needs[0];
      element.dataset.kind = first && first.priority <= 2 ? "bad" : kind;
      say(state, word);
      say(since, ago(first ? first.since_at : live && live.since_at) || " ");
      say(stakes, live ? money(live.stake_cents, table.currency) : " ");
      say(need, first ? words.need(first) : " ");
      row.update((live && live.results) || []);
    },
  };
}

/** A short tone, after the sound was switched on by a person as browsers require. */
function bell() {
  let context = null;
  return {
    on() {
      context = new AudioContext();
    },
    ring() {
      if (context === null) return;
      const tone = context.createOscillator();
      tone.connect(context.destination);
      tone.start();
      tone.stop(context.currentTime + 0.25);
    },
  };
}

export async function open({ main, frame, own }) {
  const { tables } = await get("/tables");
  if (!own.alive) return;
  if (tables.length === 0) {
    put(main, h("h1", {}, t("common.wall")), empty(t("wall.no_table_yet")));
    return;
  }
  const tiles = new Map(tables.map((one) => [one.id, tileOf(one)]));
  const list = h("ol", { class: "wall", "aria-label": t("wall.tables_most_urgent_first") });
  const urgent = h("p", { class: "wall-urgent", role: "status" }, "");
  const sound = bell();
  const button = h("button", { type: "button", onclick: () => {
    sound.on();
    button.disabled = true;
    say(button, t("wall.sound"));
  } }, t("wall.sound_urgent"));
  let known = new Set();
  let first = null;

  function rank(byTable, inHouse) {
    const all = [...byTable.values()].flat().filter((one) => one.priority === 1);
    const keys = new Set(all.map((one) => `${one.table} ${one.kind} ${one.since_at}`));
    if ([...keys].some((key) => !known.has(key))) sound.ring();
    known = keys;
    first = all.find((one) => one.alarm !== null) || null;
    const count = all.length + inHouse.length;
    const key = first && may("alarms.acknowledge") ? t("wall.acknowledges_first") : "";
    say(urgent, count === 0 ? t("wall.nothing_urgent")
      : [t("wall.urgent", { count }), key].filter(Boolean).join("; "));
    document.title = count === 0 ? t("common.wall") : `(${count}) ${t("common.wall")}`;
    for (const one of tables) tiles.get(one.id).need(byTable.get(one.id) || []);
    put(list, ...[...tables].sort(order(byTable)).map((one) => tiles.get(one.id).element));
    show();
  }

  function show() {
    for (const tile of tiles.values()) tile.show();
  }

  async function acknowledge(event) {
    if (event.key !== "a" || first === null || !may("alarms.acknowledge")) return;
    const alarm = first;
    first = null;
    await post(`/alarms/${alarm.alarm}/acknowledge`, { note: "seen on the wall" });
    await frame.recount();
    frame.announce(t("wall.alarm_acknowledged"));
  }

  for (const one of tables) tiles.get(one.id).set(frame.states.get(one.id) || one.live);
  frame.listen((number, state) => tiles.get(number) && tiles.get(number).set(state), own);
  const timer = setInterval(show, TICK_MS);
  addEventListener("keydown", acknowledge);
  own.onLeave.push(() => clearInterval(timer), () => removeEventListener("keydown", acknowledge));
  put(list, ...tables.map((one) => tiles.get(one.id).element));
  put(main, h("div", { class: "title-row" }, h("h1", {}, t("common.wall")), urgent, button), list);
  await watch(own, rank);
}
