"""Calibrates the time of a card of a shuffler."""

import typer

from tabletools.cli.diag import asking
from tabletools.cli.diag.calibrations.calibration import (
    Calibration,
    Calibrations,
    Request,
    store,
    value_of,
)
from tabletools.diag import calibrate
from tabletools.diag.check import Check
from tabletools.diag.shuffler import CARD_SIGMAS, Passed, card_times
from tablewire.shuffler import CARD_SPREAD

_DECK_MS = 60_000
_GATES = ("gate_in", "gate_out")


def _card_time(request: Request) -> list[Check]:
    client, watch_ms = request.client, request.watch_ms(_DECK_MS)
    typer.echo(
        f"Have it shuffle a whole, counted deck of good cards within {watch_ms / 1000:g} s."
    )
    new = card_times(_gates(asking.self_test(client, watch_ms)))
    store(client, new)
    typer.echo("Shuffle it again: the check.")
    gates = _gates(asking.self_test(client, watch_ms))
    most = CARD_SIGMAS * new[CARD_SPREAD]
    return [
        calibrate.checked(
            f"{name.replace('_', ' ')}, card farthest from the median, permille",
            gate.farthest,
            0,
            most,
        )
        for name, gate in zip(_GATES, gates, strict=True)
    ]


def _gates(test: asking.SelfTest) -> list[Passed]:
    """What passed gate in and gate out."""
    quantities = ("pulses", "card_us", "card_spread", "card_off")
    return [Passed(*(value_of(test, gate, each) for each in quantities)) for gate in _GATES]


CALIBRATIONS = Calibrations({"card_time": Calibration(_card_time)})
