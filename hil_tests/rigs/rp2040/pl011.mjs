// A UART of the RP2040 as its data sheet (4.2) tells: queues of 32, a line that takes its time.
//
// In place of the emulator's own, which has no queue for sending, no time-out of reception and no
// time on the line.

import { BasePeripheral, FIFO } from "rp2040js";

const DR = 0x00, RSR = 0x04, FR = 0x18, IBRD = 0x24, FBRD = 0x28, LCR_H = 0x2c, CR = 0x30;
const IFLS = 0x34, IMSC = 0x38, RIS = 0x3c, MIS = 0x40, ICR = 0x44, DMACR = 0x48;
const PERIPHID0 = 0xfe0;
const IDENTITY = [0x11, 0x10, 0x34, 0x00, 0x0d, 0xf0, 0x05, 0xb1];
const BUSY = 1 << 3, RXFE = 1 << 4, TXFF = 1 << 5, RXFF = 1 << 6, TXFE = 1 << 7;
const FEN = 1 << 4, TXE = 1 << 8, RXE = 1 << 9, UARTEN = 1;
const RX = 1 << 4, TX = 1 << 5, RX_TIMEOUT = 1 << 6, OVERRUN = 1 << 10;
const DEPTH = 32;
// Levels at which a queue of 32 asks, by the three bits of IFLS.
const LEVELS = [4, 8, 16, 24, 28];
const TIMEOUT_BITS = 32;

export class PL011 extends BasePeripheral {
  /** sent: told of each byte when its last bit is on the line. */
  constructor(chip, name, irq, sent) {
    super(chip, name);
    this.irq = irq;
    this.sent = sent;
    this.lost = 0;
    this.registers = { [IBRD]: 0, [FBRD]: 0, [LCR_H]: 0, [CR]: RXE | TXE, [IFLS]: 0x12, [DMACR]: 0 };
    this.mask = 0;
    this.raised = 0;
    this.received = new FIFO(DEPTH);
    this.queued = new FIFO(DEPTH);
    this.arriving = [];
    this.shifting = -1;
    this.sender = chip.clock.createAlarm(() => this.#byteSent());
    this.receiver = chip.clock.createAlarm(() => this.#byteCame());
    this.silence = chip.clock.createAlarm(() => this.#raise(RX_TIMEOUT));
  }

  /** Bytes from the other end of the line, one after the other from now on. */
  feed(data) {
    const idle = this.arriving.length === 0;
    this.arriving.push(...data);
    if (idle && data.length > 0) this.receiver.schedule(this.byteNanos);
  }

  clkPeriChanged() {}

  get bitNanos() {
    const divisor = this.registers[IBRD] + this.registers[FBRD] / 64;
    return (16e9 * (divisor || 1)) / this.rp2040.clkPeri;
  }

  get byteNanos() {
    const control = this.registers[LCR_H];
    const parity = (control >> 1) & 1, secondStop = (control >> 3) & 1, length = (control >> 5) & 3;
    return this.bitNanos * (7 + length + parity + secondStop);
  }

  get depth() {
    return this.registers[LCR_H] & FEN ? DEPTH : 1;
  }

  #level(shift) {
    return this.depth === 1 ? 1 : LEVELS[(this.registers[IFLS] >> shift) & 7] ?? DEPTH;
  }

  #byteCame() {
    const byte = this.arriving.shift();
    if (this.arriving.length > 0) this.receiver.schedule(this.byteNanos);
    const control = this.registers[CR];
    if (!(control & UARTEN) || !(control & RXE)) return;
    if (this.received.itemCount >= this.depth) {
      this.lost += 1;
      this.#raise(OVERRUN);
      return;
    }
    this.received.push(byte);
    this.silence.schedule(TIMEOUT_BITS * this.bitNanos);
    if (this.received.itemCount >= this.#level(3)) this.#raise(RX);
  }

  #byteSent() {
    const byte = this.shifting;
    this.shifting = -1;
    this.#shift();
    this.sent(byte);
  }

  #shift() {
    if (this.shifting >= 0 || this.queued.empty) return;
    this.shifting = this.queued.pull();
    this.sender.schedule(this.byteNanos);
    if (this.queued.itemCount <= (this.depth === 1 ? 0 : this.#level(0))) this.#raise(TX);
  }

  #raise(bits) {
    this.raised |= bits;
    this.#interrupt();
  }

  #drop(bits) {
    this.raised &= ~bits;
    this.#interrupt();
  }

  #interrupt() {
    this.rp2040.setInterrupt(this.irq, !!(this.raised & this.mask));
  }

  #read() {
    const byte = this.received.empty ? 0 : this.received.pull();
    if (this.received.itemCount < this.#level(3)) this.#drop(RX);
    if (this.received.empty) {
      this.silence.cancel();
      this.#drop(RX_TIMEOUT);
    }
    return byte;
  }

  #write(byte) {
    if (!(this.registers[CR] & UARTEN) || !(this.registers[CR] & TXE)) return;
    if (this.queued.itemCount >= this.depth) return;
    this.queued.push(byte);
    if (this.queued.itemCount > this.#level(0)) this.#drop(TX);
    this.#shift();
  }

  get flags() {
    const { received, queued, depth } = this;
    return (
      (received.empty ? RXFE : 0) | (received.itemCount >= depth ? RXFF : 0) |
      (queued.empty ? TXFE : 0) | (queued.itemCount >= depth ? TXFF : 0) |
      (this.shifting >= 0 || !queued.empty ? BUSY : 0)
    );
  }

  readUint32(offset) {
    if (offset in this.registers) return this.registers[offset];
    if (offset >= PERIPHID0) return IDENTITY[(offset - PERIPHID0) >> 2];
    switch (offset) {
      case DR: return this.#read();
      case RSR: return 0;
      case FR: return this.flags;
      case IMSC: return this.mask;
      case RIS: return this.raised;
      case MIS: return this.raised & this.mask;
      case ICR: return 0;
    }
    return super.readUint32(offset);
  }

  writeUint32(offset, value) {
    if (offset in this.registers) this.registers[offset] = value;
    else if (offset === DR) this.#write(value & 0xff);
    else if (offset === ICR) this.#drop(this.rawWriteValue);
    else if (offset === IMSC) {
      this.mask = value & 0x7ff;
      this.#interrupt();
    } else if (offset !== RSR) super.writeUint32(offset, value);
  }
}
