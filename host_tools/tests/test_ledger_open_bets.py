"""Stakes kept in memory between bets: those of the database, and limits exact at the edge."""

import contextlib
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import insert

from hil_tests.thinned import share
from host_tools.tests.pit import FRENCH, Pit
from tabletools import evidence
from tabletools.evidence import tables
from tabletools.store import LedgerRejection, LostLease
from tabletools.store.schema.play import bets
from tabletools.table import betting, shell

STRAIGHT = [("straight", {"numbers": [label]}) for label in ("0", "17", "36")]
PLACES = [*STRAIGHT, ("red", {}), ("rouge", {}), ("dozen", {"index": 2}), ("split", {})]
TIGHT = FRENCH._replace(limits={"minimum": 500, "maximum": {"1": 2000, "18": 3000}})


@pytest.fixture
def make_pit():
    """Makes tables that are closed at the end."""
    pits = []

    def make(*args, **options):
        pits.append(Pit(*args, **options))
        return pits[-1]

    yield make
    for pit in pits:
        pit.ledger.close()


class Broken(Exception):
    """A defect in the middle of a transaction."""


class Conflict(Exception):
    """As PostgreSQL reports two writers that conflicted."""

    sqlstate = "40001"


class Breaking:
    """Ends a transaction at one step. step: None lets all pass."""

    def __init__(self):
        self.step = None

    def __call__(self, step):
        if step == self.step:
            self.step = None
            raise Broken(step)


def known(pit):
    """What is in memory for the next bet, None if that has to read; and what it would read."""
    state = pit.ledger.memory(pit.table).state
    read = shell.read(pit.ledger, pit.lease).stakes
    is_current = state is not None and state.token == pit.lease.token and state.stakes is not None
    return dict(state.stakes.cents) if is_current else None, {} if read is None else read.cents


def verify_known(pit):
    remembered, read = known(pit)
    assert remembered is None or remembered == read


def test_known_stakes_after_bets_are_by_player_and_chance(make_pit, ledger_place):
    pit = make_pit(ledger_place)
    pit.open(1)
    pit.place(pit.ada, "red", 500)
    pit.place(pit.ada, "rouge", 1000)
    bet = pit.place(pit.ben, "straight", 500, numbers=["17"])
    remembered, read = known(pit)
    assert remembered == read
    cents_by_bet = {
        (account, chance.kind): cents for (account, chance), cents in remembered.items()
    }
    assert cents_by_bet == {(pit.ada, "red"): 1500, (pit.ben, "straight"): 500}
    betting.withdraw(pit.ledger, pit.lease, pit.ben, bet.bet, "back", reading=pit.reading)
    remembered, read = known(pit)
    assert remembered == read
    assert {chance.kind for _, chance in remembered} == {"red"}


ORDERS = st.one_of(
    st.tuples(
        st.just("place"),
        st.integers(0, 1),
        st.sampled_from(PLACES),
        st.sampled_from((500, 1000, 1500, 700, 0)),
    ),
    st.tuples(
        st.just("change"), st.integers(0, 9), st.sampled_from(PLACES), st.sampled_from((500, 1500))
    ),
    st.tuples(st.just("back"), st.integers(0, 9)),
    st.tuples(
        st.just("slip"),
        st.integers(0, 1),
        st.lists(
            st.tuples(st.sampled_from(PLACES), st.sampled_from((500, 1000, 700))),
            min_size=1,
            max_size=4,
        ),
    ),
    st.tuples(
        st.just("break"), st.sampled_from(("verified", "posted", "inserted", "before_commit"))
    ),
    st.tuples(st.sampled_from(("renew", "claim", "next", "beat", "foreign", "again"))),
)


@settings(max_examples=share(40, 6), deadline=None)
@given(st.lists(ORDERS, max_size=25))
def test_what_is_in_memory_is_what_the_database_says(tmp_path_factory, orders):
    breaking = Breaking()
    place = tmp_path_factory.mktemp("known") / "ledger"
    pit = Pit(place, terms=TIGHT, at=breaking)
    try:
        Steps(pit, breaking).carry_out(orders)
    finally:
        pit.ledger.close()


class Steps:
    """Carries out random orders; after each the memory is compared with the database."""

    def __init__(self, pit, breaking):
        self.pit = pit
        self.breaking = breaking
        self.number = 1
        self.placed_bets = []
        self.asked = []
        pit.open(1)

    def carry_out(self, orders):
        for name, *values in orders:
            with contextlib.suppress(LedgerRejection, Broken):
                getattr(self, name)(*values)
            self.breaking.step = None
            verify_known(self.pit)
        with contextlib.suppress(LedgerRejection):
            self.place(0, PLACES[0], 500)
        verify_known(self.pit)

    def place(self, player, where, cents, replaces=None):
        kind, more = where
        account = (self.pit.ada, self.pit.ben)[player]
        request = self.pit.request(account, kind, cents, **more, replaces=replaces)
        self.asked.append(request)
        self.placed_bets.append((player, self.pit.submit(request).bet))

    def slip(self, player, wanted):
        account, key = (self.pit.ada, self.pit.ben)[player], next(self.pit.keys)
        requests = tuple(
            self.pit.request(account, kind, cents, **more, key=key)
            for (kind, more), cents in wanted
        )
        asked = betting.Slip(account, key, requests)
        [answer] = self.place_all([asked])
        accepted = [bet for bet in answer.bets if not isinstance(bet, LedgerRejection)]
        self.placed_bets += [(player, bet.bet) for bet in accepted]
        [again] = self.place_all([asked])
        if accepted:
            assert again.is_repeat
            assert [str(bet) for bet in again.bets if isinstance(bet, LedgerRejection)] == [
                str(bet) for bet in answer.bets if isinstance(bet, LedgerRejection)
            ]

    def place_all(self, wanted):
        pit = self.pit
        return betting.place_all(pit.ledger, pit.lease, wanted, reading=pit.reading)

    def change(self, which, where, cents):
        if which < len(self.placed_bets):
            player, bet = self.placed_bets[which]
            self.place(player, where, cents, replaces=bet)

    def back(self, which):
        if which < len(self.placed_bets):
            player, bet = self.placed_bets[which]
            pit = self.pit
            account = (pit.ada, pit.ben)[player]
            betting.withdraw(
                pit.ledger, pit.lease, account, bet, next(pit.keys), reading=pit.reading
            )

    def again(self):
        for request in self.asked[-2:]:
            self.pit.submit(request)

    def beat(self):
        self.pit.beat()

    def renew(self):
        self.pit.lease = evidence.renew(self.pit.ledger, self.pit.lease)
        self.pit.intake.lease = self.pit.lease

    def claim(self):
        self.pit.attach()

    def next(self):
        self.pit.close(self.number)
        self.pit.end(self.number, 17)
        self.number += 1
        self.pit.open(self.number)

    def foreign(self):
        """Another part of the host writes a bet under the lease."""
        pit = self.pit

        def write(db):
            key = tables.state_of(db, pit.table).round
            row = {
                "table_id": pit.table,
                "round_id": key,
                "account_id": pit.ada,
                "slip": '{"bet":"red"}',
                "stake_cents": 500,
                "standing": "valid",
                "placed_ns": 1,
                "posting_id": 1,
            }
            db.execute(insert(bets).values(**row))

        pit.ledger.run(write, pit.lease)

    def __getattr__(self, name):
        if name == "break":
            return self.fail
        raise AttributeError(name)

    def fail(self, step):
        self.breaking.step = step
        self.place(0, PLACES[0], 500)


def test_a_renewed_lease_keeps_the_memory_and_a_new_one_does_not(make_pit, tmp_path):
    pit = make_pit(tmp_path / "ledger")
    pit.open(1)
    pit.place(pit.ada, "red", 500)
    pit.lease = evidence.renew(pit.ledger, pit.lease)
    assert known(pit)[0] is not None
    lost, pit.lease = pit.lease, evidence.claim(pit.ledger, pit.table, "host a")
    assert known(pit)[0] is None
    with pytest.raises(LostLease):
        betting.place(pit.ledger, lost, pit.request(pit.ada, "red", 500), reading=pit.reading)


def test_a_request_that_changes_nothing_keeps_the_memory(make_pit, tmp_path):
    """Else a terminal that sends such ones without end would have every bet read all others."""
    pit = make_pit(tmp_path / "ledger")
    pit.open(1)
    bet = pit.place(pit.ada, "red", 500).bet

    def back(number, key):
        betting.withdraw(pit.ledger, pit.lease, pit.ada, number, key, reading=pit.reading)

    with pytest.raises(LedgerRejection):
        back(999, "no such bet")
    assert known(pit)[0] is not None
    with pytest.raises(LedgerRejection):
        pit.place(pit.ada, "green", 500)
    assert known(pit)[0] is not None
    back(bet, "back")
    assert known(pit) == ({}, {})
    back(bet, "back")  # the first time its answer is decoded, in between
    pit.place(pit.ben, "red", 500)
    back(bet, "back")
    assert list(known(pit)[0].values()) == [500]
    with pytest.raises(LedgerRejection):
        back(bet, "back again")
    assert list(known(pit)[0].values()) == [500]


def test_another_write_under_the_lease_drops_the_memory(make_pit, tmp_path):
    pit = make_pit(tmp_path / "ledger")
    pit.open(1)
    pit.place(pit.ada, "red", 500)
    pit.ledger.run(lambda db: None, pit.lease)
    assert known(pit)[0] is None


def test_a_transaction_that_failed_leaves_nothing_in_memory(make_pit, tmp_path):
    breaking = Breaking()
    pit = make_pit(tmp_path / "ledger", at=breaking)
    pit.open(1)
    pit.place(pit.ada, "red", 500)
    breaking.step = "before_commit"
    with pytest.raises(Broken):
        pit.place(pit.ada, "red", 500)
    assert known(pit)[0] is None
    pit.place(pit.ada, "red", 500)
    remembered, read = known(pit)
    assert remembered == read
    assert list(remembered.values()) == [1000]


def test_many_bets_at_once_reach_the_maximum_and_no_more(make_pit, ledger_place):
    pit = make_pit(ledger_place, terms=TIGHT)
    pit.open(1)
    pit.place(pit.ben, "straight", 500, numbers=["17"])
    requests = [pit.request(pit.ada, "straight", 500, numbers=["17"]) for _ in range(12)]
    requests += [pit.request(pit.ben, "straight", 500, numbers=["17"]) for _ in range(12)]
    answers, start = [], threading.Barrier(6)

    def ask(own):
        start.wait()
        for first in range(0, len(own), 2):
            pair = own[first : first + 2]
            answers.extend(
                zip(
                    pair,
                    betting.place_all(pit.ledger, pit.lease, pair, reading=pit.reading),
                    strict=True,
                )
            )

    threads = [threading.Thread(target=ask, args=(requests[place::6],)) for place in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    accepted = [
        request.account for request, answer in answers if not isinstance(answer, LedgerRejection)
    ]
    codes = {answer.code for _, answer in answers if isinstance(answer, LedgerRejection)}
    assert (accepted.count(pit.ada), accepted.count(pit.ben), codes) == (4, 3, {"above_maximum"})
    verify_known(pit)
    assert sorted(known(pit)[1].values()) == [2000, 2000]


@pytest.mark.parametrize("step", ["verified", "posted", "inserted", "kept", "before_commit"])
def test_a_slip_that_failed_on_the_way_booked_nothing_and_is_carried_out_later(
    make_pit, ledger_place, step
):
    breaking = Breaking()
    pit = make_pit(ledger_place, at=breaking)
    pit.open(1)
    requests = (
        pit.request(pit.ada, "red", 500, key="s"),
        pit.request(pit.ada, "black", 1000, key="s"),
    )
    asked = [betting.Slip(pit.ada, "s", requests)]
    breaking.step = step
    with pytest.raises(Broken):
        betting.place_all(pit.ledger, pit.lease, asked, reading=pit.reading)
    assert pit.balance(pit.ada) == 100_000
    [first] = betting.place_all(pit.ledger, pit.lease, asked, reading=pit.reading)
    [again] = betting.place_all(pit.ledger, pit.lease, asked, reading=pit.reading)
    assert [bet.balance_cents for bet in first.bets] == [99_500, 98_500]
    assert (first.is_repeat, again.is_repeat) == (False, True)
    assert [bet.bet for bet in again.bets] == [bet.bet for bet in first.bets]
    assert pit.balance(pit.ada) == 98_500


def test_a_slip_that_was_committed_is_known_after_a_crash(make_pit, ledger_place):
    """The host ends after the commit, before it answers: the terminal asks again."""
    breaking = Breaking()
    pit = make_pit(ledger_place, at=breaking)
    pit.open(1)
    asked = [betting.Slip(pit.ada, "s", (pit.request(pit.ada, "red", 500, key="s"),))]
    breaking.step = "committed"
    with pytest.raises(Broken):
        betting.place_all(pit.ledger, pit.lease, asked, reading=pit.reading)
    [again] = betting.place_all(pit.ledger, pit.lease, asked, reading=pit.reading)
    assert again.is_repeat
    assert pit.balance(pit.ada) == 99_500
    verify_known(pit)


def test_a_try_that_was_not_committed_leaves_no_state(make_pit, tmp_path):
    """The first try closes the bets and is not committed: they are open in memory after it."""
    pit = make_pit(tmp_path / "ledger")
    pit.open(1)
    pit.place(pit.ada, "red", 500)
    tries = []

    def act(turn):
        tries.append(turn)
        if len(tries) == 1:
            turn.close_bets("of the first try")

    def conflict(step):
        if step == "before_commit" and len(tries) == 1:
            raise Conflict

    pit.ledger.at = conflict
    shell.run(pit.ledger, pit.lease, act)
    assert len(tries) == 2
    assert shell.look(pit.ledger, pit.lease).bets_open
    verify_known(pit)
