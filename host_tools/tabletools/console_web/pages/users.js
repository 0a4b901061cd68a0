// The users who may log in, with their roles; new passwords are shown once.

import { get, patch, post } from "../api.js";
import { h, put } from "../dom.js";
import { t } from "../language.js";
import { ask, chip, field, grid, hand, time } from "../parts.js";
import { may, user } from "../session.js";
import * as words from "../words.js";
import { secondUser } from "./late.js";

const ROLES = ["dealer", "supervisor", "cashier", "technician", "auditor"].map((role) => [role,
  words.plain(role)]);

function showPassword(name, password, isAgreed) {
  hand({ title: t("users.password", { name }), secret: password,
    text: [t("users.works_first_login_only_not"),
      isAgreed ? t("users.another_supervisor_than_you_there")
        : ""].join(" ") });
}

function state(row) {
  if (!row.enabled) return chip("mute", t("users.disabled"));
  if (!row.locked_until_at || Date.parse(row.locked_until_at) < Date.now()) {
    return chip("good", t("users.enabled"));
  }
  return h("span", {}, chip("warn", t("users.locked")), ` ${t("users.until")} `, time(row.locked_until_at));
}

export async function open(context) {
  const { main, own, frame } = context;
  const { users } = await get("/users");
  if (!own.alive) return;

  /** The other supervisor, who has to agree once two have a password or sign on. */
  function agreeing() {
    const able = users.filter((row) => row.role === "supervisor"
      && (row.has_password || (user().sign_on && row.signs_on)));
    if (able.length < 2) return { fields: [], read: () => ({}) };
    const second = secondUser();
    return { fields: second.fields, read: () => ({ second: second.read() }) };
  }

  async function again(text) {
    await open(context);
    frame.announce(text);
  }

  function add() {
    const name = field(t("common.name"), { required: true, minlength: 2, maxlength: 60,
      autocomplete: "off" });
    const role = field(t("common.role"), { options: ROLES });
    const second = agreeing();
    const fields = [name, role, ...second.fields];
    ask({ title: t("users.add_user"), fields, agree: t("users.add"), act: async () => {
      const made = await post("/users", { name: name.input.value.trim(), role: role.input.value,
        ...second.read() });
      await again(t("users.added", { made: made.name }));
      showPassword(made.name, made.password, second.fields.length > 0);
    } });
  }

  function change(row) {
    const role = field(t("common.role"), { options: ROLES });
    role.input.value = row.role;
    const second = agreeing();
    ask({ title: t("users.role", { name: row.name }), text: t("users.user_logged_out_everywhere"),
      fields: [role, ...second.fields], agree: t("users.change"), act: async () => {
        await patch(`/users/${row.id}`, { role: role.input.value, ...second.read() });
        await again(t("users.now", { name: row.name, value: words.inside(role.input.value) }));
      } });
  }

  function toggle(row) {
    const word = row.enabled ? t("users.disable") : t("common.enable");
    const second = row.enabled ? { fields: [], read: () => ({}) } : agreeing();
    ask({ title: `${word} ${row.name}`, agree: word, danger: row.enabled, fields: second.fields,
      text: row.enabled ? t("users.user_logged_out_everywhere_past")
        : t("users.user_can_log_again"),
      act: async () => {
        await patch(`/users/${row.id}`, { enabled: !row.enabled, ...second.read() });
        await again(row.enabled ? t("users.is_disabled", { name: row.name })
          : t("users.is_enabled", { name: row.name }));
      } });
  }

  function reset(row) {
    const second = agreeing();
    ask({ title: t("users.new_password", { name: row.name }), agree: t("users.create_password"), danger: true,
      text: t("users.old_password_stops_working_user"), fields: second.fields,
      act: async () => {
        const made = await patch(`/users/${row.id}`, { reset_password: true, ...second.read() });
        await again(t("users.has_a_new_password", { name: row.name }));
        showPassword(row.name, made.password, second.fields.length > 0);
      } });
  }

  const button = (row, text, act) => h("button", { type: "button",
    "aria-label": `${text}: ${row.name}`, onclick: () => act(row) }, text);
  const columns = [
    [t("common.name"), (row) => (row.id === user().user ? t("users.you", { name: row.name }) : row.name)],
    [t("common.role"), (row) => words.plain(row.role)],
    [t("common.state"), state],
  ];
  if (may("users.change")) {
    columns.push([t("users.actions"), (row) => h("span", { class: "buttons" },
      button(row, t("common.role"), change),
      button(row, row.enabled ? t("users.disable") : t("common.enable"), toggle),
        button(row, t("common.new_password"), reset))]);
  }
  columns.push([t("common.since"), (row) => time(row.created_at)]);
  put(main, h("h1", {}, t("common.users")),
    may("users.change") ? h("p", {}, h("button", { type: "button", class: "primary",
      onclick: add }, t("users.add_user"))) : null,
    grid(t("common.users"), columns, users, t("users.there_no_users")));
}
