"""Whole spins: the shipped firmware on the VM, played to by the physical wheel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hil_tests.thinned import share
from tableemulator import fault_catalogue, play_session
from tableemulator.machines.roulette.croupier import RouletteTable, Spin
from tableemulator.machines.roulette.physical_wheel import Geometry
from tableemulator.machines.roulette.roulette_faults import FAULTS, fits
from tableemulator.shipped_controller import WasmController, program
from tabletools.release import compiled
from tablewire import messages, roulette
from tablewire.codec import Frame
from tablewire.framing import Receiver

SPINS = share(6, 2)
KEY = bytes(range(32))
STANDING_FIRST = 300


def said(table: RouletteTable, spin: Spin) -> str | None:
    """Return the number the table gave, as it is printed on the wheel."""
    if spin.ended.type != roulette.WHEEL_RESULT:
        return None
    number, index = spin.ended.values[:2]
    printed: str = table.geometry.order[index]
    assert printed == ("00" if number == 37 else str(number))
    return printed


@pytest.mark.parametrize("sensor", ["array", "head", "both"])
@pytest.mark.parametrize("wheel", ["single", "double"])
def test_healthy_spins_give_the_true_number(wheel: str, sensor: str) -> None:
    """Every number is where the ball physically rests; circuits and directions agree.

    Circuits run from the first pass to the last: up to 0.75 is missing at either end.
    """
    key = (1, KEY) if sensor == "both" else None
    with play_session.emulated_table(
        Geometry(wheel, sensor), f"{wheel} {sensor}", key=key
    ) as table:
        for _ in range(SPINS):
            spin = table.spin()
            assert said(table, spin) == spin.pocket
            assert spin.pocket is not None
            _pocket, _index, _sensor, _times, centi, ball, rotor = spin.ended.values[:7]
            assert spin.circuits - 1.5 <= centi / 100 <= spin.circuits
            assert (ball, rotor) == (spin.ball_direction, spin.rotor_direction)
        assert table.errors == []


@pytest.mark.parametrize(
    "geometry",
    [
        Geometry("single", "head", head_deg=33.0, rim_2_deg=60.0, index_offset=7),
        Geometry("double", "both", head_deg=275.0, rim_2_deg=140.0, clockwise=False),
        Geometry("single", "array", rim_sensors=3),
        Geometry("double", "both", rim_sensors=4),
    ],
    ids=["index at pocket 7", "order the other way round", "three rims", "four rims"],
)
def test_wheels_built_otherwise_give_the_true_number(geometry: Geometry) -> None:
    """Other places of head, rim sensors and index, and the order laid counter-clockwise."""
    with play_session.emulated_table(geometry, 3) as table:
        for _ in range(share(4, 2)):
            spin = table.spin()
            assert said(table, spin) == spin.pocket is not None


class Tables:
    """One table for each sensor, switched on when first asked for; a stalled one is replaced."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[RouletteTable, WasmController]] = {}

    def play(self, sensor: str, act: Callable[[RouletteTable], Spin]) -> Spin:
        """Have one spin played; a table that fails is not used again."""
        if sensor not in self._open:
            geometry = Geometry("double", sensor)
            controller = WasmController(geometry)
            controller.give_key(1, KEY)
            self._open[sensor] = (RouletteTable(controller, geometry, 7, key=KEY), controller)
            self._open[sensor][0].spin()
        table, controller = self._open.pop(sensor)
        try:
            spin = act(table)
        except BaseException:
            controller.close()
            raise
        self._open[sensor] = (table, controller)
        return spin

    def close(self) -> None:
        """Switch everything off."""
        for _table, controller in self._open.values():
            controller.close()


@pytest.fixture(scope="module")
def tables() -> Iterator[Tables]:
    """Tables that go on from one fault to the next, as a real one does."""
    all_tables = Tables()
    yield all_tables
    all_tables.close()


FITTING = [
    (fault.name, sensor)
    for fault in FAULTS
    for sensor in ("array", "head")
    if fits(Geometry("double", sensor), fault)
]


@pytest.mark.parametrize(("name", "sensor"), FITTING)
def test_a_fault_gives_its_code(tables: Tables, name: str, sensor: str) -> None:
    """The round is void with the number expected; the table plays on once it is mended."""
    fault = fault_catalogue.find(name)
    tables.play(sensor, lambda table: play_session.provoke(table, fault))
    if fault.code >= STANDING_FIRST:
        after = tables.play(sensor, lambda table: table.spin())
        if after.reason is not None:  # of a head alone one healthy spin of a hundred is void
            after = tables.play(sensor, lambda table: table.spin())
        assert after.reason is None
        assert after.ended.values[1] == Geometry("double").order.index(after.pocket or "")


def test_source_and_compiled_program_send_the_same(tmp_path: Path) -> None:
    """Two spins from .mpy files: the same frames at the same times, but for the free heap."""
    whole = program()
    packed = compiled(whole, tmp_path)
    assert sorted(name.rsplit(".", 1)[1] for name in packed).count("mpy") > 30

    def frames(files: dict[str, bytes]) -> list[tuple[int, int, int, tuple[int, ...]]]:
        frames: list[tuple[int, int, int, tuple[int, ...]]] = []
        receiver = Receiver()

        def listen(_when: int, direction: str, data: bytes) -> None:
            if direction == "<":
                for item in receiver.feed(data):
                    assert isinstance(item, Frame)
                    if item.type != messages.HEARTBEAT:
                        frames.append((item.type, item.counter, item.uptime_ms, item.values))

        with play_session.emulated_table(Geometry(), 4, listen=listen, files=files) as table:
            table.spin()
            table.spin(fault_catalogue.find("short_spin").inject)
        return frames

    assert frames(packed) == frames(whole)


@pytest.mark.parametrize("key", [None, (1, KEY)], ids=["bench", "keyed"])
def test_the_same_seed_sends_the_same_bytes(key: tuple[int, bytes] | None) -> None:
    """Two runs of one seed give the same bytes at the same times, tags and nonces too."""

    def sent() -> list[tuple[int, str, bytes]]:
        sent: list[tuple[int, str, bytes]] = []

        def listen(when: int, direction: str, data: bytes) -> None:
            sent.append((when, direction, data))

        with play_session.emulated_table(Geometry(), 12, listen=listen, key=key) as table:
            table.spin()
        return sent

    first = sent()
    assert len(first) > 50
    assert sent() == first
