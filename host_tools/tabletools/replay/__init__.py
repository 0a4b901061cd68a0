"""Replay of a round from the device's trace, by the device's logic.

`replayed` takes a trace file and says whether the logic gives what the device reported; `draw`
draws the replay.
"""

from tabletools.replay.parsed_trace import Trace, parsed
from tabletools.replay.replay_run import Report, Run, Sample, run, with_keys
from tabletools.replay.replay_verdict import (
    AGREES,
    DISAGREES,
    UNPROVEN,
    Verdict,
    compared,
    replayed,
)
from tabletools.replay.roulette_picture import FORMATS, draw, is_drawn
from tabletools.replay.trace_errors import OtherRelease, TraceError
from tabletools.replay.trace_events import Close, Edge, Read, Tick, Void

__all__ = [
    "AGREES",
    "DISAGREES",
    "FORMATS",
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
    "draw",
    "is_drawn",
    "parsed",
    "replayed",
    "run",
    "with_keys",
]
