// The world around the virtual machine: virtual time, levels, timers, lines, and who runs next.
//
// Time is an integer of microseconds since power-on and moves only here: to the next thing that is
// due, or by a sleep of the firmware (then interrupts are delivered nested, tasks are not run).
// At one instant the order is: input events as given, timers, watchdog, tasks. So the same input
// always gives the same output.

import { PowerOff } from "./vm.mjs";
import { CELL } from "./cells.mjs";
import { Coverage } from "./coverage.mjs";
import { Flash } from "./flash.mjs";
import { Race } from "./race.mjs";
import { Uart } from "./uart.mjs";

const TICKS_MASK = 0x3fffffff;
const WATCHDOG = "watchdog";

// What the converter reads on a desk, of 65535 for 3.3 V: a third of 5.0 V, and 0.706 V at 27 C.
const AT_POWER_UP = [[29, 33098], [4, 14020]];
// Interrupt modes of a pin: bit 0 falling, bit 1 rising, bit 2 hard.
const FALLING = 4;
const RISING = 8;
const HARD = 16;
const CONTROL_C = 3;
const NOTHING = Buffer.alloc(0);
// By the wall clock a turn takes at most this: a machine that was held up starves no watchdog.
const MOST_TURN_US = 200_000;

export class World {
  constructor(settings) {
    this.renew(settings);
  }

  /** The world as at power-on; what the machine reported of itself stays. */
  renew({ startUs, flash, flashBytes, stock, latches, seed, race, turnUs }) {
    this.now = startUs;
    this.seed = seed;
    this.turnUs = turnUs; // what a turn of the tasks takes; null: what it does by the wall clock
    this.stock = stock; // what the interpreter calls the board; "" for no board of a port
    const root = stock ? "/" : "/flash";
    this.flash = new Flash(flash, () => this.powerOff("power_cut"), root, flashBytes);
    this.latches = new Map(Object.entries(latches).map(([spi, pin]) => [pin, Number(spi)]));
    this.levels = new Uint8Array(64);
    this.driven = new Set(); // pins something outside the board drives
    this.analog = new Map(AT_POWER_UP);
    this.frame = Buffer.alloc(0); // what the camera saw last, and how often it saw
    this.frames = 0;
    this.held = new Map(); // SPI id -> what the shift registers' inputs hold
    this.events = [];
    this.next = 0;
    this.pins = [];
    this.sent = [];
    this.resets = [];
    this.console = []; // [time, character that stops the program, -1 none]
    this.consoleStops = -1;
    this.hasProgram = true; // one that has started its tasks runs on
    this.off = true;
    this.race = race ? new Race(this) : null;
    this.uarts = new Map();
    this.outputs = new Set();
    this.coverage = new Coverage(this);
    this.clearChip();
    this.clearHard();
  }

  /** What no soft reset clears: the watchdog runs on, and the collector stays as it was set. */
  clearHard() {
    this.watchdogDue = Infinity;
    this.watchdogUs = 0;
    this.collects = 1;
  }

  /** Everything a soft reset clears: interrupts, timers, ports, outputs. Inputs keep their level. */
  clearChip() {
    this.irqs = new Uint8Array(64);
    this.latched = new Set();
    this.timers = new Map();
    this.wakeUs = Infinity;
    this.receiveDue = Infinity;
    this.receiveEnds = [];
    this.shifts = new Map();
    for (const uart of this.uarts.values()) uart.drop(this.now);
    for (const pin of this.outputs) if (this.levels[pin]) this.setOutput(pin, 0);
    this.outputs = new Set();
  }

  /** Control-C on the line of the interpreter, which stops a program that lets it: whether.
   *
   * What main.py does then is not run: asyncio.run has returned long ago. It feeds the watchdog. */
  stopProgram() {
    if (this.consoleStops !== CONTROL_C) return false;
    this.vm.call(this.entry.stop);
    this.watchdogDue = Infinity;
    this.hasProgram = false;
    return true;
  }

  /** The interpreter is at its prompt. */
  get isAtPrompt() {
    return !this.off && !(this.hasProgram && this.vm.words[this.cells + CELL.STARTED]);
  }

  setConsole(character) {
    this.consoleStops = character;
    this.console.push([this.now, character]);
    return 0;
  }

  powerOff(cause) {
    throw new PowerOff(cause);
  }

  // What the port asks of its host.

  ticksMs() {
    return Math.floor(this.now / 1000) & TICKS_MASK;
  }

  epochMs() {
    return 1767225600000 + Math.floor(this.now / 1000); // 2026-01-01 and counting
  }

  /** xorshift32: the same numbers in every run with the same seed. */
  random() {
    let x = this.seed | 0 || 1;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.seed = x;
    return x >>> 0;
  }

  uart(id) {
    if (!this.uarts.has(id)) this.uarts.set(id, new Uart(id));
    return this.uarts.get(id);
  }

  // Time.

  setNow(time) {
    this.now = time;
    this.vm.words[this.cells + CELL.TICKS_US] = time & TICKS_MASK;
  }

  /** Add events [[t, kind, ...], ...]; those at one time keep their order. */
  addEvents(events) {
    const rest = this.events.slice(this.next);
    const all = rest.length === 0 ? events : rest.concat(events);
    all.sort((a, b) => a[0] - b[0]);
    this.events = all;
    this.next = 0;
  }

  /** Run everything due up to and including `until`; the clock then stands there. */
  run(until) {
    const words = () => this.vm.words;
    for (;;) {
      while (words()[this.cells + CELL.READY]) this.turn();
      if (!this.step(until, true)) break;
    }
    this.setNow(Math.max(until, this.now));
  }

  /** Whether something due up to `until` is still to be done. */
  pending(until) {
    if (!this.off && this.vm.words[this.cells + CELL.READY]) return true;
    return this.next < this.events.length && this.events[this.next][0] <= until;
  }

  /** The board is off: inputs change, nobody notices, time passes. */
  skip(until) {
    for (; this.next < this.events.length && this.events[this.next][0] <= until; this.next++) {
      const [, kind, id, value] = this.events[this.next];
      if (kind === "pin") this.drive(id, value);
      else if (kind === "spi") this.held.set(id, Buffer.from(value, "hex"));
      else if (kind === "adc") this.analog.set(id, value);
    }
    this.now = Math.max(this.now, until);
  }

  /** A sleep of the firmware: interrupts up to `until` are delivered, tasks are not run. */
  sleep(until) {
    while (this.step(until, false));
    this.setNow(Math.max(until, this.now));
  }

  /** Deliver the next thing due by `until`; return false if there is none. */
  step(until, tasks) {
    const event = this.next < this.events.length ? this.events[this.next] : undefined;
    let due = event === undefined ? Infinity : event[0];
    let what = 0;
    let timer;
    if (this.receiveDue < due) [due, what] = [this.receiveDue, 1];
    if (this.timers.size > 0) {
      for (const candidate of this.timers.values()) {
        if (candidate.due < due) [due, what, timer] = [candidate.due, 2, candidate];
      }
    }
    if (this.watchdogDue < due) [due, what] = [this.watchdogDue, 3];
    if (tasks && this.wakeUs < due) [due, what] = [this.wakeUs, 4];
    if (due > until) return false;
    if (due > this.now) this.setNow(due);
    if (what === 0) {
      this.next++;
      this.input(event);
    } else if (what === 4) this.turn();
    else if (what === 2) this.fireTimer(timer);
    else if (what === 1) this.receiveDone();
    else this.powerOff(WATCHDOG);
    return true;
  }

  turn() {
    this.race?.aim();
    this.vm.words[this.cells + CELL.READY] = 0;
    const start = this.now;
    const begun = this.turnUs === null ? performance.now() : 0;
    const wait = this.vm.call(this.entry.turn);
    this.wakeUs = wait < 0 ? Infinity : (Math.floor(this.now / 1000) + wait) * 1000;
    const took =
      this.turnUs ?? Math.min(Math.round(1000 * (performance.now() - begun)), MOST_TURN_US);
    if (took > 0) this.sleep(start + took);
  }

  /** Something outside a task may have made a task ready. */
  makeReady() {
    this.vm.words[this.cells + CELL.READY] = 1;
  }

  // Inputs.

  input(event) {
    const kind = event[1];
    if (kind === "pin") this.setInput(event[2], event[3]);
    else if (kind === "rx") this.arrive(event[2], Buffer.from(event[3], "hex"));
    else if (kind === "spi") this.held.set(event[2], Buffer.from(event[3], "hex"));
    else if (kind === "adc") this.analog.set(event[2], event[3]);
    else if (kind === "frame") this.expose(event[2], event[3]);
    else throw new RangeError(`unknown event ${JSON.stringify(event)}`);
  }

  /** The camera has taken a picture, base64; none: it has stopped. Of two, apart by a space, it is
   *  the one under the light that is lit: the second while the pin is high. */
  expose(pin, data) {
    const pictures = data.split(" ");
    this.frame = Buffer.from(pictures[this.levels[pin]] ?? pictures[0], "base64");
    this.frames++;
  }

  drive(pin, level) {
    this.driven.add(pin);
    this.levels[pin] = level;
  }

  setInput(pin, level) {
    const before = this.levels[pin];
    this.drive(pin, level);
    if (before === level) return;
    this.vm.bytes[this.levelsAt + pin] = level;
    const mode = this.irqs[pin];
    if ((mode & (level ? RISING : FALLING)) === 0) return;
    if (this.vm.words[this.cells + CELL.IRQ_OFF]) this.latched.add(pin);
    else this.interrupt(pin, mode);
  }

  interrupt(pin, mode) {
    this.vm.call(mode & HARD ? this.entry.hard : this.entry.soft, pin);
  }

  /** Interrupts are enabled again: what was latched meanwhile comes now, once per pin. */
  enabled() {
    for (const pin of [...this.latched].sort((a, b) => a - b)) {
      this.latched.delete(pin);
      this.interrupt(pin, this.irqs[pin]);
    }
    return 0;
  }

  arrive(id, data) {
    const end = this.uart(id).arrive(data, this.now);
    this.receiveEnds = [...this.receiveEnds, end].sort((a, b) => a - b);
    this.receiveDue = this.receiveEnds[0];
  }

  receiveDone() {
    this.receiveEnds.shift();
    this.receiveDue = this.receiveEnds[0] ?? Infinity;
    for (const uart of this.uarts.values()) uart.settle(this.now);
    if (this.vm.words[this.cells + CELL.LISTENERS] === 0) return;
    this.makeReady();
    this.vm.call(this.entry.received);
  }

  fireTimer(timer) {
    if (timer.periodic) timer.due += timer.periodUs;
    else this.timers.delete(timer.id);
    this.vm.call(this.entry.timer, timer.id);
  }

  /** A pin becomes an input; nothing but its pull (1 up, 2 down) sets the level of a loose one. */
  setPull(pin, pull) {
    this.outputs.delete(pin);
    if (this.driven.has(pin)) return 0;
    this.levels[pin] = pull === 1 ? 1 : 0;
    this.vm.bytes[this.levelsAt + pin] = this.levels[pin];
    return 0;
  }

  // Outputs.

  setOutput(pin, level) {
    this.outputs.add(pin);
    const spi = this.latches.get(pin);
    if (spi === undefined) {
      if (this.levels[pin] !== level) this.pins.push([this.now, pin, level]);
    } else if (level) this.shifts.set(spi, { data: this.held.get(spi) ?? NOTHING, at: 0 });
    this.levels[pin] = level;
    return 0;
  }

  /** Shift registers: a read takes from what the latch's rising edge loaded; then zeros follow. */
  shift(spi, into) {
    const { data, at } = this.shifts.get(spi) ?? { data: NOTHING, at: 0 };
    for (let i = 0; i < into.length; i++) into[i] = data[at + i] ?? 0;
    this.shifts.set(spi, { data, at: at + into.length });
  }

  takeOutput() {
    const sent = this.uarts.has(0) ? this.uart(0).takeSent(this.now) : [];
    const output = { now: this.now, tx: sent, pins: this.pins, resets: this.resets };
    output.console = this.console;
    output.writes = this.flash.writes;
    this.pins = [];
    this.resets = [];
    this.console = [];
    return output;
  }
}
