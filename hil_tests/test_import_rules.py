"""Imports run one way: every file of the repository is read and held against the table."""

import ast
from pathlib import Path

import pytest

from hil_tests.import_rules import GAMES, ROOMS, breaches, room_of

ROOT = Path(__file__).resolve().parents[1]
TOPS = ("protocol", "firmware", "boards", "host_tools", "hil_tests")
PURE = ("protocol/tablewire", "firmware/tablelogic")

# (file, its text, the module the refusal must name)
BAD = [
    ("protocol/tablewire/codec.py", "import construct", "construct"),
    ("protocol/tablewire/codec.py", "import tablespec.names", "tablespec.names"),
    ("protocol/tablewire/codec.py", "from micropython import const", "micropython.const"),
    ("protocol/tablespec/field_types.py", "import tabletools.rules", "tabletools.rules"),
    ("firmware/tablelogic/core/trace.py", "import time", "time"),
    ("firmware/tablelogic/core/trace.py", "def f():\n    from machine import Pin", "machine.Pin"),
    ("firmware/tablelogic/core/trace.py", "from tabletypes import Sink", "tabletypes.Sink"),
    ("firmware/tablelogic/core/trace.py", "if -0:\n    from tabledev import hal", "tabledev.hal"),
    ("firmware/tabledev/app/tasks.py", "if -0:\n    pass\nelse:\n    import typing", "typing"),
    ("firmware/tabledev/app/tasks.py", "if 0:\n    import typing", "typing"),
    ("firmware/tabledev/hal.py", "import machine", "machine"),
    ("firmware/tabledev/app/tasks.py", "import machine", "machine"),
    ("firmware/tabledev/app/tasks.py", "from ..drivers import pins", "tabledev.drivers.pins"),
    ("firmware/tabledev/drivers/pins.py", "from tabledev.app import x", "tabledev.app.x"),
    ("firmware/tabledev/drivers/pins.py", "import tablelogic.core.trace", "tablelogic.core.trace"),
    ("firmware/main.py", "from machine import WDT", "machine.WDT"),
    ("boards/rpi_pico2/board.py", "import micropython", "micropython"),
    ("host_tools/tabletools/rules/bets.py", "import tablewire", "tablewire"),
    ("host_tools/tabletools/rules/cards.py", "import tabletools.games", "tabletools.games"),
    (
        "host_tools/tabletools/games/barbut.py",
        "from tabletools.games import sic_bo",
        "tabletools.games.sic_bo",
    ),
    ("host_tools/tabletools/shadow/dice.py", "import tabletools.games", "tabletools.games"),
    ("host_tools/tabletools/settle.py", "from tabletools import decode", "tabletools.decode"),
    ("host_tools/tabletools/settle/books.py", "import sqlite3", "sqlite3"),
    ("host_tools/tabletools/settle_json.py", "import tablewire.framing", "tablewire.framing"),
    ("host_tools/tabletools/decode.py", "import serial", "serial"),
    ("host_tools/tabletools/link/port.py", "from ..decode import d", "tabletools.decode.d"),
    (
        "host_tools/tabletools/link/port.py",
        "import tablespec.message_list",
        "tablespec.message_list",
    ),
    ("host_tools/tabletools/capture.py", "import tablelogic", "tablelogic"),
    ("host_tools/tabletools/cli/collect.py", "import sqlite3", "sqlite3"),
    ("host_tools/tabletools/evidence/rounds.py", "import tabletools.settle", "tabletools.settle"),
    ("host_tools/tabletools/evidence/rounds.py", "import serial", "serial"),
    ("host_tools/tabletools/diag/checks.py", "import tablelogic", "tablelogic"),
    (
        "host_tools/tabletools/cli/decode.py",
        "import tableemulator.fault_catalogue",
        "tableemulator.fault_catalogue",
    ),
    ("host_tools/tabletools/cli/x.py", "__import__('tableemulator')", "tableemulator"),
    (
        "host_tools/tableemulator/board/wasm.py",
        "import tableemulator.chips",
        "tableemulator.chips",
    ),
    ("host_tools/tableemulator/chips.py", "import hil_tests.soak", "hil_tests.soak"),
    (
        "host_tools/tableemulator/machines/wheel.py",
        "from tablelogic.core import trace",
        "tablelogic.core.trace",
    ),
]
GOOD = [
    ("protocol/tablewire/codec.py", "import struct\nfrom .compat import const"),
    ("protocol/tablewire/compat.py", "from micropython import const"),
    ("firmware/tablelogic/core/trace.py", "from array import array\nfrom tablewire import codes"),
    ("firmware/tablelogic/core/trace.py", "if -0:\n    from tabletypes import Sink, Sure"),
    ("firmware/tabledev/app/table.py", "if -0:\n    from collections.abc import Callable"),
    ("firmware/tabledev/drivers/pins.py", "import machine\nfrom tabledev import hal"),
    ("host_tools/tabletools/link/port.py", "import serial\nimport tablewire.framing"),
    (
        "host_tools/tabletools/store/engine.py",
        "import sqlite3\nfrom tabletools.store.errors import StoreError",
    ),
    ("host_tools/tabletools/replay.py", "import tablelogic.core.trace"),
    ("host_tools/tabletools/settle_json.py", "from tabletools.settle_records import Bet"),
    ("host_tools/tabletools/cli/emulate.py", "from tableemulator.board import wasm"),
    ("host_tools/tabletools/cli/play.py", "from tableemulator.board import wasm"),
    ("host_tools/tableemulator/machines/wheel.py", "import random\nfrom . import geometry"),
]


def python_files() -> list[str]:
    """Return every Python file outside the tests folders, as_posix from the root."""
    files = (p.relative_to(ROOT) for top in TOPS for p in (ROOT / top).rglob("*.py"))
    return sorted(p.as_posix() for p in files if "tests" not in p.parts[:-1])


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def test_every_import_is_allowed():
    """No file imports what its room may not; each breach is named with file, line and rule."""
    problems = [str(b) for path in python_files() for b in breaches(path, read(path))]
    assert not problems, "\n" + "\n".join(problems)


@pytest.mark.parametrize(("path", "source", "module"), BAD)
def test_a_wrong_import_is_named(path, source, module):
    """Each rule refuses its counter-example, naming file, line, module and rule."""
    [breach] = breaches(path, source)
    assert breach.module == module
    assert str(breach).startswith(f"{path}:{source.count(chr(10)) + 1}: imports {module}: ")
    assert breach.rule == room_of(path).rule


@pytest.mark.parametrize(("path", "source"), GOOD)
def test_a_right_import_passes(path, source):
    """What the table allows is not refused."""
    assert breaches(path, source) == []


def test_every_present_package_has_a_room():
    """A package added to the house without a rule would escape the table."""
    free = ("host_tools/bench", "host_tools/delivery", "hil_tests", "setup.py")
    lost = [p for p in python_files() if room_of(p) is None and not p.startswith(free)]
    assert not lost
    assert len({room.path for room in ROOMS}) == len(ROOMS)


def test_no_shared_module_has_the_name_of_a_game():
    """What games share knows none of them by name; neither does what settles any of them."""
    for package in ("rules", "settle"):
        files = [path for path in python_files() if f"tabletools/{package}/" in path]
        assert not {Path(path).stem for path in files} & set(GAMES)
        words = {
            node.value
            for path in files
            for node in ast.walk(ast.parse(read(path)))
            if isinstance(node, ast.Constant)
        }
        assert not words & set(GAMES)


# At its import, where there is no native code: bytecode of a module written in it.
RUNS_SOURCE = "firmware/tablelogic/tray_reader/forms.py"


def test_shared_code_is_whole_numbers_and_opens_nothing():
    """Wire and logic use no float, no true division and no file: rp2 floats are single."""
    problems = []
    for path in python_files():
        if path.startswith(PURE):
            for node in ast.walk(ast.parse(read(path))):
                if is_float(node) or (is_open(node) and path != RUNS_SOURCE):
                    problems.append(f"{path}:{node.lineno}: {ast.unparse(node)}")
    assert not problems, "\n" + "\n".join(problems)


def is_float(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float)
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return isinstance(node.op, ast.Div)
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "float"


def is_open(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("open", "input", "eval")


@pytest.mark.parametrize("text", ["x = 0.5", "x = a / b", "x /= 2", "x = float(a)", "open('a')"])
def test_floats_and_files_are_seen(text):
    """The check above sees each forbidden form."""
    assert any(is_float(node) or is_open(node) for node in ast.walk(ast.parse(text)))
