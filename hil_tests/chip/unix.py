"""The shared unittests on MicroPython as a 32-bit program of this computer."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from hil_tests.rigs.unittests import ROOMS, ROOT, SUITE, room_files, shared_tests

_UNITTEST = Path(__file__).with_name("device") / "unittest.py"
_LIMIT_S = 900
_HEAP = "8m"
# A test of the drivers gives the clock another function, which the built-in module does not take.
_RUN = """
import sys, time
class Time: pass
for _name in dir(time):
    setattr(Time, _name, getattr(time, _name))
sys.modules["time"] = Time
sys.path[:] = {search}
exec(open({suite}).read())
for _ in tests_of({module!r}):
    pass
report()
"""


def run_all(program: Path, say: Callable[[str], None]) -> list[str]:
    """Run every shared unittest file; returns the problems, a line each."""
    problems, ran = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, data in room_files().items():
            place = folder / path[1:]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        shutil.copy(_UNITTEST, folder)
        for test in shared_tests():
            count, problem = _run(program, folder, test)
            ran += count
            problems += [f"32-bit: {test.relative_to(ROOT)}: {problem}"] if problem else []
    say(f"32-bit MicroPython: {ran} unittests of {len(shared_tests())} files")
    return problems


def _run(program: Path, folder: Path, test: Path) -> tuple[int, str]:
    """How many tests ran, and what failed."""
    room = test.relative_to(ROOT).parts[0]
    search = [str(folder / part) for part in (room, *ROOMS, "")] + [".frozen"]
    code = _RUN.format(search=search, suite=repr(str(SUITE)), module=f"tests.{test.stem}")
    try:
        done = subprocess.run(
            [str(program), "-X", f"heapsize={_HEAP}", "-c", code],
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
            cwd=folder,
        )
    except subprocess.TimeoutExpired:
        return 0, f"no end within {_LIMIT_S} s"
    counts, _, failures = done.stdout.partition("\n")
    if done.returncode or failures.strip():
        return 0, (failures + done.stderr).strip()[-2000:]
    return int(counts.split()[0]), ""
