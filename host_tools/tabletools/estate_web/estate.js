// The page of the estate: one figure at a time, read again every 10 s. Shows no HTML of a site.

const FIGURES = {
  floor: "Floor of floors",
  hold: "Hold",
  alarms: "Alarms open too long",
  late: "Late bets",
  firmware: "Firmware",
  days: "Closed days",
  bias: "Bias",
};
const BY = ["site", "pit", "table", "game", "wheel_model", "ball_batch", "dealer"];
const USED = { floor: ["hours"], hold: ["by", "hours"], bias: ["by", "hours"], alarms: ["open_s"], late: ["hours"] };
const AGAIN_MS = 10_000;
const form = document.getElementById("wanted");
const said = document.getElementById("said");
const table = document.getElementById("rows");

function made(name, text, attributes = {}) {
  const node = document.createElement(name);
  node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

function present() {
  const name = location.hash.slice(1);
  return name in FIGURES ? name : "floor";
}

function text(name, value, row) {
  if (value === null || value === "") return "–";
  if (!name.endsWith("_cents")) return String(value);
  const money = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2 }).format(value / 100);
  return row.currency ? `${money} ${row.currency}` : money;
}

function show(rows) {
  table.replaceChildren();
  if (!rows.length) return;
  const names = Object.keys(rows[0]);
  const isNumber = (name, value) => typeof value === "number" || name === "hold_percent";
  const kind = (name) => (rows.some((row) => isNumber(name, row[name])) ? "number" : "");
  const head = made("tr", "");
  for (const name of names) {
    const label = name.replace("_cents", "").replaceAll("_", " ");
    head.append(made("th", label, { scope: "col", class: kind(name) }));
  }
  table.createTHead().append(head);
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const name of names) {
      line.append(made("td", text(name, row[name], row), { class: kind(name) }));
    }
  }
}

async function read() {
  const name = present();
  const used = USED[name] ?? [];
  for (const field of form.elements) field.parentElement.hidden = !used.includes(field.name);
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const query = new URLSearchParams(used.map((field) => [field, form.elements[field].value]));
  try {
    const answer = await fetch(`v1/estate/${name}?${query}`);
    const body = await answer.json();
    if (name !== present()) return;
    said.textContent = answer.ok ? `${body.rows.length} rows` : `${body.detail}: ${body.step}`;
    show(answer.ok ? body.rows : []);
  } catch {
    said.textContent = "The centre does not answer: these figures are old.";
  }
}

for (const [name, label] of Object.entries(FIGURES)) {
  document.getElementById("figures").append(made("a", label, { href: `#${name}` }));
}
for (const name of BY) form.elements.by.append(made("option", name.replace("_", " "), { value: name }));
addEventListener("hashchange", read);
form.addEventListener("change", read);
form.addEventListener("submit", (event) => event.preventDefault());
read();
setInterval(read, AGAIN_MS);
