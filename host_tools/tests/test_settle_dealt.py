"""A shoe's cards become the outcome of a game: rounds dealt by hand from the rules of each."""

import pytest

from tabletools import decode
from tabletools.roles import Played, outcome_of
from tabletools.roles.dealt import outcomes
from tabletools.roles.shoe_round import shoe_cards, void_by_shoe
from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import settle_record
from tablewire import card_shoe as words
from tablewire import codes
from tablewire import messages as m
from tablewire.framing import Receiver
from tablewire.sender import Sender

# First, second card of punto and banco in turn, then the third of each.
ROUNDS = {
    # 9 against 7: a natural ends it.
    "4H 5C 5D 2D": ("4H 5D", "5C 2D"),
    # 7 stands; the bank has 5 and draws.
    "3H 2C 4D 3D KS": ("3H 4D", "2C 3D KS"),
    # 5 draws a 6; the bank stands on 7.
    "2H 3C 3D 4D 6S": ("2H 3D 6S", "3C 4D"),
    # 0 draws an 8; the bank has 3 and does not draw to an 8.
    "KH 2C QD AD 8S": ("KH QD 8S", "2C AD"),
    # 0 draws a 9; the bank has 3 and does.
    "KH 2C QD AD 9S 7C": ("KH QD 9S", "2C AD 7C"),
}


def refused(game, cards, *more, **named):
    with pytest.raises(RuleViolation) as error:
        outcomes(game, cards.split(), *more, **named)
    return error.value.code.name


@pytest.mark.parametrize("cards", ROUNDS)
def test_punto_banco_is_dealt_by_the_drawing_rules(cards):
    """hc2023 3:3(2); de-live Bac 3.5.1 is the same under other names."""
    punto, banco = ROUNDS[cards]
    assert outcomes("punto_banco", cards.split()) == [{"punto": punto, "banco": banco}]
    assert outcomes("baccarat", cards.split()) == [{"player": punto, "banker": banco}]


@pytest.mark.parametrize("cards", ROUNDS)
def test_a_card_too_many_or_too_few_is_refused(cards):
    """A surplus card is no card of the round, a missing one leaves it unfinished."""
    assert refused("punto_banco", cards + " 2S") == "deal_not_by_rule"
    assert refused("punto_banco", cards[:-3]) == "deal_incomplete"


def test_games_of_one_card_each():
    """High Low two; Casino War one to each box, the last to the bank."""
    assert outcomes("high_low", ["9C", "TD"]) == [{"communal": "9C", "bank": "TD"}]
    assert refused("high_low", "9C") == "deal_incomplete"
    assert refused("high_low", "9C TD 2H") == "deal_not_by_rule"
    boxes = outcomes("casino_war", ["2C", "AD", "7H"], 2)
    assert boxes == [{"player": "2C", "bank": "7H"}, {"player": "AD", "bank": "7H"}]
    assert refused("casino_war", "2C AD 7H 4S", 2) == "deal_not_by_rule"


def test_red_dog():
    """hc2011 3:4: neighbours end it, king and ace among them; all others have a third card."""
    assert outcomes("red_dog", ["KC", "AD"]) == [{"cards": "KC AD"}]
    assert outcomes("red_dog", ["5C", "9D", "7H"]) == [{"cards": "5C 9D 7H"}]
    assert outcomes("red_dog", ["5C", "5D", "5H"]) == [{"cards": "5C 5D 5H"}]
    assert refused("red_dog", "KC AD 2H") == "deal_not_by_rule"
    assert refused("red_dog", "5C 9D") == "deal_incomplete"
    assert refused("red_dog", "5C") == "deal_incomplete"


def test_black_jack_of_two_boxes():
    """8-3 doubles and gets a ten; 8-8 is split, each gets a card, the second one more."""
    cards = "8H 8C 9S 3D 8D TC 2C KD 5S TH".split()
    decisions = [
        (1, 1, "double"),
        (2, 1, "split"),
        (2, 1, "card"),
        (2, 1, "stand"),
        (2, 2, "card"),
        (2, 2, "card"),
        (2, 2, "stand"),
    ]
    assert outcomes("blackjack", cards, 2, decisions) == [
        {"player": "8H 3D TC", "bank": "9S TH"},
        {"player": ["8C 2C", "8D KD 5S"], "bank": "9S TH"},
    ]


def test_a_bank_of_one_card_says_whether_another_box_is_in_play():
    """KH 6D TS and 9D 5H TD have bust, AC QC has not: with it the bank draws (hc2011 3:2(7))."""
    bust, stands = "KH 9D 9C 6D 5H TS TD".split(), "KH AC 9C 6D QC TS".split()
    both = outcomes("blackjack", bust, 2, [(1, 1, "card"), (2, 1, "card")])
    assert [each.get("others_play") for each in both] == [None, None]
    first, second = outcomes("blackjack", stands, 2, [(1, 1, "card"), (2, 1, "stand")])
    assert (first["others_play"], second.get("others_play")) == (True, None)
    [drawn, _] = outcomes("blackjack", [*stands, "8C"], 2, [(1, 1, "card"), (2, 1, "stand")])
    assert drawn == {"player": "KH 6D TS", "bank": "9C 8C"}


def test_black_jack_of_de_live_deals_the_bank_first():
    """BJ 3.4: card, bank, card, hidden card of the bank; then the box takes one."""
    cards = "8H 9S 3D TC 7C".split()
    dealt = outcomes("blackjack", cards, 1, [(1, 1, "card")], hole_card=True)
    assert dealt == [{"player": "8H 3D 7C", "bank": "9S TC"}]


@pytest.mark.parametrize(
    ("cards", "decisions", "code"),
    [
        ("8H 9S 3D TC", None, "deal_incomplete"),
        ("8H 9S", [], "deal_incomplete"),
        ("8H 9S 3D", [(1, 1, "card")], "deal_incomplete"),
        ("8H 9S 3D TC", [(2, 1, "card")], "action_not_legal"),
        ("8H 9S 3D TC", [(1, 1, "surrender")], "action_not_legal"),
        ("8H 9S 3D TC KD", [(1, 1, "card"), (1, 1, "split")], "action_not_legal"),
    ],
)
def test_black_jack_is_refused(cards, decisions, code):
    """Without decisions, cards or a hand to act on."""
    assert refused("blackjack", cards, 1, decisions) == code


def test_poker_is_not_dealt_in_one_order():
    assert refused("ultimate", "2C 3C 4C") == "deal_not_by_rule"


def read(ident, values):
    sender = Sender(4711, 1)
    sender.round = 12
    (frame,) = Receiver().feed(sender.build(ident, values, m.FLAG_DURABLE))
    return decode.record(frame)


RIGHT = (4, 17, 20, 64, 176, 9000, 0)


def shoe_report(end=RIGHT):
    """4H 5C 5D 2D are 29, 4, 17 and 14 on the wire: 64 in all; 29 + 33 + 50 + 64 = 176."""
    cards = [(17, 1, 29), (18, 2, 4), (19, 3, 17), (20, 4, 14)]
    burned = read(words.CARD_DEALT, (16, 0, 52, words.CARD_USE_BURNED, 90))
    dealt = [read(words.CARD_DEALT, (*card, words.CARD_USE_ROUND, 90)) for card in cards]
    return read(words.CARDS_ENDED, end), [burned, *dealt]


def test_a_round_settles_from_the_frames_of_its_shoe():
    """9 against 7: punto 1:1, banco lost."""
    ended, records = shoe_report(RIGHT)
    outcome = outcome_of(Played("punto_banco", "hc2023"), ended, records)
    bets = [{"id": bet, "bet": bet, "stake": 1000} for bet in ("punto", "banco")]
    round_ = {"rules": "hc2023", "game": "punto_banco", "bets": bets, "outcome": outcome}
    assert [(x.outcome, x.win, x.back) for x in settle_record(round_)] == [
        ("win", 1000, 1000),
        ("lose", 0, 0),
    ]


@pytest.mark.parametrize(
    "end",
    [
        (5, 17, 21, 64, 176, 9000, 0),
        (3, 17, 19, 64, 176, 9000, 0),
        (4, 16, 19, 64, 176, 9000, 0),
        (4, 17, 20, 65, 176, 9000, 0),
        (4, 17, 20, 64, 175, 9000, 0),
    ],
)
def test_cards_that_do_not_add_up_are_refused(end):
    """One short, one more, another place, another sum."""
    ended, records = shoe_report(end)
    with pytest.raises(RuleViolation) as error:
        shoe_cards(ended, records)
    assert error.value.code.name == "deal_incomplete"


def test_a_card_that_is_missing_or_out_of_order_is_refused():
    ended, records = shoe_report(RIGHT)
    for wrong in (records[:-1], records[2:], [*records[:2], records[3], records[2], records[4]]):
        with pytest.raises(RuleViolation):
            shoe_cards(ended, wrong)


def void_by(code):
    none = m.UNKNOWN_U16
    return read(m.ROUND_VOID, (code, 4, m.UNKNOWN_U8, none, 0, 0, none, none))


def test_a_void_by_a_shoe():
    """de-live: all void, by its article. hc: for the house, which may count it as a shuffler."""
    ended = void_by(words.READER_LINK_LOST)
    closed = [read(m.BETS_CLOSED, (1, 0))]
    outcome = outcome_of(Played("baccarat", "de-live"), ended, closed)
    assert outcome == {"void": "reader_link_lost (de-live Bac 2.1.8)"}
    with pytest.raises(RuleViolation) as error:
        outcome_of(Played("punto_banco", "hc2023"), ended, closed)
    assert error.value.code.name == "needs_ruling"
    dealt = {"punto": "KH KD", "banco": "5C 2D"}
    assert void_by_shoe(ended, dealt) == {**dealt, "void": "reader_link_lost"}
    with pytest.raises(RuleViolation):
        void_by_shoe(void_by(codes.TILT), dealt)
    with pytest.raises(RuleViolation):
        outcome_of(Played("punto_banco", "hc2023"), closed[0], [])
