"""The unit tests beside this folder, unchanged, on the VM."""

from pathlib import Path

import pytest

from hil_tests.rigs.unittests import run_unittests, shared_tests

HERE = Path(__file__).resolve().parents[1]
FILES = [path for path in shared_tests() if path.parent == HERE]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_passes_on_the_vm(path):
    """Every test of the file runs there, and none fails."""
    count = path.read_text(encoding="utf-8").count("    def test_")
    assert run_unittests([path]).ran == count
