// The login, and the choice of a password at the first one.

import { get, post } from "../api.js";
import { h, put } from "../dom.js";
import { has, t } from "../language.js";
import { failure, field, languages } from "../parts.js";
import * as session from "../session.js";
import { secondUser } from "./late.js";

const MARK = new URL("../mark.svg", import.meta.url).href;

/** A page with one form. act: awaited on its button; a failure stays visible. more: below it. */
export function gate(title, intro, fields, word, act, more = null) {
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
  return h("main", { class: "gate" }, h("img", { src: MARK, alt: "", width: 56,
    height: 56 }), h("h1", {}, title), h("p", {}, intro), form, more, languages());
}

/** The way to the identity provider of the house, if the host has one. */
function signOn() {
  const way = h("div", {});
  get("/sign-on").then(({ is_on: isOn }) => {
    if (isOn) put(way, h("a", { class: "button", href: "/v1/sign-on/begin" }, t("login.single_sign_on")));
  }).catch(() => {});  // the password remains
  return way;
}

/** Why the host refused a login by the identity provider, said once. */
function refusal() {
  const code = new URLSearchParams(location.search).get("refused");
  if (!code) return null;
  history.replaceState(null, "", `${location.pathname}${location.hash}`);
  const key = `refusal.${code}`;
  return h("p", { class: "failure", role: "alert" },
    has(key) ? t(key) : t("login.single_sign_on_refused"));
}

/** What a user reads who comes back from a sign-on for a decision, null after none. */
export function returned() {
  const query = new URLSearchParams(location.search);
  const why = refusal();
  if (why === null && !query.has("signed_on")) return null;
  history.replaceState(null, "", `${location.pathname}${location.hash}`);
  return h("main", { class: "gate" }, h("h1", {}, t("sign_on.title")),
    why || h("p", {}, t("sign_on.done")), h("p", {}, t("sign_on.go_on")));
}

/** Name and password. onDone: called after the login. */
export function view(onDone, intro = t("login.log_pit")) {
  const name = field(t("common.name"), { name: "name", autocomplete: "username", required: true });
  const password = field(t("login.password"), {
    name: "password", type: "password", autocomplete: "current-password", required: true,
  });
  return gate("Tablewire", intro, [name, password], t("login.log"), async () => {
    await session.login(name.input.value.trim(), password.input.value);
    await onDone();
  }, [refusal(), signOn()]);
}

/** The first password is good for one login: another is chosen before anything else. */
export function passwordView(onDone) {
  const old = field(t("login.temporary_password"), {
    type: "password", autocomplete: "current-password", required: true,
  });
  const fresh = field(t("common.new_password"), {
    type: "password", autocomplete: "new-password", minlength: 10, required: true,
  }, t("login.least_10_characters_do_not"));
  const again = field(t("login.repeat_new_password"), {
    type: "password", autocomplete: "new-password", minlength: 10, required: true,
  });
  const witness = session.user().password_needs_second ? secondUser(t("login.supervisor"), false) : null;
  const intro = [t("login.your_temporary_password_works_only", { session: session.user().name }),
    witness === null
    ? "" : t("login.supervisor_who_did_not_ask")]
    .join(" ");
  const fields = [old, fresh, again, ...(witness === null ? [] : witness.fields)];
  return gate(t("login.choose_password"), intro, fields, t("login.save_password"), async () => {
    if (fresh.input.value !== again.input.value) {
      const wrong = new Error(t("login.two_new_passwords_differ"));
      wrong.step = t("login.type_same_password_twice");
      throw wrong;
    }
    await post("/me/password", { old: old.input.value, new: fresh.input.value,
      second: witness === null ? null : witness.read() });
    await session.resume();
    await onDone();
  });
}
