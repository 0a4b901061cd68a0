"""An evidence file proves a jackpot: what its meters held, what stakes added, what was won."""

import json
from types import SimpleNamespace

import pytest

from host_tools.tests.test_evidence_file import (
    checkpoint,
    column,
    joined,
    parsed,
    problems,
    put,
    rewritten,
    signed,
)
from host_tools.tests.test_ledger_jackpots import (
    CARIBBEAN,
    DIAMONDS,
    HEARTS,
    LOW,
    MAJOR,
    MEGA,
    MINOR,
    NINES,
    NOTHING,
    SHARES,
    Table,
)
from tabletools import release
from tabletools.cli.main import run
from tabletools.evidence import Terms
from tabletools.evidence_file import checking, layout

FILES = {1: "plain", 2: "won", 3: "corrected", 4: "left", 5: "minor"}
"""Rounds by what the file of each shows."""


def played(place):
    """Round 1: contributions. 2: the mega is won. 3: HEARTS corrected from DIAMONDS.

    4: as 1, corrected after round 5, whose four aces win a minor that never moved.
    """
    pit = Table(place, terms=CARIBBEAN)
    pit.show(1, pit.deal(1, pit.ada, pit.ben), NOTHING, LOW)
    checkpoint(pit)
    pit.show(2, pit.deal(2, pit.ada, pit.ben), DIAMONDS, NINES)
    bets = pit.deal(3, pit.ada)
    pit.show(3, bets, DIAMONDS)
    pit.show(3, bets, HEARTS)
    bets = pit.deal(4, pit.ada)
    pit.show(4, bets, NOTHING)
    pit.show(5, pit.deal(5, pit.ben), "AS AH AD AC KS")
    pit.show(4, bets, NINES)
    checkpoint(pit)
    pit.ledger.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The file of each round, with the key of the host."""
    folder = tmp_path_factory.mktemp("jackpots")
    place = folder / "pit.ledger"
    played(place)
    public = folder / "pit.ledger.checkpoint.pub"
    key = release.read_private(folder / "pit.ledger.checkpoint.key")
    made = {}
    for number, name in FILES.items():
        file = folder / f"{name}.evidence"
        words = ["--table", "R1", "--round", str(number)]
        assert run(["evidence", "export", str(place), str(file), *words]) == 0
        made[name] = SimpleNamespace(file=file, data=file.read_bytes(), public=public, key=key)
    file = folder / "day.evidence"
    words = ["--table", "R1", "--day", "2027-01-15"]
    assert run(["evidence", "export", str(place), str(file), *words]) == 0
    made["day"] = SimpleNamespace(file=file, data=file.read_bytes(), public=public, key=key)
    return made


def report(made):
    checked = checking.check(made.file, release.read_public(made.public))
    assert checked.problems == []
    return checked


@pytest.mark.parametrize(
    ("name", "meters"),
    [
        # Two bets of EUR 1.00: 10 cents of each to the mega, 5 to the major.
        ("plain", {"mega": (MEGA, 20), "major": (MAJOR, 10), "minor": (MINOR, 0)}),
        # EUR 25,000.40 is paid, and the mega starts again at 25,000.
        ("won", {"mega": (MEGA + 20, -20), "major": (MAJOR + 10, 10), "minor": (MINOR, 0)}),
        # By the settlement in force the major of 2,500.25 is paid, the mega grows.
        ("corrected", {"mega": (MEGA, 10), "major": (MAJOR + 20, -20), "minor": (MINOR, 0)}),
        ("left", {"mega": (MEGA + 10, 10), "major": (MAJOR, 5), "minor": (MINOR, 0)}),
        # Four aces take the minor of 500, and the house fills it again: nothing is posted to it.
        ("minor", {"mega": (MEGA + 20, 10), "major": (MAJOR + 5, 5), "minor": (MINOR, 0)}),
    ],
)
def test_meters_of_a_round_by_hand(files, name, meters):
    [checked] = report(files[name]).rounds
    assert {meter: tuple(change) for meter, change in checked.meters.items()} == meters


def test_every_settlement_is_settled_again(files, capsys):
    """Seven settlements of five rounds; what a meter held that a settlement left is said.

    Round 3 first paid the mega of its start and 10 cents: filled again, it holds what it held.
    """
    checked = report(files["day"])
    assert "7 settlements of 9 bets" in "".join(checked.proved)
    assert "what 15 meters of jackpots held before their rounds, and after" in checked.proved
    mega, minor = [text.rpartition(" since")[0] for text in checked.not_proved if "meter" in text]
    assert mega == f"round 3: meter mega: that it held {MEGA} cents"
    assert minor == f"round 5: meter minor: that it held {MINOR} cents"
    assert run(["evidence", "check", str(files["won"].file)]) == 0
    assert f"  meter mega: {MEGA + 20} cents before it, -20 by its" in capsys.readouterr().out


def test_no_other_account_is_in_it(files):
    """Meters alone: no balance of a player, of the house, of cash."""
    for made in files.values():
        rows = [row for line in parsed(made) for row in line.get("rows", {}).get("accounts", ())]
        assert rows
        assert {row[column("accounts", "kind")] for row in rows} == {"meter"}


def test_every_changed_column_of_a_meter_is_found(files, tmp_path):
    made = files["won"]
    lines = parsed(made)
    for number, line in enumerate(lines):
        for place, row in enumerate(line.get("rows", {}).get("accounts", ())):
            for at, value in enumerate(row):
                copy = json.loads(made.data.splitlines()[number])
                changed = 1 if value is None else value + (1 if type(value) is int else "x")
                copy["rows"]["accounts"][place][at] = changed
                wrong = problems(
                    made, joined([*lines[:number], copy, *lines[number + 1 :]]), tmp_path
                )
                assert any("accounts" in each and "not as written" in each for each in wrong)


@pytest.mark.parametrize(
    ("name", "table", "change", "what"),
    [
        # The host says that the mega held 100 more, or less.
        ("won", "accounts", put("accounts", "balance_cents", lambda c: c + 100), "do not lead"),
        ("won", "accounts", put("accounts", "balance_cents", lambda c: c - 1), "do not lead"),
        ("won", "accounts", put("accounts", "name", lambda n: n + "x"), "is missing"),
        ("won", "accounts", put("accounts", "kind", lambda _: "house"), "is no meter"),
        ("won", "accounts", lambda rows: rows.clear(), "is missing"),
        ("won", "settlements", put("settlements", "win_cents", lambda c: c // 2), "the shadow"),
        ("plain", "terms", put("terms", "options", lambda t: t.replace("10]", "5]")), "to meter"),
        ("corrected", "settlements", put("settlements", "win_cents", lambda c: c + 1), "shadow"),
        ("plain", "ledger_lines", put("ledger_lines", "amount_cents", lambda c: c * 2), "lead"),
        ("minor", "accounts", put("accounts", "balance_cents", lambda c: c + 100), "50100 won"),
    ],
)
def test_what_the_host_itself_cannot_write(files, tmp_path, name, table, change, what):
    """With its key: entries that no checkpoint has, whose digests fit."""
    wrong = problems(files[name], rewritten(files[name], table, change), tmp_path)
    assert any(what in each for each in wrong), wrong


def test_a_rewritten_file_that_tells_the_truth_holds(files, tmp_path):
    for made in files.values():
        assert problems(made, rewritten(made, "accounts", lambda rows: None), tmp_path) == []


def test_values_of_other_types_never_crash_it(files, tmp_path):
    """With the key of the host and digests that fit: what is no row, and no change of a row."""
    for place in range(1, len(layout.COLUMNS["accounts"][1])):
        for value in (None, -1, 2**63, "", "[]", {"hex": ""}):
            name = layout.COLUMNS["accounts"][1][place]
            change = put("accounts", name, lambda _, value=value: value)
            problems(files["won"], rewritten(files["won"], "accounts", change), tmp_path)
    for written in ("[]", "{}", "[1]", "[[[1],2]]", '[[1,"",""]]', "[[[[]],null,null]]", "null"):
        lines = parsed(files["won"])
        for line in lines:
            if "accounts" in line.get("rows", {}):
                groups = json.loads(line["entry"]["rows"])
                groups["accounts"] = json.loads(written)
                line["entry"]["rows"] = json.dumps(groups, separators=(",", ":"))
        assert problems(files["won"], signed(lines, files["won"].key), tmp_path)


def test_linked_meters_are_found_by_their_link(tmp_path):
    """Their accounts have the name of the link instead of that of the table."""
    linked = Terms("jackpot", "hc2023", "caribbean", {"price": 100}, {**SHARES, "linked": "floor"})
    pit = Table(tmp_path / "pit.ledger", terms=linked)
    pit.show(1, pit.deal(1, pit.ada, pit.ben), NOTHING, LOW)
    pit.show(2, pit.deal(2, pit.ada), DIAMONDS)
    checkpoint(pit)
    pit.ledger.close()
    file = tmp_path / "linked.evidence"
    words = [str(tmp_path / "pit.ledger"), str(file), "--table", "R1", "--round", "2"]
    assert run(["evidence", "export", *words]) == 0
    public = release.read_public(tmp_path / "pit.ledger.checkpoint.pub")
    report = checking.check(file, public)
    assert report.problems == []
    assert report.rounds[0].meters["mega"].before_cents == MEGA + 20
