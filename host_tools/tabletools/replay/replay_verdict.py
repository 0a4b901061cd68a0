"""Whether the replay of a trace gives what the device reported, bit for bit."""

from dataclasses import dataclass

from tablespec.message_list import BY_ID
from tablespec.names import NAMES, words
from tabletools.replay.parsed_trace import Trace, parsed
from tabletools.replay.replay_run import Run, run
from tabletools.replay.traced_frame import read_again
from tabletools.roles import role
from tablewire.config import ROLE
from tablewire.messages import ROLES

AGREES = "agrees"
DISAGREES = "DISAGREES"
UNPROVEN = "truncated: cannot be proven"


@dataclass(frozen=True)
class Verdict:
    """word: AGREES, DISAGREES or UNPROVEN. differences: one line each, empty when they agree."""

    word: str
    differences: tuple[str, ...] = ()


def judged(trace: Trace, replay: Run, tray: bytes | None = None) -> Verdict:
    """Compare the replayed end with that of the device; tray: see read_again."""
    if trace.cut:
        text = f"the device had room for {trace.size} bytes; what came after is lost"
        text = role(ROLES[trace.config[ROLE] - 1]).untraced or text
        return Verdict(UNPROVEN, (text,))
    if replay.end is None:
        return Verdict(DISAGREES, ("the replay ends the round with nothing",))
    if replay.end.type != trace.ended:
        names = NAMES[trace.ended], NAMES[replay.end.type]
        return Verdict(DISAGREES, (f"the device reported {names[0]}, the replay {names[1]}",))
    differences = _differences(trace, replay.end.values)
    faces = read_again(trace, tray)
    if faces is not None and faces[0] != faces[1]:
        differences += (f"the picture: the device read {faces[0]}, the replay {faces[1]}",)
    if replay.reports[-1].at_us > replay.end.at_us or _goes_on(trace, replay):
        differences += ("the replay ends the round before the device did",)
    return Verdict(DISAGREES if differences else AGREES, differences)


def compared(
    trace: Trace, verdict: Verdict, stored: tuple[int, tuple[int | bytes, ...]]
) -> Verdict:
    """Compare the record in a trace with the one that a host stored: its type and values."""
    ident, fields = stored
    values: list[int] = []
    for value in fields:  # a trace has each byte as a separate value
        values += value if isinstance(value, bytes) else (value,)
    if (ident, tuple(values)) == (trace.ended, trace.values):
        return verdict
    text = f"the database has {NAMES[ident]} {tuple(values)}, the trace another record"
    return Verdict(DISAGREES, (*verdict.differences, text))


def _goes_on(trace: Trace, replay: Run) -> bool:
    """Whether events follow the one that ended the round."""
    assert replay.end is not None
    return bool(replay.at_us) and replay.at_us[-1] > replay.end.at_us


def _differences(trace: Trace, theirs: tuple[int, ...]) -> tuple[str, ...]:
    ident, ours = trace.ended, trace.values
    names = [*words(ident, trace.config[ROLE])]
    last = BY_ID[ident].facts()[-1][1].code
    if last.endswith("s") and len(ours) == len(theirs):  # each byte of the last field
        names += [f"{names[-1]}, {place}." for place in range(2, len(ours) - len(names) + 2)]
    if len(ours) != len(names):
        return (f"the trace has {len(ours)} fields, {NAMES[ident]} has {len(names)}",)
    return tuple(
        f"{name}: the device reported {one}, the replay {other}"
        for name, one, other in zip(names, ours, theirs, strict=True)
        if one != other
    )


def replayed(data: bytes, tray: bytes | None = None) -> tuple[Trace, Run, Verdict]:
    """Return a trace file, replayed and judged; tray: see read_again. Raises TraceError."""
    trace = parsed(data)
    replay = run(trace)
    return trace, replay, judged(trace, replay, tray)
