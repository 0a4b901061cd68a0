# mypy: ignore-errors
"""Plays a schedule by a state machine of the PIO: to the microsecond, whatever Python does.

Not run on a board yet; hil_tests/test_stimulus.py counts the cycles of the program by hand.
"""

import rp2
from machine import Pin
from schedule import CHANNELS

_FREQ_HZ = 1_000_000


@rp2.asm_pio(out_init=(rp2.PIO.OUT_HIGH,) * CHANNELS)
def _edges():
    # One microsecond an instruction: 4 beside the wait, which is x + 1 long.
    pull(block)  # noqa: F821
    out(x, 32)  # noqa: F821
    label("wait")  # noqa: F821
    jmp(x_dec, "wait")  # noqa: F821
    pull(block)  # noqa: F821
    out(pins, 32)  # noqa: F821


class PioPlayer:
    """Channel 0 is the GPIO `first`, the others follow."""

    def __init__(self, first: int) -> None:
        self._machine = rp2.StateMachine(0, _edges, freq=_FREQ_HZ, out_base=Pin(first))
        self._machine.active(1)

    def show(self, mask: int) -> None:
        """Set the levels of all channels."""
        self._machine.put(0)
        self._machine.put(mask)

    def play(self, schedule: object) -> None:
        """Play all of it, from now on. The queue holds two steps: the last is out soon after."""
        for number in range(schedule.steps):
            wait, mask = schedule.words(number)
            self._machine.put(wait)
            self._machine.put(mask)
        while self._machine.tx_fifo():
            pass
