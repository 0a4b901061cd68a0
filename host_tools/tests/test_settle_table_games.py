"""Table games as JSON Lines: every bet at every outcome, articles, and what is refused."""

import json
from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hil_tests.thinned import share
from tabletools.settle import json_lines

BETS = {
    "sic_bo": {
        "small": [()],
        "big": [()],
        "single": [(n,) for n in range(1, 7)],
        "two": [(a, b) for a in range(1, 7) for b in range(a + 1, 7)],
        "total": [(n,) for n in range(4, 18)],
        "double": [(n,) for n in range(1, 7)],
        "any_triple": [()],
        "specific_triple": [(n,) for n in range(1, 7)],
    },
    "rocket7": {
        "low": [()],
        "high": [()],
        "single": [(n,) for n in range(1, 7)],
        "any_double": [()],
        "double": [(n,) for n in range(1, 7)],
        "any7": [()],
        "specific7": [(1, 6), (2, 5), (3, 4)],
        "total": [(n,) for n in (3, 4, 5, 6, 8, 9, 10, 11)],
    },
}
EDITIONS = {"sic_bo": ("hc2011", "hc2023"), "rocket7": ("hc2011",)}
DICE = {"sic_bo": 3, "rocket7": 2}


def naive_sic_bo(edition, bet, on, dice):
    """Rulebook 5 once more, as a person reads it: winnings per stake, None when the bet loses."""
    count, total = Counter(dice), sum(dice)
    triple = max(count.values()) == 3
    new = edition == "hc2023"
    totals = {4: 60, 17: 60, 5: 30, 16: 30, 6: 18, 15: 18, 7: 12, 14: 12, 8: 8, 13: 8}
    totals |= {9: 7 if new else 6, 12: 7 if new else 6, 10: 6, 11: 6}
    wins = {
        "small": lambda: total in range(4, 11) and not triple and 1,
        "big": lambda: total in range(11, 18) and not triple and 1,
        "single": lambda: [None, 1, 2, 3 if new else 12][count[on[0]]],
        "two": lambda: count[on[0]] and count[on[1]] and 6,
        "total": lambda: total == on[0] and totals[total],
        "double": lambda: count[on[0]] >= 2 and (10 if new else 11),
        "any_triple": lambda: triple and 30,
        "specific_triple": lambda: count[on[0]] == 3 and 180,
    }
    return wins[bet]() or None


def naive_rocket7(_edition, bet, on, dice):
    """Rulebook 6 once more; 0 is a stand-off."""
    a, b = sorted(dice)
    total = a + b
    sides = {"low": ((3, 4, 5, 6), 2), "high": ((8, 9, 10, 11), 12)}
    if bet in sides:
        wins, stands_off = sides[bet]
        return 0 if total in (7, stands_off) else 1 if total in wins else None
    pays = {3: 16, 11: 16, 4: 10, 10: 10, 5: 7, 9: 7, 6: 6, 8: 6}
    wins = {
        "single": lambda: on[0] in dice and (4 if a == b else 2),
        "any_double": lambda: a == b and 4,
        "double": lambda: a == b == on[0] and 32,
        "any7": lambda: total == 7 and 4,
        "specific7": lambda: (a, b) == on and 16,
        "total": lambda: total == on[0] and pays[total],
    }
    return wins[bet]() or None


NAIVE = {"sic_bo": naive_sic_bo, "rocket7": naive_rocket7}


def asked(game):
    return [(bet, on) for bet, selections in BETS[game].items() for on in selections]


def answer(record):
    reply, code = json_lines.answer(json.dumps(record).encode(), line=1)
    return reply.get("settlements") or reply.get("error"), code


@pytest.mark.parametrize("game", BETS)
def test_every_bet_at_every_throw_agrees_with_a_naive_settlement(game):
    """All bets of a game in one round, over all throws, in any order of the dice."""
    for edition in EDITIONS[game]:
        bets = [
            {"id": str(i), "bet": bet, "on": list(on), "stake": 100 + i}
            for i, (bet, on) in enumerate(asked(game))
        ]
        for dice in product(range(1, 7), repeat=DICE[game]):
            record = {"rules": edition, "game": game, "bets": bets, "outcome": {"dice": dice}}
            reply, code = answer(record)
            assert code == 0
            for (bet, on), line in zip(asked(game), reply, strict=True):
                odds = NAIVE[game](edition, bet, on, dice)
                stake = line["stake"]
                won = ("win" if odds else "push", stake * (odds or 0), stake, 0)
                wanted = ("lose", 0, 0, stake) if odds is None else won
                got = tuple(line[name] for name in ("outcome", "win", "back", "lost"))
                assert got == wanted, (edition, bet, on, dice)
                assert (line["live"], line["state"]) == (0, None)
            staked = sum(bet["stake"] for bet in bets)
            assert sum(line["back"] + line["lost"] for line in reply) == staked


ARTICLES = [
    ("sic_bo", "hc2023", {"bet": "small"}, {"dice": [1, 2, 3]}, "win", "4:2(3)"),
    ("sic_bo", "hc2023", {"bet": "small"}, {"void": "not_flat"}, "stand", "4:1(3)"),
    ("sic_bo", "hc2011", {"bet": "big"}, {"dice": [1, 2, 3]}, "lose", "4:1(4)"),
    ("sic_bo", "hc2011", {"bet": "big"}, {"void": "not_flat"}, "stand", "4:1(3)"),
    ("rocket7", "hc2011", {"bet": "low"}, {"dice": [3, 4]}, "push", "4:1(4)"),
    ("rocket7", "hc2011", {"bet": "low"}, {"void": "not_flat"}, "stand", "4:1(3)"),
    ("diceball", "hc2023", {"bet": "seven_out"}, {"dice": [3, 4]}, "win", "4:3(3)"),
    ("diceball", "hc2023", {"bet": "run"}, {"void": "not_flat"}, "stand", "4:1(3)"),
    ("barbut", "hc2023", {"bet": "A"}, {"dice": [1, 1]}, "win", "4:4(4)"),
    ("barbut", "hc2023", {"bet": "A"}, {"dice": [5, 6]}, "lose", "4:4(3)"),
    ("barbut", "hc2023", {"bet": "B"}, {"void": "not_flat"}, "stand", "4:1(3)"),
]


@pytest.mark.parametrize(("game", "edition", "bet", "outcome", "word", "article"), ARTICLES)
def test_each_line_names_its_article(game, edition, bet, outcome, word, article):
    """A line cites edition and article; a void leaves the whole stake live."""
    bets = [{"id": "1", "stake": 400, **bet}]
    [line], _ = answer({"rules": edition, "game": game, "bets": bets, "outcome": outcome})
    assert (line["outcome"], line["rule"]) == (word, f"{edition} {article}")
    assert line["live"] == (400 if word == "stand" else 0)


def round_(**changes):
    record = {
        "rules": "hc2023",
        "game": "sic_bo",
        "bets": [{"id": "1", "bet": "small", "stake": 500}],
        "outcome": {"dice": [1, 2, 3]},
    }
    return record | changes


ERRORS = [
    ("game_not_in_rules", round_(game="rocket7"), "rules"),
    ("game_not_in_rules", round_(rules="hc2011", game="barbut"), "rules"),
    ("unknown_rules", round_(rules="hc2001"), "rules"),
    ("unknown_variant", round_(variant="french"), "variant"),
    ("unknown_game", round_(game="dice"), "game"),
    ("unknown_throw", round_(outcome={"dice": []}), "outcome.dice"),
    ("unknown_throw", round_(outcome={"dice": [1, 2]}), "outcome.dice"),
    ("unknown_throw", round_(outcome={"dice": [1, 2, 3, 4]}), "outcome.dice"),
    ("unknown_throw", round_(outcome={"dice": [0, 2, 3]}), "outcome.dice"),
    ("unknown_throw", round_(outcome={"dice": [1, 2, 7]}), "outcome.dice"),
    ("unknown_throw", round_(outcome={"dice": [1, 2, 10**30]}), "outcome.dice"),
    ("wrong_type", round_(outcome={"dice": [1, 2, True]}), "outcome.dice[2]"),
    ("wrong_type", round_(outcome={"dice": [1, 2.0, 3]}), "outcome.dice[1]"),
    ("wrong_type", round_(outcome={"dice": [1, "2", 3]}), "outcome.dice[1]"),
    ("wrong_type", round_(outcome={"dice": [1, None, 3]}), "outcome.dice[1]"),
    ("wrong_type", round_(outcome={"dice": [[1], 2, 3]}), "outcome.dice[0]"),
    ("wrong_type", round_(outcome={"dice": 6}), "outcome.dice"),
    ("wrong_type", round_(outcome={"dice": "123"}), "outcome.dice"),
    ("outcome_not_one", round_(outcome={}), "outcome"),
    ("outcome_not_one", round_(outcome={"dice": [1, 2, 3], "void": "x"}), "outcome"),
    ("unknown_field", round_(outcome={"pays": 3}), "outcome"),
    ("invalid_text", round_(outcome={"void": ""}), "outcome.void"),
]
BET_ERRORS = [
    ("unknown_bet", {"bet": "Small"}, ".bet"),
    ("unknown_bet", {"bet": "low"}, ".bet"),
    ("selection_unexpected", {"on": [3]}, ".on"),
    ("selection_missing", {"bet": "single"}, ".on"),
    ("selection_missing", {"bet": "single", "on": []}, ".on"),
    ("selection_invalid", {"bet": "single", "on": [0]}, ".on"),
    ("selection_invalid", {"bet": "single", "on": [7]}, ".on"),
    ("selection_invalid", {"bet": "single", "on": [1, 2]}, ".on"),
    ("selection_invalid", {"bet": "single", "on": ["1"]}, ".on"),
    ("selection_invalid", {"bet": "single", "on": [[1]]}, ".on"),
    ("wrong_type", {"bet": "single", "on": 1}, ".on"),
    ("wrong_type", {"bet": "single", "on": [1.0]}, ".on[0]"),
    ("wrong_type", {"bet": "single", "on": [True]}, ".on[0]"),
    ("wrong_type", {"bet": "single", "on": [None]}, ".on[0]"),
    ("wrong_type", {"bet": "single", "on": {"1": 1}}, ".on"),
    ("selection_invalid", {"bet": "two", "on": [1]}, ".on"),
    ("selection_invalid", {"bet": "two", "on": [2, 1]}, ".on"),
    ("selection_invalid", {"bet": "two", "on": [1, 1]}, ".on"),
    ("selection_invalid", {"bet": "two", "on": [1, 2, 3]}, ".on"),
    ("selection_invalid", {"bet": "total", "on": [3]}, ".on"),
    ("selection_invalid", {"bet": "total", "on": [18]}, ".on"),
    ("selection_invalid", {"bet": "total", "on": [4, 17]}, ".on"),
    ("selection_invalid", {"bet": "double", "on": [-1]}, ".on"),
    ("selection_invalid", {"bet": "specific_triple", "on": [6, 6, 6]}, ".on"),
    ("choice_unexpected", {"choice": "half"}, ".choice"),
    ("state_not_possible", {"state": "run1"}, ".state"),
    ("wrong_type", {"state": 1}, ".state"),
    ("wrong_type", {"stake": 500.0}, ".stake"),
    ("stake_out_of_range", {"stake": 0}, ".stake"),
    ("unknown_field", {"numbers": ["1"]}, ""),
    ("unknown_field", {"option": 1}, ""),
]


@pytest.mark.parametrize(("code", "record", "where"), ERRORS, ids=lambda v: str(v)[:40])
def test_what_is_no_round_is_an_error(code, record, where):
    """Each bad round is answered with its code and place."""
    error, status = answer(record)
    assert (status, error["code"], error["where"]) == (1, code, f"line 1: {where}")


@pytest.mark.parametrize(("code", "change", "where"), BET_ERRORS, ids=lambda v: str(v)[:40])
def test_what_is_no_bet_is_an_error(code, change, where):
    """A bad bet is named by its place, even behind good ones."""
    good = {"id": "0", "bet": "big", "stake": 5}
    bets = [good, {"id": "1", "bet": "small", "stake": 500, **change}]
    error, status = answer(round_(bets=bets))
    assert (status, error["code"], error["where"]) == (1, code, f"line 1: bets[1]{where}")


SPECIFIC = [[1, 5], [6, 1], [3, 3], [1], [1, 6, 1]]


@pytest.mark.parametrize("on", SPECIFIC, ids=str)
def test_rocket7_specific_7_is_one_of_three(on):
    """1-6, 2-5 and 3-4, the lower face first."""
    bets = [{"id": "1", "bet": "specific7", "on": on, "stake": 5}]
    record = {"rules": "hc2011", "game": "rocket7", "bets": bets, "outcome": {"dice": [1, 6]}}
    assert answer(record)[0]["code"] == "selection_invalid"
    bets[0] |= {"bet": "total", "on": [7]}
    assert answer(record)[0]["code"] == "selection_invalid"


ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 8) | st.floats() | st.sampled_from(["3", "slam1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
KEYS = ("on", "choice", "state", "stake", "bet", "id", "player", "extra")
PLACES = {"big_wheel": "hc2011", "money_wheel": "hc2023", "diceball": "hc2023", "sic_bo": "hc2011"}


@settings(max_examples=share(300, 3), deadline=None)
@given(st.sampled_from(list(PLACES)), st.data())
def test_any_spoiled_round_is_answered(game, data):
    """One wrong value in a bet, the outcome or the table: a settlement or an error, no fault."""
    wheel = game.endswith("wheel")
    bet = {"id": "1", "player": "p", "bet": "segment" if wheel else "small", "stake": 500}
    if game == "diceball":
        bet["bet"] = data.draw(st.sampled_from(["place", "run", "slam", "hard"]))
    record = {
        "rules": PLACES[game],
        "game": game,
        "bets": [bet],
        "outcome": {"pays": 45}
        if wheel
        else {"dice": [1, 2, 3][: 2 if game == "diceball" else 3]},
        "table": data.draw(st.none() | st.just({"minimum": 500})),
    }
    bet[data.draw(st.sampled_from(KEYS))] = data.draw(ANY)
    place = record[data.draw(st.sampled_from(["outcome", "table"]))]
    if place is not None:
        key = data.draw(st.sampled_from(["dice", "pays", "mark", "odds", "place", "maximum"]))
        place[key] = data.draw(ANY)
    reply, code = json_lines.answer(json.dumps(record).encode(), line=1)
    assert code in (0, 1), reply
    assert json.loads(json.dumps(reply)) == reply
