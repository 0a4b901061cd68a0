"""Card rounds of a shoe in the ledger: settled by their cards once, or by two users. By hand.

4H 5C 5D 2D is punto 9, banco 7. KH 5C KD 2D is a pair of kings with a third card to come.
"""

import pytest
from sqlalchemy import select

from host_tools.tests import machines
from host_tools.tests.pit import DURABLE, RETRANSMITTED, Pit
from tabletools.evidence import Terms
from tabletools.link import Contradiction
from tabletools.money import people_queries
from tabletools.shadow import ledger as shadow
from tabletools.store import LedgerRejection
from tabletools.store.schema.play import round_settlements
from tabletools.table import hand_rulings
from tabletools.table.loading import read_by_key
from tabletools.table.verify import check
from tablewire import codes
from tablewire.card_shoe import READER_LINK_LOST
from tablewire.messages import HEARTBEAT, PHASE_BETS_OPEN
from tablewire.shuffler import CARD_ROUND_ENDED

NATURAL, KINGS = "4H 5C 5D 2D".split(), "KH 5C KD 2D".split()
PUNTO = Terms("punto_banco", "hc2023", None, {"minimum": 500})
AS_SHUFFLER = PUNTO._replace(
    options={"shoe_as_shuffler": True, "automatic_voids": [READER_LINK_LOST]}
)
LIVE = Terms("baccarat", "de-live", None, {"minimum": 500, "maximum": {"tie": 50_000}})
BLACKJACK = Terms("blackjack", "hc2023", None, {"minimum": 500})


class Table(Pit):
    """A pit of one card table."""

    def deal(self, cards, number, *, lost=(), burned=()):
        """The cards of a round; those at the places lost never arrive, their frames come back."""
        hands = []
        for place, record in enumerate(machines.dealt(cards, burned)):
            if place in lost:
                hands.append(self.frame(*record, number))
            else:
                self.say(*record, number)
        return hands

    def shoe(self, number, cards, *bets, burned=()):
        """A whole round with bets."""
        self.open(number)
        for bet in bets:
            self.place(*bet)
        self.close(number)
        self.deal(cards, number, burned=burned)
        self.say(*machines.ended(cards, burned=len(burned)), number)

    def broken(self, number, cards, code, *bets, burned=()):
        """A round a fault ends."""
        self.open(number)
        for bet in bets:
            self.place(*bet)
        self.close(number)
        self.deal(cards, number, burned=burned)
        self.say(*machines.void(code), number)

    def generations(self):
        with self.ledger.read() as db:
            return [row.outcome for row in db.execute(select(round_settlements)).all()]


@pytest.fixture
def make_pit(ledger_place):
    """A table by terms; every test ends with a sound ledger and nothing in escrow unsettled."""
    tables = []

    def table(terms):
        tables.append(Table(ledger_place, terms=terms))
        return tables[0]

    yield table
    with tables[0].ledger.read() as db:
        assert check(db).problems == []
    tables[0].ledger.close()


def test_a_round_of_a_shoe_moves_the_money(make_pit):
    """EUR 10 on punto wins 1:1, EUR 20 on banco loses, in one settlement."""
    pit = make_pit(PUNTO)
    pit.shoe(1, NATURAL, (pit.ada, "punto", 1000), (pit.ben, "banco", 2000))
    assert pit.money() == (1000, -2000)
    assert pit.generations() == ['{"punto": "4H 5D", "banco": "5C 2D"}']


def test_what_a_shoe_burned_is_in_the_outcome(make_pit):
    """Burned cards stand beside the hands; those of the next shoe belong to no round."""
    pit = make_pit(PUNTO)
    pit.shoe(1, NATURAL, (pit.ada, "punto", 1000), burned=["9S", "??", "2H"])
    pit.say(*machines.dealt([], ["7C"])[0], 1)  # burned after the end, before the next round
    assert pit.generations() == ['{"punto": "4H 5D", "banco": "5C 2D", "burned": "9S 2H"}']
    assert pit.money() == (1000, 0)


def test_what_was_burned_before_a_fault(make_pit):
    """A void of the shoe: hands so far, and what was burned before them."""
    pit = make_pit(AS_SHUFFLER)
    pit.broken(1, KINGS, READER_LINK_LOST, (pit.ada, "punto_pair", 1000), burned=["9S"])
    [outcome] = pit.generations()
    assert '"burned": "9S"' in outcome
    assert pit.money() == (11_000, 0)


def test_a_card_burned_and_dealt_again_is_no_result(make_pit):
    """One deck: 4H was burned, and punto has it: nothing is settled, an alarm has the reason."""
    pit = make_pit(PUNTO._replace(options={"decks": 1}))
    pit.shoe(1, NATURAL, (pit.ada, "punto", 1000), burned=["4H"])
    assert pit.money() == (-1000, 0)
    [(kind, text)] = pit.alarms()
    assert (kind, "it opened with 8 decks" in text) == ("unexpected", True)
    why = "4H appears twice, first in punto; the cards are of one deck"
    with pytest.raises(LedgerRejection, match=why):
        pit.preview(1, {"punto": "4H 5D", "banco": "5C 2D", "burned": "4H"})
    assert pit.rule(1, {"void": "test"}) == 1


def test_no_record_pays_twice(make_pit):
    """Every record again, by repeat and by retransmission; then another end, which stops it."""
    pit = make_pit(PUNTO)
    pit.shoe(1, NATURAL, (pit.ada, "punto", 1000))
    counter = pit.device.counter
    again = [*machines.dealt(NATURAL), machines.ended(NATURAL)]
    pit.device.counter = counter - len(again)
    pit.show(pit.uptime_ms() - 10 * len(again))
    for record in again:
        assert not pit.say(*record, 1, flags=DURABLE | RETRANSMITTED)
    assert pit.money() == (1000, 0)
    with pytest.raises(Contradiction):
        pit.say(*machines.ended(KINGS), 1)
    assert (pit.money(), len(pit.generations())) == ((1000, 0), 1)
    assert [kind for kind, _ in pit.alarms()] == ["conflict"]


def test_a_card_still_to_come_holds_the_round(make_pit):
    """Nothing is settled before the last card is here, then all of it, once."""
    pit = make_pit(PUNTO)
    pit.open(1)
    pit.place(pit.ada, "punto", 1000)
    pit.close(1)
    [late] = pit.deal(NATURAL, 1, lost=(2,))
    pit.say(*machines.ended(NATURAL), 1)
    assert pit.money() == (-1000, 0)
    assert pit.receive(late)
    assert pit.money() == (1000, 0)
    assert pit.alarms() == []


def test_cards_that_do_not_add_up_wait_for_two_users(make_pit):
    """An alarm, no money; the cards two users saw settle it, and a correction takes it back."""
    pit = make_pit(PUNTO)
    pit.open(1)
    pit.place(pit.ada, "punto", 1000)
    pit.close(1)
    pit.deal(NATURAL, 1)
    pit.say(*machines.ended(NATURAL, wrong=1), 1)
    assert pit.money() == (-1000, 0)
    [(kind, text)] = pit.alarms()
    assert (kind, "do not match the summary" in text) == ("unexpected", True)
    assert pit.rule(1, {"punto": "4H 5D", "banco": "5C 2D"}) == 1
    assert pit.money() == (1000, 0)
    assert pit.rule(1, {"punto": "4H 3D", "banco": "5C 4D"}) == 2
    assert pit.money() == (-1000, 0)


@pytest.mark.parametrize("lost", [(), (0, 2)])
def test_a_void_of_a_shoe_leaves_decided_bets_decided(make_pit, lost):
    """3:1(7) by the house's option: the pair wins 11:1, the rest is returned; once all is here."""
    pit = make_pit(AS_SHUFFLER)
    pit.open(1)
    pit.place(pit.ada, "punto_pair", 1000)
    pit.place(pit.ben, "banco", 1000)
    pit.close(1)
    late = pit.deal(KINGS, 1, lost=lost)
    pit.say(*machines.void(READER_LINK_LOST), 1)
    for wire in late:
        assert pit.money() == (-1000, -1000)
        pit.receive(wire)
    assert pit.money() == (11_000, 0)
    assert pit.alarms() == []


def test_a_void_after_which_the_table_says_that_nothing_is_missing(make_pit):
    """What never came was no record: the round is settled then, and not before."""
    pit = make_pit(AS_SHUFFLER)
    pit.open(1)
    pit.place(pit.ada, "banco", 1000)
    pit.close(1)
    pit.frame(HEARTBEAT, (PHASE_BETS_OPEN, 0, 255, 1, 142, 0, 0, 0, 180_000, 96_000), flags=0)
    pit.say(*machines.void(READER_LINK_LOST), 1)
    assert pit.money() == (-1000, 0)
    pit.beat()
    assert pit.money() == (0, 0)


@pytest.mark.parametrize(
    ("terms", "code", "why"),
    [
        (PUNTO, READER_LINK_LOST, "reader link lost (943: "),
        (AS_SHUFFLER, codes.TILT, "tilt (401: "),
        (BLACKJACK, READER_LINK_LOST, "reader link lost (943: "),
    ],
)
def test_a_void_no_rule_settles(make_pit, terms, code, why):
    """An alarm has the reason; no bets open while stakes wait; two users enter the decisions."""
    pit = make_pit(terms)
    bet = "bet" if terms is BLACKJACK else "banco"
    pit.broken(1, KINGS, code, (pit.ada, bet, 1000))
    assert pit.money() == (-1000, 0)
    [(kind, text)] = pit.alarms()
    assert kind == "void_held"
    assert why in text
    assert "two users" in text
    pit.open(2)
    with pytest.raises(LedgerRejection, match="round_unended"):
        pit.place(pit.ada, bet, 1000)
    assert pit.rule(1, {"void": "shoe"}) == 1
    assert pit.money() == (0, 0)


def test_a_void_while_bets_were_open(make_pit):
    """No card was dealt: every stake is returned, whatever voided the round."""
    pit = make_pit(PUNTO)
    pit.open(1)
    pit.place(pit.ada, "banco", 1000)
    pit.say(*machines.void(codes.TILT, PHASE_BETS_OPEN), 1)
    assert pit.money() == (0, 0)
    assert pit.alarms() == []


def test_de_live_voids_what_was_decided_too(make_pit):
    """Bac 2.1.8: the shoe is part of the system; a misdeal waits, without the option."""
    limits, options = {"minimum": 500, "maximum": {}}, {"automatic_voids": [codes.TILT]}
    pit = make_pit(LIVE._replace(limits=limits, options=options))
    pit.broken(1, NATURAL, codes.TILT, (pit.ada, "player", 1000))
    assert pit.money() == (0, 0)
    pit.shoe(2, [*NATURAL, "2S"], (pit.ada, "player", 1000))
    assert pit.money() == (-1000, 0)
    [(kind, text)] = pit.alarms()
    assert (kind, "no one is dealt another" in text) == ("unended", True)


def test_a_misdeal_of_de_live_by_the_option(make_pit):
    pit = make_pit(LIVE._replace(options={"misdeal_voids": True}))
    pit.shoe(1, [*NATURAL, "2S"], (pit.ada, "player", 1000), (pit.ben, "tie", 500))
    assert pit.money() == (0, 0)
    assert pit.generations() != []


@pytest.mark.parametrize("shoe", [True, False])
def test_who_holds_which_cards_no_record_tells(make_pit, shoe):
    """Boxes of Black Jack, or a shuffler's table: two users enter it, an alarm has the reason."""
    pit = make_pit(BLACKJACK)
    pit.open(1, None if shoe else "shuffler")
    bet = pit.place(pit.ada, "bet", 1000).bet
    pit.close(1)
    if shoe:
        pit.deal(NATURAL, 1)
        pit.say(*machines.ended(NATURAL), 1)
    else:
        pit.say(CARD_ROUND_ENDED, (5000,), 1)
    [(kind, text)] = pit.alarms()
    assert kind == "unended"
    assert ("which box" if shoe else "reports no cards") in text
    outcome = {"bank": "KC 7D", "boxes": {"1": {"cards": "KH 9D", "bets": [str(bet)]}}}
    assert pit.rule(1, outcome, preview=pit.preview(1, outcome).digest) == 1
    assert pit.money() == (1000, 0)


WAR = Terms("casino_war", "hc2023", None, {"minimum": 500, "maximum": {"bet": 50_000}})


def waiting(pit, cards, burned=()):
    """A round with a bet of each player, whose shoe read these cards; returns its row and bets."""
    pit.open(1)
    numbers = [pit.place(who, "bet", 1000).bet for who in (pit.ada, pit.ben)]
    pit.close(1)
    pit.deal(cards, 1, burned=burned)
    pit.say(*machines.ended(cards, burned=len(burned)), 1)
    with pit.ledger.read() as db:
        return read_by_key(db, 1), [str(number) for number in numbers]


def test_the_shoe_fills_the_record_of_casino_war(make_pit):
    """8H and 3S to boxes 1 and 2, KC to the bank: who sat where is all that people say."""
    pit = make_pit(WAR)
    row, (ada, ben) = waiting(pit, ["8H", "AS", "KC"])
    with pit.ledger.read() as db:
        read, record, why = hand_rulings.record_from_shoe(db, row)
    assert (read.dealt, read.burned, why) == (["8H", "AS", "KC"], [], "")
    assert record == {"bank": "KC", "boxes": {"1": {"cards": "8H"}, "2": {"cards": "AS"}}}
    record["boxes"]["1"]["bets"], record["boxes"]["2"]["bets"] = [ben], [ada]
    preview = pit.preview(1, record)
    assert preview.differences == []
    assert pit.rule(1, record, preview=preview.digest) == 1
    assert pit.money() == (1000, -1000)


def test_the_shoe_fills_the_record_of_black_jack_once_the_boxes_decided(make_pit):
    """9H 8D and 7S KC against 6C; box 1 stands, box 2 busts with 5D; the bank draws 10S 4H: 20."""
    pit = make_pit(BLACKJACK)
    row, _ = waiting(pit, "9H 7S 6C 8D KC 5D TS 4H".split())
    with pit.ledger.read() as db:
        _, record, why = hand_rulings.record_from_shoe(db, row, 2)
        assert record is None
        assert "decisions of the Black Jack boxes are missing" in why
        acts = [(1, 1, "stand"), (2, 1, "card")]
        _, record, why = hand_rulings.record_from_shoe(db, row, 2, acts)
        assert (why, record) == (
            "",
            {
                "bank": "6C TS 4H",
                "boxes": {"1": {"cards": "9H 8D"}, "2": {"cards": "7S KC 5D"}},
            },
        )
        _, record, why = hand_rulings.record_from_shoe(db, row, 2, [(1, 1, "card")] * 5)
        assert record is None
        assert "but the shoe dealt only 8" in why
    pit.rule(1, {"void": "test"})


def test_the_shoe_fills_in_what_was_burned(make_pit):
    """7S and 7D before the cards of Casino War; a record without them has other cards."""
    pit = make_pit(WAR)
    row, (ada, ben) = waiting(pit, ["8H", "AS", "KC"], burned=["7S", "7D"])
    with pit.ledger.read() as db:
        read, record, _ = hand_rulings.record_from_shoe(db, row)
    assert (read.dealt, read.burned) == (["8H", "AS", "KC"], ["7S", "7D"])
    assert record["burned"] == "7S 7D"
    record["boxes"]["1"]["bets"], record["boxes"]["2"]["bets"] = [ben], [ada]
    preview = pit.preview(1, record)
    assert preview.differences == []
    wrong = pit.preview(1, {**record, "burned": "7S KC"})
    assert wrong.differences == [
        "outcome.burned has KC, which the shoe did not burn",
        "burned card 2 of the shoe, 7D, is nowhere in the record",
    ]
    assert pit.rule(1, record, preview=preview.digest) == 1


def test_a_ruling_that_contradicts_the_shoe_says_so_with_both_places(make_pit):
    """9S entered for the AS that was read: shown before, and in the audit log of the ruling."""
    pit = make_pit(WAR)
    _, (ada, ben) = waiting(pit, ["8H", "AS", "KC"])
    boxes = {"1": {"cards": "8H", "bets": [ada]}, "2": {"cards": "9S", "bets": [ben]}}
    record = {"bank": "KC", "boxes": boxes}
    preview = pit.preview(1, record)
    wrong = [
        "outcome.boxes.2.cards has 9S, which the shoe did not read",
        "card 2 of the shoe, AS, is nowhere in the record",
    ]
    assert preview.differences == wrong
    pit.rule(1, record, preview=preview.digest)
    with pit.ledger.read() as db:
        noted = [row["detail"] for row in people_queries.audit_rows(db, action="round_ruled")]
    assert [detail["differences"] for detail in noted] == [wrong] * 2


def test_a_correction_of_cards_is_sound_and_settles_equally(make_pit):
    """Bank 20 beats 19 and a doubled 20 pushes; then the bank was 18: 5.00 and 20.00 are won.

    The second correction takes the double back with its stake. After each the ledger verifies, and
    its shadow finds no difference.
    """
    pit = make_pit(BLACKJACK)
    pit.open(1, "shuffler")
    ada, ben = (
        str(pit.place(who, "bet", cents).bet) for who, cents in ((pit.ada, 500), (pit.ben, 1000))
    )
    pit.close(1)
    pit.say(CARD_ROUND_ENDED, (5000,), 1)
    double = {"player": str(pit.ben), "bet": "double", "stake": 1000}
    one = {"cards": "TH 9H", "bets": [ada]}
    two = {"cards": "6C 4D TS", "bets": [ben], "later": [double]}
    rounds_ = [
        ({"bank": "KD QS", "burned": "2S", "boxes": {"1": one, "2": two}}, (-500, 0)),
        (
            {"bank": "KD 8S", "burned": "2S 3H", "decks": 8, "boxes": {"1": one, "2": two}},
            (500, 2000),
        ),
        (
            {
                "bank": "KD 8S",
                "boxes": {"1": {**one, "bets": [ada, ben]}, "3": {"cards": "5H 5S"}},
            },
            (500, 1000),
        ),
    ]
    for generation, (record, money) in enumerate(rounds_, 1):
        preview = pit.preview(1, record)
        assert pit.rule(1, record, preview=preview.digest) == generation
        assert pit.money() == money
        with pit.ledger.read() as db:
            assert check(db).problems == []
            report = shadow.check(db)
        assert (report.settlements, report.differences) == (generation, [])
        assert not report.unjudged
    wrong = {**rounds_[0][0], "burned": "KD KD KD KD KD KD KD KD"}
    with pytest.raises(LedgerRejection, match=r"KD appears 9 times, first in outcome\.bank"):
        pit.preview(1, wrong)


def test_a_correction_of_cards_all_share_says_where_it_contradicts_the_shoe(make_pit):
    """Punto's 5D entered as 4D, and no burned card: two users see it, and it is in the log."""
    pit = make_pit(PUNTO)
    pit.shoe(1, NATURAL, (pit.ada, "punto", 1000), burned=["9S"])
    same = pit.preview(1, {"punto": "4H 5D", "banco": "5C 2D", "burned": "9S"})
    assert same.differences == []
    assert pit.preview(1, {"void": "test"}).differences == []
    record = {"punto": "4H 4D", "banco": "5C 2D"}
    wrong = [
        "outcome.punto has 4D, which the shoe did not read",
        "card 3 of the shoe, 5D, is nowhere in the record",
        "burned card 1 of the shoe, 9S, is nowhere in the record",
    ]
    assert pit.preview(1, record).differences == wrong
    assert pit.rule(1, record) == 2
    with pit.ledger.read() as db:
        noted = [row["detail"] for row in people_queries.audit_rows(db, action="round_ruled")]
    assert [detail["differences"] for detail in noted] == [wrong] * 2


def test_a_shoe_that_reported_no_card_fills_nothing(make_pit):
    """Before the end of a round, and at a shuffler's table."""
    pit = make_pit(BLACKJACK)
    pit.open(1, "shuffler")
    pit.place(pit.ada, "bet", 1000)
    pit.close(1)
    for record in (None, (CARD_ROUND_ENDED, (5000,))):
        if record:
            pit.say(*record, 1)
        with pit.ledger.read() as db:
            filled = hand_rulings.record_from_shoe(db, read_by_key(db, 1), 2, [])
        assert filled == (([], []), None, "no shoe reported cards of this round")
    pit.rule(1, {"void": "test"})


def test_without_bets_nobody_is_asked(make_pit):
    """A round without bets waits for nothing."""
    pit = make_pit(BLACKJACK)
    pit.broken(1, NATURAL, codes.TILT)
    pit.open(2)
    pit.place(pit.ada, "bet", 1000)
    assert pit.alarms() == []


def test_high_low_waits_after_equal_cards(make_pit):
    """hc2011 3:3(7): egalite is paid 10:1 and stays; then high is returned and egalite lost."""
    maxima = {"high": 10_000, "low": 10_000, "egalite": 10_000}
    pit = make_pit(Terms("high_low", "hc2011", None, {"minimum": 500, "maximum": maxima}))
    pit.shoe(1, ["9C", "9D"], (pit.ada, "high", 1000), (pit.ben, "egalite", 500))
    assert pit.money() == (-1000, 4500)
    pit.open(2)
    with pytest.raises(LedgerRejection, match="no bet may be added"):
        pit.place(pit.ben, "low", 500)
    pit.close(2)
    pit.deal(["KC", "2D"], 2)
    pit.say(*machines.ended(["KC", "2D"]), 2)
    assert pit.money() == (0, 4500)


def test_red_dog_without_the_extra_bet(make_pit):
    """4 and 9 leave four between, a 7 falls: 1:1; no pit takes the extra bet (hc2011 3:4(3))."""
    limits = {"minimum": 500, "maximum": {"bet": 10_000}, "not_offered": ["extra"]}
    pit = make_pit(Terms("red_dog", "hc2011", None, limits))
    pit.shoe(1, "4H 9C 7D".split(), (pit.ada, "bet", 1000))
    assert pit.money() == (1000, 0)
