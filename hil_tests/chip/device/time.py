# mypy: ignore-errors
"""The part of time that the shared code uses, for the port qemu, which has none."""

import machine

# Cycles of 25 MHz since power-on, 32 bits: FPGAIO of an MPS2.
_COUNTER = 0x4002_8018
_CYCLES_US = 25
_MASK = (1 << 30) - 1


def ticks_us():
    """Microseconds, wrapping at 171 s: a test that measures takes less."""
    return machine.mem32[_COUNTER] // _CYCLES_US & _MASK


def ticks_ms():
    """Milliseconds of the same clock."""
    return ticks_us() // 1000


def ticks_diff(later, earlier):
    """later - earlier on a clock that wraps at 2^30."""
    return ((later - earlier + 0x2000_0000) & _MASK) - 0x2000_0000


def sleep_us(count):
    """Let time pass."""
    begin = ticks_us()
    while ticks_diff(ticks_us(), begin) < count:
        pass


def sleep_ms(count):
    """Let time pass."""
    sleep_us(count * 1000)
