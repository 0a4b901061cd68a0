"""A long night of shuffles with random troubles: no deck that is not whole is ever dealt from.

    python -m hil_tests.shuffler_soak [--shuffles N] [--seed S] [--jobs N]

A fresh machine every 25 shuffles: worn rollers, dust, decks of 52 to 416 cards. Exit code 1 when
a wrong deck was verified, or healthy machines refused too many healthy decks.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter

from hil_tests.emulators.shuffler.model import GATE_IN, GATE_OUT, CardShuffler, Trouble
from hil_tests.shuffler_night import Night, configuration
from hil_tests.soak_machines import play_machines
from tablespec.roles.shuffler import REASONS
from tablewire import shuffler as words

SHUFFLES = 4_000
PER_MACHINE = 25
TROUBLED = 0.5
# Healthy decks on healthy machines that may be refused, as a share of them.
WRONG_REFUSALS = 0.001
_NAMES = {0: "verified"} | {reason.number: reason.name for reason in REASONS}
# Light of a gate that dust has not nearly blinded.
CLEAN = 0.6
DECKS = (52, 52, 52, 104, 312, 416)


def trouble(rng: random.Random, cards: int) -> Trouble:
    """Draw what goes wrong in one pass."""
    place = rng.randrange(cards)
    made: list[Trouble] = [
        Trouble(place, overlap=rng.uniform(0.02, 0.98)),
        Trouble(place, jam=rng.choice((GATE_IN, GATE_OUT))),
        Trouble(place, inside=True),
        Trouble(place, slip=rng.uniform(1.1, 4.0)),
        Trouble(place, torn=rng.uniform(0.1, 0.9)),
        Trouble(place, blocked=True),
        Trouble(place, lifted=True),
        Trouble(place, failed=True),
        Trouble(place, dies=True),
        Trouble(dust={rng.choice((GATE_IN, GATE_OUT)): rng.uniform(0.3, 0.5)}),
    ]
    return rng.choice(made)


def machine(seed: str, shuffles: int) -> Counter[str]:
    """Play one machine; counts by what happened, wrong ones under "WRONG ..."."""
    rng = random.Random(seed)
    cards = rng.choice(DECKS)
    deck = [str(card) for card in range(cards)]
    shuffler = CardShuffler(list(deck), seed, wear=rng.uniform(0, 0.15))
    # Worn rollers are what card_ms was calibrated on.
    night = Night(shuffler, configuration(cards=cards), start_us=rng.randrange(2**30))
    found: Counter[str] = Counter()
    for _ in range(shuffles):
        found += one_shuffle(night, rng, deck)
        if night.standing():
            shuffler.light = {GATE_IN: 1.0, GATE_OUT: 1.0}
            night.run(shuffler.clear(night.now_us, list(deck)) + 35_000_000)
            night.declare(words.REPLACEMENT_DECK)
    return found


def one_shuffle(night: Night, rng: random.Random, whole: list[str]) -> Counter[str]:
    """Shuffle once, with or without trouble, and compare what was told with what is true."""
    shuffler = night.shuffler
    bent = rng.random() < TROUBLED
    happened = None
    if bent and rng.random() < 0.4:
        step = rng.choice((-2, -1, 1))
        shuffler.deck = shuffler.deck[:step] if step < 0 else [*shuffler.deck, "joker"]
    elif bent:
        happened = trouble(rng, len(whole))
    cards, before = len(shuffler.deck), len(night.of("shuffle_done"))
    night.shuffle(happened, wait_ms=40_000)
    told = night.of("shuffle_done")[before:]
    reason = told[-1][6] if told else -1
    verified = [values for values in told if values[5] == words.VERDICT_VERIFIED]
    found = Counter({_NAMES.get(reason, "no verdict"): 1, "shuffles": 1})
    # Whole: every card of the deck went in and came out, and no other.
    if verified and (sorted(shuffler.deck) != sorted(whole) or cards != len(whole)):
        found[f"WRONG deck of {cards} verified"] += 1
    if not night.standing() and not verified:
        found["WRONG shoe unlocked"] += 1
    if not bent and min(shuffler.light.values()) > CLEAN:
        found["healthy"] += 1
        found["healthy refused"] += not verified
    return found


def main() -> int:
    """Play, print what was found, and judge."""
    began = time.monotonic()
    found = play_machines(
        "Random shuffles against the truth.", "shuffles", SHUFFLES, PER_MACHINE, machine
    )
    wrong = sum(number for name, number in found.items() if name.startswith("WRONG"))
    refused = found["healthy refused"]
    print(f"{wrong} wrong counts accepted, {refused} healthy decks refused,", end=" ")
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if wrong or refused > WRONG_REFUSALS * found["healthy"] else 0


if __name__ == "__main__":
    sys.exit(main())
