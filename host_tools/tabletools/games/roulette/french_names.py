"""Names of the roulette bets: English names and their French aliases."""

import unicodedata

from tabletools.games.roulette.layout import KINDS
from tabletools.rules.codes.bets import UNKNOWN_BET
from tabletools.rules.violation import RuleViolation, shown

FRENCH_NAMES: dict[str, str] = {
    "plein": "straight",
    "en plein": "straight",
    "cheval": "split",
    "à cheval": "split",
    "transversale": "street",
    "transversale plein": "street",
    "transversale pleine": "street",
    "carré": "corner",
    "transversale simple": "six_line",
    "sixain": "six_line",
    "douzaine": "dozen",
    "colonne": "column",
    "pair": "even",
    "impair": "odd",
    "manque": "low",
    "passe": "high",
    "rouge": "red",
    "noir": "black",
}
ENGLISH_VARIANTS: dict[str, str] = {"straight up": "straight"}

_LONGEST_NAME = 40


def plain(name: str) -> str:
    """Return the name without case, accents, spaces, underscores and hyphens."""
    letters = unicodedata.normalize("NFD", name.casefold())
    return "".join(
        letter
        for letter in letters
        if not unicodedata.combining(letter) and not letter.isspace() and letter not in "_-"
    )


_BY_PLAIN_NAME: dict[str, str] = {
    **{plain(kind): kind for kind in KINDS},
    **{plain(name): kind for name, kind in FRENCH_NAMES.items()},
    **{plain(name): kind for name, kind in ENGLISH_VARIANTS.items()},
}


def kind_of(name: str) -> str:
    """Return the kind (key of layout.KINDS) of a name; raise RuleViolation if unknown."""
    kind = None
    if isinstance(name, str) and len(name) <= _LONGEST_NAME:
        kind = name if name in KINDS else _BY_PLAIN_NAME.get(plain(name))
    if kind is None:
        known = " ".join(KINDS)
        raise RuleViolation(UNKNOWN_BET, f"bet {shown(name)} is not known; known: {known}", "bet")
    return kind
