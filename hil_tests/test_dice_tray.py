"""Whole throws of a dice tray: its decisions, and the shipped firmware on the VM."""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hil_tests.decisions import BEYOND, decided_table
from hil_tests.thinned import soak_only, thinned
from tableemulator import fault_catalogue, play_session
from tableemulator.machines.dice_tray.physical_tray import (
    LINE,
    PLACE,
    PLATES,
    Tray,
    TrayCamera,
    TraySetup,
)
from tableemulator.machines.dice_tray.rendering import Die
from tableemulator.machines.dice_tray.stickman import TrayTable, draw_dice, draw_flights
from tableemulator.machines.dice_tray.tray_faults import FAULTS
from tableemulator.shipped_controller import WasmController
from tablelogic.tray_reader.reader import Reader
from tablelogic.tray_reader.rig import Rig
from tablelogic.tray_reader.stepwise import finish
from tablespec.reasons import REASONS
from tabletools.dice import commission
from tabletools.dice.commission import commissioned, floor_of
from tabletools.dice.pictures import Frame
from tabletools.errors import ToolError
from tabletools.replay import AGREES, replayed
from tabletools.replay.traced_frame import read_again, tray_of
from tablewire.dice_tray import DIE_COCKED, DIE_SHINES, FACE_UNSURE, READING_READ

FAULT_CODES = {reason.number for reason in REASONS if reason.kind == "fault"}
DECIDED = [fault.name for fault in FAULTS if fault.name not in BEYOND]
# On the VM those come first in which app, driver or flash take part.
CLOSE_TO_THE_BOARD = (
    "late_throw",
    "two_hands",
    "wall_missed",
    "line_not_passed",
    "no_motion_proof",
    "camera_covered",
    "camera_moved",
    "camera_dark",
    "camera_stopped",
    "camera_frozen",
    "tray_obstructed",
    "line_stuck",
    "tilt",
    "croupier_void",
    "system_interruption",
    "task_stopped",
    "memory_short",
    "memory_damaged",
    "maintenance_open",
)
# What only a reader of faces tells. Where the host reads them, the round ends without faces.
FACES_ALONE = (
    "die_cocked",
    "dice_count_wrong",
    "face_unsure",
    "tray_obstructed",
    "dice_not_apart",
    "die_size",
    "die_shines",
    "picture_blurred",
)
OTHERS = tuple(f.name for f in FAULTS if f.name not in CLOSE_TO_THE_BOARD)


def healthy(table: Any) -> Any:
    """A throw that gives faces. Void, and thrown again, are two dice on one plate at once, and one
    throw in some sixty that is in doubt, as the table has to be sure of each face and lean."""
    for _ in range(6):
        thrown = table.spin()
        if thrown.reason is None:
            return thrown
        assert thrown.doubtful or thrown.reason in (DIE_COCKED, FACE_UNSURE)
    raise AssertionError("six throws in a row with two hits together, or in doubt")


def verify(table: Any, name: str) -> None:
    """The round is void with the number expected; the table plays on once it is mended."""
    fault = fault_catalogue.find(name, FAULTS)
    play_session.provoke(table, fault)
    if fault.code in FAULT_CODES:
        after = healthy(table)
        assert after.reported == after.true


@pytest.mark.parametrize("dice", [1, 2, 3])
def test_healthy_throws_give_the_true_faces(dice: int) -> None:
    """As they lie under the lens, each round replayed bit for bit."""
    table = decided_table(TraySetup(dice), 4)
    for _ in range(3):
        thrown = healthy(table)
        assert thrown.reported == thrown.true
        _, _, verdict = replayed(table.controller.trace(thrown.ended.round))
        assert verdict.word == AGREES


@pytest.fixture(scope="module")
def decided() -> Any:
    """A table of decisions alone, after a good round."""
    table = decided_table(TraySetup(2), 5)
    healthy(table)
    return table


@pytest.mark.parametrize("name", DECIDED)
def test_a_fault_gives_its_code(decided: Any, name: str) -> None:
    """Each of the catalogue, one after the other."""
    verify(decided, name)


@pytest.fixture(scope="module")
def in_turn() -> Any:
    """A table of decisions alone with two lights, after a good round."""
    table = decided_table(TraySetup(2, lights=True), 5)
    healthy(table)
    return table


@pytest.mark.parametrize("name", DECIDED)
@pytest.mark.one_in(3)
def test_a_fault_gives_its_code_under_two_lights(in_turn: Any, name: str) -> None:
    """Each of the catalogue, one after the other."""
    verify(in_turn, name)


@pytest.fixture(scope="module")
def unread() -> Any:
    """A table of decisions alone whose host reads the dice, after a good round."""
    table = decided_table(TraySetup(2, host=True), 5)
    thrown = healthy(table)
    assert thrown.reported == ""
    return table


@pytest.mark.parametrize("name", [name for name in DECIDED if name != "not_commissioned"])
def test_where_the_host_reads_a_fault_gives_its_code_too(unread: Any, name: str) -> None:
    """All but those that only faces tell: these give a result without any, and replay.

    It needs no commissioned tray.
    """
    fault = fault_catalogue.find(name, FAULTS)
    if name not in FACES_ALONE:
        play_session.provoke(unread, fault)
        return
    thrown = play_session.play(unread, fault)
    assert (thrown.reason, thrown.reported) == (None, "")
    _, _, verdict = replayed(unread.controller.trace(thrown.ended.round))
    assert verdict.word == AGREES


@pytest.fixture(scope="module")
def shipped() -> Iterator[TrayTable]:
    """A table with the shipped firmware, after a good round."""
    controller = WasmController(TraySetup(2))
    table = TrayTable(controller, TraySetup(2), 5)
    thrown = healthy(table)
    assert thrown.reported == thrown.true
    yield table
    controller.close()


@pytest.mark.parametrize("name", thinned(CLOSE_TO_THE_BOARD + OTHERS, 24))
def test_a_fault_gives_its_code_on_the_vm(shipped: TrayTable, name: str) -> None:
    """One in 24 of the catalogue, all of it in `make soak`."""
    verify(shipped, name)


def mirror_a_lamp(plan: Any) -> None:
    """A 2 whose middle mirrors the first lamp, with size, edge and grey of a pip."""
    die = plan.thrown[0].die
    plan.bend(0, die=dataclasses.replace(die, value=2))
    plan.camera.shines = True


DARK = 6  # a tray with dark dice, whose pips are light


def test_one_light_makes_a_pip_of_its_mirror_image() -> None:
    """The known risk of one camera with one light: in the frame it is like a pip."""
    table = decided_table(TraySetup(2), DARK)
    assert not table.tray.camera.is_light
    thrown = table.spin(mirror_a_lamp)
    assert thrown.reason is None
    assert thrown.reported != thrown.true


def refuse_a_mirrored_lamp(table: Any) -> None:
    """It is no pip under the other light; without it the table plays on, and its trace replays."""
    assert not table.tray.camera.is_light
    thrown = table.spin(mirror_a_lamp)
    assert thrown.reason == DIE_SHINES
    _, _, verdict = replayed(table.controller.trace(thrown.ended.round))
    assert verdict.word == AGREES
    table.tray.camera.shines = False
    thrown = healthy(table)
    assert thrown.reported == thrown.true


def test_of_two_lights_in_turn_no_mirror_image_is_a_pip() -> None:
    refuse_a_mirrored_lamp(decided_table(TraySetup(2, lights=True), DARK))


@pytest.fixture(scope="module")
def two_lights() -> Iterator[TrayTable]:
    """A table of dark dice with the shipped firmware, whose board switches two lights."""
    setup = TraySetup(2, lights=True)
    controller = WasmController(setup)
    yield TrayTable(controller, setup, DARK)
    controller.close()


def test_of_two_lights_in_turn_no_mirror_image_is_a_pip_on_the_vm(two_lights: TrayTable) -> None:
    refuse_a_mirrored_lamp(two_lights)


@pytest.mark.parametrize("seed", [4, DARK])  # light dice, dark dice
def test_under_two_lights_healthy_throws_give_the_true_faces(seed: int) -> None:
    """And their pictures are read again with the tray under the light they were taken in."""
    table = decided_table(TraySetup(3, lights=True), seed)
    trays = {Rig(table.tray.camera.commissioned(k)).digest: k for k in (0, 1)}
    for _ in range(4):
        thrown = healthy(table)
        assert thrown.reported == thrown.true
        data = table.controller.trace(thrown.ended.round)
        trace, _, verdict = replayed(data)
        assert verdict.word == AGREES
        tray = table.tray.camera.commissioned(trays[tray_of(trace)])
        read = read_again(trace, tray) if trace.frame else None
        assert read is None or read[0] == read[1]


def prove_motion_after_a_power_cut(table: Any) -> None:
    """A photograph of the last result is known for one, though the board has been off since."""
    healthy(table)
    verify(table, "system_interruption")
    verify(table, "no_motion_proof")


def test_a_photograph_is_known_after_a_power_cut() -> None:
    prove_motion_after_a_power_cut(decided_table(TraySetup(2), 6))


@soak_only
def test_a_photograph_is_known_after_a_power_cut_on_the_vm(shipped: TrayTable) -> None:
    prove_motion_after_a_power_cut(shipped)


def test_the_picture_behind_the_trace_is_read_again(shipped: TrayTable) -> None:
    """19,200 greys under the trace's sum; another picture under a right sum is found out."""
    thrown = healthy(shipped)
    data = shipped.controller.trace(thrown.ended.round)
    assert data is not None
    tray = shipped.tray.camera.commissioned()
    trace, _, verdict = replayed(data, tray)
    assert (verdict.word, len(trace.frame or b"")) == (AGREES, 160 * 120)
    assert read_again(trace) is None  # without its tray
    reported, now = read_again(trace, tray) or ((), ())
    assert reported == now
    assert tuple(face for face in now[1:] if face) == thrown.dice


def test_every_code_of_the_role_has_a_fault() -> None:
    """The numbers 700 to 799, none left out."""
    own = {reason.number for reason in REASONS if 700 <= reason.number < 800}
    assert {f.code for f in FAULTS if f.code >= 700} == own


@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize("seed", [4, 6])  # light dice, dark dice
def test_the_emulated_tray_is_what_commissioning_measures(
    seed: int, is_large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From pictures as a technician takes them: the empty tray, and a die at 18 places.

    In small pictures by so high a lens no side of light dice shows: refused, and measured here.
    """
    camera = TrayCamera(seed, large=is_large)

    def taken(*dice: Die) -> Frame:
        exposure = camera.expose(dice, 0)
        assert exposure is not None
        return Frame(camera.width, camera.height, exposure.greys())

    rng = random.Random(1)
    places = 3 * ((80, 60), (22, 24), (138, 24), (22, 98), (138, 98), (100, 50))
    frames = [
        taken(camera.placed(Die(0, 0, 1 + k % 6, rng.uniform(0, math.tau), camera.style), *place))
        for k, place in enumerate(places)
    ]
    floor = floor_of([(2, 8), (158, 8), (158, 120), (2, 120)])
    empty = [taken() for _ in range(3)]
    if seed == 4 and not is_large:
        with pytest.raises(ToolError, match="height of the lens is known to"):
            commissioned(empty, frames, floor)
        monkeypatch.setattr(commission, "_MOST_DOUBT", 9.0)
    measured = Rig(commissioned(empty, frames, floor))
    emulated = Rig(camera.commissioned())
    for name, most in (("scale", 0), ("side", 0.01), ("corner", 0)):
        assert getattr(emulated, name) == pytest.approx(getattr(measured, name), rel=most), name
    for name in ("x", "y"):  # half a die, by which feet 45 edges below the lens move by 1.1 %
        apart = abs(getattr(emulated, name) - getattr(measured, name))
        assert 2 * apart <= emulated.side, name
    for name, most in (("body", 3), ("pip", 6), ("pitch", 1), ("sharpness", 3)):
        assert getattr(emulated, name) == pytest.approx(getattr(measured, name), abs=most), name
    for name in ("pip_area", "one_area"):
        assert getattr(emulated, name) == pytest.approx(getattr(measured, name), rel=0.2), name
    off = np.frombuffer(emulated.empty, np.uint8).astype(int)
    off -= np.frombuffer(measured.empty, np.uint8)
    assert np.abs(off[20 * 160 :]).max() <= 4


def test_flat_dice_of_a_small_picture_do_not_lean() -> None:
    """A blurred edge reaches farther all around: at a die of 22 px that is no lean."""
    camera, rng = TrayCamera(3), random.Random(3)
    reader = Reader(Rig(camera.commissioned()))
    for _ in range(9):
        dice = draw_dice(rng, camera, 3)
        exposure = camera.expose(dice, 0)
        assert exposure is not None
        assert finish(reader.steps(exposure.greys(), 3)) == READING_READ
        assert reader.values == sorted(die.value for die in dice)


def test_dice_taken_out_of_the_air_leave_the_lines_free() -> None:
    """A croupier who grips dice while they cross line and wall: none stays covered for ever."""
    rng = random.Random(3)
    tray = Tray(3, 3, noise="none")
    flights = draw_flights(rng, tray.camera, 3)
    tray.lift()
    tray.throw(flights)
    hit_us = max(flight.wall_us for flight in flights)
    events = tray.events_until(hit_us + 1000)
    tray.put_back()
    events += tray.events_until(hit_us + 1_000_000)
    levels = {event[2]: event[3] for event in events if event[1] == "pin"}
    assert levels == {PLACE: 1, LINE: 0} | dict.fromkeys(
        (PLATES[flight.plate] for flight in flights if flight.plate is not None), 0
    )
