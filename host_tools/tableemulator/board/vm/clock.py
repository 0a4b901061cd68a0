# mypy: ignore-errors
"""Virtual time in the place of the port's: ticks_us and the sleeps of the module `time`."""

import time

import _host
import rig

_cells = rig.cells


def ticks_us(cells=_cells):
    """Microseconds, wrap 2**30; at an interrupt the time of its edge. Takes no argument."""
    return cells[0]


def sleep_us(us):
    """Let virtual time pass; interrupts due in it are served, tasks are not."""
    rig.run_scheduled()
    _host.sleep(us)


def sleep_ms(ms):
    rig.run_scheduled()
    _host.sleep_ms(ms)


def sleep(seconds):
    rig.run_scheduled()
    _host.sleep(int(seconds * 1000000))


for _name in ("ticks_us", "sleep_us", "sleep_ms", "sleep"):
    setattr(time, _name, globals()[_name])
time.ticks_cpu = ticks_us
