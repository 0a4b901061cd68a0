"""Rules of the house that no linter knows: no sleeping tests, locked packages, small functions."""

import ast
import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOPS = ("protocol", "firmware", "boards", "host_tools", "hil_tests")
LOCKS = ("requirements.txt", "requirements-node.txt")
# Anything that points at where packages come from, or into somebody's machine.
PLACE = re.compile(
    r"https?://|registry|--index|--extra-index|--find-links|--trusted|file:/|\"resolved\""
)
HOME = re.compile(r"(?<![\w.-])/(home|root|Users|work)/\w")
SLEEPS = {f"{module}sleep{unit}" for module in ("", "time.", "asyncio.") for unit in ("", "_ms")}
FUNCTION_LINES = 50
NATIVE_LINES = 90  # viper: a call costs as much as the loop around it


def files(*suffixes: str) -> list[str]:
    """Return the tracked files with one of the suffixes, as_posix from the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = (name for name in listed.stdout.split("\0") if name.endswith(suffixes or ("",)))
    return sorted(name for name in names if (ROOT / name).is_file())


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def sleeps(source: str) -> list[int]:
    """Return the lines on which source waits for the clock (asyncio.sleep(0) only yields)."""
    if "sleep" not in source:
        return []
    lines = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in SLEEPS:
            zero = node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0
            lines += [] if zero else [node.lineno]
    return lines


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the statements of a module; ast.walk, of every name in it, takes ten times as long."""
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        yield node
        for place in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, place, ())
            if isinstance(inner, list):  # a lambda's body is an expression
                nodes += inner


def is_test(name: str) -> bool:
    path = Path(name)
    return "tests" in path.parts[:-1] or path.name.startswith(("test_", "conftest"))


def test_no_test_sleeps():
    """Time in tests is advanced by the test: one that sleeps is slow, and wrong on a busy day."""
    places = [f"{name}:{n}" for name in files(".py") if is_test(name) for n in sleeps(read(name))]
    assert not places, "a test sleeps; advance the clock or wait for the event: " + ", ".join(
        places
    )


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("import time\ntime.sleep(0.1)", [2]),
        ("from time import sleep\n\nsleep(1)", [3]),
        ("async def f():\n    await asyncio.sleep(1)", [2]),
        ("async def f():\n    await asyncio.sleep(0)", []),
    ],
)
def test_a_sleep_is_seen(text, lines):
    """The check above sees each form of sleeping."""
    assert sleeps(text) == lines


@pytest.mark.parametrize("name", [*LOCKS, "package-lock.json", "package.json"])
def test_lock_names_no_place(name):
    """Locks pin what is installed, not where from: a mirror must serve as well."""
    assert not PLACE.search(read(name))
    assert not re.search(r"^/|\s/\w", read(name))


@pytest.mark.parametrize("name", LOCKS)
def test_every_python_package_is_pinned_and_hashed(name):
    """Each requirement has one exact version and at least one hash."""
    blocks = re.split(r"\n(?=[a-z0-9])", re.sub(r"(?m)^\s*#.*\n?", "", read(name)))
    for block in filter(str.strip, blocks):
        assert re.match(r"[a-z0-9-]+==[\w.]+ \\\n", block.lstrip()), block[:60]
        assert "--hash=sha256:" in block, block[:60]


def test_what_node_gets_is_pinned_and_hashed():
    """VM and emulated chip are those the rigs were measured with; axe checks the console."""
    pinned = {
        "@micropython/micropython-webassembly-pyscript": "1.29.0-6",
        "axe-core": "4.14.1",
        "rp2040js": "1.4.1",
    }
    assert json.loads(read("package.json"))["dependencies"] == pinned
    packages = json.loads(read("package-lock.json"))["packages"]
    assert sorted(packages) == ["", *(f"node_modules/{name}" for name in pinned)]
    for name in pinned:
        assert packages[f"node_modules/{name}"]["integrity"].startswith("sha512-")


def test_every_dependency_is_locked():
    """What the program declares and what is asked for stand in the lock in those versions."""
    locked = dict(re.findall(r"(?m)^([a-z0-9-]+)==([\w.]+)", read("requirements.txt")))
    asked = dict(re.findall(r"(?m)^([a-z0-9-]+)(?:\[\w+\])?==([\w.]+)$", read("requirements.in")))
    declared = tomllib.loads(read("pyproject.toml"))["project"]["dependencies"]
    assert asked.items() <= locked.items()
    assert {re.split(r"[\[<>=]", text)[0] for text in declared} <= asked.keys()


def test_no_file_points_into_a_machine():
    """No tracked text names a place of one person's computer."""
    places = []
    for name in files(".py", ".md", ".toml", ".json", ".in", ".txt", ".sh", ".mjs", "Makefile"):
        lines = enumerate(read(name).splitlines(), 1)
        places += [f"{name}:{number}: {line}" for number, line in lines if HOME.search(line)]
    assert not places, "\n".join(places)


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    async def f(self):\n        pass",
        "if a:\n    pass\nelse:\n    def f(): pass",
        "for a in b:\n    pass\nelse:\n    def f(): pass",
        "try:\n    pass\nexcept A:\n    def f(): pass",
        "try:\n    pass\nfinally:\n    def f(): pass",
        "match a:\n    case 1:\n        def f(): pass",
        "with a:\n    def g():\n        def f(): pass",
    ],
)
def test_a_function_is_seen_wherever_it_stands(text):
    """The check below sees each place that a definition can have."""
    assert any(getattr(node, "name", "") == "f" for node in statements(ast.parse(text)))


def test_functions_are_small():
    """A function has at most 50 lines, one in native code 90, unless it is generated.

    A module holds one whole concept, however long it is.
    """
    places = []
    for name in files(".py"):
        source = read(name)
        for node in statements(ast.parse("" if "\nGENERATED by " in source else source)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                is_native = "micropython.viper" in map(ast.unparse, node.decorator_list)
                if length > (NATIVE_LINES if is_native else FUNCTION_LINES):
                    places.append(f"{name}:{node.lineno}: {node.name} has {length} lines")
    assert not places, f"at most {FUNCTION_LINES}:\n" + "\n".join(places)
