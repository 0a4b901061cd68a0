# mypy: ignore-errors
"""Line coverage and interrupts between lines: what sys.settrace of the port is used for.

Loaded only into the settrace build. Each line of the program is noted by file; in a race run the
host is called too, lets a line's time pass, and delivers the interrupts that fall into it.
"""

import sys

import _host
import rig
from uctypes import addressof

_LINES = 4096  # longest program file, lines
_tracers = {}  # path -> tracer
_race = [False]
_state = rig.state


def _tracer(path):
    """Return the function that is called with the lines of one file."""
    lines = bytearray(_LINES)
    _host.covered(path, addressof(lines), _LINES)

    def line(frame, event, argument):
        if event == "line":
            lines[frame.f_lineno] = 1
            if _race[0] and not _state[1]:
                _host.line()
        return line

    return line


def _call(frame, event, argument):
    """A function begins: give its lines to the tracer of its file, the rig's own to none."""
    path = frame.f_code.co_filename
    tracer = _tracers.get(path)
    if tracer is None and not path.startswith("/rig/"):
        tracer = _tracers[path] = _tracer(path)
    return tracer


def start(race):
    """Trace from now on; race 1: let interrupts fall between lines."""
    _race[0] = bool(race)
    sys.settrace(_call)


_host.enter("trace", start)
