"""Learns what a money wheel loses by itself: from the traces of turns that nobody touched."""

from typing import Any

from tabletools.cli.database import reading
from tabletools.cli.diag import asking
from tabletools.cli.diag.changing import change
from tabletools.cli.table_client import TableClient
from tabletools.diag import wheel_law
from tabletools.diag.check import PASS, SKIP, Check
from tabletools.errors import ToolError
from tabletools.replay import TraceError, parsed
from tabletools.replay.machine import run
from tablewire import money_wheel as words

TURNS = 30
_TRACES = 2 * TURNS
_PINS = (52, 54)


def calibrated(client: TableClient, ledger: str) -> list[Check]:
    """Learn the law of a wheel from its last rounds in a ledger, and store it.

    Raises ToolError.
    """
    if not ledger:
        raise ToolError(
            "a wheel's law is learned from its last rounds", where="--ledger", limit="a ledger",
            step=f"play {TURNS} rounds at a pit or under `tabletool collect`, both ways, and touch"
            " nothing after the second push; then name its database with --ledger DB",
        )  # fmt: skip
    config = client.configuration()
    runs = _runs(traces(ledger, asking.identity(client)["device"]), config[words.SEGMENTS])
    new = wheel_law.learned(config, _PINS[config[words.SEGMENTS] - 1], runs)
    with asking.in_maintenance(client):
        change(client, {key: config[key] for key in new}, new)
    return [Check("wheel law", PASS, len(runs), "turns", note=wheel_law.unseen(new))]


def law(client: TableClient) -> Check:
    """What a hand may do unseen at this wheel; skipped while its law is not calibrated."""
    keys = (words.TURN_LIMIT, words.SLOW_LIMIT, words.LAST_LIMIT, words.LAW_SLACK_PERCENT)
    values = {key: client.value(key) for key in keys}
    verdict = PASS if values[words.TURN_LIMIT] else SKIP
    return Check("wheel law", verdict, note=wheel_law.unseen(values))


def traces(ledger: str, device: int) -> list[bytes]:
    """Return the traces of a table's last rounds, the newest first."""
    from tabletools.evidence import listing

    with reading(ledger) as db:
        return [data for _, data in reversed(listing.last_traces(db, device, _TRACES))]


def _runs(data: list[bytes], segments: int) -> list[wheel_law.Recorder]:
    """The last turns with a result, of a wheel with as many segments; no more than are needed."""
    runs: list[wheel_law.Recorder] = []
    for each in data:
        recorder = _recorded(each)
        if recorder is not None and recorder.pins == _PINS[segments - 1]:
            runs.append(recorder)
    return runs[:TURNS]


def _recorded(data: bytes) -> wheel_law.Recorder | None:
    """The steps of a turn; None if it has no result, or its trace is not whole or of others."""
    recorders: list[wheel_law.Recorder] = []

    def prepare(role: Any) -> None:
        recorders.append(wheel_law.record(role, trace.config))

    try:
        trace = parsed(data)
        is_whole = not trace.cut and trace.ended == words.MONEY_WHEEL_RESULT
        if is_whole:
            run(trace, prepare)
    except TraceError:
        return None
    recorder = recorders[0] if recorders else None
    return recorder if recorder and recorder.steps and recorder.passes else None
