"""What a bank wins on average, by hand: the odds printed in the rules and the outcomes counted."""

from fractions import Fraction

import pytest

from tabletools.evidence.tables import Terms
from tabletools.reports import theory

FRENCH = Terms("roulette", "hc2023", "french", {"minimum": 500})
SIC_BO = Terms("sic_bo", "hc2023", None, {"minimum": 200})


@pytest.mark.parametrize(
    ("terms", "slip", "edge"),
    [
        (FRENCH, '{"bet":"straight","numbers":["17"]}', Fraction(1, 37)),
        (FRENCH, '{"bet":"split","numbers":["0","1"]}', Fraction(1, 37)),
        # At zero half of an even chance is lost.
        (FRENCH, '{"bet":"red"}', Fraction(1, 74)),
        # A straight-up of a triple pays 180 on 1 of 216 outcomes: 1 - 181/216.
        (SIC_BO, '{"bet":"specific_triple","on":[2]}', Fraction(35, 216)),
        (SIC_BO, '{"bet":"small"}', Fraction(6, 216)),
    ],
)
def test_the_edge_of_a_bet_is_exact(terms, slip, edge):
    assert theory.win_cents(terms, slip, 1_000) == 1_000 * edge


def test_what_a_player_decides_is_not_estimated():
    terms = Terms("blackjack", "hc2023", None, {"minimum": 500})
    assert theory.win_cents(terms, '{"bet":"box"}', 1_000) is None


def test_a_stake_in_prison_is_settled_until_it_is_decided():
    """hc2023 2:2(1), of 37 pockets. After two zeros half is in play, and 18 of 37 free it: 19/37
    of it are lost. After one zero: 18/37 lose, a zero loses half and leaves half to that:
    18/37 + 1/37 * (1/2 + 1/2 * 19/37) = 694/1369. A new bet: 18 win, 18 lose, one imprisons.
    """
    slip = '{"bet":"red","choice":"prison"}'
    assert theory.win_cents(FRENCH, slip, 1_000) == 1_000 * Fraction(694, 37**3)
