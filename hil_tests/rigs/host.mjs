// The functions the emulated `machine`, `time` and file system call: module `_host` in the VM.
//
// Every function returns an integer or a string and never throws, except to switch the power off.
// Buffers come as (address, length) in the machine's memory.

import { ENOENT } from "./flash.mjs";

/** Host functions of one board. programs: Map of device path -> {address, length}. */
export function hostFunctions(world, vm, programs) {
  const bytes = (address, length) => vm.bytes.subarray(address, address + length);
  const uptime = () => world.now;
  const folders = new Set(["/"]);
  for (const name of programs.keys()) {
    for (let at = name.lastIndexOf("/"); at > 0; at = name.lastIndexOf("/", at - 1)) {
      folders.add(name.slice(0, at));
    }
  }
  const listPrograms = (folder) => {
    const prefix = folder === "/" ? "/" : `${folder}/`;
    const all = [...programs.keys(), ...folders].filter(
      (name) => name !== "/" && name.startsWith(prefix) && !name.slice(prefix.length).includes("/"),
    );
    return all.sort().map((name) => name.slice(prefix.length)).join("\n");
  };
  return {
    // Set-up: addresses of the shared words and levels, then the entry points.
    attach(cells, levels) {
      world.cells = cells >> 2;
      world.levelsAt = levels;
      return 0;
    },
    enter(name, entry) {
      world.entry[name] = entry._ref;
      return 0;
    },
    // Power and time.
    reset: (cause) => world.powerOff(cause),
    sleep(us) {
      world.sleep(uptime() + Math.max(0, us));
      return 0;
    },
    sleep_ms(ms) {
      world.sleep(uptime() + 1000 * Math.max(0, ms));
      return 0;
    },
    line: () => world.line(),
    covered: (name, address, length) => world.coverage.add(name, address, length),
    enabled: () => world.enabled(),
    watchdog(ms) {
      if (ms > 0) world.watchdogUs = ms * 1000;
      world.watchdogDue = uptime() + world.watchdogUs;
      return 0;
    },
    timer(id, periodUs, periodic) {
      if (periodUs <= 0) world.timers.delete(id);
      else world.timers.set(id, { id, periodUs, periodic, due: uptime() + periodUs });
      return 0;
    },
    random: () => world.random() & 0x3fffffff,
    // Pins.
    pin_irq(pin, mode) {
      world.irqs[pin] = mode;
      return 0;
    },
    pin_out: (pin, level) => world.setOutput(pin, level),
    pin_in: (pin, pull) => world.setPull(pin, pull),
    adc: (pin) => world.analog.get(pin) ?? 0,
    // UART.
    uart_init(id, baud, transmitBytes, receiveBytes) {
      world.uart(id).configure(baud, transmitBytes, receiveBytes);
      return 0;
    },
    uart_write: (id, address, length) => world.uart(id).write(bytes(address, length), uptime()),
    uart_read(id, address, length) {
      const data = world.uart(id).read(length, uptime());
      vm.bytes.set(data, address);
      return data.length;
    },
    uart_any: (id) => world.uart(id).any(uptime()),
    uart_room: (id) => world.uart(id).transmitBytes - world.uart(id).waiting(uptime()),
    uart_busy: (id) => Math.max(0, Math.ceil(world.uart(id).lineFree - uptime() - 1e-9)),
    // SPI.
    spi_read(id, address, length) {
      vm.bytes.set(world.shift(id, length), address);
      return 0;
    },
    // Program files, read-only.
    program_kind(name) {
      if (programs.has(name)) return 1;
      return folders.has(name) ? 2 : 0;
    },
    program_at: (name) => programs.get(name)?.address ?? -ENOENT,
    program_size: (name) => programs.get(name)?.length ?? -ENOENT,
    program_list: listPrograms,
    // Flash files.
    flash_kind: (name) => world.flash.kind(name),
    flash_size: (name) => world.flash.size(name),
    flash_read(name, offset, address, length) {
      const data = world.flash.files.get(name).subarray(offset, offset + length);
      vm.bytes.set(data, address);
      return data.length;
    },
    flash_truncate: (name) => world.flash.truncate(name),
    flash_write: (name, offset, address, length) =>
      world.flash.write(name, offset, Buffer.from(bytes(address, length))),
    flash_remove: (name) => world.flash.remove(name),
    flash_rename: (from, to) => world.flash.rename(from, to),
    flash_mkdir: (name) => world.flash.mkdir(name),
    flash_rmdir: (name) => world.flash.rmdir(name),
    flash_list: (name) =>
      world.flash.list(name).map((entry) => entry.slice(name.length + 1)).join("\n"),
  };
}
