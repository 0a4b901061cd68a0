"""`tabletool explain`: every code, by number and by name."""

import json

import pytest

from tablespec.reasons import CHECKS, REASONS
from tabletools.cli.main import run


def test_a_code_by_number(capsys):
    """Cause, remedy, rule and severity of one code, number first."""
    assert run(["explain", "101"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "101 short_spin"
    assert [line.split(":")[0].strip() for line in lines[1:]] == [
        "effect",
        "severity",
        "cause",
        "remedy",
        "rule",
    ]
    assert lines[1] == "  effect:   void: ends the round: nothing is decided and the bets stand"
    assert "hc2023 2:1(2)" in lines[5]


@pytest.mark.parametrize("name", ["tilt", "TILT", "Tilt "])
def test_a_code_by_name(name, capsys):
    """Case and spaces do not matter."""
    assert run(["explain", name]) == 0
    assert capsys.readouterr().out.startswith("401 tilt\n")


def test_names_with_spaces_or_hyphens(capsys):
    """People write names as they say them."""
    assert run(["explain", "short spin"]) == run(["explain", "short-spin"]) == 0
    assert capsys.readouterr().out.count("101 short_spin") == 2


def test_json(capsys):
    """The same as data."""
    assert run(["explain", "rotor_reversed", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["code"], document["name"], document["severity"]) == (204, "rotor_reversed", 2)
    assert set(document) == {"code", "name", "kind", "severity", "cause", "remedy", "rule"}


def test_the_list_has_every_code(capsys):
    """One line each, in order, and as JSON."""
    assert run(["explain", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [int(line.split()[0]) for line in lines] == [
        reason.number for reason in (*REASONS, *CHECKS)
    ]
    assert run(["explain", "--list", "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len((*REASONS, *CHECKS))


@pytest.mark.parametrize(
    ("code", "nearest"),
    [
        ("shrt_spin", "101 short_spin"),
        ("205x", ""),
        ("99", "101 short_spin, 102 ball_with_rotor"),
        ("304", "302 sensor_implausible"),
        ("", ""),
    ],
)
def test_an_unknown_code_names_the_nearest(code, nearest, capsys):
    """Exit code 1, the name given, the nearest names, and where the list is."""
    assert run(["explain", code]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert nearest in captured.err
    assert "--list" in captured.err


def test_digits_of_other_scripts_are_no_number(capsys):
    """Only what int() and the table agree on is looked up."""
    assert run(["explain", "²"]) == 1
    assert "no reason code '²'" in capsys.readouterr().err
