"""The unit tests beside this folder, unchanged, on the VM."""

from pathlib import Path

import pytest

from hil_tests.controller import program
from hil_tests.rigs.wasm import WasmBoard

HERE = Path(__file__).resolve().parents[1]
MODULES = sorted(path.stem for path in HERE.glob("test_*.py"))

RUN = """
from unittest import TestRunner, TestSuite
import tests.{name} as module
suite = TestSuite("{name}")
suite._load_module(module)
result = TestRunner().run(suite)
print("ran", result.testsRun, "bad", result.errorsNum + result.failuresNum + result.skippedNum)
"""


@pytest.fixture(scope="module")
def files():
    """The packages and the tests; nothing starts by itself."""
    tests = {f"/tests/{path.name}": path.read_bytes() for path in HERE.glob("*.py")}
    return {**program(), **tests, "/main.py": b""}


@pytest.mark.parametrize("name", MODULES)
def test_passes_on_the_vm(files, name):
    """Every test of the file runs there, and none fails."""
    with WasmBoard(files, heap_bytes=1024 * 1024) as board:
        assert board.boot().errors == ""
        printed = board.exec(RUN.format(name=name))
    count = (HERE / f"{name}.py").read_text(encoding="utf-8").count("    def test_")
    assert printed.splitlines()[-1] == f"ran {count} bad 0", printed
