"""Runs the unittest files of shared code on the MicroPython machine and demands that all pass."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tableemulator.board.wasm import VmError, WasmBoard
from tablespec.names import KEY_NAMES, NAMES

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("protocol", "firmware")
SUITE = Path(__file__).with_name("vm_suite.py")
_SUFFIXES = frozenset({".py", ".txt", ".json", ".jsonl"})
_HOST_ONLY = frozenset({"tablespec", "__pycache__"})
_SPEC = "/protocol/tablespec"
_PROVISIONING = f"{_SPEC}/provisioning.py"


class UnittestFailedError(Exception):
    """A test failed on the machine, or none was run; the text says which and how."""


@dataclass(frozen=True)
class UnittestResult:
    """Counts of a run in which everything passed."""

    ran: int
    skipped: int


def shared_tests(root: Path = ROOT) -> list[Path]:
    """Return the test files of the shared rooms that need nothing but unittest."""
    tests = []
    for room in ROOMS:
        for path in sorted((root / room / "tests").glob("test_*.py")):
            text = path.read_text(encoding="utf-8")
            if "import unittest" in text and "import pytest" not in text:
                tests.append(path)
    return tests


def room_files(root: Path = ROOT) -> dict[str, bytes]:
    """Return the files of the shared rooms by device path, the folders as in the repository.

    In place of the specification, which needs construct, they have the names that it declares.
    """
    names = f"NAMES = {NAMES}\nKEY_NAMES = {KEY_NAMES}\n"
    files = {f"{_SPEC}/names.py": names.encode()}
    files[_PROVISIONING] = (ROOT / _PROVISIONING[1:]).read_bytes()
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            inside = path.relative_to(root)
            if path.suffix in _SUFFIXES and not _HOST_ONLY.intersection(inside.parts):
                files[f"/{inside.as_posix()}"] = path.read_bytes()
    return files


def run_unittests(paths: Iterable[Path], root: Path = ROOT) -> UnittestResult:
    """Run test files (<root>/<room>/tests/test_*.py) on the machine.

    A room's tests are imported as tests.<name>, with all rooms on the path. Raises
    UnittestFailedError unless every test passed and at least one was run in each file.
    """
    files = room_files(root)
    ran = skipped = 0
    for path in paths:
        room, *_ = path.resolve().relative_to(root.resolve()).parts
        counts = _run_file(files, room, f"tests.{path.stem}")
        ran += counts.ran
        skipped += counts.skipped
    if ran == 0:
        raise UnittestFailedError("no test was run")
    return UnittestResult(ran, skipped)


def _run_file(files: dict[str, bytes], room: str, module: str) -> UnittestResult:
    search = [f"/{name}" for name in (room, *ROOMS)] + [".frozen"]
    with WasmBoard(files, limit_s=60.0) as board:
        board.boot()
        board.exec(f"import sys\nsys.path[:] = {search}")
        board.exec(SUITE.read_text(encoding="utf-8"))
        board.exec(f"tests = tests_of({module!r})")
        try:
            while "end" not in board.exec("step(tests)").splitlines():
                pass
        except VmError as error:
            raise UnittestFailedError(f"{room}: {module}:\n{error}") from error
        counts, _, failures = board.exec("report()").partition("\n")
    count, skipped = map(int, counts.split())
    if failures.strip() or count == 0:
        raise UnittestFailedError(f"{room}: {module}: {count} run\n{failures}")
    return UnittestResult(count, skipped)
