"""Limits of the dice games and wheels: printed tables, multiples, maximum per chance."""

import pytest

from host_tools.tests.printed_figures import (
    ROCKET_MAXIMA,
    ROCKET_MINIMA,
    SIC_BO_MAXIMA,
    SIC_BO_MINIMA,
    WHEEL_MAXIMA,
    WHEEL_MINIMA,
)
from tabletools.games import big_wheel, rocket7, sic_bo
from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import settle_record

OUTCOMES = {"sic_bo": {"dice": [1, 1, 2]}, "big_wheel": {"pays": 1}, "money_wheel": {"pays": 1}}


def settle(game, edition, table, *bets):
    record = {
        "rules": edition,
        "game": game,
        "bets": [{"id": str(i), "player": "p", **bet} for i, bet in enumerate(bets)],
        "outcome": OUTCOMES.get(game, {"dice": [1, 2]}),
        "table": table,
    }
    return settle_record(record)


def refusal(game, edition, table, *bets):
    with pytest.raises(RuleViolation) as error:
        settle(game, edition, table, *bets)
    return error.value.code.name, error.value.where


@pytest.mark.parametrize(
    ("game", "minima", "printed"),
    [
        ("sic_bo", SIC_BO_MINIMA, SIC_BO_MAXIMA),
        ("rocket7", ROCKET_MINIMA, ROCKET_MAXIMA),
        ("big_wheel", WHEEL_MINIMA, WHEEL_MAXIMA),
    ],
)
def test_printed_maxima_of_2011(game, minima, printed):
    """The largest multiple of the minimum within the printed maximum is taken, one more not."""
    for (bet, on, _), row in printed.items():
        for minimum, maximum in zip(minima, row, strict=True):
            most = maximum * 100 - maximum * 100 % minimum
            table = {"minimum": minimum}
            good = {"bet": bet, "on": list(on), "stake": most}
            assert len(settle(game, "hc2011", table, good)) == 1
            above = {**good, "stake": most + minimum}
            assert refusal(game, "hc2011", table, above) == ("above_maximum", "bets[0].stake")


PLAIN_ROCKET = ("single", "any_double", "double", "any7", "specific7")
ROWS = {
    "sic_bo": {
        f"total_{min(on[0], 21 - on[0])}_{max(on[0], 21 - on[0])}" if bet == "total" else bet: row
        for (bet, on, _), row in SIC_BO_MAXIMA.items()
    },
    "rocket7": {
        **dict.fromkeys(("low", "high"), ROCKET_MAXIMA["low", (), 1]),
        **dict.fromkeys(PLAIN_ROCKET, ROCKET_MAXIMA["specific7", (3, 4), 16]),
        **dict.fromkeys(
            ("total_3_11", "total_4_10", "total_5_9", "total_6_8"),
            ROCKET_MAXIMA["total", (3,), 16],
        ),
    },
    "big_wheel": {str(on[0]): row for (_, on, _), row in WHEEL_MAXIMA.items()},
}


@pytest.mark.parametrize(
    ("name", "game", "minima"),
    [
        ("sic_bo", sic_bo.GAMES["hc2011"], SIC_BO_MINIMA),
        ("rocket7", rocket7.GAMES["hc2011"], ROCKET_MINIMA),
        ("big_wheel", big_wheel.GAMES["hc2011"], WHEEL_MINIMA),
    ],
)
def test_every_figure_of_the_printed_tables(name, game, minima):
    """Cents by row and minimum, as printed and not only to the next multiple."""
    for column, minimum in enumerate(minima):
        wanted = {row: 100 * figures[column] for row, figures in ROWS[name].items()}
        assert game.limits(minimum).maximum == wanted


def test_the_odds_of_2011_are_meant():
    """Rulebook 5: at every minimum, maximum times odds is one figure, rounded down to its step."""
    for (_, _, odds), row in SIC_BO_MAXIMA.items():
        for maximum, whole in zip(row, (1800, 1800, 3600, 7200, 7200), strict=True):
            assert whole - 40 * whole // 1800 <= maximum * odds <= whole


@pytest.mark.parametrize(
    ("game", "bet"),
    [
        ("sic_bo", {"bet": "small"}),
        ("diceball", {"bet": "run"}),
        ("barbut", {"bet": "A"}),
        ("money_wheel", {"bet": "segment", "on": [1]}),
    ],
)
def test_1_1_8_of_2023(game, bet):
    """EUR 10,000 per chance, multiples of the displayed minimum, EUR 2 tables too (READING-7)."""
    table = {"minimum": 200}
    assert settle(game, "hc2023", table, {**bet, "stake": 1_000_000})
    for stake, code in ((1_000_200, "above_maximum"), (100, "below_minimum"), (300, "not_a_mu")):
        reason, where = refusal(game, "hc2023", table, {**bet, "stake": stake})
        assert (reason[:8], where) == (code[:8], "bets[0].stake")


def test_1_1_6_per_player_and_chance():
    """Stakes of one player on one chance add up; another selection is another chance."""
    table = {"minimum": 100, "maximum": {"single": 300}}
    one, other = ({"bet": "single", "on": [face], "stake": 200} for face in (1, 2))
    assert len(settle("sic_bo", "hc2023", table, one, other)) == 2
    assert len(settle("sic_bo", "hc2023", table, one, {**one, "player": "q"})) == 2
    assert refusal("sic_bo", "hc2023", table, one, one) == ("above_maximum", "bets[1].stake")


def test_only_odds_with_halves_need_even_stakes():
    """One cent is a stake where every payout is whole."""
    for bet in ({"bet": "small"}, {"bet": "single", "on": [1]}, {"bet": "any_triple"}):
        assert settle("sic_bo", "hc2023", {"minimum": 1}, {**bet, "stake": 1})[0].stake == 1


def test_minimum_and_maximum_may_be_one():
    """A table of one stake."""
    table = {"minimum": 300, "maximum": {"small": 300}}
    assert settle("sic_bo", "hc2023", table, {"bet": "small", "stake": 300})
    reason = refusal("sic_bo", "hc2023", table, {"bet": "small", "stake": 600})
    assert reason == ("above_maximum", "bets[0].stake")


def test_a_table_may_do_without_bets():
    """4:2(1): the betting opportunities are those stated at the table."""
    table = {"minimum": 100, "not_offered": ["any_triple"]}
    assert settle("sic_bo", "hc2023", table, {"bet": "small", "stake": 100})
    reason = refusal("sic_bo", "hc2023", table, {"bet": "any_triple", "stake": 100})
    assert reason == ("bet_not_offered", "bets[0].bet")


def test_live_stakes_with_a_state_are_not_measured_again():
    """A run bet under another minimum continues."""
    bet = {"bet": "run", "stake": 150, "state": "run2"}
    assert settle("diceball", "hc2023", {"minimum": 500}, bet)[0].state == "run3"


def test_reading_2_an_odd_stake_on_barbut():
    """1-1 pays half: at placement stakes are even, in settlement the throw decides."""
    odd = {"bet": "A", "stake": 105}
    assert refusal("barbut", "hc2023", {"minimum": 5}, odd) == (
        ("stake_not_divisible", "bets[0].stake")
    )
    assert settle("barbut", "hc2023", None, odd)[0].win == 105
    record = {"rules": "hc2023", "game": "barbut", "bets": [{"id": "1", **odd}]}
    with pytest.raises(RuleViolation) as error:
        settle_record({**record, "outcome": {"dice": [1, 1]}})
    assert (error.value.code.name, error.value.where) == ("not_whole_cents", "bets[0].stake")


@pytest.mark.parametrize(
    ("edition", "table", "where"),
    [
        ("hc2011", {"minimum": 600}, "table.maximum"),
        ("hc2011", {"minimum": 500, "maximum": {"small": 360100}}, "table.maximum.small"),
        ("hc2023", {"minimum": 0}, "table.minimum"),
        ("hc2023", {"maximum": {"small": 400}}, "table.minimum"),
        ("hc2023", {"not_offered": ["two"]}, "table.minimum"),
        ("hc2023", {"minimum": 500, "maximum": {"small": 400}}, "table.maximum.small"),
        ("hc2023", {"minimum": 500, "maximum": {"total": 500}}, "table.maximum"),
        ("hc2023", {"minimum": 500, "not_offered": ["red"]}, "table.not_offered[0]"),
        ("hc2023", {"minimum": 500, "place": []}, "table"),
    ],
)
def test_limits_that_contradict_the_rules(edition, table, where):
    """A figure above the printed one, no figure at all, an unknown row, bet or field."""
    assert refusal("sic_bo", edition, table, {"bet": "small", "stake": 600})[1] == where


def test_2011_a_minimum_not_printed_needs_its_maxima():
    """1:1(13): minima may be lower than printed; the table then gives its maxima."""
    table = {"minimum": 100, "maximum": {"small": 50000}}
    assert settle("sic_bo", "hc2011", table, {"bet": "small", "stake": 50000})


def test_a_table_may_give_options_and_no_limits():
    """Without any limit bets are accepted as without a table, from any player."""
    bet = {"bet": "place", "on": [[1, 2]], "stake": 1, "player": None}
    assert settle("diceball", "hc2023", {"place": [[[1, 2]]], "minimum": None}, bet)[0].win == 1
    other = {**bet, "on": [[1, 3]]}
    assert refusal("diceball", "hc2023", {"place": [[[1, 2]]]}, other)[0] == "selection_invalid"
    wheel = {"bet": "segment", "on": [1], "stake": 3, "player": None}
    assert settle("money_wheel", "hc2023", {"odds": {"1": 2}}, wheel)[0].win == 6
    assert settle("money_wheel", "hc2023", {}, wheel)[0].win == 3


STUD = {
    "caribbean": {"player": "9H 9C 5D 3S 2D", "bank": "AS KH 4D 3C 2H"},
    "three_card": {"player": "9H 9C 2D", "bank": "QD 7S 3C"},
    "casino_holdem": {"player": "AD 3D", "board": "AS 9H 4D JC 2H", "bank": "4C 7C"},
}
STUD["multi_poker"] = STUD["caribbean"]


def refused_stud(game, edition, maximum, *, ante=500):
    """The refusal of an ante at a table with the minimum of EUR 5; None if it is accepted."""
    bets = [{"id": "1", "player": "p", "bet": "ante", "stake": ante, "choice": "fold"}]
    record = {"rules": edition, "game": game, "bets": bets, "outcome": STUD[game]}
    try:
        settle_record({**record, "table": {"minimum": 500, "maximum": maximum}})
    except RuleViolation as error:
        return error.code.name, error.where, str(error)
    return None


@pytest.mark.parametrize("game", sorted(STUD))
def test_hc2011_poker_accepts_no_bet_above_ten_thousand(game):
    """hc2011 3:5(5): "the maximum bet does not amount to more than EUR 10.000"."""
    assert refused_stud(game, "hc2011", {"ante": 1_000_000}) is None
    code, where, text = refused_stud(game, "hc2011", {"ante": 1_000_500})
    assert (code, where) == ("limits_invalid", "table.maximum.ante")
    assert "hc2011 3:5(5)" in text
    side = {"three_card": "pair_plus", "casino_holdem": "aa_bonus"}.get(game, "bet")
    assert refused_stud(game, "hc2011", {side: 500}, ante=1_000_000) is None
    code, where, _ = refused_stud(game, "hc2011", {side: 500}, ante=1_000_500)
    assert (code, where) == ("above_maximum", "bets[0].stake")


@pytest.mark.parametrize("times", [1, 49, 51, 60, 150, 199, 201])
def test_gr2003_the_maximum_is_so_many_times_the_minimum(times):
    """gr2003 §7: the maximum ante is 50, 100 or 200 times the minimum of the table."""
    code, where, text = refused_stud("caribbean", "gr2003", {"ante": 500 * times})
    assert (code, where) == ("limits_invalid", "table.maximum.ante")
    assert "gr2003 §7" in text
    for good in (50, 100, 200):
        most = 500 * good
        assert refused_stud("caribbean", "gr2003", {"ante": most}, ante=most) is None
        code, _, text = refused_stud("caribbean", "gr2003", {"ante": most}, ante=most + 500)
        assert code == "above_maximum"
        assert "1:1(6)" not in text


def test_gr2003_the_maximum_of_the_ante_is_given():
    """§7: the casino sets it; that of the supplementary bet alone is none."""
    reason = refused_stud("caribbean", "gr2003", {"bet": 50_000})
    assert reason[:2] == ("limits_invalid", "table.maximum.ante")


@pytest.mark.parametrize(
    ("game", "edition", "maximum", "outcome", "bet"),
    [
        ("caribbean", "gr2003", {"ante": 25_000}, STUD["caribbean"], "ante"),
        (
            "baccarat",
            "de-live",
            {"player": 25_000},
            {"player": "KS 9D", "banker": "KD 8S"},
            "player",
        ),
        ("blackjack", "de-live", {"bet": 25_000}, {"player": "KS 9D", "bank": "KD 8S"}, "bet"),
    ],
)
def test_only_holland_casino_demands_multiples_of_the_minimum(
    game, edition, maximum, outcome, bet
):
    """1:1(8) is of hc2011 and hc2023; gr2003 and de-live have a minimum and a maximum."""
    record = {"rules": edition, "game": game, "outcome": outcome}
    record["table"] = {"minimum": 500, "maximum": maximum}

    def record_with_stake(stake):
        choice = {"choice": "fold"} if bet == "ante" else {}
        return {
            **record,
            "bets": [{"id": "1", "player": "p", "bet": bet, "stake": stake, **choice}],
        }

    for stake in (500, 502, 750, 25_000):
        assert settle_record(record_with_stake(stake))
    for stake, code in ((498, "below_minimum"), (25_002, "above_maximum")):
        with pytest.raises(RuleViolation) as error:
            settle_record(record_with_stake(stake))
        assert error.value.code.name == code
        assert "1:1" not in str(error.value)
