// One emulated board: the machine, its world, and how it starts, resets and loses power.

import path from "node:path";
import { fileURLToPath } from "node:url";
import { hostFunctions } from "./host.mjs";
import { PowerOff, Vm, pythonFiles } from "./vm.mjs";
import { World } from "./world.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const OWN_HEAP = 96 * 1024; // room for the rig's own modules beside the firmware's heap
const PYSTACK_WORDS = 2048;
const HEAP_SHARE = 32; // of 33 parts of a heap 32 hold data, one the collector's tables
const HEAP_OF = 33;
const MOST_STARTS = 30; // in a row, none of which came to its tasks

export class Board {
  static async create(settings) {
    const board = new Board();
    board.world = new World(settings);
    board.begin();
    const { packageDir, settrace, heapBytes } = settings;
    board.settrace = settrace;
    board.race = settings.race;
    board.vm = await Vm.load({
      packageDir,
      settrace,
      heapBytes: heapBytes + OWN_HEAP,
      pystackWords: PYSTACK_WORDS,
      clock: board.world,
    });
    board.install(settings);
    board.sizeHeap(settings);
    board.vm.freeze();
    board.seed = board.world.seed; // numbers were drawn on the way to the image
    return board;
  }

  /** Become another board of the same settings but for its flash: its image is the same. */
  renew(settings) {
    this.world.renew(settings);
    this.world.seed = this.seed;
    this.vm.thaw();
    this.begin();
  }

  /** Nothing has happened to it yet. */
  begin() {
    this.errors = [];
    this.restart = null;
    this.cause = "power"; // of the last reset that was no soft one
    this.starts = 0;
    this.withoutMain = false; // the next start leaves the program out
    this.printed = [];
  }

  /** Load the rig's modules and the program image into the machine. */
  install(settings) {
    const { vm, world } = this;
    world.vm = vm;
    world.entry = {};
    vm.mkdir("/rig");
    for (const [name, data] of pythonFiles(path.join(HERE, "vm"))) {
      vm.writeFile(`/rig/${name}`, data);
    }
    const programs = new Map();
    for (const [name, data] of Object.entries(settings.files)) {
      programs.set(name, { address: vm.copyIn(data), length: data.length });
    }
    const rom = { address: vm.copyIn(settings.rom), length: settings.rom.length };
    vm.port.registerJsModule("_host", hostFunctions(world, vm, programs, rom));
    vm.exec("import sys\nsys.path.insert(0, '/rig')\nimport install\nsys.path.pop(0)\n");
    vm.exec("del sys");
  }

  /** Give the firmware exactly its heap; a tight one cannot grow. */
  sizeHeap({ heapBytes, settrace, tight }) {
    const { vm, world } = this;
    this.tight = tight;
    const usable = Math.floor((heapBytes * HEAP_SHARE) / HEAP_OF) & ~15;
    if (settrace) {
      world.entry.hard = world.entry.hard_traced; // tracing itself allocates
      return;
    }
    vm.call(world.entry.use_up_names);
    vm.forbidGrowth();
    vm.call(world.entry.mark);
    vm.call(world.entry.mark);
    vm.call(world.entry.fill, usable);
    vm.call(world.entry.settle);
    if (tight) world.entry.turn = world.entry.turn_tight;
    else vm.allowGrowth();
  }

  /** Do something with the machine switched on; a reset or power cut ends it. */
  powered(action) {
    try {
      action();
    } catch (error) {
      if (error instanceof PowerOff) this.lost(error.cause);
      else if (error.name === "PythonError") this.errors.push(error.message);
      else throw error;
    }
    this.takeText();
  }

  takeText() {
    this.errors.push(this.vm.takeText(2));
    this.printed.push(this.vm.takeText(1));
  }

  /** The chip resets or the power goes: clear it. It starts again unless the power stays away. */
  lost(cause) {
    this.takeText();
    this.world.resets.push([this.world.now, cause]);
    this.world.coverage.forget();
    this.world.clearChip();
    if (cause !== "soft") this.world.clearHard();
    this.world.off = true;
    this.restart = cause === "power_cut" ? null : cause;
  }

  /** Switch on and run the program until its tasks sleep, again after each reset. */
  boot(cause) {
    this.restart = cause;
    this.settle();
  }

  settle() {
    for (let count = 0; this.restart !== null; count++) {
      if (count === MOST_STARTS) throw new Error(`the program did not stay up: ${count} starts`);
      this.start(this.restart);
    }
  }

  start(cause) {
    const { vm, world } = this;
    this.restart = null;
    this.starts++;
    vm.thaw();
    vm.bytes.set(world.levels, world.levelsAt);
    world.off = false;
    world.setNow(world.now);
    world.hasProgram = true;
    this.powered(() => {
      if (cause !== "soft") this.cause = cause;
      vm.call(world.entry.set_cause, this.cause);
      if (this.settrace) vm.call(world.entry.trace, this.race ? 1 : 0);
      for (const name of this.withoutMain ? ["/boot.py"] : ["/boot.py", "/main.py"]) {
        vm.call(world.entry.run_file, name);
      }
    });
    this.withoutMain = false;
    if (world.off) return;
    world.makeReady();
    this.powered(() => {
      world.run(world.now);
      vm.call(world.entry.started);
    });
  }

  play(events, until) {
    const { world } = this;
    world.addEvents(events);
    while (world.now < until || world.pending(until)) {
      if (world.off) {
        world.skip(until);
        break;
      }
      this.powered(() => world.run(until));
      this.settle();
    }
  }

  exec(source) {
    const { world } = this;
    if (world.off) return { out: "", failure: "the board is off" };
    const before = this.printed.length;
    let failure = null;
    this.powered(() => {
      try {
        this.vm.exec(source);
      } catch (error) {
        if (error.name !== "PythonError") throw error;
        failure = error.message;
      }
    });
    this.settle();
    if (!world.off) world.makeReady();
    return { out: this.printed.splice(before).join(""), failure };
  }

  memory() {
    const { vm, world } = this;
    const peak = vm.call(world.entry.peak);
    return [vm.call(world.entry.mem_alloc), vm.call(world.entry.mem_free), peak];
  }

  takeOutput() {
    const output = this.world.takeOutput();
    output.errors = this.errors.join("");
    output.printed = this.printed.join("");
    this.errors = [];
    this.printed = [];
    return output;
  }
}
