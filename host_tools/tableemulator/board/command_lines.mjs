// The pipe of a board's process: commands as JSON lines on stdin, answers on stdout.
//
// Reading is synchronous: nothing else happens in the process. It ends when stdin closes, and when
// its parent is gone even while the firmware never returns.

import fs from "node:fs";
import { Worker } from "node:worker_threads";

const CHUNK = 1 << 20;
const GUARD = `
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  }, 1000);`;

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

/**
 * Make a board of each line that asks for one, in place of the one before, and answer the other
 * lines by the board there is; never returns. A board knows nothing of the one before it.
 *
 * create: settings -> board, maybe later. commands: name -> (board, command) -> answer.
 */
export async function serve(create, commands) {
  // Standard output carries answers only.
  console.log = console.info = console.warn = console.error;
  // The guard runs before anything can block this thread for good.
  const guard = new Worker(GUARD, { eval: true });
  await new Promise((resolve) => guard.once("online", resolve));
  let board;
  for (let line = readLine(); line !== undefined; line = readLine()) {
    const command = JSON.parse(line);
    if (command.op === "new") {
      board = undefined; // its memory may go before the next takes its own
      board = await create(command.settings);
      answer({ ready: true });
    } else {
      answer(commands[command.op](board, command));
    }
  }
  process.exit(0);
}
