"""Calibrates length and thickness of a card of a shoe that reads."""

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
from tabletools.diag.card_shoe import Pulled, pulls
from tabletools.diag.check import Check
from tablewire.card_shoe import CARD_RATIO, SHEET_CARD_RAW, SHEET_LIMIT_RAW

_DECK_MS = 60_000


def _cards(request: Request) -> list[Check]:
    client, watch_ms = request.client, request.watch_ms(_DECK_MS)
    typer.echo(f"Pull twenty cards, one by one and each in one go, within {watch_ms / 1000:g} s.")
    single = _pull(asking.self_test(client, watch_ms))
    typer.echo("Now ten times two cards, one on the other, edge to edge.")
    double = _pull(asking.self_test(client, watch_ms))
    new = pulls(single, double)
    if new[SHEET_LIMIT_RAW] < client.value(SHEET_LIMIT_RAW):
        new = dict(reversed(new.items()))  # one card stays below the limit at each step
    store(client, new)
    typer.echo("Pull twenty single cards again: the check.")
    again = _pull(asking.self_test(client, watch_ms))
    ratio, card = new[CARD_RATIO], new[SHEET_CARD_RAW]
    slack = (new[SHEET_LIMIT_RAW] - card) // 2
    return [
        calibrate.checked("length of a card, %", again.ratio, ratio, ratio // 20),
        calibrate.checked("thinnest card, of 4095", again.thin, card, slack),
        calibrate.checked("thickest card, of 4095", again.thick, card, slack),
    ]


def _pull(test: asking.SelfTest) -> Pulled:
    return Pulled(
        value_of(test, "gate_in", "card_ratio"),
        value_of(test, "gate_in", "card_spread"),
        value_of(test, "sheet", "raw_least"),
        value_of(test, "sheet", "raw"),
    )


CALIBRATIONS = Calibrations({"cards": Calibration(_cards)})
