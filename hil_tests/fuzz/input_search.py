"""The search: mutate an input, run the check, keep what reached something new, shrink a crash.

Knows no frame: a target brings its check, its first inputs and its mutations. The same seed, the
same corpus and the same program give the same inputs in the same order.
"""

from __future__ import annotations

import gc
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 6000
# Inputs tried to make one crash smaller, and crashes of one target after which it is enough.
SHRINKS = 400
CRASHES = 5
_OPTIMIZED = 1  # flag of a code object that is a function: what else runs, runs at import

Mutate = Callable[[random.Random, bytes, bytes], bytes]
Arc = tuple[int, int, int]


class Hang(BaseException):
    """A check took longer than its limit; no check can swallow it."""


@dataclass(frozen=True)
class Target:
    """What is fuzzed.

    check: raises for an input that does harm; the same input always does the same. seeds: first
    inputs. mutate: another input made of one, a second lends parts. watched: files and folders,
    from the root, whose lines lead the search; none: the search is blind. limit_s: of one check.
    """

    name: str
    check: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    mutate: Mutate
    watched: tuple[str, ...] = ()
    limit_s: float = 20.0


@dataclass(frozen=True)
class Crash:
    """An input that does harm. what: the exception; where: the lines it came through."""

    data: bytes
    what: str
    where: str

    @property
    def kind(self) -> str:
        """What makes two crashes the same one: the exception's type, and its last line."""
        return f"{self.what.split(':', 1)[0]} {self.where.rsplit(' < ', 1)[-1]}"


@dataclass
class SearchResult:
    """What came of a search.

    inputs: those that reached something new when they ran. lines: by file, how many lines of its
    functions ran and how many there are.
    """

    executions: int = 0
    crashes: list[Crash] = field(default_factory=list)
    inputs: list[bytes] = field(default_factory=list)
    lines: dict[str, tuple[int, int]] = field(default_factory=dict)


class Watch:
    """Runs checks and notes the steps from line to line in the watched files."""

    def __init__(self, watched: Iterable[str]) -> None:
        self.arcs: set[Arc] = set()
        self._files = [str(path) for path in _python_files(watched)]
        self._numbers: dict[CodeType, int] = {}
        self._names: list[str] = []
        self._run: set[Arc] = set()

    def run(self, target: Target, data: bytes) -> Crash | None:
        """Check one input; returns what it did. `fresh` tells what it reached."""
        self._run = set()
        previous = signal.signal(signal.SIGALRM, _too_long)
        signal.setitimer(signal.ITIMER_REAL, target.limit_s)
        if self._files:
            sys.settrace(self._enter)
        try:
            target.check(data)
        except (Exception, Hang) as error:
            return _crash(data, error)
        finally:
            sys.settrace(None)
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
        return None

    def fresh(self) -> bool:
        """Whether the last run reached something that none before it did."""
        before = len(self.arcs)
        self.arcs |= self._run
        return len(self.arcs) > before

    def lines(self) -> dict[str, tuple[int, int]]:
        """By file: lines of functions that ran, and how many there are."""
        ran: dict[str, set[int]] = {name: set() for name in self._files}
        for number, _, line in self.arcs:
            ran[self._names[number]].add(line)
        return {
            Path(name).relative_to(ROOT).as_posix(): (len(ran[name] & whole), len(whole))
            for name in self._files
            if (whole := _function_lines(name))
        }

    def _enter(self, frame: FrameType, _event: str, _arg: object) -> Any:
        code = frame.f_code
        number = self._numbers.get(code)
        if number is None:
            number = self._learn(code)
        if number < 0:
            return None
        run, last = self._run, 0

        def step(frame: FrameType, event: str, _arg: object) -> Any:
            nonlocal last
            if event == "line":
                run.add((number, last, frame.f_lineno))
                last = frame.f_lineno
            return step

        return step

    def _learn(self, code: CodeType) -> int:
        number = -1
        if code.co_filename in self._files and code.co_flags & _OPTIMIZED:
            number = len(self._names)
            self._names.append(code.co_filename)
        self._numbers[code] = number
        return number


def search(
    target: Target,
    seed: int,
    corpus: Sequence[bytes],
    *,
    seconds: float = 0.0,
    executions: int = 0,
    crashes: int = CRASHES,
    clock: Callable[[], float] = time.perf_counter,
) -> SearchResult:
    """Search until the time or the number of executions is over, or so many crashes found.

    What is 0 does not count; a clock in seconds.
    Everything of the corpus and the target's seeds is run first, whatever time that takes.
    """
    # The table collects garbage at each boot: what lives by now need not be searched every time.
    gc.freeze()
    rng = random.Random(f"{seed}/{target.name}")
    watch, result, known = Watch(target.watched), SearchResult(), set[str]()
    end = clock() + seconds
    first = [*dict.fromkeys((*target.seeds(), *corpus))]
    while len(result.crashes) < crashes:
        if result.executions < len(first):
            data = first[result.executions]
        elif (seconds and clock() >= end) or (executions and result.executions >= executions):
            break
        else:
            pool = result.inputs or first
            data = target.mutate(rng, _drawn(rng, pool), rng.choice(pool))[:LONGEST]
        result.executions += 1
        crash = watch.run(target, data)
        if watch.fresh() and crash is None:
            result.inputs.append(data)
        if crash is not None and crash.kind not in known:
            known.add(crash.kind)
            result.crashes.append(_shrunk(target, crash))
    result.lines = watch.lines()
    gc.unfreeze()
    return result


def _drawn(rng: random.Random, pool: Sequence[bytes]) -> bytes:
    """One of the pool, the younger half of it as often as the whole."""
    return pool[rng.randrange(len(pool) // 2 if rng.random() < 0.5 else 0, len(pool))]


def _shrunk(target: Target, crash: Crash) -> Crash:
    """The same crash from less input, as far as SHRINKS tries make it."""
    watch, left, size = Watch(()), SHRINKS, len(crash.data) // 2
    while size and left:
        place = 0
        while place < len(crash.data) and left:
            left -= 1
            less = watch.run(target, crash.data[:place] + crash.data[place + size :])
            if less is not None and less.kind == crash.kind:
                crash = less
            else:
                place += size
        size = min(size, len(crash.data)) // 2
    return crash


def distil(target: Target, inputs: Sequence[bytes], most: int) -> list[bytes]:
    """The `most` inputs that together reach most, shortest first."""
    reached = {}
    for data in inputs:
        watch = Watch(target.watched)
        watch.run(target, data)
        watch.fresh()
        reached[data] = watch.arcs
    chosen, covered = list[bytes](), set[Arc]()
    while reached and len(chosen) < most:
        best = max(reached, key=lambda data: (len(reached[data] - covered), -len(data)))
        if not reached[best] - covered:
            break
        chosen.append(best)
        covered |= reached.pop(best)
    return sorted(chosen, key=lambda data: (len(data), data))


def _crash(data: bytes, error: BaseException) -> Crash:
    steps = [step for step in traceback.extract_tb(error.__traceback__) if _is_ours(step.filename)]
    where = [f"{Path(step.filename).relative_to(ROOT).as_posix()}:{step.lineno}" for step in steps]
    return Crash(data, f"{type(error).__name__}: {error}", " < ".join(where))


def _is_ours(name: str) -> bool:
    path = Path(name)
    return path.is_relative_to(ROOT) and ".venv" not in path.parts


def _too_long(_number: int, _frame: FrameType | None) -> None:
    raise Hang("the check did not end")


def _python_files(watched: Iterable[str]) -> list[Path]:
    paths: list[Path] = []
    for name in watched:
        place = ROOT / name
        paths += sorted(place.rglob("*.py")) if place.is_dir() else [place]
    return paths


def _function_lines(name: str) -> set[int]:
    """Lines that hold code of functions: what stands outside runs when the file is imported."""
    lines: set[int] = set()
    waiting = [compile(Path(name).read_text(encoding="utf-8"), name, "exec")]
    while waiting:
        code = waiting.pop()
        waiting += [part for part in code.co_consts if isinstance(part, CodeType)]
        if code.co_flags & _OPTIMIZED:
            lines.update(n for _, _, n in code.co_lines() if n and n != code.co_firstlineno)
    return lines
