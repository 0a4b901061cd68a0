"""What is skipped at rest changes nothing: the same edges, skipped and looked at each time.

A part that is `at_rest` skips what would change nothing (core.snapshot). Here one role may skip
and its twin never may; both get the same spins, with disturbances drawn at random.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.logic_edges import rotor
from tests.logic_fakes import START_US, Sink, factory
from tests.logic_stage import ball
from tests.logic_wheel import running_down

from hil_tests.thinned import share
from tablelogic.core.snapshot import Snapshot
from tablelogic.core.ticks import MASK
from tablelogic.draw_machine.draw_machine import DrawMachine
from tablelogic.money_wheel.money_wheel import MoneyWheel
from tablelogic.roulette.roulette import Roulette
from tablelogic.shuffler.shuffler import Shuffler
from tablewire import codes, draw_machine, shuffler
from tablewire import messages as m

TICK_US = 40_000
CONVERTER = 2048
SPIN_US, TURN_US, PASS_US, DRAW_US = 26_000_000, 30_000_000, 26_000_000, 20_000_000
SENSORS = st.integers(m.INPUT_1, m.INPUT_DOME) | st.sampled_from((m.INPUT_7, m.INPUT_8))
# What befalls the lines: (sensor, time, how long its level is turned round).
GLITCHES = st.lists(
    st.tuples(SENSORS, st.integers(0, SPIN_US), st.sampled_from((60, 900, 2500, 5000))),
    max_size=12,
)
# A hand, a ball at rest, an open dome: a level turned round for long.
HANDS = st.lists(
    st.tuples(SENSORS, st.integers(0, SPIN_US), st.integers(50_000, 6_000_000)), max_size=3
)
MISSING = st.sets(st.integers(0, 900), max_size=6)  # edges that never come, by their place
JITTER = st.lists(st.integers(-1500, 1500), min_size=1, max_size=7)
# Orders from outside: time, and what.
ORDERS = st.lists(
    st.tuples(
        st.integers(0, SPIN_US), st.sampled_from(("open", "close", "void", "fault", "clear"))
    ),
    max_size=3,
)
SPIN = sorted(rotor(-1, SPIN_US) + ball())
TURN = running_down(54, 3.3, 1, 40.0, 2.1, from_us=8_000_000)[0]


def cards(gate, from_us, count=52):
    """Edges of cards of 80 ms, 120 ms apart."""
    times = range(from_us, from_us + count * 200_000, 200_000)
    return [
        (t_us + at_us, gate, level) for t_us in times for at_us, level in ((0, 1), (80_000, 0))
    ]


PASS = sorted(
    [
        (40_000, shuffler.INPUT_READY, 1),
        (2_000_000, shuffler.INPUT_READY, 0),
        *cards(shuffler.INPUT_GATE_IN, 3_100_000),
        *cards(shuffler.INPUT_GATE_OUT, 13_600_000),
        (24_100_000, shuffler.INPUT_READY, 1),
    ]
)


def drawn_balls(numbers, from_us):
    """(edges, orders) of balls that come out one by one, are read twice, and rest in the tube."""
    edges, orders = [], []
    for place, number in enumerate(numbers):
        t_us = from_us + place * 1_500_000
        for sensor, enters_us in (
            (draw_machine.INPUT_EXIT_INNER, t_us),
            (draw_machine.INPUT_EXIT_OUTER, t_us + 15_000),
            (draw_machine.INPUT_TUBE, t_us + 500_000),
        ):
            edges += [(enters_us, sensor, 1), (enters_us + 40_000, sensor, 0)]
        for reader, after_us in ((1, 220_000), (2, 700_000)):
            values = (reader, 1 + place, number, 0)
            orders.append((t_us + after_us, (draw_machine.READER_REPORT, values)))
    return edges, orders


BALLS = (17, 3, 60, 42, 8)
DRAW_CFG = {
    "role": 5,
    "auto_open": 0,
    "max_bet_ms": 5000,
    "mix_ms": 1000,
    "draw_count": len(BALLS),
}
DRAW, DRAW_ORDERS = drawn_balls(BALLS, 5_000_000)
DRAW += [
    (14_000_000 + place * 300_000 + at_us, draw_machine.INPUT_RETURN, level)
    for place in range(len(BALLS))
    for at_us, level in ((0, 1), (45_000, 0))
]
DRAW_ORDERS += [
    (40_000, (draw_machine.READER_REPORT, (1, 0, 1, 0))),
    (40_000, (draw_machine.READER_REPORT, (2, 0, 1, 0))),
    (1_000_000, (draw_machine.DECLARE_BALLS, (80,))),
    (2_000_000, "open"),
    (3_000_000, "close"),
]


def disturb(edges, missing, jitter, turned):
    """The edges as the lines show them: (t_us, sensor, level), levels changing in turn."""
    moved = [
        (max(0, t_us + jitter[place % len(jitter)]), sensor, level)
        for place, (t_us, sensor, level) in enumerate(sorted(edges))
        if place not in missing
    ]
    for sensor, from_us, lasts_us in turned:
        moved += [(from_us, sensor, 2), (from_us + lasts_us, sensor, 2)]
    moved.sort()
    true, upside, displayed, moves = {}, {}, {}, []
    for t_us, sensor, level in moved:
        if level == 2:
            upside[sensor] = not upside.get(sensor, False)
        else:
            true[sensor] = level
        now = int(bool(true.get(sensor, 0)) != upside.get(sensor, False))
        if now != displayed.get(sensor, 0):
            displayed[sensor] = now
            moves.append((t_us, sensor, now))
    return moves


def whole(role):
    """A snapshot of a role that has looked at all its parts."""
    snapshot = Snapshot(role)
    while snapshot.look():
        pass
    return snapshot


def order(role, what, t_us):
    """An order from outside: one of every role by a word, or (message, values)."""
    if isinstance(what, tuple):
        role.order(*what, t_us)
    elif what == "open":
        role.open_bets(t_us)
    elif what == "close":
        role.close_bets(m.CLOSE_CAUSE_COMMAND, t_us)
    elif what == "void":
        role.void_round(codes.CROUPIER_VOID, t_us)
    elif what == "fault":
        role.raise_fault(codes.TILT, m.INPUT_TILT, 1, 0, t_us)
    else:
        role.clear_fault(codes.TILT, t_us)


def play(make_role, cfg, edges, orders, until_us, pockets, *, skips):
    """Return what the role decided, and its integers at each tick."""
    sink = Sink()
    role = make_role(cfg, sink)
    snapshot, states, bits = whole(role), [], bytearray(5)
    pending, orders = list(reversed(edges)), sorted(orders, key=itemgetter(0))
    for ticks, tick_us in enumerate(range(TICK_US, until_us, TICK_US), 1):
        while pending and pending[-1][0] <= tick_us:
            t_us, sensor, level = pending.pop()
            _wake(snapshot, skips)
            role.edge(sensor, level, (t_us + START_US) & MASK)
        now_us = (tick_us + START_US) & MASK
        while orders and orders[0][0] <= tick_us:
            _wake(snapshot, skips)
            order(role, orders.pop(0)[1], now_us)
        if role.wants_array is not None and ticks % (role.wants_array() or 1) == 0:
            bits[:] = pockets[bisect_right([start_us for start_us, _ in pockets], tick_us) - 1][1]
            role.array(bits, now_us)
        if role.wants_analog is not None and role.wants_analog():
            role.analog(CONVERTER)
        _wake(snapshot, skips)
        role.tick(now_us)
        state = []
        snapshot.give(state.append)
        states.append(state)
    return sink.reported, states


def _wake(snapshot, skips):
    if not skips:
        for part in snapshot.parts:
            if hasattr(part, "at_rest"):
                part.at_rest = False


def rests(make_role, cfg):
    """Return the parts of a role that can be at rest."""
    return [
        type(part).__name__
        for part in whole(make_role(cfg, Sink())).parts
        if hasattr(part, "at_rest")
    ]


@settings(max_examples=share(15, 3), deadline=None)
@given(GLITCHES, HANDS, MISSING, JITTER, ORDERS, st.sampled_from((1, 2, 3)), st.integers(0, 36))
def test_a_spin(glitches, hands, missing, jitter, orders, sensor, pocket):
    """Roulette: healthy to begin with, then whatever was drawn."""
    cfg = factory(pocket_sensor=sensor, max_bet_ms=20_000)
    edges = disturb(SPIN, missing, jitter, glitches + hands)
    lying = bytearray(5)
    lying[pocket >> 3] |= 1 << (pocket & 7)
    pockets = [(0, bytes(5)), (21_000_000, bytes(lying))]
    args = (Roulette, cfg, edges, orders, SPIN_US, pockets)
    assert play(*args, skips=True) == play(*args, skips=False)


@settings(max_examples=10, deadline=None)
@given(GLITCHES, HANDS, MISSING, JITTER, ORDERS)
def test_a_turn(glitches, hands, missing, jitter, orders):
    """The money wheel."""
    cfg = factory(role=2, max_bet_ms=20_000)
    edges = disturb(TURN, missing, jitter, glitches + hands)
    args = (MoneyWheel, cfg, edges, orders, TURN_US, [(0, bytes(5))])
    assert play(*args, skips=True) == play(*args, skips=False)


@settings(max_examples=share(15, 3), deadline=None)
@given(GLITCHES, HANDS, MISSING, JITTER, ORDERS)
def test_a_shuffle(glitches, hands, missing, jitter, orders):
    """The shuffler that is watched from outside."""
    cfg = factory(role=4, motor_limit_raw=CONVERTER + 1, passes=1)
    edges = disturb(PASS, missing, jitter, glitches + hands)
    args = (Shuffler, cfg, edges, orders, PASS_US, [])
    assert play(*args, skips=True) == play(*args, skips=False)


@settings(max_examples=share(15, 3), deadline=None)
@given(GLITCHES, HANDS, MISSING, JITTER, ORDERS, st.sets(st.integers(0, 9), max_size=2))
def test_a_draw(glitches, hands, missing, jitter, orders, unread):
    """The draw machine: reports of its readers may be missing too."""
    edges = disturb(DRAW, missing, jitter, glitches + hands)
    heard = [each for place, each in enumerate(DRAW_ORDERS) if place not in unread]
    args = (DrawMachine, factory(**DRAW_CFG), edges, heard + orders, DRAW_US, [])
    assert play(*args, skips=True) == play(*args, skips=False)


def test_a_draw_without_disturbance_has_a_result():
    """The draw that is disturbed is a real one, and its parts do rest."""
    args = (DrawMachine, factory(**DRAW_CFG), sorted(DRAW), DRAW_ORDERS, DRAW_US, [])
    reported, _ = play(*args, skips=True)
    (result,) = [values for name, values in reported if name == "result"]
    assert result[:4] == [5, 5, 80, draw_machine.DRAW_END_COUNT]
    assert result[5] == sum(1 << number - 1 for number in BALLS).to_bytes(12, "little")
    assert rests(DrawMachine, factory(**DRAW_CFG)) == ["Chamber", "Inputs"]


def test_a_pass_without_disturbance_is_verified():
    """The pass that is disturbed is a real one, and its parts do rest."""
    cfg = factory(role=4, motor_limit_raw=CONVERTER + 1, passes=1)
    reported, _ = play(Shuffler, cfg, PASS, [], PASS_US, [], skips=True)
    (done,) = [values for name, values in reported if name == shuffler.SHUFFLE_DONE]
    assert done[:4] == [52, 52, 52, 1]
    assert done[5] == shuffler.VERDICT_VERIFIED
    assert rests(Shuffler, cfg) == ["Inputs", "WiredShuffler", "Gate", "Gate"]


def test_a_spin_without_disturbance_has_a_result():
    """The spin that is disturbed is a real one, and its parts do rest."""
    pockets = [(0, bytes(5)), (21_000_000, b"\x10\0\0\0\0")]
    reported, _ = play(Roulette, factory(), SPIN, [], SPIN_US, pockets, skips=True)
    assert [values[1] for name, values in reported if name == "result"] == [4]
    assert rests(Roulette, factory()) == ["Inputs", "Track", "Ring"]
