"""What a board measures of itself: its supply voltage, the temperature of its chip."""

from machine import ADC

from tablewire.compat import const

if -0:  # for mypy
    from typing import Any

    from tabletypes import Measured

_READS = const(16)  # the mean of them: single ones differ by some mV
_SCALE = const(65535 * 16)
_REFERENCE_UV = const(3300000)
# RP2040 and RP2350 data sheets, "Temperature sensor": 27 C - (V - 0.706 V) / 1.721 mV. A percent
# of the reference is 4 C.
_AT_27_UV = const(706000)
_UV_PER_C = const(1721)


def supplies(supply: "dict[str, int]", chip: "dict[str, int]") -> "tuple[Measured, Measured]":
    """See hal. Both as in board.py; empty: not measured."""
    measured: "list[Any]" = [None, None]
    if supply:
        mv = (_volts_uv(supply["adc"]) * supply["times"] + 500) // 1000
        measured[0] = (mv, supply["low_mv"], supply["high_mv"])
    if chip:
        above = _AT_27_UV - _volts_uv(chip["adc"])
        degrees = 27 + (above + _UV_PER_C // 2) // _UV_PER_C
        measured[1] = (degrees, chip["low_c"], chip["high_c"])
    return tuple(measured)


def _volts_uv(adc: int) -> int:
    """Microvolts at an input of the converter."""
    converter = ADC(adc)
    read = 0
    for _ in range(_READS):
        read += converter.read_u16()
    return read * _REFERENCE_UV // _SCALE
