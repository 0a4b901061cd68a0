// An RP2040 with what programs need beside the emulator: its lines, its flash, its resets, its time.
//
// Time is microseconds since power-on, from the cycles of the core; it moves only in play().

import { createHash } from "node:crypto";
import { GPIOPinState, RP2040 } from "rp2040js";
import { Checkpoint } from "./checkpoint.mjs";
import { PL011 } from "./pl011.mjs";
import { ROM_MARK, patched, romCall } from "./rom_flash.mjs";
import { UsbLine } from "./usb_line.mjs";

const UART_IRQ = [20, 21];
const UART_AT = [0x40034, 0x40038];
const VECTORS = 0x10000100;
const WATCHDOG_AT = 0x40058;
// Of 4096 for 3.3 V: a third of 5.0 V at channel 3, 0.706 V of a chip at 27 C.
const AT_POWER_UP = [0, 0, 0, 2069, 876];
const FIFO_STATUS = 0x50, FIFO_READ = 0x58;
const FIFO_ANSWERS = 3;
const NOTES = 40;
// IO_IRQ_BANK0; the core counts its own 16 exceptions first.
const PIN_INTERRUPT = 13, PIN_EXCEPTION = 16 + PIN_INTERRUPT;

/** The program did what nothing can follow; the board stands still. */
export class Halted extends Error {}

export class Chip {
  #mark; // private: no property of what it remembers

  /** flash: the bytes from its first on; rom: 16 KiB, or null for programs that need none.
   *
   * flashTimes: microseconds that erasing a sector and programming a page of 256 bytes take.
   * latches: SPI -> the GPIO whose rise loads the shift registers on it. ramBytes: of the RAM, for
   * images that are linked for more than the chip has. */
  constructor(flash, rom, flashTimes, latches, ramBytes) {
    this.ramBytes = ramBytes;
    this.latches = new Map(Object.entries(latches).map(([spi, pin]) => [pin, Number(spi)]));
    this.held = new Map();
    this.rom = rom && patched(rom);
    this.flashTimes = flashTimes;
    this.used = { sectors: 0, pages: 0 };
    this.pinInterrupts = [];
    this.flashed = flash;
    this.nanos = 0;
    this.notes = new Map();
    this.levels = new Map();
    this.#clear();
    this.#start("power");
  }

  #clear() {
    this.sent = [];
    this.pins = [];
    this.resets = [];
    this.usb = [];
    this.lost = 0;
  }

  #start(cause, scratch) {
    const chip = (this.chip = new RP2040());
    this.begun = this.nanos;
    chip.logger = this;
    chip.sram = new Uint8Array(this.ramBytes);
    chip.sramView = new DataView(chip.sram.buffer);
    if (this.rom) chip.loadBootrom(this.rom);
    chip.flash.set(this.flashed);
    this.flashed = chip.flash;
    this.uarts = UART_AT.map((at, n) => {
      const sent = (byte) => this.#said(n, byte);
      return (chip.uart[n] = chip.peripherals[at] = new PL011(chip, `UART${n}`, UART_IRQ[n], sent));
    });
    AT_POWER_UP.forEach((read, channel) => (chip.adc.channelValues[channel] = read));
    this.line = new UsbLine(chip.usbCtrl, (data) => this.usb.push(...data));
    this.#watch(chip, scratch);
    this.shifts = new Map();
    chip.spi.forEach((spi, n) => (spi.onTransmit = () => spi.completeTransmit(this.#shift(n))));
    for (const [pin, level] of this.levels) chip.gpio[pin].setInputValue(level);
    chip.gpio.forEach((pin, n) => pin.addListener((state) => this.#driven(n, state)));
    chip.core.VTOR = VECTORS;
    chip.core.reset();
    this.resets.push([this.#us(), cause]);
  }

  /** Bytes without a pause are one piece, with the time its last one left the line. */
  #said(uart, byte) {
    const last = this.sent.at(-1);
    const pause = 1.5 * this.uarts[uart].byteNanos;
    if (last && last[1] === uart && (this.#us() - last[0]) * 1000 < pause) {
      last[0] = this.#us();
      last[2].push(byte);
    } else this.sent.push([this.#us(), uart, [byte]]);
  }

  /** Resets, breakpoints, and the second core: it answers that it is there, and does nothing. */
  #watch(chip, scratch) {
    const watchdog = chip.peripherals[WATCHDOG_AT];
    if (scratch) {
      watchdog.scratchData.set(scratch.data);
      watchdog.reason = scratch.reason;
    }
    watchdog.onWatchdogTrigger = () => {
      // At zero the emulator's timer would have its next alarm at once, and so for ever.
      watchdog.alarm.enable = false;
      this.due = watchdog;
    };
    this.due = null;
    chip.onBreak = (mark) => {
      if ((mark & ROM_MARK) !== ROM_MARK || chip.core.PC > 0x4000) {
        throw new Halted(`breakpoint ${mark} at 0x${(chip.core.PC - 2).toString(16)}`);
      }
      this.#spend(romCall(chip, mark));
    };
    this.#time(chip);
    const read = chip.sio.readUint32.bind(chip.sio);
    chip.sio.readUint32 = (offset) =>
      offset === FIFO_STATUS ? FIFO_ANSWERS : offset === FIFO_READ ? 0 : read(offset);
  }

  /** The core stands still, and with it every interrupt, while the flash is busy. */
  #spend({ sectors, pages }) {
    this.used.sectors += sectors;
    this.used.pages += pages;
    const [erase, program] = this.flashTimes;
    this.chip.clock.tick((sectors * erase + pages * program) * 1000);
  }

  /** Note of each interrupt of the pins when the edge came, the handler began and it ended.
   *
   * Of edges that come before the handler ran, the first waits longest. */
  #time(chip) {
    const { core } = chip;
    const request = chip.setInterrupt.bind(chip);
    chip.setInterrupt = (number, isSet) => {
      if (number === PIN_INTERRUPT && isSet) this.edge ??= chip.clock.nanos;
      request(number, isSet);
    };
    const enter = core.exceptionEntry.bind(core), leave = core.exceptionReturn.bind(core);
    core.exceptionEntry = (number) => {
      enter(number);
      if (number === PIN_EXCEPTION) this.entered = chip.clock.nanos;
    };
    core.exceptionReturn = (value) => {
      if (core.IPSR === PIN_EXCEPTION && this.edge !== null) {
        this.pinInterrupts.push([this.entered - this.edge, chip.clock.nanos - this.entered]);
        this.edge = null;
      }
      leave(value);
    };
    this.edge = null;
  }

  #us() {
    return Math.floor((this.begun + this.chip.clock.nanos) / 1000);
  }

  /** The next byte of the shift registers on an SPI. */
  #shift(spi) {
    const loaded = this.shifts.get(spi);
    return loaded?.data[loaded.at++] ?? 0;
  }

  #driven(pin, state) {
    const spi = this.latches.get(pin);
    if (spi !== undefined) {
      if (state === GPIOPinState.High) this.shifts.set(spi, { data: this.held.get(spi) ?? [], at: 0 });
      return;
    }
    if (state <= GPIOPinState.High) this.pins.push([this.#us(), pin, state]);
  }

  /** Power off and on: everything but the flash is forgotten. */
  boot() {
    this.nanos = this.begun + this.chip.clock.nanos;
    this.#start("power");
  }

  /** Remember everything as it is now, in place of what was remembered. */
  mark() {
    this.#mark = new Checkpoint(this);
  }

  /** As it was when it was marked: what was played since never was. */
  rewind() {
    this.#mark.restore();
  }

  /** All that a hard reset or the watchdog leaves, as it is now: a digest of the flash, the rest. */
  remains() {
    const { reason, scratchData } = this.chip.peripherals[WATCHDOG_AT];
    const flash = createHash("sha256").update(this.chip.flash).digest("hex");
    return { flash, rest: JSON.stringify([reason, [...scratchData], [...this.levels].sort()]) };
  }

  /** Run to a time, delivering the events on the way; throws Halted. */
  play(events, untilUs) {
    for (const event of events) {
      this.#runTo(event[0] * 1000);
      this.#deliver(event);
    }
    this.#runTo(untilUs * 1000);
  }

  #deliver([, kind, number, value]) {
    if (kind === "rx") this.uarts[number].feed(Buffer.from(value, "hex"));
    else if (kind === "usb") this.line.feed(Buffer.from(value, "hex"));
    else if (kind === "pin") this.#drive(number, !!value);
    else if (kind === "spi") this.held.set(number, Buffer.from(value, "hex"));
    else if (kind === "adc") this.chip.adc.channelValues[number] = value >> 4;
    else throw new Error(`no line for ${kind}`);
  }

  /** An edge is a change: the emulator would see one in every call. */
  #drive(pin, level) {
    if (this.levels.get(pin) === level) return;
    this.levels.set(pin, level);
    this.chip.gpio[pin].setInputValue(level);
  }

  #runTo(nanos) {
    while (this.begun + this.chip.clock.nanos < nanos) {
      this.#run(nanos - this.begun);
      if (this.due) this.#restart();
    }
  }

  /** Until a time of this start of the chip, or until the watchdog wants it started anew. */
  #run(until) {
    const { chip } = this;
    const { clock, core } = chip;
    while (clock.nanos < until && !this.due) {
      if (core.waiting) {
        const next = clock.nextAlarm ? clock.nanosToNextAlarm : Infinity;
        clock.tick(Math.min(next, until - clock.nanos));
      } else {
        const before = core.cycles;
        core.executeInstruction();
        const at = clock.nanosCounter + ((core.cycles - before) * 1e9) / chip.clkSys;
        // clock.tick() in short: it is called millions of times a second, an alarm is rare.
        if (clock.nextAlarm !== null && clock.nextAlarm.nanos <= at) clock.tick(at - clock.nanos);
        else clock.nanosCounter = at;
      }
    }
  }

  #restart() {
    const { reason, scratchData } = this.due;
    this.nanos = this.begun + this.chip.clock.nanos;
    this.#start(reason === 1 ? "watchdog" : "hard", { reason, data: scratchData });
  }

  /** What came out since the last time. */
  take() {
    const lost = this.uarts.reduce((sum, uart) => sum + uart.lost, 0);
    const found = {
      now: this.#us(), sent: this.sent, pins: this.pins, resets: this.resets, lost,
      usb: Buffer.from(this.usb).toString("hex"),
    };
    this.#clear();
    return found;
  }

  // The emulator's own words: what it does not have is remembered, what it refuses ends the play.
  debug() {}
  info() {}
  warn(part, text) {
    if (text.includes("not implemented yet")) throw new Halted(text);
    const what = `${part}: ${text}`;
    if (this.notes.has(what) || this.notes.size < NOTES) {
      this.notes.set(what, (this.notes.get(what) ?? 0) + 1);
    }
  }
  error(part, text) {
    throw new Halted(`${part}: ${text}`);
  }
}
