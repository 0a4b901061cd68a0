"""The command line of `tabletool emulate`: options in, spins played, files written."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated, TextIO

import typer

from hil_tests import faults, session
from hil_tests.emulators.geometry import Geometry
from hil_tests.emulators.serve import Interrupted, Pace, UartPort
from hil_tests.emulators.table import FROM_TABLE, Listener, Spin, Table, TableStalled
from hil_tests.rigs.node import RigMissingError
from hil_tests.rigs.process import BoardDiedError
from tabletools.capture import Withheld, Writer
from tabletools.cli.emulate.files import keep_trace, written
from tabletools.cli.emulate.key import key_in
from tabletools.cli.emulate.serving import caught_signals, opened_port
from tabletools.cli.emulate.tally import Tally, refuse_errors
from tabletools.errors import ToolError
from tabletools.keys import Key

EXAMPLES = """\b
Examples:
  tabletool emulate roulette --wheel double --spins 20 --seed 7 --out night.capture
  tabletool emulate roulette --fault mixed --out night.capture --truth night.truth
  tabletool emulate roulette --spins 3 --traces evidence
  tabletool emulate roulette --fault list
  tabletool emulate roulette --serve 127.0.0.1:4001
  tabletool emulate roulette --serve 127.0.0.1:4001 --no-acknowledge --key keys.json
"""
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


@dataclass(frozen=True)
class _Order:
    """What was asked for. spins: None for no end. host: where to serve, None if not on TCP."""

    geometry: Geometry
    seed: int
    spins: int | None
    fault: str | None
    noise: str
    out: Path | None
    truth: Path | None
    serve: str | None
    pty: bool
    acknowledge: bool
    key: Key | None
    traces: Path | None

    @property
    def served(self) -> bool:
        """Whether the table plays by the wall clock."""
        return self.serve is not None or self.pty


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    group = typer.Typer(help="Emulate a table: the shipped firmware on a model of the wheel.")
    group.callback()(_group)
    group.command("roulette", epilog=EXAMPLES)(roulette)
    app.add_typer(group, name="emulate", epilog=EXAMPLES)


def _group() -> None:
    """Emulate a table: the shipped firmware on a model of the wheel."""


_Wheel = Annotated[WheelKind, typer.Option(help="Zeros on the wheel.")]
_Sensor = Annotated[PocketSensor, typer.Option(help="How the pocket is read.")]
_Noise = Annotated[NoiseLevel, typer.Option(help="How good the sensors are.")]
_Spins = Annotated[
    int | None, typer.Option(min=1, help=f"Spins to play [{SPINS}; served: no end].")
]
_Seed = Annotated[int, typer.Option(help="The same seed plays the same spins.")]
_Fault = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Inject this fault in every spin; mixed draws at random, list names."
    ),
]
_Out = Annotated[Path | None, typer.Option(metavar="FILE", help="Capture of the UART's bytes.")]
_Truth = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="One JSON line a spin: what physically happened."),
]
_Traces = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="A trace a round, for `tabletool replay`.")
]
_Serve = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT", help="Play by the wall clock, UART on this TCP port."),
]
_Pty = Annotated[bool, typer.Option("--pty", help="Play by the wall clock, UART on a PTY.")]
_KeyFile = Annotated[
    Path | None,
    typer.Option("--key", metavar="FILE", help="Give the table its key of this keyring."),
]
_Acknowledge = Annotated[
    bool, typer.Option(help="Acknowledge records; without it a reader of the port has to.")
]


def roulette(
    wheel: _Wheel = WheelKind.single,
    sensor: _Sensor = PocketSensor.array,
    spins: _Spins = None,
    seed: _Seed = 1,
    fault: _Fault = None,
    noise: _Noise = NoiseLevel.healthy,
    out: _Out = None,
    truth: _Truth = None,
    serve: _Serve = None,
    pty: _Pty = False,
    acknowledge: _Acknowledge = True,
    key: _KeyFile = None,
    traces: _Traces = None,
) -> None:
    """Play spins of an emulated roulette table.

    Time is virtual: a spin of half a minute takes a moment. With --serve or --pty the table plays
    by the wall clock until it is interrupted. With --key it speaks under a session only; served
    with --no-acknowledge, it is for a reader of the port to begin one.
    """
    if fault == LIST:
        for entry in faults.FAULTS:
            voids = f", void {entry.void_code}" if entry.void_code else ""
            print(f"{entry.code}  {entry.name:<21} {entry.where}: {entry.what}{voids}")
        return
    order = _Order(
        Geometry(wheel.value, sensor.value), seed, spins, fault, noise.value, out, truth, serve,
        pty, acknowledge, None if key is None else key_in(key), traces,
    )  # fmt: skip
    _check(order)
    try:
        _play(order)
    except TableStalled as error:
        raise ToolError(
            str(error), cause="a defect of the firmware", step="keep the seed and report it"
        ) from error
    except RigMissingError as error:
        raise ToolError(str(error), step="run `make setup`") from error


def _check(order: _Order) -> None:
    if Path("-") in (order.out, order.truth):
        raise ToolError(
            "standard output takes the report of the spins, not their file",
            where="--out" if order.out == Path("-") else "--truth",
            step="name a file; /dev/stdout is one",
        )
    if not order.served and not (order.out or order.truth or order.traces):
        raise ToolError(
            "nowhere to put the spins", where="--out", step="give --out FILE, or --serve HOST:PORT"
        )
    if order.out is not None and order.out == order.truth:
        raise ToolError(
            "the spins and the truth cannot share a file",
            where=f"--out and --truth {order.out}",
            step="give each a file of its own",
        )
    if order.fault in (None, session.MIXED):
        return
    try:
        faults.find(order.fault or "")
    except KeyError:
        raise ToolError(
            f"no fault {order.fault!r}",
            where="--fault",
            limit=f"{len(faults.FAULTS)} names and mixed",
            step="see `tabletool emulate roulette --fault list`",
        ) from None


def _play(order: _Order) -> None:
    tally = Tally(order.geometry)
    with ExitStack() as stack:
        capture = stack.enter_context(written(order.out))
        truths = stack.enter_context(written(order.truth))
        port = None
        if order.served:
            port = stack.enter_context(opened_port(order.serve, pty=order.pty))
        stop: list[int] = stack.enter_context(caught_signals()) if port else []
        table = stack.enter_context(
            session.emulated_table(
                order.geometry,
                order.seed,
                listen=_listener(stack, order, capture, port),
                pace=Pace(port, lambda: bool(stop)) if port else None,
                noise=order.noise,
                acknowledge=order.acknowledge,
                key=None if order.key is None else (order.key.number, order.key.secret),
            )
        )
        for spin in _spins(order, table, stop):
            if truths:
                truths.write(json.dumps(spin.truth()) + "\n")
                truths.flush()
            if order.traces:
                keep_trace(order.traces, table, spin)
            tally.add(spin)
            if port:
                print(tally.line(spin), flush=True)
    print(tally.sum())
    refuse_errors(table.errors, order.fault)


def _spins(order: _Order, table: Table, stop: list[int]) -> Iterator[Spin]:
    chosen = session.drawn(order.fault, order.seed)
    count = order.spins or (None if order.served else SPINS)
    try:
        for fault in islice(chosen, count):
            yield session.play(table, fault)
    except Interrupted:
        return
    except BoardDiedError:
        # An interrupt from the terminal ends the board's process as well.
        if not stop:
            raise


def _listener(
    stack: ExitStack, order: _Order, capture: TextIO | None, port: UartPort | None
) -> Listener:
    """What hears the UART: the capture file, which holds no key, and the readers of the port."""
    meta = {
        "source": "emulator",
        "table": "roulette",
        "wheel": order.geometry.wheel,
        "sensor": order.geometry.pocket_sensor,
        "seed": order.seed,
        "fault": order.fault,
    }
    writer = Withheld(Writer(capture, meta).chunk) if capture else None
    if writer is not None:
        stack.callback(writer.close)

    def listen(when: int, direction: str, data: bytes) -> None:
        if writer is not None:
            writer.chunk(when, direction, data)
        if port is not None and direction == FROM_TABLE:
            port.send(data)

    return listen
