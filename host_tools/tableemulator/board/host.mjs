// The functions the emulated `machine`, `time` and file system call: module `_host` in the VM.
//
// Every function returns an integer or a string and never throws, except to switch the power off.
// Buffers come as (address, length) in the machine's memory.

import { ENOENT } from "./flash.mjs";

/** Host functions of one board. programs: Map of device path -> {address, length}; rom: likewise. */
export function hostFunctions(world, vm, programs, rom) {
  const bytes = (address, length) => vm.bytes.subarray(address, address + length);
  return {
    ...setUp(world),
    ...power(world),
    ...pins(world),
    ...lines(world, bytes),
    ...programFiles(programs),
    rom_at: () => rom.address,
    rom_size: () => rom.length,
    ...flashFiles(world, bytes),
  };
}

// Addresses of the shared words and levels, and the entry points.
const setUp = (world) => ({
  attach(cells, levels) {
    world.cells = cells >> 2;
    world.levelsAt = levels;
    return 0;
  },
  enter(name, entry) {
    world.entry[name] = entry._ref;
    return 0;
  },
  line: () => world.race.line(),
  covered: (name, address, length) => world.coverage.add(name, address, length),
  random: () => world.random() & 0x3fffffff,
  stock: () => world.stock,
});

const power = (world) => ({
  console: (character) => world.setConsole(character),
  reset: (cause) => world.powerOff(cause),
  sleep(us) {
    world.sleep(world.now + Math.max(0, us));
    return 0;
  },
  sleep_ms(ms) {
    world.sleep(world.now + 1000 * Math.max(0, ms));
    return 0;
  },
  watchdog(ms) {
    if (ms > 0) world.watchdogUs = ms * 1000;
    world.watchdogDue = world.now + world.watchdogUs;
    return 0;
  },
  watchdog_runs: () => (world.watchdogDue < Infinity ? 1 : 0),
  collects(isOn) {
    world.collects = isOn;
    return 0;
  },
  is_collecting: () => world.collects,
  timer(id, periodUs, periodic) {
    if (periodUs <= 0) world.timers.delete(id);
    else world.timers.set(id, { id, periodUs, periodic, due: world.now + periodUs });
    return 0;
  },
});

const pins = (world) => ({
  pin_irq(pin, mode) {
    world.irqs[pin] = mode;
    return 0;
  },
  pin_out: (pin, level) => world.setOutput(pin, level),
  pin_in: (pin, pull) => world.setPull(pin, pull),
  enabled: () => world.enabled(),
  adc: (pin) => world.analog.get(pin) ?? 0,
});

const lines = (world, bytes) => ({
  uart_init(id, baud, transmitBytes, receiveBytes) {
    world.uart(id).configure(baud, transmitBytes, receiveBytes);
    return 0;
  },
  uart_write: (id, address, length) => world.uart(id).write(bytes(address, length), world.now),
  uart_read(id, address, length) {
    const data = world.uart(id).read(length, world.now);
    bytes(address, length).set(data);
    return data.length;
  },
  uart_any: (id) => world.uart(id).any(world.now),
  uart_room: (id) => world.uart(id).transmitBytes - world.uart(id).waiting(world.now),
  uart_busy: (id) => Math.max(0, Math.ceil(world.uart(id).lineFree - world.now - 1e-9)),
  camera_frames: () => world.frames,
  camera_read(address, length) {
    bytes(address, length).set(world.frame.subarray(0, length));
    return Math.min(length, world.frame.length);
  },
  spi_read(id, address, length) {
    world.shift(id, bytes(address, length));
    return 0;
  },
});

function programFiles(programs) {
  const folders = new Set(["/"]);
  for (const name of programs.keys()) {
    for (let at = name.lastIndexOf("/"); at > 0; at = name.lastIndexOf("/", at - 1)) {
      folders.add(name.slice(0, at));
    }
  }
  const isIn = (prefix) => (name) =>
    name !== "/" && name.startsWith(prefix) && !name.slice(prefix.length).includes("/");
  return {
    program_kind(name) {
      if (programs.has(name)) return 1;
      return folders.has(name) ? 2 : 0;
    },
    program_at: (name) => programs.get(name)?.address ?? -ENOENT,
    program_size: (name) => programs.get(name)?.length ?? -ENOENT,
    program_list(folder) {
      const prefix = folder === "/" ? "/" : `${folder}/`;
      const found = [...programs.keys(), ...folders].filter(isIn(prefix));
      return found.sort().map((name) => name.slice(prefix.length)).join("\n");
    },
  };
}

const flashFiles = (world, bytes) => ({
  flash_kind: (name) => world.flash.kind(name),
  flash_size: (name) => world.flash.size(name),
  flash_read(name, offset, address, length) {
    const data = world.flash.read(name, offset, length);
    bytes(address, length).set(data);
    return data.length;
  },
  flash_truncate: (name) => world.flash.truncate(name),
  flash_write: (name, offset, address, length) =>
    world.flash.write(name, offset, Buffer.from(bytes(address, length))),
  flash_remove: (name) => world.flash.remove(name),
  flash_rename: (from, to) => world.flash.rename(from, to),
  flash_mkdir: (name) => world.flash.mkdir(name),
  flash_rmdir: (name) => world.flash.rmdir(name),
  flash_list: (name) => world.flash.list(name).join("\n"),
  flash_blocks: () => world.flash.blocks,
  flash_free: () => world.flash.free(),
});
