# mypy: ignore-errors
"""Line coverage and interrupts between lines: what sys.settrace of the port is used for.

Loaded only into the settrace build. Each line of the program is noted by file; in a race run the
host is also told, lets a line's time pass, and delivers the interrupts that fall into it.
"""

import sys

import _host
import rig
from uctypes import addressof

_LINES = 4096  # longest program file, lines
_seen = {}  # path -> one byte per line, 1 = run
_race = [False]
_state = rig.state


def _line(frame, event, argument):
    code = frame.f_code
    path = code.co_filename
    if path.startswith("/rig/"):
        return None
    seen = _seen.get(path)
    if seen is None:
        seen = _seen[path] = bytearray(_LINES)
        _host.covered(path, addressof(seen), _LINES)
    if event == "line":
        seen[frame.f_lineno] = 1
        if _race[0] and not _state[1]:
            _host.line()
    return _line


def start(race):
    """Trace from now on; race 1: let interrupts fall between lines."""
    _race[0] = bool(race)
    sys.settrace(_line)


_host.enter("trace", start)
