"""A replay as text: what ended the round, and what the logic reported on the way."""

from collections.abc import Iterator

from tablespec import names
from tablespec.message_list import BY_ID
from tablespec.reasons import REASONS
from tabletools import roles
from tabletools.replay.parsed_trace import Trace
from tabletools.replay.replay_run import Run
from tablewire.config import ROLE
from tablewire.messages import BETS_CLOSED, FAULT_RAISED, ROUND_ENDS, STATE

_PHASES = dict(names.PHASE)
_CAUSES = dict(names.CLOSE_CAUSE)
_REASONS = {reason.number: reason.name for reason in REASONS}


def headline(trace: Trace) -> str:
    """Which round of which table, and how it ended by the device's record."""
    place = f"Table {trace.device}, boot {trace.boot}, round {trace.round}"
    return f"{place}: {ended(trace.ended, trace.values)}"


def ended(ident: int, values: tuple[int, ...]) -> str:
    """The end of a round in a few words."""
    name = roles.of_result(names.NAMES[ident])
    if name is not None:
        return roles.role(name).end(values)
    return f"void, {_reason(values[0])}"


def timeline(run: Run) -> Iterator[tuple[int, str]]:
    """(microseconds since the trace began, what happened), in order."""
    for report in run.reports:
        first = report.values[0]
        if report.type == STATE:
            yield report.at_us, f"phase {_PHASES[first]}"
        elif report.type == BETS_CLOSED:
            yield report.at_us, f"no more bets: {_CAUSES[first]}"
        elif report.type == FAULT_RAISED:
            yield report.at_us, f"fault {_reason(first)}"
        elif report.type in ROUND_ENDS:
            yield report.at_us, ended(report.type, report.values)


def fields(trace: Trace, ident: int, values: tuple[int, ...]) -> dict[str, int]:
    """The fields of a message in the words of the table's role, values as on the wire."""
    return dict(zip(names.words(ident, trace.config[ROLE]), values, strict=False))


def record(trace: Trace, ident: int, values: tuple[int, ...]) -> dict[str, int | str]:
    """The same as data, with the names of the wire."""
    on_wire = (name for name, _ in BY_ID[ident].facts())
    by_name = dict(zip(on_wire, values, strict=False))
    return {"type": names.NAMES[ident], **by_name, **fields(trace, ident, values)}


def _reason(number: int) -> str:
    return f"{number} {_REASONS[number]}" if number in _REASONS else str(number)
