"""Counting holds for any timing a healthy machine can have, and for any number of cards."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.test_logic_shuffler import Desk

from hil_tests.thinned import share
from tablelogic.shuffler.gate import CARD, Gate
from tablewire import shuffler as words

MASK = 2**30 - 1
STEPS = st.lists(
    st.tuples(
        st.floats(0.94, 1.06),  # against the card before: rollers, humidity, age
        st.integers(20_000, 900_000),  # gap
        st.lists(st.integers(50, 1_900), max_size=3),  # flicker after its edge
    ),
    min_size=1,
    max_size=60,
)


@settings(max_examples=share(150, 3), deadline=None)
@given(STEPS, st.integers(0, MASK))
def test_every_card_counts_once(steps, start_us):
    """Each card up to 6 % longer or shorter than the last, any gap, flicker at every edge."""
    gate, t_us, card_us, reported = Gate(80_000, 1_500_000), start_us, 80_000.0, []
    for factor, gap_us, flicker in steps:
        card_us = min(max(card_us * factor, 40_000), 160_000)
        t_us += gap_us
        edges = [(t_us, 1)]
        for width in flicker:
            edges += [(edges[-1][0] + 60, 0), (edges[-1][0] + 60 + width, 1)]
        t_us += int(card_us)
        edges.append((t_us, 0))
        reported += [gate.edge(level, edge_us & MASK) for edge_us, level in edges]
        reported.append(gate.tick((t_us + 3_000) & MASK))
    assert [what for what in reported if what] == [CARD] * len(steps)


@settings(max_examples=share(40, 3), deadline=None)
@given(st.integers(46, 58), st.integers(46, 58))
def test_only_the_whole_deck_is_verified(count_in, count_out):
    """Whatever the two gates count: 52 and 52, or the shoe is locked."""
    desk = Desk()
    desk.shuffle(count_in, count_out)
    verified = desk.reported(words.SHUFFLE_DONE)[-1][5] == words.VERDICT_VERIFIED
    assert verified == (count_in == count_out == 52)
    assert (desk.up() == []) == verified


@settings(max_examples=share(60, 3), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1), st.integers(1, 400)), max_size=80))
def test_no_edges_at_all_unlock_a_shoe(edges):
    """Any levels at any input at any time, and fewer than 52 cards: locked, and never an error."""
    desk = Desk()
    for sensor, level, ms in edges:
        desk.edge(sensor, level)
        desk.wait(ms)
    assert words.NOT_VERIFIED in desk.up()
