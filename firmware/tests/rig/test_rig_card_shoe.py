"""The shipped firmware on the VM with a shoe that reads: commands, faults over the power, keys."""

import pytest
from tests.rig.desk import SECOND, Desk

from tableemulator.machines.card_shoe.physical_shoe import PhysicalShoe, Pull
from tableemulator.machines.card_shoe.shoe_dealer import decks
from tablewire import card_shoe as words
from tablewire import codes, config
from tablewire import messages as m

ROLE = {"role": m.ROLE_CARD_SHOE, "decks": 1}
SECRET = bytes(range(32))
CARDS = decks(1)


class ShoeDesk(Desk):
    """A card table with the physical shoe, cards unshuffled. secret: see Desk."""

    def __init__(self, **board):
        super().__init__(ROLE, **board)
        self.shoe = PhysicalShoe(5)

    def run(self, until_us):
        """Let time pass until then, with what the shoe does; returns the new frames."""
        return self.take(self.board.play(self.shoe.events_until(until_us), until_us))

    def tell(self, ident, *values, ms=1_500):
        """Send a command for this round; returns the new frames."""
        number = 0 if ident == m.OPEN_BETS or not self.frames else self.frames[-1][1].round
        wire = self.command(ident, values, round=number).hex()
        end = self.board.now_us + ms * 1000
        events = [*self.shoe.events_until(end), [self.board.now_us, "rx", 0, wire]]
        return self.take(self.board.play(events, end))

    def fill(self):
        self.run(self.shoe.fill(self.board.now_us, CARDS))
        return self.tell(words.LOAD_SHOE, words.SHOE_LOAD_NEW, 52, 0, ms=2_500)

    def pull(self, pull=None):
        return self.run(self.shoe.pull(self.board.now_us, pull or Pull()) + SECOND)

    def settle(self):
        """Acknowledge all that came so far, once each."""
        by_name = {(f.boot, f.counter): f for _, f in self.frames if f.flags & m.FLAG_DURABLE}
        wire = b"".join(self.command(m.ACKNOWLEDGE, name) for name in by_name)
        end = self.board.now_us + 1_500_000
        events = [*self.shoe.events_until(end), [self.board.now_us, "rx", 0, wire.hex()]]
        self.take(self.board.play(events, end))


def pick(frames, ident):
    return [f.values for f in frames if f.type == ident and not f.flags & m.FLAG_RETRANSMITTED]


@pytest.fixture
def desk():
    with ShoeDesk() as started:
        started.run(SECOND)
        yield started
        assert started.errors == ""


def test_a_round_by_command(desk):
    """Locked at boot; declared; opened, closed, dealt and ended, each refused before its time."""
    assert pick(desk.tell(m.OPEN_BETS), m.REFUSAL)[0][2] == m.REFUSAL_FAULT_ACTIVE
    early = pick(desk.tell(words.END_CARDS), m.REFUSAL)
    assert early[0][0::2][:2] == (words.END_CARDS, m.REFUSAL_WRONG_PHASE)
    assert pick(desk.fill(), words.SHOE_REPORT) == [(1, 1, 52, 0, 0)]
    desk.settle()
    assert pick(desk.tell(m.OPEN_BETS), m.ROUND_OPENED) == [(words.WHEEL_SHOE, 1, 60000)]
    assert pick(desk.tell(words.END_CARDS), m.REFUSAL)[0][2] == m.REFUSAL_WRONG_PHASE
    assert pick(desk.tell(m.CLOSE_BETS), m.BETS_CLOSED)[0][0] == m.CLOSE_CAUSE_COMMAND
    reported = [pick(desk.pull(), words.CARD_DEALT) for _ in range(4)]
    assert [cards[0][:4] for cards in reported] == [(n, n, n, 1) for n in (1, 2, 3, 4)]
    (ended,) = pick(desk.tell(words.END_CARDS), words.CARDS_ENDED)
    # 1 + 2 + 3 + 4 = 10; 1 + 3 + 6 + 10 = 20.
    assert ended[:5] + ended[6:] == (4, 1, 4, 10, 20, 0)


def test_a_power_cut_while_cards_are_dealt(desk):
    """The round is void as a system interruption; nobody knows the shoe any more."""
    desk.fill()
    desk.settle()
    desk.tell(m.OPEN_BETS)
    desk.tell(m.CLOSE_BETS)
    desk.pull()
    desk.reset("power")
    desk.tell(m.IDENTIFY, bytes(8))
    reported = [frame for _, frame in desk.frames]
    assert pick(reported, m.ROUND_VOID)[-1][0] == codes.SYSTEM_INTERRUPTION
    assert pick(reported, m.FAULT_RAISED)[-1][0] == words.SHOE_UNKNOWN
    frames = desk.tell(words.LOAD_SHOE, words.SHOE_LOAD_CONTINUED, 1, 0)
    assert pick(frames, m.REFUSAL)[0][2] == m.REFUSAL_WRONG_PHASE


@pytest.mark.parametrize("speed", [0.8, 0.9, 1.0, 1.1, 1.2])
def test_a_short_overlap_is_seen(desk, speed):
    """8 mm of two cards are under the sheet sensor, which holds nothing, for 7 to 10 ms."""
    desk.fill()
    desk.settle()
    desk.tell(m.OPEN_BETS)
    desk.tell(m.CLOSE_BETS)
    frames = desk.pull(Pull(speed=speed, second=80.0))
    assert pick(frames, m.ROUND_VOID)[0][0] == words.TWO_CARDS


def test_a_fault_outlives_the_power(desk):
    """Two cards at once: it is active after a reset as well, until a new shoe is declared."""
    desk.fill()
    desk.settle()
    desk.tell(m.OPEN_BETS)
    desk.tell(m.CLOSE_BETS)
    frames = desk.pull(Pull(second=30.0))
    assert pick(frames, m.ROUND_VOID)[0][0] == words.TWO_CARDS
    desk.reset("power")
    desk.settle()
    assert pick(desk.tell(m.OPEN_BETS), m.REFUSAL)[0][2:4] == (m.REFUSAL_FAULT_ACTIVE, 2)
    desk.fill()
    desk.settle()
    assert pick(desk.tell(m.OPEN_BETS), m.ROUND_OPENED) != []


def test_a_shoe_is_declared_by_the_host_alone():
    """In a session an untagged declaration is refused, reported as tampering, and does nothing."""
    with ShoeDesk(secret=SECRET) as desk:
        desk.run(SECOND)
        desk.start()
        session, desk.session = desk.session, None
        frames = desk.fill()
        desk.session = session
        frames += desk.tell(m.GET_CONFIGURATION, 1)
        assert pick(frames, words.SHOE_REPORT) == []
        assert pick(frames, m.TAMPER)[0][:2] == (1, words.LOAD_SHOE)


def test_another_role_gives_the_pins_back():
    """Configured as a shuffler the line is closed; no report of a reader reaches it."""
    with ShoeDesk() as desk:
        desk.run(SECOND)
        frames = desk.tell(m.SET_CONFIGURATION, config.ROLE, m.ROLE_SHUFFLER)
        assert pick(frames, m.CONFIGURATION)[0][:2] == (config.ROLE, m.ROLE_SHUFFLER)
        desk.run(desk.board.now_us + 5 * SECOND)
        assert desk.errors == ""
