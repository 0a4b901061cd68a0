"""ARCHITECTURE.md is true: its paths and names exist, its import picture is the rule."""

import ast
import re
from pathlib import Path

import pytest

from hil_tests.import_rules import ROOMS
from host_tools.tests.command_tree import COMMANDS
from host_tools.tests.recipes.every import CREATED

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "host_tools/docs/ARCHITECTURE.md"
TEXT = re.sub(r"\s+", " ", re.sub(r"```.*?```", "", PAGE.read_text(encoding="utf-8"), flags=re.S))
SPANS = re.findall(r"`([^`]+)`", TEXT)
NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
# A path, then names of that file: `a/b.py` `One`, `Two.three` and `four`.
PLACES = re.compile(r"`([\w./]+\.py)`((?:(?:,| and|)? `[A-Za-z_][\w.]*`)+)")
# What is no path and no name of code: files on a controller's flash, and files named in passing.
ELSEWHERE = re.compile(r"(record|counters|config|faults|key|trace|seen)\.\d+|[\w.]+\.(md|json|py)")


def named():
    """Every (path, name) the page names together."""
    return [
        (path, name)
        for path, names in PLACES.findall(TEXT)
        for name in re.findall(r"`([^`]+)`", names)
        if not name.endswith(".py")
    ]


def definitions(body):
    """The names that statements define, by name: the node, or None for a value."""
    names = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = node
        elif isinstance(node, ast.Assign):
            names |= {target.id: None for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = None
    return names


@pytest.mark.parametrize(("path", "name"), named())
def test_a_name_is_defined_in_its_file(path, name):
    """A function, class, method or value; read, not imported."""
    here = definitions(ast.parse((ROOT / path).read_text(encoding="utf-8")).body)
    for part in name.split("."):
        assert part in here, f"{path} has no {name}"
        here = definitions(getattr(here[part], "body", []))


@pytest.mark.parametrize(
    "path", sorted({span for span in SPANS if "/" in span and " " not in span})
)
def test_a_path_exists(path):
    """From the root of the repository, a file or a folder."""
    assert path == "/flash" or path in CREATED or (ROOT / path).exists()


def test_nothing_else_looks_like_code():
    """A class or method that is named without its file would not be checked."""
    checked = {name for _, name in named()}
    loose = {
        span
        for span in SPANS
        if NAME.fullmatch(span)
        and span not in checked
        and not ELSEWHERE.fullmatch(span)
        and ("." in span or span != span.lower())
    }
    # What every module of its kind exports, and an event.
    assert loose <= {"ROLE", "GAMES", "tablewire.round.settled"}, loose
    assert len(checked) > 90


def imports_shown():
    """Package -> the packages it may import, as the page shows."""
    rows = re.findall(r"(?m)^(\S+) +imports +(.*)$", PAGE.read_text(encoding="utf-8"))
    return {name: set(words.split()) - {"nothing", "of", "ours"} for name, words in rows}


def package_of(path):
    """The name of a room's package on the page."""
    return ".".join(path.split("/")[1:]).removeprefix("tabletools.")


def test_the_imports_are_the_rule():
    """Packages alone: single modules and parts of packages are left out."""
    rules = {package_of(room.path): room for room in ROOMS if (ROOT / room.path).is_dir()}
    table = imports_shown()
    assert len(table) >= 17
    for name, packages in table.items():
        allowed = {module.removeprefix("tabletools.") for module in rules[name].modules}
        assert packages == (allowed & set(table)) - {name}, name


def test_commands_name_tests_that_are_there():
    """Each line of a recipe: files of tests, a program of the tree, or a module."""
    lines = re.findall(r"(?m)^(?:pytest|python) .*$", PAGE.read_text(encoding="utf-8"))
    assert len(lines) >= 10
    for line in lines:
        program, *words = line.split()
        for word in words if program == "pytest" else [w for w in words if w.endswith(".py")]:
            assert (ROOT / word).exists(), word


def test_make_targets_and_commands_exist():
    """`make gen`, `tabletool diag`: both programs have them."""
    targets = re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert {span.split()[1] for span in SPANS if span.startswith("make ")} <= set(targets)
    commands = {path.split()[1] for path in COMMANDS if " " in path}
    assert {span.split()[1] for span in SPANS if span.startswith("tabletool ")} <= commands
