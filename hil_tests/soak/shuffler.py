"""The soak of the shuffler: no deck that is not whole is ever dealt from.

A round here is a shuffle: worn rollers, dust, decks of 52 to 416 cards, random troubles. A number
is a deck that was verified; a void is a deck that was refused.
"""

from __future__ import annotations

import random

from hil_tests.soak.shuffler_run import ShufflerRun, configuration
from hil_tests.soak.soak_run import Built, Part, TableRun, Tally
from tableemulator.machines.shuffler.physical_shuffler import (
    GATE_IN,
    GATE_OUT,
    CardShuffler,
    ShufflerSetup,
    Trouble,
)
from tablewire import shuffler as words

TROUBLED = 0.5
# Light of a gate that dust has not nearly blinded.
CLEAN = 0.6
DECKS = (52, 52, 52, 104, 312, 416)


def build(rng: random.Random, _number: int) -> Built:
    """Draw a table."""
    return Built(ShufflerSetup(rng.choice(DECKS)), start_us=rng.randrange(2**30))


def draw_trouble(rng: random.Random, cards: int) -> Trouble:
    """Draw what goes wrong in one pass."""
    place = rng.randrange(cards)
    troubles: list[Trouble] = [
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
    return rng.choice(troubles)


def play(table_run: TableRun) -> Tally:
    """Play the shuffles of one machine."""
    rng, cards = random.Random(table_run.seed), table_run.built.setup.cards
    deck = [str(card) for card in range(cards)]
    shuffler = CardShuffler(list(deck), table_run.seed, wear=rng.uniform(0, 0.15))
    # Worn rollers are what card_ms was calibrated on.
    run = ShufflerRun(shuffler, configuration(cards=cards), start_us=table_run.built.start_us)
    tally = Tally()
    for number in range(1, table_run.spins + 1):
        if wrong := shuffle_once(run, rng, deck, tally):
            tally.trouble.append(f"{table_run}, shuffle {number}: {wrong}")
        if run.active_faults():
            shuffler.light = {GATE_IN: 1.0, GATE_OUT: 1.0}
            run.run(shuffler.clear(run.now_us, list(deck)) + 35_000_000)
            run.declare(words.REPLACEMENT_DECK)
    return tally


def shuffle_once(run: ShufflerRun, rng: random.Random, whole: list[str], tally: Tally) -> str:
    """Shuffle once, with or without trouble; return what is wrong with what was reported."""
    shuffler = run.shuffler
    is_troubled = rng.random() < TROUBLED
    trouble = None
    if is_troubled and rng.random() < 0.4:
        step = rng.choice((-2, -1, 1))
        shuffler.deck = shuffler.deck[:step] if step < 0 else [*shuffler.deck, "joker"]
    elif is_troubled:
        trouble = draw_trouble(rng, len(whole))
    cards, before = len(shuffler.deck), len(run.records("shuffle_done"))
    run.shuffle(trouble, wait_ms=40_000)
    reported = run.records("shuffle_done")[before:]
    is_verified = any(values[5] == words.VERDICT_VERIFIED for values in reported)
    tally.spins += 1
    tally.numbers += is_verified
    wrong = ""
    # Whole: every card of the deck went in and came out, and no other.
    if is_verified and (sorted(shuffler.deck) != sorted(whole) or cards != len(whole)):
        wrong = f"a deck of {cards} verified"
    elif not is_verified and not run.active_faults():
        wrong = "the shoe unlocked without a verified deck"
    tally.wrong_numbers += bool(wrong)
    if is_troubled:
        tally.faulty["trouble" if trouble else "wrong deck"] += 1
    elif min(shuffler.light.values()) > CLEAN:
        tally.healthy += 1
        tally.healthy_voids += not is_verified
    return wrong


PART = Part(build, play=play, spins=4_000, per_table=25)
