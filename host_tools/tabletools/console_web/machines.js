// Pictures of what is played: the wheel that turns, dice, balls, cards. Drawn from the live state.

import { h, put, s, say } from "./dom.js";
import * as words from "./words.js";

// Printed orders, clockwise; a test holds them against those of the firmware.
export const SINGLE = ("0 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31"
  + " 9 22 18 29 7 28 12 35 3 26").split(" ");
export const DOUBLE = ("0 2 14 35 23 4 16 33 21 6 18 31 19 8 12 29 25 10 27 00 1 13 36 24 3 15 34"
  + " 22 5 17 32 20 7 11 30 26 9 28").split(" ");
export const SEGMENTS_52 = ("1 3 5 1 10 1 3 1 5 1 3 1 20 45 1 3 1 5 1 3 1 10 1 5 3 1 1 3 5 1 10 1 3"
  + " 1 5 1 3 1 20 45 1 3 1 5 1 3 1 10 1 5 3 1").split(" ");

const MIDDLE = 200;
const turn = matchMedia("(prefers-reduced-motion: no-preference)");

function at(radius, degrees) {
  const angle = (degrees - 90) * Math.PI / 180;
  return [MIDDLE + radius * Math.cos(angle), MIDDLE + radius * Math.sin(angle)]
    .map((value) => value.toFixed(2)).join(" ");
}

function wedge(inner, outer, from, to) {
  return `M${at(outer, from)} A${outer} ${outer} 0 0 1 ${at(outer, to)} L${at(inner, to)} `
    + `A${inner} ${inner} 0 0 0 ${at(inner, from)} Z`;
}

/** A disc of fields that turns. kindOf: class of a label. */
function disc(labels, kindOf) {
  const step = 360 / labels.length;
  const fields = labels.map((label, place) => {
    const centre = place * step;
    return s("g", { class: `place ${kindOf(label)}` },
      s("path", { d: wedge(112, 172, centre - step / 2, centre + step / 2) }),
      s("text", { x: MIDDLE, y: 46, "text-anchor": "middle",
        transform: `rotate(${centre.toFixed(3)} ${MIDDLE} ${MIDDLE})` }, label));
  });
  const ball = s("circle", { class: "ball", r: 8, cx: MIDDLE, cy: MIDDLE - 126, visibility: "hidden" });
  const rotor = s("g", { class: "rotor" },
    s("circle", { class: "inner", cx: MIDDLE, cy: MIDDLE, r: 112 }), fields, ball,
    [0, 90, 180, 270].map((angle) => s("path", { class: "spoke",
      d: `M${at(64, angle)} L${at(108, angle)}` })));
  return { rotor, fields, ball, step };
}

/** Turns a rotor by the wall clock; still when motion is not wanted. */
function spinner(rotor) {
  let motion = null;
  let way = 0;
  return (direction, drpm) => {
    const sign = direction === "counter_clockwise" || direction < 0 ? -1 : 1;
    const isTurning = turn.matches && Boolean(drpm);
    if (!isTurning) {
      if (motion) motion.pause();
      return;
    }
    if (motion === null || way !== sign) {
      if (motion) motion.cancel();
      motion = rotor.animate([{ transform: "rotate(0deg)" },
        { transform: `rotate(${sign * 360}deg)` }], { duration: 60000, iterations: Infinity });
      way = sign;
    }
    motion.updatePlaybackRate(drpm / 10);
    if (motion.playState === "paused") motion.play();
  };
}

function wheel(labels, kindOf, textOf) {
  const made = disc(labels, kindOf);
  const hub = s("text", { class: "hub", x: MIDDLE, y: 214, "text-anchor": "middle" }, "–");
  const sub = s("text", { class: "hub-sub", x: MIDDLE, y: 240, "text-anchor": "middle" }, "");
  const above = s("text", { class: "hub-sub", x: MIDDLE, y: 166, "text-anchor": "middle" }, "Last");
  const title = s("title", {}, "The wheel");
  const picture = s("svg", { class: "wheel", viewBox: "0 0 400 400", role: "img" }, title,
    s("circle", { class: "rim", cx: MIDDLE, cy: MIDDLE, r: 196 }),
    s("circle", { class: "track", cx: MIDDLE, cy: MIDDLE, r: 183 }), made.rotor,
    s("circle", { class: "boss", cx: MIDDLE, cy: MIDDLE, r: 62 }), above, hub, sub);
  const spin = spinner(made.rotor);
  let state = null;
  turn.addEventListener("change", () => state && spin(state.rotor_direction, state.rotor_drpm));
  return {
    element: picture,
    update(found, last) {
      state = found;
      spin(found.rotor_direction, found.rotor_drpm);
      const outcome = last ? last.outcome : null;
      const { label, small, place } = textOf(outcome, labels);
      say(hub, label);
      if (sub.textContent !== small) sub.textContent = small;
      say(title, `The wheel; last ${label} ${small}`);
      made.fields.forEach((one, index) => one.classList.toggle("last", index === place));
      made.ball.setAttribute("visibility", place >= 0 ? "visible" : "hidden");
      const angle = Math.max(place, 0) * made.step;
      made.ball.setAttribute("transform", `rotate(${angle.toFixed(3)} ${MIDDLE} ${MIDDLE})`);
    },
  };
}

function pocketText(outcome, labels) {
  if (!outcome) return { label: "–", small: "", place: -1 };
  if (outcome.pocket === undefined) return { label: "void", small: "", place: -1 };
  return { label: outcome.pocket, small: words.colour(outcome.pocket),
    place: labels.indexOf(outcome.pocket) };
}

function segmentText(outcome) {
  if (!outcome) return { label: "–", small: "", place: -1 };
  if (outcome.pays === undefined) return { label: "void", small: "", place: -1 };
  return { label: String(outcome.pays), small: "to 1", place: -1 };
}

const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8],
  6: [0, 2, 3, 5, 6, 8] };

function die(face) {
  return s("svg", { class: "die", viewBox: "0 0 90 90", role: "img" }, s("title", {}, String(face)),
    s("rect", { x: 3, y: 3, width: 84, height: 84, rx: 14 }),
    (PIPS[face] || []).map((place) => s("circle", { r: 8, cx: 21 + 24 * (place % 3),
      cy: 21 + 24 * Math.trunc(place / 3) })));
}

/** One playing card from its text, such as "10h" or "Ks"; what is unknown is shown as it came. */
function card(text) {
  const found = /^(10|[2-9TJQKA])([cdhs])$/i.exec(text);
  const suit = found ? { c: "♣", d: "♦", h: "♥", s: "♠" }[found[2].toLowerCase()] : "";
  const kind = suit === "♦" || suit === "♥" ? "card red" : "card";
  return h("li", { class: kind }, found ? `${found[1].toUpperCase()}${suit}` : text);
}

/** Dice, balls or cards that lie: a panel that keeps its size. */
function panel(name) {
  const shown = h("ul", { class: "lying", role: "list" });
  const sub = h("p", { class: "lying-word" }, "–");
  const element = h("div", { class: "felt", role: "group", "aria-label": name }, shown, sub);
  let before = "";
  return {
    element,
    update(_state, last) {
      const outcome = last ? last.outcome : null;
      const word = JSON.stringify(outcome);
      if (word === before) return;
      before = word;
      put(shown, ...lying(outcome));
      say(sub, outcome ? words.outcomeLong(outcome) : "Nothing lies yet");
    },
  };
}

function lying(outcome) {
  if (!outcome) return [];
  if (outcome.dice) return outcome.dice.map((face) => h("li", {}, die(face)));
  if (outcome.drawn) return outcome.drawn.map((ball) => h("li", { class: "number" }, String(ball)));
  return Object.values(outcome).filter(Array.isArray).flat().map((one) => card(String(one)));
}

/** The picture of a table: element, and update(state, last result). */
export function machine(table) {
  if (table.game === "roulette") {
    const order = table.variant === "american00" ? DOUBLE : SINGLE;
    return wheel(order, words.colour, pocketText);
  }
  if (table.game === "big_wheel" || table.game === "money_wheel") {
    return wheel(SEGMENTS_52, (label) => `pays-${label}`, segmentText);
  }
  return panel(words.game(table.game));
}
