"""Rounds of every role on the emulated board, in virtual time, as a ratio to a calibration loop.

Seconds depend on the machine, by a factor of 2.6 between those seen. So a fixed loop runs on the
same VM between the rounds, and what counts is how many of its runs a round takes. Both take the
median, so a moment in which the machine did something else does not count.

How long no-more-bets takes is in the virtual time itself: steps of the program and the bytes of
the line, without the computing and the flash of a board, which `make chip` measures.
"""

import time
from collections.abc import Callable
from statistics import median, quantiles
from typing import Any, NamedTuple

from hil_tests.closing import closing_us
from host_tools.bench.figure import judged, reported
from tableemulator.board.wasm import WasmBoard
from tableemulator.machines import Setup
from tableemulator.machines.card_shoe.physical_shoe import ShoeSetup
from tableemulator.machines.core.harness import FROM_TABLE
from tableemulator.machines.dice_tray.physical_tray import TraySetup
from tableemulator.machines.draw_machine.physical_draw import DrawSetup
from tableemulator.machines.money_wheel.physical_money_wheel import MoneyWheelSetup
from tableemulator.machines.roulette.physical_wheel import RIM_1, RIM_2, Geometry
from tableemulator.machines.shuffler.physical_shuffler import ShufflerSetup
from tableemulator.play_session import emulated_table
from tablewire.codec import Frame
from tablewire.framing import Receiver

SEED = 7
ROUNDS = 12
CLOSINGS = 24
WARM_UP_ROUNDS = 3
CLOSED_WITHIN_MS = 50  # as `make chip` demands
TARGET_SHARE = 0.6  # of the baseline below

# The unit of the ratios. Never change it: figures of different days could not be compared.
CALIBRATION = """
class _Calibration:
    def __init__(self):
        self.total = 0
        self.table = [3, 1, 4, 1, 5, 9, 2, 6]

    def add(self, number):
        self.total = (self.total + self.table[number & 7] * number) & 0xFFFFFF

    def run(self, count):
        total = 0
        for number in range(count):
            if number & 1:
                self.add(number)
            else:
                total = (total ^ number) & 0xFFFF
        return total

_calibration = _Calibration()
"""
CALIBRATION_STEPS = 20_000


class Workload(NamedTuple):
    """One kind of round. virtual_s: its nominal length.

    baseline: its ratio on 2026-11-22 at 4c2a28c, before anything was made faster and before frames
    of wire 1.0, which are longer and more; None: the round has no target of its own.
    """

    name: str
    setup: Setup
    act: Callable[[Any], object]
    virtual_s: float
    baseline: float | None
    rounds: int = ROUNDS


ROLES = (
    Workload("roulette: a spin", Geometry("double"), lambda table: table.spin(), 25, 10.6),
    Workload("money wheel: a turn", MoneyWheelSetup(), lambda table: table.spin(), 36, 22.7),
    Workload("shuffler: a shuffle of 52 cards", ShufflerSetup(), lambda t: t.shuffle(), 22, 8.2),
    Workload("shuffler: of 416 cards", ShufflerSetup(416), lambda t: t.shuffle(), 90, None, 4),
    Workload("dice tray: a throw", TraySetup(3), lambda table: table.spin(), 17, None, 2),
    Workload("card shoe: a round", ShoeSetup(), lambda table: table.spin(), 18, None),
    Workload("draw machine: a draw of 20 balls", DrawSetup(), lambda t: t.spin(), 80, 33.8, 6),
)


def seconds(load: Workload, rounds: int) -> tuple[float, float]:
    """CPU seconds of (one round of its nominal length, one run of the calibration loop)."""
    rates, loops = [], []
    with emulated_table(load.setup, SEED) as table:
        board = table.controller.board
        board.exec(CALIBRATION)
        for turn in range(-min(rounds // 2, WARM_UP_ROUNDS), rounds):
            virtual_us, begun_us = table.now_us, _cpu_us(board)
            load.act(table)
            took_us = _cpu_us(board) - begun_us
            begun_us = board.cpu_us()
            board.exec(f"_calibration.run({CALIBRATION_STEPS})")
            loop_us = board.cpu_us() - begun_us
            if turn >= 0:
                rates.append(took_us / (table.now_us - virtual_us))
                loops.append(loop_us)
        assert table.errors == []
    return _quick(rates) * load.virtual_s, _quick(loops) / 1e6


def closings_ms(spins: int) -> list[float]:
    """From the first rim edge of each spin to the last byte of its bets_closed, with a key."""
    edges: list[int] = []
    frames: list[tuple[int, Frame]] = []
    receiver = Receiver()

    def listen(when: int, direction: str, data: bytes) -> None:
        if direction == FROM_TABLE:
            frames.extend((when, one) for one in receiver.feed(data) if isinstance(one, Frame))

    delays = []
    with emulated_table(Geometry("double"), SEED, listen=listen, key=(1, bytes(32))) as table:
        come = table.wheel.events_until

        def note(until_us: int) -> list[Any]:
            events: list[Any] = come(until_us)
            edges.extend(
                edge_us
                for edge_us, kind, pin, *_ in events
                if kind == "pin" and pin in (RIM_1, RIM_2)
            )
            return events

        table.wheel.events_until = note
        for _ in range(spins):
            edges.clear()
            frames.clear()
            table.spin()
            closed_us = closing_us(sorted(edges), frames)
            assert closed_us is not None
            delays.append(closed_us / 1000)
    return delays


def _cpu_us(board: WasmBoard) -> float:
    """CPU time of the board's process and of this one, which works while the other waits."""
    return time.process_time_ns() / 1000 + board.cpu_us()


def _quick(values: list[float]) -> float:
    """The lower quartile: what the machine takes when it does nothing else."""
    return quantiles(values, n=4)[0] if len(values) > 1 else values[0]


def figures(share: float = 1.0) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict. share: of the rounds."""
    rows = []
    for load in ROLES:
        took, loop = seconds(load, max(1, round(load.rounds * share)))
        target = round(load.baseline * TARGET_SHARE, 2) if load.baseline else None
        ratio = round(took / loop, 2)
        speed = round(load.virtual_s / took)
        rows += [
            _figure(f"{load.name}, {load.virtual_s:g} s", ratio, "loops", target),
            _figure("  the same", round(took, 4), "s"),
            _figure("  times real time", speed, "times"),
        ]
    closings = closings_ms(max(1, round(CLOSINGS * share)))
    closed = f"first rim edge to the last byte of bets_closed, worst of {len(closings)}"
    return [
        *rows,
        _figure("the calibration loop itself", round(loop * 1000, 2), "ms"),
        _figure(closed, round(max(closings), 1), "ms", CLOSED_WITHIN_MS),
        _figure("  the same, median", round(median(closings), 1), "ms"),
    ]


def _figure(name: str, value: float, unit: str, target: float | None = None) -> dict[str, object]:
    """One figure. target: the most it may be."""
    if target is None:
        return reported(name, value, unit)
    return judged(name, value, unit, f"<= {target:g}", is_met=value <= target)
