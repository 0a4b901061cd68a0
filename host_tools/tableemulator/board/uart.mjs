// One UART: a bounded transmit buffer that drains at ten bits a byte, and a bounded receive buffer.
//
// Times are microseconds of virtual time. Nothing happens between calls: what has left the line or
// arrived on it is worked out from the time given with each call.

const BITS_PER_BYTE = 10;

export class Uart {
  constructor(id) {
    this.id = id;
    this.left = []; // left the line before the power went, not yet reported: [[time, hex], ...]
    this.reset();
  }

  /** Power-on state: nothing in flight, nothing received, the port not set up. */
  reset() {
    this.configure(115200, 256, 256);
    this.chunks = []; // sent and not yet reported: {start, data, done}
    this.lineFree = 0; // when the last byte accepted so far has left the line
    this.incoming = []; // on the receive line: {end, data, start, taken}
    this.received = [];
    this.overrun = 0; // bytes lost because the receive buffer was full
    this.wireFree = 0;
  }

  configure(baud, transmitBytes, receiveBytes) {
    this.byteUs = (BITS_PER_BYTE * 1e6) / baud;
    this.transmitBytes = transmitBytes;
    this.receiveBytes = receiveBytes;
  }

  /** Bytes accepted and not wholly on the line yet. */
  waiting(now) {
    return now >= this.lineFree ? 0 : Math.ceil((this.lineFree - now) / this.byteUs - 1e-9);
  }

  /** Take what fits into the transmit buffer; return how many bytes that was. */
  write(data, now) {
    const count = Math.min(data.length, Math.max(0, this.transmitBytes - this.waiting(now)));
    if (count === 0) return 0;
    const start = Math.max(now, this.lineFree);
    this.chunks.push({ start, data: Buffer.from(data.subarray(0, count)), done: 0 });
    this.lineFree = start + count * this.byteUs;
    return count;
  }

  /** Bytes that have left the line by `now` and were not given out before: [[time, hex], ...]. */
  takeSent(now) {
    const sent = this.left.splice(0);
    while (this.chunks.length > 0) {
      const chunk = this.chunks[0];
      const gone = Math.floor((now - chunk.start) / this.byteUs + 1e-9);
      const count = Math.min(chunk.data.length, gone);
      if (count > chunk.done) {
        const time = Math.ceil(chunk.start + count * this.byteUs - 1e-9);
        sent.push([time, chunk.data.toString("hex", chunk.done, count)]);
        chunk.done = count;
      }
      if (count < chunk.data.length) break;
      this.chunks.shift();
    }
    return sent;
  }

  /** The bytes in the buffer and on the line at `now` are lost with the power. */
  drop(now) {
    this.left = this.takeSent(now);
    this.reset();
  }

  /** Bytes begin to arrive at `now`; return when the last of them is complete. */
  arrive(data, now) {
    const start = Math.max(now, this.wireFree);
    this.wireFree = start + data.length * this.byteUs;
    this.incoming.push({ start, data, taken: 0 });
    return Math.ceil(this.wireFree - 1e-9);
  }

  /** Move what is complete by `now` into the receive buffer; what does not fit is lost. */
  settle(now) {
    while (this.incoming.length > 0) {
      const chunk = this.incoming[0];
      const complete = Math.floor((now - chunk.start) / this.byteUs + 1e-9);
      const count = Math.min(chunk.data.length, complete);
      for (; chunk.taken < count; chunk.taken++) {
        if (this.received.length < this.receiveBytes) this.received.push(chunk.data[chunk.taken]);
        else this.overrun++;
      }
      if (count < chunk.data.length) break;
      this.incoming.shift();
    }
  }

  any(now) {
    this.settle(now);
    return this.received.length;
  }

  read(count, now) {
    this.settle(now);
    return this.received.splice(0, count);
  }
}
