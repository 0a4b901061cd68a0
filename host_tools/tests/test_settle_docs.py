"""SETTLE.md matches the program: codes, fields, examples, outcomes."""

import json
import re
from pathlib import Path

import pytest

from tabletools.games import bingo, jackpot, keno, poker_room
from tabletools.games.bingo import FORMS, PATTERNS
from tabletools.games.poker_room.betting import ACTIONS
from tabletools.games.roulette.french_names import FRENCH_NAMES, kind_of
from tabletools.games.roulette.layout import KINDS
from tabletools.rules.table_game import TableGame
from tabletools.rules.verdict import OUTCOMES
from tabletools.settle import json_lines, settle_page
from tabletools.settle.schema import settle_schema

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "SETTLE.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")


def test_the_tables_are_those_of_the_program():
    """Each bet without cards; each code with its meaning and what to do next."""
    assert settle_page.main(["--check"]) == 0
    assert TEXT.count("\n| `unknown_bet` | ") == TEXT.count("\n| `sic_bo` | ") == 1


def test_the_examples_are_true():
    """The rounds of the document give their answers; its error is what such a bet gives."""
    *pairs, error = map(json.loads, re.findall(r"```json\n(.*?)\n```", TEXT, re.DOTALL))
    assert len(pairs) == 22
    for round_, answer in zip(pairs[::2], pairs[1::2], strict=True):
        assert json_lines.answer(json.dumps(round_).encode(), line=1) == (answer, 0)
    wrong = pairs[0] | {"bets": [{"id": "1", "bet": "split", "numbers": ["1", "3"], "stake": 500}]}
    assert json_lines.answer(json.dumps(wrong).encode(), line=3) == (error, 1)


TABLE_GAMES = {
    name: game for name, game in json_lines.GAMES.items() if isinstance(game, TableGame)
}
FIELDS = {
    name for part in settle_schema()["$defs"].values() for name in part.get("properties", ())
}
NAMES = {"jackpot", "poker_room"}.union(
    FIELDS,
    (*poker_room.GAMES, *ACTIONS),
    (keno.BET, bingo.BET, *PATTERNS, *FORMS),
    *jackpot.VARIANTS,
    *(variant.starts for variant in jackpot.VARIANTS.values()),
    TABLE_GAMES,
    *(edition.kinds for game in TABLE_GAMES.values() for edition in game.games.values()),
    *(
        kind.choices
        for game in TABLE_GAMES.values()
        for edition in game.games.values()
        for kind in edition.kinds.values()
    ),
)


@pytest.mark.parametrize("name", [*KINDS, *OUTCOMES, *sorted(NAMES)])
def test_every_field_bet_and_outcome_is_documented(name):
    """Each name is in the document as code, or as a field in an example."""
    assert f"`{name}`" in TEXT or f'"{name}":' in TEXT


def test_every_french_name_is_documented():
    """The names listed are names, and all aliases are listed."""
    listed = TEXT.split("| French name: ")[1].split(". Case")[0]
    names = re.findall(r"`([^`]+)`", listed.replace("plein(e)", "plein` `transversale pleine"))
    assert sorted(names) == sorted(FRENCH_NAMES)
    assert {kind_of(name) for name in names} == set(KINDS) - {"top_line"}
