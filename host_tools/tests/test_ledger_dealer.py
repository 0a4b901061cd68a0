"""Card rounds that their dealer enters once and their shoe agrees with: no second user. By hand.

Black Jack of hc2023: 9H 8D and 7S KC against 6C; box 1 stands on 17, box 2 busts with 5D; the bank
draws TS and 4H to 20. With QD in place of TS 4H it has 16 and draws KS: 26.
"""

import pytest
from sqlalchemy import select

from host_tools.tests import machines
from host_tools.tests.pit import Pit
from tabletools.evidence import Terms, claim
from tabletools.evidence.device_clock import Reading
from tabletools.money import people_queries
from tabletools.shadow import ledger as shadow
from tabletools.store import Actor, LedgerRejection
from tabletools.store.schema.play import bets, dealer_entries, round_settlements
from tabletools.table import dealing, rulings
from tabletools.table.dealing import EntryRequest
from tabletools.table.intake import Intake
from tabletools.table.terms import verify_terms
from tabletools.table.verify import check
from tablewire import codes
from tablewire.shuffler import CARD_ROUND_ENDED

BLACKJACK = Terms("blackjack", "hc2023", None, {"minimum": 500})
WAR = Terms("casino_war", "hc2023", None, {"minimum": 500, "maximum": {"bet": 50_000}})
THREE = Terms(
    "three_card",
    "hc2023",
    None,
    {"minimum": 500, "not_offered": ["bet"], "maximum": {"ante": 50_000, "pair_plus": 50_000}},
)
DEALT = "9H 7S 6C 8D KC 5D TS 4H".split()
BANK_BUSTS = "9H 7S 6C 8D KC 5D QD KS".split()
MOST = {"bet": 1000, "bj_plus": 1000, "perfect_pairs": 1000}
ACTS = [[1, 1, "stand"], [2, 1, "card"]]


class Dealing(Pit):
    """A pit of one card table with a shoe, at which Dan deals."""

    def __init__(self, place, **more):
        super().__init__(place, **more)
        self.dan = Actor("Dan", self.users[1])

    def begin(self, *staked, number=1):
        """A round whose bets are closed; returns its row and its bets."""
        self.open(number, "cards")
        numbers = [self.place(*each).bet for each in staked]
        self.clock.pass_ms(10)
        self.close(number)
        return self.key(number), numbers

    def deal(self, cards, first=1, number=1):
        """Cards leave the shoe. first: place of the first one in the round."""
        for record in machines.dealt([*["2C"] * (first - 1), *cards])[first - 1 :]:
            self.say(*record, number)

    def end_deal(self, cards, number=1):
        self.say(*machines.ended(cards), number)

    def layout(self, key, *boxes, **more):
        """Dan enters which bets are on box 1, 2 and so on."""
        content = {"boxes": {str(n): list(named) for n, named in enumerate(boxes, 1)}}
        return self.enter(dealing.enter_layout, key, content, **more)

    def hands(self, key, boxes=2, acts=None, later=(), **more):
        """Dan enters the decisions. later: pairs of a box and a stake placed after the deal."""
        outcome = {"boxes": {str(n): {} for n in range(1, boxes + 1)}, **more.pop("outcome", {})}
        for box, stake in later:
            outcome["boxes"][box].setdefault("later", []).append(stake)
        return self.enter(
            dealing.enter_hands, key, {"outcome": outcome, "decisions": acts}, **more
        )

    def enter(self, action, key, content, *, who=None, request=None, reading=None):
        wanted = EntryRequest(key, who or self.dan, request or next(self.keys), content)
        self.clock.pass_ms(10)
        return action(self.ledger, self.lease, wanted, reading=reading or self.reading)

    def restart(self):
        """Another process takes over: it knows what is stored and nothing else."""
        self.clock.pass_ms(61_000)
        self.lease = claim(self.ledger, self.table, "host b")
        self.intake = Intake(self.ledger, self.lease)

    def lacks(self, key):
        return [each.text for each in dealing.deal_state(self.ledger, key).lacks]

    def settlements(self):
        with self.ledger.read() as db:
            return db.execute(select(round_settlements)).all()


@pytest.fixture
def make_pit(ledger_place):
    """A table by terms; every test ends with a ledger that verifies and a shadow that agrees."""
    pits = []

    def table(terms):
        pits.append(Dealing(ledger_place, terms=terms))
        return pits[0]

    yield table
    with pits[0].ledger.read() as db:
        assert check(db).problems == []
        assert shadow.check(db).differences == []
    pits[0].ledger.close()


def refused(code, action, *args, **more):
    with pytest.raises(LedgerRejection) as error:
        action(*args, **more)
    assert error.value.code == code, error.value
    return error.value


def test_a_session_of_black_jack_asks_no_second_user(make_pit):
    """Three rounds: 20 beats 17 and a bust; the bank busts, box 1 wins 10.00; then again 20.

    Nothing waits, no alarm, and no settlement has users.
    """
    pit = make_pit(BLACKJACK)
    for number, cards in enumerate((DEALT, BANK_BUSTS, DEALT), 1):
        key, [ada, ben] = pit.begin((pit.ada, "bet", 1000), (pit.ben, "bet", 500), number=number)
        pit.layout(key, [ada], [ben])
        pit.deal(cards[:6], number=number)
        assert pit.hands(key, acts=ACTS) == 0
        pit.deal(cards[6:], 7, number=number)
        pit.end_deal(cards, number=number)
    assert pit.money() == (-1000, -1500)
    assert pit.alarms() == []
    assert [(row.first_user, row.second_user) for row in pit.settlements()] == [(None, None)] * 3


def test_the_maximum_is_that_of_each_box(make_pit):
    """hc2023 3:2(2), 1:1(6): a box is a chance. EUR 10,000 on box 1 and on box 2, not one of more.

    The bet that names a box is on no other, whoever enters the layout.
    """
    pit = make_pit(BLACKJACK)
    cas = pit.player("Cas", 3_000_000)
    pit.open(1, "cards")
    first = pit.place(cas, "bet", 1_000_000, box=1).bet
    second = pit.place(cas, "bet", 1_000_000, box=2).bet
    refusal = refused("above_maximum", pit.place, cas, "bet", 500, box=2)
    assert "1000500 on one bet, the maximum is 1000000" in refusal.what
    unnamed = pit.place(cas, "bet", 500).bet
    for box in (0, 21, True, "2"):
        refused("wrong_type", pit.place, cas, "bet", 500, box=box)
    pit.clock.pass_ms(10)
    pit.close(1)
    key = pit.key(1)
    refusal = refused("boxes_unclear", pit.layout, key, [second], [first], [unnamed])
    assert refusal.what == f"bet {second} was placed on box 2"
    refused("above_maximum", pit.layout, key, [first, unnamed], [second])
    pit.layout(key, [first], [second], [unnamed])


def test_only_games_with_boxes_have_one(make_pit):
    """A bet of another game that names a box is refused."""
    pit = make_pit(Terms("sic_bo", "hc2023", None, {"minimum": 500}))
    pit.open(1, "dice")
    refusal = refused("unknown_field", pit.place, pit.ada, "small", 500, box=1)
    assert "sic_bo has no boxes" in refusal.what


@pytest.mark.parametrize("is_first", [True, False])
def test_the_entry_and_the_end_come_in_either_order(make_pit, is_first):
    """A host that dies between them, whichever came first: the next one settles once."""
    pit = make_pit(BLACKJACK)
    key, [ada] = pit.begin((pit.ada, "bet", 1000))
    pit.layout(key, [ada], [])
    pit.deal(DEALT)
    steps = [lambda: pit.hands(key, acts=ACTS, request="once"), lambda: pit.end_deal(DEALT)]
    first, last = steps if is_first else reversed(steps)
    pit.restart()
    first()
    pit.restart()
    assert pit.money() == (-1000, 0)
    assert pit.settlements() == []
    last()
    assert len(pit.settlements()) == 1
    pit.restart()
    assert pit.hands(key, acts=ACTS, request="once") == (0 if is_first else 1)
    assert len(pit.settlements()) == 1
    assert pit.alarms() == []


def test_what_the_record_lacks_in_order(make_pit):
    pit = make_pit(BLACKJACK)
    pit.open(1, "cards")
    bet = pit.place(pit.ada, "bet", 1000).bet
    pit.clock.pass_ms(10)
    key = pit.key(1)
    assert pit.lacks(key) == ["no more bets"]
    pit.close(1)
    decided = "what the boxes decided, and stakes placed after the deal"
    box = "which bet is on which box, before the first card"
    assert pit.lacks(key) == [box, decided, "the end of the deal"]
    pit.layout(key, [bet], [])
    pit.deal(DEALT)
    assert pit.lacks(key) == [decided, "the end of the deal"]
    pit.hands(key, acts=ACTS)
    assert pit.lacks(key) == ["the end of the deal"]
    pit.end_deal(DEALT)
    assert pit.lacks(key) == []


def test_a_contradiction_waits_for_two_users_with_the_difference(make_pit):
    """Dan entered 7H for the 7S that the shoe read: nothing moves, both are shown."""
    pit = make_pit(BLACKJACK)
    key, [ada] = pit.begin((pit.ada, "bet", 1000))
    pit.layout(key, [], [ada])
    pit.deal(DEALT)
    boxes = {"boxes": {"1": {"cards": "9H 8D"}, "2": {"cards": "7H KC 5D"}}}
    pit.hands(key, acts=ACTS, outcome=boxes)
    pit.end_deal(DEALT)
    assert pit.money() == (-1000, 0)
    why = "outcome.boxes.2.cards has 7H KC 5D, the shoe dealt 7S KC 5D"
    [(kind, text)] = pit.alarms()
    assert (kind, why in text, "two users" in text) == ("unended", True, True)
    [lacking] = pit.lacks(key)
    assert lacking == f"two users rule on it: dealer and shoe disagree: {why}"
    record = {
        "bank": "6C TS 4H",
        "boxes": {"1": {"cards": "9H 8D"}, "2": {"cards": "7S KC 5D", "bets": [str(ada)]}},
    }
    assert pit.rule(1, record, preview=pit.preview(1, record).digest) == 1
    assert pit.lacks(key) == []


@pytest.mark.parametrize(
    ("acts", "why"),
    [
        ([[1, 1, "card"]] * 5, "the shoe dealt only 8"),
        ([[1, 1, "stand"], [2, 1, "stand"]], "with 21 points the bank stands"),
        (None, "decisions of the Black Jack boxes are missing"),
    ],
)
def test_decisions_that_the_cards_contradict(make_pit, acts, why):
    """A card of a box that is not stated goes to the bank, whose draws have rules: 6C 5D TS."""
    pit = make_pit(BLACKJACK)
    key, [ada] = pit.begin((pit.ada, "bet", 1000))
    pit.layout(key, [ada], [])
    pit.deal(DEALT)
    pit.hands(key, acts=acts)
    pit.end_deal(DEALT)
    assert pit.money() == (-1000, 0)
    assert why in pit.alarms()[0][1]
    pit.rule(1, {"stakes_back": "test"})


def test_nobody_chooses_his_box_after_a_card(make_pit):
    """The cable held the first card back: its time shows that it came before the boxes."""
    pit = make_pit(BLACKJACK)
    key, [ada, ben] = pit.begin((pit.ada, "bet", 1000), (pit.ben, "bet", 1000))
    held = [pit.frame(*record, 1) for record in machines.dealt(BANK_BUSTS)[:1]]
    pit.clock.pass_ms(50)
    pit.layout(key, [ada], [ben])  # the card left the shoe 50 ms ago
    pit.receive(held[0])
    pit.deal(BANK_BUSTS[1:], 2)
    pit.hands(key, acts=ACTS)
    pit.end_deal(BANK_BUSTS)
    assert pit.money() == (-1000, -1000)
    [(kind, text)] = pit.alarms()
    assert kind == "unended"
    assert "nothing proves that which bet is on which box was entered before the card" in text
    pit.rule(1, {"stakes_back": "test"})


def test_boxes_are_refused_once_a_card_is_stored(make_pit):
    pit = make_pit(BLACKJACK)
    key, [ada] = pit.begin((pit.ada, "bet", 1000))
    pit.deal(BANK_BUSTS[:1])
    assert refused("cards_dealt", pit.layout, key, [ada]).where == "round"
    assert pit.lacks(key) == [
        "two users rule on it: its boxes were not entered before the first card"
    ]
    pit.rule(1, {"stakes_back": "test"})


DOUBLED = "9H 6C 2H TS QD KS".split()
"""Box 9H 2H doubles with TS: 21; the bank 6C draws QD and KS: 26."""


@pytest.mark.parametrize("is_early", [True, False])
def test_a_double_counts_if_it_was_entered_before_the_bank_drew(make_pit, is_early):
    """10.00 and 10.00 doubled on 11: 20.00 are won; entered after QD it waits for two users."""
    pit = make_pit(BLACKJACK)
    key, [ada] = pit.begin((pit.ada, "bet", 1000))
    pit.layout(key, [ada])
    stake = {"player": str(pit.ada), "bet": "double", "stake": 1000}
    pit.deal(DOUBLED[:4])
    if not is_early:
        pit.deal(DOUBLED[4:], 5)
    pit.hands(key, 1, [[1, 1, "double"]], [("1", stake)])
    assert pit.money() == (-2000, 0)
    if is_early:
        pit.deal(DOUBLED[4:], 5)
    pit.end_deal(DOUBLED)
    if is_early:
        assert pit.money() == (2000, 0)
        assert pit.alarms() == []
        return
    assert pit.money() == (-2000, 0)
    assert "no card shows was entered before the card after it" in pit.alarms()[0][1]
    record = {"bank": "6C QD KS", "boxes": {"1": {"cards": "9H 2H TS", "bets": [str(ada)]}}}
    assert pit.rule(1, record, preview=pit.preview(1, record).digest) == 1
    assert pit.money() == (1000, 0)  # two users do not enter the double: it was taken back


def test_an_insurance_after_the_bank_drew_is_not_paid(make_pit):
    """Ace and king: the bank has Black Jack; Dan enters 5.00 of insurance that pays 2:1."""
    cards = "9H AC 8D KD".split()
    pit = make_pit(BLACKJACK)
    key, [ada] = pit.begin((pit.ada, "bet", 1000))
    pit.layout(key, [ada])
    pit.deal(cards)
    stake = {"player": str(pit.ada), "bet": "insurance", "stake": 500}
    pit.hands(key, 1, [[1, 1, "stand"]], [("1", stake)])
    pit.end_deal(cards)
    assert pit.money() == (-1500, 0)
    pit.rule(1, {"stakes_back": "test"})
    assert pit.money() == (0, 0)


def test_more_than_the_limit_waits_for_two_users(ledger_place, make_pit):
    """The terms let one dealer enter rounds that win 9.99; 10.00 are won."""
    pit = make_pit(BLACKJACK._replace(options={"dealer_limit": 999}))
    key, [ada] = pit.begin((pit.ada, "bet", 1000))
    pit.layout(key, [ada], [])
    pit.deal(BANK_BUSTS)
    pit.hands(key, acts=ACTS)
    pit.end_deal(BANK_BUSTS)
    assert pit.money() == (-1000, 0)
    assert "win 1000 cents; by the hands that one dealer entered 999 at most" in pit.alarms()[0][1]
    pit.rule(1, {"stakes_back": "test"})


@pytest.mark.parametrize(
    ("terms", "option", "code"),
    [
        (BLACKJACK, 1_000_001, "limits_invalid"),
        (BLACKJACK, -1, "limits_invalid"),
        (BLACKJACK, True, "limits_invalid"),
        (Terms("punto_banco", "hc2023", None, {"minimum": 500}), 0, "unknown_field"),
    ],
)
def test_a_house_may_set_less_and_no_more(ledger_place, terms, option, code):
    wanted = terms._replace(options={"dealer_limit": option})
    assert refused(code, verify_terms, wanted).where == "options.dealer_limit"


def test_casino_war_by_the_cards_alone(make_pit):
    """8H and AS against KC: Ada loses, Ben wins; nobody types a card."""
    pit = make_pit(WAR)
    key, [ada, ben] = pit.begin((pit.ada, "bet", 1000), (pit.ben, "bet", 1000))
    pit.layout(key, [ada], [ben])
    cards = ["8H", "AS", "KC"]
    pit.deal(cards)
    pit.hands(key)
    pit.end_deal(cards)
    assert pit.money() == (-1000, 1000)


def test_a_war_is_declared_before_the_end_of_the_deal(make_pit):
    """Equal kings: `war` leaves the stake in play if Dan enters it in time."""
    pit = make_pit(WAR)
    key, [ada] = pit.begin((pit.ada, "bet", 1000))
    pit.layout(key, [ada])
    pit.deal(["KH", "KD"])
    choice = {"boxes": {"1": {"decisions": {str(pit.ada): "war"}}}}
    pit.hands(key, 1, outcome=choice)
    pit.end_deal(["KH", "KD"])
    assert [row.live_cents for row in pit.settlements()] == [1000]
    pit.rule(1, {"stakes_back": "test"}, settled=1)


# Three Card Poker: Ada has a pair of nines against queen high, which qualifies; ante and bet win.
OWN, OTHER, BANK = "9H 9C 2D", "KS 5D 3C", "QD 7S 4C"
BY_HAND = f"{OWN} {OTHER} {BANK}".split()
IN_TURN = "9H KS QD 9C 5D 7S 2D 3C 4C".split()


@pytest.mark.parametrize("cards", [BY_HAND, IN_TURN])
def test_three_card_poker_is_settled_by_hands_that_were_tapped(make_pit, cards):
    """Ada plays for 10.00 and wins 20.00, Ben folds and loses 10.00; nobody sees the fold."""
    pit = make_pit(THREE)
    key, [ada, ben] = pit.begin((pit.ada, "ante", 1000), (pit.ben, "ante", 1000))
    pit.layout(key, [ada], [ben])
    pit.deal(cards)
    stake = {"player": str(pit.ada), "bet": "bet", "stake": 1000}
    boxes = {"1": {"cards": OWN}, "2": {"decisions": {str(pit.ben): "fold"}}}
    pit.hands(key, later=[("1", stake)], outcome={"bank": BANK, "boxes": boxes})
    pit.end_deal(cards)
    assert pit.money() == (2000, -1000)
    assert pit.alarms() == []


def test_hands_that_change_places_contradict_the_order(make_pit):
    """The hand of box 1 entered for box 2: the same cards, in an order that nobody deals."""
    pit = make_pit(THREE)
    key, [ada, ben] = pit.begin((pit.ada, "ante", 1000), (pit.ben, "ante", 1000))
    pit.layout(key, [ada], [ben])
    pit.deal(BY_HAND)
    boxes = {
        "1": {"cards": OTHER, "decisions": {str(pit.ada): "fold"}},
        "2": {"cards": OWN, "later": [{"player": str(pit.ben), "bet": "bet", "stake": 1000}]},
    }
    pit.hands(key, outcome={"bank": BANK, "boxes": boxes})
    pit.end_deal(BY_HAND)
    assert pit.money() == (-1000, -2000)
    assert "are not the hands that were entered" in pit.alarms()[0][1]
    pit.rule(1, {"stakes_back": "test"})


def test_who_may_enter_and_when(make_pit):
    """No cashier; not twice, not before no more bets, not without the layout, not after."""
    pit = make_pit(BLACKJACK)
    pit.open(1, "cards")
    ada = pit.place(pit.ada, "bet", 1000).bet
    pit.clock.pass_ms(10)
    key = pit.key(1)
    refused("bets_open", pit.layout, key, [ada])
    pit.close(1)
    refused("layout_missing", pit.hands, key, 1, [])
    refused("boxes_unclear", pit.layout, key, [])
    refused("boxes_unclear", pit.layout, key, [ada, ada])
    refused("boxes_unclear", pit.layout, key, [ada], [99])
    refused("no_such_round", pit.layout, 99, [ada])
    pit.layout(key, [ada], request="l")
    pit.layout(key, [ada], request="l")  # the same again
    refused("key_reused", pit.layout, key, [ada], [], request="l")
    refused("already_entered", pit.layout, key, [ada], [])
    pit.deal(BANK_BUSTS)
    for field in ("void", "misdeal", "stakes_back"):
        refused("unknown_field", pit.hands, key, 1, ACTS, outcome={field: "a reason"})
    refused("boxes_unclear", pit.hands, key, 2, ACTS)
    bets_named = {"boxes": {"1": {"bets": [str(ada)]}}}
    refused("boxes_unclear", pit.hands, key, 1, ACTS, outcome=bets_named)
    other = {"player": str(pit.ben), "bet": "double", "stake": 1000}
    refused("no_such_player", pit.hands, key, 1, ACTS, [("1", other)])
    poor = {"player": str(pit.ada), "bet": "double", "stake": 10_000_000}
    refused("not_enough_money", pit.hands, key, 1, ACTS, [("1", poor)])
    refused("unknown_field", pit.hands, key, 1, ACTS, outcome={"jackpot": 1})
    assert pit.money() == (-1000, 0)  # nothing of what was refused was placed
    pit.hands(key, 1, [])
    refused("already_entered", pit.hands, key, 1, [])
    pit.rule(1, {"stakes_back": "test"})
    refused("round_settled", pit.hands, key, 1, [])


def test_no_reader_no_entry(make_pit):
    """A shuffler reports no cards: two users, as before; so is a shoe whose round is void."""
    pit = make_pit(BLACKJACK)
    pit.open(1, "shuffler")
    ada = pit.place(pit.ada, "bet", 1000).bet
    pit.clock.pass_ms(10)
    pit.close(1)
    assert "no shoe reads" in refused("no_reader", pit.layout, pit.key(1), [ada]).what
    pit.say(CARD_ROUND_ENDED, (5000,), 1)
    assert [kind for kind, _ in pit.alarms()] == ["unended"]
    pit.rule(1, {"stakes_back": "test"})
    key, [ada] = pit.begin((pit.ada, "bet", 1000), number=2)
    pit.layout(key, [ada])
    pit.say(*machines.void(codes.TILT), 2)
    refused("round_void", pit.hands, key, 1, [])
    pit.rule(2, {"stakes_back": "tilt"})


def test_the_clock_of_the_table_has_to_be_known(make_pit):
    """Without a reading nothing proves that the boxes were entered before the first card."""
    pit = make_pit(BLACKJACK)
    key, [ada] = pit.begin((pit.ada, "bet", 1000))
    pit.layout(key, [ada], [], reading=lambda: Reading(3, pit.uptime_ms(), 5_000))
    pit.deal(BANK_BUSTS)
    pit.hands(key, acts=ACTS)
    pit.end_deal(BANK_BUSTS)
    assert pit.money() == (-1000, 0)
    assert "nothing proves" in pit.alarms()[0][1]
    pit.rule(1, {"stakes_back": "test"})


def test_a_late_bet_of_the_round_waits_for_its_ruling(make_pit):
    """A referred bet is on no box: once it counts, the bets are not those that Dan entered."""
    pit = make_pit(BLACKJACK)
    key, [ada] = pit.begin((pit.ada, "bet", 1000))
    late = pit.place(pit.ben, "bet", 1000)
    assert late.standing == "referred"
    pit.layout(key, [ada], [])
    pit.deal(BANK_BUSTS)
    pit.hands(key, acts=ACTS)
    rulings.rule_bet(
        pit.ledger, pit.lease, rulings.BetRuling(late.bet, True, pit.both, "in time", "k")
    )
    pit.end_deal(BANK_BUSTS)
    assert pit.money() == (-1000, -1000)
    assert "one came late, or was ruled on" in pit.alarms()[-1][1]
    pit.rule(1, {"stakes_back": "test"})


def test_who_entered_what_is_in_the_chain_and_in_the_log(make_pit):
    pit = make_pit(BLACKJACK)
    key, [ada] = pit.begin((pit.ada, "bet", 1000))
    pit.layout(key, [ada], [])
    pit.deal(BANK_BUSTS)
    pit.hands(key, acts=ACTS)
    pit.end_deal(BANK_BUSTS)
    assert pit.money() == (1000, 0)
    with pit.ledger.read() as db:
        rows = [row for row in people_queries.audit_rows(db) if row["action"].endswith("entered")]
        assert [(row["who"], row["action"]) for row in rows] == [
            ("Dan", "hands_entered"),
            ("Dan", "layout_entered"),
        ]
        assert [row.user_id for row in db.execute(select(dealer_entries))] == [pit.users[1]] * 2
        assert len(db.execute(select(bets)).all()) == 1
    # A correction takes two users, and goes by their record.
    record = {
        "bank": "6C QD KS",
        "boxes": {"1": {"cards": "9H 8D"}, "2": {"cards": "7S KC 5D", "bets": [str(ada)]}},
    }
    assert pit.rule(1, record, preview=pit.preview(1, record).digest) == 2
    assert pit.money() == (-1000, 0)


def test_a_maximum_is_that_of_a_box(make_pit):
    """hc2011 3:2(3): EUR 10 for a box in total. Ada and Ben have one each, and share none."""
    pit = make_pit(BLACKJACK._replace(rules="hc2011", limits={"minimum": 500, "maximum": MOST}))
    key, [ada, ben] = pit.begin((pit.ada, "bet", 1000), (pit.ben, "bet", 1000))
    why = refused("above_maximum", pit.layout, key, [ada, ben])
    assert why.where == "boxes.1"
    assert "the box has 2000 on one bet, the maximum is 1000" in why.what
    pit.layout(key, [ada], [ben])
    pit.deal(DEALT[:6])
    pit.hands(key, acts=ACTS)
    pit.deal(DEALT[6:], 7)
    pit.end_deal(DEALT)
    assert pit.money() == (-1000, -1000)


def test_what_one_player_may_stake_does_not_depend_on_others(make_pit):
    """hc2011 and hc2023 1:1(6): the maximum is per player; the second bet of Ada is above it."""
    pit = make_pit(BLACKJACK._replace(rules="hc2011", limits={"minimum": 500, "maximum": MOST}))
    pit.open(1, "cards")
    assert [pit.place(who, "bet", 1000).standing for who in (pit.ada, pit.ben)] == ["valid"] * 2
    refused("above_maximum", pit.place, pit.ada, "bet", 1000)
