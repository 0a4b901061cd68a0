"""Rounds into money: what players, bank and escrow have after each kind of end. By hand."""

import json

import pytest
from sqlalchemy import select, text

from hil_tests.thinned import share
from host_tools.tests.pit import DURABLE, FRENCH, FULL, TEST_MODE, Pit, result
from tabletools.authenticity import NONE
from tabletools.link import Contradiction
from tabletools.money.outbox_queries import due
from tabletools.store import LedgerRejection
from tabletools.store.schema.books import accounts
from tabletools.store.schema.evidence import alarms, frames
from tabletools.store.schema.play import bets, rounds, settlements
from tabletools.table.betting import withdraw
from tabletools.table.verify import check
from tablewire.messages import (
    BETS_CLOSED,
    FAULT_CLEARED,
    FAULT_RAISED,
    HEARTBEAT,
    PHASE_CLOSED,
    ROUND_OPENED,
)
from tablewire.roulette import WHEEL_RESULT

TILT, TILT_GONE = (401, 8, 1, 0), (401, 8, 800)


@pytest.fixture
def pit(ledger_place):
    """Every test ends with a sound ledger."""
    new_pit = Pit(ledger_place)
    yield new_pit
    sound(new_pit)
    new_pit.ledger.close()


def sound(pit):
    with pit.ledger.read() as db:
        assert check(db).problems == []


def money(pit):
    """Balances of Ada, Ben, the escrow and the bank."""
    with pit.ledger.read() as db:
        rows = dict(db.execute(select(accounts.c.kind, accounts.c.balance_cents)).all())
    return pit.balance(pit.ada), pit.balance(pit.ben), rows.get("escrow"), rows.get("house")


def kinds(pit):
    """Kinds of the alarms, in order."""
    with pit.ledger.read() as db:
        return list(db.execute(select(alarms.c.kind).order_by(alarms.c.id)).scalars())


def verdict(pit, number):
    with pit.ledger.read() as db:
        row = db.execute(select(rounds).where(rounds.c.number == number)).one()
    return row.verdict, row.settled


def test_a_round_moves_the_money(pit):
    """EUR 10 on 17 at 35:1 wins, EUR 20 on red loses: 17 is black."""
    pit.play(1, 17, (pit.ada, "straight", 1000, {"numbers": ["17"]}), (pit.ben, "red", 2000))
    assert money(pit) == (FULL + 35_000, FULL - 2_000, 0, -33_000)


def test_while_the_round_runs_stakes_are_in_escrow(pit):
    """Nothing is the bank's before the number."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    pit.place(pit.ada, "black", 500)
    assert money(pit)[0] == FULL - 1500
    assert money(pit)[2] == 1500
    pit.close(1)
    pit.end(1, 1)  # red
    assert money(pit) == (FULL + 500, FULL, 0, -500)


def test_a_void_gives_the_stakes_back(pit):
    """And records the reason for each bet."""
    pit.play(1, None, (pit.ada, "red", 1000))
    assert money(pit) == (FULL, FULL, 0, 0)
    with pit.ledger.read() as db:
        [row] = db.execute(select(settlements)).all()
    assert (row.outcome, row.back_cents, row.live_cents) == ("void", 1000, 0)


def test_where_bets_stand_a_void_keeps_them(ledger_place):
    """Terms may leave new bets on the cloth, as the rule of the wheel has it, for the next."""
    pit = Pit(ledger_place, terms=FRENCH._replace(void_policy="stand"))
    pit.play(1, None, (pit.ada, "red", 1000))
    assert money(pit)[:3] == (FULL - 1000, FULL, 1000)
    pit.play(2, 1)
    assert money(pit) == (FULL + 1000, FULL, 0, -1000)
    sound(pit)
    pit.ledger.close()


def test_an_imprisoned_stake_plays_on(pit):
    """hc2023 2:2(1): zero, prison; then its own chance: the stake is returned, nothing is won."""
    pit.play(1, 0, (pit.ada, "red", 1000, {"choice": "prison"}))
    assert money(pit)[2] == 1000
    pit.open(2)
    with pit.ledger.read() as db:
        carried = db.execute(select(bets).where(bets.c.carried_from.is_not(None))).one()
    assert (carried.stake_cents, carried.state) == (1000, "prison1")
    with pytest.raises(LedgerRejection, match="earlier round"):
        withdraw(pit.ledger, pit.lease, pit.ada, carried.id, "back")
    pit.close(2)
    pit.end(2, 1)
    assert money(pit) == (FULL, FULL, 0, 0)


def test_an_imprisoned_stake_outlives_a_void(pit):
    """A void gives back new stakes; what was imprisoned stays until a number falls."""
    pit.play(1, 0, (pit.ada, "red", 1000, {"choice": "prison"}))
    pit.play(2, None, (pit.ben, "red", 500))
    assert money(pit)[:3] == (FULL - 1000, FULL, 1000)
    pit.play(3, 2)  # black
    assert money(pit) == (FULL - 1000, FULL, 0, 1000)


def test_an_imprisoned_stake_does_not_skip_a_round_that_has_begun(pit):
    """A heartbeat is lost, so zero counts only once the next ball has fallen on black."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000, choice="prison")
    pit.close(1)
    pit.frame(HEARTBEAT, (PHASE_CLOSED, 0, 255, 1, 142, 0, 0, 0, 180_000, 96_000), flags=0)
    pit.end(1, 0)
    pit.play(2, 2)  # black
    assert money(pit)[2] == 1000
    pit.beat(PHASE_CLOSED)
    assert money(pit) == (FULL - 1000, FULL, 0, 1000)
    pit.play(3, 1)
    assert money(pit) == (FULL - 1000, FULL, 0, 1000)


def test_a_correction_keeps_an_imprisoned_stake_in_the_round_that_runs(pit):
    """Corrected from 00 to zero the stake is imprisoned all the same, and red sets it free."""
    pit.play(1, 0, (pit.ada, "red", 1000, {"choice": "prison"}), (pit.ben, "black", 500))
    pit.open(2)
    pit.close(2)
    pit.rule(1, {"pocket": "0"})
    pit.end(2, 1)
    assert money(pit) == (FULL, FULL - 250, 0, 250)


def test_the_same_record_again_changes_nothing(pit):
    """A thousand repeats of a result pay once; twenty-five by `make test`."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    pit.close(1)
    wire = pit.frame(WHEEL_RESULT, result(1), 1)
    assert pit.receive(wire)
    before = money(pit)
    for _ in range(share(1000, 40)):
        assert not pit.receive(wire)
    assert money(pit) == before == (FULL + 1000, FULL, 0, -1000)


def test_a_different_result_stops_the_table(pit):
    """Nothing is overwritten, nothing more is paid, and the next round takes no bets."""
    pit.play(1, 1, (pit.ada, "red", 1000))
    with pytest.raises(Contradiction):
        pit.end(1, 2)
    assert money(pit)[0] == FULL + 1000
    assert kinds(pit) == ["conflict"]
    pit.open(2)
    with pytest.raises(LedgerRejection, match="stopped"):
        pit.place(pit.ada, "red", 1000)


def test_the_same_identity_with_other_bytes_stops_the_table(pit):
    """Two contents under one device, boot and counter: one of them is a forgery."""
    pit.open(1)
    pit.device.counter -= 1
    with pytest.raises(Contradiction):
        pit.say(BETS_CLOSED, (1, 5), 1)
    assert kinds(pit) == ["conflict"]


@pytest.mark.parametrize(
    ("flags", "seal"),
    [(DURABLE | TEST_MODE, "verified"), (DURABLE, NONE), (DURABLE, "unverified")],
)
def test_what_nobody_vouches_for_is_evidence_alone(flags, seal, pit):
    """In test mode, without a tag, or with an unverified one: stored, and settles nothing."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    pit.close(1)
    pit.say(WHEEL_RESULT, result(1), 1, flags=flags, seal=seal)
    assert verdict(pit, 1) == ("running", 0)
    assert money(pit)[0] == FULL - 1000
    with pit.ledger.read() as db:
        assert list(db.execute(select(frames.c.counts).order_by(frames.c.id)).scalars())[-1] == 0
    pit.end(1, 2)  # the real one still comes, and alone counts
    assert money(pit)[0] == FULL - 1000
    assert verdict(pit, 1) == ("believed", 1)


def test_a_phantom_result_is_not_believed(pit):
    """A number for a round that never opened: stored, reported, never settled."""
    pit.say(WHEEL_RESULT, result(1), 9)
    assert verdict(pit, 9) == ("unexpected", 0)
    assert kinds(pit) == ["unexpected"]


def test_a_result_under_a_fault_waits_for_two_users(pit):
    """Not believed; the two give the stakes back, and then the next round takes bets."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    pit.close(1)
    pit.say(FAULT_RAISED, TILT)
    pit.end(1, 1)
    pit.say(FAULT_CLEARED, TILT_GONE)
    assert verdict(pit, 1) == ("unexpected", 0)
    pit.open(2)
    with pytest.raises(LedgerRejection, match="round_unended"):
        pit.place(pit.ben, "red", 500)
    pit.rule(1, {"void": "tilt"})
    assert money(pit)[0] == FULL
    pit.close(2)
    pit.end(2)
    pit.open(3)
    assert pit.place(pit.ben, "red", 500).standing == "valid"


def test_a_fault_that_comes_late_is_not_overlooked(pit):
    """A record is missing before the result: it waits; the record was a fault: not valid."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    pit.close(1)
    fault = pit.frame(FAULT_RAISED, TILT)
    pit.end(1, 1)
    assert verdict(pit, 1) == ("pending", 0)
    pit.receive(fault)
    assert verdict(pit, 1) == ("unexpected", 0)
    assert money(pit)[0] == FULL - 1000


def test_a_gap_that_was_nothing_lets_the_round_be_settled(pit):
    """A heartbeat reports that no record waits: the missing frame was no record."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    pit.close(1)
    pit.device.counter += 1  # a heartbeat lost
    pit.end(1, 1)
    assert verdict(pit, 1) == ("pending", 0)
    pit.beat(PHASE_CLOSED)
    assert verdict(pit, 1) == ("believed", 1)
    assert money(pit)[0] == FULL + 1000


def test_records_in_any_order_settle_the_same(pit):
    """Opening lost, then repeated after the result: settled once all are here."""
    opened = pit.frame(ROUND_OPENED, (1, 7, 60_000), 1)
    pit.close(1)
    pit.end(1, 5)
    assert verdict(pit, 1)[0] == "pending"
    pit.receive(opened)
    assert verdict(pit, 1) == ("believed", 1)


def test_a_correction_reverses_and_settles_anew(pit):
    """17 was misread for 18: what was paid is taken back by new lines, and 18 is paid."""
    pit.play(
        1,
        17,
        (pit.ada, "straight", 1000, {"numbers": ["17"]}),
        (pit.ben, "straight", 1000, {"numbers": ["18"]}),
    )
    assert money(pit)[:2] == (FULL + 35_000, FULL - 1000)
    with pytest.raises(LedgerRejection, match="two different users"):
        pit.rule(1, {"pocket": "18"}, users=[pit.both[0]] * 2)
    with pytest.raises(LedgerRejection, match="not on the wheel"):
        pit.rule(1, {"pocket": "38"})
    assert pit.rule(1, {"pocket": "18"}) == 2
    assert money(pit) == (FULL - 1000, FULL + 35_000, 0, -34_000)


def test_a_correction_calls_stakes_back_that_play_on(pit):
    """Zero imprisoned a stake, now in round 2; corrected to red 1: paid, and gone from there."""
    pit.play(1, 0, (pit.ada, "red", 1000, {"choice": "prison"}))
    pit.open(2)
    pit.rule(1, {"pocket": "1"})
    assert money(pit) == (FULL + 1000, FULL, 0, -1000)
    pit.close(2)
    pit.end(2, 2)
    assert money(pit) == (FULL + 1000, FULL, 0, -1000)


def test_each_settlement_is_sent_once(pit):
    """The outbox has one event a round, with its sums, in the order of the rounds."""
    pit.play(1, 17, (pit.ada, "straight", 1000, {"numbers": ["17"]}), (pit.ben, "red", 2000))
    pit.play(2)
    found_events = [
        e for e in due(pit.ledger, "sink").events if e.type == "tablewire.round.settled"
    ]
    data = [json.loads(event.data) for event in found_events]
    assert [d["void"] for d in data] == [False, True]
    assert data[0]["outcome"] == {"pocket": "17"}
    assert (data[0]["bets"], data[0]["stake_cents"], data[0]["win_cents"]) == (2, 3000, 35_000)
    assert len({event.event_id for event in found_events}) == 2


def test_a_second_closing_is_kept_and_announced_once(pit):
    """A table that reports no more bets twice: an alarm; the round is settled, once."""
    pit.open(1)
    pit.place(pit.ada, "straight", 500, numbers=["17"])
    pit.close(1)
    assert pit.close(1) is True
    pit.end(1, 17)
    with pit.ledger.read() as db:
        kinds = db.execute(text("SELECT kind FROM alarms")).scalars().all()
        found_events = db.execute(
            text("SELECT count(*) FROM outbox WHERE type LIKE '%bets.closed'")
        )
        assert (kinds, found_events.scalar()) == (["unexpected"], 1)
    assert pit.balance(pit.ada) == 100_000 + 35 * 500
