"""Valid bets: numbers, stakes and whole cents."""

import pytest

from tabletools.games import roulette
from tabletools.games.roulette.layout import KINDS
from tabletools.rules import money
from tabletools.rules.violation import RuleViolation


def refused(action, *arguments):
    with pytest.raises(RuleViolation) as error:
        action(*arguments)
    return error.value.code.name, error.value.where


def slip(**fields):
    return roulette.RouletteSlip(**{"id": "1", "stake": 400, **fields})


FRENCH = roulette.rules_of("hc2023", "french")
DOUBLE = roulette.rules_of("hc2023", "american00")
QUICK = roulette.rules_of("hc2023", "quick")
REDS = "1 3 5 7 9 12 14 16 18 19 21 23 25 27 30 32 34 36".split()

WRONG = [
    (FRENCH, {"bet": "split", "numbers": ["1", "3"]}, "not_on_layout", "numbers"),
    (FRENCH, {"bet": "split", "numbers": ["3", "4"]}, "not_on_layout", "numbers"),
    (FRENCH, {"bet": "split", "numbers": ["0", "4"]}, "not_on_layout", "numbers"),
    (FRENCH, {"bet": "street", "numbers": ["2", "3", "4"]}, "not_on_layout", "numbers"),
    (FRENCH, {"bet": "street", "numbers": ["0", "1", "3"]}, "not_on_layout", "numbers"),
    (FRENCH, {"bet": "corner", "numbers": ["3", "4", "6", "7"]}, "not_on_layout", "numbers"),
    (FRENCH, {"bet": "six_line", "numbers": list("234567")}, "not_on_layout", "numbers"),
    (DOUBLE, {"bet": "split", "numbers": ["0", "3"]}, "not_on_layout", "numbers"),
    (DOUBLE, {"bet": "split", "numbers": ["00", "1"]}, "not_on_layout", "numbers"),
    (DOUBLE, {"bet": "street", "numbers": ["0", "2", "3"]}, "not_on_layout", "numbers"),
    (DOUBLE, {"bet": "corner", "numbers": ["0", "1", "2", "3"]}, "not_on_layout", "numbers"),
    (FRENCH, {"bet": "split", "numbers": ["0", "00"]}, "unknown_number", "numbers[1]"),
    (FRENCH, {"bet": "straight", "numbers": ["37"]}, "unknown_number", "numbers[0]"),
    (FRENCH, {"bet": "straight", "numbers": ["07"]}, "unknown_number", "numbers[0]"),
    (FRENCH, {"bet": "straight", "numbers": [" 7"]}, "unknown_number", "numbers[0]"),
    (FRENCH, {"bet": "split", "numbers": ["5", "5"]}, "duplicate_number", "numbers[1]"),
    (FRENCH, {"bet": "split", "numbers": ["5"]}, "wrong_count", "numbers"),
    (FRENCH, {"bet": "straight", "numbers": ["5", "6"]}, "wrong_count", "numbers"),
    (FRENCH, {"bet": "straight"}, "numbers_missing", "numbers"),
    (FRENCH, {"bet": "dozen"}, "numbers_missing", "numbers"),
    (FRENCH, {"bet": "dozen", "index": 0}, "index_out_of_range", "index"),
    (FRENCH, {"bet": "column", "index": 4}, "index_out_of_range", "index"),
    (FRENCH, {"bet": "column", "index": True}, "index_out_of_range", "index"),
    (FRENCH, {"bet": "street", "index": 1}, "unexpected_index", "index"),
    (FRENCH, {"bet": "red", "index": 1}, "unexpected_index", "index"),
    (FRENCH, {"bet": "red", "numbers": [*REDS[:-1], "35"]}, "numbers_mismatch", "numbers"),
    (FRENCH, {"bet": "red", "numbers": REDS[:-1]}, "wrong_count", "numbers"),
    (FRENCH, {"bet": "top_line"}, "bet_not_offered", "bet"),
    (QUICK, {"bet": "dozen", "index": 1}, "bet_not_offered", "bet"),
    (QUICK, {"bet": "colonne", "index": 1}, "bet_not_offered", "bet"),
    (FRENCH, {"bet": "red", "choice": "Half"}, "unknown_choice", "choice"),
    (FRENCH, {"bet": "red", "state": "prison3"}, "unknown_state", "state"),
    (FRENCH, {"bet": "red", "stake": 0}, "stake_out_of_range", "stake"),
    (FRENCH, {"bet": "red", "stake": -500}, "stake_out_of_range", "stake"),
    (FRENCH, {"bet": "red", "stake": 10**12 + 1}, "stake_out_of_range", "stake"),
    (FRENCH, {"bet": "red", "stake": 500.0}, "stake_out_of_range", "stake"),
    (FRENCH, {"bet": "red", "stake": True}, "stake_out_of_range", "stake"),
]


@pytest.mark.parametrize(("rules", "fields", "code", "where"), WRONG)
def test_3_2_what_is_no_bet_is_refused(rules, fields, code, where):
    """Each wrong slip is refused by code and field, new or on the table."""
    wrong = slip(**fields)
    assert refused(roulette.accept, rules, wrong) == (code, where)
    assert refused(roulette.place, rules, wrong) == (code, where)


def test_3_2_wrong_dozen_numbers_against_the_index():
    """Numbers and index must mean the same dozen."""
    second = [str(n) for n in range(13, 25)]
    roulette.accept(FRENCH, slip(bet="dozen", numbers=second, index=2))
    wrong = slip(bet="dozen", numbers=second, index=1)
    assert refused(roulette.accept, FRENCH, wrong) == ("numbers_mismatch", "numbers")
    column = slip(bet="column", numbers=second)
    assert refused(roulette.accept, FRENCH, column) == ("not_on_layout", "numbers")


def test_3_2_numbers_may_come_in_any_order_and_may_be_left_out_where_the_name_says_all():
    """A set of numbers is a place; even chances and the top line need none, and may have them."""
    roulette.accept(FRENCH, slip(bet="corner", numbers=["5", "1", "4", "2"]))
    roulette.accept(DOUBLE, slip(bet="top_line", numbers=["3", "2", "1", "00", "0"]))
    roulette.accept(DOUBLE, slip(bet="top line"))
    roulette.accept(FRENCH, slip(bet="rouge", numbers=REDS[::-1]))


@pytest.mark.parametrize(
    ("edition", "variant", "code", "where"),
    [
        ("hc2012", "french", "unknown_rules", "rules"),
        ("HC2023", "french", "unknown_rules", "rules"),
        ("hc2023", "german", "unknown_variant", "variant"),
        ("hc2011", "quick", "variant_not_in_rules", "variant"),
    ],
)
def test_editions_and_variants(edition, variant, code, where):
    """Quick Roulette is in hc2023 only; unknown names are refused."""
    assert refused(roulette.rules_of, edition, variant) == (code, where)


@pytest.mark.parametrize("pocket", ["00", "37", "07", "-1", "", "0 ", 0, 17, None])
def test_3_1_pockets_that_are_not_on_a_single_zero_wheel(pocket):
    """A pocket is the text printed on the wheel, nothing near it."""
    assert refused(roulette.outcome_of, FRENCH, pocket) == ("unknown_pocket", "pocket")


def test_reading_52_double_zero_only_on_american00():
    """French, American single and Quick have 37 pockets; american00 has 38."""
    sizes = {rules.variant: len(rules.wheel.pockets) for rules in roulette.all_rules()}
    assert sizes == {"french": 37, "american": 37, "american00": 38, "quick": 37}


@pytest.mark.parametrize("stake", [1, 10**12])
def test_stake_bounds(stake):
    """One cent and ten thousand million euros are the bounds."""
    money.verify_stake(stake)


@pytest.mark.parametrize(("cents", "text"), [(5, "EUR 0.05"), (123450, "EUR 1234.50")])
def test_money_in_words(cents, text):
    """Cents are shown as euros with two places."""
    assert money.euros(cents) == text


# READING-2: half on zero divides by 2, half of the remaining half by 4, nothing else divides.
UNITS = {"french": 4, "american": 2, "american00": 1, "quick": 1}


@pytest.mark.parametrize("rules", roulette.all_rules(), ids=lambda r: r.name)
def test_reading_2_stakes_that_stay_whole(rules):
    """At placement a stake must divide by what zero, now or en prison, may divide it into."""
    for kind in rules.odds:
        unit = UNITS[rules.variant] if KINDS[kind] == 18 else 1
        numbers = rules.wheel.positions[kind][0].numbers
        for stake in range(1, 13):
            asked = slip(bet=kind, numbers=numbers, stake=stake)
            if stake % unit:
                assert refused(roulette.place, rules, asked) == ("stake_not_divisible", "stake")
            else:
                assert roulette.place(rules, asked) == roulette.accept(rules, asked)


def test_reading_2_units_of_imprisoned_stakes():
    """In prison1 a quarter may come, of prison2 nothing is divided any more."""
    red = FRENCH.wheel.positions["red"][0]
    assert [roulette.whole_unit(FRENCH, red, state) for state in roulette.STATES] == [4, 4, 1]


def test_a_new_bet_has_no_state():
    """A new bet cannot be imprisoned already."""
    asked = slip(bet="red", state="prison1")
    roulette.accept(FRENCH, asked)
    assert refused(roulette.place, FRENCH, asked) == ("state_not_possible", "state")
