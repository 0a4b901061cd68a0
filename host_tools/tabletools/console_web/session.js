// Who is logged in, and what the role may do.

import { get, post, useToken } from "./api.js";

let me = null;

/** The user who is logged in, null if nobody is. */
export const user = () => me;

/** Whether the user's role may take an action. */
export const may = (action) => me !== null && me.actions.includes(action);

/** Take the answer of a login. */
export function enter(found) {
  me = found;
  useToken(found.csrf_token);
}

/** Nobody is logged in any more. */
export function leave() {
  me = null;
  useToken("");
}

/** Ask who is logged in; false if nobody is. */
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
