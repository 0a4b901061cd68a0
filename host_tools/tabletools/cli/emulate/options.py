"""Options of `tabletool emulate`, the same for every table."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

SPINS = 10
LIST = "list"


class WheelKind(StrEnum):
    """Zeros on the wheel."""

    single = "single"
    double = "double"


class PocketSensor(StrEnum):
    """How the pocket is read."""

    array = "array"
    head = "head"
    both = "both"


class NoiseLevel(StrEnum):
    """How good the sensors are."""

    none = "none"
    healthy = "healthy"
    worn = "worn"


Wheel = Annotated[WheelKind, typer.Option(help="Zeros on the wheel.")]
Segments = Annotated[int, typer.Option(help="Segments of the wheel, 52 or 54.")]
Cards = Annotated[int, typer.Option(min=20, max=832, help="Cards in a deck.")]
Passes = Annotated[int, typer.Option(min=1, max=2, help="Passes that make a shuffle.")]
Serial = Annotated[bool, typer.Option("--serial", help="The shuffler counts, and has a line.")]
Balls = Annotated[int, typer.Option(min=20, max=90, help="Balls in the machine.")]
Draws = Annotated[
    int,
    typer.Option(min=0, max=90, help="Balls to draw; 0: until somebody has won (Bingo)."),
]
Dice = Annotated[
    int, typer.Option(min=1, max=6, help="Dice of the table; Sic Bo has 3, other games 2.")
]
Large = Annotated[bool, typer.Option("--large", help="Pictures of 320 x 240, not 160 x 120.")]
Sensor = Annotated[PocketSensor, typer.Option(help="How the pocket is read.")]
Noise = Annotated[NoiseLevel, typer.Option(help="How good the sensors are.")]
Decks = Annotated[int, typer.Option(min=1, max=8, help="Decks in the shoe.")]
Spins = Annotated[
    int | None, typer.Option(min=1, help=f"Spins to play [{SPINS}; served: no end].")
]
Seed = Annotated[int, typer.Option(help="The same seed plays the same spins.")]
Fault = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Inject this fault, by name or by its code, in every spin; mixed draws at random, "
        "list names.",
    ),
]
Out = Annotated[Path | None, typer.Option(metavar="FILE", help="Capture of the UART's bytes.")]
Truth = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="One JSON line a spin: what physically happened."),
]
Traces = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="A trace a round, for `tabletool replay`.")
]
Serve = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT", help="Play by the wall clock, UART on this TCP port."),
]
Pty = Annotated[bool, typer.Option("--pty", help="Play by the wall clock, UART on a PTY.")]
KeyFile = Annotated[
    Path | None,
    typer.Option("--key", metavar="FILE", help="Give the table its key of this keyring."),
]
Acknowledge = Annotated[
    bool | None,
    typer.Option(
        help="Acknowledge records, or leave it to a reader of the port. [default: acknowledge, "
        "unless served with --key]"
    ),
]
