// What programs call in the boot ROM to erase and program the flash, done by the host.
//
// The emulator's flash is read only to the bus of its chip; these functions of the ROM (RP2040 data
// sheet 2.8.3.1.3) would wait for ever. Each is found in the table of the ROM by its two letters and
// becomes a breakpoint and a return.

const TABLE_AT = 0x14;
const BREAKPOINT = 0xbe00, RETURN = 0x4770;
export const ROM_MARK = 0xf0;
const SECTOR = 4096, PAGE = 256;
const CALLS = ["IF", "EX", "RE", "RP", "FC", "CX"];

/** Replace the functions in a ROM of 16 KiB; returns it as the words the chip loads. */
export function patched(rom) {
  const words = new Uint16Array(rom.buffer.slice(rom.byteOffset, rom.byteOffset + rom.length));
  for (let at = words[TABLE_AT / 2] / 2; words[at] !== 0; at += 2) {
    const name = String.fromCharCode(words[at] & 0xff, words[at] >> 8);
    const call = CALLS.indexOf(name);
    if (call < 0) continue;
    const code = (words[at + 1] & ~1) / 2;
    words[code] = BREAKPOINT | ROM_MARK | call;
    words[code + 1] = RETURN;
  }
  return new Uint32Array(words.buffer);
}

/** Do the call whose breakpoint was met, with the arguments in the registers.
 *
 * Returns what it was: sectors erased, pages programmed. */
export function romCall(chip, mark) {
  const [first, second, third] = chip.core.registers;
  const name = CALLS[mark & 0xf];
  const done = { sectors: 0, pages: 0 };
  if (name === "RE") {
    done.sectors = Math.ceil(second / SECTOR);
    chip.flash.fill(0xff, first, first + done.sectors * SECTOR);
  } else if (name === "RP") {
    done.pages = Math.ceil(third / PAGE);
    // Programming only clears bits.
    for (let at = 0; at < third; at++) chip.flash[first + at] &= chip.readUint8(second + at);
  }
  return done;
}
