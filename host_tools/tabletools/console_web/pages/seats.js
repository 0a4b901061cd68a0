// Players at terminals: offer them seats, and end their sessions.

import { get, post, remove } from "../api.js";
import { h, put } from "../dom.js";
import { ask, field, grid, hand, older, time } from "../parts.js";
import { may } from "../session.js";

const PAGE = 200;

function stand(row, done) {
  ask({ title: `End the session of ${row.player} at ${row.terminal}`, agree: "End session", danger: true,
    text: "The terminal accepts no more bets from this player. Bets in play stay.",
    act: async () => {
      await remove(`/sessions/${row.id}`);
      await done(`${row.player} is no longer seated at ${row.terminal}`);
    } });
}

/** Seats as a table. done: called after a session was ended. */
export function seatGrid(rows, done) {
  const columns = [
    ["Player", (row) => h("a", { href: `#/account/${row.account_id}` },
      `${row.player}, ${row.player_number}`)],
    ["Table", (row) => h("a", { href: `#/table/${row.table_id}` }, row.table_name), "name"],
    ["Terminal", (row) => row.terminal],
    ["Since", (row) => time(row.opened_at)],
    ["Until", (row) => time(row.expires_at)],
  ];
  if (may("sessions.close")) {
    columns.push(["Action", (row) => h("button", { type: "button", "aria-label":
      `End: ${row.player} at ${row.terminal}`, onclick: () => stand(row, done) }, "End")]);
  }
  return grid("Seats", columns, rows, "No player has a seat.");
}

function seat(tables, done) {
  const number = field("Player number", { required: true, maxlength: 40, autocomplete: "off" });
  const table = field("Table", { options: tables.map((one) => [one.id, one.name]) });
  const terminal = field("Terminal", { required: true, maxlength: 100, autocomplete: "off" },
    "The name of the terminal or seat");
  ask({ title: "Offer a player a seat", fields: [number, table, terminal], agree: "Offer",
    act: async () => {
      const filter = new URLSearchParams({ player_number: number.input.value.trim() });
      const { accounts: [account] } = await get(`/accounts?${filter}`);
      if (!account) throw new Error(`No account has the number ${number.input.value.trim()}.`);
      const offer = await post(`/tables/${table.input.value}/sessions`,
        { account: account.id, terminal: terminal.input.value.trim() });
      await done(`${account.name} is offered a seat`);
      hand({ title: `Code for ${account.name}`, secret: offer.code,
        text: "Enter it at the terminal, where the player types the PIN. It is good for five minutes." });
    } });
}

export async function open(context) {
  const { main, own, frame, query } = context;
  const { tables } = await get("/tables");
  if (!own.alive) return;
  const table = field("Table", { options: [["", "All"], ...tables.map((one) => [one.id,
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

  const more = older(page, "Show more");
  put(main, h("h1", {}, "Seats"),
    may("sessions.open") && tables.length ? h("p", {}, h("button", { type: "button",
      onclick: () => seat(tables, done) }, "Offer a seat")) : null,
    h("div", { class: "filters" }, table.element), list, more);
  more.hidden = !(await page());
}
