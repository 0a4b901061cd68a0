"""The self test of a draw machine and of a card shoe: shipped firmware on the VM, its models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tableemulator import play_session
from tableemulator.machines.card_shoe.physical_shoe import LID, Pull, ShoeSetup
from tableemulator.machines.core.harness import FROM_TABLE
from tableemulator.machines.draw_machine.physical_draw import INNER, DrawSetup
from tableemulator.machines.draw_machine.physical_draw import LID as CHAMBER_LID
from tablewire import card_shoe, diagnosis, draw_machine
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver

WATCH_MS = 2_000
STEP_US = 100_000
ANSWER_US = 10_000_000
# What a machine needs to notice that a reader says nothing more.
NOTICE_US = 3_000_000


class Asked:
    """A table nobody plays at; its self test is asked for, and something done while it watches."""

    def __init__(self, setup: Any) -> None:
        self._heard: list[Frame] = []
        self._receiver = Receiver()
        self._opened = play_session.emulated_table(setup, 4, listen=self._listen)
        self.table = self._opened.__enter__()
        self.wait(NOTICE_US)

    def close(self) -> None:
        self._opened.__exit__(None, None, None)

    def _listen(self, _when: int, direction: str, data: bytes) -> None:
        if direction == FROM_TABLE:
            self._heard += [f for f in self._receiver.feed(data) if isinstance(f, Frame)]

    def wait(self, us: int) -> None:
        until_us = self.table.now_us + us
        while self.table.now_us < until_us:
            self.table.step(until_us)

    def samples(self, during: Callable[[Any], object]) -> list[tuple[int, ...]]:
        """What the test said, faults that stand left out; its count of failures is checked."""
        self._heard.clear()
        self.table.order(m.SELF_TEST, WATCH_MS)
        self.table.schedule(self.table.now_us + STEP_US, during)
        end_us = self.table.now_us + ANSWER_US
        while not self._values(diagnosis.SELF_TEST_RESULT) and self.table.now_us < end_us:
            self.wait(STEP_US)
        reported = self._values(diagnosis.SENSOR_SAMPLE)
        [(count, failed, watched_ms)] = self._values(diagnosis.SELF_TEST_RESULT)
        assert (count, watched_ms) == (len(reported), WATCH_MS)
        assert failed == sum(values[6] == diagnosis.CHECK_FAIL for values in reported)
        assert self.table.errors == []
        return [values for values in reported if values[1] != diagnosis.QUANTITY_ACTIVE]

    def _values(self, kind: int) -> list[tuple[int, ...]]:
        return [frame.values for frame in self._heard if frame.type == kind]


def failed(samples: list[tuple[int, ...]]) -> list[tuple[int, int]]:
    """Sensor and code of each that failed."""
    return [(values[0], values[7]) for values in samples if values[6] == diagnosis.CHECK_FAIL]


@pytest.fixture(scope="module")
def shoe() -> Iterator[Asked]:
    asked = Asked(ShoeSetup(8))
    yield asked
    asked.close()


@pytest.fixture(scope="module")
def machine() -> Iterator[Asked]:
    asked = Asked(DrawSetup(20, 6))
    asked.table.machine.blow(on=True)
    yield asked
    asked.close()


def pull(table: Any) -> None:
    """One card leaves the shoe."""
    table.shoe.pull(table.now_us, Pull())


def one_ball(table: Any) -> None:
    """One ball is let out and, a second later, put back."""
    ball = table.machine.draw()
    table.schedule(table.now_us + 1_000_000, lambda t: t.machine.drop_in(ball))


def test_a_healthy_shoe_passes(shoe: Asked) -> None:
    """One card: one pulse at each gate; reader, lid and cut card quiet."""
    samples = shoe.samples(pull)
    assert failed(samples) == []
    pulses = {v[0]: v[2] for v in samples if v[1] == diagnosis.QUANTITY_PULSES}
    assert pulses == {card_shoe.INPUT_GATE_IN: 1, card_shoe.INPUT_GATE_OUT: 1}


def test_a_shoe_names_what_is_wrong(shoe: Asked) -> None:
    """Nothing pulled, the lid open, an error of the reader, its plug drawn: each by its code."""
    gates = [
        (gate, card_shoe.GATE_BLIND)
        for gate in (card_shoe.INPUT_GATE_IN, card_shoe.INPUT_GATE_OUT)
    ]
    assert failed(shoe.samples(lambda table: None)) == gates
    physical = shoe.table.shoe
    physical.set_input(shoe.table.now_us, LID, 1)
    assert failed(shoe.samples(pull)) == [(card_shoe.INPUT_LID, card_shoe.SHOE_LID_OPEN)]
    physical.set_input(shoe.table.now_us, LID, 0)
    physical.error = 42
    shoe.wait(NOTICE_US)
    samples = shoe.samples(pull)
    assert failed(samples) == [(card_shoe.INPUT_CARD_READER, card_shoe.READER_FAILED)]
    assert [v[2] for v in samples if v[1] == diagnosis.QUANTITY_ERROR] == [42]
    physical.error, physical.unplugged = 0, True
    shoe.wait(NOTICE_US)
    assert (card_shoe.INPUT_CARD_READER, card_shoe.READER_LINK_LOST) in failed(shoe.samples(pull))


def test_a_healthy_draw_machine_passes(machine: Asked) -> None:
    """One ball out and back with the blower running: every beam saw it."""
    samples = machine.samples(one_ball)
    assert failed(samples) == []
    switched = {v[0] for v in samples if v[1] == diagnosis.QUANTITY_PULSES and v[2] >= 1}
    exits = {draw_machine.INPUT_EXIT_INNER, draw_machine.INPUT_EXIT_OUTER}
    assert switched == exits | {draw_machine.INPUT_TUBE, draw_machine.INPUT_RETURN}


def test_a_draw_machine_names_what_is_wrong(machine: Asked) -> None:
    """An open chamber, a blower that stands, a reader without its plug, a beam that is blind."""
    physical, dm = machine.table.machine, draw_machine
    physical.set_input(machine.table.now_us, CHAMBER_LID, 1)
    assert failed(machine.samples(one_ball)) == [(dm.INPUT_LID, dm.CHAMBER_OPEN)]
    physical.set_input(machine.table.now_us, CHAMBER_LID, 0)
    physical.blow(on=False)
    machine.wait(NOTICE_US)
    assert failed(machine.samples(one_ball)) == [(draw_machine.INPUT_BLOWER, dm.BLOWER_STALLED)]
    physical.blow(on=True)
    physical.readers.unplugged = "T"
    machine.wait(NOTICE_US)
    assert failed(machine.samples(one_ball)) == [(draw_machine.INPUT_TUBE_READER, dm.READER_LOST)]
    physical.readers.unplugged = ""
    machine.wait(NOTICE_US)

    def inner_only(table: Any) -> None:
        for turn in range(5):
            for half, level in ((0, 1), (50_000, 0)):
                physical.set_input(table.now_us + turn * 200_000 + half, INNER, level)

    assert (draw_machine.INPUT_EXIT_OUTER, dm.BALL_UNSEEN) in failed(machine.samples(inner_only))
