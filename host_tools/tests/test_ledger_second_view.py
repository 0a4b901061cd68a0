"""A table with a second camera: its picture is taken when the result comes, and kept.

A throw is paid when every die lies flat there too; any other is held.
"""

import dataclasses
import io
import math
import random
from functools import cache

import numpy as np
import pytest
from PIL import Image
from sqlalchemy import select

from hil_tests.dice_aside import Camera, aside, boards
from host_tools.tests.test_ledger_second_readings import (
    BET,
    FRAME,
    RESULT,
    STAKE,
    assert_held,
    tray,
)
from host_tools.tests.throws import row, trace
from tableemulator.machines.dice_tray.physical_tray import TrayCamera
from tableemulator.machines.dice_tray.stickman import draw_dice
from tabletools.dice import second_camera
from tabletools.pit.second_reader import SecondReader, aids_of
from tabletools.store.schema.evidence import second_readings

__all__ = ["tray"]
CAMERA = Camera(80.0, 40.0, far=16.0, focal=1000.0)


@pytest.fixture(scope="module")
def calibration(tmp_path_factory):
    """The file of the second camera."""
    above, second = boards(TrayCamera(0).scene([]), CAMERA, 0.6)
    path = tmp_path_factory.mktemp("second") / "camera.json"
    path.write_text(second_camera.file_text(second_camera.calibrated(above, [second], 1 / 0.6)))
    return path


@cache
def seen_aside(lean):
    """The picture of the dice of the throw from aside, the first of them leaning; degrees."""
    first = TrayCamera(0)
    dice = draw_dice(random.Random(0), first, 3)
    leaning = dataclasses.replace(dice[0], tilt=math.radians(lean), tilt_to=0.7)
    low = sum(abs(axis[2]) for axis in leaning.axes) / 2
    dice[0] = dataclasses.replace(leaning, lift=low - 0.5)
    return aside(first.scene(dice), CAMERA, 1)


@pytest.fixture
def watched_table(tray, calibration, tmp_path):
    """The table, and a function that sets what its second camera sees."""
    source = tmp_path / "now.png"

    def see(lean=0.0):
        view = seen_aside(lean)
        Image.fromarray(view).save(source)
        return view

    reader = SecondReader
    tray.reader = reader(
        tray.ledger,
        tray.intake,
        tray.reader._device,
        tray.pool,
        aids_of("", str(calibration), str(source)),
    )
    tray.see, tray.source = see, source
    return tray


def stored_picture(tray):
    """The second picture of the only reading, PNG."""
    with tray.ledger.read() as db:
        return db.execute(select(second_readings.c.second_picture)).scalar_one()


def throw(tray):
    tray.throw(1, RESULT, (tray.ada, BET, STAKE))
    tray.look()
    tray.bring(1, trace(1, FRAME))
    tray.look()


def test_a_throw_that_lies_flat_in_both_views_is_paid(watched_table):
    """And the second picture is kept, as it was taken."""
    view = watched_table.see()
    throw(watched_table)
    assert row(watched_table)["settled"] == 1
    picture = np.asarray(Image.open(io.BytesIO(stored_picture(watched_table))))
    assert np.array_equal(picture, view)


@pytest.mark.parametrize("lean", [14.0, 30.0])
def test_a_die_that_leans_in_the_second_view_holds_the_round(watched_table, lean):
    """The first view is that of flat dice."""
    watched_table.see(lean)
    throw(watched_table)
    assert_held(watched_table, "cannot confirm the dice in its picture: cocked")
    assert stored_picture(watched_table)


def test_the_second_picture_is_that_of_the_moment_of_the_result(watched_table):
    """Not that of the moment at which the first one came."""
    watched_table.see(30.0)
    watched_table.throw(1, RESULT, (watched_table.ada, BET, STAKE))
    watched_table.look()
    watched_table.see()
    watched_table.bring(1, trace(1, FRAME))
    watched_table.look()
    assert_held(watched_table, "cocked")


def test_a_second_camera_that_gives_nothing_holds_the_round(watched_table):
    """It is unplugged."""
    throw(watched_table)
    assert_held(watched_table, "gives no picture")


def test_a_second_camera_of_another_size_holds_the_round(watched_table):
    """It was set to other pictures after it was calibrated."""
    watched_table.see()
    Image.open(watched_table.source).resize((320, 240)).save(watched_table.source)
    throw(watched_table)
    assert_held(watched_table, "the second picture is 320 x 240 px")
