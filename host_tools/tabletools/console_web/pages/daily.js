// The check before opening: level, magnet, ball and parts of each machine, with its user.

import { get, post } from "../api.js";
import { h, put } from "../dom.js";
import { ask, chip, field, grid, time } from "../parts.js";
import { may } from "../session.js";

const ITEMS = [["level", "Level"], ["magnet", "Magnet"], ["ball", "Ball, dice or cards"],
  ["parts", "Parts"]];
const MOST = 50;

function choice(label) {
  return field(label, { options: [["", "Not checked yet"], ["ok", "OK"], ["bad", "Bad"]],
    required: true });
}

function found(word) {
  return word === "ok" ? chip("good", "OK") : chip("bad", "Bad");
}

/** Ask for the findings at a table's machine. done: called once they are stored. */
function check(tables, done) {
  const table = field("Table", { options: tables.map((one) => [one.id, one.name]) });
  const items = ITEMS.map(([name, label]) => [name, choice(label)]);
  const note = field("Note", { rows: 3, maxlength: 500 }, "What was done about it.");
  ask({ title: "Daily check", agree: "Record the check",
    text: "Stored permanently under your name. Do not open a machine with a defect before it is "
      + "repaired and checked again.",
    fields: [table, ...items.map(([, one]) => one), note],
    act: async () => {
      const said = Object.fromEntries(items.map(([name, one]) => [name, one.input.value]));
      const place = `/tables/${table.input.value}/daily-checks`;
      await post(place, { ...said, note: note.input.value.trim() });
      await done(tables.find((one) => String(one.id) === table.input.value).name);
    } });
}

function unproved(name, reason) {
  return h("div", { class: "failure", role: "alert" },
    h("p", {}, `Do not open ${name}: ${reason}.`),
    h("p", {}, "tabletool diag PORT --calibrate pockets --ledger DB --by NAME has to pass first."));
}

/** The section of the maintenance page. tables: all tables. */
export function daily(tables, frame, own) {
  const warning = h("div", {});
  const list = h("div", {});
  const tableOf = new Map(tables.map((one) => [one.device, one.name]));
  const mine = tables.filter((one) => one.device !== null);
  const columns = [
    ["Checked", (row) => time(row.at)],
    ["Table", (row) => tableOf.get(row.device) || `device ${row.device}`, "name"],
    ...ITEMS.map(([name, label]) => [label, (row) => found(row[name])]),
    ["By", (row) => row.by],
    ["Note", (row) => row.note || "–", "words"],
  ];
  async function load() {
    const { checks, missing_walks: missing } = await get(`/daily-checks?most=${MOST}`);
    if (!own.alive) return;
    put(warning, missing.map((one) => unproved(tableOf.get(one.device), one.reason)));
    put(list, grid("Daily checks", columns, checks, "No machine has been checked yet."));
  }
  async function kept(name) {
    await load();
    frame.announce(`The check of ${name} is stored`);
  }
  const add = may("devices.check") && mine.length
    ? h("button", { type: "button", class: "primary", onclick: () => check(mine, kept) },
      "Record a daily check") : null;
  return { element: h("section", { class: "panel" }, h("h2", {}, "Daily checks"),
    warning, add ? h("p", {}, add) : null, list), load };
}
