"""Call bets and coloured chips: what they stand for, and what a table accepts of them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.tests.pit import FRENCH, HOUSE
from tabletools.settle.json_lines import answer
from tabletools.store import LedgerRejection
from tabletools.table.betting import BetRequest, CallRequest, place_all
from tabletools.table.terms import change_terms

# By hand, from a cloth and a wheel: the chips of each series, and the numbers that they cover.
SERIES = {
    "voisins": (9, "22 18 29 7 28 12 35 3 26 0 32 15 19 4 21 2 25"),
    "zero_game": (4, "12 35 3 26 0 32 15"),
    "tiers": (6, "27 13 36 11 30 8 23 10 5 24 16 33"),
    "orphelins": (5, "17 34 6 1 20 14 31 9"),
}
# Chips won for one on each place of the series, less all chips of it: 35, 17, 11, 8 to 1.
NET = {
    ("voisins", "0"): 2 * 12 - 9,
    ("voisins", "25"): 2 * 9 - 9,
    ("voisins", "4"): 18 - 9,
    ("zero_game", "26"): 36 - 4,
    ("zero_game", "0"): 18 - 4,
    ("tiers", "33"): 18 - 6,
    ("orphelins", "1"): 36 - 5,
    ("orphelins", "17"): 2 * 18 - 5,
    ("orphelins", "9"): 18 - 5,
}


def settle(pocket="0", variant="french", rules="hc2023", **more):
    record = {"rules": rules, "game": "roulette", "variant": variant, "bets": []}
    text = json.dumps({**record, "outcome": {"pocket": pocket}, **more})
    return answer(text.encode(), line=1)[0]


def call(name, stake, **more):
    return {"id": "c", "player": "p", "call": name, "stake": stake, **more}


def net(reply):
    return sum(line["win"] - line["lost"] for line in reply["settlements"])


def refusal(**more):
    error = settle(**more)["error"]
    return error["code"], error["where"].removeprefix("line 1: ")


def test_voisins_are_seven_bets_of_nine_chips():
    """By hand: 0-2-3 and the corner have two chips, five splits one."""
    lines = settle("25", calls=[call("voisins", 4500)])["settlements"]
    assert [(line["id"], line["facts"], line["stake"]) for line in lines] == [
        ("c/1", "25 on the street 0-2-3", 1000),
        ("c/2", "25 on the split 4-7", 500),
        ("c/3", "25 on the split 12-15", 500),
        ("c/4", "25 on the split 18-21", 500),
        ("c/5", "25 on the split 19-22", 500),
        ("c/6", "25 on the corner 25-26-28-29", 1000),
        ("c/7", "25 on the split 32-35", 500),
    ]
    assert (lines[5]["win"], lines[5]["rule"]) == (8000, "hc2023 2:2(1)")


@pytest.mark.parametrize("name", SERIES)
def test_a_series_wins_on_its_numbers_and_on_no_other(name):
    """Every pocket of a single-zero wheel."""
    chips, numbers = SERIES[name]
    for pocket in map(str, range(37)):
        lines = settle(pocket, calls=[call(name, chips * 100)])["settlements"]
        assert any(line["outcome"] == "win" for line in lines) == (pocket in numbers.split())
        assert sum(line["stake"] for line in lines) == chips * 100


@pytest.mark.parametrize(("name", "pocket"), NET)
def test_what_a_series_wins(name, pocket):
    chips = SERIES[name][0]
    reply = settle(pocket, calls=[call(name, chips * 100)])
    assert net(reply) == NET[name, pocket] * 100


@pytest.mark.parametrize(
    ("variant", "number", "sides", "numbers"),
    [
        ("french", "0", None, "3 26 0 32 15"),
        ("american", "26", 1, "3 26 0"),
        ("american00", "00", 2, "10 27 00 1 13"),
        ("quick", "32", 3, "3 26 0 32 15 19 4"),
    ],
)
def test_neighbours_are_straight_up_on_each_side(variant, number, sides, numbers):
    """By hand from the orders of the wheels, over their ends too."""
    wanted = numbers.split()
    more = {} if sides is None else {"sides": sides}
    calls = [call("neighbours", len(wanted) * 100, number=number, **more)]
    lines = settle("17", variant=variant, calls=calls)["settlements"]
    assert [line["facts"] for line in lines] == [f"17 on the straight {n}" for n in wanted]


@given(st.sampled_from(sorted(SERIES)), st.integers(1, 10**6))
def test_a_stake_is_whole_chips_or_refused(name, stake):
    """No chip is invented and none is lost."""
    reply = settle("0", calls=[call(name, stake)])
    if stake % SERIES[name][0]:
        assert reply["error"]["code"] == "stake_not_divisible"
        assert reply["error"]["where"] == "line 1: calls[0].stake"
    else:
        assert sum(line["stake"] for line in reply["settlements"]) == stake


CALLED = {"minimum": 500, "call_bets": ["voisins", "neighbours"]}


def test_a_table_says_which_call_bets_it_accepts():
    """1:1(5): without a word it accepts none; without a table every one is settled."""
    assert "settlements" in settle(calls=[call("voisins", 4500)], table=CALLED)
    assert refusal(calls=[call("tiers", 3000)], table=CALLED) == (
        "bet_not_offered",
        "calls[0].call",
    )
    assert refusal(calls=[call("voisins", 4500)], table={"minimum": 500}) == (
        "bet_not_offered",
        "calls[0].call",
    )
    assert refusal(table={"minimum": 500, "call_bets": ["finals"]}) == (
        "limits_invalid",
        "table.call_bets[0]",
    )


def test_each_bet_of_a_call_is_within_the_limits():
    """Two chips of 4.00 are no multiple of 5.00; with his own 0-2-3 he is above the maximum."""
    assert refusal(calls=[call("voisins", 3600)], table=CALLED) == (
        "not_a_multiple",
        "calls[0].stake",
    )
    street = {"id": "1", "player": "p", "bet": "street", "numbers": ["0", "2", "3"], "stake": 500}
    table = {**CALLED, "maximum": {"3": 1000}}
    both = {"bets": [street], "calls": [call("voisins", 4500)], "table": table}
    assert refusal(**both) == ("above_maximum", "calls[0].stake")


@pytest.mark.parametrize(
    ("bad", "variant", "code", "where"),
    [
        (call("finals", 400), "french", "unknown_bet", "call"),
        (call("tiers", 600), "american00", "bet_not_offered", "call"),
        (call("tiers", 600, sides=2), "french", "selection_invalid", "sides"),
        (call("neighbours", 500), "french", "missing_field", "number"),
        (call("neighbours", 500, number="00"), "french", "unknown_number", "number"),
        (call("neighbours", 500, number="0", sides=10), "french", "selection_invalid", "sides"),
        (call("neighbours", 500, number="0", sides=0), "french", "selection_invalid", "sides"),
        (call("tiers", 0), "french", "stake_out_of_range", "stake"),
    ],
)
def test_calls_that_are_none(bad, variant, code, where):
    assert refusal(calls=[bad], variant=variant) == (code, f"calls[0].{where}")


def test_two_bets_of_one_id():
    """The bets of a call have ids of their own."""
    straight = {"id": "c/1", "player": "p", "bet": "straight", "numbers": ["1"], "stake": 500}
    assert refusal(bets=[straight], calls=[call("tiers", 600)]) == ("duplicate_id", "calls[0].id")


# --- coloured chips ------------------------------------------------------------------------------

COLOURS = {"blue": {"player": "p", "value": 250}, "red": {"player": "q"}}


def chips(colour, count, **more):
    return {"id": "1", "colour": colour, "chips": count, "bet": "red", **more}


@pytest.mark.parametrize(
    ("rules", "variant"),
    [("hc2011", "american"), ("hc2011", "american00"), ("hc2023", "quick")],
)
def test_a_coloured_chip_has_the_value_of_its_player(rules, variant):
    """2:3(1), 2:4(1): four blue chips of 2.50 on red are 10.00."""
    reply = settle("1", variant, rules, chips=[chips("blue", 4)], colours=COLOURS)
    [line] = reply["settlements"]
    assert (line["id"], line["stake"], line["win"]) == ("1", 1000, 1000)
    assert line["facts"] == "1 on red"


def test_chips_not_cashed_are_worth_the_minimum():
    """Their player left: three red chips at a table of 5.00 are 15.00; without a minimum nothing
    says what they are worth."""
    more = {"chips": [chips("red", 3)], "colours": COLOURS, "variant": "quick"}
    [line] = settle("1", table={"minimum": 500}, **more)["settlements"]
    assert line["stake"] == 1500
    assert refusal(**more) == ("limits_invalid", "chips[0].colour")


def test_coloured_chips_count_towards_the_maximum_of_their_player():
    """8 blue chips of 2.50 beside 10.00 of his own on 17 are above 25.00."""
    own = {"id": "0", "player": "p", "bet": "straight", "numbers": ["17"], "stake": 1000}
    more = {
        "bets": [own],
        "chips": [chips("blue", 8, bet="straight", numbers=["17"])],
        "colours": COLOURS,
        "variant": "american",
    }
    table = {"minimum": 500, "maximum": {"1": 2500}}
    assert refusal(table=table, **more) == ("above_maximum", "chips[0].stake")
    assert "settlements" in settle(table={**table, "maximum": {"1": 3000}}, **more)


@pytest.mark.parametrize(
    ("bad", "variant", "code", "where"),
    [
        (chips("blue", 4), "french", "bet_not_offered", "colour"),
        (chips("green", 4), "american", "unknown_bet", "colour"),
        (chips("blue", 0), "american", "stake_out_of_range", "chips"),
        (chips("blue", 10**9), "american", "stake_out_of_range", "chips"),
        (chips("blue", 4, bet="tiers"), "american", "unknown_bet", "bet"),
    ],
)
def test_chips_that_are_no_bet(bad, variant, code, where):
    assert refusal(chips=[bad], colours=COLOURS, variant=variant) == (code, f"chips[0].{where}")


# --- at a table of the ledger --------------------------------------------------------------------


def announce(pit, cents, key="k", **fields):
    """Ada's call bet: the standing of each of its bets, or the refusal."""
    request = BetRequest(pit.ada, {"call": "tiers", **fields}, cents, key)
    [answer] = place_all(pit.ledger, pit.lease, [CallRequest(request)], reading=pit.reading)
    if isinstance(answer, LedgerRejection):
        return answer.code, answer.where
    codes = [getattr(each, "standing", None) or (each.code, each.where) for each in answer.bets]
    return codes if len(codes) > 1 else codes[0]


def open_with(pit, **limits):
    wanted = FRENCH._replace(limits={"minimum": 500, "call_bets": ["tiers"], **limits})
    change_terms(pit.ledger, pit.lease, wanted, HOUSE)
    pit.open(1)


def test_a_call_bet_is_six_bets_under_one_key(pit):
    """Sent again it is carried out once. 33 wins 17 chips of 5.00, five are lost."""
    open_with(pit)
    assert announce(pit, 3000) == ["valid"] * 6
    assert announce(pit, 3000) == ["valid"] * 6
    assert pit.balance(pit.ada) == 100_000 - 3000
    assert announce(pit, 6000) == ("key_reused", "key")
    pit.close(1)
    pit.end(1, 33)
    assert pit.money() == (17 * 500 - 5 * 500, 0)


def test_of_a_call_bet_all_is_accepted_or_nothing(pit):
    """Ada has 5.00 on 33-36, and the maximum of a split is 5.00: the five other splits fall too,
    and count for nothing."""
    open_with(pit, maximum={"2": 500})
    pit.place(pit.ada, "split", 500, numbers=["33", "36"])
    assert announce(pit, 3000) == ("above_maximum", "call")
    assert pit.balance(pit.ada) == 100_000 - 500
    pit.place(pit.ada, "split", 500, numbers=["5", "8"])
    pit.close(1)
    pit.end(1, 5)
    assert pit.money() == (17 * 500 - 500, 0)


def test_a_call_bet_beyond_the_balance_is_refused_whole(pit):
    """Money for five of six chips."""
    open_with(pit)
    assert announce(pit, 6 * 20_000) == ("not_enough_money", "call")
    assert pit.balance(pit.ada) == 100_000
    assert announce(pit, 6 * 16_500, key="less") == ["valid"] * 6


def test_call_bets_that_a_table_refuses(pit):
    open_with(pit)
    assert announce(pit, 3001) == ("stake_not_divisible", "stake")
    assert announce(pit, 4500, call="voisins") == ("bet_not_offered", "call")
    assert announce(pit, 3000, sides=True) == ("wrong_type", "sides")
    pit.close(1)
    pit.end(1, 5)
    assert announce(pit, 3000)[0] in ("no_round", "no_more_bets")
    assert pit.balance(pit.ada) == 100_000
