"""A round of each role, played on this interpreter and written down call by call.

What goes into the engine of a controller, what its eye sees, and what comes out of both: the same
calls have to give the same decisions on every machine, number for number.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from typing import Any
from unittest import mock

from hil_tests.decisions import decided_table
from hil_tests.rigs import sim, sim_sight
from hil_tests.soak import shuffler_run
from tableemulator import play_session
from tableemulator.machines import emulator
from tableemulator.machines.shuffler.physical_shuffler import CardShuffler
from tablelogic.core.engine import Engine
from tablelogic.dice_tray.eye import Eye
from tabletools.replay.replay_run import state_of
from tablewire.dice_tray import DICE_SEEN
from tablewire.shuffler import VERDICT_VERIFIED

_SEED = 7
_SHUFFLER = "shuffler"


@dataclass
class Round:
    """calls: each a list, what is called first. frames: of the camera, and before them the file of
    the commissioned tray; calls have their numbers.

    decisions: what the engine passed to its sink and what the eye saw, in order; at the end each
    number of the role, and the SHA-256 of its trace. true: what physically happened.
    """

    role: str
    calls: list[list[Any]] = field(default_factory=list)
    frames: list[bytes] = field(default_factory=list)
    decisions: list[list[Any]] = field(default_factory=list)
    true: str = ""

    def end(self, engine: Any) -> None:
        """Note what the engine has become."""
        engine.note_report()
        trace = engine.trace
        self.decisions.append(["numbers", *state_of(engine.role)])
        self.decisions.append(["trace", sha256(trace.buf[: trace.length]).hexdigest()])

    @property
    def text(self) -> str:
        """The calls, a line of JSON each."""
        return "".join(f"{json.dumps(call)}\n" for call in self.calls)


def record(role: str) -> Round:
    """Play a healthy round of a role whose result is the truth."""
    play = _shuffle if role == _SHUFFLER else _play
    return next(played for seed in count(_SEED) if (played := play(role, seed)) is not None)


def _play(role: str, seed: int) -> Round | None:
    """One round, None where it is void: not every throw of dice counts."""
    round_ = Round(role)
    with (
        _recorded_in(sim, round_),
        mock.patch.object(sim_sight, "Eye", _recorder(_Eye, round_)),
    ):
        table = decided_table(emulator(role).setup(), seed)
        played = play_session.play(table, None)
    if played.reason is not None:
        return None
    assert played.reported == played.true, f"{role}: {played.reported}, not {played.true}"
    round_.true = str(played.true)
    round_.end(table.controller.engine)
    return round_


def _shuffle(role: str, seed: int) -> Round:
    """A whole deck is shuffled, and dealt from."""
    round_, cards = Round(role), emulator(role).setup().keys["cards"]
    shuffler = CardShuffler([str(card) for card in range(cards)], seed)
    with _recorded_in(shuffler_run, round_):
        run = shuffler_run.ShufflerRun(shuffler, shuffler_run.configuration(cards=cards))
        run.shuffle()
        refused = run.play_round()
    verdicts = [values[5] for values in run.records("shuffle_done")]
    assert (refused, verdicts) == (0, [VERDICT_VERIFIED]), f"{role}: {refused}, {verdicts}"
    round_.true = f"{cards} cards"
    round_.end(run.engine)
    return round_


@contextlib.contextmanager
def _recorded_in(module: Any, round_log: Round) -> Iterator[None]:
    """While entered, what the controllers of a module do to engine and role goes into found."""
    controller = sim.SimController if module is sim else shuffler_run.ShufflerRun

    def role(self: Any) -> Any:
        note = lambda name, values: round_log.calls.append(["role", name, values])  # noqa: E731
        return _Noted(self.engine.role, note)

    with (
        mock.patch.object(module, "Engine", _recorder(_Engine, round_log)),
        mock.patch.object(controller, "role", property(role)),
    ):
        yield


def _recorder(kind: type, round_log: Round) -> type:
    return type(kind.__name__, (kind,), {"into": round_log})


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, list | tuple | bytes):
        return [_plain(each) for each in value]
    return value


class _Noted:
    """Another object, whose calls are noted before they are passed on."""

    def __init__(self, own: Any, note: Callable[[str, list[Any]], None]) -> None:
        self.__dict__.update(_own=own, _note=note)

    def __getattr__(self, name: str) -> Any:
        own = getattr(self._own, name)
        if not callable(own):
            return own

        def call(*arguments: Any) -> Any:
            self._note(name, _plain(arguments))
            return own(*arguments)

        return call


class _Engine(Engine):
    into: Round
    report: list[int] | None = None

    def __init__(self, buf: bytearray, sink: Any) -> None:
        self.into.calls.append(["make", len(buf)])
        decisions = self.into.decisions
        super().__init__(buf, _Noted(sink, lambda name, values: decisions.append([name, *values])))

    def note_report(self) -> None:
        """Note what the driver of an attached machine has written into the role's report."""
        role: Any = self.role
        report = role.report
        if report is not None and report != self.report:
            self.report = list(report)
            self.into.calls.append(["report", self.report])

    def begin(self, make_role: Any, config: list[int]) -> None:
        self.into.calls.append(["begin", list(config)])
        super().begin(make_role, config)
        role: Any = self.role
        self.report = role.report and list(role.report)

    def sense(self, t_us: int, sensors: Any) -> None:
        self.note_report()
        edges = _plain(sensors.ring.waiting)
        self.into.calls.append(
            ["sense", t_us, edges, sensors.array.bits.hex(), sensors.analog.raw]
        )
        super().sense(t_us, sensors)

    def tick(self, t_us: int) -> None:
        self.into.calls.append(["tick", t_us])
        super().tick(t_us)

    def order(self, ident: int, values: Sequence[int]) -> int:
        if ident == DICE_SEEN:  # what the eye of the other machine sees, not what this one saw
            self.into.calls.append(["seen", ident])
            self.into.decisions.append(["seen", *values])
        else:
            self.note_report()
            self.into.calls.append(["order", ident, list(values)])
        return super().order(ident, values)


class _Eye(Eye):
    into: Round

    def __init__(self, config: list[int], trays: Callable[[int], bytes | None]) -> None:
        self.into.calls.append(["open_eye", len(self.into.frames), list(config)])
        self.into.frames.append(trays(0) or b"")
        super().__init__(config, trays)

    def look(self, frame: bytes | bytearray | memoryview, turn: int = 0) -> list[int]:
        self.into.calls.append(["look", len(self.into.frames)])
        self.into.frames.append(bytes(frame))
        return super().look(frame, turn)

    def steps(self, frame: bytes | bytearray | memoryview) -> Any:
        self.into.calls.append(["read"])
        return super().steps(frame)

    def missed(self) -> list[int]:
        self.into.calls.append(["missed"])
        return super().missed()

    def keep(self) -> None:
        self.into.calls.append(["keep"])
        super().keep()
