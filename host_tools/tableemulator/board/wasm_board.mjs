// Emulated boards as a process, one after the other; one like the one before takes its machine.

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

let last; // the board before, and all that its image depends on

async function create(settings) {
  const { flash, ...others } = settings;
  const image = JSON.stringify(others);
  settings.flash = decode(flash);
  if (last?.image === image) {
    last.board.renew(settings);
    return last.board;
  }
  last = undefined; // its memory may go before the next takes its own
  settings.files = decode(settings.files);
  settings.rom = Buffer.from(settings.rom, "base64");
  last = { image, board: await Board.create(settings) };
  return last.board;
}

await serve(create, commands);
