// Players at terminals: offer them seats, and end their sessions.

import { get, post, remove } from "../api.js";
import { h, put } from "../dom.js";
import { t } from "../language.js";
import { ask, field, grid, hand, older, time } from "../parts.js";
import { may } from "../session.js";

const PAGE = 200;

function stand(row, done) {
  ask({ title: t("seats.end_session", { player: row.player, terminal: row.terminal }),
    agree: t("seats.end_session_word"), danger: true,
    text: t("seats.terminal_accepts_no_more_bets"),
    act: async () => {
      await remove(`/sessions/${row.id}`);
      await done(t("seats.no_longer_seated", { player: row.player, terminal: row.terminal }));
    } });
}

/** Seats as a table. done: called after a session was ended. */
export function seatGrid(rows, done) {
  const columns = [
    [t("common.player"), (row) => h("a", { href: `#/account/${row.account_id}` },
      `${row.player}, ${row.player_number}`)],
    [t("common.table"), (row) => h("a", { href: `#/table/${row.table_id}` }, row.table_name), "name"],
    [t("common.terminal"), (row) => row.terminal],
    [t("common.since"), (row) => time(row.opened_at)],
    [t("seats.until"), (row) => time(row.expires_at)],
  ];
  if (may("sessions.close")) {
    columns.push([t("seats.action"), (row) => h("button", { type: "button", "aria-label":
      t("seats.end", { player: row.player, terminal: row.terminal }), onclick: () => stand(row, done) },
        t("seats.end_word"))]);
  }
  return grid(t("common.seats"), columns, rows, t("seats.no_player_seat"));
}

function seat(tables, done) {
  const number = field(t("common.player_number"), { required: true, maxlength: 40, autocomplete: "off" });
  const table = field(t("common.table"), { options: tables.map((one) => [one.id, one.name]) });
  const terminal = field(t("common.terminal"), { required: true, maxlength: 100, autocomplete: "off" },
    t("seats.name_terminal_or_seat"));
  ask({ title: t("seats.offer_player_seat"), fields: [number, table, terminal], agree: t("seats.offer"),
    act: async () => {
      const filter = new URLSearchParams({ player_number: number.input.value.trim() });
      const { accounts: [account] } = await get(`/accounts?${filter}`);
      if (!account) throw new Error(t("seats.no_account_number", { value: number.input.value.trim() }));
      const offer = await post(`/tables/${table.input.value}/sessions`,
        { account: account.id, terminal: terminal.input.value.trim() });
      await done(t("seats.offered_seat", { account: account.name }));
      hand({ title: t("seats.code", { account: account.name }), secret: offer.code,
        text: t("seats.enter_terminal_where_player_types") });
    } });
}

export async function open(context) {
  const { main, own, frame, query } = context;
  const { tables } = await get("/tables");
  if (!own.alive) return;
  const table = field(t("common.table"), { options: [["", t("common.all")], ...tables.map((one) => [one.id,
    one.name])] });
  table.input.value = query.get("table") || "";
  table.input.addEventListener("change", () => {
    location.hash = table.input.value ? `#/seats?table=${table.input.value}` : "#/seats";
  });
  const rows = [];
  const list = h("div", {});

  async function page() {
    const filter = new URLSearchParams({ most: PAGE });
    if (table.input.value) filter.set("table", table.input.value);
    if (rows.length) filter.set("after", rows.at(-1).id);
    const { seats } = await get(`/seats?${filter}`);
    if (!own.alive) return false;
    rows.push(...seats);
    put(list, seatGrid(rows, done));
    return seats.length === PAGE;
  }

  async function done(text) {
    await open(context);
    frame.announce(text);
  }

  const more = older(page, t("common.show_more"));
  put(main, h("h1", {}, t("common.seats")),
    may("sessions.open") && tables.length ? h("p", {}, h("button", { type: "button",
      onclick: () => seat(tables, done) }, t("seats.offer_seat"))) : null,
    h("div", { class: "filters" }, table.element), list, more);
  more.hidden = !(await page());
}
