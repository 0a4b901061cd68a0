"""The command line of `tabletool play`: one act after the other, then the check of the books."""

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from tabletools.cli.force import ForceOption
from tabletools.cli.report import JsonOption, is_json, say
from tabletools.errors import ToolError, cannot_write
from tabletools.keys import Key, new_key
from tabletools.play.screen import Screen
from tabletools.private_file import verify_free, write_whole

if TYPE_CHECKING:
    from tabletools.cli.play.stage import Act
    from tabletools.play.settled import Settled

EXAMPLES = """\b
Examples:
  tabletool play
  tabletool play --only shuffler
  tabletool play --spins 20 --seed 3 --rounds rounds.jsonl
"""
ROLES = ("roulette", "money_wheel", "dice", "shuffler", "card_shoe", "draw_machine")
"""In the order in which their acts are played; the module of that name has its ACT."""
SPINS = 6
SEED = 7
INTRODUCTION = (
    "Each machine is a physical model. The firmware that reads it is the one that is shipped, on "
    "a MicroPython VM with the heap of a board; its UART is decoded here frame by frame. The "
    "rules are those of Holland Casino 2023: each settlement names its article.",
    "",
)


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("play", epilog=EXAMPLES)(command)


def command(
    spins: Annotated[int, typer.Option(min=3, help="Spins of roulette, two void.")] = SPINS,
    seed: Annotated[int, typer.Option(help="The same seed plays the same rounds.")] = SEED,
    only: Annotated[
        str | None, typer.Option(metavar="ROLE", help=f"Play one role: {', '.join(ROLES)}.")
    ] = None,
    heartbeats: Annotated[
        bool, typer.Option("--heartbeats", help="Print every heartbeat, not one per phase.")
    ] = False,
    rounds: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save the rounds as input of `tabletool settle`."),
    ] = None,
    force: ForceOption = False,
    _json: JsonOption = False,
) -> None:
    """Play a round of each role on the emulated board, settle every bet, balance the books."""
    if only not in (None, *ROLES):
        step = "name one of them, or leave --only out to play all"
        raise ToolError(f"no role {only!r}", where="--only", limit=", ".join(ROLES), step=step)
    if rounds is not None:
        verify_free(rounds, force=force)
    screen = Screen(Console(quiet=is_json()), every=heartbeats)
    for line in INTRODUCTION:
        screen.say(line)
    # A key for this run only: the table gets it before it is switched on.
    key = new_key(1)
    screen.say(f"The board was given a fresh key, fingerprint {key.fingerprint}.")
    _play(screen, only, (seed, spins, key), rounds)


def _play(
    screen: Screen, only: str | None, asked: tuple[int, int, Key], rounds: Path | None
) -> None:
    """Play the acts. asked: seed, spins of roulette, key of the tables."""
    # These take long to import; by now the first words are on the screen.
    from tableemulator.board.node import RigMissingError
    from tableemulator.machines.core.harness import TableStalled
    from tabletools.cli.play.stage import Stage

    try:
        with Stage(screen, *asked) as stage:
            for role in (only,) if only else ROLES:
                act = act_of(role)
                screen.title(role)
                for line in act.words:
                    screen.say(line)
                stage.play(act)
            stage.verify()
            if is_json():
                _say_settled(stage.settled)
            if rounds is not None:
                _keep(rounds, stage.settled)
    except TableStalled as error:
        raise ToolError(str(error), where=f"seed {asked[0]}", step="report the seed") from error
    except RigMissingError as error:
        what, _, step = str(error).partition(": ")
        raise ToolError(what, step=step) from error


def _say_settled(rounds: "list[Settled]") -> None:
    for each in rounds:
        say("", **each.record)


def _keep(file: Path, settled: "list[Settled]") -> None:
    text = "".join(json.dumps(each.record) + "\n" for each in settled)
    try:
        write_whole(file, text.encode("ascii"))
    except OSError as error:
        raise cannot_write("the rounds", error, file, "name another file") from error


def act_of(role: str) -> "Act":
    """Return the act of a role; it takes long to import."""
    act: Act = import_module(f"tabletools.cli.play.{role}").ACT
    return act
