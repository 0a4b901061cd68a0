// A race run: interrupts fall between the lines of the running task.
//
// Every line of the program takes LINE_US, and interrupts due in that time are served before it.
// A turn starts late, as on a busy board, so that the next edge falls among its lines; how many
// lines before the edge is drawn from the seed, so a run can be repeated.

import { CELL } from "./cells.mjs";

const LINE_US = 10; // a line of Python on an rp2350, about
const WINDOW_US = 20_000; // a turn starts at most this late
const MOST_LINES = 60;

export class Race {
  constructor(world) {
    this.world = world;
    this.lines = 0; // of this turn
    this.most = 1; // of any turn so far
  }

  /** Before a turn: let time pass until shortly before the next edge, never past anything else. */
  aim() {
    const { world } = this;
    this.lines = 0;
    const edge = world.next < world.events.length ? world.events[world.next][0] : Infinity;
    const others = [...world.timers.values()].map((timer) => timer.due);
    const last = Math.min(world.now + WINDOW_US, world.watchdogDue, world.receiveDue, ...others);
    if (edge > last) return;
    const lines = world.random() % Math.min(this.most, MOST_LINES);
    const start = edge - LINE_US * lines - 1;
    if (start > world.now) world.setNow(start);
  }

  /** A line of the program was reached. */
  line() {
    const { world } = this;
    this.lines++;
    this.most = Math.max(this.lines, this.most);
    const until = world.now + LINE_US;
    if (world.vm.words[world.cells + CELL.IRQ_OFF]) world.setNow(until);
    else world.sleep(until);
    return 0;
  }
}
