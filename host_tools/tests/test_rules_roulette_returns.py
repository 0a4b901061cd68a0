"""Every bet on every position at every pocket, and the exact returns of the rulebook."""

from fractions import Fraction

import pytest
from msgspec.structs import astuple

from tabletools.games import roulette
from tabletools.games.roulette.verdicts import DEFAULT_CHOICE, verdict_row
from tabletools.rules.settlement import settle_round

# Rulebook 3.2: numbers covered -> winnings for a stake of 1, by hand.
ODDS = {1: 35, 2: 17, 3: 11, 4: 8, 5: 6, 6: 5, 12: 2, 18: 1}
STAKE = 400

# Rulebook 3.6, the part of 1 that is returned, by (variant, numbers covered).
SINGLE = Fraction(36, 37)
DOUBLE = Fraction(18, 19)
RETURNS = {
    ("french", 18): Fraction(73, 74),
    ("american", 18): Fraction(73, 74),
    ("quick", 18): Fraction(36, 37),
    ("american00", 5): Fraction(35, 38),
}
RULES = roulette.all_rules()


def ids(rules):
    return rules.name


def positions(rules):
    return [p for kind in rules.odds for p in rules.wheel.positions[kind]]


def bet(rules, position, **more):
    return roulette.accept(
        rules,
        roulette.RouletteSlip(
            id="1", bet=position.kind, stake=STAKE, numbers=position.numbers, **more
        ),
    )


def expected_return(rules, position, choices=(), state=None):
    """The expected return on a stake of 1, winnings included, until the bet has ended.

    choices: the player's choices at the first and second zero; DEFAULT_CHOICE after those.
    """
    choice = choices[0] if choices else DEFAULT_CHOICE
    row = verdict_row(rules, position, state, choice)[: roulette.VOID]
    total = Fraction(0)
    for pocket in row:
        total += Fraction(pocket.win + pocket.back, pocket.den)
        if pocket.live:
            later = expected_return(rules, position, choices[1:], pocket.state)
            total += Fraction(pocket.live, pocket.den) * later
    return total / len(row)


@pytest.mark.parametrize("rules", RULES, ids=ids)
def test_3_6_exact_return_of_every_position(rules):
    """All bets x all pockets, settled: the average return is the rulebook's fraction."""
    whole = DOUBLE if rules.variant == "american00" else SINGLE
    for position in positions(rules):
        placed = bet(rules, position)
        back = 0
        for pocket in rules.wheel.pockets:
            [line] = settle_round([placed], roulette.outcome_of(rules, pocket))
            back += line.win + line.back
        computed = Fraction(back, STAKE * len(rules.wheel.pockets))
        expected = RETURNS.get((rules.variant, len(position.numbers)), whole)
        assert computed == expected, (rules.name, position)


@pytest.mark.parametrize("rules", RULES, ids=ids)
def test_3_2_wins_exactly_on_its_numbers_at_the_printed_odds(rules):
    """A bet wins on the numbers it covers, and at no other pocket, 35:1 down to 1:1."""
    for position in positions(rules):
        placed = bet(rules, position)
        for pocket in rules.wheel.pockets:
            [line] = settle_round([placed], roulette.outcome_of(rules, pocket))
            if pocket in position.numbers:
                paid = STAKE * ODDS[len(position.numbers)]
                assert astuple(line)[1:7] == ("win", STAKE, paid, STAKE, 0, 0), (position, pocket)
                assert line.rule.startswith(f"{rules.edition} 2:"), (position, pocket)
            else:
                assert line.win == 0, (position, pocket)
                assert line.outcome in ("lose", "half"), (position, pocket)


@pytest.mark.parametrize("rules", [r for r in RULES if r.variant == "french"], ids=ids)
@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        (("half",), Fraction(73, 74)),
        (("prison", "half"), Fraction(5401, 5476)),
        (("prison", "prison"), Fraction(49959, 50653)),
    ],
)
def test_3_6_exact_return_en_prison(rules, choices, expected):
    """French even chances: the three ways to play zero have the rulebook's exact returns."""
    for kind in ("even", "odd", "low", "high", "red", "black"):
        [position] = rules.wheel.positions[kind]
        assert expected_return(rules, position, choices) == expected


@pytest.mark.parametrize(
    ("edition", "variant", "kind", "edge"),
    [
        ("hc2011", "french", "straight", Fraction(1, 37)),
        ("hc2023", "american", "red", Fraction(1, 74)),
        ("hc2023", "american00", "corner", Fraction(1, 19)),
        ("hc2011", "american00", "top_line", Fraction(3, 38)),
        ("hc2023", "quick", "low", Fraction(1, 37)),
    ],
)
def test_14_house_edge(edition, variant, kind, edge):
    """The edges of the summary: 2.7027, 1.3514, 5.2632 and 7.8947 per cent, as fractions."""
    rules = roulette.rules_of(edition, variant)
    assert 1 - expected_return(rules, rules.wheel.positions[kind][0]) == edge
