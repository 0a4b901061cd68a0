"""Options of `tabletool emulate`, the same for every table."""

from enum import StrEnum
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer

from tabletools.cli.force import ForceOption

SPINS = 10
LIST = "list"


class NoiseLevel(StrEnum):
    """The quality of the sensors."""

    none = "none"
    healthy = "healthy"
    worn = "worn"


Noise = Annotated[NoiseLevel, typer.Option(help="How good the sensors are.")]
Spins = Annotated[
    int | None, typer.Option(min=1, help=f"Spins to play [{SPINS}; served: no end].")
]
Seed = Annotated[int, typer.Option(help="The same seed plays the same spins.")]
Fault = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Inject this fault, by name or by its code, in every spin, or mount the sensors "
        "wrong in this way. `mixed` injects a random one in each spin, `list` prints them all.",
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
    typer.Option(metavar="HOST:PORT", help="Play in real time, UART on this TCP port."),
]
Pty = Annotated[bool, typer.Option("--pty", help="Play in real time, UART on a PTY.")]
KeyFile = Annotated[
    Path | None,
    typer.Option("--key", metavar="FILE", help="Use the table's key from this keyring."),
]
Flash = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Keep the board's flash in this file (tar, with its key) and start from it: the "
        "table can be killed at any time and continues as after a power cut.",
    ),
]
Acknowledge = Annotated[
    bool | None,
    typer.Option(
        help="Acknowledge records, or leave it to a reader of the port. [default: acknowledge, "
        "unless served with --key]"
    ),
]


def _common(name: str, default: Any, annotation: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


COMMON = (
    _common("spins", None, Spins),
    _common("seed", 1, Seed),
    _common("fault", None, Fault),
    _common("noise", NoiseLevel.healthy, Noise),
    _common("out", None, Out),
    _common("truth", None, Truth),
    _common("force", False, ForceOption),
    _common("serve", None, Serve),
    _common("pty", False, Pty),
    _common("acknowledge", None, Acknowledge),
    _common("key", None, KeyFile),
    _common("flash", None, Flash),
    _common("traces", None, Traces),
)
