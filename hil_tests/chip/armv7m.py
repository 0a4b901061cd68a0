"""The release of the reference board on its instruction set: native code, a round each, unittests.

A Cortex-M3 under QEMU runs what `tabletool flash` puts on a Pico 2, whose own core is a
Cortex-M33. Its clock is no chip's, so nothing here is a time.
"""

import importlib
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from hil_tests.chip import qemu, recording
from hil_tests.rigs.unittests import ROOT, SUITE, room_files, shared_tests
from tabletools import flash

BOARD = "rpi_pico2"
DEVICE = Path(__file__).with_name("device")
_PACKAGES = frozenset({"tablewire", "tablelogic", "tabledev"})
# Of a host's interpreter alone; importing it replaces code of the device.
_OF_HOSTS = frozenset({"tablewire.unstuffing"})
# A thousand multiplications, two minutes here; and frames of older minor versions, built by a
# sender that is given another number of its own, which a release has in its code.
_LEFT = frozenset({"test_x25519_iterated", "test_vectors"})
# By the wall clock, on a machine with other work; the slowest file takes half a minute alone.
_LIMIT_S = 1800.0
_TESTS = """
import constants
exec(open({suite!r}).read())
for _ in tests_of({module!r}):
    pass
report()
"""
_MAIN = "/main.py"
_LOOPS = ROOT / "firmware/tablelogic/tray_reader/loops.py"
Say = Callable[[str], None]


def run_all(elf: Path, roles: list[str], say: Say, *, with_tests: bool) -> list[str]:
    """Compare the native code and play a round of these roles, then run the unittests; returns
    the problems, a line each."""
    if not qemu.is_there():
        return [qemu.MISSING]
    released = released_files()
    problems = native(elf, released, say)
    for role in roles:
        problems += play(elf, released, role, say)
    return problems + (test_all(elf, released, shared_tests(), say) if with_tests else [])


def released_files() -> dict[str, bytes]:
    """The packages of a release for the board, compiled: path -> content."""
    image, _ = flash.build(flash.kind_of(BOARD))
    return {path: data for path, data in image.items() if path.count("/") > 1}


def native(elf: Path, released: Mapping[str, bytes], say: Say) -> list[str]:
    """Compare the native code that the reader uses with bytecode of the same source."""
    main = (DEVICE / "native.py").read_bytes()
    try:
        printed = _run(elf, {**released, _MAIN: main, "/loops": _LOOPS.read_bytes()}, [])
    except qemu.QemuError as error:
        return [f"armv7m: native code: {error}"]
    if not printed.strip().isdigit():
        return [f"armv7m: native code: {printed.strip()[-2000:]}"]
    say(f"armv7m: native code finds what plain code finds in {printed.strip()} trays")
    return []


def play(elf: Path, released: Mapping[str, bytes], role: str, say: Say) -> list[str]:
    """One recorded round: the decisions are those of this interpreter, number for number."""
    played = recording.record(role)
    files = {**released, _MAIN: (DEVICE / "play_round.py").read_bytes()}
    files["/round/calls"] = played.text.encode()
    files |= {f"/round/{number}": frame for number, frame in enumerate(played.frames)}
    try:
        printed = _run(elf, files, [])
    except qemu.QemuError as error:
        return [f"armv7m: {role}: {error}"]
    try:
        decisions = [json.loads(line) for line in printed.splitlines()]
    except ValueError:
        return [f"armv7m: {role}: {printed.strip()[-2000:]}"]
    for place, (ours, theirs) in enumerate(zip(played.decisions, decisions, strict=False)):
        if ours != theirs:
            return [f"armv7m: {role}: decision {place} is {theirs}, on CPython {ours}"]
    if len(decisions) != len(played.decisions):
        return [f"armv7m: {role}: {len(decisions)} decisions, on CPython {len(played.decisions)}"]
    say(
        f"armv7m: {role}: {played.true}, as on CPython: {len(played.calls)} calls,"
        f" {len(played.frames)} frames, {len(decisions)} decisions"
    )
    return []


def test_all(elf: Path, released: Mapping[str, bytes], tests: list[Path], say: Say) -> list[str]:
    """Run the shared unittest files against the release."""
    problems, ran, begun = [], 0, time.monotonic()
    files = _for_tests(released)
    wanted = [test for test in tests if test.stem not in _LEFT]
    for test in wanted:
        room = test.relative_to(ROOT).parts[0]
        text = _TESTS.format(suite=f"/{SUITE.name}", module=f"tests.{test.stem}")
        try:
            printed = _run(elf, {**files, _MAIN: text.encode()}, [f"/{room}"])
        except qemu.QemuError as error:
            problems.append(f"armv7m: {test.relative_to(ROOT)}: {error}")
            continue
        counts, _, failures = printed.partition("\n")
        if failures.strip() or not counts.split()[0].isdigit():
            problems.append(f"armv7m: {test.relative_to(ROOT)}: {printed.strip()[-2000:]}")
        else:
            ran += int(counts.split()[0])
    say(f"armv7m: {ran} unittests of {len(wanted)} files in {time.monotonic() - begun:.0f} s")
    return problems


def _run(elf: Path, files: Mapping[str, bytes], search: list[str]) -> str:
    files = {**files, "/time.py": (DEVICE / "time.py").read_bytes()}
    return qemu.run(elf, files, _MAIN, [*search, "", ".frozen"], _LIMIT_S)


def _for_tests(released: Mapping[str, bytes]) -> dict[str, bytes]:
    """The release with what tests need beside it: their folders, a unittest, the constants."""
    files = {
        path.replace("/protocol/tablespec/", "/tablespec/"): data
        for path, data in room_files().items()
        if path.split("/")[2] not in (*_PACKAGES, "released")
    }
    files |= released
    for file in (SUITE, DEVICE / "unittest.py", DEVICE / "constants.py"):
        files[f"/{file.name}"] = file.read_bytes()
    files["/released.py"] = f"RELEASED = {constants(released)}".encode()
    return files


def constants(released: Mapping[str, bytes]) -> dict[str, dict[str, int]]:
    """Module -> the numbers it has in its source, of those that this interpreter can import."""
    modules = {}
    for path in released:
        name = path[1:].removesuffix(".mpy").removesuffix("/__init__").replace("/", ".")
        if name in _OF_HOSTS:
            continue
        try:
            module = importlib.import_module(name)
        except (ImportError, NameError) as error:
            if error.name in _PACKAGES:
                raise
            continue  # of a machine's drivers, or native: tests name none
        modules[name] = {
            key: value
            for key, value in vars(module).items()
            if type(value) is int and not key.startswith("_")
        }
    return modules
