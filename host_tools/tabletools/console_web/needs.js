// What needs a person, as the host computes it: by table, the most urgent first.

import { get } from "./api.js";

const LOOK_MS = 3000;
const CALM = 9;  // below every priority

/** Look for needs until the page is left. hear(byTable, house): lists of needs, ordered. */
export function watch(own, hear) {
  async function look() {
    const found = await get("/needs").catch(() => null);
    if (!own.alive || found === null) return;
    const byTable = Map.groupBy(found.needs, (one) => one.table);
    hear(byTable, byTable.get(null) || []);
  }
  const timer = setInterval(look, LOOK_MS);
  own.onLeave.push(() => clearInterval(timer));
  return look();
}

/** The priority of the most urgent of some needs. */
export const urgency = (needs) => (needs && needs.length ? needs[0].priority : CALM);

/** Compare two tables by their needs: urgency, then the longest wait, then the name. */
export function order(byTable) {
  return (a, b) => {
    const [first, second] = [byTable.get(a.id), byTable.get(b.id)];
    const since = (needs) => (needs && needs.length ? needs[0].since_at : "");
    return urgency(first) - urgency(second) || since(first).localeCompare(since(second))
      || a.name.localeCompare(b.name, undefined, { numeric: true });
  };
}
