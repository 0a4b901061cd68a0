"""Calibrates a money wheel: its offset, its flapper, and what it loses by itself.

That is learned from the traces of turns that nobody touched.
"""

from typing import Any

import typer

from tabletools.cli.diag import asking
from tabletools.cli.diag.calibrations.calibration import (
    Calibration,
    Calibrations,
    Places,
    Request,
    offset,
    store,
    value_of,
)
from tabletools.cli.diag.changing import change
from tabletools.cli.open_database import reading
from tabletools.cli.table_client import TableClient
from tabletools.diag.check import PASS, SKIP, Check
from tabletools.diag.money_wheel import Recorder, flapper, learn, record, still, unseen
from tabletools.errors import ToolError
from tabletools.replay import TraceError, parsed
from tabletools.replay.replay_run import run
from tablewire import money_wheel as words

TURNS = 30
_TRACES = 2 * TURNS
_PINS = (52, 54)
_SEGMENTS = Places(words.PIN_OFFSET, words.SEGMENTS, _PINS)
_TURN_MS = 15_000
_REST_MS = 1_000


def _wheel_law(request: Request) -> list[Check]:
    """Learn the law of a wheel from its last rounds in a ledger, and store it.

    Raises ToolError.
    """
    client, ledger = request.client, request.ledger
    if not ledger:
        raise ToolError(
            "a wheel's law is learned from its last rounds",
            where="--ledger",
            limit="a ledger",
            step=f"play {TURNS} rounds at a pit or under `tabletool collect`, both ways, and touch"
            " nothing after the second push; then name its database with --ledger DB",
        )
    config = client.configuration()
    runs = _runs(traces(ledger, asking.identity(client).device), config[words.SEGMENTS])
    new = learn(config, _PINS[config[words.SEGMENTS] - 1], runs)
    with asking.in_maintenance(client):
        change(client, {key: config[key] for key in new}, new)
    return [Check("wheel law", PASS, len(runs), "turns", note=unseen(new))]


def _law(client: TableClient) -> list[Check]:
    """What a hand may do unseen at this wheel; skipped while its law is not calibrated."""
    keys = (words.TURN_LIMIT, words.SLOW_LIMIT, words.LAST_LIMIT, words.LAW_SLACK_PERCENT)
    values = {key: client.value(key) for key in keys}
    verdict = PASS if values[words.TURN_LIMIT] else SKIP
    return [Check("wheel law", verdict, note=unseen(values))]


def traces(ledger: str, device: int) -> list[bytes]:
    """Return the traces of a table's last rounds, the newest first."""
    from tabletools.evidence import listing

    with reading(ledger) as db:
        return [data for _, data in reversed(listing.last_traces(db, device, _TRACES))]


def _runs(data: list[bytes], segments: int) -> list[Recorder]:
    """The last turns with a result, of a wheel with as many segments; no more than are needed."""
    runs: list[Recorder] = []
    for each in data:
        recorder = _record_turn(each)
        if recorder is not None and recorder.pins == _PINS[segments - 1]:
            runs.append(recorder)
    return runs[:TURNS]


def _record_turn(data: bytes) -> Recorder | None:
    """The steps of a turn; None if it has no result, or its trace is not whole or of others."""
    recorders: list[Recorder] = []

    def prepare(role: Any) -> None:
        recorders.append(record(role, trace.config))

    try:
        trace = parsed(data)
        is_whole = not trace.cut and trace.ended == words.MONEY_WHEEL_RESULT
        if is_whole:
            run(trace, prepare)
    except TraceError:
        return None
    recorder = recorders[0] if recorders else None
    return recorder if recorder and recorder.steps and recorder.passes else None


def _flapper(request: Request) -> list[Check]:
    client, watch_ms = request.client, request.watch_ms(_TURN_MS)
    before = asking.self_test(client, _REST_MS)
    rest = still(*_raw(before))
    typer.echo(f"Turn the wheel slowly over five pins or more, within {watch_ms / 1000:g} s.")
    store(client, flapper(rest, *_raw(asking.self_test(client, watch_ms))))
    typer.echo(f"Now the check: repeat it within {watch_ms / 1000:g} s.")
    checks = asking.sensors(client, asking.self_test(client, watch_ms))
    return [check for check in checks if check.name.startswith("flapper")]


def _raw(test: asking.SelfTest) -> tuple[int, int]:
    """The lowest and the highest reading."""
    return value_of(test, "flapper", "raw_least"), value_of(test, "flapper", "raw")


CALIBRATIONS = Calibrations(
    {
        "pin_offset": Calibration(lambda request: offset(request, _SEGMENTS)),
        "flapper": Calibration(_flapper),
        "wheel_law": Calibration(_wheel_law, needs_maintenance=False),
    },
    _law,
)
