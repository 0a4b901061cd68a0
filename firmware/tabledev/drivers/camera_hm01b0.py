"""A Himax HM01B0 camera, greys on one data line, read by a PIO state machine and DMA.

Never run on a sensor. The data sheet is under an agreement: the registers are those that public
drivers agree on, compared one by one in host_tools/docs/HARDWARE.md; registers not set here keep
their reset values: exposure and gain regulate themselves. The sensor runs by its own oscillator
and streams endlessly; a frame is what comes after the next rise of FVLD. At the start it sends a
test pattern, which shows wiring and order of the bits.

Budget of a frame, computed, not measured: with one data line the core runs at an eighth of the
clock, so at 12 MHz 260 lines of 376 clocks take 65 ms; binned, 172 lines take 43 ms. The state
machine needs four cycles a bit, so it keeps up to 37 MHz at 150 MHz. DMA writes the frame; no
interrupt and no loop is in it.
"""

import time

import rp2
from machine import I2C, Pin

from tablewire.compat import const

if -0:  # for mypy
    from typing import Any

    from rp2.asm_pio import gpio, in_, jmp, label, mov, osr, pins, pull, wait, x, x_dec, y, y_dec

_ADDRESS = const(0x24)
_MODEL_ID = const(0x0000)  # two bytes, 0x01B0
_MODE_SELECT = const(0x0100)  # 0 standby, 1 streaming
_SW_RESET = const(0x0103)
_GRP_PARAM_HOLD = const(0x0104)  # 1: what was written becomes valid
_FRAME_LINES = const(0x0340)  # two bytes
_LINE_CLOCKS = const(0x0342)  # two bytes
_READOUT_X = const(0x0383)  # 1 each pixel, 3 for binning
_READOUT_Y = const(0x0387)
_BINNING_MODE = const(0x0390)  # bit 0 vertical, bit 1 horizontal
_MOST_EXPOSED = const(0x2105)  # two bytes, lines; more than a frame's less 2 skips frames
_QVGA_WIN_EN = const(0x3010)  # 1: 324 x 244 of the 324 x 324
_BIT_CONTROL = const(0x3059)
_ONE_BIT = const(0x22)  # output on D0 alone
_CLOCK_DIVIDER = const(0x3060)
# PCLK runs with pixels alone (0x20), a pixel's highest bit first (0x10; 0: its lowest), core by 8.
_HIGHEST_FIRST = const(0x30)
_CLOCKS_A_LINE = const(376)
_LINES = const(260)
_BINNED_LINES = const(172)
# The test pattern of walking ones, with nothing that regulates or corrects pixels.
_PATTERN = (
    (0x2100, 0),
    (0x1000, 0),
    (0x1008, 0),
    (0x0205, 0),
    (0x020E, 1),
    (0x020F, 0),
    (0x0601, 0x11),
)
_PATTERN_TRIES = const(3)
_PATTERN_MS = const(300)
_RESET_MS = const(200)  # longer than the frame in progress
_MODEL = b"\x01\xb0"
_BUS_HZ = const(400_000)
_MACHINE = const(0)  # state machine, of PIO 0
_RX_REQUEST = const(4)  # DMA request of its receive queue (RP2040 and RP2350 data sheets)


def _program(pclk: int, line: int, frame: int) -> "Any":
    """The program of the state machine; two words come first: lines - 1 and bits of one - 1.

    Further pixels of a line are dropped, as are lines beyond the last.
    """

    @rp2.asm_pio(in_shiftdir=rp2.PIO.SHIFT_LEFT, autopush=True, push_thresh=8)
    def take() -> None:
        pull()
        mov(y, osr)
        pull()
        wait(0, gpio, frame)
        wait(1, gpio, frame)
        label("line")
        mov(x, osr)
        wait(1, gpio, line)
        label("bit")
        wait(0, gpio, pclk)
        wait(1, gpio, pclk)
        in_(pins, 1)
        jmp(x_dec, "bit")
        wait(0, gpio, line)
        jmp(y_dec, "line")
        label("done")
        jmp("done")

    return take


def _double(value: int) -> int:
    return value << 1 & 0xFF if value else 1


class HimaxCamera:
    """See hal. wires: CAMERA of board.py; frame: width * height bytes and four more.

    width, height: 320 x 240, or 160 x 120 by binning. Raises OSError when no such sensor answers.
    """

    def __init__(self, wires: "dict[str, int]", width: int, height: int, frame: bytearray) -> None:
        self.frame = frame
        self._pixels = memoryview(frame)[: width * height]
        self._words = (height - 1, width * 8 - 1)
        self._bus = I2C(wires["i2c"], sda=Pin(wires["sda"]), scl=Pin(wires["scl"]), freq=_BUS_HZ)
        if self._bus.readfrom_mem(_ADDRESS, _MODEL_ID, 2, addrsize=16) != _MODEL:
            raise OSError("no HM01B0 at I2C address 0x24")
        data = Pin(wires["data"], Pin.IN)
        for name in ("pclk", "line", "frame"):
            Pin(wires[name], Pin.IN)
        program = _program(wires["pclk"], wires["line"], wires["frame"])
        self._machine = rp2.StateMachine(_MACHINE, program, in_base=data)
        self._dma = rp2.DMA()
        self._control = self._dma.pack_ctrl(size=0, inc_read=False, treq_sel=_RX_REQUEST)
        self._set_up(False, _PATTERN)
        self._verify_pattern(width)
        self._set_up(width == 160, ())

    def _set_up(self, binned: bool, more: "tuple[tuple[int, int], ...]") -> None:
        """Stream: binned or not, with more (register, value)."""
        self._write(_SW_RESET, 0)
        time.sleep_ms(_RESET_MS)
        self._write(_MODE_SELECT, 0)
        self._write(_BIT_CONTROL, _ONE_BIT)
        self._write(_CLOCK_DIVIDER, _HIGHEST_FIRST)
        self._write(_QVGA_WIN_EN, 1)
        self._write(_READOUT_X, 3 if binned else 1)
        self._write(_READOUT_Y, 3 if binned else 1)
        self._write(_BINNING_MODE, 3 if binned else 0)
        lines = _BINNED_LINES if binned else _LINES
        self._write_two(_FRAME_LINES, lines)
        self._write_two(_LINE_CLOCKS, _CLOCKS_A_LINE)
        self._write_two(_MOST_EXPOSED, lines - 2)
        for register, value in more:
            self._write(register, value)
        self._write(_GRP_PARAM_HOLD, 1)
        self._write(_MODE_SELECT, 1)

    def _verify_pattern(self, width: int) -> None:
        """Raise OSError unless each pixel of a line doubles the one before: 0, 1, 2 to 128, 0."""
        row = self._pixels[:width]
        for _ in range(_PATTERN_TRIES):
            self.start()
            left_ms = _PATTERN_MS
            while left_ms and not self.poll():
                time.sleep_ms(1)
                left_ms -= 1
            if left_ms and all(row[x] == _double(row[x - 1]) for x in range(1, width)):
                return
        raise OSError("the test pattern of the HM01B0 came otherwise: D0, PCLK, LVLD or FVLD")

    def _write(self, register: int, value: int) -> None:
        self._bus.writeto_mem(_ADDRESS, register, bytes((value,)), addrsize=16)

    def _write_two(self, register: int, value: int) -> None:
        self._write(register, value >> 8)
        self._write(register + 1, value & 0xFF)

    def start(self) -> None:
        """Start to take the next frame, whatever was started before."""
        machine = self._machine
        machine.active(0)
        self._dma.active(0)
        machine.restart()
        while machine.rx_fifo():
            machine.get()
        for word in self._words:
            machine.put(word)
        self._dma.config(
            read=machine,
            write=self._pixels,
            count=len(self._pixels),
            ctrl=self._control,
            trigger=True,
        )
        machine.active(1)

    def poll(self) -> bool:
        """Whether it is complete."""
        return not self._dma.active()

    def close(self) -> None:
        """Put the sensor to sleep and release state machine and DMA."""
        self._machine.active(0)
        self._dma.close()
        self._write(_MODE_SELECT, 0)
