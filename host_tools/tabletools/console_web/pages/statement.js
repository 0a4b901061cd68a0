// The statement of a player over gaming days: balances before and after, each movement, files.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { money } from "../format.js";
import { t } from "../language.js";
import { fact, failure, field, grid, older } from "../parts.js";
import { movementColumns } from "./account.js";
import { DAYS, FILES } from "./takings.js";

const YEAR = ["366", t("statement.over_366_days")];

/** The newest page of a statement is read on below the rows before it. */
function list(where, first, own) {
  const rows = [...first.entries];
  const table = h("div", {});
  let { next } = first;
  const show = () => put(table, grid(t("account.movements"), movementColumns(first.currency), rows,
    t("statement.no_money_moved_time")));
  const more = older(async () => {
    const page = await get(`${where}&after=${next}`);
    if (!own.alive) return false;
    rows.push(...page.entries);
    ({ next } = page);
    show();
    return next !== null;
  }, t("common.show_more"));
  more.hidden = next === null;
  show();
  return [table, more];
}

export async function open({ main, parts, query, own }) {
  const id = Number(parts[0]);
  const chosen = new URLSearchParams({ days: query.get("days") || "31" });
  if (query.get("day")) chosen.set("day", query.get("day"));
  const choose = (name) => ({ target }) => {
    chosen.set(name, target.value);
    location.hash = `#/statement/${id}?${chosen}`;
  };
  const day = field(t("takings.first_gaming_day"), { type: "date", required: true, onchange: choose("day") });
  const days = field(t("takings.length"), { options: [...DAYS, YEAR], onchange: choose("days") });
  days.input.value = chosen.get("days");
  const title = h("h1", {}, t("statement.statement"));
  const body = h("div", {});
  put(main, title, h("div", { class: "filters" }, day.element, days.element), body);
  try {
    const where = `/accounts/${id}/statement?${chosen}`;
    const statement = await get(where);
    if (!own.alive) return;
    day.input.value = statement.day;
    put(title, t("statement.of_player", { player: statement.name, number: statement.player_number }));
    const balances = [[t("statement.balance_before"), statement.opening_cents],
      [t("statement.balance_after"), statement.closing_cents]].map(([term, amount]) => {
      const made = fact(term);
      put(made.value, money(amount, statement.currency));
      return made.element;
    });
    put(body, h("dl", { class: "facts amounts summary" }, balances),
      statement.is_complete ? null : h("p", { class: "hint" }, t("statement.newest_movements_missing")),
      list(where, statement, own),
      h("p", { class: "buttons" }, h("a", { class: "button", href: `#/account/${id}` },
        t("common.account")), FILES.map(([locale, example]) => h("a", { class: "button",
        href: `/v1/accounts/${id}/statement.csv?${chosen}&locale=${locale}`, download: "" },
        t("takings.file_spreadsheet", { example })))));
  } catch (problem) {
    put(body, failure(problem));
  }
}
