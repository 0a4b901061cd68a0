"""Names of the bets: English, French, and what is no name."""

import pytest

from tabletools.games.roulette.french_names import kind_of
from tabletools.rules.violation import RuleViolation

# Rulebook 3.2, first columns; written by hand.
NAMES = {
    "straight": ["straight", "Straight Up", "plein", "Plein", "en plein", "En_Plein", "enplein"],
    "split": ["split", "SPLIT", "cheval", "à cheval", "a cheval", "À CHEVAL", "a_cheval"],
    "street": [
        "street",
        "transversale",
        "transversale pleine",
        "Transversale Plein",
        "transversale_pleine",
    ],
    "corner": ["corner", "carré", "carre", "CARRÉ", "carre\u0301"],
    "top_line": ["top_line", "top line", "Top Line", "topline"],
    "six_line": ["six_line", "six line", "sixline", "transversale simple", "sixain"],
    "dozen": ["dozen", "douzaine"],
    "column": ["column", "colonne"],
    "even": ["even", "pair"],
    "odd": ["odd", "impair"],
    "low": ["low", "manque"],
    "high": ["high", "passe"],
    "red": ["red", "rouge", "Rouge", " red "],
    "black": ["black", "noir"],
}


@pytest.mark.parametrize(("kind", "name"), [(k, n) for k, names in NAMES.items() for n in names])
def test_3_2_names(kind, name):
    """Case, accents, spaces and underscores do not matter."""
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    "name", ["", " ", "reds", "straight 17", "transversale triple", "basket", "r" * 41, 7, None]
)
def test_3_2_other_names_are_refused(name):
    """A name that is not exactly known is refused, with the known ones."""
    with pytest.raises(RuleViolation, match="known: straight split") as refused:
        kind_of(name)
    assert refused.value.code.name == "unknown_bet"
