"""Frames of one throw are averaged and read once; frames between which something moved are not."""

import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from tableemulator.machines.dice_tray.rendering import Die, Scene, Style, render
from tabletools.cli.main import run
from tabletools.dice import Frame
from tabletools.dice.one_throw import average
from tabletools.errors import ToolError


def frame(seed, x=-1.5, noise=6.0, light=1.0):
    """A five and a two on dark cloth: 160 x 120."""
    scene = Scene(scale=26.0, above=30.0, shadow=0.4, noise=noise, table=90 * light)
    scene.dice = [Die(x, 0.2, 5, 0.4, Style()), Die(1.4, -0.3, 2, 1.1, Style())]
    return Frame(160, 120, render(scene, seed))


def greys(one):
    return np.frombuffer(one.grey, np.uint8).reshape(one.height, one.width).astype(float)


def shift(one, right, down):
    moved = np.roll(greys(one), (down, right), (0, 1)).astype(np.uint8)
    return Frame(one.width, one.height, moved.tobytes())


def test_the_mean_of_four_frames_has_half_of_the_noise():
    """Noise of sigma 6 is 3 in the mean, by the greys of the picture without noise."""
    clean = greys(frame(0, noise=0.0))
    mean = average([frame(seed) for seed in range(1, 5)])
    assert np.std(greys(frames_first := frame(1)) - clean) == pytest.approx(6.0, abs=0.5)
    assert frames_first.width == mean.width
    assert np.std(greys(mean) - clean) == pytest.approx(3.0, abs=0.5)


def test_frames_of_a_camera_that_shakes_are_aligned():
    """By whole pixels here; the mean lies as the first does."""
    clean = greys(frame(0, noise=0.0))
    mean = average([frame(1), shift(frame(2), 2, 0), shift(frame(3), -1, 1)])
    inner = np.s_[8:-8, 8:-8]
    assert np.abs(greys(mean) - clean)[inner].mean() < 4


def test_colours_are_aligned_and_averaged_as_the_greys():
    """Here each plane is the grey; one frame without colours leaves none."""
    frames = [frame(1), shift(frame(2), 2, 0)]
    coloured = [
        replace(each, colour=np.repeat(np.frombuffer(each.grey, np.uint8), 3).tobytes())
        for each in frames
    ]
    mean = average(coloured)
    assert [mean.colour[plane::3] for plane in range(3)] == [average(frames).grey] * 3
    assert average([coloured[0], frames[1]]).colour == b""


@pytest.mark.parametrize("x", [-1.38, -1.7, -2.5])
def test_a_die_that_moved_is_not_of_the_throw(x):
    """From a ninth of an edge on, 3 px; in the last of four frames."""
    assert average([*(frame(seed) for seed in (1, 2, 3)), frame(4, x)]) is None


def test_a_face_that_changed_is_not_of_the_throw():
    """A die turned where it lies."""
    other = Scene(scale=26.0, above=30.0, shadow=0.4, noise=6.0)
    other.dice = [Die(-1.5, 0.2, 6, 0.4, Style()), Die(1.4, -0.3, 2, 1.1, Style())]
    assert average([frame(1), frame(2), Frame(160, 120, render(other, 3))]) is None


def test_frames_of_two_sizes_are_refused():
    """They are of two cameras."""
    with pytest.raises(ToolError, match="160 x 120 and 64 x 64"):
        average([frame(1), Frame(64, 64, bytes(4096))])


def test_a_throw_has_one_line(tmp_path, capsys):
    """Its files, one verdict; and the reason when something moved."""
    names = []
    for number, one in enumerate([frame(1), frame(2), frame(3), frame(4, -2.5)]):
        names.append(str(tmp_path / f"{number}.png"))
        Image.frombytes("L", (160, 120), one.grey).save(names[-1])
    assert run(["dice", "--throw", *names[:3]]) == 0
    assert run(["dice", "--throw", *names]) == 0
    assert run(["dice", "--throw", names[0]]) == 0
    good, moved, single = map(json.loads, capsys.readouterr().out.splitlines())
    assert (good["files"], good["dice"], good["accepted"]) == (names[:3], [2, 5], True)
    assert (moved["accepted"], moved["reason"], moved["dice"]) == (False, "moved", [])
    assert (single["file"], single["accepted"]) == (names[0], True)
