"""Jackpots of a pit: meters are accounts of the ledger. Every amount by hand.

hc2023 3:5(9): a royal flush in diamonds wins the mega, another the major, three of a kind 5:1.
A bet costs EUR 1.00: 10 cents of it go to the mega, 5 to the major, the rest to the house.
"""

import threading
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from hil_tests.thinned import share
from host_tools.tests.pit import BOOT, HOUSE, Pit
from host_tools.tests.test_chain import owned
from tabletools.evidence import Terms
from tabletools.money import play_queries
from tabletools.shadow import ledger as shadow
from tabletools.store import LedgerRejection, Store, books
from tabletools.store.schema.books import accounts
from tabletools.table.terms import create_table
from tabletools.table.verify import check
from tablewire import codes
from tablewire.messages import ROUND_VOID
from tablewire.sender import Sender
from tablewire.shuffler import CARD_ROUND_ENDED

MEGA, MAJOR, MINOR = 2_500_000, 250_000, 50_000
SEEDED = MEGA + MAJOR + MINOR
SHARES = {"contribution": {"mega": [1, 10], "major": [1, 20]}}
CARIBBEAN = Terms("jackpot", "hc2023", "caribbean", {"price": 100}, SHARES)
DIAMONDS, HEARTS = "AD KD QD JD TD", "AH KH QH JH TH"
NINES, NOTHING, LOW = "9S 9H 9C AC KS", "2C 4D 7H 9D JC", "2D 4C 7S 8D QC"


class Table(Pit):
    """A pit of one jackpot."""

    def deal(self, number, *wagers):
        """A round with jackpot bets of these players; returns their bets."""
        self.open(number, "shuffler")
        bets = [self.place(player, "jackpot", 100).bet for player in wagers]
        self.close(number)
        self.say(CARD_ROUND_ENDED, (5000,), number)
        return bets

    def decide(self, number, outcome):
        return self.rule(number, outcome, preview=self.preview(number, outcome).digest)

    def show(self, number, bets, *hands):
        """Two users say which hands the bets had."""
        named = {str(bet): hand for bet, hand in zip(bets, hands, strict=True)}
        return self.decide(number, {"hands": named})

    def levels(self, table=None):
        with self.ledger.read() as db:
            [row] = play_queries.table_rows(db, table or self.table)
        return row.meters

    def bank(self):
        with self.ledger.read() as db:
            return books.balance(db, books.find_account(db, "house", f"table {self.table}", "EUR"))

    def alarms(self):
        return [row for row in super().alarms() if row.kind != "unended"]


@pytest.fixture
def make_pit(ledger_place):
    """A table by terms; every test ends with a sound ledger."""
    pits = []

    def table(terms=CARIBBEAN):
        pits.append(Table(ledger_place, terms=terms))
        return pits[0]

    yield table
    with pits[0].ledger.read() as db:
        assert check(db).problems == []
        assert sum(db.execute(select(accounts.c.balance_cents)).scalars()) == 0
        report = shadow.check(db)
        assert (report.differences, report.unjudged) == ([], {})
    pits[0].ledger.close()


def test_the_house_seeds_the_meters(make_pit):
    """EUR 25,000, 2,500 and 500 as printed, from the bank of the table."""
    pit = make_pit()
    assert pit.levels() == {"mega": MEGA, "major": MAJOR, "minor": MINOR}
    assert pit.bank() == -SEEDED


def test_stakes_grow_the_meters(make_pit):
    """Two bets: mega +20, major +10, the house keeps EUR 1.70 of EUR 2.00."""
    pit = make_pit()
    bets = pit.deal(1, pit.ada, pit.ben)
    assert pit.show(1, bets, NOTHING, LOW) == 1
    assert pit.money() == (-100, -100)
    assert pit.levels() == {"mega": MEGA + 20, "major": MAJOR + 10, "minor": MINOR}
    assert pit.bank() == -SEEDED + 170


def test_verify_names_a_meter_that_paid_twice(tmp_path):
    """A posting that adds 20 cents to the mega is written to take twice what it holds."""
    pit = Table(tmp_path / "ledger", terms=CARIBBEAN)
    pit.show(1, pit.deal(1, pit.ada, pit.ben), NOTHING, LOW)
    pit.ledger.close()
    with owned(tmp_path / "ledger") as db:
        db.execute(
            "UPDATE ledger_lines SET amount_cents = amount_cents - ? WHERE posting_id ="
            " (SELECT max(posting_id) FROM round_settlements) AND account_id ="
            " (SELECT id FROM accounts WHERE kind = 'meter' AND name LIKE '%mega')",
            [2 * MEGA],
        )
    store = Store.open_any(tmp_path / "ledger")
    with store.read() as db:
        problems = [one for one in check(db).problems if "it paid twice" in one]
    store.close()
    assert len(problems) == 1
    assert "mega) is at -2499980 after posting" in problems[0]


def test_a_win_empties_the_meter_and_the_house_seeds_it_again(make_pit):
    """Mega EUR 25,000.40 to ada; ben's nines EUR 5.00 and his stake; the mega starts again.

    The house: what it has after two rounds, less 2,500,000 for the new mega and 500 for the nines.
    """
    pit = make_pit()
    pit.show(1, pit.deal(1, pit.ada, pit.ben), NOTHING, LOW)
    pit.show(2, pit.deal(2, pit.ada, pit.ben), DIAMONDS, NINES)
    assert pit.money() == (-200 + MEGA + 40, -100 + 500)
    assert pit.levels() == {"mega": MEGA, "major": MAJOR + 20, "minor": MINOR}
    # Round 1: 170. Round 2: ada's 100, 30 to the meters, 500 to ben, the new mega.
    assert pit.bank() == -SEEDED + 170 + 100 - 30 - 500 - MEGA


def test_a_correction_takes_the_meters_back(make_pit):
    """The royal flush was of hearts: the mega is as it was, the major is won and starts again."""
    pit = make_pit()
    bets = pit.deal(1, pit.ada, pit.ben)
    pit.show(1, bets, DIAMONDS, LOW)
    assert pit.levels()["mega"] == MEGA
    assert pit.show(1, bets, HEARTS, LOW) == 2
    assert pit.money() == (-100 + MAJOR + 10, -100)
    assert pit.levels() == {"mega": MEGA + 20, "major": MAJOR, "minor": MINOR}
    assert pit.decide(1, {"stakes_back": "no such round"}) == 3
    assert pit.money() == (0, 0)
    assert pit.levels() == {"mega": MEGA, "major": MAJOR, "minor": MINOR}
    assert pit.bank() == -SEEDED
    assert pit.alarms() == []


def test_a_correction_after_a_later_round_leaves_the_meter(make_pit):
    """Settled by the meter the round had: mega 2,500,010, though it shows 2,500,020 by now.

    The meter stays as players saw it, so the house pays all of it; an alarm reports it.
    """
    pit = make_pit()
    bets = pit.deal(1, pit.ada)
    pit.show(1, bets, NOTHING)
    pit.show(2, pit.deal(2, pit.ben), LOW)
    bank = pit.bank()
    assert pit.show(1, bets, DIAMONDS) == 2
    assert pit.money() == (-100 + MEGA + 10, -100)
    assert pit.levels() == {"mega": MEGA + 20, "major": MAJOR + 10, "minor": MINOR}
    assert pit.bank() == bank - MEGA - 10
    [(kind, text)] = pit.alarms()
    assert kind == "meter_moved"
    assert "changes meter mega by -10 cents" in text
    assert pit.show(1, bets, NOTHING) == 3
    assert pit.money() == (-100, -100)
    assert (pit.levels()["mega"], pit.bank()) == (MEGA + 20, bank)


def test_a_void_leaves_the_meters(make_pit):
    """While bets were open the table's void returns the stakes; after it two users decide."""
    pit = make_pit()
    pit.open(1, "shuffler")
    pit.place(pit.ada, "jackpot", 100)
    pit.say(ROUND_VOID, (codes.TILT, 1, 255, 65535, 0, 0, 65535, 65535), 1)
    assert pit.money() == (0, 0)
    pit.open(2, "shuffler")
    pit.place(pit.ada, "jackpot", 100)
    pit.close(2)
    pit.say(ROUND_VOID, (codes.TILT, 1, 255, 65535, 0, 0, 65535, 65535), 2)
    assert pit.money() == (-100, 0)
    assert pit.rule(2, {"void": "tilt"}) == 1
    assert pit.money() == (0, 0)
    assert pit.levels() == {"mega": MEGA, "major": MAJOR, "minor": MINOR}


def test_what_a_meter_cannot_pay_the_house_pays(make_pit):
    """hc2011 3:6(7): a straight flush is 5,000 times the bet, EUR 5,000, of a meter of 1,000."""
    pit = make_pit(
        Terms("jackpot", "hc2011", "caribbean", {"price": 100}, {"start": {"jackpot": 100_000}})
    )
    pit.show(1, pit.deal(1, pit.ada), "9S 8S 7S 6S 5S")
    assert pit.money() == (-100 + 500_000, 0)
    assert pit.levels() == {"jackpot": 0}
    assert pit.bank() == -100_000 + 100 - 400_000


def test_a_bet_costs_its_price(make_pit):
    pit = make_pit()
    pit.open(1, "shuffler")
    with pytest.raises(LedgerRejection, match="costs 100, the stake is 200"):
        pit.place(pit.ada, "jackpot", 200)


@pytest.mark.parametrize(
    "terms",
    [
        CARIBBEAN._replace(limits={}),
        CARIBBEAN._replace(options={"contribution": {"mega": [1, 3]}}),
        CARIBBEAN._replace(options={"linked": ""}),
        CARIBBEAN._replace(variant="stud"),
        Terms("punto_banco", "hc2023", None, {"minimum": 500}, {"linked": "all"}),
    ],
)
def test_terms_of_a_jackpot_that_are_refused(make_pit, terms):
    pit = make_pit()
    with pytest.raises(LedgerRejection):
        create_table(pit.ledger, "J2", terms, HOUSE)


def test_linked_tables_have_their_meters_in_common(make_pit):
    """Two tables with the same jackpot: one set of meters, seeded once; a third has another."""
    linked = CARIBBEAN._replace(options={**SHARES, "linked": "big"})
    pit = make_pit(linked)
    other = create_table(pit.ledger, "J2", linked, HOUSE, device=8)
    third = create_table(pit.ledger, "J3", CARIBBEAN, HOUSE, device=9)
    pit.show(1, pit.deal(1, pit.ada), NOTHING)
    grown = {"mega": MEGA + 10, "major": MAJOR + 5, "minor": MINOR}
    assert pit.levels(other) == grown
    assert pit.levels(third) == {"mega": MEGA, "major": MAJOR, "minor": MINOR}


def second(pit, terms):
    """Another table of the same ledger with another device; its rounds count from 101."""
    other = object.__new__(Table)
    other.__dict__.update(pit.__dict__)
    other.table = create_table(pit.ledger, "J2", terms, HOUSE, device=8)
    other.device, other.synced_ms = Sender(8, BOOT), 0
    other.keys = (f"other key {number}" for number in count())
    other.attach("host b")
    return other


def test_tables_that_share_a_meter_wait_for_each_other(make_pit):
    """Rulings at two tables at once, five times: the meter has every contribution."""
    linked = CARIBBEAN._replace(options={**SHARES, "linked": "big"})
    pit = make_pit(linked)
    other = second(pit, linked)
    for number in range(1, 6):
        deals = [(pit, number, pit.deal(number, pit.ada))]
        deals.append((other, 100 + number, other.deal(100 + number, pit.ben)))
        at_once(
            *(lambda table=table, rest=rest: table.show(*rest, NOTHING) for table, *rest in deals)
        )
        grown = {"mega": MEGA + 20 * number, "major": MAJOR + 10 * number, "minor": MINOR}
        assert pit.levels() == other.levels() == grown


def at_once(*jobs):
    """Run functions in a thread each until all have ended; raises what one raised."""
    failed = []

    def run(job):
        try:
            job()
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in failed:
        raise error


def test_a_correction_locks_the_meters_before_its_first_line(make_pit, monkeypatch):
    """Else a round settled between would find a level that its lines do not add up to."""
    linked = CARIBBEAN._replace(options={**SHARES, "linked": "big"})
    pit = make_pit(linked)
    other = second(pit, linked)
    bets = pit.deal(1, pit.ada)
    pit.show(1, bets, NOTHING)
    dealt = other.deal(101, other.ben)
    outcome = {"hands": {str(bets[0]): HEARTS}}
    preview = pit.preview(1, outcome).digest
    beside = threading.Thread(target=other.show, args=(101, dealt, DIAMONDS))
    insert = books.insert_many

    def insert_later(*args):
        if beside.ident is None:
            beside.start()
            beside.join(1)  # it ends within that, or waits for this transaction
        insert(*args)

    monkeypatch.setattr(books, "insert_many", insert_later)
    pit.rule(1, outcome, preview=preview)
    beside.join()
    assert pit.levels() == {"mega": MEGA, "major": MAJOR + 5, "minor": MINOR}


def test_a_correction_beside_a_round_of_a_linked_table(make_pit):
    """Whoever comes first, each level follows from the lines before it: the fixture verifies."""
    linked = CARIBBEAN._replace(options={**SHARES, "linked": "big"})
    pit = make_pit(linked)
    other = second(pit, linked)
    bets = pit.deal(1, pit.ada)
    pit.show(1, bets, NOTHING)
    for number in range(101, 101 + share(8, 2)):
        dealt = other.deal(number, other.ben)
        hand = HEARTS if number % 2 else NOTHING
        at_once(
            lambda hand=hand: pit.show(1, bets, hand),
            lambda number=number, dealt=dealt: other.show(number, dealt, LOW),
        )
        with pit.ledger.read() as db:
            assert check(db).problems == []


def test_two_tables_win_a_meter_at_once(make_pit):
    """One gets what was there and both stakes brought until then, the other the new start."""
    linked = CARIBBEAN._replace(options={**SHARES, "linked": "big"})
    pit = make_pit(linked)
    other = second(pit, linked)
    own, others = pit.deal(1, pit.ada), other.deal(101, other.ben)
    at_once(lambda: pit.show(1, own, DIAMONDS), lambda: other.show(101, others, DIAMONDS))
    assert pit.money() == (-100 + MEGA + 10, -100 + MEGA + 10)
    assert pit.levels()["mega"] == MEGA


def test_linked_tables_made_at_once_seed_their_meters_once(make_pit):
    linked = CARIBBEAN._replace(options={**SHARES, "linked": "big"})
    pit = make_pit()
    at_once(
        *(
            lambda name=name: create_table(pit.ledger, name, linked, HOUSE)
            for name in ("J2", "J3", "J4")
        )
    )
    with pit.ledger.read() as db:
        seeded = [row.meters for row in play_queries.table_rows(db)]
    assert seeded == [{"mega": MEGA, "major": MAJOR, "minor": MINOR}] * 4


STEPS = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.sampled_from([DIAMONDS, HEARTS, NINES, NOTHING, "void", "stakes_back"]),
        st.sampled_from([LOW, "3S 3H 3C AS QS"]),
    ),
    min_size=1,
    max_size=10,
)


class Meters:
    """What meters show, by other arithmetic: a correction moves one that no round moved since."""

    def __init__(self):
        self.levels = {"mega": MEGA, "major": MAJOR, "minor": MINOR}
        self.first_levels = {}  # by round, as it was settled first
        self.posted = {}  # by round and meter
        self.lines = []  # (round, meter), in order
        self.begun = {}  # by round: how many lines there were before its first

    def settle(self, number, hand):
        if number not in self.first_levels:
            self.first_levels[number], self.begun[number] = dict(self.levels), len(self.lines)
        for meter, level in self.first_levels[number].items():
            wanted = {"mega": 20, "major": 10, "minor": 0}[meter]
            if {DIAMONDS: "mega", HEARTS: "major"}.get(hand) == meter:
                wanted = {"mega": MEGA, "major": MAJOR}[meter] - level
            if hand in ("void", "stakes_back"):
                wanted = 0
            had = self.posted.get((number, meter), 0)
            since = self.lines[self.begun[number] :]
            if any(line[0] != number and line[1] == meter for line in since):
                wanted = had
            self.lines += [(number, meter)] * ((had != 0) + (wanted != 0))
            self.posted[number, meter] = wanted
            self.levels[meter] += wanted - had


@settings(
    max_examples=share(8, 2),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(STEPS)
def test_a_meter_is_its_seed_and_what_came_less_what_was_won(empty_ledger, steps):
    """Random rounds, corrections of any of them and voids: no meter below zero, all adds up."""
    pit = Table(empty_ledger(), terms=CARIBBEAN)
    rounds, meters = {}, Meters()
    for number, first, second in steps:
        if number not in rounds or not number:
            number = max(rounds, default=0) + 1
            rounds[number] = pit.deal(number, pit.ada, pit.ben)
        if first in ("void", "stakes_back"):
            pit.rule(number, {first: "as it was"})
        else:
            pit.show(number, rounds[number], first, second)
        meters.settle(number, first)
        assert pit.levels() == meters.levels
        assert min(meters.levels.values()) >= 0
    with pit.ledger.read() as db:
        assert check(db).problems == []
        assert shadow.check(db).differences == []
        escrow = select(accounts.c.balance_cents).where(accounts.c.kind == "escrow")
        assert set(db.execute(escrow).scalars()) == {0}
        assert sum(db.execute(select(accounts.c.balance_cents)).scalars()) == 0
    pit.ledger.close()
