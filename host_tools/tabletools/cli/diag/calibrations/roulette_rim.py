"""Calibrates the rim of a roulette wheel with the traces of 30 spins.

A table drops a record once it is acknowledged, so its rounds are stored while they are played, as
`tabletool collect` does it; the traces come with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tabletools.cli.confirm import confirm
from tabletools.cli.diag import asking
from tabletools.cli.diag.changing import NAMES, change
from tabletools.cli.open_database import writing
from tabletools.cli.roulette_recorder import RouletteRecorder, Round, round_of, trace_failure
from tabletools.cli.table_client import TableClient
from tabletools.diag import calibrate
from tabletools.diag.check import PASS, SKIP, Check, judged
from tabletools.errors import ToolError
from tabletools.replay import TraceError, run, with_keys
from tablewire import roulette
from tablewire.messages import ROUND_VOID

if TYPE_CHECKING:
    from tabletools.roulette_rim.lap_law import Figure
    from tabletools.roulette_rim.proposal import Proposal
    from tabletools.store import Store

_MOST_ROUNDS = 60  # of which 30 have to be usable
_ROUND_WITHIN_S = 300.0
_PLACES = (roulette.RIM_SENSORS, *roulette.RIM_ANGLES)
# What the lap law decides; a healthy spin that was measured must have none of them.
_OF_RIM = (
    roulette.SHORT_SPIN,
    roulette.BALL_STUCK,
    roulette.LAUNCH_FAILED,
    roulette.BALL_REMOVED,
    roulette.FOREIGN_OBJECT,
)
_FALSE_VOIDS = 1  # of 30 spins, by chance


@dataclass(frozen=True)
class Rounds:
    """The rounds of one wheel, oldest first. where: they are from."""

    where: str
    rounds: tuple[Round, ...]

    @staticmethod
    def read(port: str, keys: Path | None, where: str) -> Rounds:
        """Return the rounds of a folder, or those of a database, which grows as you play."""
        folder = Path(where)
        if folder.is_dir():
            files = sorted(folder.glob("*.trace"))
            return Rounds(where, tuple(map(_from_file, files)))
        with writing(where) as store:
            return Rounds(where, tuple(_play(port, keys, where, store)))


def _from_file(file: Path) -> Round:
    try:
        return round_of(file.read_bytes())
    except TraceError as error:
        raise trace_failure(error, str(file)) from error


def _play(port: str, keys: Path | None, where: str, store: Store) -> list[Round]:
    """Return the last rounds, 30 of them usable, stored as they are played. Raises ToolError."""
    from tabletools.roulette_rim.proposal import SPINS, usable

    with RouletteRecorder(
        port, keys, where, store, _MOST_ROUNDS, "diag --calibrate rim"
    ) as recorder:

        def count() -> int:
            return sum(usable(each.spin) for each in recorder.rounds.values())

        typer.echo(
            f"{count()} of {SPINS} usable spins are in {where}. Play: full spins, thrown by the"
            " croupiers of this table, the ball left to drop."
        )
        while count() < SPINS:
            if not (news := recorder.next_rounds(_ROUND_WITHIN_S)):
                raise ToolError(
                    f"no trace of a round came within {_ROUND_WITHIN_S:.0f} s",
                    where=f"{count()} usable spins so far, all of them stored",
                    step="see why: `tabletool monitor PORT`; the same command goes on from here",
                )
            for number in news:
                laps = recorder.rounds[number].spin.laps
                typer.echo(f"round {number}: {laps:.1f} laps, {count()} usable spins")
        return [recorder.rounds[number] for number in sorted(recorder.rounds)]


def calibrated_rim(client: TableClient, rounds: Rounds, *, yes: bool) -> list[Check]:
    """Propose the keys of the rim, store them once confirmed, and check. Raises ToolError."""
    from tabletools.roulette_rim.proposal import propose

    _verify_wheel(client, rounds)
    now = {
        key: client.value(key)
        for key in (
            roulette.STUCK_LAP_MS,
            roulette.DROP_LAP_MS,
            roulette.RIM_ROUGHNESS,
            roulette.LAP_STEADY,
            roulette.LAP_SQUARE,
            roulette.LAUNCH_LAP_MAX_MS,
            roulette.NMB_LAP_MS,
        )
    }
    proposal = propose(
        [each.spin for each in rounds.rounds], client.value(roulette.RIM_SENSORS), now
    )
    checks = _measurements(proposal)
    old = _void_rounds(rounds)
    new = _void_with(rounds, proposal.keys)
    checks.append(_false_voids(proposal, old, new))
    for key, value in proposal.keys.items():
        typer.echo(f"proposed: {NAMES[key]} = {value}, now {now[key]}")
    typer.echo(checks[-1].note)
    if checks[-1].verdict != PASS:
        return checks
    if not yes:
        confirm("Store these values?")
    with asking.in_maintenance(client):
        change(client, now, proposal.keys)
        checks += [
            calibrate.checked(f"{NAMES[key]} stored", client.value(key), value)
            for key, value in proposal.keys.items()
        ]
    return checks


def _verify_wheel(client: TableClient, rounds: Rounds) -> None:
    """Raise ToolError for traces of another table, or of rim sensors at other places."""
    device = client.table[0]
    places = [client.value(key) for key in _PLACES]
    for each in rounds.rounds:
        trace = each.trace
        own = [trace.config[key] for key in _PLACES]
        if trace.device != device or own != places:
            raise ToolError(
                f"round {trace.round} is not of this wheel as it is now",
                where=f"table {trace.device}, rim sensors {own}",
                limit=f"table {device}, {places}",
                cause="another table, or the rim sensors or their keys were changed since",
                step="name a new database, and play 30 spins",
            )


def _void_rounds(rounds: Rounds) -> list[int]:
    """Which rounds the device voided for the ball's run, with the keys it had."""
    traces = (each.trace for each in rounds.rounds)
    return [
        trace.round for trace in traces if trace.ended == ROUND_VOID and trace.values[0] in _OF_RIM
    ]


def _void_with(rounds: Rounds, keys: Mapping[int, int]) -> list[int]:
    """Which rounds the device's logic voids for the ball's run, with other values of keys."""
    numbers = []
    for each in rounds.rounds:
        end = run(with_keys(each.trace, keys)).end
        if end is not None and end.type == ROUND_VOID and end.values[0] in _OF_RIM:
            numbers.append(each.trace.round)
    return numbers


def _false_voids(proposal: Proposal, old: list[int], new: list[int]) -> Check:
    more = [number for number in new if number not in old]
    note = (
        f"replayed with these keys {len(new)} of {proposal.spins} spins are void for the ball's"
        f" run, {len(old)} without them"
    )
    if more:
        note += f"; with them alone: rounds {', '.join(map(str, more))}"
    check = judged(
        "rim: spins void with these keys alone", len(more), "", (0, _FALSE_VOIDS), calibrate.OFF
    )
    return Check(
        check.name, check.verdict, check.value, check.unit, check.low, check.high, check.code, note
    )


def _measurements(proposal: Proposal) -> list[Check]:
    """What was measured, with intervals; none of it has a limit that was not applied already."""
    law, drops = proposal.law, sorted(proposal.drop_laps_s)

    def figure_check(name: str, figure: Figure, scale: float, unit: str) -> Check:
        low, high = round(figure.low * scale), round(figure.high * scale)
        return Check(
            f"rim: {name}", SKIP, round(figure.value * scale), unit, note=f"95 %: {low} to {high}"
        )

    return [
        Check(
            "rim: usable spins",
            PASS,
            proposal.spins,
            "",
            30,
            None,
            note=f"{law.growths} laps compared, {law.odd} left out",
        ),
        figure_check("roughness that the laps need", law.needs, 1000, "1/1000"),
        figure_check("roughness of the drag", law.roughness, 1000, "1/1000"),
        figure_check("drag from spin to spin", law.spins, 1000, "1/1000"),
        figure_check("jitter of a pass", law.jitter_s, 1e6, "us"),
        figure_check("steady drag", law.steady, 10_000, "0.0001 turns/s2"),
        figure_check("square drag", law.square, 10_000, "0.0001 per turn"),
        Check(
            "rim: last lap before the drop",
            SKIP,
            round(drops[len(drops) // 2] * 1000),
            "ms",
            note=f"{round(drops[0] * 1000)} to {round(drops[-1] * 1000)} ms",
        ),
        Check(
            "rim: the ball skids up to turn",
            SKIP,
            ceil(proposal.skids_to),
            "",
            note="counted from its first pass; the device takes it to roll after five",
        ),
        Check(
            "rim: pulse widths beside the laps",
            SKIP,
            round(proposal.width_beside * 1000),
            "1/1000",
            note="99 of 100 pulses are within; the device allows 62",
        ),
    ]
