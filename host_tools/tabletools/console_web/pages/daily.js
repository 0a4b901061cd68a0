// The check before opening: level, magnet, ball and parts of each machine, with its user.

import { get, post } from "../api.js";
import { h, put } from "../dom.js";
import { t } from "../language.js";
import { ask, chip, field, grid, time } from "../parts.js";
import { may } from "../session.js";

const ITEMS = [["level", t("daily.level")], ["magnet", t("daily.magnet")],
  ["ball", t("daily.ball_dice_or_cards")],
  ["parts", t("daily.parts")]];
const MOST = 50;

function choice(label) {
  return field(label, { options: [["", t("daily.not_checked_yet")], ["ok", t("daily.ok")],
    ["bad", t("daily.bad")]],
    required: true });
}

function found(word) {
  return word === "ok" ? chip("good", t("daily.ok")) : chip("bad", t("daily.bad"));
}

/** Ask for the findings at a table's machine. done: called once they are stored. */
function check(tables, done) {
  const table = field(t("common.table"), { options: tables.map((one) => [one.id, one.name]) });
  const items = ITEMS.map(([name, label]) => [name, choice(label)]);
  const note = field(t("daily.note"), { rows: 3, maxlength: 500 }, t("daily.what_done_about"));
  ask({ title: t("daily.daily_check"), agree: t("daily.record_check"),
    text: t("daily.stored_permanently_under_your_name"),
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
    h("p", {}, t("daily.do_not_open", { name, reason })),
    h("p", {}, "tabletool diag PORT --calibrate pockets --ledger DB --by NAME has to pass first."));
}

/** The section of the maintenance page. tables: all tables. */
export function daily(tables, frame, own) {
  const warning = h("div", {});
  const list = h("div", {});
  const tableOf = new Map(tables.map((one) => [one.device, one.name]));
  const mine = tables.filter((one) => one.device !== null);
  const columns = [
    [t("daily.checked"), (row) => time(row.at)],
    [t("common.table"), (row) => tableOf.get(row.device) || t("common.device", { device: row.device }),
      "name"],
    ...ITEMS.map(([name, label]) => [label, (row) => found(row[name])]),
    [t("daily.by"), (row) => row.by],
    [t("daily.note"), (row) => row.note || "–", "words"],
  ];
  async function load() {
    const { checks, missing_walks: missing } = await get(`/daily-checks?most=${MOST}`);
    if (!own.alive) return;
    put(warning, missing.map((one) => unproved(tableOf.get(one.device), one.reason)));
    put(list, grid(t("daily.daily_checks"), columns, checks, t("daily.no_machine_been_checked_yet")));
  }
  async function kept(name) {
    await load();
    frame.announce(t("daily.check_stored", { name }));
  }
  const add = may("devices.check") && mine.length
    ? h("button", { type: "button", class: "primary", onclick: () => check(mine, kept) },
      t("daily.record_daily_check")) : null;
  return { element: h("section", { class: "panel" }, h("h2", {}, t("daily.daily_checks")),
    warning, add ? h("p", {}, add) : null, list), load };
}
