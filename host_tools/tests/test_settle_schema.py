"""The JSON Schema: a valid schema, true of what is taken and given."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from hil_tests.thinned import share
from tabletools.settle import json_lines
from tabletools.settle.schema import settle_schema

SCHEMA = settle_schema()
WHOLE = Draft202012Validator(SCHEMA)
ROUND = Draft202012Validator({"$ref": "#/$defs/round", "$defs": SCHEMA["$defs"]})
ANSWER = Draft202012Validator({"$ref": "#/$defs/answer", "$defs": SCHEMA["$defs"]})

BASE = {
    "rules": "hc2023",
    "game": "roulette",
    "variant": "french",
    "bets": [{"id": "1", "bet": "red", "stake": 500}],
    "outcome": {"pocket": "0"},
}
FULL = {
    "id": "1",
    "player": "p",
    "bet": "split",
    "numbers": ["0", "1"],
    "index": None,
    "stake": 500,
    "choice": "half",
    "state": None,
}
GOOD = [
    BASE,
    BASE | {"bets": []},
    BASE | {"bets": [FULL]},
    BASE | {"outcome": {"void": "short_spin"}},
    BASE | {"outcome": {"void": "short_spin", "pocket": None}},
    BASE | {"variant": "american00", "outcome": {"pocket": "00"}},
    BASE | {"variant": "quick"},
    BASE | {"bets": [{"id": "1", "bet": "Douzaine", "index": 3, "stake": 1}]},
    BASE | {"bets": [{"id": "1", "bet": "red", "stake": 5, "state": "prison2"}]},
    BASE | {"table": None},
    BASE
    | {
        "bets": [FULL],
        "table": {
            "minimum": 500,
            "special_minimum": None,
            "maximum": {"1": 500, "18": None},
            "not_offered": ["dozen", "column", "even_chance"],
        },
    },
]


def table_round(game, edition, outcome, *bets, **more):
    numbered = [{"id": str(i), "player": "p", "stake": 500, **bet} for i, bet in enumerate(bets)]
    return {"rules": edition, "game": game, "bets": numbered, "outcome": outcome, **more}


PLACE = {"bet": "place", "on": [[1, 2], [1, 5]]}
JACKPOT = {"bet": "segment", "on": [45, "red"], "choice": "jackpot"}
OPTIONS = {"minimum": 500, "maximum": None, "not_offered": None}
TABLE_GOOD = [
    table_round("sic_bo", "hc2011", {"dice": [3, 1, 2]}, {"bet": "two", "on": [1, 2]}),
    table_round("sic_bo", "hc2023", {"void": "x", "dice": None}, {"bet": "big", "on": []}),
    table_round(
        "sic_bo", "hc2023", {"dice": [1, 1, 1]}, table={**OPTIONS, "not_offered": ["two"]}
    ),
    table_round("diceball", "hc2023", {"dice": [6, 6]}, PLACE, table={"thrown": 3}),
    table_round("rocket7", "hc2011", {"dice": [6, 6]}, {"bet": "low", "choice": None}),
    table_round("diceball", "hc2023", {"dice": [6, 6]}, PLACE, {"bet": "run", "state": "run3"}),
    table_round(
        "diceball",
        "hc2023",
        {"dice": [6, 6]},
        PLACE,
        table={**OPTIONS, "place": [[[1, 2], [1, 5]]], "thrown": 0},
    ),
    table_round("barbut", "hc2023", {"dice": [6, 6]}, {"bet": "A"}, variant=None),
    table_round("big_wheel", "hc2011", {"pays": 45, "mark": "red", "jackpot": 20}, JACKPOT),
    table_round("big_wheel", "hc2011", {"void": "x"}, JACKPOT, table={**OPTIONS, "jackpot": True}),
    table_round(
        "money_wheel",
        "hc2023",
        {"pays": 2},
        {"bet": "segment", "on": [2]},
        table={**OPTIONS, "odds": {"2": 2, "40": 41}, "maximum": {"2": 1000}},
    ),
]
SIX = {"punto": "KH 6D", "banco": "7C KD"}
FOLDED = {"bet": "ante", "player": "q", "choice": "fold"}
CARDS_GOOD = [
    table_round("punto_banco", "hc2011", SIX, {"bet": "banco"}, variant="commission"),
    table_round("punto_banco", "hc2023", SIX, {"bet": "super_egalite", "on": [6]}, variant=None),
    table_round("punto_banco", "hc2023", {**SIX, "void": None}, variant="straight"),
    table_round("punto_banco", "hc2023", {"void": "jam", "punto": "KH", "banco": None}),
    table_round(
        "punto_banco",
        "hc2011",
        SIX,
        variant="straight",
        table={**OPTIONS, "maximum": {"punto": 50000, "egalite": None}},
    ),
    table_round("baccarat", "de-live", {"player": "KH 6D", "banker": "7C KD"}, {"bet": "tie"}),
    table_round(
        "high_low", "hc2011", {"communal": "KH", "bank": "KD"}, {"bet": "low", "state": "locked"}
    ),
    table_round(
        "red_dog",
        "hc2011",
        {"cards": "4H 9C 7D"},
        {"bet": "bet"},
        {"bet": "extra"},
        table={**OPTIONS, "maximum": {}, "extra_up_to_bet": True},
    ),
    table_round(
        "casino_war",
        "hc2023",
        {"player": "KH", "bank": "KD"},
        {"bet": "bet", "state": "war", "choice": None},
        {"bet": "war"},
        table={**OPTIONS, "tie_kept": False},
    ),
    table_round(
        "three_card",
        "hc2011",
        {"player": "9H 9C 2D", "bank": "QD 7S 3C"},
        {"bet": "ante", "choice": "fold"},
        {"bet": "pair_plus"},
        table={"bonus_always": True},
    ),
    table_round(
        "caribbean",
        "gr2003",
        {"player": "9H 7C 5D 3S 2D AC", "bank": None, "misdeal": "six cards", "void": None},
        {"bet": "ante"},
        table={"count_voids": True},
    ),
    table_round(
        "baccarat",
        "de-live",
        {"misdeal": "out of order"},
        {"bet": "tie"},
        table={"misdeal_voids": True},
    ),
    table_round(
        "caribbean",
        "gr2003",
        {"player": "9H 7C 5D 3S 2D", "bank": "AS KH 4D 3C 2H"},
        {"bet": "ante"},
        {"bet": "bet", "stake": 1000},
    ),
    table_round(
        "casino_holdem", "hc2011", {"player": "9H 7C", "void": "x"}, {"bet": "ante"}, FOLDED
    ),
    table_round(
        "four_card",
        "hc2023",
        {"void": "x"},
        {"bet": "ante"},
        {"bet": "aces_up", "choice": "play"},
        table={"bonus_only_on_win": True},
    ),
    table_round(
        "ultimate",
        "hc2023",
        {"player": "9C 9S", "board": "KS 9H 7D 4C 2S", "bank": "QD KC"},
        {"bet": "ante"},
        {"bet": "blind"},
        {"bet": "bet", "stake": 2000},
        {"bet": "trips"},
    ),
]
BLACKJACK_GOOD = [
    table_round(
        "blackjack",
        "hc2023",
        {"player": ["8H TC", "8D 3S KC"], "bank": "KD 8S"},
        {"bet": "bet", "on": [1]},
        {"bet": "split"},
        {"bet": "double", "on": [2]},
        {"bet": "pair_pursuit", "on": []},
        table={**OPTIONS, "terminal": True},
    ),
    table_round(
        "blackjack",
        "hc2011",
        {"player": [["8H TC", "8D 3S"], "KC 9C"], "bank": "KD 8S", "switched": False},
        *({"bet": bet, "on": [n]} for n, bet in ((1, "bet"), (2, "bet"), (3, "split"))),
        {"bet": "super_match"},
        variant="switch",
    ),
    table_round("blackjack", "de-live", {"void": "x"}, {"bet": "bet"}, variant=None),
]
METERED = {"bet": "jackpot", "stake": 100}
JACKPOT_GOOD = [
    {
        "rules": rules,
        "game": "jackpot",
        "variant": variant,
        "bets": [{"id": "1", "player": None, **METERED}],
        "outcome": outcome,
        "table": table,
        "meters": None,
    }
    for rules, variant, outcome, table in (
        ("hc2023", "ultimate", {"hands": {"1": "AD KD QD JD TD"}, "folded": ["1"]}, None),
        ("hc2011", "slots", {"won": {"1": "a"}, "times_ms": {"1": 5}}, {"start": {"a": 5}}),
        ("hc2011", "multi_poker", {"void": "x", "tables": None}, {"bonuses_from": "jackpot2"}),
        (
            "gr2003",
            "caribbean",
            {"hands": {"1": "AD KD QD JD TD"}},
            {"rake": 15, "consolation": {"four": 5, "full_house": 3, "flush": 1}},
        ),
    )
]
OSTENDE = {"rules": "oostende2011", "game": "poker_room"}
HAND = {"player": "A", "bet": "hand"}
ROOM_GOOD = [
    {
        **OSTENDE,
        "bets": [
            {"id": "1", **HAND, "stake": 100},
            {"id": "2", **HAND, "player": "B", "stake": 50, "choice": "fold"},
        ],
        "outcome": {
            "actions": {
                "preflop": [
                    {"player": "B", "action": "big_blind", "amount": 50, "chips": None},
                    {"player": "A", "action": "raise", "amount": 100},
                    {"player": "B", "action": "fold"},
                ],
                "flop": None,
            },
        },
        "table": {"rake": [0, 1], "stacks": {"A": 500, "B": 500}, "big_blind": 50},
    },
    {
        **OSTENDE,
        "variant": "button",
        "outcome": {"button": 1, "small_blind": 2, "big_blind": 3, "seats": [1, 2]},
    },
    {
        **OSTENDE,
        "variant": "exposed",
        "outcome": {"flashed": 1, "boxed": 0, "acted": 0},
    },
    {
        **OSTENDE,
        "variant": "chip_race",
        "bets": [],
        "outcome": {"odd": {"A": 25, "B": 0}, "cards": {"A": "KH"}, "whole": None},
        "table": {"chip": 100},
    },
]
GOOD += TABLE_GOOD + CARDS_GOOD + BLACKJACK_GOOD + JACKPOT_GOOD + ROOM_GOOD
CARDS_BAD = [
    table_round("punto_banco", "hc2011", SIX),
    table_round("punto_banco", "hc2023", SIX, variant="commission"),
    table_round("punto_banco", "hc2023", {"punto": "KH 6D"}),
    table_round("punto_banco", "hc2023", {}),
    table_round("punto_banco", "hc2023", {**SIX, "punto": "KH  6D"}),
    table_round("punto_banco", "hc2023", {**SIX, "punto": "10H 6D"}),
    table_round("punto_banco", "hc2023", {**SIX, "punto": "KH 6D AH AH"}),
    table_round("punto_banco", "hc2011", SIX, {"bet": "punto_pair"}, variant="straight"),
    table_round("baccarat", "hc2023", {"player": "KH 6D", "banker": "7C KD"}),
    table_round("high_low", "hc2011", {"communal": "KH 2H", "bank": "KD"}),
    table_round("high_low", "hc2011", {"void": "x"}, {"bet": "low", "state": "war"}),
    table_round("casino_war", "hc2023", {"void": "x"}, {"bet": "war", "choice": "war"}),
]
BLACKJACK_BAD = [
    table_round("blackjack", "hc2023", {"player": "8H  TC", "bank": "KD 8S"}),
    table_round("blackjack", "hc2023", {"player": "8H TC", "bank": ["KD 8S"]}),
    table_round("blackjack", "hc2023", {"player": "8H TC", "bank": "KD 8S"}, {"bet": "bj_plus"}),
    table_round("blackjack", "hc2023", {"void": "x"}, {"bet": "bet", "on": [0]}),
    table_round("blackjack", "hc2023", {"void": "x"}, variant="6:5"),
    table_round("blackjack", "hc2011", {"void": "x"}, {"bet": "insurance"}, variant="casino21"),
]
TABLE_BAD = [
    table_round("sic_bo", "hc2023", {"dice": [1, 2]}),
    table_round("sic_bo", "hc2023", {"dice": [1, 2, 7]}),
    table_round("sic_bo", "hc2023", {"dice": [1, 2, 3], "void": "x"}),
    table_round("sic_bo", "hc2023", {"dice": [1, 2, 3]}, {"bet": "two", "on": [2, 1]}),
    table_round("sic_bo", "hc2023", {"dice": [1, 2, 3]}, {"bet": "single"}),
    table_round("sic_bo", "hc2023", {"dice": [1, 2, 3]}, {"bet": "small", "on": [1]}),
    table_round("sic_bo", "hc2023", {"dice": [1, 2, 3]}, {"bet": "small", "state": "run1"}),
    table_round("sic_bo", "hc2023", {"dice": [1, 2, 3]}, variant="french"),
    table_round("rocket7", "hc2023", {"dice": [1, 2]}),
    table_round("diceball", "hc2023", {"dice": [1, 2]}, {"bet": "slam", "state": "slam24"}),
    table_round("diceball", "hc2023", {"dice": [1, 2]}, {"bet": "place", "on": [[1, 7]]}),
    table_round("barbut", "hc2023", {"dice": [1, 2]}, table={"minimum": 5, "thrown": 0}),
    table_round("big_wheel", "hc2011", {"pays": 45, "jackpot": 19}),
    table_round("big_wheel", "hc2011", {"pays": 0}),
    table_round("money_wheel", "hc2023", {"pays": 1}, {"bet": "segment", "on": [1, 2]}),
    table_round("money_wheel", "hc2023", {"pays": 5}, table={"minimum": 5, "odds": {}}),
]
BAD = [
    *TABLE_BAD,
    *CARDS_BAD,
    *BLACKJACK_BAD,
    {},
    [],
    BASE | {"extra": 1},
    BASE | {"rules": "hc2011", "variant": "quick"},
    BASE | {"game": "dice"},
    BASE | {"outcome": {"pocket": "00"}},
    BASE | {"outcome": {"pocket": 0}},
    BASE | {"outcome": {"pocket": "0", "void": "tilt"}},
    BASE | {"outcome": {}},
    BASE | {"bets": [{"id": "1", "bet": "red"}]},
    BASE | {"bets": [{"id": "1", "bet": "red", "stake": 0}]},
    BASE | {"bets": [{"id": "1", "bet": "red", "stake": 5, "choice": "Half"}]},
    BASE | {"bets": [{"id": "1", "bet": "red", "stake": 5, "state": "jail"}]},
    BASE | {"bets": [{"id": 1, "bet": "red", "stake": 5}]},
    BASE | {"table": {}},
]


def test_the_schema_is_a_schema():
    """It declares 2020-12 and is valid as such."""
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(SCHEMA)


EXAMPLES = [SCHEMA["$defs"][game]["examples"] for game in json_lines.GAMES]
EXAMPLES += [SCHEMA["$defs"][f"{game}_round"]["examples"] for game in json_lines.BOX_GAMES]


@pytest.mark.parametrize("record", [*GOOD, *(example for each in EXAMPLES for example in each)])
@pytest.mark.one_in(2)
def test_what_is_settled_fits_the_schema(record):
    """Rounds that settle are valid, and so are their answers, alone and as a whole."""
    answer, code = json_lines.answer(json.dumps(record).encode(), line=1)
    assert code == 0
    ROUND.validate(record)
    ANSWER.validate(answer)
    WHOLE.validate(record)
    WHOLE.validate(answer)


@pytest.mark.parametrize("record", BAD)
def test_what_the_schema_refuses_is_refused(record):
    """A round that is not valid is not settled, and its error is a valid answer."""
    assert not ROUND.is_valid(record)
    assert not WHOLE.is_valid(record)
    answer, code = json_lines.answer(json.dumps(record).encode(), line=1)
    assert code == 1
    ANSWER.validate(answer)


SCALARS = (None, True, 0, 1, 4, 500, 10**13, 5.5, "", "0", "00", "37", "half", "prison1", "red")
LISTS = (
    [3],
    [1, 2],
    [9],
    [45, "red"],
    {"dice": [1, 2]},
    {"minimum": 100},
    [],
    ["0"],
    ["0", "0"],
    {},
    {"pocket": "1"},
    {"void": "tilt"},
    {"minimum": 500},
)
VALUES = st.sampled_from([*SCALARS, *LISTS])


@settings(max_examples=share(200, 3), deadline=None)
@given(st.sampled_from(GOOD), st.data())
def test_the_schema_never_refuses_what_is_settled(record, data):
    """With any value changed: if it settles, the schema lets it pass; answers always fit."""
    record = json.loads(json.dumps(record))
    place = data.draw(st.sampled_from([record, record["outcome"], *record.get("bets", [])]))
    place[data.draw(st.sampled_from([*place, *FULL, "on", "dice", "pays", "table"]))] = data.draw(
        VALUES
    )
    answer, code = json_lines.answer(json.dumps(record).encode(), line=1)
    ANSWER.validate(answer)
    assert code == 1 or ROUND.is_valid(record)


def test_an_answer_is_settlements_or_an_error_and_nothing_else():
    """The schema of answers refuses both, neither, and unknown codes."""
    error = {"code": "not_json", "message": "m", "where": "line 1"}
    assert ANSWER.is_valid({"error": error})
    assert not ANSWER.is_valid({"error": error | {"code": "no_such_code"}})
    assert not ANSWER.is_valid({"error": error, "settlements": []})
    assert not ANSWER.is_valid({})
