// Creates elements: data becomes text and attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";

const isShown = (child) => child !== null && child !== undefined;

function fill(made, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(4).filter(isShown));
  return made;
}

/** An element: h("a", {href: "#/"}, "Pit"). Attributes of null and false are left out. */
export function h(name, given = {}, ...children) {
  return fill(document.createElement(name), given, children);
}

/** The same for SVG elements. */
export function s(name, given = {}, ...children) {
  return fill(document.createElementNS(SVG, name), given, children);
}

/** Set the text of an element only when it differs, so that a screen reader reads only changes. */
export function say(element, text) {
  const words = text === null || text === undefined || text === "" ? "–" : String(text);
  if (element.textContent !== words) element.textContent = words;
}

/** Replace the children of an element. */
export function put(element, ...children) {
  element.replaceChildren(...children.flat(4).filter(isShown));
}

/** Focus the first of some elements that can be focused, else the heading of the page. */
export function refocus(...wanted) {
  const one = wanted.find((each) => each?.isConnected && !each.disabled && each.checkVisibility())
    || document.querySelector("main h1");
  if (one?.localName === "h1") one.setAttribute("tabindex", "-1");
  one?.focus({ preventScroll: true });
}

/** Change a group of buttons; if that disables the one in focus, the next in order gets it. */
export function keepingFocus(group, change) {
  const focused = document.activeElement;
  const isIn = group.contains(focused);
  change();
  if (isIn && (focused.disabled || !focused.isConnected)) {
    refocus(...group.querySelectorAll("button:enabled"));
  }
}

let count = 0;

/** A unique id. */
export function fresh(word) {
  count += 1;
  return `${word}-${count}`;
}
