"""SECURITY.md names what is there: commands, codes, faults of the catalogue, files of tests."""

import re
from pathlib import Path

from typer import Context
from typer.main import get_command

from tableemulator import fault_catalogue
from tablespec.names import NAMES
from tablespec.reasons import REASONS
from tabletools.cli.main import program

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "protocol" / "SECURITY.md").read_text(encoding="utf-8")


def test_commands_exist_with_their_options():
    """Every `tabletool ...` in the text."""
    named = re.findall(r"`tabletool ([a-z -]+?)((?: [A-Z]+| --[a-z]+)*)`", TEXT)
    assert len(named) >= 4
    for words, more in named:
        command = get_command(program())
        for word in words.split():
            command = command.get_command(Context(command), word)
        known = {option for item in getattr(command, "params", []) for option in item.opts}
        assert set(re.findall(r"--[a-z]+", more)) <= known, (words, more)


def test_codes_and_faults_exist():
    """Names in the tables of attackers, keys and incidents, and numbers of codes."""
    known = (
        {reason.name for reason in REASONS}
        | {fault.name for fault in fault_catalogue.CATALOGUE}
        | set(NAMES.values())
    )
    for name in re.findall(r"`([a-z]+_[a-z_]+)`", TEXT):
        assert name in known or name in ("close_on_ball",), name
    numbers = {reason.number for reason in REASONS}
    assert {int(number) for number in re.findall(r"\b([1-5]0\d|110|111)\b", TEXT)} <= numbers


def test_named_tests_exist():
    """A measure without its test is a claim."""
    names = {path.name for path in ROOT.glob("*/tests/**/test_*.py")}
    names |= {path.name for path in ROOT.glob("hil_tests/test_*.py")}
    for name in re.findall(r"test_\w+\.py", TEXT):
        assert name in names, name
