"""Programs for an RP2040, assembled by hand, and the UF2 files that carry them.

Thumb code, one instruction a line as its halfword; the words they load stand at their end.
"""

import struct

from hil_tests.rigs.uf2 import FLASH_AT, RP2040, boot_sum

BLOCK = struct.Struct("<8I476sI")
STACK, CODE_AT = 0x2004_2000, FLASH_AT + 0x200
PAYLOAD = 256

# Sends back what comes on UART 0 at 115,200 baud; at an edge of GPIO 2 sends "E" and the timer.
ECHO = """
4813 2143 6241  ldr r0,uart; divisor 125 MHz / (16 * 115200) = 67
2134 6281       and 52/64
2170 62c1       8 bits, queues
4911 6301       ldr r1,enable; UARTCR
4a11 2156 6011  ldr r2,pad; input enabled
4a10 4b11 2400  ldr r2,sio; ldr r3,timer; last level 0
6981 2510 4229  loop: UARTFR, RXFE?
d101            bne edge
6801 6001       UARTDR to UARTDR
6851 0889 2501 4029  edge: GPIO_IN, bit 2
42a1 d0f3       the same as last time: loop
000c 6a9d 2645  mov r4,r1; TIMERAWL; 'E'
6006 6005 0a2d 6005 0a2d 6005 0a2d 6005  five bytes to UARTDR
e7e7 46c0       loop; nop
4000 4003 0301 0000 c00c 4001  UART0, RXE TXE UARTEN, pad of GPIO 2
0000 d000 4000 4005            SIO, TIMER
"""
# Sends the first byte of sector 1, erases it through the ROM and programs the vectors into it.
WRITER = """
4809 2101 6241  ldr r0,uart; divisor 1
4909 6301       UARTCR
4e09 7831 6001  first byte of sector 1 to UARTDR
4808 4909 2200 4c09 47a0  0x1000, 4096, 0; blx erase
4806 4908 4a09 4c09 47a0  0x1000, 0x10000100, 256; blx program
e7fe 46c0       stay
4000 4003 0301 0000 1000 1000  UART0, enable, sector 1
1000 0000 1000 0000 0101 0000  offset, bytes, erase in the ROM below
0100 1000 0100 0000 0105 0000  vectors, bytes, program in the ROM below
"""
# The watchdog starts it anew, once; then it stops at a breakpoint.
RESTARTER = """
4804 68c1 2900  ldr r0,watchdog; SCRATCH0
d104            bne stop
2101 60c1       1 to SCRATCH0
07c9 6001       1 << 31 to CTRL
e7fe            stay
be07            stop: bkpt 7
8000 4005       WATCHDOG
"""
# The watchdog runs out 0.5 us after it was enabled, once; then it stops at a breakpoint.
EXPIRER = """
4805 68c1 2900  ldr r0,watchdog; SCRATCH0
d105            bne stop
2101 60c1       1 to SCRATCH0
6041            1 to LOAD
0789 6001       1 << 30 to CTRL
e7fe            stay
be07 46c0       stop: bkpt 7; nop
8000 4005       WATCHDOG
"""
# Reads a register of the ring oscillator, which the emulator does not have.
READER = """
4801 6800 e7fe 46c0  ldr r0,rosc; ldr r0,[r0]; stay
0000 4006            ROSC
"""
UNKNOWN = "ffff ffff  no instruction"


def code(text: str) -> bytes:
    """The halfwords at the beginning of each line."""
    words = []
    for line in text.splitlines():
        for word in line.split("  ")[0].split():
            words.append(int(word, 16))
    return struct.pack(f"<{len(words)}H", *words)


def flash(text: str) -> bytes:
    """Boot block, vectors, code."""
    boot = bytes(252)
    vectors = struct.pack("<2I", STACK, CODE_AT | 1).ljust(256, b"\0")
    return boot + struct.pack("<I", boot_sum(boot)) + vectors + code(text)


def uf2(content: bytes, *, family: int = RP2040, start: int = FLASH_AT) -> bytes:
    """A UF2 file of that flash."""
    pieces = [content[first : first + PAYLOAD] for first in range(0, len(content), PAYLOAD)]
    blocks = [
        BLOCK.pack(
            0x0A324655,
            0x9E5D5157,
            0x2000,
            start + number * PAYLOAD,
            PAYLOAD,
            number,
            len(pieces),
            family,
            piece.ljust(PAYLOAD, b"\0"),
            0x0AB16F30,
        )
        for number, piece in enumerate(pieces)
    ]
    return b"".join(blocks)


def rom() -> bytes:
    """A boot ROM with two functions in its table, which do nothing: RE at 0x100, RP at 0x104."""
    image = bytearray(0x200)
    image[0x10:0x14] = b"Mu\x01\x01"
    struct.pack_into("<H", image, 0x14, 0x40)
    struct.pack_into("<2sH2sHH", image, 0x40, b"RE", 0x101, b"RP", 0x105, 0)
    struct.pack_into("<4H", image, 0x100, *[0x4770] * 4)
    return bytes(image)
