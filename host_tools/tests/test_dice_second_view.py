"""A second picture, from aside: dice that lie flat are accepted, one that leans never is.

The pictures are cast ray by ray (`hil_tests.dice_aside`), which shares nothing with the reader.
"""

import dataclasses
import json
import math
import shutil

import numpy as np
import pytest
from PIL import Image

from hil_tests.dice_aside import Camera, aside, boards
from hil_tests.thinned import thinned
from tableemulator.machines.dice_tray.rendering import Die, Scene, Style, render
from tabletools.cli.main import run
from tabletools.dice import second_camera
from tabletools.dice.flatness import lies
from tabletools.errors import ToolError

CAMERA = Camera(azimuth=70.0, height=40.0)
DARK = Style(body=40.0, pip=230.0)


def scene(dice=()):
    """A tray of 320 x 240 px, the lens high above."""
    picture_scene = Scene(320, 240, scale=26.0, above=30.0, shadow=0.3, noise=1.0)
    picture_scene.dice = [*dice]
    return picture_scene


def die(place=(0.0, 0.0), lean=0.0, towards=0.0, turn=0.4, style=None):
    """A four; one that leans has its lowest corner on the floor. lean, towards: degrees."""
    tilt, way = math.radians(lean), math.radians(towards)
    die_at_place = Die(*place, 4, turn, style or Style(), tilt, way)
    low = sum(abs(axis[2]) for axis in die_at_place.axes) / 2
    return dataclasses.replace(die_at_place, lift=low - 0.5)


@pytest.fixture(scope="module")
def camera():
    """The second camera, calibrated by a board whose squares are 0.8 edges wide."""
    above, second = boards(scene(), CAMERA, 0.8)
    return second_camera.calibrated(above, [second], 1.25)


def at_feet(camera, dice):
    """The places of dice on the floor, by the first camera."""
    return [camera.floor(159.5 + 26 * one.x, 119.5 + 26 * one.y) for one in dice]


@pytest.mark.parametrize("azimuth", [0.0, 160.0, 270.0])
def test_a_board_tells_where_the_second_camera_is(azimuth):
    """From all sides: lens, distance and height are those that drew the board."""
    from_there = Camera(azimuth, 35.0)
    camera = second_camera.calibrated(*_seen_once(from_there), 1.25)
    assert camera.focal == pytest.approx(from_there.focal, rel=0.03)
    assert camera.bend == pytest.approx(from_there.bend, abs=0.05)
    assert camera.place()[2] == pytest.approx(from_there.place()[2], rel=0.03)
    away = camera.place()[:2] - camera.floor(159.5, 119.5)
    assert np.hypot(*away) == pytest.approx(np.hypot(*from_there.place()[:2]), rel=0.03)


def _seen_once(camera):
    above, second = boards(scene(), camera, 0.8)
    return above, [second]


@pytest.mark.parametrize("style", [Style(), DARK], ids=["light", "dark"])
@pytest.mark.parametrize("turn", [0.0, 0.9])
@pytest.mark.one_in(3)
def test_flat_dice_are_flat(camera, style, turn):
    """Apart, whichever way they are turned."""
    dice = [die((-3.0, 1.0), turn=turn, style=style), die((2.0, -1.5), style=style)]
    verdicts = lies(camera, aside(scene(dice), CAMERA, 3), at_feet(camera, dice))
    assert [lie.is_flat for lie in verdicts] == [True, True]
    assert [lie.lean for lie in verdicts] == [0, 0]


@pytest.mark.parametrize("style", [Style(), DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("towards", "lean"),
    thinned(
        [(10.0, 12.0), (100.0, 12.0), (190.0, 12.0), (280.0, 12.0), (55.0, 25.0), (235.0, 44.0)],
        3,
    ),
)
@pytest.mark.one_in(2)
def test_a_die_that_leans_is_seen(camera, style, towards, lean):
    """In every direction, beside one that is flat; a third of them, all by `make soak`."""
    dice = [die((0.5, 0.5), lean, towards, style=style), die((-3.0, -1.0), style=style)]
    leaning, flat = lies(camera, aside(scene(dice), CAMERA, 4), at_feet(camera, dice))
    assert (leaning.is_flat, flat.is_flat) == (False, True)
    assert leaning.lean > 10


def test_a_die_behind_another_is_judged_by_what_is_seen(camera):
    """Its lower edges are hidden."""
    dice = [die((0.3, 1.2)), die((0.0, 0.0), turn=0.9)]
    verdicts = lies(camera, aside(scene(dice), CAMERA, 5), at_feet(camera, dice))
    assert [lie.is_flat for lie in verdicts] == [True, True]


@pytest.mark.parametrize("style", [Style(), DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("aside_by", "turn"), [((0.0, 0.0), 0.4), ((0.25, -0.2), 1.0)])
@pytest.mark.one_in(3)
def test_a_die_on_top_of_another_is_seen(camera, style, aside_by, turn):
    """Where the first picture has its top, and where its own foot would be; beside a flat one."""
    low = die((0.5, 0.5), style=style)
    top = dataclasses.replace(
        die((0.5 + aside_by[0], 0.5 + aside_by[1]), turn=turn, style=style), lift=1.0
    )
    flat = die((-3.0, -1.0), style=style)
    dice = [low, top, flat]
    verdicts = lies(camera, aside(scene(dice), CAMERA, 4), at_feet(camera, [top, flat]))
    assert [lie.is_flat for lie in verdicts] == [False, True]
    assert verdicts[0].stands < 0 < verdicts[1].stands


def test_a_die_of_which_next_to_nothing_is_seen_is_not_flat(camera):
    """The second of two tops that the first picture has of one leaning die: what is left of it
    beside the first would fit any cube."""
    dice = [die((0.5, 0.5), 40.0, 100.0)]
    (place,) = at_feet(camera, dice)
    beside = place[0] + 0.15, place[1] - 0.2
    verdicts = lies(camera, aside(scene(dice), CAMERA, 4), [place, beside])
    assert [lie.is_flat for lie in verdicts] == [False, False]
    assert None in [lie.share for lie in verdicts]


def test_a_die_that_is_not_there_is_not_flat(camera):
    """Nothing in the second picture, and a die outside of it."""
    empty = aside(scene(), CAMERA, 6)
    nowhere, outside = lies(camera, empty, [camera.floor(160, 120), camera.floor(4000, 120)])
    assert not nowhere.is_flat
    assert (outside.share, outside.is_flat) == (None, False)


# --- the command ---------------------------------------------------------------------------------


@pytest.fixture
def save_throw(tmp_path):
    """A function that saves a throw, from above and from aside, and returns both names."""

    def save(name, dice):
        picture_scene = scene(dice)
        above = Image.frombytes("L", (320, 240), render(picture_scene, 7))
        paths = [str(tmp_path / f"{name}{view}.png") for view in ("", "_aside")]
        above.save(paths[0])
        Image.fromarray(aside(picture_scene, CAMERA, 8)).save(paths[1])
        return paths

    return save


@pytest.fixture(scope="module")
def calibration(tmp_path_factory):
    """A folder with two pictures of a board, and the file that the command makes of them."""
    folder, names = tmp_path_factory.mktemp("calibration"), []
    for name, picture in zip(("board", "aside"), boards(scene(), CAMERA, 0.8), strict=True):
        names.append(str(folder / f"{name}.png"))
        Image.fromarray(picture).save(names[-1])
    path = str(folder / "camera.json")
    assert run(["dice", "--calibrate-second", path, "--edge", "1.25", *names]) == 0
    return folder


@pytest.fixture
def calibrated(calibration, tmp_path):
    """The file of the second camera, beside the pictures it was made of."""
    shutil.copytree(calibration, tmp_path, dirs_exist_ok=True)
    return str(tmp_path / "camera.json")


def test_a_calibration_is_not_overwritten(calibrated, tmp_path, capsys):
    """It is left as it is without --force, also where the new pictures show no board."""
    with open(calibrated, encoding="utf-8") as file:
        before = file.read()
    board, aside = str(tmp_path / "board.png"), str(tmp_path / "aside.png")
    words = ["dice", "--calibrate-second", calibrated, "--edge", "1.5"]
    assert run([*words, board, aside]) == 1
    output = capsys.readouterr().err
    assert "the file already exists and was left unchanged" in output
    assert calibrated in output
    assert "--force" in output
    assert run([*words, "--force", aside, board]) == 1
    with open(calibrated, encoding="utf-8") as file:
        assert file.read() == before
    assert run([*words, "--force", board, aside]) == 0
    with open(calibrated, encoding="utf-8") as file:
        assert file.read() != before


def test_pairs_of_pictures_have_one_line_each(calibrated, save_throw, capsys):
    """A flat throw is accepted, one with a die that leans by 14 degrees is not."""
    flat = save_throw("flat", [die((-2.0, 0.0)), die((2.0, 0.5), turn=0.9)])
    leans = save_throw("leans", [die((-2.0, 0.0)), die((2.0, 0.5), 14.0, 100.0)])
    capsys.readouterr()
    assert run(["dice", "--second", calibrated, *flat, *leans]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["file"], first["second"]) == tuple(flat)
    assert (first["dice"], first["accepted"], first["leans_degrees"]) == ([4, 4], True, [0, 0])
    assert (second["accepted"], second["reason"], second["reader"]) == (False, "cocked", "host")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--tray", "tray.0"], "one camera"),
        (["--throw"], "without a second picture"),
        ([], "3 pictures do not form pairs"),
    ],
)
def test_options_that_contradict_are_refused(calibrated, save_throw, capsys, options, said):
    """Before any picture is read."""
    above, second = save_throw("throw", [die()])
    assert run(["dice", "--second", calibrated, *options, above, second, above]) == 1
    assert said in capsys.readouterr().err


def test_a_picture_of_another_size_is_not_measured_in(calibrated, save_throw, capsys):
    """Damaged, with the sizes; the next pair is read."""
    above, second = save_throw("throw", [die()])
    small = second.replace("_aside", "_small")
    Image.open(second).resize((320, 240)).save(small)
    assert run(["dice", "--second", calibrated, above, small, above, second]) == 1
    out = capsys.readouterr()
    assert "640 x 480, as calibrated" in out.err
    first, good = map(json.loads, out.out.splitlines()[-2:])
    assert (first["reason"], first["accepted"], good["accepted"]) == ("damaged", False, True)


HOSTILE = [
    b"",
    b"[]",
    b"null",
    b"{}",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"overhead": 1}',
    b'{"overhead": [320, 240], "size": [640, 480], "to_floor": 1, "focal": 1, "bend": 0,'
    b' "turn": [0, 0, 0], "shift": [0, 0, 1]}',
    b'{"overhead": [320, 240], "size": [640, 480], "to_floor": [[1,0,0],[0,1,0],[0,0,1]],'
    b' "focal": NaN, "bend": 0, "turn": [0, 0, 0], "shift": [0, 0, 1]}',
    b'{"overhead": [320, 240], "size": [640, 480], "to_floor": [[1,0,0],[0,1,0],[0,0,1]],'
    b' "focal": 900, "bend": 0, "turn": [0, 0, 1e999], "shift": [0, 0, 1]}',
    b'{"overhead": [320, 240], "size": [640, 480], "to_floor": [[1,0,0],[0,1,0],[0,0,1]],'
    b' "focal": 900, "bend": 0, "turn": [0, 0, "x"], "shift": [0, 0, 1]}',
]


@pytest.mark.parametrize("data", HOSTILE)
def test_a_file_that_describes_no_camera_is_refused(tmp_path, data):
    """Whatever it holds."""
    path = tmp_path / "camera.json"
    path.write_bytes(data)
    with pytest.raises(ToolError, match="does not describe a second camera"):
        second_camera.read(path)


def test_a_camera_from_which_nothing_can_be_measured_is_refused(tmp_path):
    """No board, a steep view, and dice too small."""
    above, _ = boards(scene(), CAMERA, 0.8)
    with pytest.raises(ToolError, match="no chessboard"):
        second_camera.calibrated(above, [np.full((480, 640), 90, np.uint8)], 1.25)
    with pytest.raises(ToolError, match="looks down at 80"):
        second_camera.calibrated(*_seen_once(dataclasses.replace(CAMERA, height=80.0)), 1.25)
    with pytest.raises(ToolError, match="a die is 20 px wide"):
        second_camera.calibrated(*_seen_once(dataclasses.replace(CAMERA, focal=360.0)), 1.25)
