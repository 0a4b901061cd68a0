"""An attacker without the key wins no time: real session and ledger, a model of a table.

True for every attack: no bet is accepted later than 1.25 s after the true end of
betting, and none that came after it is ever paid without a ruling.
"""

import os
from itertools import count
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hil_tests.thinned import EVERY_STEP
from host_tools.tests.adversary import MS, TO_HOST, TO_TABLE, World
from host_tools.tests.pit import Hand
from tabletools.store import Store
from tablewire import messages as m
from tablewire.cobs import unstuff
from tablewire.messages import FLAG_RETRANSMITTED

DEVICES = count(100)


@pytest.fixture(scope="module")
def ledger():
    store = Store.open("sqlite:///:memory:", clock=Hand())
    yield store
    store.close()


class Jitter:
    """An honest line: up to so many ms each way, nothing lost, nothing overtakes."""

    def __init__(self, clock, seed, most_ms=200):
        self.clock, self.random, self.most_ms = clock, Random(seed), most_ms
        self.free_ns = {TO_HOST: 0, TO_TABLE: 0}

    def __call__(self, direction, kind, wire):
        due_ns = max(
            self.clock.mono + self.random.randint(0, self.most_ms) * MS, self.free_ns[direction]
        )
        self.free_ns[direction] = due_ns
        return [-(-(due_ns - self.clock.mono) // MS)]


@pytest.mark.parametrize("seed", range(3))
def test_an_honest_line_never_goes_stale(ledger, seed):
    """200 ms of jitter each way: bets are accepted until they are closed, and those of more than
    a second before are paid by themselves."""
    world = World(ledger, next(DEVICES), Jitter(ledger.clock, seed))
    world.pass_ms(2000)
    for _ in range(3):
        world.turn()
        world.pass_ms(600)
        for _ in range(6):
            assert world.bet() == "valid"
            world.pass_ms(600)
        world.pass_ms(600)
        world.turn()
        world.pass_ms(1000)
        world.turn()
        world.pass_ms(2000)
    assert (world.settled(), world.paid_late()) == (18, [])
    assert not {"link_stale", "clock_step", "offline"} & set(world.notices)
    assert world.rows("SELECT kind FROM alarms WHERE device = :d", d=world.device) == []


def test_a_repeat_sent_again_and_again_is_no_life(ledger):
    """The attack: one acknowledgement is dropped, the record comes again as a repeat, and from
    then on only that repeat reaches the host; bets_closed and heartbeats are held back."""
    repeats = []

    def way(direction, kind, wire):
        if direction == TO_TABLE:
            return [] if kind == m.ACKNOWLEDGE and not repeats else [20]
        if is_repeat(wire):
            repeats.append(wire)
        return [] if holding else [20]

    holding = False
    world = World(ledger, next(DEVICES), way)
    world.pass_ms(2000)
    world.turn()
    while not repeats:
        world.pass_ms(200)
    world.pass_ms(1000)
    assert world.bet() == "valid"
    world.pass_ms(400)
    holding = True
    world.turn()
    late = []
    for _ in range(40):
        world.heard.append((TO_HOST, repeats[0]))
        world.again(-1)
        world.pass_ms(200)
        late.append(world.bet())
    assert late.count("valid") <= 6
    assert all("link_stale" in answer for answer in late[6:])
    assert world.state() == (False, "link_stale")
    alarms = world.rows("SELECT kind FROM alarms WHERE device = :d", d=world.device)
    assert sorted(alarms) == [("link_lost",), ("link_stale",)]
    holding = False
    settle(world)
    assert world.paid_late() == []
    assert world.settled() == 1


def is_repeat(wire):
    """Whether a frame is flagged as sent again: the adversary reads all of it but the key."""
    return unstuff(wire[:-1])[2] & FLAG_RETRANSMITTED


def settle(world):
    """The line is honest again; the table ends its round."""
    world.way = lambda direction, kind, wire: [20]
    while world.table.phase != m.PHASE_CLOSED:
        world.turn()
        world.pass_ms(2000)
    world.pass_ms(5000)


@pytest.mark.parametrize("both_ways", [False, True])
def test_a_delay_that_grows_slowly_earns_nothing(ledger, both_ways):
    """The attack: everything genuine and in order, later by 0.5 s each second, up to 45 s."""

    def way(direction, kind, wire):
        if direction == TO_TABLE and not both_ways:
            return [20]
        return [20 + min(max(ledger.clock.mono - begun, 0) // MS // 2, 45_000)]

    begun = ledger.clock.mono + 4000 * MS
    world = World(ledger, next(DEVICES), way)
    world.pass_ms(2000)
    answers = []
    for _ in range(5):
        world.turn()
        for turns in range(8):
            if turns == 5:
                world.turn()
            world.pass_ms(1000)
            answers.append(world.bet())
        world.turn()
        world.pass_ms(1000)
    assert answers[0] == "valid"
    assert "valid" not in answers[8:]
    settle(world)
    world.pass_ms(50_000)
    settle(world)
    assert world.paid_late() == []


KINDS = (m.HEARTBEAT, m.BETS_CLOSED, m.ROUND_OPENED, m.BEACON, m.ACKNOWLEDGE)


class Adversary(RuleBasedStateMachine):
    """Every frame of both directions passes through an attacker without the key."""

    shared = None

    @initialize()
    def begin(self):
        """The line is honest until the table is online and a round is open."""
        cls = type(self)
        if cls.shared is None:
            cls.shared = Store.open("sqlite:///:memory:", clock=Hand())
        self.delay = {TO_HOST: 20, TO_TABLE: 20}
        self.held, self.held_frames, self.doubled, self.lost = set(), [], False, 0
        self.world = World(cls.shared, next(DEVICES), self._way)
        self.world.pass_ms(1200)
        self.world.turn()
        self.world.pass_ms(400)
        self.world.bet()

    def _way(self, direction, kind, wire):
        if kind in self.held:
            self.held_frames.append((direction, wire))
            return []
        if self.lost:
            self.lost -= 1
            return []
        way_ms = self.delay[direction]
        return [way_ms, way_ms + 300] if self.doubled else [way_ms]

    @rule(ms=st.sampled_from([40, 200, 400, 800, 1200]))
    def time_passes(self, ms):
        self.world.pass_ms(ms)

    @rule()
    def the_round_goes_on(self):
        self.world.turn()

    @rule()
    def a_player_bets(self):
        self.world.bet()

    @rule(ms=st.sampled_from([40, 200, 800]))
    def a_player_bets_after_the_true_end(self, ms):
        if self.world.table.phase == m.PHASE_BETS_OPEN:
            self.world.turn()
            self.world.pass_ms(ms)
            self.world.bet()

    @rule(
        direction=st.sampled_from([TO_HOST, TO_TABLE]),
        ms=st.sampled_from([0, 20, 200, 500, 900, 3000, 20_000]),
    )
    def the_line_is_delayed(self, direction, ms):
        self.delay[direction] = ms

    @rule(kinds=st.sets(st.sampled_from(KINDS)))
    def frames_are_held_back(self, kinds):
        self.held = kinds

    @precondition(lambda self: self.held_frames)
    @rule(turned=st.booleans())
    def what_was_held_comes(self, turned):
        frames, self.held_frames = self.held_frames, []
        for direction, wire in reversed(frames) if turned else frames:
            self.world.heard.append((direction, wire))
            self.world.again(-1)

    @rule(count=st.integers(1, 6))
    def frames_are_lost(self, count):
        self.lost = count

    @rule(doubled=st.booleans())
    def frames_are_doubled(self, doubled):
        self.doubled = doubled

    @rule(index=st.integers(0, 10_000))
    def a_frame_is_sent_again(self, index):
        self.world.again(-1 - index % 40)

    @invariant()
    def nothing_late_was_paid(self):
        if hasattr(self, "world"):
            assert self.world.paid_late() == []

    def teardown(self):
        if hasattr(self, "world"):
            self.held, self.delay, self.doubled = set(), {TO_HOST: 20, TO_TABLE: 20}, False
            settle(self.world)
            assert self.world.paid_late() == []


IS_SOAK = bool(os.environ.get(EVERY_STEP))
TestAdversary = Adversary.TestCase
TestAdversary.settings = settings(
    max_examples=1500 if IS_SOAK else 15,
    stateful_step_count=40 if IS_SOAK else 20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
