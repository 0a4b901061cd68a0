"""Bets that need each other are placed, refused and withdrawn together. Sums by hand."""

import json

import pytest
from sqlalchemy import select

from host_tools.tests.pit import Pit
from tabletools.evidence import Terms
from tabletools.store import LedgerRejection
from tabletools.store.schema.play import bets, withdrawals
from tabletools.table import betting
from tabletools.table.verify import check

ULTIMATE = Terms("ultimate", "hc2023", None, {"minimum": 500})
FOUR_CARD = Terms("four_card", "hc2023", None, {"minimum": 500})


@pytest.fixture
def make_pit(ledger_place):
    """A table by terms, its first round open; every test ends with a sound ledger."""
    tables = []

    def table(terms):
        tables.append(Pit(ledger_place, terms=terms))
        tables[0].open(1)
        return tables[0]

    yield table
    with tables[0].ledger.read() as db:
        assert check(db).problems == []
    tables[0].ledger.close()


def placed(pit, *wanted):
    """The answers to a slip of (bet, cents) of ada: "valid", or why one was refused."""
    key = "-".join(f"{kind}{cents}" for kind, cents in wanted)
    requests = tuple(pit.request(pit.ada, kind, cents, key=key) for kind, cents in wanted)
    slip = betting.Slip(pit.ada, key, requests)
    [answer] = betting.place_all(pit.ledger, pit.lease, [slip], reading=pit.reading)
    return [
        each.what if isinstance(each, LedgerRejection) else each.standing for each in answer.bets
    ]


def in_play(pit):
    """What each bet in play is on, in order."""
    query = select(bets.c.slip).where(bets.c.id.not_in(select(withdrawals.c.bet_id)))
    with pit.ledger.read() as db:
        rows = db.execute(query.order_by(bets.c.id)).scalars()
        return [json.loads(slip)["bet"] for slip in rows]


def withdraw(pit, bet, key="w"):
    """Ada withdraws a bet."""
    return betting.withdraw(pit.ledger, pit.lease, pit.ada, bet, key)


def test_ante_and_blind_come_on_one_slip(make_pit):
    """Alone each is refused: they must be equal (hc2023 3:6(1)); trips go with them."""
    pit = make_pit(ULTIMATE)
    [alone] = placed(pit, ("ante", 500))
    assert "must be equal" in alone
    assert placed(pit, ("ante", 500), ("blind", 500), ("trips", 500)) == ["valid"] * 3
    assert pit.balance(pit.ada) == 98_500


def test_of_a_slip_only_what_does_not_fit_is_refused(make_pit):
    """Trips below the minimum; ante and blind are placed, and each answer has its balance."""
    pit = make_pit(ULTIMATE)
    key, wanted = "s", (("trips", 1), ("ante", 500), ("blind", 500))
    requests = tuple(pit.request(pit.ada, kind, cents, key=key) for kind, cents in wanted)
    slip = betting.Slip(pit.ada, key, requests)
    [answer] = betting.place_all(pit.ledger, pit.lease, [slip])
    assert isinstance(answer.bets[0], LedgerRejection)
    assert [each.balance_cents for each in answer.bets[1:]] == [99_500, 99_000]
    [again] = betting.place_all(pit.ledger, pit.lease, [slip])
    assert again.is_repeat
    assert again.bets[1:] == tuple(each._replace(is_repeat=True) for each in answer.bets[1:])


def test_what_cannot_be_paid_takes_the_bet_that_needs_it(make_pit):
    """An ante of 50,500 of 100,000 cents leaves too little for its blind: neither is placed."""
    pit = make_pit(ULTIMATE)
    refused = placed(pit, ("ante", 50_500), ("blind", 50_500))
    assert "must be equal" in refused[0]
    assert "balance 49500" in refused[1]
    assert in_play(pit) == []
    assert pit.balance(pit.ada) == 100_000


def test_a_refused_bet_takes_no_money_from_the_next_one(make_pit):
    """99,500 cents of 100,000 on Aces Up are above its maximum of 10,000; then 1,000 are there."""
    pit = make_pit(
        Terms("four_card", "hc2023", None, {"minimum": 500, "maximum": {"aces_up": 10_000}})
    )
    refused, *others = placed(pit, ("aces_up", 99_500), ("ante", 1000), ("aces_up", 500))
    assert "maximum is 10000" in refused
    assert others == ["valid", "valid"]
    assert pit.balance(pit.ada) == 98_500


def test_a_withdrawn_ante_takes_along_what_needs_it(make_pit):
    """Aces Up alone could not be settled (hc2023 3:7(1)), nor any other bet of its round."""
    pit = make_pit(FOUR_CARD)
    ante = pit.place(pit.ada, "ante", 500)
    pit.place(pit.ada, "aces_up", 500)
    pit.place(pit.ben, "ante", 500)
    withdrawal = withdraw(pit, ante.bet)
    assert withdrawal[:1] + withdrawal[2:] == (ante.bet, "withdrawn", 100_000, False)
    assert withdraw(pit, ante.bet) == withdrawal._replace(is_repeat=True)
    assert in_play(pit) == ["ante"]
    assert pit.balance(pit.ada) == 100_000


def test_a_withdrawn_side_bet_leaves_the_ante(make_pit):
    """It needs the ante, the ante does not need it."""
    pit = make_pit(FOUR_CARD)
    pit.place(pit.ada, "ante", 500)
    side = pit.place(pit.ada, "aces_up", 500)
    assert withdraw(pit, side.bet).balance_cents == 99_500
    assert in_play(pit) == ["ante"]


@pytest.mark.parametrize("first", [0, 1])
def test_ante_and_blind_are_withdrawn_together(make_pit, first):
    """Whichever is named, trips as well."""
    pit = make_pit(ULTIMATE)
    assert placed(pit, ("ante", 500), ("blind", 500), ("trips", 500)) == ["valid"] * 3
    assert withdraw(pit, 1 + first).balance_cents == 100_000
    assert in_play(pit) == []


def test_an_evening_of_ultimate(make_pit):
    """Nines beat eights, which qualify: ante and raise win 1:1, a pair returns the blind and loses
    trips (3:6(8) to (11)): 500 + 500 - 500."""
    pit = make_pit(ULTIMATE)
    assert placed(pit, ("ante", 500), ("blind", 500), ("trips", 500)) == ["valid"] * 3
    pit.close(1)
    raised = {"player": str(pit.ada), "bet": "bet", "stake": 500}
    box = {"cards": "9H 9C", "bets": ["1", "2", "3"], "later": [raised]}
    outcome = {"bank": "8H 8C", "board": "AD KD 2C 3C 7S", "decks": 1, "boxes": {"1": box}}
    pit.rule(1, outcome, preview=pit.preview(1, outcome).digest)
    assert pit.balance(pit.ada) == 100_500
