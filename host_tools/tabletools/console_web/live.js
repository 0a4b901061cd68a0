// The live streams: the state of tables as it changes, and since when nothing was received.

const LOOK_MS = 3000;

async function answers() {
  try {
    return (await fetch("/v1/health", { signal: AbortSignal.timeout(LOOK_MS) })).ok;
  } catch {
    return false;
  }
}

/** A stream. path: of the API. onState(table, state, changed): changed null for a snapshot.
 *  onLink(since): null while it is live, else the time of the last event. onRefused: when the host
 *  refuses it, as it does when the login has ended. Returns what ends it. */
export function follow(path, onState, onLink, onRefused) {
  const states = new Map();
  let last = new Date().toISOString();
  let over = false;
  let source = null;
  let again = 0;

  function alive() {
    last = new Date().toISOString();
    onLink(null);
  }

  function dead() {
    if (!over) onLink(last);
  }

  function take(event) {
    alive();
    const { table, state, changed } = JSON.parse(event.data);
    states.set(table, state || { ...states.get(table), ...changed });
    onState(table, states.get(table), changed || null);
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
      again = setTimeout(open, 2000);
      onRefused();
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
  addEventListener("offline", dead);
  return () => {
    over = true;
    clearTimeout(again);
    clearInterval(timer);
    removeEventListener("offline", dead);
    source.close();
  };
}
