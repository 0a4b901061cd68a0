"""Big Wheel and Money Wheel: odds, marks, the jackpot choice, edges of a customary wheel."""

from fractions import Fraction

import pytest
from msgspec.structs import astuple

from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import settle_record

STAKE = 500
# Rulebook 4 (a wheel of third parties): 52 segments, the two 45 are bets apart.
SEGMENTS = [1] * 24 + [3] * 12 + [5] * 8 + [10] * 4 + [20] * 2 + [(45, "red"), (45, "black")]
EDGES = {1: 4, 3: 4, 5: 4, 10: 8, 20: 10, (45, "red"): 6, (45, "black"): 6}
GAMES = [("big_wheel", "hc2011"), ("money_wheel", "hc2023")]


def on(segment):
    return list(segment) if isinstance(segment, tuple) else [segment]


def stop(segment):
    pays, *mark = on(segment)
    return {"pays": pays, "mark": mark[0]} if mark else {"pays": pays}


def settle_bet(game, edition, outcome, table=None, **bet):
    record = {
        "rules": edition,
        "game": game,
        "bets": [{"id": "1", "player": "p", "bet": "segment", "stake": STAKE, **bet}],
        "outcome": outcome,
        "table": table,
    }
    [line] = settle_record(record)
    assert line.stake == line.back + line.live + line.lost
    return line


def refusal(game, edition, outcome, table=None, **bet):
    with pytest.raises(RuleViolation) as error:
        settle_bet(game, edition, outcome, table, **bet)
    return error.value.code.name, error.value.where


@pytest.mark.parametrize(("game", "edition"), GAMES)
def test_14_edges_of_52_segments(game, edition):
    """4/52 on 1, 3 and 5, 8/52 on 10, 10/52 on 20, 6/52 on each 45."""
    assert len(SEGMENTS) == 52
    for segment, edge in EDGES.items():
        lines = [
            settle_bet(game, edition, stop(segment_index), on=on(segment))
            for segment_index in SEGMENTS
        ]
        bank_gain = sum(line.lost - line.win for line in lines)
        assert Fraction(bank_gain, STAKE * 52) == Fraction(edge, 52), segment


@pytest.mark.parametrize("number", [1, 3, 5, 10, 20, 45])
def test_4_2_5_odds_of_2011(number):
    """A number pays itself to one, any other loses."""
    won = settle_bet("big_wheel", "hc2011", {"pays": number}, on=[number])
    assert astuple(won)[1:8] == ("win", STAKE, number * STAKE, STAKE, 0, 0, None)
    assert won.citation == f"hc2011 4:2(5) pays {number}:1"
    other = settle_bet("big_wheel", "hc2011", {"pays": 3 if number == 1 else 1}, on=[number])
    assert astuple(other)[1:] == ("lose", STAKE, 0, 0, 0, STAKE, None, "hc2011 4:2(5)")


@pytest.mark.parametrize(
    ("game", "edition", "article"),
    [("big_wheel", "hc2011", "hc2011 4:2(4)"), ("money_wheel", "hc2023", "hc2023 2:5(4)")],
)
def test_an_invalid_turn_decides_nothing(game, edition, article):
    """Flapper on a pin, obstructed, fewer than four turns: spun again, bets stand."""
    line = settle_bet(game, edition, {"void": "flapper_on_pin"}, on=[10])
    assert astuple(line)[1:] == ("stand", STAKE, 0, 0, STAKE, 0, None, article)


def test_2_5_odds_are_what_the_table_shows():
    """hc2023 prints none: a table names its payout numbers and what they pay."""
    table = {"minimum": 500, "odds": {"1": 1, "2": 2, "40": 41}}
    line = settle_bet("money_wheel", "hc2023", {"pays": 40}, table, on=[40])
    assert (line.win, line.rule) == (41 * STAKE, "hc2023 2:5(3)")
    for outcome, number, where in (
        ({"pays": 3}, 1, "outcome.pays"),
        ({"pays": 1}, 3, "bets[0].on"),
    ):
        assert refusal("money_wheel", "hc2023", outcome, table, on=[number])[1] == where


@pytest.mark.parametrize("times", [20, 21, 200])
def test_4_2_6_the_jackpot_instead_of_45_times(times):
    """The choice "jackpot" is paid the jackpot, any other 45 times (READING-15)."""
    outcome = {"pays": 45, "jackpot": times}
    line = settle_bet("big_wheel", "hc2011", outcome, on=[45], choice="jackpot")
    assert astuple(line)[1:8] == ("win", STAKE, times * STAKE, STAKE, 0, 0, None)
    assert line.paragraphs == ("hc2011 4:2(6)", "hc2011 4:2(5)")
    for choice in ("pay", None):
        line = settle_bet("big_wheel", "hc2011", outcome, on=[45], choice=choice)
        assert (line.win, line.rule) == (45 * STAKE, "hc2011 4:2(5)")


def test_4_2_6_the_choice_changes_nothing_elsewhere():
    """On other numbers, and when the 45 loses, the choice has no effect."""
    assert settle_bet("big_wheel", "hc2011", {"pays": 10}, on=[10], choice="jackpot").win == 5000
    line = settle_bet("big_wheel", "hc2011", {"pays": 10}, on=[45], choice="jackpot")
    assert (line.outcome, line.rule) == ("lose", "hc2011 4:2(5)")


def test_4_2_6_a_table_links_a_jackpot_or_has_none():
    """With a table there is a jackpot only if its options have one."""
    outcome = {"pays": 45, "jackpot": 60}
    linked = {"minimum": 500, "jackpot": True}
    line = settle_bet("big_wheel", "hc2011", outcome, linked, on=[45], choice="jackpot")
    assert line.win == 60 * STAKE
    for table in ({"minimum": 500}, {"minimum": 500, "jackpot": False}):
        reason = refusal("big_wheel", "hc2011", {"pays": 45}, table, on=[45], choice="jackpot")
        assert reason == ("choice_unexpected", "bets[0].choice")
        reason = refusal("big_wheel", "hc2011", outcome, table, on=[45])
        assert reason == ("unknown_stop", "outcome.jackpot")


STOPS = [
    ({"pays": 2}, {}, "unknown_stop", "outcome.pays"),
    ({"pays": 0}, {}, "unknown_stop", "outcome.pays"),
    ({"pays": "10"}, {}, "wrong_type", "outcome.pays"),
    ({"pays": 10.0}, {}, "wrong_type", "outcome.pays"),
    ({"pays": True}, {}, "wrong_type", "outcome.pays"),
    ({"pays": [10]}, {}, "wrong_type", "outcome.pays"),
    ({}, {}, "outcome_not_one", "outcome"),
    ({"jackpot": 20}, {}, "outcome_not_one", "outcome"),
    ({"pays": 45, "void": "pin"}, {}, "outcome_not_one", "outcome"),
    ({"jackpot": 20, "void": "pin"}, {}, "outcome_not_one", "outcome"),
    ({"pays": 45, "jackpot": 19}, {}, "unknown_stop", "outcome.jackpot"),
    ({"pays": 45, "jackpot": 201}, {}, "unknown_stop", "outcome.jackpot"),
    ({"pays": 45, "jackpot": 45.5}, {}, "wrong_type", "outcome.jackpot"),
    ({"pays": 10, "jackpot": 45}, {}, "unknown_stop", "outcome.jackpot"),
    ({"pays": 45}, {"on": [45], "choice": "jackpot"}, "stop_incomplete", "bets[0].choice"),
    ({"pays": 45}, {"on": [45, "red"]}, "stop_incomplete", "bets[0].on"),
    ({"pays": 45, "mark": "red"}, {"on": [45]}, "stop_incomplete", "bets[0].on"),
    ({"pays": 45, "mark": 1}, {}, "wrong_type", "outcome.mark"),
]
SELECTIONS = [
    ({}, "selection_missing", "bets[0].on"),
    ({"on": []}, "selection_missing", "bets[0].on"),
    ({"on": [2]}, "selection_invalid", "bets[0].on"),
    ({"on": [10, 20]}, "selection_invalid", "bets[0].on"),
    ({"on": ["10"]}, "selection_invalid", "bets[0].on"),
    ({"on": ["red", 45]}, "selection_invalid", "bets[0].on"),
    ({"on": [45, "red", "x"]}, "selection_invalid", "bets[0].on"),
    ({"on": [[10]]}, "selection_invalid", "bets[0].on"),
    ({"on": [10.0]}, "wrong_type", "bets[0].on[0]"),
    ({"on": [True]}, "wrong_type", "bets[0].on[0]"),
    ({"on": 10}, "wrong_type", "bets[0].on"),
    ({"on": [10], "choice": "pays"}, "unknown_choice", "bets[0].choice"),
    ({"on": [10], "state": "jackpot"}, "state_not_possible", "bets[0].state"),
    ({"on": [10], "bet": "straight"}, "unknown_bet", "bets[0].bet"),
]


@pytest.mark.parametrize(("outcome", "bet", "code", "where"), STOPS, ids=str)
def test_stops_that_cannot_be_are_refused(outcome, bet, code, where):
    """A stop names a number of the wheel and all that its bets need."""
    assert refusal("big_wheel", "hc2011", outcome, **{"on": [10], **bet}) == (code, where)


@pytest.mark.parametrize(("bet", "code", "where"), SELECTIONS, ids=str)
def test_bets_that_cannot_be_are_refused(bet, code, where):
    """A segment is one payout number of the wheel, with or without a mark."""
    assert refusal("big_wheel", "hc2011", {"pays": 10}, **bet) == (code, where)


def test_2_5_odds_out_of_range():
    """Numbers and odds of a table are 1 to 1000, and there is one at least."""
    for odds, where in (
        ({}, "table.odds"),
        ({"0": 1}, "table.odds"),
        ({"5": 0}, "table.odds.5"),
        ({"5": 1001}, "table.odds.5"),
        ({"5": None}, "table.odds.5"),
        ({"5": "5"}, "table.odds.5"),
        ({"05": 5}, "table.odds"),
        ([5], "table.odds"),
    ):
        table = {"minimum": 500, "odds": odds}
        assert refusal("money_wheel", "hc2023", {"pays": 5}, table, on=[5])[1] == where, odds
    table = {"minimum": 500, "maximum": {"x": 500}, "odds": {"5": 5}}
    assert refusal("money_wheel", "hc2023", {"pays": 5}, table, on=[5])[1] == "table.maximum"
    with pytest.raises(RuleViolation) as error:
        settle_bet(
            "money_wheel", "hc2023", {"pays": 5}, {"minimum": 500, "odds": {"x": 5}}, on=[5]
        )
    assert len(error.value.message) < 300
    assert settle_bet("money_wheel", "hc2023", {"pays": 1000}, on=[1000]).win == 1000 * STAKE
    assert refusal("money_wheel", "hc2023", {"pays": 1001}, on=[1])[1] == "outcome.pays"
