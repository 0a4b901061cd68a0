"""Carries out a recipe of ARCHITECTURE.md on a copy of the tree: apply, generate, test, play."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from hil_tests.thinned import EVERY_STEP

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "host_tools/docs/ARCHITECTURE.md"
TOPS = ("protocol", "firmware", "boards", "host_tools", "hil_tests")
LINKED = ("node_modules", ".venv")
PATHS = ("protocol", "firmware", "host_tools", "boards", "")


class Edit(NamedTuple):
    """One change of a file: text after an anchor that occurs once; without an anchor a new file.

    instead: whether the text replaces the anchor.
    """

    path: str
    anchor: str
    text: str
    instead: bool = False


class Recipe(NamedTuple):
    """One recipe, executable.

    edits: in the order of the steps on the page. play: a program that plays one round with what
    was added, and prints `printed`. generators and tests: what `make test` runs, of `make gen` and
    of the tests that the page names; `make soak` runs all.
    """

    heading: str
    edits: tuple[Edit, ...]
    play: str
    printed: str
    tests: tuple[str, ...]
    generators: tuple[str, ...] = ("tablespec.generate",)

    def files(self) -> list[str]:
        """The files it touches, each once, in order."""
        return list(dict.fromkeys(edit.path for edit in self.edits))


class Section(NamedTuple):
    """A recipe as the page has it. steps: the first path of each numbered step."""

    count: int
    steps: list[str]
    commands: list[list[str]]


def section(heading: str) -> Section:
    """Read a section of "How to add"."""
    text = PAGE.read_text(encoding="utf-8").split(f"\n### {heading}\n")[1].split("\n### ")[0]
    [count] = re.findall(r"(?m)^Files by hand: (\d+)[.,]", text)
    steps = re.findall(r"(?m)^\d+\. `([\w./]+)`", text)
    lines = re.findall(r"(?m)^(?:pytest|python) .*$", text)
    return Section(int(count), steps, [shlex.split(line) for line in lines])


def copy_tree(place: Path) -> Path:
    """A copy of the tree. Compiled modules come along: their sources keep their times."""
    ignored = shutil.ignore_patterns("corpus", ".hypothesis")
    for top in TOPS:
        shutil.copytree(ROOT / top, place / top, ignore=ignored)
    for name in (path.name for path in ROOT.iterdir() if path.is_file()):
        shutil.copy2(ROOT / name, place / name)
    for name in LINKED:
        (place / name).symlink_to(ROOT / name)
    return place


def apply(edits: tuple[Edit, ...], place: Path) -> None:
    """Edit the copy; an anchor that is not there exactly once is an error of the recipe."""
    for path, anchor, text, instead in edits:
        file = place / path
        if not anchor:
            assert not file.exists(), path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.lstrip("\n"), encoding="utf-8")
            continue
        before = file.read_text(encoding="utf-8")
        assert before.count(anchor) == 1, (path, anchor, before.count(anchor))
        file.write_text(before.replace(anchor, text if instead else anchor + text), "utf-8")


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, with the packages of the copy."""
    paths = os.pathsep.join(str(place / path) for path in PATHS)
    ours = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    ours.pop(EVERY_STEP, None)  # the tests as `make test` plays them
    return subprocess.run(
        [sys.executable, *words],
        env=ours | {"PYTHONPATH": paths},
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )


def must(place: Path, *words: str) -> str:
    """Run Python in the copy; what it printed, or an error with all of it."""
    done = run(place, *words)
    printed = f"{done.stdout[-8000:]}\n{done.stderr[-4000:]}"
    assert done.returncode == 0, f"{shlex.join(words)}\n{printed}"
    return done.stdout


def generate(place: Path, wanted: tuple[str, ...] | None) -> None:
    """Write the generated files of the copy again, as `make gen` does; None: all of them."""
    target = (ROOT / "Makefile").read_text(encoding="utf-8").split("\ngen:")[1].split("\n\n")[0]
    commands = re.findall(r"(?m)^\t\$\(BIN\)/python (.+)$", target)
    assert len(commands) >= 6
    for command in commands:
        if wanted is None or command.removeprefix("-m ") in wanted:
            must(place, *shlex.split(command))


def commands(recipe: Recipe, *, whole: bool) -> list[list[str]]:
    """The commands of the page as words for Python, those of pytest reduced unless `whole`."""
    page = section(recipe.heading).commands
    programs = [words for program, *words in page if program == "python"]
    tests = [words for program, *words in page if program == "pytest"] if whole else []
    for words in tests or [recipe.tests]:
        programs.append(["-m", "pytest", "-q", "-p", "no:cacheprovider", *words])
    return programs


def carry_out(recipe: Recipe, place: Path, *, whole: bool = False) -> None:
    """Follow a recipe to the letter in a copy; raises at the first step that does not hold.

    whole: all generators and all tests that the page names.
    """
    apply(recipe.edits, copy_tree(place))
    generate(place, None if whole else recipe.generators)
    for words in commands(recipe, whole=whole):
        must(place, *words)
    assert must(place, "-c", recipe.play) == recipe.printed
