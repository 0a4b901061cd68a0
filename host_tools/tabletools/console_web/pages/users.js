// The users who may log in, with their roles; new passwords are shown once.

import { get, patch, post } from "../api.js";
import { h, put } from "../dom.js";
import { ask, chip, field, grid, hand, time } from "../parts.js";
import { may, user } from "../session.js";
import * as words from "../words.js";
import { secondUser } from "./late.js";

const ROLES = ["dealer", "supervisor", "cashier", "technician", "auditor"].map((role) => [role,
  words.plain(role)]);

function showPassword(name, password, isAgreed) {
  hand({ title: `Password of ${name}`, secret: password,
    text: "It works for the first login only and is not shown again: write it down and hand it over."
      + (isAgreed ? " Another supervisor than you has to be there, and confirms the password the user"
        + " chooses." : "") });
}

function state(row) {
  if (!row.enabled) return chip("mute", "Disabled");
  if (!row.locked_until_at || Date.parse(row.locked_until_at) < Date.now()) {
    return chip("good", "Enabled");
  }
  return h("span", {}, chip("warn", "Locked"), " until ", time(row.locked_until_at));
}

export async function open(context) {
  const { main, own, frame } = context;
  const { users } = await get("/users");
  if (!own.alive) return;

  /** The other supervisor, who has to agree once two have a password. */
  function agreeing() {
    const able = users.filter((row) => row.role === "supervisor" && row.has_password);
    if (able.length < 2) return { fields: [], read: () => ({}) };
    const second = secondUser();
    return { fields: second.fields, read: () => ({ second: second.read() }) };
  }

  async function again(text) {
    await open(context);
    frame.announce(text);
  }

  function add() {
    const name = field("Name", { required: true, minlength: 2, maxlength: 60, autocomplete: "off" });
    const role = field("Role", { options: ROLES });
    const second = agreeing();
    const fields = [name, role, ...second.fields];
    ask({ title: "Add a user", fields, agree: "Add", act: async () => {
      const made = await post("/users", { name: name.input.value.trim(), role: role.input.value,
        ...second.read() });
      await again(`${made.name} is added`);
      showPassword(made.name, made.password, second.fields.length > 0);
    } });
  }

  function change(row) {
    const role = field("Role", { options: ROLES });
    role.input.value = row.role;
    const second = agreeing();
    ask({ title: `Role of ${row.name}`, text: "The user is logged out everywhere.",
      fields: [role, ...second.fields], agree: "Change", act: async () => {
        await patch(`/users/${row.id}`, { role: role.input.value, ...second.read() });
        await again(`${row.name} is ${role.input.value} now`);
      } });
  }

  function toggle(row) {
    const word = row.enabled ? "Disable" : "Enable";
    const second = row.enabled ? { fields: [], read: () => ({}) } : agreeing();
    ask({ title: `${word} ${row.name}`, agree: word, danger: row.enabled, fields: second.fields,
      text: row.enabled ? "The user is logged out everywhere; past actions stay on record."
        : "The user can log in again.",
      act: async () => {
        await patch(`/users/${row.id}`, { enabled: !row.enabled, ...second.read() });
        await again(`${row.name} is ${row.enabled ? "disabled" : "enabled"}`);
      } });
  }

  function reset(row) {
    const second = agreeing();
    ask({ title: `New password for ${row.name}`, agree: "Create password", danger: true,
      text: "The old password stops working, and the user is logged out everywhere.", fields: second.fields,
      act: async () => {
        const made = await patch(`/users/${row.id}`, { reset_password: true, ...second.read() });
        await again(`${row.name} has a new password`);
        showPassword(row.name, made.password, second.fields.length > 0);
      } });
  }

  const button = (row, text, act) => h("button", { type: "button",
    "aria-label": `${text}: ${row.name}`, onclick: () => act(row) }, text);
  const columns = [
    ["Name", (row) => (row.id === user().user ? `${row.name} (you)` : row.name)],
    ["Role", (row) => words.plain(row.role)],
    ["State", state],
  ];
  if (may("users.change")) {
    columns.push(["Actions", (row) => h("span", { class: "buttons" }, button(row, "Role", change),
      button(row, row.enabled ? "Disable" : "Enable", toggle), button(row, "New password", reset))]);
  }
  columns.push(["Since", (row) => time(row.created_at)]);
  put(main, h("h1", {}, "Users"),
    may("users.change") ? h("p", {}, h("button", { type: "button", class: "primary",
      onclick: add }, "Add a user")) : null,
    grid("Users", columns, users, "There are no users."));
}
