"""Shared code on the machine: its unittest files pass there, and a failure is not overlooked."""

import pytest

from hil_tests.rigs.unittests import (
    ROOT,
    UnittestFailedError,
    UnittestResult,
    run_unittests,
    shared_tests,
)
from hil_tests.thinned import soaked

GOOD = """
import unittest
from tablewire.part import twice
class Good(unittest.TestCase):
    def setUp(self):
        self.seen = []
    def test_twice(self):
        for n in (1, 2):
            with self.subTest(n=n):
                self.assertEqual(twice(n), n + n)
        self.assertLess(1, 2)
        self.assertNotIn(3, [1])
    def test_fresh(self):
        self.seen.append(1)
        self.assertEqual(self.seen, [1])
"""
CASES = {
    "assertion": ("self.assertEqual(twice(1), 3)", "2 vs \\(expected\\) 3"),
    "error": ("1 // 0", "ZeroDivisionError"),
    "sub-test": ("with self.subTest(n=7):\n            self.fail('why')", "n=7(.|\n)*why"),
    "assertLess": ("self.assertLess(2, 1)", "2 is not less than 1"),
    "not raised": ("with self.assertRaises(ValueError):\n            pass", "not raised"),
}


@pytest.fixture
def room(tmp_path):
    """A root with one package and the file tests/test_it.py, whose text the test gives."""
    for folder in ("protocol/tablewire", "protocol/tests", "firmware"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "protocol/tablewire/part.py").write_text("def twice(n):\n    return 2 * n\n")

    def run(text: str) -> UnittestResult:
        path = tmp_path / "protocol/tests/test_it.py"
        path.write_text(text)
        return run_unittests([path], tmp_path)

    return run


def test_passing_tests_are_counted(room):
    """Every test runs with its own setUp; sub-tests pass too."""
    assert room(GOOD) == UnittestResult(ran=2, skipped=0)


@pytest.mark.parametrize("name", CASES)
def test_failures_are_reported(room, name):
    """What fails on the machine fails here, with the test's name and the traceback."""
    body, message = CASES[name]
    with pytest.raises(UnittestFailedError, match=message) as caught:
        room(GOOD + f"    def test_bad(self):\n        {body}\n")
    assert "test_it.Good.test_bad" in str(caught.value) or name == "sub-test"


@pytest.mark.parametrize("text", ["import unittest\n", "import unittest\nimport nowhere\n"])
def test_no_test_is_a_failure(room, text):
    """A file without tests, or one that does not import, is not a pass."""
    with pytest.raises(UnittestFailedError, match="test_it"):
        room(text)


# Whole pictures, many pulses and a thousand multiplications take the machine 2 to 30 s a file;
# the trays of test_dice_tray read some pictures on it every time.
LONG = [
    ROOT / "firmware" / "tests" / "test_camera.py",
    ROOT / "firmware" / "tests" / "test_configure.py",
    ROOT / "firmware" / "tests" / "test_logic_pins.py",
    ROOT / "firmware" / "tests" / "test_tray_reader.py",
    ROOT / "protocol" / "tests" / "test_x25519_iterated.py",
]
SHARED = [path for path in shared_tests() if path not in LONG]


@pytest.mark.parametrize(
    "path", [*SHARED, *soaked(LONG)], ids=lambda path: str(path.relative_to(ROOT))
)
def test_shared_code_on_the_machine(path):
    """Every test of the file runs on MicroPython, and passes as it does on CPython."""
    count = path.read_text(encoding="utf-8").count("    def test_")
    assert run_unittests([path]).ran == count
