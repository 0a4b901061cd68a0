"""Whole rounds of the money wheel: the shipped firmware on the VM, played to by the model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hil_tests.decisions import decided_table
from tableemulator import fault_catalogue, play_session
from tableemulator.machines.money_wheel.money_wheel_faults import FAULTS
from tableemulator.machines.money_wheel.physical_money_wheel import MoneyWheel, MoneyWheelSetup
from tableemulator.machines.money_wheel.wheel_presenter import MoneyWheelTable
from tableemulator.shipped_controller import WasmController
from tablespec.reasons import REASONS
from tabletools.replay import AGREES, replayed
from tablewire import money_wheel as words

KEY = bytes(range(32))
FAULT_CODES = {reason.number for reason in REASONS if reason.kind == "fault"}


@pytest.mark.parametrize("setup", [MoneyWheelSetup(52, 7), MoneyWheelSetup(54, 53)], ids=str)
def test_healthy_rounds_give_the_true_segment(setup: MoneyWheelSetup) -> None:
    """The segment under the flapper and what it pays; the turns counted are no more than made."""
    with play_session.emulated_table(setup, 4, key=(1, KEY)) as table:
        for _ in range(5):
            turn = table.spin()
            assert turn.reason is None
            pays, segment, revolutions, pushed, pushes, way = turn.ended.values[:6]
            assert (pays, segment) == (turn.pays, turn.segment)
            assert 4 <= pushed / 100 <= turn.turns
            assert revolutions >= pushed
            assert pushes in (1, 2)
            assert way == turn.direction
            trace, _run, verdict = replayed(table.controller.trace(turn.ended.round))
            assert verdict.word == AGREES, verdict
            assert trace.round == turn.ended.round
        assert table.errors == []


@pytest.fixture(scope="module")
def table() -> Iterator[MoneyWheelTable]:
    """A table that goes on from one fault to the next, as a real one does."""
    setup = MoneyWheelSetup(52, 20)
    controller = WasmController(setup)
    wheel_table = MoneyWheelTable(controller, setup, 8)
    wheel_table.spin()
    yield wheel_table
    controller.close()


@pytest.mark.parametrize("name", [fault.name for fault in FAULTS])
def test_a_fault_gives_its_code(table: MoneyWheelTable, name: str) -> None:
    """The round is void with the number expected; the table plays on once it is mended."""
    fault = fault_catalogue.find(name, FAULTS)
    play_session.provoke(table, fault)
    if fault.code in FAULT_CODES:
        after = table.spin()
        assert (after.reason, after.ended.values[1]) == (None, after.segment)


def test_every_code_of_the_role_has_a_fault() -> None:
    """The numbers 600 to 699, none left out."""
    own = {reason.number for reason in REASONS if 600 <= reason.number < 700}
    assert {f.code for f in FAULTS if f.code >= 600} == own


def events(pins: int, until_us: int, cuts: int) -> list[Any]:
    """What the sensors of a pushed wheel say, asked for in so many pieces."""
    wheel = MoneyWheel(pins, 5, noise="worn")
    events: list[Any] = []
    wheel.schedule(1_000_000, lambda _when: wheel.push(0.8))
    for piece in range(1, cuts + 1):
        events += wheel.events_until(until_us * piece // cuts)
    return events


def test_the_model_is_the_same_however_time_is_cut() -> None:
    """In one piece or in many."""
    assert events(52, 20_000_000, 1) == events(52, 20_000_000, 97)


def test_the_model_slows_as_its_friction_says() -> None:
    """From 0.8 turns/s, one turn takes 2 * (bearing + air) and 52 pins from the square of speed.

    Mean of air over the turn: with v^2 = 0.64 - 52 * pin - ... between 0.54 and 0.64.
    """
    wheel = MoneyWheel(52, 1, noise="none")
    wheel.events_until(1_000_000)
    wheel.push(0.8, seconds=0.5)
    wheel.events_until(1_500_000)
    begun = wheel.place()
    t_us = 1_500_000
    while wheel.place() - begun < 52:
        t_us += 1000
        wheel.events_until(t_us)
    f = wheel.friction
    loss = 0.8**2 - wheel.speed() ** 2
    low = 2 * (f.bearing + f.air * 0.5) + 51 * f.pin
    high = 2 * (f.bearing + f.air * 0.64) + 53 * f.pin
    assert low < loss < high


def test_a_flapper_that_was_bent_when_the_bets_opened() -> None:
    """The wheel rests against a pin; the flapper comes off and springs back: that is no swing."""
    table = decided_table(MoneyWheelSetup(52), 3)
    table.wheel.shift(0.45)
    turn = play_session.play(table, fault_catalogue.find("flapper_stiff", FAULTS))
    assert turn.reason == words.FLAPPER_STIFF


@pytest.mark.parametrize("seed", [4, 9, 11])
def test_a_hand_that_comes_too_late_is_no_fault(seed: int) -> None:
    """It moves the wheel in the last 0.4 s before the result, which is that of how it lay."""
    table = decided_table(MoneyWheelSetup(52), seed)
    turn = play_session.play(table, fault_catalogue.find("moved_at_rest", FAULTS))
    assert (turn.reason, turn.fault) == (None, None)
    assert turn.ended.values[1] == turn.segment
