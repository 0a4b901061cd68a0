"""Carries out one order of `tabletool emulate`: plays spins, writes files, serves a port."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from tableemulator import fault_catalogue, play_session
from tableemulator.board.node import RigMissingError
from tableemulator.board.process import BoardDiedError
from tableemulator.machines import Setup, emulator_of
from tableemulator.machines.core.harness import FROM_TABLE, Listener, TableStalled
from tableemulator.machines.core.uart import Interrupted, Pace, UartPort
from tabletools.capture import capture_to
from tabletools.cli.emulate import options
from tabletools.cli.emulate.output_files import keep_trace, opened_flash
from tabletools.cli.emulate.serving import caught_signals, opened_port, say_where
from tabletools.cli.emulate.tally import Tally, refuse_errors
from tabletools.cli.progress import working
from tabletools.cli.report import say
from tabletools.errors import ToolError
from tabletools.keys import Key
from tabletools.private_file import NewFile


@dataclass(frozen=True)
class Order:
    """The options of a command. spins: None for no end. serve: where, None if not on TCP.

    acknowledge: None leaves it to a reader of the port if the table has a key.
    """

    setup: Setup
    seed: int
    spins: int | None
    fault: str | None
    out: Path | None
    truth: Path | None
    force: bool
    serve: str | None
    pty: bool
    acknowledge: bool | None
    key: Key | None
    flash: Path | None
    traces: Path | None
    noise: str = options.NoiseLevel.healthy

    @property
    def mountings(self) -> dict[str, str]:
        """The ways to mount this machine wrong, see Emulator."""
        return emulator_of(self.setup).mountings(self.setup)

    @property
    def fault_name(self) -> str | None:
        """What is injected in each spin: a machine that is mounted wrong is so all the time."""
        return None if self.fault in self.mountings else self.fault

    @property
    def is_served(self) -> bool:
        """Whether the table plays in real time."""
        return self.serve is not None or self.pty

    def new_file(self, path: Path) -> NewFile:
        """Create an output; played to its end, it replaces an old file only then."""
        return NewFile(path, force=self.force, whole=not self.is_served)

    @property
    def acknowledges(self) -> bool:
        """Whether the emulated pit is the table's host; a table with a key has no second one."""
        if self.acknowledge is None:
            return not (self.is_served and self.key)
        return self.acknowledge


def run(order: Order) -> None:
    """Play as ordered; raises ToolError."""
    if order.fault == options.LIST:
        for entry in play_session.catalogue_of(order.setup):
            voids = f", void {entry.void_code}" if entry.void_code else ""
            text = f"{entry.code}  {entry.name:<21} {entry.where}: {entry.what}{voids}"
            say(text, code=entry.code, name=entry.name, where=entry.where, what=entry.what)
        for name, what in order.mountings.items():
            say(f"mounting  {name}: {what}", mounting=name, what=what)
        return
    if order.fault in order.mountings:
        order = replace(order, setup=replace(order.setup, mounting=order.fault))  # type: ignore[type-var]
    _check(order)
    try:
        _play(order)
    except TableStalled as error:
        cause, step = "a defect of the firmware", "keep the seed and report it"
        if order.fault in order.mountings:
            cause, step = f"its sensors are mounted wrong: {order.fault}", "play another fault"
        raise ToolError(str(error), cause=cause, step=step) from error
    except RigMissingError as error:
        what, _, step = str(error).partition(": ")
        raise ToolError(what, step=step) from error


def _check(order: Order) -> None:
    if Path("-") in (order.out, order.truth):
        raise ToolError(
            "standard output is for the report of the spins, not for their file",
            where="--out" if order.out == Path("-") else "--truth",
            step="name a file; /dev/stdout is one",
        )
    if not order.is_served and not (order.out or order.truth or order.traces):
        raise ToolError(
            "nowhere to put the spins", where="--out", step="give --out FILE, or --serve HOST:PORT"
        )
    if order.out is not None and order.out == order.truth:
        raise ToolError(
            "the spins and the truth cannot share a file",
            where=f"--out and --truth {order.out}",
            step="give each a different file",
        )
    if order.fault_name in (None, play_session.MIXED):
        return
    catalogue = play_session.catalogue_of(order.setup)
    try:
        fault = fault_catalogue.find(order.fault_name or "", catalogue)
    except KeyError:
        raise ToolError(
            f"no fault {order.fault!r}",
            where="--fault",
            limit=f"{len(catalogue) + len(order.mountings)} names and mixed",
            step=f"see `tabletool emulate {emulator_of(order.setup).command} --fault list`",
        ) from None
    if fault.keyed and not order.key:
        raise ToolError(
            f"the fault {fault.name} needs a table with a key",
            where="--fault",
            step="make one with `tabletool keys new DEVICE --keys FILE`, then add --key FILE",
        )


def _play(order: Order) -> None:
    tally = Tally(emulator_of(order.setup).words)
    with ExitStack() as stack:
        capture, truths = (
            None if path is None else stack.enter_context(order.new_file(path))
            for path in (order.out, order.truth)
        )
        port = None
        if order.is_served:
            port = stack.enter_context(opened_port(order.serve, pty=order.pty))
        stored = None
        if order.flash is not None:
            stored = stack.enter_context(opened_flash(order.flash, order.setup, order.key))
        stop: list[int] = stack.enter_context(caught_signals()) if port else []
        table = stack.enter_context(
            play_session.emulated_table(
                order.setup,
                order.seed,
                listen=_listener(stack, order, capture, port),
                pace=Pace(port, lambda: bool(stop)) if port else None,
                noise=order.noise,
                acknowledge=order.acknowledges,
                key=None if order.key is None else (order.key.number, order.key.secret),
                stored=stored,
            )
        )
        if port:
            say_where(port, order.serve)
        else:
            stack.enter_context(working("playing"))
        for spin in _spins(order, table, stop):
            if truths:
                truths.write(json.dumps(spin.truth()) + "\n")
                truths.flush()
            if order.traces:
                keep_trace(order.traces, table, spin, force=order.force)
            tally.add(spin)
            if port:
                say(tally.line(spin), **tally.facts(spin))
    say(tally.sum(), **tally.sums())
    refuse_errors(table.errors, order.fault_name)


def _spins(order: Order, table: Any, stop: list[int]) -> Iterator[Any]:
    chosen = play_session.drawn(
        order.fault_name, order.seed, play_session.catalogue_of(order.setup)
    )
    count = order.spins or (None if order.is_served else options.SPINS)
    try:
        for fault in islice(chosen, count):
            yield play_session.play(table, fault)
    except Interrupted:
        return
    except BoardDiedError:
        # An interrupt from the terminal ends the board's process as well.
        if not stop:
            raise


def _listener(
    stack: ExitStack, order: Order, capture: NewFile | None, port: UartPort | None
) -> Listener:
    """The receivers of the UART: the capture file, without keys, and the port's readers."""
    meta = {
        "source": "emulator",
        **order.setup.meta,
        "seed": order.seed,
        "fault": order.fault,
    }
    writer = capture_to(capture, meta) if capture else None
    if writer is not None:
        stack.callback(writer.close)

    def listen(when: int, direction: str, data: bytes) -> None:
        if writer is not None:
            writer.chunk(when, direction, data)
        if port is not None and direction == FROM_TABLE:
            port.send(data)

    return listen
