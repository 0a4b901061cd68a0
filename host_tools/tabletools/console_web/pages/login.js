// The login, and the choice of a password at the first one.

import { post } from "../api.js";
import { h, put } from "../dom.js";
import { failure, field } from "../parts.js";
import * as session from "../session.js";
import { secondUser } from "./late.js";

/** A page with one form. act: awaited on its button; a failure stays visible. */
export function gate(title, intro, fields, word, act) {
  const trouble = h("div", {});
  const button = h("button", { type: "submit", class: "primary" }, word);
  const form = h("form", {}, fields.map((one) => one.element), trouble, button);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    put(trouble);
    try {
      await act();
    } catch (problem) {
      put(trouble, failure(problem));
      fields.at(-1).input.value = "";
      fields.at(-1).input.focus();
    }
    button.disabled = false;
  });
  requestAnimationFrame(() => fields[0].input.focus());
  return h("main", { class: "gate" }, h("img", { src: "mark.svg", alt: "", width: 56,
    height: 56 }), h("h1", {}, title), h("p", {}, intro), form);
}

/** Name and password. onDone: called after the login. */
export function view(onDone, intro = "Log in to the pit.") {
  const name = field("Name", { name: "name", autocomplete: "username", required: true });
  const password = field("Password", {
    name: "password", type: "password", autocomplete: "current-password", required: true,
  });
  return gate("Tablewire", intro, [name, password], "Log in", async () => {
    await session.login(name.input.value.trim(), password.input.value);
    await onDone();
  });
}

/** The first password is good for one login: another is chosen before anything else. */
export function passwordView(onDone) {
  const old = field("Temporary password", {
    type: "password", autocomplete: "current-password", required: true,
  });
  const fresh = field("New password", {
    type: "password", autocomplete: "new-password", minlength: 10, required: true,
  }, "At least 10 characters. Do not share it.");
  const again = field("Repeat the new password", {
    type: "password", autocomplete: "new-password", minlength: 10, required: true,
  });
  const witness = session.user().password_needs_second ? secondUser("Supervisor") : null;
  const intro = `${session.user().name}, your temporary password works only once.${witness === null
    ? "" : " A supervisor who did not ask for it has to see you choose your own, and confirms below."}`;
  const fields = [old, fresh, again, ...(witness === null ? [] : witness.fields)];
  return gate("Choose a password", intro, fields, "Save password", async () => {
    if (fresh.input.value !== again.input.value) {
      const wrong = new Error("The two new passwords differ.");
      wrong.step = "type the same password twice";
      throw wrong;
    }
    await post("/me/password", { old: old.input.value, new: fresh.input.value,
      second: witness === null ? null : witness.read() });
    await session.resume();
    await onDone();
  });
}
