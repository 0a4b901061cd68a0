// Emulated RP2040s as a process, one after the other.

import { serve } from "../../../host_tools/tableemulator/board/command_lines.mjs";
import { Chip, Halted } from "./chip.mjs";

function create({ flash, rom, flashTimes, latches, ramBytes }) {
  const content = rom ? Buffer.from(rom, "base64") : null;
  return new Chip(Buffer.from(flash, "base64"), content, flashTimes, latches, ramBytes);
}

const commands = {
  boot(chip) {
    chip.boot();
    return chip.take();
  },
  mark(chip) {
    chip.mark();
    return {};
  },
  rewind(chip) {
    chip.rewind();
    return chip.take();
  },
  remains: (chip) => chip.remains(),
  play(chip, { events, until }) {
    let halted = "";
    try {
      chip.play(events, until);
    } catch (error) {
      if (!(error instanceof Halted)) throw error;
      halted = error.message;
    }
    return { ...chip.take(), halted };
  },
  flash: (chip, { bytes }) => ({
    data: Buffer.from(chip.flashed.subarray(0, bytes)).toString("base64"),
  }),
  ram: ({ chip }) => ({
    data: Buffer.from(chip.sram).toString("base64"),
    registers: [...chip.core.registers],
  }),
  measured(chip) {
    const { used, pinInterrupts } = chip;
    chip.used = { sectors: 0, pages: 0 };
    chip.pinInterrupts = [];
    return { used, pinInterrupts };
  },
  notes: (chip) => ({ notes: [...chip.notes] }),
};

await serve(create, commands);
