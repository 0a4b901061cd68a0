// A sign-on at the identity provider for one decision, which is then sent with it.

import { get, post, Problem } from "./api.js";
import { fresh, h } from "./dom.js";
import { has, t } from "./language.js";
import { user } from "./session.js";

const LOOK_MS = 1000;
const HEADERS = { first: "Sign-On-First", second: "Sign-On-Second" };

/** Resolve to the headers of a request that needs a sign-on. place: first or second. */
export async function signOns({ method, path, key, body }, place) {
  const places = place === "first" && body?.second?.sign_on ? ["first", "second"] : [place];
  const headers = {};
  for (const one of places) {
    const wish = { place: one, method, path: `/v1${path}`, key, body: body ?? null };
    headers[HEADERS[one]] = await proved(await post("/sign-on/decisions", wish), one);
  }
  return headers;
}

/** Show where to sign on, until the host says that the user did. */
function proved(begun, place) {
  const id = fresh("dialog");
  const link = h("a", { href: begun.address, target: "_blank",
    rel: "noopener" }, t("sign_on.open"));
  const dialog = h("dialog", { "aria-labelledby": id },
    h("h2", { id }, t("sign_on.title")),
    h("p", {}, place === "first" ? t("sign_on.first", { user: user().name }) : t("sign_on.second")),
    h("p", { role: "status" }, t("sign_on.waiting")),
    h("p", { class: "buttons" }, link,
      h("button", { type: "button", onclick: () => dialog.close() }, t("parts.cancel"))));
  document.body.append(dialog);
  dialog.showModal();
  link.focus();
  return new Promise((resolve, reject) => {
    const end = (act) => {
      clearInterval(timer);
      dialog.remove();
      act();
    };
    const refuse = (code) => end(() => reject(new Problem(0, { code,
      detail: has(`refusal.${code}`) ? t(`refusal.${code}`) : t("login.single_sign_on_refused") })));
    const timer = setInterval(async () => {
      const found = await get(`/sign-on/decisions/${begun.name}`).catch(() => null);
      if (found === null || !dialog.isConnected) return;
      if (found.state === "proved") end(() => resolve(begun.name));
      else if (found.state !== "waiting") refuse(found.detail || "sign_on_expired");
    }, LOOK_MS);
    dialog.addEventListener("close", () => refuse("sign_on_expired"));
  });
}
