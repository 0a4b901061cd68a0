"""`tabletool commission-tray`: a rig from rendered pictures, and what refuses one."""

import math

import numpy as np
import pytest
from PIL import Image

from tableemulator.board.stock import StockBoard
from tableemulator.machines.dice_tray.rendering import Die, Scene, Style, render
from tablelogic.tray_reader.rig import Rig
from tabletools.cli.main import run
from tabletools.dice.commission import commissioned, floor_of
from tabletools.dice.pictures import Frame
from tabletools.errors import ToolError

LIGHT, DARK = Style(), Style(body=30.0, pip=225.0)
PX, ABOVE = 40.0, 20.0
# Near the corners and the middle: x, y in edges, face.
DICE = (
    ((-2.6, -1.6, 1), (2.6, -1.7, 4), (0.0, 0.3, 6)),
    ((-2.6, 1.6, 5), (2.6, 1.7, 6), (0.2, -0.4, 3)),
    ((0.0, 0.0, 2), (1.5, -1.2, 3), (-1.4, 1.3, 4)),
    ((-1.2, -1.1, 2), (1.2, -0.9, 3), (0.1, 1.2, 1)),
    ((-0.9, -0.6, 1), (1.1, 0.9, 2), (1.3, -1.0, 4)),
    ((-1.3, 0.2, 3), (0.6, -0.7, 1), (0.9, 1.1, 2)),
)
FLOOR = floor_of([(4, 0), (156, 0), (156, 119), (4, 119)])


def frame(dice=(), seed=0, style=LIGHT, size=(320, 240), px=PX, **scene):
    """A picture of 320 x 240 px of a tray with these dice."""
    table = 90.0 if style.body > 100 else 150.0
    scene = {"blur": 1, "noise": 0, "above": ABOVE, "table": table, **scene}
    lie = [Die(x, y, value, 0.4 * x + y, style) for x, y, value in dice]
    grey = render(Scene(*size, px, dice=lie, **scene), seed)
    noise = np.random.default_rng(seed).normal(0, 1.2, len(grey))
    return Frame(
        *size, (np.frombuffer(grey, np.uint8) + noise).clip(0, 255).astype("u1").tobytes()
    )


def pictures(**how):
    """Three pictures of the empty tray, and six with three dice each."""
    empty = [frame(seed=k, **how) for k in range(3)]
    return empty, [frame(dice, 10 + k, **how) for k, dice in enumerate(DICE)]


@pytest.fixture(scope="module")
def rigs():
    return {style: commissioned(*pictures(style=style), FLOOR) for style in (LIGHT, DARK)}


@pytest.mark.parametrize("style", [LIGHT, DARK])
def test_it_measures_what_was_drawn(style, rigs):
    """The top of a die 40 px wide on the floor, 20 edges below the lens, is 20/19 of that."""
    rig = Rig(rigs[style])
    assert rig.side / 16 == pytest.approx(PX * ABOVE / (ABOVE - 1), rel=0.03)
    # A narrow side in the blur of a bright top seems lighter, and the lens higher.
    assert rig.height / 16 == pytest.approx(ABOVE, rel=0.2)
    light = (0.3, -0.2, 0.93)
    shade = 0.55 + 0.45 * light[2] / math.hypot(*light)
    # Pips are a tenth of a die wide, so their middle is not quite their grey.
    assert (rig.scale, rig.is_light()) == (2, style is LIGHT)
    assert rig.body == pytest.approx(style.body * shade, abs=6)
    assert rig.pip == pytest.approx(style.pip * shade, abs=12)
    assert rig.pitch == pytest.approx(100 * style.pitch, abs=1)
    area = 1000 * math.pi * style.radius**2
    assert rig.pip_area == pytest.approx(area, rel=0.2)
    assert rig.one_area == pytest.approx(area, rel=0.2)


def test_the_floor_is_a_span_of_each_row():
    floor = floor_of([(80, 10), (150, 60), (80, 110), (10, 60)])
    rows = np.flatnonzero(floor.any(1))
    columns = np.flatnonzero(floor[60])
    assert (rows[0], rows[-1], columns[0], columns[-1]) == (10, 110, 10, 150)
    for corners in (
        [(0, 0), (9, 9)],
        [(0, 0), (161, 0), (0, 9)],
        [(0, 0), (9, 9), (9, 0), (0, 9)],
    ):
        with pytest.raises(ToolError, match="no convex polygon"):
            floor_of(corners)


def refusal(empty, dice):
    with pytest.raises(ToolError) as caught:
        commissioned(empty, dice, FLOOR)
    assert all((caught.value.limit, caught.value.step))
    return str(caught.value)


def test_rigs_that_cannot_be_read_are_refused():
    """Small dice, blur, too much light, dice nearly like the floor, pips like the dice."""
    assert "px wide" in refusal(*pictures(px=16.0))
    assert "blurred" in refusal(*pictures(px=24.0, blur=9))
    assert "overexposed" in refusal(*pictures(style=Style(body=262.0)))
    assert "0 dice stand apart" in refusal(*pictures(style=Style(body=130.0)))
    assert "pips differ" in refusal(*pictures(style=Style(pip=180.0)))


def test_pictures_that_do_not_serve_are_refused():
    empty, dice = pictures()
    assert "2 pictures of the empty tray" in refusal(empty[:2], dice)
    assert "differs by" in refusal([*empty[:2], dice[0]], dice)
    assert "320 x 240" in refusal(empty, [*dice, frame(size=(160, 120))])
    assert "6 dice stand apart" in refusal(empty, dice[:2])
    together = frame(((0, 0, 1), (0.9, 0.1, 2), (2.5, 1, 3)), 3)
    assert "differs from that of a flat die" in refusal(empty, [*dice, together])


@pytest.fixture
def folder(tmp_path):
    """Files of the pictures of a rig."""
    empty, dice = pictures()
    (tmp_path / "empty").mkdir()
    for name, frames in (("empty/e", empty), ("d", dice)):
        for k, each in enumerate(frames):
            image = Image.frombytes("L", (each.width, each.height), each.grey)
            image.save(tmp_path / f"{name}{k}.png")
    return tmp_path


def commission(folder, *more):
    files = [str(folder / f"d{k}.png") for k in range(len(DICE))]
    return run(
        [
            "commission-tray",
            str(folder / "tray.0"),
            "--empty",
            str(folder / "empty"),
            *files,
            *more,
        ]
    )


def test_the_command_prints_the_faces_and_writes_the_file(folder, capsys, rigs):
    assert commission(folder, "--floor", "4,0 156,0 156,119 4,119") == 0
    out = capsys.readouterr().out.splitlines()
    read = ["1, 4, 6", "3, 5, 6", "2, 3, 4", "1, 2, 3", "1, 2, 4", "1, 2, 3"]
    assert [line.split(": ")[1] for line in out[:6]] == read
    assert (folder / "tray.0").read_bytes() == rigs[LIGHT]
    assert f"{Rig(rigs[LIGHT]).digest:08x}" in out[6]
    assert commission(folder) == 1
    assert "already exists" in capsys.readouterr().err


def test_mistakes_in_the_options(folder, capsys):
    assert commission(folder, "--floor", "4,0 156") == 1
    assert "no list of corners" in capsys.readouterr().err
    assert run(["commission-tray", "x", "--empty", "nowhere", str(folder / "d0.png")]) == 1
    assert "is not a folder" in capsys.readouterr().err


def test_the_rig_goes_onto_a_board(folder, capsys, rigs):
    with StockBoard() as board:
        board.put("/flash/config.0", b"")  # the firmware has been there
        assert (
            commission(folder, "--floor", "4,0 156,0 156,119 4,119", "--port", board.prompt) == 0
        )
        assert board.files["/flash/tray.0"] == rigs[LIGHT]
    assert "tray.0 written" in capsys.readouterr().out
