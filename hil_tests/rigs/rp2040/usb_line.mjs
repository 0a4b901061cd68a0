// The USB serial line of the chip, seen from its host.

import { USBCDC } from "rp2040js";

/** sent: told of each packet of bytes. feed() gives bytes to the chip. */
export class UsbLine extends USBCDC {
  constructor(usb, sent) {
    super(usb);
    this.onSerialData = sent;
    this.waiting = [];
    this.asked = 0;
    // An answer without bytes would be asked for again at once: the chip would do nothing else.
    usb.onEndpointRead = (endpoint, size) => {
      if (endpoint !== this.outEndpoint) return;
      this.asked = size;
      this.#answer();
    };
  }

  feed(data) {
    this.waiting.push(...data);
    this.#answer();
  }

  #answer() {
    if (this.asked === 0 || this.waiting.length === 0) return;
    const data = Uint8Array.from(this.waiting.splice(0, this.asked));
    this.asked = 0;
    this.usb.endpointReadDone(this.outEndpoint, data);
  }
}
