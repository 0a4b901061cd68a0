// One emulated board as a process: commands as JSON lines on stdin, answers on stdout.
//
// Reading is synchronous: nothing else happens in this process. It ends when stdin closes, and when
// its parent is gone even while the firmware never returns.

import fs from "node:fs";
import { Worker } from "node:worker_threads";
import { Board } from "./board.mjs";

const CHUNK = 1 << 20;
const GUARD = `
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  }, 1000);`;

// Standard output carries answers only.
console.log = console.info = console.warn = console.error;

const sleeper = new Int32Array(new SharedArrayBuffer(4));
const buffer = Buffer.alloc(CHUNK);
let pending = [];

/** The next line from stdin, or undefined at its end. */
function readLine() {
  for (;;) {
    const count = fs.readSync(0, buffer, 0, CHUNK, null);
    if (count === 0) return undefined;
    const end = buffer.indexOf(10);
    if (end >= 0 && end < count) {
      pending.push(Buffer.from(buffer.subarray(0, end)));
      const line = Buffer.concat(pending).toString("utf8");
      pending = [Buffer.from(buffer.subarray(end + 1, count))];
      return line;
    }
    pending.push(Buffer.from(buffer.subarray(0, count)));
  }
}

function answer(value) {
  const data = Buffer.from(`${JSON.stringify(value)}\n`);
  for (let at = 0; at < data.length; ) at += writeSome(data, at);
}

/** Write to the pipe, which Node may have made non-blocking: wait a little when it is full. */
function writeSome(data, at) {
  try {
    return fs.writeSync(1, data, at);
  } catch (error) {
    if (error.code !== "EAGAIN") throw error;
    Atomics.wait(sleeper, 0, 0, 1);
    return 0;
  }
}

const decode = (files) =>
  Object.fromEntries(Object.entries(files).map(([k, v]) => [k, Buffer.from(v, "base64")]));

const commands = {
  boot(board, { cause }) {
    board.boot(cause);
    return board.takeOutput();
  },
  play(board, { events, until }) {
    board.play(events, until);
    return board.takeOutput();
  },
  exec: (board, { code }) => board.exec(code),
  coverage: (board) => ({ lines: board.world.coverage.report() }),
  memory: (board) => ({ memory: board.memory() }),
  state: ({ world, starts }) => ({ off: world.off, prompt: world.isAtPrompt, starts }),
  interrupt: ({ world }) => ({ stopped: !world.off && world.stopProgram() }),
  reset(board, { cause, main }) {
    board.withoutMain = !main;
    board.lost(cause);
    board.settle();
    return board.takeOutput();
  },
  flash(board) {
    const files = [...board.world.flash.files].map(([k, v]) => [k, v.toString("base64")]);
    return { files: Object.fromEntries(files), writes: board.world.flash.writes };
  },
  put(board, { name, data }) {
    board.world.flash.put(name, Buffer.from(data, "base64"));
    return {};
  },
  erase(board) {
    board.world.flash.erase();
    return {};
  },
  cut(board, { writes, byte }) {
    board.world.flash.cutAfter(writes, byte);
    return {};
  },
};

// The guard runs before anything can block this thread for good.
const guard = new Worker(GUARD, { eval: true });
const guarded = new Promise((resolve) => guard.once("online", resolve));
const settings = JSON.parse(readLine());
settings.files = decode(settings.files);
settings.flash = decode(settings.flash);
settings.rom = Buffer.from(settings.rom, "base64");
const board = await Board.create(settings);
await guarded;
answer({ ready: true });
for (let line = readLine(); line !== undefined; line = readLine()) {
  const command = JSON.parse(line);
  answer(commands[command.op](board, command));
}
process.exit(0);
