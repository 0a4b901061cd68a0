// Pictures of wheels that turn: a roulette wheel with its ball, a money wheel under its flapper.

import { s, say } from "./dom.js";
import { t } from "./language.js";
import * as words from "./words.js";

// Printed orders, clockwise; a test compares them with those of the firmware.
export const SINGLE = ("0 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31"
  + " 9 22 18 29 7 28 12 35 3 26").split(" ");
export const DOUBLE = ("0 2 14 35 23 4 16 33 21 6 18 31 19 8 12 29 25 10 27 00 1 13 36 24 3 15 34"
  + " 22 5 17 32 20 7 11 30 26 9 28").split(" ");
export const SEGMENTS_52 = ("1 3 5 1 10 1 3 1 5 1 3 1 20 45 1 3 1 5 1 3 1 10 1 5 3 1 1 3 5 1 10 1 3"
  + " 1 5 1 3 1 20 45 1 3 1 5 1 3 1 10 1 5 3 1").split(" ");
export const SEGMENTS_54 = ("1 2 5 1 2 1 10 1 2 1 5 20 1 2 1 40 2 1 5 1 2 1 10 2 1 1 5 2 1 2 1 10 1"
  + " 2 1 5 1 2 20 1 40 2 1 5 1 2 1 10 1 2 1 5 2 1").split(" ");

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
  const rotor = s("g", { class: "rotor" },
    s("circle", { class: "inner", cx: MIDDLE, cy: MIDDLE, r: 112 }), fields,
    [0, 90, 180, 270].map((angle) => s("path", { class: "spoke",
      d: `M${at(64, angle)} L${at(108, angle)}` })));
  return { rotor, fields, step };
}

/** Turns a rotor in real time; still when motion is not wanted. atRest: called when it stops. */
function spinner(rotor, atRest) {
  let motion = null;
  let way = 0;
  return (direction, drpm) => {
    const sign = direction === "counter_clockwise" || direction < 0 ? -1 : 1;
    const isTurning = turn.matches && Boolean(drpm);
    if (!isTurning) {
      motion = atRest(motion);
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

/** The parts of every wheel: rim, rotor, the last result in the middle. more: drawn above it. */
function frame(made, more) {
  const hub = s("text", { class: "hub", x: MIDDLE, y: 214, "text-anchor": "middle" }, "–");
  const sub = s("text", { class: "hub-sub", x: MIDDLE, y: 240, "text-anchor": "middle" }, "");
  const above = s("text", { class: "hub-sub", x: MIDDLE, y: 166, "text-anchor": "middle" }, t("wheels.last"));
  const title = s("title", {}, t("wheels.wheel"));
  const element = s("svg", { class: "wheel", viewBox: "0 0 400 400", role: "img" }, title,
    s("circle", { class: "rim", cx: MIDDLE, cy: MIDDLE, r: 196 }),
    s("circle", { class: "track", cx: MIDDLE, cy: MIDDLE, r: 183 }), made.rotor,
    s("circle", { class: "boss", cx: MIDDLE, cy: MIDDLE, r: 62 }), above, hub, sub, more);
  return {
    element,
    show(label, small, place) {
      say(hub, label);
      if (sub.textContent !== small) sub.textContent = small;
      say(title, t("wheels.wheel_last", { value: [label, small].join(" ").trim() }));
      made.fields.forEach((one, index) => one.classList.toggle("last", index === place));
    },
  };
}

/** Spins according to the state, also when the preference for less motion changes. */
function spun(spin) {
  let state = null;
  turn.addEventListener("change", () => state && spin(state.machine_direction, state.machine_drpm));
  return (found) => {
    state = found;
    spin(found.machine_direction, found.machine_drpm);
  };
}

/** A roulette wheel: the ball is in its pocket and turns with the rotor. */
export function roulette(labels) {
  const made = disc(labels, words.colour);
  const ball = s("circle", { class: "ball", r: 8, cx: MIDDLE, cy: MIDDLE - 126, visibility: "hidden" });
  made.rotor.append(ball);
  const shown = frame(made, []);
  const spin = spun(spinner(made.rotor, (motion) => {
    if (motion) motion.pause();
    return motion;
  }));
  return {
    element: shown.element,
    update(state, last) {
      spin(state);
      const pocket = last?.outcome?.pocket;
      const place = pocket === undefined ? -1 : labels.indexOf(pocket);
      const none = last ? t("wheels.void") : "–";
      shown.show(pocket ?? none, pocket === undefined ? "" : words.inside(words.colour(pocket)), place);
      ball.setAttribute("visibility", place >= 0 ? "visible" : "hidden");
      const angle = Math.max(place, 0) * made.step;
      ball.setAttribute("transform", `rotate(${angle.toFixed(3)} ${MIDDLE} ${MIDDLE})`);
    },
  };
}

/** A money wheel: at rest the winning segment is under the flapper at the top. */
export function moneyWheel(labels) {
  const made = disc(labels, (label) => `pays-${label}`);
  const shown = frame(made, s("path", { class: "flapper", d: "M188 2 L212 2 L200 40 Z" }));
  let place = -1;
  const spin = spun(spinner(made.rotor, (motion) => {
    if (motion) motion.cancel();
    made.rotor.setAttribute("transform", `rotate(${(-Math.max(place, 0) * made.step).toFixed(3)})`);
    return null;
  }));
  return {
    element: shown.element,
    update(state, last) {
      const pays = last?.outcome?.pays;
      const stop = state.machine?.stop;
      place = stop && stop.pays === pays ? stop.segment : -1;
      spin(state);
      const none = last ? t("wheels.void") : "–";
      shown.show(pays === undefined ? none : String(pays), pays === undefined ? "" : t("wheels.to_one"),
        state.machine_drpm ? -1 : place);
    },
  };
}
