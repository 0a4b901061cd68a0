"""Learns what a money wheel loses by itself: from the traces of turns that nobody touched."""

import typer

from tabletools import decode
from tabletools.cli.diag import asking
from tabletools.cli.diag.changing import change
from tabletools.cli.table_client import TableClient
from tabletools.cli.trace import fetched
from tabletools.diag import wheel_law
from tabletools.diag.check import FAIL, PASS, Check
from tabletools.errors import ToolError
from tabletools.replay import parsed
from tabletools.replay.machine import run
from tablewire import money_wheel as words
from tablewire.codec import Frame
from tablewire.messages import FLAG_RETRANSMITTED, ROUND_VOID

TURNS = 30
_TRIES = 2 * TURNS
_ROUND_WITHIN_S = 300.0
_PINS = (52, 54)


def calibrated(client: TableClient) -> list[Check]:
    """Learn the law of a wheel and store it; the check is one more turn. Raises ToolError."""
    typer.echo(
        f"Play {TURNS} rounds: the wheel spun and pushed as ever, both ways, left to run out."
        " Nobody touches it after the second push."
    )
    config = client.configuration()
    new = wheel_law.learned(config, _PINS[config[words.SEGMENTS] - 1], _runs(client))
    with asking.in_maintenance(client):
        change(client, {key: config[key] for key in new}, new)
    typer.echo("Another one: the check.")
    end = _round(client)
    code = decode.record(end)["reason"] if end.type == ROUND_VOID else None
    note = wheel_law.unseen(new)
    return [Check("calibration: wheel law", FAIL if code else PASS, code=code, note=note)]


def _runs(client: TableClient) -> list[wheel_law.Recorder]:
    runs: list[wheel_law.Recorder] = []
    for _ in range(_TRIES):
        end = _round(client)
        recorder = None if end.type == ROUND_VOID else _recorded(fetched(client, end.round))
        if recorder is not None:
            runs.append(recorder)
        typer.echo(f"{len(runs)} of {TURNS}" + ("" if recorder else ", this one does not count"))
        if len(runs) == TURNS:
            return runs
    raise ToolError(
        f"{len(runs)} of {_TRIES} turns can be used", limit=f"{TURNS}",
        cause="the others are void, or their traces are not whole",
        step="see why: `tabletool monitor PORT`; a wheel that changed since it was calibrated:"
        " set turn_limit, slow_limit and last_limit back first",
    )  # fmt: skip


def _round(client: TableClient) -> Frame:
    def is_end(frame: Frame) -> bool:
        is_new = not frame.flags & FLAG_RETRANSMITTED
        return is_new and frame.type in (words.MONEY_WHEEL_RESULT, ROUND_VOID)

    frame = client.wait_for(is_end, _ROUND_WITHIN_S)
    if frame is None:
        raise ToolError(
            f"no round ended within {_ROUND_WITHIN_S:.0f} s",
            step="see why: `tabletool monitor PORT`",
        )
    return frame


def _recorded(data: bytes) -> wheel_law.Recorder | None:
    """The steps of a turn; None if its trace is not whole."""
    if not data or (trace := parsed(data)).cut:
        return None
    found: list[wheel_law.Recorder] = []
    run(trace, lambda role: found.append(wheel_law.record(role, trace.config)))
    return found[0] if found[0].steps and found[0].passes else None
