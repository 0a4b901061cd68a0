// Players' accounts: search by number or name, open for a new player.

import { get, post } from "../api.js";
import { h, put } from "../dom.js";
import { money } from "../format.js";
import { t } from "../language.js";
import { ask, field, grid, older, pinField, time } from "../parts.js";
import { may } from "../session.js";

const PAGE = 50;
const NUMBER = t("accounts.digits_capital_letters_hyphens_only");
const COLUMNS = [
  [t("common.player_number"), (row) => h("a", { href: `#/account/${row.id}` }, row.player_number)],
  [t("common.name"), (row) => row.name, "words"],
  [t("common.balance"), (row) => money(row.balance_cents, row.currency), "figure"],
  [t("accounts.opened"), (row) => time(row.created_at)],
];

function add() {
  const number = field(t("common.player_number"), { required: true, maxlength: 40, autocomplete: "off",
    pattern: "[0-9A-Z\\-]{1,40}" }, NUMBER);
  const name = field(t("common.name"), { required: true, maxlength: 100, autocomplete: "off" });
  const currency = field(t("accounts.currency"), { required: true, value: "EUR", pattern: "[A-Z]{3}" });
  const pin = pinField(false);
  ask({ title: t("accounts.open_account"), fields: [number, name, currency, pin], agree: t("accounts.open"),
    act: async () => {
      const made = await post("/accounts", { player_number: number.input.value.trim(),
        name: name.input.value.trim(), currency: currency.input.value,
        pin: pin.input.value || null });
      location.hash = `#/account/${made.id}`;
    } });
}

export async function open({ main, query, own }) {
  const number = field(t("common.player_number"), { type: "search", maxlength: 40 });
  const name = field(t("common.name"), { type: "search", maxlength: 100 }, t("accounts.or_part"));
  const wanted = { player_number: number, name };
  for (const [word, one] of Object.entries(wanted)) one.input.value = query.get(word) || "";
  const form = h("form", { class: "filters", role: "search", "aria-label": t("common.accounts") },
    number.element, name.element,
    h("button", { type: "submit", class: "primary" }, t("common.search")));
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
    put(list, grid(t("common.accounts"), COLUMNS, rows, t("accounts.no_account_matches_search")));
    return accounts.length === PAGE;
  }

  const more = older(page, t("common.show_more"));
  put(main, h("h1", {}, t("common.accounts")),
    may("accounts.open") ? h("p", {}, h("button", { type: "button", onclick: add },
      t("accounts.open_account"))) : null, form, list, more);
  more.hidden = !(await page());
}
