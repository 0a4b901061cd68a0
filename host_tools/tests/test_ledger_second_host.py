"""Records that another host acknowledged never reach this ledger: nothing is settled without them.

A table follows one host at a time and deletes what that host acknowledged. What it says afterwards
("nothing waits") is true, and says nothing of what is in this ledger. Money by hand.
"""

import pytest

from host_tools.tests import machines
from host_tools.tests.pit import (
    BOOT,
    DEVICE,
    DURABLE,
    FRENCH,
    HOUSE,
    OPENED,
    TEST_MODE,
    Pit,
    result,
)
from host_tools.tests.test_ledger_cards import AS_SHUFFLER, KINGS
from host_tools.tests.test_ledger_unread import NEWER, as_type
from tabletools.authenticity import VERIFIED
from tabletools.evidence import claim, rounds
from tabletools.link import Proof
from tabletools.store import Actor, LedgerRejection, Store
from tabletools.table import unsettled_stakes
from tabletools.table.intake import Intake
from tabletools.table.terms import change_table, change_terms, create_table
from tabletools.table.verify import check
from tablewire.card_shoe import READER_LINK_LOST
from tablewire.framing import Receiver, Skip
from tablewire.messages import BETS_CLOSED, PHASE_CLOSED, ROUND_OPENED
from tablewire.roulette import CLOSE_CAUSE_BALL_DETECTED, WHEEL_RESULT
from tablewire.sender import Sender


class Keyed(Pit):
    """A table whose records are verified by sessions. session: the present one's number."""

    session = 1

    def receive(self, wire, seal=VERIFIED):
        [item] = Receiver().feed(wire)
        frame = item.frame if isinstance(item, Skip) else item
        self.intake.observe(frame)
        if not frame.flags & DURABLE:
            return None
        nonces = bytes([self.session] * 8), bytes([self.session + 100] * 8)
        return self.intake.store(frame, wire, seal, Proof(1, self.device.boot, *nonces))

    def elsewhere(self, *records):
        """Another host takes the table, acknowledges these records and loses the table again."""
        for record in records:
            self.frame(*record)
        self.session += 1

    def stakes(self):
        with self.ledger.read() as db:
            stakes = unsettled_stakes.stakes(db, self.clock.wall_ns())
        return [(row.number, row.why, row.stake_cents) for row in stakes]


@pytest.fixture
def make_pit(ledger_place):
    """A table by terms; every test ends with a sound ledger."""
    tables = []

    def table(terms=FRENCH):
        tables.append(Keyed(ledger_place, terms=terms))
        return tables[0]

    yield table
    with tables[0].ledger.read() as db:
        assert check(db).problems == []
    tables[0].ledger.close()


def test_a_deal_whose_cards_another_host_has_waits_for_two_users(make_pit):
    """The pair of kings won 11:1, on cards that are in the other ledger alone."""
    pit = make_pit(AS_SHUFFLER)
    pit.open(1)
    pit.place(pit.ada, "punto_pair", 1000)
    pit.place(pit.ben, "banco", 1000)
    pit.close(1)
    pit.elsewhere(*((*record, 1) for record in machines.dealt(KINGS)))
    pit.say(*machines.void(READER_LINK_LOST), 1)
    pit.beat(PHASE_CLOSED)
    assert pit.money() == (-1000, -1000)
    [(kind, text)] = pit.alarms()
    assert kind == "unended"
    assert "another host" in text
    assert "two users" in text


def test_no_more_bets_that_another_host_has_is_no_void_before_it(make_pit):
    """Its bets_closed and cards are elsewhere: no card is here, and cards were dealt."""
    pit = make_pit(AS_SHUFFLER)
    pit.open(1)
    pit.place(pit.ada, "punto_pair", 1000)
    closed = BETS_CLOSED, (CLOSE_CAUSE_BALL_DETECTED, 8_000), 1
    pit.elsewhere(closed, *((*record, 1) for record in machines.dealt(KINGS)))
    pit.say(*machines.void(READER_LINK_LOST), 1)
    pit.beat(PHASE_CLOSED)
    assert pit.money() == (-1000, 0)
    assert pit.rule(1, {"punto": "KH KD", "banco": "5C 2D", "void": "seen"}) == 1
    assert pit.money() == (11_000, 0)


def test_cards_that_count_for_nothing_leave_the_void_of_their_deal_to_two_users(make_pit):
    """Two cards came in test mode: they are evidence alone, and no counter is missing."""
    pit = make_pit(AS_SHUFFLER)
    pit.open(1)
    pit.place(pit.ada, "punto_pair", 1000)
    pit.close(1)
    for place, record in enumerate(machines.dealt(KINGS)):
        pit.say(*record, 1, flags=DURABLE | (TEST_MODE if place >= 2 else 0))
    pit.say(*machines.void(READER_LINK_LOST), 1)
    assert pit.money() == (-1000, 0)


def test_a_card_that_could_not_be_read_leaves_the_void_of_its_deal_to_two_users(make_pit):
    """A supervisor released the table without the record of a newer release: it may be a card."""
    pit = make_pit(AS_SHUFFLER)
    pit.open(1)
    pit.place(pit.ada, "punto_pair", 1000)
    pit.close(1)
    first, second, third, newer = (pit.frame(*record, 1) for record in machines.dealt(KINGS))
    for wire in (first, second, third, as_type(newer, NEWER)):
        pit.receive(wire)
    pit.intake.release(pit.device.device, Actor("Sue", pit.users[0]), "seen")
    pit.say(*machines.void(READER_LINK_LOST), 1)
    assert pit.money() == (-1000, 0)


def test_a_deal_over_two_sessions_of_this_host_is_settled_by_its_records(make_pit):
    """The link was down while the cards came out: they are repeated, and nothing is missing."""
    pit = make_pit(AS_SHUFFLER)
    pit.open(1)
    pit.place(pit.ada, "punto_pair", 1000)
    pit.close(1)
    late = [pit.frame(*record, 1) for record in machines.dealt(KINGS)]
    pit.session += 1
    for wire in late:
        pit.receive(wire)
    pit.say(*machines.void(READER_LINK_LOST), 1)
    assert pit.money() == (11_000, 0)


def played(pocket):
    """The records of a round of a wheel."""
    return (
        (ROUND_OPENED, OPENED["roulette"]),
        (BETS_CLOSED, (CLOSE_CAUSE_BALL_DETECTED, 8_000)),
        (WHEEL_RESULT, result(pocket)),
    )


def test_a_stake_that_plays_on_waits_where_a_round_is_elsewhere(make_pit):
    """Prison in round 1, black in round 2 at another host: red in round 3 sets nothing free."""
    pit = make_pit()
    pit.play(1, 0, (pit.ada, "red", 1000, {"choice": "prison"}))
    pit.elsewhere(*((*record, 2) for record in played(2)))
    pit.beat(PHASE_CLOSED)
    pit.play(3, 1)
    pit.play(4, 1)
    assert pit.money() == (-1000, 0)
    assert pit.stakes() == [(1, "plays_on", 1000)]
    [(kind, text)] = pit.alarms()
    assert kind == "unended"
    assert "round 2" in text
    assert "two users end them" in text
    ended = unsettled_stakes.end_stakes(pit.ledger, pit.lease, pit.both, "seen", "end")
    assert ended[1] == 1000
    assert pit.money() == (0, 0)


def test_only_stakes_that_join_no_round_are_ended_at_a_table_that_plays(make_pit):
    """Ben's stake, imprisoned in round 3, is no part of the ruling: black in round 4 takes it."""
    pit = make_pit()
    pit.play(1, 0, (pit.ada, "red", 1000, {"choice": "prison"}))
    pit.elsewhere(*((*record, 2) for record in played(2)))
    pit.beat(PHASE_CLOSED)
    pit.play(3, 0, (pit.ben, "red", 500, {"choice": "prison"}))
    assert unsettled_stakes.end_stakes(pit.ledger, pit.lease, pit.both, "seen", "end")[1] == 1000
    assert pit.money() == (0, -500)
    pit.play(4, 2)
    assert pit.money() == (0, -500)
    assert pit.stakes() == []


@pytest.mark.parametrize("change", [{"rules": "hc2011"}, {"variant": "american"}])
def test_a_stake_that_plays_on_is_not_decided_by_other_rules(make_pit, change):
    """Imprisoned by hc2023 on a French wheel: the round by other rules pays its own bets alone."""
    pit = make_pit()
    pit.play(1, 0, (pit.ada, "red", 1000, {"choice": "prison"}))
    change_terms(pit.ledger, pit.lease, FRENCH._replace(**change), HOUSE)
    pit.play(2, 1, (pit.ben, "red", 500))
    assert pit.money() == (-1000, 500)
    assert pit.stakes() == [(1, "plays_on", 1000)]
    [(kind, text)] = pit.alarms()
    assert kind == "unended"
    assert "changed from roulette hc2023 french to roulette hc20" in text
    assert unsettled_stakes.end_stakes(pit.ledger, pit.lease, pit.both, "seen", "end")[1] == 1000
    assert pit.money() == (0, 500)


def test_a_stake_that_plays_on_is_not_decided_by_an_old_round_of_a_spare(make_pit):
    """Device 7 breaks with a stake in prison; the journal of device 8 holds a round of before.

    Red fell in that one, at its own table, before the stake was placed. Nor does its next decide.
    """
    pit = make_pit()
    spare = Sender(DEVICE + 1, BOOT)
    pit.device, used = spare, pit.device
    old = [pit.frame(*record, 40) for record in played(1)]
    pit.device = used
    pit.play(1, 0, (pit.ada, "red", 1000, {"choice": "prison"}))
    change_table(pit.ledger, pit.lease, HOUSE, device=spare.device)
    pit.device = spare
    for wire in old:
        pit.receive(wire)
    assert pit.money() == (-1000, 0)
    pit.play(41, 2)
    assert pit.money() == (-1000, 0)
    assert pit.stakes() == [(1, "plays_on", 1000)]
    [(kind, text)] = pit.alarms()
    assert (kind, "device 8 plays at the table now" in text) == ("unended", True)
    assert unsettled_stakes.end_stakes(pit.ledger, pit.lease, pit.both, "seen", "end")[1] == 1000
    assert pit.money() == (0, 0)


class Moved:
    """Device 7 is moved in round 1 to a table of another host, with EUR 10 of Ada on red."""

    def __init__(self, pit, place):
        pit.open(1)
        pit.place(pit.ada, "red", 1000)
        change_table(pit.ledger, pit.lease, HOUSE, device=None)
        self.ledger = Store.open(place, clock=pit.clock)
        table = create_table(self.ledger, "R2", FRENCH, HOUSE, device=DEVICE)
        self.intake = Intake(self.ledger, claim(self.ledger, table, "host b"))
        self.pit = pit

    def say(self, ident, values):
        """The other host receives a record of round 1."""
        self.pit.clock.pass_ms(10)
        wire = self.pit.frame(ident, values, 1)
        [frame] = Receiver().feed(wire)
        self.intake.observe(frame)
        self.intake.store(frame, wire, VERIFIED)

    def stored(self):
        """Verdict and generation of round 1, and whether it has ended; the ledger is sound."""
        with self.ledger.read() as db:
            assert check(db).problems == []
            row = rounds.find(db, DEVICE, 1)
        self.ledger.close()
        return row.verdict, row.settled, row.ended is not None


CLOSING = (BETS_CLOSED, (CLOSE_CAUSE_BALL_DETECTED, 8_000))
RED = (WHEEL_RESULT, result(1))


def test_a_ruling_keeps_what_the_host_of_a_moved_device_entered(make_pit, ledger_place):
    """The host of the table has the round in memory as it was before."""
    pit = make_pit()
    moved = Moved(pit, ledger_place)
    moved.say(*CLOSING)
    moved.say(*RED)
    assert pit.rule(1, {"pocket": "1"}) == 1
    assert moved.stored() == ("believed", 1, True)
    assert pit.money() == (1000, 0)


def test_the_host_of_a_moved_device_keeps_a_ruling(make_pit, ledger_place):
    """It has the round in memory as it was before, and an alarm says that two users had ruled."""
    pit = make_pit()
    moved = Moved(pit, ledger_place)
    moved.say(*CLOSING)
    assert pit.rule(1, {"pocket": "1"}) == 1
    moved.say(*RED)
    assert moved.stored() == ("pending", 1, True)
    assert "came after two users had ruled on it" in pit.alarms()[-1].text
    with pytest.raises(LedgerRejection, match="is at generation 1"):
        pit.rule(1, {"pocket": "1"}, settled=0)


def test_a_stake_that_plays_on_skips_a_round_played_as_a_test(make_pit):
    """A technician tried the wheel: that round decides nothing, and the next one does."""
    pit = make_pit()
    pit.play(1, 0, (pit.ada, "red", 1000, {"choice": "prison"}))
    pit.say(ROUND_OPENED, OPENED["roulette"], 2, flags=DURABLE | TEST_MODE)
    pit.say(WHEEL_RESULT, result(2), 2, flags=DURABLE | TEST_MODE)
    pit.play(3, 1)
    assert pit.money() == (0, 0)
    assert pit.alarms() == []


def test_a_stake_that_plays_on_joins_the_round_whose_opening_comes_late(make_pit):
    """round_opened of round 2 is repeated after that of round 3: black decides, as it fell."""
    pit = make_pit()
    pit.play(1, 0, (pit.ada, "red", 1000, {"choice": "prison"}))
    opened = pit.frame(ROUND_OPENED, OPENED["roulette"], 2)
    pit.close(2)
    pit.end(2, 2)
    pit.open(3)
    pit.receive(opened)
    pit.close(3)
    pit.end(3, 1)
    assert pit.money() == (-1000, 0)


def test_a_stake_that_plays_on_joins_a_round_whose_records_all_come_late(make_pit):
    """Round 2 waits in the journal while round 3 opens: it is not in the ledger, then it is."""
    pit = make_pit()
    pit.play(1, 0, (pit.ada, "red", 1000, {"choice": "prison"}))
    late = [pit.frame(*record, 2) for record in played(2)]
    pit.open(3)
    for wire in late:
        pit.receive(wire)
    pit.close(3)
    pit.end(3, 1)
    assert pit.money() == (-1000, 0)


def test_an_opening_that_another_host_has_decides_no_stake_that_plays_on(make_pit):
    """Round 2 opened elsewhere and ended here: it waits for two users, and its stake with it."""
    pit = make_pit()
    pit.play(1, 0, (pit.ada, "red", 1000, {"choice": "prison"}))
    pit.elsewhere((ROUND_OPENED, OPENED["roulette"], 2))
    pit.close(2)
    pit.end(2, 2)
    pit.beat(PHASE_CLOSED)
    pit.play(3, 1)
    assert pit.money() == (-1000, 0)
    assert pit.stakes() == [(2, "waits", 1000)]
    assert pit.rule(2, {"pocket": "2"}) == 1
    assert pit.money() == (-1000, 0)
    assert pit.stakes() == []
