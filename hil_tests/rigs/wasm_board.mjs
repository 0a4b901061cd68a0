// Emulated boards as a process, one after the other.

import { Board } from "./board.mjs";
import { serve } from "./command_lines.mjs";

const PARTS = 4; // of an event: time, kind, where, what

const decode = (files) =>
  Object.fromEntries(Object.entries(files).map(([k, v]) => [k, Buffer.from(v, "base64")]));

const commands = {
  boot(board, { cause }) {
    board.boot(cause);
    return board.takeOutput();
  },
  play(board, { events, until }) {
    const parted = [];
    for (let i = 0; i < events.length; i += PARTS) parted.push(events.slice(i, i + PARTS));
    board.play(parted, until);
    return board.takeOutput();
  },
  exec: (board, { code }) => board.exec(code),
  coverage: (board) => ({ lines: board.world.coverage.report() }),
  memory: (board) => ({ memory: board.memory() }),
  cpu() {
    const { user, system } = process.cpuUsage();
    return { us: user + system };
  },
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

function create(settings) {
  settings.files = decode(settings.files);
  settings.flash = decode(settings.flash);
  settings.rom = Buffer.from(settings.rom, "base64");
  return Board.create(settings);
}

await serve(create, commands);
