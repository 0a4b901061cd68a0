"""Rounds of every role on the emulated board, in virtual time, beside a table that does the least.

Seconds depend on the machine, by a factor of 2.6 between those seen. So the peer, `bare_table.py`,
runs on a board of its own between the rounds, and what counts is how many times its processor time
a role's program takes in as much virtual time. Both take the lower quartile, so a moment in which
the machine did something else does not count. What the emulated machine takes, which is Python of
this process, is reported beside it.

How long no-more-bets takes is in the virtual time itself: steps of the program and the bytes of
the line, without the computing and the flash of a board, which `make chip` measures.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
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

# The unit of the ratios: a table that does the least. Its wheel passes a sensor every 20 ms.
PEER = Path(__file__).with_name("bare_table.py")
PEER_S, PEER_WARM_UP_S = 10, 300  # virtual seconds; the machine compiles what runs often
PEER_LINES = (2, 3)  # pins
EDGE_US = 20_000


class Workload(NamedTuple):
    """One kind of round.

    virtual_s: its nominal length. most: times the bare table at most, and why is in
    protocol/decisions/rigs.md ("Rig figures"); None: it has no target.
    """

    name: str
    setup: Setup
    act: Callable[[Any], object]
    virtual_s: float
    most: float | None
    rounds: int = ROUNDS


class Cost(NamedTuple):
    """Processor seconds of a round of its nominal length: the program's and the machine's.

    peer_s: of the bare table in as much virtual time.
    """

    board_s: float
    machine_s: float
    peer_s: float


ROLES = (
    Workload("roulette: a spin", Geometry("double"), lambda table: table.spin(), 25, 3.7),
    Workload("money wheel: a turn", MoneyWheelSetup(), lambda table: table.spin(), 36, 4.1),
    Workload("shuffler: a shuffle of 52 cards", ShufflerSetup(), lambda t: t.shuffle(), 22, 2.3),
    Workload("shuffler: of 416 cards", ShufflerSetup(416), lambda t: t.shuffle(), 90, None, 4),
    Workload("dice tray: a throw", TraySetup(3), lambda table: table.spin(), 17, None, 2),
    Workload("card shoe: a round", ShoeSetup(), lambda table: table.spin(), 18, None),
    Workload("draw machine: a draw of 20 balls", DrawSetup(), lambda t: t.spin(), 80, 2.8, 6),
)


@contextmanager
def bare_table() -> Iterator[Callable[[], float]]:
    """Switch on the peer; yields what measures it: processor seconds of a virtual second."""
    with WasmBoard({"/main.py": PEER.read_bytes()}) as board:
        board.boot()

        def second_s(virtual_s: int = PEER_S) -> float:
            begun_us = board.cpu_us()
            for _ in range(virtual_s):
                start_us = board.now_us
                times = range(start_us + EDGE_US // 2, start_us + 1_000_000, EDGE_US)
                events = [[t, "pin", PEER_LINES[n % 2], n >> 1 & 1] for n, t in enumerate(times)]
                output = board.play(events, start_us + 1_000_000)
                assert output.sent
                assert not output.errors, output.errors
            return (board.cpu_us() - begun_us) / virtual_s / 1e6

        second_s(PEER_WARM_UP_S)
        yield second_s


def costs(load: Workload, rounds: int, peer: Callable[[], float]) -> Cost:
    """Measure rounds of one kind in turn with the peer."""
    board_s, machine_s, peer_s = [], [], []
    with emulated_table(load.setup, SEED) as table:
        board = table.controller.board
        for turn in range(-min(rounds // 2, WARM_UP_ROUNDS), rounds):
            virtual_us, begun_us, begun_s = table.now_us, board.cpu_us(), time.process_time()
            load.act(table)
            own_s, took_s = time.process_time() - begun_s, (board.cpu_us() - begun_us) / 1e6
            if turn >= 0:
                share = load.virtual_s * 1e6 / (table.now_us - virtual_us)
                board_s.append(took_s * share)
                machine_s.append(own_s * share)
                peer_s.append(peer() * load.virtual_s)
        assert table.errors == []
    return Cost(*map(_quick, (board_s, machine_s, peer_s)))


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


def _quick(values: list[float]) -> float:
    """The lower quartile: what the machine takes when it does nothing else."""
    return quantiles(values, n=4)[0] if len(values) > 1 else values[0]


def figures(share: float = 1.0) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict. share: of the rounds."""
    rows = []
    with bare_table() as peer:
        for load in ROLES:
            cost = costs(load, max(1, round(load.rounds * share)), peer)
            took_s = cost.board_s + cost.machine_s
            ratio = round(cost.board_s / cost.peer_s, 2)
            rows += [
                _figure(f"{load.name}, {load.virtual_s:g} s", ratio, "bare tables", load.most),
                _figure("  the program", round(cost.board_s * 1000, 1), "ms"),
                _figure("  the machine", round(cost.machine_s * 1000, 1), "ms"),
                _figure("  times real time", round(load.virtual_s / took_s), "times"),
            ]
        peer_s = peer()
    closings = closings_ms(max(1, round(CLOSINGS * share)))
    closed = f"first rim edge to the last byte of bets_closed, worst of {len(closings)}"
    return [
        *rows,
        _figure("the bare table itself, a minute", round(60_000 * peer_s, 1), "ms"),
        _figure(closed, round(max(closings), 1), "ms", CLOSED_WITHIN_MS),
        _figure("  the same, median", round(median(closings), 1), "ms"),
    ]


def _figure(name: str, value: float, unit: str, target: float | None = None) -> dict[str, object]:
    """One figure. target: the most it may be."""
    if target is None:
        return reported(name, value, unit)
    return judged(name, value, unit, f"<= {target:g}", is_met=value <= target)
