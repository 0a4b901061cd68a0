"""hc 1:1: abandoned bets and payments held for release; the maxima of gr2003."""

import json

import pytest

from tabletools.settle import lines


def answer(rules="hc2023", stake=1000, **more):
    record = {
        "rules": rules,
        "game": "roulette",
        "variant": "french",
        "bets": [
            {"id": "1", "player": "p", "bet": "red", "stake": stake},
            {"id": "2", "player": "p", "bet": "even", "stake": stake},
            {"id": "3", "player": "q", "bet": "low", "stake": stake},
        ],
        "outcome": {"pocket": "14"},
        **more,
    }
    return lines.answer(json.dumps(record).encode(), line=1)[0]


@pytest.mark.parametrize("rules", ["hc2011", "hc2023"])
@pytest.mark.parametrize(("rounds", "kept"), [(1, True), (3, True), (4, False), (9, False)])
def test_1_1_3_an_abandoned_bet_is_kept_for_three_rounds(rules, rounds, kept):
    """Then it is the house's, with what it won; other bets are as ever."""
    found = answer(rules, abandoned={"1": rounds})["settlements"]
    assert (found[0]["win"], found[0]["back"], found[0]["lost"]) == (
        (1000, 1000, 0) if kept else (0, 0, 1000)
    )
    assert found[0]["rule"] == f"{rules} {'2:2(1)' if kept else '1:1(3)'}"
    assert [line["win"] for line in found[1:]] == [1000, 1000]
    assert all(line["stake"] == line["back"] + line["live"] + line["lost"] for line in found)


@pytest.mark.parametrize(
    ("rules", "location", "stake", "held"),
    [
        ("hc2023", None, 2_499_999, None),
        ("hc2023", None, 2_500_000, ["1", "2"]),
        ("hc2023", None, 5_000_000, ["1", "2", "3"]),
        ("hc2011", None, 2_499_999, None),
        ("hc2011", None, 2_500_000, ["1", "2"]),
        ("hc2011", "schiphol", 249_999, None),
        ("hc2011", "schiphol", 250_000, ["1", "2"]),
    ],
)
def test_1_1_14_a_payment_of_100000_is_held(rules, location, stake, held):
    """What a player is handed in one round, stake and win, from EUR 100,000 on."""
    assert answer(rules, stake, location=location).get("held") == held


def test_an_abandoned_bet_is_not_held():
    """What falls to the house is paid to nobody."""
    assert answer(stake=2_500_000, abandoned={"1": 4}).get("held") is None


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"location": "schiphol"}, "limits_invalid"),
        ({"abandoned": {"1": 0}}, "limits_invalid"),
        ({"abandoned": {"9": 1}}, "unknown_field"),
        ({"abandoned": [1]}, "wrong_type"),
        ({"abandoned": {"1": 1.5}}, "wrong_type"),
    ],
)
def test_what_1_1_does_not_know(more, code):
    """The Schiphol clause is of hc2011 alone."""
    assert answer(**more)["error"]["code"] == code


def stud(maximum, **more):
    hands = {"player": "9H 9C 5D 3S 2D", "bank": "AS KH 4D 3C 2H"}
    bets = [
        {"id": "1", "player": "p", "bet": "ante", "stake": 500},
        {"id": "2", "player": "p", "bet": "bet", "stake": 1000},
    ]
    record = {
        "rules": "gr2003",
        "game": "caribbean",
        "bets": bets,
        "outcome": hands,
        "table": {"minimum": 500, "maximum": maximum},
        **more,
    }
    return lines.answer(json.dumps(record).encode(), line=1)[0]


@pytest.mark.parametrize(
    ("times", "good"), [(50, True), (100, True), (200, True), (49, False), (150, False)]
)
def test_gr2003_maxima(times, good):
    """§7: 50, 100 or 200 times the minimum."""
    reply = stud({"ante": 500 * times})
    assert ("settlements" in reply) is good
    if not good:
        assert reply["error"]["code"] == "limits_invalid"
    assert "error" in stud({"bet": 50_000})


def test_1_1_is_of_holland_casino():
    """Other editions say nothing of abandoned bets."""
    assert stud({"ante": 25_000}, abandoned={"1": 1})["error"]["code"] == "limits_invalid"
