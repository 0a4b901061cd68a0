"""A preview of a ruling is the real run, undone: what waits for it meanwhile. Cents by hand."""

import time

import pytest

from host_tools.tests import postgresql
from host_tools.tests.pit import Pit
from tabletools.table import corrections
from tabletools.table.verify import check
from tablewire.messages import HEARTBEAT, PHASE_BETS_OPEN

PRISON = {"choice": "prison"}
# More than a bet or a record needs, less than a lock is waited for on either database.
PROMPT_S = 0.8


def imprisoned(pit):
    """Ada's EUR 10 on red: spins 1 and 2 are zero, red 1 frees the other half; spin 4 is open."""
    pit.play(1, 0, (pit.ada, "red", 1000, PRISON))
    pit.play(2, 0, (pit.ben, "black", 500))
    pit.play(3, 1, (pit.ben, "red", 500))
    pit.open(4)


@pytest.fixture
def server_pit(shared_ledger):
    """The same table on PostgreSQL; the test ends with a sound ledger."""
    postgresql.empty(shared_ledger)
    new_pit = Pit(shared_ledger)
    yield new_pit
    with new_pit.ledger.read() as db:
        assert check(db).problems == []
    new_pit.ledger.close()


def during_preview(pit, monkeypatch, act):
    """Preview a correction of spin 1; `act` runs once each of its rounds is settled. Returns the
    preview and the seconds of each act.
    """
    spent = []

    def between(*_):
        begun = time.perf_counter()
        act(len(spent))
        spent.append(time.perf_counter() - begun)

    monkeypatch.setattr(corrections, "no_record", between)
    preview = pit.preview(1, {"pocket": "2"})
    return preview, spent


def test_bets_and_records_do_not_wait_for_a_preview(server_pit, monkeypatch):
    """Both players bet in the open round while the chain is settled: the first bet locks their
    balances, which the preview shows as they were when it began.
    """
    pit = server_pit
    imprisoned(pit)

    def act(_place):
        pit.say(HEARTBEAT, (PHASE_BETS_OPEN, 0, 255, 1, 142, 0, 0, 0, 180_000, 96_000), flags=0)
        pit.place(pit.ada, "red", 500)
        pit.place(pit.ben, "black", 500)

    preview, spent = during_preview(pit, monkeypatch, act)
    assert [each.number for each in preview.rounds] == [1, 2, 3]
    assert max(spent) < PROMPT_S
    # Ada lost half of EUR 10 so far and would lose all of it; Ben keeps what spins 2 and 3 paid.
    assert [(one.before_cents, one.after_cents) for one in preview.balances] == [
        (99_500, 99_000),
        (100_250, 100_250),
    ]
    assert pit.money() == (-500 - 1500, 250 - 1500)


def test_a_record_settles_the_open_round_during_a_preview(server_pit, monkeypatch):
    """No more bets and the result of the present round are stored and settled meanwhile."""
    pit = server_pit
    imprisoned(pit)
    pit.place(pit.ada, "red", 500)

    def act(place):
        if place == 0:
            pit.close(4)
        elif place == 1:
            pit.end(4, 1)

    preview, spent = during_preview(pit, monkeypatch, act)
    assert max(spent) < PROMPT_S
    assert [one.after_cents for one in preview.balances] == [99_000 - 500, 100_250]
    assert pit.money() == (-500 + 500, 250)


def test_a_preview_moves_no_balance(pit):
    """On both databases, also where the same posting is read back: reversed and posted again."""
    imprisoned(pit)
    before = pit.money()
    first, again = (pit.preview(1, {"pocket": "2"}) for _ in range(2))
    assert first == again
    assert pit.money() == before
