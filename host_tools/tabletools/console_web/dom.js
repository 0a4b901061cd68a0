// Elements made of words: data becomes text and attributes, never markup.

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

/** The same within a picture. */
export function s(name, given = {}, ...children) {
  return fill(document.createElementNS(SVG, name), given, children);
}

/** Put text into an element only when it differs: a screen reader hears what changed. */
export function say(element, text) {
  const words = text === null || text === undefined || text === "" ? "–" : String(text);
  if (element.textContent !== words) element.textContent = words;
}

/** Replace what an element holds. */
export function put(element, ...children) {
  element.replaceChildren(...children.flat(4).filter(isShown));
}

let count = 0;

/** An id nobody else has. */
export function fresh(word) {
  count += 1;
  return `${word}-${count}`;
}
