"""The present state of a table from its records: who, phase, round, faults, cards and balls."""

import pytest

from tablespec.core import core_names
from tablespec.message_list import BY_ID
from tabletools import decode
from tabletools.decode import LiveState
from tabletools.pit.live import facts_of
from tablewire import card_shoe, draw_machine, money_wheel, roulette, shuffler
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.sender import Sender

DURABLE, REPEATED = m.FLAG_DURABLE, m.FLAG_DURABLE | m.FLAG_RETRANSMITTED
CARDS = {name: number for number, name in core_names.CARD}
IDENTITY = (bytes(8), 0x8A904652, 1, 0, 2, 1, 0, 1, b"rpi_pico2", bytes(8), 0)
TILT, DOME = (401, 8, 1, 0), (402, 9, 1, 0)


class Table:
    """A table whose frames a test makes, and the host's state of it."""

    def __init__(self, role=0, boot=3):
        self.state = LiveState()
        self.sender = Sender(7, boot)
        self.sender.role = role

    def say(self, ident, values, number=9, flags=0):
        self.sender.round = number
        [frame] = Receiver().feed(self.sender.build(ident, values, flags))
        assert isinstance(frame, Frame)
        self.state.update(decode.record(frame))
        return self.state

    def beat(self, number=9, faults=0):
        return self.say(m.HEARTBEAT, (2, faults, 5, -1, 142, 3, 1, 0, 180_000, 96_000), number)

    def opened(self, layout, number=9, requirement=7):
        return self.say(m.ROUND_OPENED, (layout, requirement, 60_000), number, DURABLE)

    def dealt(self, place, card, use=card_shoe.CARD_USE_ROUND, flags=DURABLE, number=9):
        values = (100 + place, place, CARDS.get(card, 0), use, 200)
        return self.say(card_shoe.CARD_DEALT, values, number, flags)


def test_a_table_never_heard():
    """Everything is unknown, and there is no card or ball."""
    facts = facts_of(LiveState())
    assert {name for name, value in facts.items() if value is not None} == {
        "faults",
        "dealt",
        "machine",
    }
    assert (facts["faults"], facts["dealt"], facts["machine"]) == ([], [], {})


@pytest.mark.parametrize(
    ("role", "name"), [(m.ROLE_ROULETTE, "roulette"), (m.ROLE_SHUFFLER, "shuffler"), (0, None)]
)
def test_the_first_frame_has_the_role(role, name):
    """It is in the header of every frame; a frame without one does not make it unknown again."""
    table = Table(role)
    assert table.beat().role == name
    table.sender.role = 0
    assert table.beat().role == name


def test_who_it_is():
    """Board and firmware as the identity has them; its role too, where the header has none."""
    facts = facts_of(Table().say(m.IDENTITY, IDENTITY))
    assert [facts[name] for name in ("board", "firmware", "role", "boot", "seal")] == [
        "rpi_pico2",
        "1.0.2",
        "roulette",
        3,
        "none",
    ]


OWN = {
    "progress": 5,
    "machine_direction": "counter_clockwise",
    "machine_drpm": 142,
    "layout": "double",
}
WORDS = dict(
    zip(("circuits", "rotor_direction", "rotor_drpm", "wheel"), OWN.values(), strict=True)
)


@pytest.mark.parametrize(
    ("role", "words"),
    [
        (m.ROLE_ROULETTE, WORDS),
        (m.ROLE_MONEY_WHEEL, dict.fromkeys(WORDS)),
        (0, dict.fromkeys(WORDS)),
    ],
)
def test_facts_have_the_names_of_the_wire_and_of_roulette_its_words_besides(role, words):
    """A money wheel has no circuits and no rotor: those are null, also after another table."""
    table = Table(role)
    table.opened(roulette.WHEEL_DOUBLE)
    table.beat()
    facts = facts_of(table.state)
    assert {name: facts[name] for name in OWN} == OWN
    assert {name: facts[name] for name in WORDS} == words
    assert {name: facts_of(LiveState())[name] for name in WORDS} == dict.fromkeys(WORDS)


def test_a_round_in_play():
    """What it is played with, what the heartbeat counts, what closed the bets; then the next."""
    table = Table()
    table.opened(roulette.WHEEL_DOUBLE)
    table.beat()
    state = table.say(m.BETS_CLOSED, (roulette.CLOSE_CAUSE_BALL_DETECTED, 9_000), 9, DURABLE)
    assert (state.round, state.layout, state.requirement) == (9, "double", 7)
    assert (state.phase, state.progress, state.closed_by) == ("bets_open", 5, "ball_detected")
    assert (state.machine_direction, state.machine_drpm) == ("counter_clockwise", 142)
    assert (state.unacknowledged, state.edges_lost, state.free_bytes) == (3, 1, 180_000)
    state = table.opened(roulette.WHEEL_DOUBLE, 10)
    assert (state.round, state.progress, state.closed_by) == (10, None, None)


def test_a_repeat_of_a_round_before_changes_nothing():
    """The present round stays; one of the present round, lost at first, counts."""
    table = Table()
    table.opened(roulette.WHEEL_SINGLE, 8)
    table.beat(9)
    closed = m.BETS_CLOSED, (roulette.CLOSE_CAUSE_BALL_DETECTED, 9_000)
    table.say(*closed, 8, REPEATED)
    assert (table.state.round, table.state.closed_by) == (9, None)
    assert table.say(*closed, 9, REPEATED).closed_by == "ball_detected"


def test_a_repeat_of_a_boot_before_changes_nothing():
    """A journal is sent again after a restart; its records do not bring the old boot back."""
    table = Table(boot=4)
    table.beat()
    table.sender.boot = 3
    table.say(m.ROUND_OPENED, (roulette.WHEEL_SINGLE, 7, 60_000), 9, REPEATED)
    assert (table.state.boot, table.state.layout) == (4, None)


def test_another_table_on_the_line_has_a_state_of_its_own():
    """Faults, cards and identity of the one before are not its."""
    table = Table()
    table.say(m.IDENTITY, IDENTITY)
    table.say(m.FAULT_RAISED, TILT, 9, DURABLE)
    table.sender.device = 8
    state = table.say(m.STATE, (2, 1))
    assert (state.device, state.phase) == (8, "bets_open")
    assert (state.identity, state.faults, state.round) == (None, {}, None)


def test_faults_until_they_are_cleared():
    """In the order of their codes for watchers, each with its remedy; none when none is active."""
    table = Table()
    for fault in (DOME, TILT):
        table.say(m.FAULT_RAISED, fault, 9, DURABLE)
    assert [fault["code"] for fault in facts_of(table.state)["faults"]] == [401, 402]
    table.say(m.FAULT_CLEARED, (401, 8, 2_500), 9, DURABLE)
    assert [*table.state.faults] == [402]
    assert "remedy" in facts_of(table.state)["faults"][0]
    assert facts_of(table.beat(faults=0))["faults"] == []


def test_a_fault_raised_before_the_host_listened_is_counted():
    """The table counts it; which one it is was not received."""
    facts = facts_of(Table().beat(faults=1))
    assert (facts["fault_count"], facts["faults"]) == (1, [])


def test_cards_in_the_order_of_the_round():
    """A lost card arrives late, a repeated one twice; a burned card is not one of the round."""
    table = Table(m.ROLE_CARD_SHOE)
    table.opened(roulette.WHEEL_SINGLE, 8)
    table.dealt(1, "KS", number=8)
    assert table.opened(card_shoe.WHEEL_SHOE).dealt_in_order == []
    table.dealt(2, None)
    table.dealt(1, "8C", flags=REPEATED)
    table.dealt(0, "2D", use=card_shoe.CARD_USE_BURNED)
    table.dealt(1, "8C", flags=REPEATED)
    assert table.state.dealt_in_order == ["8C", "??"]
    assert table.state.machine["shoe"] == {"drawn": 101}


def test_balls_in_the_order_of_the_draw():
    """As they came out, not by number."""
    table = Table(m.ROLE_DRAW_MACHINE)
    table.opened(draw_machine.WHEEL_BALLS)
    for place, number in ((1, 71), (2, 4)):
        table.say(draw_machine.BALL_DRAWN, (place, number, 3_000 * place), 9, DURABLE)
    assert table.state.dealt_in_order == ["71", "4"]


@pytest.mark.parametrize(
    ("ident", "before", "values", "name", "facts"),
    [
        (
            card_shoe.SHOE_REPORT,
            (1, 8, 416, 9, 0),
            (1, 8, 416, 0, 3),
            "shoe",
            {"event": "new", "cards": 416, "drawn": 0},
        ),
        (
            draw_machine.BALLS_COUNTED,
            (79, 80, 1),
            (80, 80, 2),
            "balls",
            {"inside": 80, "expected": 80, "counted_by": "returned"},
        ),
        (
            money_wheel.MONEY_WHEEL_RESULT,
            None,
            None,
            "stop",
            {"pays": 20, "segment": 12, "revolutions_centi": 612, "pushes": 1},
        ),
    ],
)
def test_the_newest_report_of_a_machine_is_kept(ident, before, values, name, facts):
    """Of each kind of record, beside those of other kinds."""
    table = Table()
    table.say(shuffler.SHOE_CHANGED, (1, 0, 0), 9, DURABLE)
    if values is None:
        values = wheel_values(**facts)
        before = wheel_values(**{**facts, "pays": 1})
    for each in (before, values):
        state = table.say(ident, each, 9, DURABLE)
    assert state.machine[name] == facts
    assert set(state.machine) == {"lock", name}


def wheel_values(**known):
    """The values of a money_wheel_result; what is not named is its lowest value."""
    facts = BY_ID[money_wheel.MONEY_WHEEL_RESULT].facts()
    return tuple(known.get(name, each.low) for name, each in facts)
