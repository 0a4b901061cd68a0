// Players' accounts: search by number or name, open for a new player.

import { get, post } from "../api.js";
import { h, put } from "../dom.js";
import { money } from "../format.js";
import { ask, field, grid, older, pinField, time } from "../parts.js";
import { may } from "../session.js";

const PAGE = 50;
const NUMBER = "Digits, capital letters and hyphens. Only this player may have it.";
const COLUMNS = [
  ["Player number", (row) => h("a", { href: `#/account/${row.id}` }, row.player_number)],
  ["Name", (row) => row.name, "words"],
  ["Balance", (row) => money(row.balance_cents, row.currency), "figure"],
  ["Opened", (row) => time(row.created_at)],
];

function add() {
  const number = field("Player number", { required: true, maxlength: 40, autocomplete: "off",
    pattern: "[0-9A-Z\\-]{1,40}" }, NUMBER);
  const name = field("Name", { required: true, maxlength: 100, autocomplete: "off" });
  const currency = field("Currency", { required: true, value: "EUR", pattern: "[A-Z]{3}" });
  const pin = pinField(false);
  ask({ title: "Open an account", fields: [number, name, currency, pin], agree: "Open",
    act: async () => {
      const made = await post("/accounts", { player_number: number.input.value.trim(),
        name: name.input.value.trim(), currency: currency.input.value,
        pin: pin.input.value || null });
      location.hash = `#/account/${made.id}`;
    } });
}

export async function open({ main, query, own }) {
  const number = field("Player number", { type: "search", maxlength: 40 });
  const name = field("Name", { type: "search", maxlength: 100 }, "Or a part of it");
  const wanted = { player_number: number, name };
  for (const [word, one] of Object.entries(wanted)) one.input.value = query.get(word) || "";
  const form = h("form", { class: "filters", role: "search", "aria-label": "Accounts" },
    number.element, name.element,
    h("button", { type: "submit", class: "primary" }, "Search"));
  const entered = () => new URLSearchParams(Object.entries(wanted).map(([word, one]) => [word,
    one.input.value.trim()]).filter(([, value]) => value));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    location.hash = `#/accounts?${entered()}`;
  });
  const rows = [];
  const list = h("div", {});
  const search = entered();
  search.set("most", PAGE);

  async function page() {
    if (rows.length) search.set("after", rows.at(-1).id);
    const { accounts } = await get(`/accounts?${search}`);
    if (!own.alive) return false;
    rows.push(...accounts);
    put(list, grid("Accounts", COLUMNS, rows, "No account matches this search."));
    return accounts.length === PAGE;
  }

  const more = older(page, "Show more");
  put(main, h("h1", {}, "Accounts"),
    may("accounts.open") ? h("p", {}, h("button", { type: "button", onclick: add },
      "Open an account")) : null, form, list, more);
  more.hidden = !(await page());
}
