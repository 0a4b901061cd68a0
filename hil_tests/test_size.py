"""The firmware compiles for the board and stays within its budget."""

import shutil

import pytest

import size
from tabletools.release.inlined import inline
from tablewire.messages import ROLES

# Folder of a board: folder of the tree.
PACKAGES = {
    "tablewire": "protocol/tablewire",
    "tablelogic": "firmware/tablelogic",
    "tabledev": "firmware/tabledev",
}


@pytest.fixture(scope="module")
def sizes():
    """Return the sizes as measured, by package."""
    return {line.name: line for line in size.measure()}


@pytest.fixture
def released(tmp_path, monkeypatch):
    """Return the sizes of what a release compiles: numbers in place of constants."""
    for folder in ("protocol/tablewire", "firmware", "boards/rpi_pico2"):
        skip = shutil.ignore_patterns("tests", "__pycache__")
        shutil.copytree(size.ROOT / folder, tmp_path / folder, ignore=skip)
    image = {
        f"/{name}/{path.relative_to(tmp_path / folder)}": path
        for name, folder in PACKAGES.items()
        for path in (tmp_path / folder).rglob("*.py")
    }
    sources = {place: path.read_bytes() for place, path in image.items()}
    for place, source in inline(sources).items():
        image[place].write_bytes(source)
    monkeypatch.setattr(size, "ROOT", tmp_path)
    return {line.name: line for line in size.measure()}


def test_every_package_fits(sizes):
    """No package passes its budget, and each is really there."""
    assert all(line.fits for line in sizes.values()), size.table(list(sizes.values()))
    assert all(line.compiled > 0 for line in sizes.values())
    assert set(sizes) == set(size.BUDGETS)
    measured = {place for place, _ in size.BUDGETS.values()}
    logic = {path.parent for path in (size.ROOT / "firmware/tablelogic").glob("*/__init__.py")}
    assert {path.relative_to(size.ROOT).as_posix() for path in logic} <= measured
    assert {"tablewire", "tabledev", "main.py", "boot.py", "board.py"} <= set(sizes)


def test_every_role_has_its_own_files():
    """Its logic as a package, and what its self test watches: a device imports them by name."""
    for role in ROLES:
        assert (size.ROOT / f"firmware/tablelogic/{role}/__init__.py").is_file(), role
        assert (size.ROOT / f"firmware/tabledev/app/sensors/{role}.py").is_file(), role


def test_all_fits_the_heap(released):
    """Loaded from .mpy a roulette table's code leaves more than half of the 192 KiB to the work.

    It loads nothing of another role, no check of a host, and a self test or what changes a key
    only when asked.
    """
    others = (
        "tray reader",
        "money_wheel",
        "shuffler",
        "card words",
        "card line",
        "card shoe",
    )
    others += ("shoe words", "card reader", "host checks", "host names", "host unstuffing")
    others += ("dice tray", "dice words", "dice eye", "camera")
    others += ("draw machine", "ball words", "ball line")
    others += ("self test", "sensors", "test words", "supplies", "head place", "turns", "picture")
    others += ("x25519", "rotation", "key change")
    assert sum(line.compiled for name, line in released.items() if name not in others) <= 80 * 1024


def test_over_budget_fails(monkeypatch, capsys):
    """A package over its budget is marked, named, and ends the command with 1."""
    monkeypatch.setattr(size, "BUDGETS", {"boot.py": ("firmware/boot.py", 1)})
    assert size.main() == 1
    printed = capsys.readouterr()
    assert "OVER" in printed.out
    assert printed.err == "size: error: over budget: boot.py; make them smaller\n"


def test_source_that_does_not_compile_is_named(monkeypatch, tmp_path):
    """The compiler's words come with the file's name."""
    monkeypatch.setattr(size, "ROOT", tmp_path)
    (tmp_path / "bad.py").write_text("def f(:\n")
    monkeypatch.setattr(size, "BUDGETS", {"bad": ("bad.py", 1)})
    with pytest.raises(SystemExit, match=r"(?s)size: error: bad\.py: .*SyntaxError"):
        list(size.measure())
