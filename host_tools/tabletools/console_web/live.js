// The state of tables as it changes, and since when nothing was received: from the stream that all
// pages of this browser share, or from one of this page where there is no shared worker.

import { stream } from "./stream.js";

function shared(path, hear) {
  const worker = new SharedWorker("stream-worker.js", { type: "module", name: path });
  let own = null;
  const join = () => worker.port.postMessage("join");
  const leave = () => worker.port.postMessage("leave");
  worker.port.addEventListener("message", ({ data }) => hear(data));
  worker.addEventListener("error", () => {
    if (own === null) own = stream(path, hear);
  });
  worker.port.start();
  join();
  addEventListener("pagehide", leave);  // a page that is left, also one that comes back
  addEventListener("pageshow", join);
  return () => {
    removeEventListener("pagehide", leave);
    removeEventListener("pageshow", join);
    leave();
    worker.port.close();
    if (own !== null) own.close();
  };
}

/** Follow the stream of a path. onState(table, state, changed): changed null for a whole state.
 *  onLink(since): null while it is live, else the time of the last event. onRefused: when the host
 *  refuses it, as it does when the login has ended. Returns what ends it. */
export function follow(path, onState, onLink, onRefused) {
  let since = null;
  let last = new Date().toISOString();

  /** A browser that is offline is not live, whatever the stream has not noticed yet. */
  function showLink() {
    onLink(navigator.onLine ? since : since || last);
  }

  function hear(message) {
    if (message.kind === "state") onState(message.table, message.state, message.changed);
    else if (message.kind === "refused") onRefused();
    else {
      since = message.since;
      if (since === null && navigator.onLine) last = new Date().toISOString();
      showLink();
    }
  }

  const end = "SharedWorker" in window ? shared(path, hear) : stream(path, hear).close;
  addEventListener("offline", showLink);
  addEventListener("online", showLink);
  return () => {
    removeEventListener("offline", showLink);
    removeEventListener("online", showLink);
    end();
  };
}
