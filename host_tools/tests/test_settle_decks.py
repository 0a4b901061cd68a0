"""Cards counted against the decks of a table: hands, boxes and burned cards. Amounts by hand."""

import pytest

from host_tools.tests.card_rounds import lines, refused
from tabletools import shadow
from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import settle_record

PUNTO = {"bet": "punto"}
KINGS = "KD KD"
# game: edition, an outcome with KD three times, one with it once, a bet
GAMES = {
    "punto_banco": (
        "hc2023",
        {"punto": "KD KD 8S", "banco": "KD 3D"},
        {"punto": "KD QS 8S", "banco": "JC 3D"},
        PUNTO,
    ),
    "high_low": (
        "hc2011",
        {"communal": "KD", "bank": "KD", "burned": "KD"},
        {"communal": "KD", "bank": "QD"},
        {"bet": "high"},
    ),
    "red_dog": ("hc2011", {"cards": "KD KD KD"}, {"cards": "KD KS KC"}, {"bet": "bet"}),
    "casino_war": (
        "hc2023",
        {"player": "KD", "bank": "KD", "burned": "KD"},
        {"player": "KD", "bank": "QD"},
        {"bet": "bet"},
    ),
    "blackjack": (
        "hc2023",
        {"player": KINGS, "bank": "KD 9S"},
        {"player": "KD KS", "bank": "KC 9S"},
        {"bet": "bet"},
    ),
}
POKER = {
    "three_card": {"player": "9H 9C 2D", "bank": "QD 7S 3C"},
    "caribbean": {"player": "9H 7C 5D 3S 2D", "bank": "AS KH 4D 3C 2H"},
    "four_card": {"player": "9H 7C 5D 3S 2D", "bank": "AS KH 4D 3C 2H 2C"},
    "ultimate": {"player": "9C 9S", "board": "KS 9H 2D 3D 4D", "bank": "QD KC"},
}


@pytest.mark.parametrize("game", GAMES)
def test_a_table_says_how_many_decks_it_has(game):
    """KD three times is possible in three decks and in the eight of a table by default."""
    edition, three, _, bet = GAMES[game]
    for table in ({"table": {"decks": 3}}, {"table": {}}, {}):
        assert lines(game, three, bet, edition=edition, **table)
    why = refused(game, three, bet, edition=edition, table={"decks": 2})
    assert why.code.name == "cards_invalid"
    assert "KD appears 3 times" in why.what
    assert "the cards are of 2 decks" in why.what


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("decks", [0, 9, -1])
def test_a_table_has_one_deck_to_eight(game, decks):
    """hc2011 and hc2023 3:1(1): the house sets the number; no shoe here holds nine."""
    edition, _, once, bet = GAMES[game]
    why = refused(game, once, bet, edition=edition, table={"decks": decks})
    assert (why.code.name, why.where) == ("limits_invalid", "table.decks")
    assert f"decks is {decks}; {game} is dealt from 1 to 8 decks (" in why.what


@pytest.mark.parametrize("decks", [1, 6, 9])
def test_baccarat_is_dealt_from_eight_decks(decks):
    """de-live Bac 1.3.1: mit acht Blättern."""
    dealt = {"player": "KD QS 8S", "banker": "JC 3D"}
    bet = {"bet": "player"}
    assert lines("baccarat", dealt, bet, edition="de-live", table={"decks": 8})
    why = refused("baccarat", dealt, bet, edition="de-live", table={"decks": decks})
    assert (why.code.name, why.where) == ("limits_invalid", "table.decks")
    assert f"decks is {decks}; baccarat is dealt from 8 decks (de-live Bac 1.3.1)" in why.what


def test_one_deck_at_a_table_of_many():
    """With one deck the two kings of diamonds of a pair are impossible."""
    dealt = {"punto": "KD KD 8S", "banco": "JC 3D"}
    why = refused("punto_banco", dealt, PUNTO, table={"decks": 1})
    assert (why.where, why.what) == (
        "outcome.punto",
        "KD appears twice, first in punto; the cards are of one deck",
    )


@pytest.mark.parametrize("game", POKER)
def test_poker_against_the_bank_has_one_deck_and_no_option(game):
    bet = {"bet": "pair_plus"} if game == "three_card" else {"bet": "ante", "choice": "fold"}
    why = refused(game, POKER[game], bet, table={"decks": 1})
    assert (why.code.name, why.where) == ("unknown_field", "table")


@pytest.mark.parametrize("game", POKER)
def test_a_card_burned_and_dealt_again(game):
    """The first card of the bank was burned: it cannot be dealt after that."""
    dealt = POKER[game]
    card = dealt["bank"].split()[0]
    why = refused(game, {**dealt, "burned": f"5S {card}"}, {"bet": "ante", "choice": "fold"})
    assert (why.code.name, why.where) == ("cards_invalid", "outcome.burned")
    assert why.what == f"{card} appears twice, first in bank; the cards are of one deck"


@pytest.mark.parametrize("game", [*GAMES, "baccarat", *POKER])
def test_burned_cards_change_no_payout(game):
    """Cards that are in no hand decide nothing."""
    if game in GAMES:
        edition, _, dealt, bet = GAMES[game]
    elif game == "baccarat":
        edition, dealt, bet = "de-live", {"player": "KD QS 8S", "banker": "JC 3D"}, {"bet": "tie"}
    else:
        edition, dealt, bet = "hc2023", POKER[game], {"bet": "ante", "choice": "fold"}
    burned = {**dealt, "burned": "5S 6H 8D"}
    bets = [bet, {**bet, "bet": "blind"}] if game == "ultimate" else [bet]
    assert lines(game, burned, *bets, edition=edition) == lines(
        game, dealt, *bets, edition=edition
    )


@pytest.mark.parametrize(("burned", "what"), [("XX", "not a card"), ("AH  AD", "not a card")])
def test_what_was_burned_is_cards(burned, what):
    why = refused("punto_banco", {**GAMES["punto_banco"][2], "burned": burned}, PUNTO)
    assert (why.code.name, why.where) == ("cards_invalid", "outcome.burned")
    assert what in why.what


def test_burned_cards_of_a_void():
    """A void with only burned cards: no hand, no result, and every stake is returned."""
    [line] = lines("punto_banco", {"void": "shuffler_jam", "burned": "5S 6H"}, PUNTO)
    assert (line.outcome, line.back) == ("void", 100)
    why = refused("punto_banco", {"void": "jam", "burned": "5S 5S"}, PUNTO, table={"decks": 1})
    assert why.where == "outcome.burned"


BET = {"bet": "bet"}


def boxes(game, one, two="9H 8C", *, table=None, **shared):
    """A round of two boxes, the bet on the first."""
    outcome = {**shared, "boxes": {"1": {"cards": one, "bets": ["0"]}, "2": {"cards": two}}}
    more = {} if table is None else {"table": table}
    return game, outcome, BET, more


def test_the_record_of_a_round_counts_what_was_burned():
    """Burned AH in a box: both places are named; it is one card of the table, not of a box."""
    game, outcome, bet, _ = boxes("blackjack", "AH 9D", bank="KD 8S", burned="AH", decks=1)
    why = refused(game, outcome, bet)
    assert (why.code.name, why.where) == ("cards_invalid", "outcome.boxes.1.cards")
    assert why.what == "AH appears twice, first in outcome.burned; the cards are of one deck"


def test_the_record_of_a_round_is_of_the_decks_of_its_table():
    """Four KD in two boxes, bank and discard: of four decks, not of three."""
    game, outcome, bet, _ = boxes("blackjack", KINGS, "KD 5C", bank="9S 8S", burned="KD")
    assert lines(game, outcome, bet, table={"decks": 4})
    why = refused(game, outcome, bet, table={"decks": 3})
    assert (why.code.name, why.where) == ("cards_invalid", "outcome.boxes.2.cards")
    assert "KD appears 4 times, first in outcome.burned; the cards are of 3 decks" in why.what


def test_a_record_and_its_table_of_different_decks():
    game, outcome, bet, _ = boxes("blackjack", "9D 8D", bank="KD 8S", decks=8)
    assert lines(game, outcome, bet, table={"decks": 8})
    why = refused(game, outcome, bet, table={"decks": 6})
    assert (why.code.name, why.where) == ("cards_invalid", "outcome.decks")
    assert why.what == "outcome.decks is 8, and table.decks is 6"
    why = refused(game, outcome, bet, table={"decks": 9})
    assert (why.code.name, why.where) == ("limits_invalid", "table.decks")


def test_burned_cards_are_not_among_those_that_remain():
    """gr2003 §4: 52 less two hands of five and two burned cards are 40."""
    dealt = {**POKER["caribbean"], "burned": "6S 6H", "remaining": 40}
    bet = {"bet": "ante", "choice": "fold"}
    assert lines("caribbean", dealt, bet, edition="gr2003")[0].lost == 100
    why = refused("caribbean", {**dealt, "remaining": 42}, bet, edition="gr2003")
    assert "42 cards remain of 40" in why.what
    boxed = {
        "bank": dealt["bank"],
        "burned": "6S 6H",
        "remaining": 40,
        "boxes": {"1": {"cards": dealt["player"], "bets": ["0"]}},
    }
    assert lines("caribbean", boxed, bet, edition="gr2003")[0].lost == 100


POT = {"board": "2C 7S TD JC 4H", "hands": {"A": "AH AD", "B": "KH KD"}}


@pytest.mark.parametrize(
    ("changed", "where", "what"),
    [
        ({"burned": "5S 6S TD"}, "outcome.burned", "TD appears twice, first in board;"),
        ({"burned": "5S KH 3D"}, "outcome.burned", "KH appears twice, first in hands.B;"),
        (
            {"hands": {"A": "AH AD", "B": "AH KD"}},
            "outcome.hands.B",
            "AH appears twice, first in hands.A;",
        ),
        ({"board": "2C 2C TD JC 4H"}, "outcome.board", "2C appears twice, first in board;"),
    ],
)
def test_a_hand_of_the_poker_room_is_of_one_deck(changed, where, what):
    """oostende2011 2.20: a flashed card is burned; it is seen, and no longer in the deck."""
    bets = [{"bet": "hand", "player": "A"}, {"bet": "hand", "player": "B"}]
    won = lines("poker_room", {**POT, "burned": "5S 6S 3D"}, *bets, edition="oostende2011")
    assert [line.win for line in won] == [100, 0]
    why = refused("poker_room", {**POT, **changed}, *bets, edition="oostende2011")
    assert (why.code.name, why.where) == ("cards_invalid", where)
    assert what in why.what


@pytest.mark.parametrize(
    ("rules", "game", "variant", "outcome"),
    [
        ("hc2011", "red_dog", None, {"cards": "2C 9H 5D"}),
        ("hc2011", "caribbean", None, {"player": "2C 3C 4C 5C 9D", "bank": "2D 3D 4D 5S 9H"}),
        ("hc2011", "blackjack", "6:5", {"player": "TC 9H", "bank": "TD 9S"}),
        ("hc2023", "blackjack", None, {"player": "TC 9H", "bank": "TD 9S"}),
    ],
)
def test_3_1_3_cards_burned_before_the_deal(rules, game, variant, outcome):
    """hc2011: at most three; hc2023: as many as the house decides. The shadow agrees."""
    more = {} if variant is None else {"variant": variant}
    record = {"rules": rules, "game": game, **more, "bets": []}
    for count, is_allowed in ((0, True), (3, True), (4, rules == "hc2023"), (-1, False)):
        wanted = {**record, "outcome": {**outcome, "burned_first": count}}
        if is_allowed:
            assert settle_record(wanted) == shadow.judge(wanted) == []
            continue
        with pytest.raises(RuleViolation) as caught:
            settle_record(wanted)
        where = (caught.value.code.name, caught.value.where)
        assert where == ("deal_not_by_rule", "outcome.burned_first")
        if count > 0:
            with pytest.raises(shadow.Impossible):
                shadow.judge(wanted)
