"""`tabletool dice calibrate`: a tray from rendered pictures, and what refuses one."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFilter

from host_tools.tests.overhead_camera import (
    CORNERS,
    EMPTY,
    STYLE,
    ScriptedCamera,
    dice,
    exposed,
    grey,
)
from tableemulator.machines.dice_tray.rendering import Die
from tabletools.cli.main import run
from tabletools.dice.overhead import capture
from tabletools.dice.overhead.calibration import CalibrationRefused, calibrated
from tabletools.dice.overhead.host_tray import tray_of
from tabletools.errors import ToolError

VALUES = (1, 4, 5, 6)


def corners(scene=EMPTY, places=CORNERS, style=STYLE, values=VALUES):
    """A die near each corner."""
    lying = [
        Die(x, y, value, 0.3 * value, style) for value, (x, y) in zip(values, places, strict=False)
    ]
    return grey(lying, scene)


def three(picture):
    """Three pictures of one thing."""
    return [exposed(picture, number) for number in range(3)]


def pixels(name):
    """Red, green and blue of a picture file."""
    with Image.open(name) as picture:
        return np.asarray(picture.convert("RGB"))


@pytest.fixture
def pictures(tmp_path, monkeypatch):
    """A folder with pictures of the empty tray, and one with dice."""
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    for number, picture in enumerate(three(grey())):
        Image.fromarray(picture).save(f"empty/{number}.png")
    Image.fromarray(exposed(corners(), 7)).save("corners.png")
    Image.fromarray(exposed(grey(dice(2, 3, 6)), 9)).save("throw.png")


def test_a_tray_is_calibrated_and_read_with(pictures, capsys):
    """The faces of its dice are printed, its floor is drawn, and a throw is read with it."""
    code = run("dice calibrate tray.png --empty empty corners.png --json".split())
    out = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 0
    assert (out[0]["dice"], out[0]["accepted"]) == ([*VALUES], True)
    assert len(out[1]["floor"]) >= 4
    assert out[2]["side_px"] == pytest.approx(34 * 24 / 23, rel=0.05)
    assert pixels("tray.png").shape == (480, 640, 3)
    green = pixels("tray.floor.png")
    assert (green == (0, 200, 0)).all(-1).sum() > 1000
    assert run("dice --calibrated tray.png --expect 3 throw.png".split()) == 0
    assert json.loads(capsys.readouterr().out)["dice"] == [2, 3, 6]


def test_the_floor_is_corrected_by_hand(pictures, capsys):
    given = "60,60 580,60 580,420 60,420"
    assert (
        run(["dice", "calibrate", "t.png", "--empty", "empty", "corners.png", "--floor", given])
        == 0
    )
    assert f"# floor: {given}\n" in capsys.readouterr().out


def test_the_distance_of_both_lenses_is_kept(pictures):
    for option, apart in ((["--apart", "2.5"], 2.5), ([], 0.0)):
        command = ["dice", "calibrate", "t.png", "--empty", "empty", "corners.png", "--force"]
        assert run([*command, *option]) == 0
        assert tray_of(Path("t.png").read_bytes(), "t.png").apart == apart


def test_it_asks_for_the_tray_and_for_the_dice(tmp_path, monkeypatch, capsys):
    """At the terminal, with the camera."""
    views = iter((grey(), corners()))
    asked = []

    def prompt(text, **_):
        asked.append(text)
        camera.picture = next(views)

    camera = ScriptedCamera()
    burst = capture.burst
    monkeypatch.setattr("typer.prompt", prompt)
    monkeypatch.setattr(capture, "burst", lambda source, size: burst(source, size, opener=camera))
    file = tmp_path / "tray.png"
    assert run(["dice", "calibrate", str(file), "--camera", "0"]) == 0
    assert [text.split(",")[0] for text in asked] == [
        "Clear the tray",
        "Put one die near each corner of the floor",
    ]
    assert "picture 1: 1, 4, 5, 6" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ("", "there are no pictures to calibrate with"),
        ("--empty nowhere corners.png", "nowhere is not a folder"),
        ("--empty empty", "no die is seen in the upper left and the upper right"),
        ("--empty . corners.png", "2 pictures of the empty tray"),
        ("--empty empty none.png", "none.png does not exist"),
        ("--empty empty corners.png --floor 1,2,3", "is no list of corners"),
        ("--empty empty corners.png --floor 1,2", "is no convex polygon"),
        ("--empty empty corners.png --apart 0.5", "0.5 edges of a die between the lenses"),
        ("--empty empty corners.png --apart 320", "320 edges of a die between the lenses"),
        ("--camera 0 --size big", "'big' is no size"),
    ],
)
@pytest.mark.one_in(2)
def test_bad_input_is_refused(options, what, pictures, capsys):
    assert run(["dice", "calibrate", "tray.png", *options.split()]) == 1
    assert what in capsys.readouterr().err
    assert not Path("tray.png").exists()


def test_a_refused_rig_leaves_a_picture_of_what_is_wrong(pictures, capsys):
    small = replace(EMPTY, scale=22, above=30)
    Image.fromarray(exposed(corners(small), 7)).save("corners.png")
    assert run("dice calibrate tray.png --empty empty corners.png".split()) == 1
    assert "px wide (tray.wrong.png, 28 px at least)" in capsys.readouterr().err
    red = pixels("tray.wrong.png")
    assert (red == (255, 0, 0)).all(-1).sum() > 100


def blurred(picture):
    """Out of focus by a tenth of a die."""
    return np.asarray(Image.fromarray(picture).filter(ImageFilter.GaussianBlur(3.5)))


def shining(picture):
    """With a lamp on the cloth."""
    picture = picture.copy()
    picture[200:212, 300:312] = 255
    return picture


def changing(number):
    """Lamps that flicker."""
    return exposed((grey() * (1 + 0.2 * number)).astype(np.uint8), number)


BARE = replace(EMPTY, walls=None)
# Pictures of the empty tray, one with dice, what is said.
UNREADABLE = {
    "small": (three, lambda: corners(replace(EMPTY, scale=24, above=40)), "a die is 2"),
    "blur": (three, lambda: blurred(corners()), "the edges of a die are blurred over"),
    "glare": (lambda tray: three(shining(tray)), corners, "144 pixels of the floor shine"),
    "flicker": (lambda _: [*map(changing, range(3))], corners, "the empty tray differs by"),
    "white": (three, lambda: corners(style=replace(STYLE, body=248.0)), "greys: glare"),
    "three": (
        three,
        lambda: corners(places=CORNERS[:3]),
        "no die is seen in the lower right",
    ),
    "bare": (
        lambda _: three(grey((), BARE)),
        lambda: corners(BARE),
        "nothing in the picture shows that the camera moved",
    ),
}


@pytest.mark.parametrize("why", UNREADABLE)
@pytest.mark.one_in(2)
def test_a_rig_that_cannot_be_read_is_refused(why):
    empty, with_dice, what = UNREADABLE[why]
    with pytest.raises(CalibrationRefused) as refused:
        calibrated(empty(grey()), [exposed(with_dice(), 5)])
    assert what in refused.value.what
    assert refused.value.step
    assert refused.value.picture.shape == (480, 640, 3)


def test_a_small_camera_is_refused():
    with pytest.raises(ToolError) as error:
        calibrated([each[::2, ::2] for each in three(grey())], [corners()[::2, ::2]])
    assert "320 x 240 px" in error.value.what
