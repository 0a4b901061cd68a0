"""A tray tried by a frame: each figure has a scene in which it, and nothing else, fails."""

import pytest
from PIL import Image, ImageFilter

from tableemulator.machines.dice_tray.rendering import Die, Scene, Style, render
from tabletools.diag import dice_tray as tray
from tabletools.dice import Frame, dice, view

WALL, MARK, LINE = 6, 80, 36
SHIFT = 2


def scene(scale=1, *, px=22.0, lying=(), wall=WALL):
    """The frame of a tray with a cloth of 90 of 255 and dice at pixels of 160 x 120."""
    picture_scene = Scene(160 * scale, 120 * scale, px * scale, 45.0, 90.0, (8.0, -6.0), noise=1.0)
    picture_scene.wall, picture_scene.mark = wall * scale, MARK * scale
    picture_scene.dice = [
        Die((x - 80) / px, (y - 60) / px, value, 0.3, Style()) for x, y, value in lying
    ]
    return Image.frombytes(
        "L", (picture_scene.width, picture_scene.height), bytes(render(picture_scene, 4))
    )


def frame(image):
    return Frame(*image.size, image.tobytes())


def sizes(image):
    return tray.sizes(dice(frame(image), LINE, 3), 3)


def shade(image):
    """The light comes from the left alone."""
    falls = Image.linear_gradient("L").rotate(90).resize(image.size)
    dark = image.point(lambda grey: grey * 2 // 5)
    return Image.composite(image, dark, falls)


def failed(image):
    checks = tray.background(view(frame(image), WALL, MARK, LINE), SHIFT * image.width // 160)
    assert len(checks) == 6
    return [check.name for check in checks if check.verdict == "fail"]


@pytest.mark.parametrize("scale", [1, 2])
def test_a_good_tray_passes(scale):
    """In frames of both sizes."""
    assert failed(scene(scale)) == []


@pytest.mark.parametrize(
    ("image", "names"),
    [
        (scene(wall=WALL + 4), ["camera: off its place"]),
        (scene().point(lambda grey: grey // 3), ["cloth: darkest part"]),
        (scene().point(lambda grey: min(grey * 12 // 5, 255)), ["cloth: brightest part"]),
        (shade(scene()), ["cloth: darkest part", "cloth: darkest of brightest"]),
        (scene().filter(ImageFilter.GaussianBlur(2)), ["camera: sharpness at the wall"]),
        (scene(lying=[(80, 80, 5)]), ["tray: reads as empty"]),
    ],
    ids=["moved", "dark", "bright", "uneven", "unsharp", "taken"],
)
def test_what_is_wrong_is_named(image, names):
    """Wall 4 px off, a third of the light, too much of it, from one side, no focus, a die."""
    assert failed(image) == names


THREE = [(35, 70, 3), (80, 85, 4), (125, 70, 5)]


@pytest.mark.parametrize(("scale", "px"), [(1, 22.0), (2, 12.0)])
def test_dice_of_a_good_size_pass(scale, px):
    """22 px in a small frame; 24 in a large one."""
    checks = sizes(scene(scale, px=px, lying=THREE))
    assert [check.verdict for check in checks] == ["pass"] * 3
    assert all(abs(check.value - px * scale) <= 2 for check in checks[1:])


def test_dice_too_small_or_too_few_fail():
    """14 px of a large frame are read, and too small; two dice are not three."""
    checks = sizes(scene(2, px=7.0, lying=THREE))
    assert [check.name for check in checks if check.verdict == "fail"][-1] == "dice: smallest side"
    few = sizes(scene(lying=THREE[:2]))
    assert (few[0].verdict, few[0].note, few[0].code) == ("fail", "count_wrong", 1008)
