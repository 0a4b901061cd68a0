"""`tabletool play`: an evening at an emulated American table, from the ball to the books."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from hil_tests import faults
from hil_tests.controller import WasmController
from hil_tests.emulators.geometry import Geometry
from hil_tests.emulators.harness import FROM_TABLE, TableStalled
from hil_tests.emulators.table import Spin, Table
from hil_tests.rigs.node import RigMissingError
from hil_tests.session import play as play_spin
from tabletools.errors import ToolError
from tabletools.keys import Key, new_key
from tabletools.play import Game, Screen, seeded_players

EXAMPLES = """\b
Examples:
  tabletool play
  tabletool play --spins 20 --seed 3 --rounds evening.jsonl
"""
SPINS = 12
SEED = 7
# Which spins go wrong: a third and two thirds of the way through.
MISHAPS = ("short_spin", "wrong_direction")
LATE_IN_ROUND = 2
# A void on the last spin leaves bets on the cloth; it is spun again so many times at most.
RESPINS = 5
INTRODUCTION = (
    "An American table with a double zero. Wheel and ball are a physical model; the firmware that",
    "reads them is the shipped one, on a MicroPython VM with the heap of a board. Its UART is",
    "decoded here frame by frame (↻ clockwise, ↺ counter-clockwise, seen from above). The rules",
    "are those of Holland Casino 2023: each settlement names its article, as in hc2023 2:3(2).",
    "",
)


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("play", epilog=EXAMPLES)(command)


def command(
    spins: Annotated[int, typer.Option(min=3, help="Spins to play, two of them void.")] = SPINS,
    seed: Annotated[int, typer.Option(help="The same seed plays the same evening.")] = SEED,
    heartbeats: Annotated[
        bool, typer.Option("--heartbeats", help="A line for each heartbeat, not one a phase.")
    ] = False,
    rounds: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep the rounds as `tabletool settle` takes them."),
    ] = None,
) -> None:
    """Play an emulated American table, settle every bet, balance the books."""
    screen = Screen(Console(), every=heartbeats)
    for line in INTRODUCTION:
        screen.say(line)
    # A key of this evening alone: the table gets it before it is switched on.
    key = new_key(1)
    screen.say(f"The table was given a fresh key, fingerprint {key.fingerprint}.")
    game = Game(
        seeded_players(seed),
        screen,
        keys=lambda _: {key.number: key.secret},
        late_in=LATE_IN_ROUND,
    )
    try:
        with _table(seed, game, key) as table:
            _play(table, game, spins)
    except (TableStalled, RigMissingError) as error:
        step = "run `make setup`" if isinstance(error, RigMissingError) else "report the seed"
        raise ToolError(str(error), where=f"seed {seed}", step=step) from error
    screen.books(game.books)
    for line in game.summary():
        screen.say(line, style="bold")
    if rounds is not None:
        _keep(rounds, game)
    if not game.books.balances:
        raise ToolError("the books do not balance", cause="a defect of the settlement")


@contextmanager
def _table(seed: int, game: Game, key: Key) -> Iterator[Table]:
    """Switch the table on with the game as its host; the game acknowledges, nobody else."""
    geometry = Geometry("double")
    controller = WasmController(geometry)
    controller.give_key(key.number, key.secret)
    table: Table | None = None

    def listen(when: int, direction: str, data: bytes) -> None:
        if direction == FROM_TABLE:
            answer = game.hear(when, data)
            if answer and table is not None:
                table.send(answer)

    try:
        table = Table(controller, geometry, seed, listen=listen, acknowledge=False)
        table.send(game.hello())
        yield table
        if table.errors:
            raise ToolError("the program on the board wrote: " + table.errors[0].strip())
    finally:
        controller.close()


def _play(table: Table, game: Game, spins: int) -> None:
    wrong = dict(zip(_places(spins), MISHAPS, strict=True))
    for number in range(spins + RESPINS):
        if number >= spins and not game.house.on_cloth:
            return
        fault = faults.find(wrong[number]) if number in wrong else None
        spin = play_spin(table, fault)
        _verify(spin, game, fault.reason if fault else None)


def _places(spins: int) -> tuple[int, int]:
    """Which spins go wrong: never the last one, or its bets would need another."""
    return min(spins // 3, spins - 3), min(2 * spins // 3, spins - 2)


def _verify(spin: Spin, game: Game, reason: int | None) -> None:
    """Hold the table's word against what happened. reason: of the void provoked, if one was."""
    told = game.settled[-1].round["outcome"].get("pocket")
    if told is not None and told != spin.pocket:
        what = f"the table said {told}, the ball lies in {spin.pocket}"
    elif reason is not None and spin.reason != reason:
        what = f"the table did not void {spin.fault} with code {reason}"
    else:
        return
    raise ToolError(
        what,
        where=f"round {spin.ended.round}",
        cause="a defect of the firmware",
        step="report the seed",
    )


def _keep(file: Path, game: Game) -> None:
    try:
        with file.open("w", encoding="ascii") as stream:
            stream.writelines(json.dumps(settled.round) + "\n" for settled in game.settled)
    except OSError as error:
        what = f"cannot write the rounds: {error.strerror}"
        raise ToolError(what, where=str(file), step="name another file") from error
