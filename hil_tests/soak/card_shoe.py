"""The soak of the card shoe: shoes of one to eight decks."""

from __future__ import annotations

import random

from hil_tests.soak.soak_run import Built, Part
from tableemulator.fault_catalogue import Fault
from tableemulator.machines.card_shoe.physical_shoe import ShoeSetup
from tableemulator.machines.card_shoe.shoe_dealer import Deal


def build(rng: random.Random, _number: int) -> Built:
    """Draw a table."""
    return Built(ShoeSetup(rng.randint(1, 8)))


def wrong_deal(deal: Deal, fault: Fault | None, _setup: ShoeSetup) -> str:
    """Return what is wrong with the reported cards of a round, "" if nothing is.

    Of a void round they must be cards that left the shoe, in that order; of one that ended all of
    them, of a round in which no more happened than the cut card coming.
    """
    reported = [card for card in deal.named if card]
    if tuple(reported) != deal.cards[: len(reported)]:
        return f"reported {' '.join(reported)}, truly {deal.true}"
    if deal.reason is not None:
        return ""
    if fault is not None and fault.voids:
        return f"round ended in spite of {fault.name}"
    if deal.reported != deal.true or deal.ended.values[0] != len(deal.cards):
        return f"ended with {deal.reported}, truly {deal.true}"
    return ""


PART = Part(build, wrong_deal)
