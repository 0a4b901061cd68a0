"""The files of the console: installed with the program, small, and none turns data into markup."""

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
from setuptools import find_namespace_packages

from tabletools.api import game_facts

ROOT = Path(__file__).resolve().parents[2]
CONSOLE = ROOT / "host_tools/tabletools/console_web"
FILES = sorted(path for path in CONSOLE.rglob("*") if path.is_file())
MODULES = [path for path in FILES if path.suffix == ".js"]
# What would turn data into markup or a program, or ask another host.
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?://(?!www\.w3)"
)


def test_an_installed_package_holds_every_file():
    """Each is in a folder that is packaged, under a name that is packaged."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    patterns = tools["setuptools"]["package-data"]["*"]
    rule = tools["setuptools"]["packages"]["find"]
    packages = find_namespace_packages(
        str(ROOT / "host_tools"), include=rule["include"], exclude=rule["exclude"]
    )
    for path in FILES:
        package = ".".join(path.parent.relative_to(ROOT / "host_tools").parts)
        assert package in packages, path
        assert any(fnmatch(path.name, pattern) for pattern in patterns), path


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_module_makes_markup_of_data(path):
    """Data becomes text; numbers of money are never fractions; a module is read in one go."""
    text = path.read_text(encoding="utf-8")
    assert not FORBIDDEN.search(text)
    assert "parseFloat" not in text
    assert text.count("\n") < 300
    assert max(map(len, text.splitlines())) <= 110


def test_the_console_knows_every_game_of_dice_and_wheels():
    """As `make gen` writes it: the dice of the form of an outcome, and the machine's picture."""
    text = (CONSOLE / "games.js").read_text(encoding="utf-8")
    assert game_facts.main(["--check"]) == 0
    assert "  sic_bo: 3,\n" in text
    assert '  sic_bo: "dice_tray",\n' in text
    assert '  big_wheel: "money_wheel",\n' in text
    dice, machines, _ = text.split("export const ", 3)[1:4]
    assert "baccarat" not in dice + machines


def test_the_page_holds_no_script_and_no_style():
    """As the host's content policy demands: every script and style is a separate file."""
    page = (CONSOLE / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script[^>]*>(.*?)</script>", page) == [""]
    assert "<style" not in page
    assert "style=" not in page
