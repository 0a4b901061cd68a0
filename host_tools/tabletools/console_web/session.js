// The logged-in user, and what the role may do.

import { get, post, useToken } from "./api.js";

let me = null;

/** The logged-in user, null if there is none. */
export const user = () => me;

/** Whether the user's role may take an action. */
export const may = (action) => me !== null && me.actions.includes(action);

/** Store the answer of a login. */
export function enter(found) {
  me = found;
  useToken(found.csrf_token);
}

/** Forget the user after a logout. */
export function leave() {
  me = null;
  useToken("");
}

/** Ask the host for the logged-in user; false if there is none. */
export async function resume() {
  try {
    enter(await get("/me"));
  } catch (problem) {
    if (problem.status !== 401) throw problem;
    leave();
  }
  return me !== null;
}

export async function login(name, password) {
  enter(await post("/login", { name, password }));
}

export async function logout() {
  await post("/logout");
  leave();
}
