"""Roulette: French, American with one and two zeros, Quick; editions hc2011 and hc2023."""

from tabletools.games.roulette.editions import (
    EDITIONS,
    VARIANTS,
    RouletteRules,
    all_rules,
    rules_of,
    verify_rules,
)
from tabletools.games.roulette.layout import KINDS
from tabletools.games.roulette.limits import (
    NOT_OFFERED_NAMES,
    WIDTHS,
    Limits,
    limits_of,
    verify_limits,
)
from tabletools.games.roulette.placing import (
    RouletteSlip,
    accept,
    place,
)
from tabletools.games.roulette.roulette_record import GAME, outcome_of
from tabletools.games.roulette.verdicts import CHOICES, STATES, VOID, whole_unit

__all__ = [
    "CHOICES",
    "EDITIONS",
    "GAME",
    "KINDS",
    "NOT_OFFERED_NAMES",
    "STATES",
    "VARIANTS",
    "VOID",
    "WIDTHS",
    "Limits",
    "RouletteRules",
    "RouletteSlip",
    "accept",
    "all_rules",
    "limits_of",
    "outcome_of",
    "place",
    "rules_of",
    "verify_limits",
    "verify_rules",
    "whole_unit",
]
