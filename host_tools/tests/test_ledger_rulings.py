"""Every stake is decided: rounds without a result, hands in no record. Sums by hand."""

import pytest
from sqlalchemy import select

from host_tools.tests.pit import FRENCH, Pit
from tabletools.evidence import Terms, let_go
from tabletools.money import cash
from tabletools.pit.host_context import HostContext
from tabletools.pit.pit import Pit as Host
from tabletools.pit.settings import Settings
from tabletools.store import Actor, LedgerRejection, books
from tabletools.store.schema.evidence import alarms
from tabletools.store.schema.people import audit_log
from tabletools.table import unsettled_stakes
from tabletools.table.rulings import decline
from tabletools.table.settling import table_accounts
from tabletools.table.verify import check

SUE = Actor("Sue")
PRISON = {"choice": "prison"}
MAXIMA = {"ante": 10_000, "bet": 10_000, "pair_plus": 10_000}
THREE_CARD = Terms("three_card", "hc2023", None, {"minimum": 500, "maximum": MAXIMA})
BLACKJACK = Terms("blackjack", "hc2023", None, {"minimum": 500})


class Table(Pit):
    """A table whose stakes are counted."""

    def open_stakes(self):
        """(round as the device counts, why, cents), and that this is all that is in play."""
        with self.ledger.read() as db:
            stakes = unsettled_stakes.stakes(db, self.clock.wall_ns())
            escrow = books.balance(db, table_accounts(db, self.table, 0).escrow)
            assert sum(row.stake_cents for row in stakes) == escrow
            return [(row.number, row.why, row.stake_cents) for row in stakes]


@pytest.fixture
def make_pit(ledger_place):
    """A table by terms; every test ends with a sound ledger and nothing in play."""
    tables = []

    def table(terms=FRENCH):
        tables.append(Table(ledger_place, terms=terms))
        return tables[0]

    yield table
    assert tables[0].open_stakes() == []
    with tables[0].ledger.read() as db:
        assert check(db).problems == []
    tables[0].ledger.close()


def test_a_device_that_never_comes_back(make_pit):
    """EUR 10 of ada stand imprisoned, EUR 20 of ben are new: two users give back all of it."""
    pit = make_pit()
    pit.play(1, 0, (pit.ada, "red", 1000, PRISON))
    assert pit.open_stakes() == [(1, "plays_on", 1000)]
    pit.open(2)
    pit.place(pit.ben, "black", 2000)
    assert pit.open_stakes() == [(2, "runs", 3000)]
    pit.intake.link_lost(7, "offline")
    with pit.ledger.read() as db:
        text = db.execute(select(alarms.c.text)).scalar_one()
    assert text == "offline; 3000 cents are in play there: if it never returns, two users rule"
    assert pit.rule(2, {"stakes_back": "the wheel burnt"}) == 1
    assert pit.money() == (0, 0)


def test_a_result_by_witness_needs_evidence_and_can_be_contradicted(make_pit):
    """17 was seen; without evidence it is refused. The table returns and reports 18: an alarm."""
    pit = make_pit()
    pit.open(1)
    pit.place(pit.ada, "straight", 1000, numbers=["17"])
    pit.close(1)
    with pytest.raises(LedgerRejection, match="needs its evidence"):
        pit.rule(1, {"pocket": "17"}, evidence=" ")
    pit.rule(1, {"pocket": "17"})
    assert pit.money() == (35_000, 0)
    with pytest.raises(
        LedgerRejection, match="closed"
    ):  # no late bet in a round that was ruled on
        pit.place(pit.ben, "straight", 1000, numbers=["17"])
    with pit.ledger.read() as db:
        entries = db.execute(
            select(audit_log.c.who, audit_log.c.detail).where(audit_log.c.action == "round_ruled")
        ).all()
    assert [row.who for row in entries] == ["Sue", "Dan"]
    assert all('"evidence":"camera 4, 21:07"' in row.detail for row in entries)
    pit.end(1, 18)
    with pit.ledger.read() as db:
        [text] = db.execute(select(alarms.c.text)).scalars()
    assert text.startswith("wheel_result of round 1 came after two users had ruled on it")
    assert pit.money() == (35_000, 0)
    assert pit.rule(1, {"pocket": "18"}) == 2
    assert pit.money() == (-1000, 0)


@pytest.mark.parametrize("outcome", [{"void": "ball on the rim"}, {"stakes_back": "sold"}])
@pytest.mark.parametrize("is_closed", [False, True])
def test_a_void_needs_evidence(make_pit, outcome, is_closed):
    """Also before no more bets: that record may be on its way, and the table was not asked."""
    pit = make_pit()
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    if is_closed:
        pit.close(1)
    with pytest.raises(LedgerRejection, match="needs its evidence"):
        pit.rule(1, outcome, evidence=" ")
    pit.rule(1, outcome)
    assert pit.money() == (0, 0)


def test_a_ruling_names_the_generation_it_saw(make_pit):
    """Two corrections of generation 1: the second is refused and nothing is written."""
    pit = make_pit()
    pit.play(1, 17, (pit.ada, "straight", 1000, {"numbers": ["17"]}))
    assert pit.rule(1, {"pocket": "18"}, settled=1, key="a") == 2
    with pytest.raises(LedgerRejection, match="is at generation 2, the ruling saw 1"):
        pit.rule(1, {"pocket": "17"}, settled=1, key="b")
    assert pit.rule(1, {"pocket": "18"}, settled=1, key="a") == 2
    with pytest.raises(LedgerRejection, match="used for another request"):
        pit.rule(1, {"pocket": "19"}, settled=2, key="a")
    assert pit.money() == (-1000, 0)


def test_a_balance_below_zero_is_previewed_and_raises_an_alarm(make_pit):
    """17 paid EUR 360.00 to ada, who cashes out all but EUR 180.00; 18 takes 360.00 back."""
    pit = make_pit()
    bets = [(pit.ada, "straight", 1000, {"numbers": ["17"]}), (pit.ben, "red", 500)]
    pit.play(1, 17, *bets)
    assert pit.money() == (35_000, -500)
    balance = pit.balance(pit.ada) - 18_000
    cash.pay_out(pit.ledger, pit.ada, balance, "out", SUE, held_cents=10**9)
    preview = pit.preview(1, {"pocket": "18"})
    assert preview.balances == [
        (pit.ada, "ada", 18_000, -18_000),
        (pit.ben, "ben", 99_500, 100_500),
    ]
    assert pit.balance(pit.ada) == 18_000
    pit.rule(1, {"pocket": "18"}, preview=preview.digest)
    assert [pit.balance(who) for who in (pit.ada, pit.ben)] == [-18_000, 100_500]
    with pit.ledger.read() as db:
        rows = db.execute(select(alarms.c.kind, alarms.c.text)).all()
    text = f"a ruling leaves account {pit.ada} (ada) at -18000 cents"
    assert rows == [("balance_below_zero", text)]


def test_a_table_that_plays_no_more(make_pit):
    """No host holds it: two users of another host return open bets, others are notified."""
    pit = make_pit()
    pit.play(1, 0, (pit.ada, "red", 1000, PRISON), (pit.ben, "red", 500))
    pit.open(2)
    pit.place(pit.ben, "black", 500)
    other = Host(HostContext(pit.ledger, lambda device: {}, "host b"), Settings())
    with pytest.raises(LedgerRejection, match="is owned by host a"), other.ruling(pit.table):
        pass
    let_go(pit.ledger, pit.lease)
    with other.ruling(pit.table) as pit.lease:
        with pytest.raises(LedgerRejection, match="not decided"):
            unsettled_stakes.end_stakes(pit.ledger, pit.lease, pit.both, "sold", "a")
        pit.rule(2, {"void": "device gone"})
    assert pit.open_stakes() == [(2, "plays_on", 1000)]
    with other.ruling(pit.table) as lease:
        with pytest.raises(LedgerRejection, match="two different users"):
            unsettled_stakes.end_stakes(pit.ledger, lease, pit.both[:1] * 2, "sold", "a")
        for _ in range(2):  # the answer was lost, it is sent again
            assert unsettled_stakes.end_stakes(pit.ledger, lease, pit.both, "sold", "a")[1] == 1000
        with pytest.raises(LedgerRejection, match="no stake is left in play"):
            unsettled_stakes.end_stakes(pit.ledger, lease, pit.both, "sold", "b")
    assert pit.money() == (0, -250)  # half of ben's EUR 5 was lost at zero


def test_hands_are_paid_by_the_rules_and_previewed(make_pit):
    """Three Card: ada folds, ben's aces beat a queen: 1:1 twice. Then threes of the bank: lost."""
    pit = make_pit(THREE_CARD)
    pit.open(1)
    ada, ben = (pit.place(who, "ante", 500).bet for who in (pit.ada, pit.ben))
    pit.close(1)

    def hands(bank, stake=500):
        second = {"player": str(pit.ben), "bet": "bet", "stake": stake}
        return {
            "bank": bank,
            "boxes": {
                "1": {
                    "cards": "7H 5D 2C",
                    "bets": [str(ada)],
                    "decisions": {str(pit.ada): "fold"},
                },
                "5": {"cards": "AH AD 2S", "bets": [str(ben)], "later": [second]},
            },
        }

    queen = hands("QS 9D 4C")
    with pytest.raises(LedgerRejection, match="one hand was given"):
        pit.rule(1, {"player": "AH AD 2S", "bank": "QS 9D 4C"})
    with pytest.raises(LedgerRejection, match="preview of the settlement"):
        pit.rule(1, queen)
    with pytest.raises(LedgerRejection, match="balance 99500"):
        pit.preview(1, hands("QS 9D 4C", 100_000))
    with pytest.raises(LedgerRejection, match=f"bets on no box: '{ben}'"):
        pit.preview(1, {**queen, "boxes": {"1": queen["boxes"]["1"]}})
    preview = pit.preview(1, queen)
    assert [(line.outcome, line.win, line.lost) for line in preview.rounds[0].lines] == [
        ("lose", 0, 500),
        ("win", 500, 0),
        ("win", 500, 0),
    ]
    assert pit.money() == (-500, -500)
    with pytest.raises(LedgerRejection, match="another effect than its preview"):
        pit.rule(1, hands("3S 3D 3C"), preview=preview.digest)
    assert pit.rule(1, queen, preview=preview.digest) == 1
    assert pit.money() == (-500, 1000)
    threes = hands("3S 3D 3C")
    assert pit.rule(1, threes, preview=pit.preview(1, threes).digest) == 2
    assert pit.money() == (-500, -1000)


@pytest.mark.parametrize(
    ("bens", "why", "where"),
    [
        ("7H AD 2S", "7H appears twice, first in outcome.boxes.1.cards", "boxes.2.cards"),
        ("AH AD 9D", "9D appears twice, first in outcome.bank", "boxes.2.cards"),
        ("AH AD AH", "AH appears twice, first in outcome.boxes.2.cards", "boxes.2.cards"),
        ("AH AD", "dealt three cards each", "boxes.2"),
    ],
)
def test_the_hands_of_a_table_do_not_contradict_each_other(make_pit, bens, why, where):
    """One bank, one deck: a card entered twice is refused with both places."""
    pit = make_pit(THREE_CARD)
    pit.open(1)
    ada, ben = (pit.place(who, "ante", 500).bet for who in (pit.ada, pit.ben))
    pit.close(1)

    def hands(own):
        return {
            "bank": "QS 9D 4C",
            "boxes": {
                "1": {
                    "cards": "7H 5D 2C",
                    "bets": [str(ada)],
                    "decisions": {str(pit.ada): "fold"},
                },
                "2": {"cards": own, "bets": [str(ben)], "decisions": {str(pit.ben): "fold"}},
            },
        }

    with pytest.raises(LedgerRejection) as refused:
        pit.preview(1, hands(bens))
    assert why in refused.value.what
    assert refused.value.where == f"outcome.{where}"
    good = hands("AH AD 2S")
    pit.rule(1, good, preview=pit.preview(1, good).digest)
    assert pit.money() == (-500, -500)


def test_two_banks_and_two_sets_of_four_aces_have_no_place(make_pit):
    """Caribbean: a round has one bank; a box with a bank is refused, and so are four aces
    at two boxes, each of them a possible hand."""
    pit = make_pit(Terms("caribbean", "hc2023", None, {"minimum": 500}))
    pit.open(1)
    ada, ben = (pit.place(who, "ante", 500).bet for who in (pit.ada, pit.ben))
    pit.close(1)

    def hands(own, **more):
        boxes = {
            "1": {"cards": "AH AD AC AS 9D", "bets": [str(ada)]},
            "2": {"cards": own, "bets": [str(ben)], **more},
        }
        for box, who in zip(boxes.values(), (pit.ada, pit.ben), strict=True):
            box["later"] = [{"player": str(who), "bet": "bet", "stake": 1000}]
        return {"bank": "KS QC 5H 4D 2C", "boxes": boxes}

    with pytest.raises(LedgerRejection, match="'bank' is not known") as refused:
        pit.preview(1, hands("KH KD 7C 3S 2D", bank="AS KC 4D 3C 2H"))
    assert refused.value.where == "outcome.boxes.2"
    with pytest.raises(LedgerRejection, match=r"first in outcome.boxes.1.cards") as refused:
        pit.preview(1, hands("AH AD AC AS 8D"))
    assert refused.value.where == "outcome.boxes.2.cards"
    pit.rule(1, {"stakes_back": "nobody saw it"})


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"stake": 1_000_000}, "balance 99500"),
        ({"win": 5000}, "'win' is unknown"),
        ({"player": "99"}, "has no bet on this box"),
        ({"bet": "ante"}, "no bet 'ante'"),
        ({"stake": "5"}, "whole number of cents"),
    ],
)
def test_a_record_says_what_lies_and_no_payout(make_pit, change, why):
    """Another stake, a payout, a player who has no bet: refused; then 8-3-K doubled beats 18."""
    pit = make_pit(BLACKJACK)
    pit.open(1)
    bet = pit.place(pit.ada, "bet", 500).bet
    pit.close(1)

    def record(**more):
        double = {"player": str(pit.ada), "bet": "double", "stake": 500, **more}
        box = {"cards": "8H 3S KC", "bets": [str(bet)], "later": [double]}
        return {"bank": "KD 8S", "boxes": {"1": box}}

    with pytest.raises(LedgerRejection, match=why):
        pit.preview(1, record(**change))
    pit.rule(1, record(), preview=pit.preview(1, record()).digest)
    assert pit.money() == (1000, 0)


def test_a_void_beside_cards_needs_its_evidence(make_pit):
    """A blackjack dealt before the void is paid 3:2: the cards are entered as for a result."""
    pit = make_pit(BLACKJACK)
    pit.open(1)
    bet = pit.place(pit.ada, "bet", 500).bet
    pit.close(1)
    boxes = {"1": {"cards": "AS KD", "bets": [str(bet)]}}
    dealt = {"bank": "2C", "boxes": boxes, "void": "shoe jammed"}
    with pytest.raises(LedgerRejection, match="needs its evidence"):
        pit.rule(1, dealt, evidence="")
    pit.rule(1, dealt, preview=pit.preview(1, dealt).digest)
    assert pit.money() == (750, 0)


@pytest.mark.parametrize("is_let_go", [True, False])
def test_a_round_runs_only_while_a_host_speaks_for_its_table(make_pit, is_let_go):
    """Its result will never come: the list of waiting rounds has it, with the reason."""
    pit = make_pit()
    pit.open(1)
    pit.place(pit.ada, "red", 500)
    pit.close(1)
    assert pit.open_stakes() == [(1, "runs", 500)]
    with pit.ledger.read() as db:
        [row] = unsettled_stakes.stakes(db, pit.clock.wall_ns(), offline=[pit.table])
    assert (row.why, row.because, row.alarm) == ("waits", "silent", None)
    if is_let_go:
        let_go(pit.ledger, pit.lease)
    else:
        pit.clock.pass_ms(10_001)  # a lease is for 10 s
    with pit.ledger.read() as db:
        [row] = unsettled_stakes.stakes(db, pit.clock.wall_ns())
    assert (row.why, row.because) == ("waits", "no_host")
    pit.attach("host b")
    assert pit.open_stakes() == [(1, "runs", 500)]
    pit.end(1, 7)


def test_what_waits_says_why(make_pit):
    """A round that another one followed, and a number that was not accepted."""
    pit = make_pit()

    def waits():
        with pit.ledger.read() as db:
            [row] = unsettled_stakes.stakes(db, pit.clock.wall_ns())
        pit.rule(row.number, {"stakes_back": "nobody saw it"})
        return row.number, row.because, row.alarm

    pit.open(1)
    pit.place(pit.ada, "red", 500)
    pit.open(2)
    assert waits()[:2] == (1, "left")
    pit.open(3)
    pit.place(pit.ada, "red", 500)
    pit.end(3, 7)  # no bets_closed came before it
    number, because, alarm = waits()
    assert (number, because) == (3, "unexpected")
    assert "result of round 3 not valid" in alarm


def test_a_ruling_that_is_declined_changes_nothing(make_pit):
    """It is in the audit log under both names, with the request; the stake stays on the table."""
    pit = make_pit()
    pit.open(1)
    pit.place(pit.ada, "red", 500)
    pit.close(1)
    asked = (pit.ledger, pit.key(1), {"pocket": "7"})
    with pytest.raises(LedgerRejection, match="two different users"):
        decline(*asked, pit.both[:1], "no camera saw it")
    decline(*asked, pit.both, "no camera saw it")
    with pit.ledger.read() as db:
        query = select(audit_log.c.who, audit_log.c.detail)
        entries = db.execute(query.where(audit_log.c.action == "ruling_declined")).all()
    assert [row.who for row in entries] == ["Sue", "Dan"]
    assert all(
        "no camera saw it" in row.detail and '"pocket":"7"' in row.detail for row in entries
    )
    assert pit.open_stakes() == [(1, "runs", 500)]
    pit.end(1, 7)
    assert pit.money() == (500, 0)
