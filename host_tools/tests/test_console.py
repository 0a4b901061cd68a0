"""The picture of a table: everything in words, within 80 columns and 24 rows."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from hil_tests.thinned import share
from tabletools.console import HEIGHT, WIDTH, TableView, number_text, screen, wheel_strip
from tabletools.decode import Decoder
from tabletools.games.roulette import all_rules
from tabletools.link import Session
from tabletools.roles.roulette import ROLE
from tablewire import dice_tray, draw_machine, roulette
from tablewire import messages as m
from tablewire.sender import Sender

BADGE = "UNAUTHENTICATED - BENCH ONLY".split()
IDENTITY = (bytes(8), 0x8A904652, 0, 1, 0, 1, 0, 1, b"emulated", bytes(8), 0)
RESULT = (17, 8, 1, 12, 1525, 1, -1, 142, 890, 15210, 4400, 1, 250, -128)


def beat(phase=2, faults=0, circuits=255, direction=-1, drpm=142):
    return (phase, faults, circuits, direction, drpm, 0, 0, 0, 180000, 96_000)


class Desk:
    """A view and a session fed with the same frames; screen_lines() gives its plain lines."""

    def __init__(self):
        self.view = TableView()
        self.session = Session(new_nonce=lambda: b"12345678")
        self.session.connected(100.0)
        self.table = Sender(7, 3)
        self.table.round = 12
        self._decoder = Decoder()

    def receive(self, ident, values, flags=0):
        wire = self.table.build(ident, values, flags)
        self.session.receive(wire, 100.5)
        for record in self._decoder.feed(wire):
            self.view.take(record, "12:00:01")

    def screen_lines(self, now=100.7, width=WIDTH, height=HEIGHT):
        console = Console(file=io.StringIO(), width=width, color_system=None)
        shape = screen(self.view, self.session, "socket://pit:4001", now)
        console.print(shape, height=height)
        return console.file.getvalue().splitlines()


@pytest.fixture
def desk():
    return Desk()


def assert_fits(lines):
    assert len(lines) == HEIGHT
    assert all(len(line) <= WIDTH for line in lines)


def test_a_table_never_heard(desk):
    """Nothing is known, and the picture shows that."""
    lines = desk.screen_lines()
    text = "\n".join(lines)
    assert_fits(lines)
    for words in (
        "WAITING",
        "UNAUTHENTICATED",
        "nothing received",
        "PHASE UNKNOWN",
        "never received",
    ):
        assert words in text


def test_who_it_is_and_that_it_is_not_authenticated(desk):
    """Device, boot, role, board and version; the badge is a word, not a colour."""
    desk.receive(m.IDENTITY, IDENTITY)
    first, second = desk.screen_lines()[:2]
    assert first.split() == ["TABLEWIRE", "socket://pit:4001", "ONLINE", *BADGE]
    assert second.strip() == "device 7 · boot 3 · roulette on emulated · firmware 0.1.0"


@pytest.mark.parametrize(
    ("phase", "headline", "step"),
    [
        (1, "CLOSED", "[CLOSED]"),
        (2, "BETS OPEN", "[OPEN]"),
        (3, "BALL IN RIM", "[RIM]"),
        (4, "NO MORE BETS", "[NO MORE]"),
        (5, "BALL DROPPED", "[DROPPED]"),
    ],
)
def test_every_phase_is_a_word(desk, phase, headline, step):
    """Headline and place in the path of phases."""
    desk.receive(m.HEARTBEAT, beat(phase))
    text = "\n".join(desk.screen_lines())
    assert headline in text
    assert step in text


def test_the_heap_fits_its_panel(desk):
    """180,000 bytes free, 96,000 of them in one piece: 175 and 93 KiB, with the unit."""
    desk.receive(m.ROUND_OPENED, (2, 7, 60000), 2)
    desk.receive(m.HEARTBEAT, beat())
    assert "heap   175, largest 93 KiB" in "\n".join(desk.screen_lines())


def test_a_round_in_play(desk):
    """Round, circuits against those needed, rotor, and what closed the bets."""
    desk.receive(m.ROUND_OPENED, (2, 7, 60000), 2)
    desk.receive(m.BETS_CLOSED, (1, 9000), 2)
    desk.receive(m.HEARTBEAT, beat(3, circuits=5))
    lines = desk.screen_lines()
    text = "\n".join(lines)
    assert_fits(lines)
    for words in (
        "round 12",
        "●●●●●○○  5, 7 needed",
        "bets closed by ball detected",
        "14.2 rpm",
        "↺ counter-clockwise",
        "double zero, 7 circuits",
    ):
        assert words in text


def test_balls_lie_as_they_are_drawn(desk):
    """A draw shows its balls, in the order of the draw, and no rotor."""
    desk.receive(m.ROUND_OPENED, (draw_machine.WHEEL_BALLS, 20, 60000), 2)
    for place, number in ((2, 4), (1, 71)):
        desk.receive(draw_machine.BALL_DRAWN, (place, number, 3000 * place), 2)
    text = "\n".join(desk.screen_lines())
    assert "at least 20 balls" in text
    assert "71 4" in text
    assert "rotor" not in text


def test_what_a_round_is_played_with_is_said_in_the_words_of_its_layout(desk):
    """Only a roulette wheel has a zero."""
    desk.receive(m.ROUND_OPENED, (dice_tray.WHEEL_DICE, 3, 60000), 2)
    text = "\n".join(desk.screen_lines())
    assert "3 dice" in text
    assert "zero" not in text


def test_numbers_and_voids_newest_first(desk):
    """The last numbers, voids by code among them, and the number among its neighbours."""
    desk.receive(m.ROUND_OPENED, (2, 7, 60000), 2)
    desk.receive(roulette.WHEEL_RESULT, RESULT, 2)
    desk.receive(m.ROUND_VOID, (101, 5, 255, 525, 1, -1, 142, 890), 2)
    desk.receive(roulette.WHEEL_RESULT, (37, 19, *RESULT[2:]), 2)
    lines = desk.screen_lines()
    place = next(n for n, line in enumerate(lines) if "last numbers" in line)
    assert lines[place + 1].strip("│ ").split() == ["00", "void", "101", "17"]
    strip = "31 19 8 12 29 25 10 27 ▐ 00 ▌ 1 13 36 24 3 15 34 22"
    assert lines[place + 2].strip("│ ").split() == strip.split()


def test_a_standing_fault_has_cause_and_remedy(desk):
    """The first fault in full, the others by name; gone once they are cleared."""
    desk.receive(m.FAULT_RAISED, (401, 8, 1, 0), 2)
    desk.receive(m.FAULT_RAISED, (402, 9, 1, 0), 2)
    desk.receive(m.HEARTBEAT, beat(1, faults=2))
    lines = desk.screen_lines()
    text = "\n".join(lines)
    assert_fits(lines)
    for words in (
        "faults: 2 active",
        "! 401 tilt  sensor tilt",
        "cause  The tilt switch opened",
        "remedy Level the wheel",
        "also 402 dome_open",
    ):
        assert words in text
    desk.receive(m.FAULT_CLEARED, (401, 8, 2500), 2)
    assert "! 402 dome_open" in "\n".join(desk.screen_lines())
    desk.receive(m.HEARTBEAT, beat(1, faults=0))
    assert "none active" in "\n".join(desk.screen_lines())


def test_a_fault_raised_before_the_watch_began(desk):
    """The table counts more faults than it reported: that is shown."""
    desk.receive(m.HEARTBEAT, beat(1, faults=1))
    text = "\n".join(desk.screen_lines())
    assert "faults: 1 active, 1 raised before this watch began" in text


def test_silence_and_link_quality(desk):
    """Offline is a word; the footer counts frames and silence."""
    desk.receive(m.HEARTBEAT, beat())
    desk.session.tick(103.0)
    lines = desk.screen_lines(now=103.0)
    assert "OFFLINE" in lines[0]
    assert lines[-1].rstrip().split(" · ") == [
        " link: frames 1",
        "skipped 0",
        "missed 0",
        "repeated 0",
        "silent 2.5 s",
    ]


def test_trouble_is_marked_in_the_events(desk):
    """A void and skipped bytes stand out by a mark, not by a colour."""
    desk.receive(m.ROUND_VOID, (101, 5, 255, 525, 1, -1, 142, 890), 2)
    desk.view.take(Decoder().feed(b"\x55\0")[0], "12:00:02")
    marked = [line for line in desk.screen_lines() if "12:00:0" in line]
    assert [" ! " in line for line in marked] == [True, True]


def test_facts_for_programs(desk):
    """The state as data."""
    desk.receive(m.FAULT_RAISED, (401, 8, 1, 0), 2)
    desk.receive(m.HEARTBEAT, beat(1, faults=1))
    facts = desk.view.facts()
    assert (facts["device"], facts["phase"], facts["round"]) == (7, "closed", 12)
    assert facts["faults"] == [401]


@settings(max_examples=share(60, 3), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                (m.IDENTITY, IDENTITY),
                (m.ROUND_OPENED, (2, 20, 60000)),
                (m.BETS_CLOSED, (1, 9000)),
                (m.HEARTBEAT, beat(3, 32, 250, 0, 65535)),
                (m.HEARTBEAT, beat(1, 0, 255, 1, 20000)),
                (m.FAULT_RAISED, (301, 4, -5, 2**31 - 1)),
                (m.FAULT_RAISED, (503, 255, 1, 0)),
                (roulette.WHEEL_RESULT, RESULT),
                (m.ROUND_VOID, (404, 1, 255, 65535, 0, 0, 65535, 65535)),
                (m.REFUSAL, (0x46, 5, 2, 30, 1, 20, 0)),
            ]
        ),
        max_size=30,
    )
)
def test_any_history_fits_the_screen(history):
    """After any input the picture is 80 by 23 and shows online and unauthenticated."""
    desk = Desk()
    desk.receive(m.STATE, (2, 1))
    for ident, values in history:
        desk.receive(ident, values)
    lines = desk.screen_lines()
    assert_fits(lines)
    assert "ONLINE" in lines[0]
    assert "UNAUTHENTICATED" in lines[0]


@pytest.mark.parametrize("wheel", ["single", "double"])
def test_the_orders_are_those_of_the_cloth(wheel):
    """Every number of the wheel once."""
    [pockets] = {rules.wheel.pockets for rules in all_rules() if rules.wheel.name == wheel}
    assert sorted(ROLE.printed.orders[wheel]) == sorted(pockets)


def test_numbers_have_the_colours_of_the_cloth():
    """Red 1, black 2, green zeros: beside the number itself, never instead of it."""
    texts = [number_text(number, ROLE.printed) for number in ("1", "2", "0", "00")]
    grounds = [str(text.style).split()[-1] for text in texts]
    assert grounds == ["red3", "grey19", "dark_green", "dark_green"]
    assert wheel_strip(ROLE.printed, "single", "0", 1).plain == " 26 ▐  0 ▌ 32 "
