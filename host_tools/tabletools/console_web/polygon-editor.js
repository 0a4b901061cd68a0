// A polygon over a picture, whose corners are moved by pointer, touch and keyboard.

import { h, s, say } from "./dom.js";
import { t } from "./language.js";
import { field } from "./parts.js";

const STEP = 1;
const LONG_STEP = 10;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const FEWEST = 3;

const within = (value, most) => Math.min(Math.max(Math.round(value), 0), most);
const cross = ([ax, ay], [bx, by], [cx, cy]) => (bx - ax) * (cy - by) - (by - ay) * (cx - bx);

/** Whether a polygon turns one way only, once around: it does not cross itself. */
export function isConvex(corners) {
  const count = corners.length;
  let turn = 0;
  let around = 0;
  for (let k = 0; k < count; k += 1) {
    const [a, b, c] = [corners[k], corners[(k + 1) % count], corners[(k + 2) % count]];
    if (a[0] === b[0] && a[1] === b[1]) return false;
    const bend = cross(a, b, c);
    if (bend !== 0 && turn !== 0 && Math.sign(bend) !== turn) return false;
    turn = turn || Math.sign(bend);
    around += Math.atan2(bend, (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]));
  }
  return turn !== 0 && Math.abs(Math.abs(around) - 2 * Math.PI) < 0.01;
}

/** Polygons as they were, the newest last. A change of the same kind in a row is one step. */
function historyOf(first) {
  const steps = [{ corners: first, kind: null }];
  return {
    get now() { return steps.at(-1).corners; },
    get isFirst() { return steps.length === 1; },
    push(corners, kind) {
      if (kind !== null && steps.at(-1).kind === kind) steps.pop();
      steps.push({ corners, kind });
    },
    undo() {
      if (steps.length > 1) steps.pop();
    },
    reset() {
      steps.length = 1;
    },
  };
}

const pointsOf = (corners) => corners.map((corner) => corner.join(",")).join(" ");

/** The picture with the polygon, not to be changed. size: [width, height], px of the picture. */
export function polygonView(picture, corners, size) {
  const points = pointsOf(corners);
  const lines = ["under", "over"].map((name) => s("polygon", { class: name, points }));
  const drawing = s("svg", { viewBox: `0 0 ${size.join(" ")}`, "aria-hidden": "true" }, lines);
  return { lines, element: h("div", { class: "polygon" }, picture, drawing) };
}

/**
 * The editor. picture: below the polygon; announce(text): to a screen reader; most: corners;
 * changed(): called after each change and by begin(). Returns the picture with handles, the tools
 * for the selected corner, corners, isChanged, and mark(numbers) of corners that were refused.
 */
export function polygonEditor({ picture, corners, size, most, announce, changed }) {
  const history = historyOf(corners.map((corner) => [...corner]));
  const { lines, element } = polygonView(picture, corners, size);
  const handles = h("div", { class: "corners", role: "group", "aria-label": t("tray.corners") });
  const [x, y] = [t("tray.right_px"), t("tray.down_px")].map((name, k) => field(name,
    { type: "number", min: 0, max: size[k], step: 1, inputmode: "numeric", onchange: typed }));
  const chosen = h("p", { class: "chosen" }, "");
  const add = button(t("tray.add_corner"), () => insert(selected));
  const cut = button(t("tray.remove_corner"), () => remove(selected));
  const undo = button(t("tray.undo"), () => back(history.undo));
  const discard = button(t("tray.discard"), () => back(history.reset));
  let selected = 0;
  let refused = new Set();
  let dragged = null;

  function button(text, onclick) {
    return h("button", { type: "button", onclick }, text);
  }

  const label = (k) => {
    const [right, down] = history.now[k];
    return t("tray.corner_at", { number: k + 1, count: history.now.length, right, down });
  };

  function moved(k, right, down) {
    const next = history.now.map((corner) => [...corner]);
    next[k] = [within(right, size[0]), within(down, size[1])];
    return next;
  }

  function change(next, kind) {
    history.push(next, kind);
    refused = new Set();
    show();
  }

  function insert(k) {
    const now = history.now;
    if (now.length >= most) return;
    const [right, down] = [0, 1].map((axis) => (now[k][axis] + now[(k + 1) % now.length][axis]) / 2);
    const ways = [Math.floor, Math.ceil].flatMap((a) => [Math.floor, Math.ceil].map((b) => [
      ...now.slice(0, k + 1), [a(right), b(down)], ...now.slice(k + 1)]));
    selected = k + 1;
    change(ways.find(isConvex) || ways[0], null);  // rounded so that it does not bend inwards
    handles.children[selected].focus();
    announce(t("tray.added", { label: label(selected) }));
  }

  function remove(k) {
    if (history.now.length <= FEWEST) return;
    const next = history.now.filter((_, number) => number !== k);
    selected = Math.min(k, next.length - 1);
    change(next, null);
    handles.children[selected].focus();
    announce(t("tray.removed", { number: k + 1, count: next.length }));
  }

  function back(step) {
    step();
    refused = new Set();
    selected = Math.min(selected, history.now.length - 1);
    show();
    if (document.activeElement === document.body) handles.children[selected].focus();
    announce(t("tray.undone", { count: history.now.length }));
  }

  function typed() {
    if (!x.input.checkValidity() || !y.input.checkValidity() || !x.input.value || !y.input.value) {
      show();
      return;
    }
    change(moved(selected, Number(x.input.value), Number(y.input.value)), null);
  }

  function pressed(event, k) {
    const way = ARROWS[event.key];
    const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    if (way) {
      const step = event.shiftKey ? LONG_STEP : STEP;
      const [right, down] = history.now[k];
      change(moved(k, right + step * way[0], down + step * way[1]), `keys ${k}`);
      announce(label(k));
    } else if (event.key === "Delete" || event.key === "Backspace") remove(k);
    else if (event.key === "Insert" || event.key === "+") insert(k);
    else if (isUndo) back(history.undo);
    else return;
    event.preventDefault();
  }

  /** A point of the page, in px of the picture. */
  function place(event) {
    const box = element.getBoundingClientRect();
    return [(event.clientX - box.left) * size[0] / box.width,
      (event.clientY - box.top) * size[1] / box.height];
  }

  function grasp(event, k) {
    if (event.button !== 0) return;
    const [right, down] = place(event);
    const [left, top] = history.now[k];
    dragged = { k, off: [left - right, top - down], kind: `drag ${event.timeStamp}` };
    handles.children[k].setPointerCapture(event.pointerId);
  }

  function drag(event) {
    if (dragged === null) return;
    const [right, down] = place(event);
    const { k, off, kind } = dragged;
    change(moved(k, right + off[0], down + off[1]), kind);
  }

  function handle(k) {
    const one = h("button", { type: "button", class: "corner",
      onfocus: () => choose(k), onkeydown: (event) => pressed(event, k),
      onpointerdown: (event) => grasp(event, k), onpointermove: drag,
      onpointerup: () => { dragged = null; }, onpointercancel: () => { dragged = null; } },
    h("span", { "aria-hidden": "true" }, String(k + 1)));
    one.addEventListener("click", () => one.focus());  // Safari focuses no button by a click
    return one;
  }

  function choose(k) {
    selected = k;
    show();
  }

  function show() {
    const now = history.now;
    while (handles.childElementCount > now.length) handles.lastChild.remove();
    while (handles.childElementCount < now.length) handles.append(handle(handles.childElementCount));
    now.forEach(([right, down], k) => {
      const one = handles.children[k];
      one.style.left = `${100 * right / size[0]}%`;
      one.style.top = `${100 * down / size[1]}%`;
      one.setAttribute("aria-label", label(k));
      one.classList.toggle("selected", k === selected);
      one.classList.toggle("refused", refused.has(k + 1));
    });
    for (const line of lines) line.setAttribute("points", pointsOf(now));
    element.classList.toggle("crossed", !isConvex(now));
    say(chosen, label(selected));
    [x.input.value, y.input.value] = now[selected];
    add.disabled = now.length >= most;
    cut.disabled = now.length <= FEWEST;
    undo.disabled = history.isFirst;
    discard.disabled = history.isFirst;
    changed();
  }

  element.append(handles);
  const tools = h("div", { class: "polygon-tools" }, chosen,
    h("div", { class: "place" }, x.element, y.element),
    h("div", { class: "buttons" }, add, cut, undo, discard));
  return {
    element, tools, begin: show,
    get corners() { return history.now; },
    get isChanged() { return history.now.join(" ") !== corners.join(" "); },
    mark(numbers) {
      refused = new Set(numbers);
      show();
    },
  };
}
