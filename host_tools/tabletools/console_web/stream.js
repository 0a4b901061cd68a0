// One live stream of the host: in the worker that the pages of a browser share, or in a page.

const LOOK_MS = 3000;
const AGAIN_MS = 2000;

async function answers() {
  try {
    return (await fetch("/v1/health", { signal: AbortSignal.timeout(LOOK_MS) })).ok;
  } catch {
    return false;
  }
}

/** Open the stream of a path of the API. tell(message): {kind: "state", table, state, changed}, where
 *  changed is null for a whole state; {kind: "link", since}, null while it is live, else the time of
 *  the last event; {kind: "refused"}, as when the login has ended. Returns repeat(tell), which tells
 *  a newcomer what is known, and close(). */
export function stream(path, tell) {
  const states = new Map();
  let last = new Date().toISOString();
  let since = null;
  let over = false;
  let source = null;
  let again = 0;

  function alive() {
    last = new Date().toISOString();
    since = null;
    tell({ kind: "link", since });
  }

  function dead() {
    if (over) return;
    since = last;
    tell({ kind: "link", since });
  }

  function take(event) {
    alive();
    const { table, state, changed } = JSON.parse(event.data);
    states.set(table, state || { ...states.get(table), ...changed });
    tell({ kind: "state", table, state: states.get(table), changed: changed || null });
  }

  function open() {
    source = new EventSource(`/v1${path}`);
    source.addEventListener("open", alive);
    source.addEventListener("snapshot", take);
    source.addEventListener("changed", take);
    source.addEventListener("error", () => {
      dead();
      // A stream that the host refused does not come back by itself.
      if (over || source.readyState !== EventSource.CLOSED) return;
      again = setTimeout(open, AGAIN_MS);
      tell({ kind: "refused" });
    });
  }

  // A pulled cable ends no stream, so the host is polled too.
  async function look() {
    const well = await answers();
    if (over) return;
    if (!well) dead();
    else if (source.readyState === EventSource.OPEN) alive();
  }

  open();
  const timer = setInterval(look, LOOK_MS);
  return {
    repeat(newcomer) {
      for (const [table, state] of states) {
        newcomer({ kind: "state", table, state, changed: null });
      }
      newcomer({ kind: "link", since });
    },
    close() {
      over = true;
      clearTimeout(again);
      clearInterval(timer);
      source.close();
    },
  };
}
