"""`tabletool dice --calibrate`: wall, mark and line where they were drawn, or why not."""

import pytest
from PIL import Image

from tableemulator.machines.dice_tray.rendering import Die, Scene, Style, render
from tabletools.cli.main import run


def tray(scale=1, wall=6, mark=80, line=(33, 36), dice=()):
    """An empty tray: the wall's rows, the mark's first column, the rows of a strip of paper."""
    size = (160 * scale, 120 * scale)
    scene = Scene(*size, 26.0 * scale, 30.0, 90.0, (8.0, -6.0), noise=1.0)
    scene.wall, scene.mark, scene.dice = wall * scale, mark * scale, list(dice)
    grey = bytearray(render(scene, 4))
    for row in range(line[0] * scale, line[1] * scale):
        grey[row * size[0] : (row + 1) * size[0]] = bytes([200]) * size[0]
    return Image.frombytes("L", size, bytes(grey))


@pytest.fixture
def calibrate(tmp_path, capsys):
    """Run the command on a picture: exit code, lines of output, errors."""

    def play(image):
        path = tmp_path / "empty.png"
        image.save(path)
        code = run(["dice", "--calibrate", str(path)])
        out, err = capsys.readouterr()
        return code, out.splitlines(), err

    return play


@pytest.mark.parametrize(("scale", "wall", "mark"), [(1, 6, 80), (1, 14, 40), (2, 9, 100)])
def test_what_was_drawn_is_found(scale, wall, mark, calibrate):
    """Within a pixel, in both sizes of frames; the lines are those of a configuration file."""
    code, out, err = calibrate(tray(scale, wall, mark))
    assert (code, err) == (0, "")
    names = {line.split()[0]: int(line.split()[2]) for line in out[:3]}
    assert abs(names["wall_row"] - wall) <= 1
    assert abs(names["mark_column"] - mark) <= 1
    assert names["line_row"] == 36
    assert out[3].startswith("# or: tabletool config set PORT wall_row=")


@pytest.mark.parametrize(
    ("image", "what"),
    [
        (tray(wall=0, mark=0), "shows no"),
        (tray(mark=0), "shows no mark on the far wall"),
        (tray(line=(0, 0)), "shows no dice line"),
        (tray(dice=[Die(0.0, 0.8, 5, 0.4, Style())]), "does not show an empty tray"),
        (Image.new("L", (200, 200), 90), "is 200 x 200 px"),
    ],
)
def test_what_cannot_be_found_is_named(image, what, calibrate):
    """With the limit and what to do; nothing is printed to be set."""
    code, out, err = calibrate(image)
    assert (code, out) == (1, [])
    assert what in err
    assert "next step:" in err
