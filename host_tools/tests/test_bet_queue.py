"""Bets that share a transaction: one that fails never fails another's."""

from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from tabletools.pit.bet_queue import BetQueue, _QueuedRequest
from tabletools.pit.host_context import HostStats
from tabletools.pit.precedence import Precedence
from tabletools.store import StoreError
from tabletools.table import bet_context
from tabletools.wallet import LEDGER_WALLET


def queue_of(pit):
    """The queue of a table, and the counts of its host."""
    host = SimpleNamespace(
        place=SimpleNamespace(name="R1"),
        tally=HostStats(),
        precedence=Precedence(),
        attended=lambda: pit.lease,
        reading=pit.reading,
    )
    context = SimpleNamespace(ledger=pit.ledger, batch_ms=0, wallet=LEDGER_WALLET)
    return BetQueue(context, host), host.tally


def written(queue, requests):
    """Write requests as one batch; returns what each was answered."""
    queued = [_QueuedRequest(request, Future()) for request in requests]
    queue.write(queued)
    return [each.answer.exception() or each.answer.result() for each in queued]


def test_a_defect_at_one_bet_fails_no_other(pit, monkeypatch):
    """The second of three bets meets a defect: the others are booked, in their order."""
    place = bet_context.BetContext.place

    def defective(self, request, *more):
        if request.stake_cents == 1000:
            raise KeyError("a defect")
        return place(self, request, *more)

    monkeypatch.setattr(bet_context.BetContext, "place", defective)
    pit.open(1)
    queue, tally = queue_of(pit)
    requests = [pit.request(pit.ada, "red", cents) for cents in (500, 1000, 1500)]
    first, defect, third = written(queue, requests)
    assert (first.balance_cents, third.balance_cents) == (99_500, 98_000)
    assert isinstance(defect, KeyError)
    assert (tally.bets_taken, tally.bets_unanswered) == (2, 1)
    assert pit.balance(pit.ada) == 98_000


def test_a_ledger_that_fails_is_asked_once(pit):
    """Nothing is booked, and no bet is tried a second time."""
    pit.open(1)
    queue, tally = queue_of(pit)
    requests = [pit.request(pit.ada, "red", 500) for _ in range(3)]
    tries = []

    def fail(step):
        if step == "verified":
            tries.append(step)
            raise StoreError("the disk is full", "no space", "free some")

    pit.ledger.at, on_step = fail, pit.ledger.at
    try:
        answers = written(queue, requests)
    finally:
        pit.ledger.at = on_step
    assert [str(answer) for answer in answers] == ["the disk is full"] * 3
    assert (len(tries), tally.bets_unanswered, pit.balance(pit.ada)) == (1, 3, 100_000)


@pytest.mark.parametrize("ledger_place", ["sqlite"], indirect=True)
def test_a_database_that_was_moved_takes_no_more_bets(pit, ledger_place, tmp_path):
    """SQLite would go on writing to the moved file, and a restart would find another one."""
    pit.open(1)
    queue, _ = queue_of(pit)
    [first] = written(queue, [pit.request(pit.ada, "red", 500)])
    assert first.balance_cents == 99_500
    elsewhere = tmp_path / "moved"
    pit.ledger._file.rename(elsewhere)
    [refused] = written(queue, [pit.request(pit.ada, "red", 500)])
    assert isinstance(refused, StoreError)
    assert "deleted, or it was moved" in refused.cause
    pit.ledger._file.touch()
    [refused] = written(queue, [pit.request(pit.ada, "red", 500)])
    assert "another file is there now" in refused.cause
    with pytest.raises(StoreError), pit.ledger.read():
        pass
    elsewhere.rename(pit.ledger._file)
    [second] = written(queue, [pit.request(pit.ada, "red", 500)])
    assert second.balance_cents == 99_000
