"""Limits beside those of the table: of groups, of one player, of terminals."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.tests.pit import FRENCH, HOUSE
from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import settle_record
from tabletools.store import LedgerRejection
from tabletools.table import slips
from tabletools.table.betting import place_all, withdraw
from tabletools.table.terms import change_terms, limits_for, verify_terms

STRAIGHT = {"bet": "straight", "numbers": ["17"]}
TABLE = {"minimum": 500, "maximum": {"1": 2000}}
GROUP = {**TABLE, "groups": [["p", "q"]]}
HIGHER = {**TABLE, "players": {"p": {"minimum": 1000, "maximum": {"1": 5000}}}}
LOWER = {**TABLE, "terminals": {"minimum": 100, "maximum": {"1": 1000}}}


def bet(player, stake, **more):
    return {**STRAIGHT, "player": player, "stake": stake, **more}


def settle(table, *bets, rules="hc2023", game="roulette", outcome=None):
    more = {"variant": "french"} if game == "roulette" else {}
    return settle_record(
        {
            "rules": rules,
            "game": game,
            **more,
            "bets": [{"id": str(number), **each} for number, each in enumerate(bets)],
            "outcome": outcome or {"pocket": "0"},
            "table": table,
        }
    )


def refusal(*words, **more):
    with pytest.raises(RuleViolation) as caught:
        settle(*words, **more)
    return caught.value.code.name, caught.value.where, caught.value.what


def test_1_1_6_a_group_keeps_to_the_maximum_together():
    """15.00 and 5.00 of two players are the 20.00; a third player has his own."""
    assert len(settle(GROUP, bet("p", 1500), bet("r", 2000), bet("q", 500))) == 3
    code, where, what = refusal(GROUP, bet("p", 1500), bet("r", 2000), bet("q", 1000))
    assert (code, where) == ("above_maximum", "bets[2].stake")
    assert what == (
        "the group of player 'q' has 2500 on one straight, the maximum is 2000, in multiples 2000 "
        "(hc2023 1:1(6))"
    )


def test_1_1_6_a_group_adds_up_each_chance_alone():
    """20.00 of one on 17 and 20.00 of the other on 18."""
    assert len(settle(GROUP, bet("p", 2000), bet("q", 2000, numbers=["18"]))) == 2


def test_1_1_7_one_player_plays_to_a_higher_maximum_with_its_minimum():
    """50.00 in steps of 10.00; the others to 20.00 in steps of 5.00."""
    assert len(settle(HIGHER, bet("p", 5000), bet("q", 1500))) == 2
    assert refusal(HIGHER, bet("p", 6000))[0] == "above_maximum"
    assert "hc2023 1:1(7)" in refusal(HIGHER, bet("p", 6000))[2]
    assert refusal(HIGHER, bet("p", 500))[0] == "below_minimum"
    assert refusal(HIGHER, bet("p", 1500))[0] == "not_a_multiple"
    assert refusal(HIGHER, bet("q", 2500))[0] == "above_maximum"


def test_1_1_7_of_2011_the_maxima_printed_for_his_minimum():
    """2:2(3): EUR 200 on a number at minimum 5, EUR 300 at minimum 10; no more than printed."""
    table = {"minimum": 500, "players": {"p": {"minimum": 1000}}}
    assert len(settle(table, bet("p", 30_000), bet("q", 20_000), rules="hc2011")) == 2
    assert refusal(table, bet("p", 31_000), rules="hc2011")[0] == "above_maximum"
    table["players"]["p"]["maximum"] = {"1": 40_000}
    code, where, _ = refusal(table, rules="hc2011")
    assert (code, where) == ("limits_invalid", "table.players.p.maximum.1")


def test_1_1_13_terminals_below_the_table():
    """1.00 to 10.00 at a terminal, and 20.00 at table and terminal together."""
    at_both = bet("p", 1000), bet("p", 1000, terminal=True)
    assert len(settle(LOWER, *at_both)) == 2
    assert len(settle(LOWER, bet("p", 300, terminal=True))) == 1
    assert refusal(LOWER, bet("p", 300))[0] == "below_minimum"
    code, where, what = refusal(LOWER, bet("p", 1100, terminal=True))
    assert (code, where) == ("above_maximum", "bets[0].stake")
    assert what == (
        "player 'p' has 1100 on one straight at terminals, the maximum is 1000, in multiples 1000 "
        "(hc2023 1:1(13))"
    )
    code, where, what = refusal(LOWER, *at_both, bet("p", 100, terminal=True))
    assert (code, where) == ("above_maximum", "bets[2].stake")
    assert "has 2100 on one straight, the maximum is 2000" in what


def test_2_1_5_of_2011_a_terminal_has_a_lower_minimum_only():
    """The maximum over table and terminal is that of the table (2:1(4))."""
    table = {"minimum": 500, "terminals": {"minimum": 250}}
    assert len(settle(table, bet("p", 19_750, terminal=True), rules="hc2011")) == 1
    above = bet("p", 15_000), bet("p", 5_250, terminal=True)
    assert refusal(table, *above, rules="hc2011")[:2] == ("above_maximum", "bets[1].stake")
    table["terminals"]["maximum"] = {"1": 10_000}
    code, where, _ = refusal(table, rules="hc2011")
    assert (code, where) == ("limits_invalid", "table.terminals.maximum")


def test_a_special_minimum_is_kept_at_terminals():
    """2:1(3): columns have their own minimum, which the terminals' minimum does not lower."""
    table = {"minimum": 500, "special_minimum": 1000, "terminals": {"minimum": 100}}
    column = {"bet": "column", "index": 1, "player": "p", "terminal": True}
    assert len(settle(table, {**column, "stake": 1000}, bet("p", 100, terminal=True))) == 2
    assert refusal(table, {**column, "stake": 900})[0] == "below_minimum"


def test_other_games_have_them_too():
    """Sic Bo: the same three, and 1:1(13) is of every game in 2023, of roulette only in 2011."""
    small = {"bet": "small", "stake": 1500}
    table = {"minimum": 500, "maximum": {"small": 2000}, "groups": [["p", "q"]]}
    two = {**small, "player": "p"}, {**small, "player": "q"}
    more = {"game": "sic_bo", "outcome": {"dice": [1, 1, 2]}}
    assert refusal(table, *two, **more)[:2] == ("above_maximum", "bets[1].stake")
    table = {"minimum": 500, "players": {"p": {"minimum": 500, "maximum": {"small": 2_000_000}}}}
    assert len(settle(table, {**two[0], "stake": 2_000_000}, two[1], **more)) == 2
    table = {"minimum": 500, "terminals": {"minimum": 100}}
    assert len(settle(table, {**two[0], "stake": 100, "terminal": True}, **more)) == 1
    assert refusal(table, rules="hc2011", **more)[:2] == ("limits_invalid", "table.terminals")


@pytest.mark.parametrize(
    ("more", "where"),
    [
        ({"groups": [["p"]]}, "groups[0]"),
        ({"groups": [["p", "p"]]}, "groups[0]"),
        ({"groups": [["p", "q"], ["q", "r"]]}, "groups[1]"),
        ({"groups": [["p", "q"]], "players": {"p": {"minimum": 500}}}, "groups[0]"),
        ({"players": {"p": {"minimum": 400, "maximum": {"1": 5000}}}}, "players.p.minimum"),
        ({"players": {"p": {"minimum": 500, "maximum": {"1": 1000}}}}, "players.p.maximum.1"),
        (
            {"maximum": None, "players": {"p": {"minimum": 500}}},
            "players.p.maximum",
        ),
        ({"terminals": {"minimum": 600}}, "terminals.minimum"),
        ({"terminals": {"minimum": 0}}, "terminals.minimum"),
        ({"terminals": {"maximum": {"1": 2001}}}, "terminals.maximum.1"),
        ({"terminals": {"minimum": 400, "maximum": {"1": 399}}}, "terminals.maximum.1"),
    ],
)
def test_limits_that_contradict_the_table(more, where):
    code, at, _ = refusal({**TABLE, **more})
    assert (code, at) == ("limits_invalid", f"table.{where}")


def test_a_name_of_no_maximum_is_refused():
    assert refusal({**TABLE, "terminals": {"maximum": {"7": 1000}}})[0] == "unknown_field"
    assert refusal({**TABLE, "players": {"p": {"minimum": 500, "maximum": {"red": 1}}}})[0] == (
        "unknown_field"
    )


def test_editions_without_the_paragraphs():
    """de-live and gr2003 have neither groups nor terminals."""
    table = {"minimum": 500, "maximum": {"player": 1000, "banker": 1000, "tie": 1000}}
    record = {"game": "baccarat", "outcome": {"void": "x"}, "rules": "de-live"}
    assert refusal({**table, "groups": [["p", "q"]]}, **record)[0] == "limits_invalid"


def accepts(bets):
    """What a table of LOWER's limits and GROUP's group accepts, counted in the plainest way."""
    total, at_terminals = Counter(), Counter()
    for player, number, stake, terminal in bets:
        step = 100 if terminal else 500
        if stake < step or stake % step:
            return False
        whose = "group" if player in "pq" else player
        total[whose, number] += stake
        at_terminals[whose, number] += stake * terminal
    return max(total.values(), default=0) <= 2000 and max(at_terminals.values(), default=0) <= 1000


BETS = st.tuples(
    st.sampled_from("pqr"),
    st.sampled_from(["1", "2"]),
    st.integers(1, 6).map(lambda n: n * 250),
    st.booleans(),
)


@given(st.lists(BETS, max_size=6))
def test_a_group_at_table_and_terminals(bets):
    """Accepted is what adds up below both maxima, in whatever order."""
    table = {**LOWER, "groups": [["p", "q"]]}
    placed = [
        bet(player, stake, numbers=[number], terminal=terminal)
        for player, number, stake, terminal in bets
    ]
    if accepts(bets):
        assert len(settle(table, *placed)) == len(bets)
    else:
        assert refusal(table, *placed)[0] in ("above_maximum", "below_minimum", "not_a_multiple")


# --- at a table of the ledger --------------------------------------------------------------------


def play_by(pit, **limits):
    """Open a round of the table with these limits beside its minimum."""
    wanted = FRENCH._replace(limits={"minimum": 500, "maximum": {"1": 2000}, **limits})
    change_terms(pit.ledger, pit.lease, wanted, HOUSE)
    pit.open(1)
    return wanted


def code_of(pit, account, stake, **more):
    before = pit.balance(account)
    try:
        pit.place(account, "straight", stake, numbers=["17"], **more)
    except LedgerRejection as refused:
        assert pit.balance(account) == before
        return refused.code
    return "accepted"


def test_a_group_at_a_table(pit):
    """EUR 20 a number between two; what one withdraws the other may stake. A third has his own."""
    cleo = pit.player("cleo")
    play_by(pit, groups=[[str(pit.ada), str(pit.ben)]])
    first = pit.place(pit.ada, "straight", 1500, numbers=["17"])
    assert code_of(pit, pit.ben, 1000) == "above_maximum"
    assert code_of(pit, pit.ben, 500) == "accepted"
    assert code_of(pit, cleo, 2000) == "accepted"
    withdraw(pit.ledger, pit.lease, pit.ada, first.bet, "w")
    assert code_of(pit, pit.ben, 1500) == "accepted"
    assert code_of(pit, pit.ada, 500) == "above_maximum"
    pit.close(1)
    pit.end(1, 17)
    assert pit.money() == (0, 35 * 2000)


def test_a_group_in_one_transaction(pit):
    """Bets of two players that wait together: the second is refused, whatever the order."""
    play_by(pit, groups=[[str(pit.ada), str(pit.ben)]])
    wanted = [pit.request(who, "straight", 1500, numbers=["17"]) for who in (pit.ben, pit.ada)]
    answers = place_all(pit.ledger, pit.lease, wanted, reading=pit.reading)
    assert [getattr(each, "code", "accepted") for each in answers] == ["accepted", "above_maximum"]
    assert answers[1].where == "bets[0].stake"


def test_a_higher_maximum_at_a_table(pit):
    play_by(pit, players={str(pit.ada): {"minimum": 1000, "maximum": {"1": 5000}}})
    assert code_of(pit, pit.ada, 500) == "below_minimum"
    assert code_of(pit, pit.ada, 5000) == "accepted"
    assert code_of(pit, pit.ada, 1000) == "above_maximum"
    assert code_of(pit, pit.ben, 2500) == "above_maximum"


def test_terminals_at_a_table(pit):
    """Only a bet of a terminal is measured by its limits; the request cannot say so itself."""
    play_by(pit, terminals={"minimum": 100, "maximum": {"1": 1000}})
    assert code_of(pit, pit.ada, 100) == "below_minimum"
    assert code_of(pit, pit.ada, 1000, terminal="T1") == "accepted"
    assert code_of(pit, pit.ada, 100, terminal="T1") == "above_maximum"
    assert code_of(pit, pit.ada, 1500) == "above_maximum"
    assert code_of(pit, pit.ada, 1000) == "accepted"
    with pytest.raises(LedgerRejection, match="field 'terminal' is not known"):
        slips.slip_text({"bet": "red", "terminal": True})
    pit.close(1)
    pit.end(1, 17)
    assert pit.money() == (35 * 2000, 0)


@pytest.mark.parametrize(
    ("limits", "where"),
    [
        ({"players": {"Ada": {"minimum": 500}}}, "limits.players"),
        ({"groups": [["1", "02"]]}, "limits.groups"),
        ({"groups": [[1, 2]]}, "limits.groups"),
    ],
)
def test_players_are_named_by_their_accounts(limits, where):
    """A name that is no account would limit nobody."""
    with pytest.raises(LedgerRejection) as caught:
        verify_terms(FRENCH._replace(limits={"minimum": 500, **limits}))
    assert (caught.value.code, caught.value.where) == ("limits_invalid", where)


def test_a_player_is_shown_his_own_limits_only():
    """A terminal learns no account and no limit of another player."""
    own = {"minimum": 1000, "maximum": {"1": 5000}}
    stated = {"players": {"7": own}, "groups": [["8", "9"]], "terminals": {"minimum": 100}}
    terms = FRENCH._replace(limits={"minimum": 500, "special_minimum": 600, **stated})
    assert limits_for(terms, 7) == {**own, "special_minimum": 1000}
    others = {"minimum": 500, "special_minimum": 600, "terminals": {"minimum": 100}}
    assert limits_for(terms, 8) == others
