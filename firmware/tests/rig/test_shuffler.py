"""The shipped firmware on the VM as a card table: shuffles, rounds, faults, and its host."""

import pytest
from tests.rig.desk import SECOND, Desk, names

from tableemulator.machines.shuffler.physical_shuffler import (
    GATE_IN,
    LID,
    CardShuffler,
    TalkingShuffler,
    Trouble,
    line_of,
)
from tablewire import codes, config
from tablewire import messages as m
from tablewire import shuffler as words

ROLE = {"role": m.ROLE_SHUFFLER}
SECRET = bytes(range(32))
NEW = list(range(52))


class CardDesk(Desk):
    """A card table whose shuffler is the physical model. secret: see Desk."""

    def __init__(self, keys=(), *, seed=1, deck=None, **board):
        super().__init__({**ROLE, **dict(keys)}, **board)
        self.shuffler = CardShuffler([str(card) for card in deck or NEW], seed)

    def run(self, until_us):
        """Let the machine do what it does until then; returns the new frames."""
        events = self.shuffler.events_until(until_us)
        return self.take(self.board.play(events, until_us))

    def shuffle(self, trouble=None, *, wait_ms=2_000):
        return self.run(self.shuffler.shuffle(self.board.now_us, trouble) + wait_ms * 1000)

    @property
    def round(self):
        fresh = [f for _, f in self.frames if not f.flags & m.FLAG_RETRANSMITTED]
        return fresh[-1].round

    def settle(self):
        """Acknowledge all that came so far, once each."""
        by_name = {(f.boot, f.counter): f for _, f in self.frames if f.flags & m.FLAG_DURABLE}
        self.acknowledge(by_name.values(), ms=1_500)

    def tell(self, ident, *values):
        """Send a command for this round; returns what was answered but heartbeats."""
        return self.send(ident, values, round=0 if ident == m.OPEN_BETS else self.round)


def pick(frames, ident):
    return [f.values for f in frames if f.type == ident and not f.flags & m.FLAG_RETRANSMITTED]


@pytest.fixture
def desk():
    with CardDesk() as started:
        started.run(SECOND)
        yield started
        assert started.errors == ""


def test_a_round_of_a_card_table(desk):
    """Locked at boot; a verified shuffle unlocks; opened, closed and ended by command."""
    refused = pick(desk.tell(m.OPEN_BETS), m.REFUSAL)
    assert refused[0][2] == m.REFUSAL_FAULT_ACTIVE
    frames = desk.shuffle()
    done = pick(frames, words.SHUFFLE_DONE)
    assert [v[:4] + v[5:] for v in done] == [(52, 52, 52, 1, words.VERDICT_VERIFIED, 0, 100, 100)]
    assert pick(frames, words.SHOE_CHANGED) == [(words.SHOE_UNLOCKED, 0, 0)]
    desk.settle()
    assert pick(desk.tell(m.OPEN_BETS), m.ROUND_OPENED) == [(words.WHEEL_CARDS, 1, 60000)]
    early = pick(desk.tell(words.END_ROUND), m.REFUSAL)
    assert early[0][2:] == (m.REFUSAL_WRONG_PHASE, m.PHASE_BETS_OPEN, 4, 4, 0)
    assert pick(desk.tell(m.CLOSE_BETS), m.BETS_CLOSED)[0][0] == m.CLOSE_CAUSE_COMMAND
    desk.play(5_000)
    (ended,) = pick(desk.tell(words.END_ROUND), words.CARD_ROUND_ENDED)
    assert 5_000 <= ended[0] < 6_000
    wrong = pick(desk.send(words.END_ROUND, round=7), m.REFUSAL)
    assert wrong[0][2:5] == (m.REFUSAL_WRONG_ROUND, 7, 1)


def test_a_fault_voids_the_round_and_locks(desk):
    """A card stands in gate in while the round before is dealt; a manual shoe goes on."""
    desk.shuffle()
    desk.settle()
    desk.tell(m.OPEN_BETS)
    desk.tell(m.CLOSE_BETS)
    frames = desk.shuffle(Trouble(place=12, jam=GATE_IN))
    assert pick(frames, m.FAULT_RAISED)[0][:2] == (words.JAM_IN, words.INPUT_GATE_IN)
    assert pick(frames, m.ROUND_VOID)[0][:3] == (
        words.JAM_IN,
        m.PHASE_NO_MORE_BETS,
        words.INPUT_GATE_IN,
    )
    assert pick(desk.tell(m.OPEN_BETS), m.REFUSAL)[0][2] == m.REFUSAL_FAULT_ACTIVE
    frames = desk.tell(words.DECLARE_REPLACEMENT, words.REPLACEMENT_MANUAL_SHOE)
    assert pick(frames, words.SHOE_CHANGED) == [(words.SHOE_REPLACED, 0, 2)]
    desk.settle()
    assert names(desk.tell(m.OPEN_BETS)) == ["round_opened"]


def test_faults_outlive_the_power(desk):
    """A wrong count stands after a reset; no shuffle clears it, the deck declared does."""
    desk.shuffle()
    desk.settle()
    lost = desk.shuffler.deck.pop()
    assert pick(desk.shuffle(), m.FAULT_RAISED)[0][0] == words.COUNT_SHORT
    desk.reset("power")
    desk.settle()
    desk.shuffler.deck.append(lost)
    frames = desk.shuffle()
    assert [values[0] for values in pick(frames, m.FAULT_CLEARED)] == [words.NOT_VERIFIED]
    assert pick(desk.tell(m.OPEN_BETS), m.REFUSAL)[0][2] == m.REFUSAL_FAULT_ACTIVE
    desk.tell(words.DECLARE_REPLACEMENT, words.REPLACEMENT_DECK)
    desk.settle()
    frames = desk.shuffle()
    assert pick(frames, words.SHOE_CHANGED)[-1] == (words.SHOE_UNLOCKED, 0, 0)


def test_a_power_cut_while_cards_are_dealt(desk):
    """The round is void as a system interruption, and the shoe is locked again."""
    desk.shuffle()
    desk.settle()
    desk.tell(m.OPEN_BETS)
    desk.tell(m.CLOSE_BETS)
    desk.reset("power")
    desk.play(2_000)
    reported = [frame for _, frame in desk.frames]
    assert pick(reported, m.ROUND_VOID)[-1][0] == codes.SYSTEM_INTERRUPTION
    assert words.NOT_VERIFIED in [values[0] for values in pick(reported, m.FAULT_RAISED)]
    assert pick(reported, words.SHOE_CHANGED)[-1][:2] == (
        words.SHOE_LOCKED,
        words.NOT_VERIFIED,
    )


def test_the_lid_is_reported_at_the_boot(desk):
    """Opened while the power was off: it stands as soon as the controller looks."""
    desk.shuffle()
    desk.settle()
    desk.play(100, [(0, "pin", LID, 1)])
    desk.reset("power")
    raised = pick(desk.play(1_000), m.FAULT_RAISED)
    assert words.LID_OPEN in [values[0] for values in raised]


def test_commands_of_a_card_table_are_for_the_host_alone():
    """In a session an untagged declaration is refused, reported as tampering, and does nothing."""
    with CardDesk(secret=SECRET) as desk:
        desk.run(SECOND)
        desk.start()
        desk.shuffle()
        desk.settle()
        session, desk.session = desk.session, None
        frames = desk.tell(words.DECLARE_REPLACEMENT, words.REPLACEMENT_MANUAL_SHOE)
        assert pick(frames, words.SHOE_CHANGED) == []
        desk.session = session
        frames += desk.play(2_000)
        assert pick(frames, m.TAMPER)[0][:2] == (1, words.DECLARE_REPLACEMENT)


def test_a_wheel_knows_no_card_command():
    """On another role the bytes mean nothing: skipped, and the table plays on."""
    with Desk() as desk:
        desk.play(1_000)
        assert desk.send(words.END_ROUND, round=0) != []
        desk.play(1_000)
        beat = pick([frame for _, frame in desk.frames], m.HEARTBEAT)[-1]
        assert beat[7] == 1
        assert desk.errors == ""


def said(machine, since_us, until_us):
    """What a talking shuffler puts on the board's second port, as events of the rig."""
    lines = machine.said_until(until_us)
    return [[t_us, "rx", 1, line_of(what).hex()] for t_us, what in lines if t_us > since_us]


def test_a_shuffler_with_a_line_of_its_own():
    """Heard on the second port: verified by its counts; silent for two seconds, it is lost."""
    with CardDesk({"serial_shuffler": 1}) as desk:
        machine = TalkingShuffler(52)

        def hear(until_us):
            now = desk.board.now_us
            return desk.take(desk.board.play(said(machine, now, until_us), until_us))

        hear(2 * SECOND)
        frames = hear(machine.shuffle(desk.board.now_us) + 2 * SECOND)
        assert pick(frames, words.SHUFFLE_DONE)[0][:4] == (52, 52, 52, 1)
        assert pick(frames, words.SHOE_CHANGED) == [(words.SHOE_UNLOCKED, 0, 0)]
        assert len(pick(frames, words.SHUFFLER_REPORT)) > 40
        machine.unplugged = True
        frames = hear(desk.board.now_us + 3 * SECOND)
        assert pick(frames, m.FAULT_RAISED)[0][0] == words.SHUFFLER_LINK_LOST
        assert desk.errors == ""


def test_the_pins_come_back_from_the_serial_port():
    """Set back to wired gates without a restart, the lid is heard again."""
    with CardDesk({"serial_shuffler": 1}) as desk:
        desk.run(3 * SECOND)
        desk.settle()
        desk.send(m.SET_CONFIGURATION, [words.SERIAL_SHUFFLER, 0])
        frames = desk.play(2_000, [(500, "pin", LID, 1)])
        assert words.LID_OPEN in [values[0] for values in pick(frames, m.FAULT_RAISED)]
        assert desk.errors == ""


def test_a_role_this_firmware_has_not_is_refused(desk):
    """7 is no role: out of range, and the table is what it was."""
    (answer,) = pick(desk.send(m.SET_CONFIGURATION, [config.ROLE, 7]), m.REFUSAL)
    assert answer[2] == m.REFUSAL_OUT_OF_RANGE
