"""Replay of a round from the device's trace, by the device's logic.

`replayed` takes a trace file and says whether the logic gives what the device reported.
"""

from tabletools.replay.errors import OtherRelease, TraceError
from tabletools.replay.events import Close, Edge, Read, Tick, Void
from tabletools.replay.machine import Report, Run, Sample, run, with_keys
from tabletools.replay.trace import Trace, parsed
from tabletools.replay.verdict import (
    AGREES,
    DISAGREES,
    UNPROVEN,
    Verdict,
    compared,
    replayed,
)

__all__ = [
    "AGREES",
    "DISAGREES",
    "UNPROVEN",
    "Close",
    "Edge",
    "OtherRelease",
    "Read",
    "Report",
    "Run",
    "Sample",
    "Tick",
    "Trace",
    "TraceError",
    "Verdict",
    "Void",
    "compared",
    "parsed",
    "replayed",
    "run",
    "with_keys",
]
