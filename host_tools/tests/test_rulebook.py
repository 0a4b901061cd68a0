"""Every paragraph of the rule documents has a row, and every row is true."""

import json
import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from host_tools.tests import shadow_rounds
from host_tools.tests.source_outline import recorded
from tabletools.cli.main import run
from tabletools.rulebook import paragraphs, paragraphs_page
from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import settle_record

ROOT = Path(__file__).resolve().parents[2]
TESTS = ("host_tools/tests", "hil_tests", "firmware/tests")


def test_every_paragraph_of_the_sources_has_a_row():
    """None is left out, none is invented, and each names its line of the text."""
    assert {name: each.line for name, each in paragraphs().items()} == recorded()


def test_the_documents_are_those_the_rulebook_counts():
    """How many paragraphs each has, counted by hand in the contents of the texts."""
    assert Counter(each.edition for each in paragraphs().values()) == {
        "hc2023": 153,
        "hc2011": 143,
        "gr2003": 23,
        "oostende2011": 66,
        "de-live": 103,
    }


def test_code_and_tests_exist():
    """A row with code names a file of the host or the firmware, and a file of tests."""
    for each in paragraphs().values():
        if each.code is None:
            continue
        top = ROOT if each.code.startswith("firmware/") else ROOT / "host_tools" / "tabletools"
        assert (top / each.code).is_file(), each
        assert any((ROOT / folder / f"{each.test}.py").is_file() for folder in TESTS), each


def test_what_is_not_implemented_says_why():
    """A row without code has a reason of several words; none promises anything."""
    for each in paragraphs().values():
        assert each.code or each.missing, each
        if each.missing is not None:
            assert len(each.missing.split()) >= 4, each
            assert not re.search(r"\b(later|soon|todo|not yet)\b", each.missing.casefold()), each


def test_every_paragraph_a_settlement_cites_has_code():
    """Random rounds of every game: what they cite is in a document, and implemented."""
    cited = set()
    for makers in shadow_rounds.BY_GAME.values():
        for make in makers:
            random = Random(make.__name__)
            for _ in range(30):
                try:
                    lines = settle_record(make(random))
                except RuleViolation:
                    continue
                cited.update(name for line in lines for name in line.paragraphs)
    assert len(cited) > 100
    assert [name for name in sorted(cited) if not paragraphs()[name].code] == []


def test_the_page_is_generated():
    """PARAGRAPHS.md has an entry for each, in short lines."""
    assert paragraphs_page.main(["--check"]) == 0
    text = paragraphs_page.FILE.read_text(encoding="utf-8")
    assert text.count("\n- **") == len(recorded())
    assert max(map(len, text.splitlines())) <= 99


def test_explain_a_paragraph(capsys):
    """What it rules, in our words, and the line of the source."""
    assert run(["explain", "hc2023 2:3(3)"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "hc2023 2:3(3)",
        "  rules:    With two zeros there is the top line 0, 00, 1, 2, 3, paid 6:1.",
        "  source:   Holland Casino, Spelreglement, November 2023, line 128",
        "  code:     games/roulette/verdicts.py, test_rules_roulette_returns",
    ]


def test_explain_a_paragraph_as_data(capsys):
    """The same as JSON; what is not implemented says why."""
    assert run(["explain", "--json", "hc2011  3:1(5)"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "paragraph": "hc2011 3:1(5)",
        "document": "Holland Casino, Game Rules, December 2011",
        "line": 150,
        "rules": "Players give each other no advice and record no cards.",
        "code": None,
        "test": None,
        "not_implemented": "conduct of players: no bet depends on it",
    }


@pytest.mark.parametrize(
    ("article", "count"),
    [
        ("hc2023 3:2", 14),
        ("gr2003 §9", 6),
        ("gr2003 §9β", 5),
        ("de-live BJ 2", 13),
        ("hc2023", 153),
    ],
)
def test_explain_an_article(article, count, capsys):
    """All its paragraphs: `§1` is not `§10`, `BJ 2` has 2.1.1 to 2.7."""
    assert run(["explain", article]) == 0
    assert capsys.readouterr().out.count("  rules: ") == count


def test_explain_what_a_settlement_cites(capsys):
    """Several paragraphs, as a sentence names them and as a ledger stores them."""
    for cited in ("hc2011 3:2(21), 3:2(4)", "hc2011 3:2(21) pays 6:5, 3:2(4)"):
        assert run(["explain", cited]) == 0
        found = capsys.readouterr().out.splitlines()
        assert [line for line in found if not line.startswith(" ")] == [
            "hc2011 3:2(21)",
            "hc2011 3:2(4)",
        ]
    assert run(["explain", "hc2011 3:2(21), 3:2(40)"]) == 1
    assert "no paragraph 'hc2011 3:2(40)'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["hc2023 2:9", "hc2023 2:2(3)", "gr2003 §13", "de-live Bac 9"])
def test_explain_no_paragraph(name, capsys):
    """Exit code 1, and the nearest ones."""
    assert run(["explain", name]) == 1
    error = capsys.readouterr().err
    assert f"no paragraph '{name}'" in error
    assert error.count(name.split()[0]) >= 3
