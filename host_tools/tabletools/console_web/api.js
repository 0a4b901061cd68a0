// Requests to the host: the login's token with every change, failures with their next step.

import { t } from "./language.js";

/** A request that was refused. fields: of application/problem+json. */
export class Problem extends Error {
  constructor(status, fields) {
    super(fields.detail || fields.title || t("api.request_failed"));
    this.status = status;
    this.code = fields.code || "failed";
    this.step = fields.step || "";
    this.where = fields.where || "";
    this.cause = fields.cause || "";
    this.errors = fields.errors || [];
  }
}

let token = "";
let onLogout = () => {};
let onSignOn = null;

/** The token of the login, as /v1/me returns it. */
export function useToken(value) {
  token = value || "";
}

/** Called when the host reports that no user is logged in. */
export function whenLoggedOut(action) {
  onLogout = action;
}

/** Called for a decision that takes a sign-on; resolves to the headers that prove it. */
export function whenSignOnNeeded(action) {
  onSignOn = action;
}

async function send(method, path, body, more = {}) {
  const headers = { Accept: "application/json", ...more };
  if (method !== "GET") headers["X-CSRF-Token"] = token;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(`/v1${path}`, {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Problem(0, {
      code: "unreachable", detail: t("api.pit_host_does_not_answer"),
      step: t("api.check_network_host_runs_then"),
    });
  }
  if (answer.status === 204) return null;
  const found = await answer.json().catch(() => ({}));
  if (answer.ok) return found;
  const problem = new Problem(answer.status, found);
  if (problem.code === "sign_on_needed" && onSignOn !== null && !("Sign-On-First" in more)
    && !("Sign-On-Second" in more)) {
    const key = more["Idempotency-Key"] || "";
    const proofs = await onSignOn({ method, path, key, body }, problem.where);
    return send(method, path, body, { ...more, ...proofs });
  }
  if (problem.code === "not_logged_in" && !path.startsWith("/me")) onLogout();
  throw problem;
}

/** A key for one request that may be repeated: the host carries it out once. */
export function requestKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const get = (path) => send("GET", path);
export const post = (path, body, more) => send("POST", path, body, more);
export const put = (path, body) => send("PUT", path, body);
export const patch = (path, body) => send("PATCH", path, body);
export const remove = (path) => send("DELETE", path);

/** The same with headers of another sender, such as a terminal. */
export const as = (headers) => ({
  get: (path) => send("GET", path, undefined, headers),
  post: (path, body, more) => send("POST", path, body, { ...headers, ...more }),
  remove: (path, more) => send("DELETE", path, undefined, { ...headers, ...more }),
});
