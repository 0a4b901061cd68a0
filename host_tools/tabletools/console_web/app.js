// The start of the console: login, the page shown, the focus.

import { Problem, whenLoggedOut, whenSignOnNeeded } from "./api.js";
import { h, put } from "./dom.js";
import { t } from "./language.js";
import { ask, failure } from "./parts.js";
import * as login from "./pages/login.js";
import * as terminal from "./pages/terminal.js";
import { PAGES, shell } from "./shell.js";
import * as session from "./session.js";
import { signOns } from "./sign-on.js";

const app = document.getElementById("app");
let frame = null;
let leavePage = () => {};
/** Of the page shown: its address, and whether a user would lose changes by leaving it. */
let present = { hash: location.hash, hasUnsaved: () => false };
/** Whether a page was shown since the load: its heading gets the focus from the second on. */
let hasShown = false;

function place() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean);
  return { parts, query: new URLSearchParams(query || "") };
}

function pageOf(parts) {
  const word = parts[0] || "";
  return PAGES.find((page) => page.path === word && session.may(page.action)) || null;
}

function showLogin(intro) {
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
  leavePage();
  leavePage = () => {};
  present.hasUnsaved = () => false;
  if (frame) frame.end();
  frame = null;
  document.title = t("app.log_tablewire");
  put(app, login.view(start, intro));
}

async function show() {
  if (frame === null) return;
  leavePage();
  const isNext = hasShown;
  hasShown = true;
  const { parts, query } = place();
  const page = pageOf(parts);
  const main = h("main", { id: "main", tabindex: "-1", "aria-busy": "true" });
  const own = { alive: true, onLeave: [], hash: location.hash, hasUnsaved: () => false };
  present = own;
  leavePage = () => {
    own.alive = false;
    for (const action of own.onLeave) action();
  };
  frame.replace(main, page);
  const context = { main, query, parts: parts.slice(1), frame, own };
  if (page === null) {
    put(main, h("h1", {}, t("app.no_such_page")), h("p", {}, t("app.your_role_no_page_name")));
  } else {
    try {
      await page.open(context);
    } catch (problem) {
      if (!(problem instanceof Problem)) console.error(problem);
      if (own.alive) {
        put(main, h("h1", {}, page.title), failure(problem, show));
      }
    }
  }
  main.removeAttribute("aria-busy");
  if (own.alive) settle(main, isNext);
}

/** The focus goes to the heading of a new page, so that a screen reader reads it. */
function settle(main, isNext) {
  const heading = main.querySelector("h1");
  document.title = t("app.tablewire", { heading: heading ? heading.textContent : "Tablewire" });
  if (heading && isNext) {
    heading.setAttribute("tabindex", "-1");
    heading.focus({ preventScroll: true });
  }
  scrollTo(0, 0);
}

/** Terminals have no login: the seat of a player is its own. */
const isTerminal = () => place().parts[0] === "terminal";

async function start() {
  if (isTerminal()) {
    leavePage();
    const own = { alive: true };
    leavePage = () => { own.alive = false; };
    if (frame) frame.end();
    frame = null;
    await terminal.open(app, own);
    return;
  }
  const isKnown = session.user() !== null || await session.resume();
  if (isTerminal()) return;  // since then
  if (!isKnown) {
    showLogin();
    return;
  }
  const back = login.returned();
  if (back !== null) {
    document.title = t("app.tablewire", { heading: t("sign_on.title") });
    put(app, back);
    return;
  }
  if (session.user().must_change_password) {
    document.title = t("app.choose_password_tablewire");
    put(app, login.passwordView(start));
    return;
  }
  frame = shell(() => session.logout().then(() => showLogin()));
  put(app, frame.root);
  await show();
}

whenLoggedOut(() => {
  if (session.user() === null) return;
  session.leave();
  showLogin(t("app.your_login_ended_log_again"));
});
whenSignOnNeeded(signOns);
let wasTerminal = isTerminal();

/** Stay on the page, and ask whether to leave it. */
function askToLeave(next) {
  const page = present;
  history.replaceState(null, "", page.hash);
  ask({ title: t("app.leave_title"), text: t("app.leave_text"), agree: t("app.leave"), danger: true,
    act: async () => {
      page.hasUnsaved = () => false;
      location.hash = next;
    } });
}

addEventListener("beforeunload", (event) => {
  if (present.hasUnsaved()) event.preventDefault();
});
addEventListener("hashchange", () => {
  if (present.hasUnsaved()) {
    askToLeave(location.hash);
    return undefined;
  }
  const changes = isTerminal() !== wasTerminal;
  wasTerminal = isTerminal();
  return changes ? start() : show();
});
start().catch((problem) => put(app, h("main", { class: "gate" }, h("h1", {}, "Tablewire"),
  failure(problem, () => location.reload()))));
