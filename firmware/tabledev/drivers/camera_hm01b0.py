"""A Himax HM01B0 camera, greys on one data line, taken in by a PIO state machine and DMA.

Never run on a sensor. The data sheet is under an agreement: names and addresses of the registers
are those that public drivers of the sensor agree on; what is not set here stays as a reset leaves
it: exposure and gain regulate themselves. The sensor runs by its own oscillator and streams
without end; a frame is what comes after the next rise of FVLD.

Budget of a frame, reckoned, not measured: 324 x 244 px of 8 bits at 12 MHz take 53 ms, with
blanking 66 ms, 15 a second; binned 162 x 122 px take 17 ms. The state machine needs four cycles a
bit, so it keeps up to 37 MHz at 150 MHz. DMA writes the frame; no interrupt and no loop is in it.
"""

import time

import rp2
from machine import I2C, Pin

from tablewire.compat import const

_ADDRESS = const(0x24)
_MODEL_ID = const(0x0000)  # two bytes, 0x01B0
_MODE_SELECT = const(0x0100)  # 0 standby, 1 streaming
_SW_RESET = const(0x0103)
_GRP_PARAM_HOLD = const(0x0104)  # 1: what was written becomes valid
_READOUT_X = const(0x0383)  # 1 each pixel, 3 for binning
_READOUT_Y = const(0x0387)
_BINNING_MODE = const(0x0390)  # bit 0 vertical, bit 1 horizontal
_QVGA_WIN_EN = const(0x3010)  # 1: 324 x 244 of the 324 x 324
_BIT_CONTROL = const(0x3059)
_ONE_BIT = const(0x22)  # output on D0 alone
_MODEL = b"\x01\xb0"
_BUS_HZ = const(400_000)
_MACHINE = const(0)  # state machine, of PIO 0
_RX_REQUEST = const(4)  # DMA request of its receive queue (RP2040 and RP2350 data sheets)


def _program(pclk: int, line: int, frame: int) -> object:
    """The program of the state machine; two words come first: lines - 1 and bits of one - 1.

    A line's pixels beyond those are left out, as are lines beyond the last.
    """

    # ruff: noqa: F821
    @rp2.asm_pio(in_shiftdir=rp2.PIO.SHIFT_LEFT, autopush=True, push_thresh=8)
    def take():  # type: ignore[no-untyped-def]
        pull()  # type: ignore[name-defined]
        mov(y, osr)  # type: ignore[name-defined]
        pull()  # type: ignore[name-defined]
        wait(0, gpio, frame)  # type: ignore[name-defined]
        wait(1, gpio, frame)  # type: ignore[name-defined]
        label("line")  # type: ignore[name-defined]
        mov(x, osr)  # type: ignore[name-defined]
        wait(1, gpio, line)  # type: ignore[name-defined]
        label("bit")  # type: ignore[name-defined]
        wait(0, gpio, pclk)  # type: ignore[name-defined]
        wait(1, gpio, pclk)  # type: ignore[name-defined]
        in_(pins, 1)  # type: ignore[name-defined]
        jmp(x_dec, "bit")  # type: ignore[name-defined]
        wait(0, gpio, line)  # type: ignore[name-defined]
        jmp(y_dec, "line")  # type: ignore[name-defined]
        label("done")  # type: ignore[name-defined]
        jmp("done")  # type: ignore[name-defined]

    return take


class HimaxCamera:
    """See hal. wires: CAMERA of board.py; frame: width * height bytes and four more.

    width, height: 320 x 240, or 160 x 120 by binning. Raises OSError when no such sensor answers.
    """

    def __init__(self, wires: dict, width: int, height: int, frame: bytearray) -> None:
        self.frame = frame
        self._pixels = memoryview(frame)[: width * height]
        self._words = (height - 1, width * 8 - 1)
        self._bus = I2C(wires["i2c"], sda=Pin(wires["sda"]), scl=Pin(wires["scl"]), freq=_BUS_HZ)
        self._set_up(binned=width == 160)
        data = Pin(wires["data"], Pin.IN)
        for name in ("pclk", "line", "frame"):
            Pin(wires[name], Pin.IN)
        program = _program(wires["pclk"], wires["line"], wires["frame"])
        self._machine = rp2.StateMachine(_MACHINE, program, in_base=data)
        self._dma = rp2.DMA()
        self._control = self._dma.pack_ctrl(size=0, inc_read=False, treq_sel=_RX_REQUEST)

    def _set_up(self, binned: bool) -> None:
        if self._bus.readfrom_mem(_ADDRESS, _MODEL_ID, 2, addrsize=16) != _MODEL:
            raise OSError("no HM01B0 at I2C address 0x24")
        self._write(_SW_RESET, 0)
        time.sleep_ms(5)
        self._write(_MODE_SELECT, 0)
        self._write(_BIT_CONTROL, _ONE_BIT)
        self._write(_QVGA_WIN_EN, 1)
        self._write(_READOUT_X, 3 if binned else 1)
        self._write(_READOUT_Y, 3 if binned else 1)
        self._write(_BINNING_MODE, 3 if binned else 0)
        self._write(_GRP_PARAM_HOLD, 1)
        self._write(_MODE_SELECT, 1)

    def _write(self, register: int, value: int) -> None:
        self._bus.writeto_mem(_ADDRESS, register, bytes((value,)), addrsize=16)

    def start(self) -> None:
        """Begin to take the next frame, whatever was begun before."""
        machine = self._machine
        machine.active(0)
        self._dma.active(0)
        machine.restart()
        while machine.rx_fifo():
            machine.get()
        for word in self._words:
            machine.put(word)
        self._dma.config(
            read=machine, write=self._pixels, count=len(self._pixels), ctrl=self._control,
            trigger=True,
        )  # fmt: skip
        machine.active(1)

    def poll(self) -> bool:
        """Whether it is there."""
        return not self._dma.active()

    def close(self) -> None:
        """Put the sensor to sleep and give state machine and DMA back."""
        self._machine.active(0)
        self._dma.close()
        self._write(_MODE_SELECT, 0)
