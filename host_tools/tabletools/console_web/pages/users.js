// The users who may log in, with their roles; new passwords are shown once.

import { get, patch, post } from "../api.js";
import { h, put } from "../dom.js";
import { ask, chip, field, grid, hand, time } from "../parts.js";
import { may, user } from "../session.js";
import * as words from "../words.js";

const ROLES = ["dealer", "supervisor", "cashier", "technician", "auditor"].map((role) => [role,
  words.plain(role)]);

function showPassword(name, password) {
  hand({ title: `Password of ${name}`, secret: password,
    text: "It works for the first login only and is not shown again: write it down and hand it over." });
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

  async function again(text) {
    await open(context);
    frame.announce(text);
  }

  function add() {
    const name = field("Name", { required: true, minlength: 2, maxlength: 60, autocomplete: "off" });
    const role = field("Role", { options: ROLES });
    ask({ title: "Add a user", fields: [name, role], agree: "Add", act: async () => {
      const made = await post("/users", { name: name.input.value.trim(), role: role.input.value });
      await again(`${made.name} is added`);
      showPassword(made.name, made.password);
    } });
  }

  function change(row) {
    const role = field("Role", { options: ROLES });
    role.input.value = row.role;
    ask({ title: `Role of ${row.name}`, text: "The user is logged out everywhere.", fields: [role],
      agree: "Change", act: async () => {
        await patch(`/users/${row.id}`, { role: role.input.value });
        await again(`${row.name} is ${role.input.value} now`);
      } });
  }

  function toggle(row) {
    const word = row.enabled ? "Disable" : "Enable";
    ask({ title: `${word} ${row.name}`, agree: word, danger: row.enabled,
      text: row.enabled ? "The user is logged out everywhere; past actions stay on record."
        : "The user can log in again.",
      act: async () => {
        await patch(`/users/${row.id}`, { enabled: !row.enabled });
        await again(`${row.name} is ${row.enabled ? "disabled" : "enabled"}`);
      } });
  }

  function reset(row) {
    ask({ title: `New password for ${row.name}`, agree: "Create password", danger: true,
      text: "The old password stops working, and the user is logged out everywhere.", act: async () => {
        const made = await patch(`/users/${row.id}`, { reset_password: true });
        await again(`${row.name} has a new password`);
        showPassword(row.name, made.password);
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
