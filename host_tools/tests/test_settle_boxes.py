"""One record of a card round: every box settles by it; what contradicts is refused.

Amounts by hand from the rulebook, chapter 9.
"""

import pytest

from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import BOX_GAMES, settle_record

BANK5 = "AS KH 4D 3C 2H"
ONE_DECK = {
    # game: its one hand, bank, board; other cards that fit beside them
    "three_card": ("9H 9C 2D", "QD 7S 3C", None, "8H 8C 4D"),
    "caribbean": ("9H 9C 5D 3S 2D", BANK5, None, "8H 8C 7D 6S JD"),
    "multi_poker": ("9H 9C 5D 3S 2D", BANK5, None, "8H 8C 7D 6S JD"),
    "four_card": ("9H 9C 5D 3S 2D", "AS KH 4D 3C 2H 2C", None, "8H 8C 7D 6S JD"),
    "casino_holdem": ("AD 3D", "4C 7C", "AS 9H 4D JC 2H", "8H 8C"),
    "ultimate": ("9C 9S", "QD KC", "KS 9H 2D 3D 4D", "8H 8C"),
}
EDITION = {"multi_poker": "hc2011", "casino_holdem": "hc2011"}


def ante(ident, player, stake=500):
    return {"id": ident, "player": player, "bet": "ante", "stake": stake}


def table(game, bets, boxes, **shared):
    """The result of each bet of a round, by id."""
    dealt_cards = {name: cards for name, cards in shared.items() if cards is not None}
    record = {
        "rules": EDITION.get(game, "hc2023"),
        "game": game,
        "bets": bets,
        "outcome": {**dealt_cards, "boxes": boxes},
    }
    return {line.id: line for line in settle_record(record)}


def refused(*args, **more):
    with pytest.raises(RuleViolation) as caught:
        table(*args, **more)
    return caught.value


def fold(game, cards, more=(), **shared):
    """The ante of ada folded on a hand; more: cards of boxes without bets."""
    boxes = {"1": {"cards": cards, "bets": ["1"], "decisions": {"ada": "fold"}}}
    boxes |= {str(n): {"cards": each} for n, each in enumerate(more, 2)}
    bets = [ante("1", "ada")]
    if game == "ultimate":
        bets.append({"id": "2", "player": "ada", "bet": "blind", "stake": 500})
        boxes["1"]["bets"] = ["1", "2"]
    return game, bets, boxes, shared


def refused_fold(*args, **more):
    game, bets, boxes, shared = fold(*args, **more)
    return refused(game, bets, boxes, **shared)


@pytest.mark.parametrize("game", ONE_DECK)
def test_a_possible_round_of_each_poker_game(game):
    """A fold loses the stake on the box; a box without bets counts for the deck alone."""
    cards, bank, board, others = ONE_DECK[game]
    game, bets, boxes, shared = fold(game, cards, [others], bank=bank, board=board)
    settled = table(game, bets, boxes, **shared)
    assert {(line.outcome, line.lost) for line in settled.values()} == {("lose", 500)}


def fives(game, card):
    """A hand of a game with one card in it five times, or as often as the hand is long."""
    return " ".join([card] * len(ONE_DECK[game][0].split()))


@pytest.mark.parametrize("game", ONE_DECK)
def test_a_hand_of_one_card(game):
    """AH AH AH: refused at the box, for every game of one deck."""
    _, bank, board, _ = ONE_DECK[game]
    why = refused_fold(game, fives(game, "AH"), bank=bank, board=board)
    assert (why.code.name, why.where) == ("cards_invalid", "outcome.boxes.1.cards")
    assert (
        "AH appears twice, first in outcome.boxes.1.cards; the cards are of one deck" in why.what
    )


def test_four_aces_and_a_king():
    """AH AH AH AH KD is no royal and no four of a kind: it is impossible."""
    why = refused_fold("caribbean", "AH AH AH AH KD", bank="AS KC 4D 3C 2H")
    assert why.where == "outcome.boxes.1.cards"


@pytest.mark.parametrize("game", ONE_DECK)
def test_a_card_of_player_and_bank(game):
    """The first card of the bank is in the hand too: both places are named."""
    cards, bank, board, _ = ONE_DECK[game]
    shared = " ".join([bank.split()[0], *cards.split()[1:]])
    why = refused_fold(game, shared, bank=bank, board=board)
    assert why.where == "outcome.boxes.1.cards"
    assert "first in outcome.bank" in why.what


@pytest.mark.parametrize("game", ["casino_holdem", "ultimate"])
def test_a_card_of_hand_and_board(game):
    """AH in hand and on the board."""
    why = refused_fold(game, "AH 3C", bank="QD KC", board="KS 9H AH 3D 4D")
    assert why.where == "outcome.boxes.1.cards"
    assert "AH appears twice, first in outcome.board" in why.what


@pytest.mark.parametrize("game", ["casino_holdem", "ultimate"])
def test_a_card_of_board_and_bank(game):
    why = refused_fold(game, "8H 8C", bank="QD KS", board="KS 9H AH 3D 4D")
    places = {why.where, why.what.split("first in ")[1].split(";")[0]}
    assert places == {"outcome.bank", "outcome.board"}


@pytest.mark.parametrize("game", ONE_DECK)
def test_two_boxes_with_the_same_cards(game):
    cards, bank, board, _ = ONE_DECK[game]
    why = refused_fold(game, cards, [cards], bank=bank, board=board)
    assert why.where == "outcome.boxes.2.cards"
    assert "first in outcome.boxes.1.cards" in why.what


def test_two_boxes_with_the_same_four_aces():
    """Each hand is possible, and both are not."""
    bets = [ante("1", "ada"), ante("2", "ben")]
    boxes = {
        "1": {"cards": "AH AD AC AS 2C", "bets": ["1"], "decisions": {"ada": "fold"}},
        "4": {"cards": "AH AD AC AS 3D", "bets": ["2"], "decisions": {"ben": "fold"}},
    }
    why = refused("caribbean", bets, boxes, bank="9S KC 4D 8C 2H")
    assert why.where == "outcome.boxes.4.cards"
    assert "AH appears twice, first in outcome.boxes.1.cards" in why.what


def test_a_card_is_counted_against_the_decks_of_the_shoe():
    """Seven KD in boxes of six decks; eight decks, the most there are, have them."""
    bets = [{"id": "1", "player": "ada", "bet": "bet", "stake": 500}]
    boxes = {
        "1": {"cards": "KD KD", "bets": ["1"]},
        "2": {"cards": "KD KD"},
        "3": {"cards": "KD KD"},
    }
    assert table("blackjack", bets, boxes, bank="KD 9S")["1"].win == 500
    assert table("blackjack", bets, boxes, bank="KD 9S", decks=7)["1"].win == 500
    why = refused("blackjack", bets, boxes, bank="KD 9S", decks=6)
    assert why.where == "outcome.boxes.3.cards"
    assert "KD appears 7 times, first in outcome.bank; the cards are of 6 decks" in why.what
    boxes["4"] = {"cards": ["KD 5S", "KD 6S"]}
    why = refused("blackjack", bets, boxes, bank="KD 9S")
    assert why.where == "outcome.boxes.4.cards[1]"


@pytest.mark.parametrize(("game", "decks"), [("blackjack", 0), ("blackjack", 9), ("caribbean", 2)])
def test_decks_no_game_is_dealt_from(game, decks):
    why = refused(game, [], {}, bank="KD 9S", decks=decks)
    assert (why.code.name, why.where) == ("cards_invalid", "outcome.decks")


def test_every_box_is_paid_by_its_own_cards():
    """Bank KD 8S has 18: 21 of a double wins twice, a split box wins one hand, loses the other."""
    bets = [
        {"id": "1", "player": "ada", "bet": "bet", "stake": 500},
        {"id": "2", "player": "ben", "bet": "bet", "stake": 1000},
        {"id": "3", "player": "ada", "bet": "double", "stake": 500},
        {"id": "4", "player": "ben", "bet": "split", "stake": 1000},
        {"id": "5", "player": "cis", "bet": "bet", "stake": 200},
    ]
    boxes = {
        "1": {"cards": "8H 3S KC", "bets": ["1", "3", "5"]},
        "2": {"cards": ["9H TC", "9D 8C"], "bets": ["2", "4"]},
    }
    settled = table("blackjack", bets, boxes, bank="KD 8S")
    assert [line.win for line in settled.values()] == [500, 1000, 500, 0, 200]
    assert [line.lost for line in settled.values()] == [0, 0, 0, 1000, 0]


def test_what_is_decided_holds_for_the_bets_it_can():
    """Ultimate: ante, blind and trips go with a fold; ben plays on, his three nines win.

    hc2023: ante 1:1 against a bank that qualifies, blind pushes below a straight, bet 1:1.
    """
    bets = [
        ante("1", "ada"),
        {**ante("2", "ada"), "bet": "blind"},
        {**ante("3", "ada"), "bet": "trips"},
        ante("4", "ben"),
        {**ante("5", "ben"), "bet": "blind"},
        {**ante("6", "ben"), "bet": "bet"},
    ]
    boxes = {
        "1": {"cards": "8H 7H", "bets": ["1", "2", "3"], "decisions": {"ada": "fold"}},
        "2": {"cards": "9C 9S", "bets": ["4", "5", "6"], "decisions": {"ben": "play"}},
    }
    settled = table("ultimate", bets, boxes, bank="QD JC", board="QS TH 9D 3D 4D")
    assert [line.lost for line in settled.values()] == [500, 500, 500, 0, 0, 0]
    assert [line.win for line in settled.values()] == [0, 0, 0, 500, 0, 500]


def test_players_of_one_box_decide_each_for_himself():
    """Casino War, equal cards: ada goes to war, ben gives up half (hc2023 3:9(5))."""
    bets = [{**ante("1", "ada", 1000), "bet": "bet"}, {**ante("2", "ben", 1000), "bet": "bet"}]
    boxes = {
        "3": {"cards": "9C", "bets": ["1", "2"], "decisions": {"ada": "war", "ben": "surrender"}}
    }
    settled = table("casino_war", bets, boxes, bank="9D")
    assert (settled["1"].state, settled["1"].live, settled["2"].lost) == ("war", 1000, 500)


@pytest.mark.parametrize(
    ("boxes", "code", "where", "what"),
    [
        (
            {"1": {"cards": "9C", "bets": ["1", "1"]}},
            "boxes_unclear",
            "boxes.1.bets[1]",
            "bet '1' is here and in outcome.boxes.1.bets[0]",
        ),
        (
            {"1": {"cards": "9C", "bets": ["1"]}, "2": {"cards": "8C", "bets": ["1"]}},
            "boxes_unclear",
            "boxes.2.bets[0]",
            "bet '1' is here and in outcome.boxes.1.bets[0]",
        ),
        ({"1": {"cards": "9C", "bets": ["7"]}}, "boxes_unclear", "boxes.1.bets[0]", "no bet '7'"),
        ({"1": {"cards": "9C"}}, "boxes_unclear", "boxes", "bets on no box: '1'"),
        (
            {"1": {"bets": ["1"], "decisions": {"ada": "war"}}},
            "deal_incomplete",
            "boxes.1.cards",
            "there are no cards",
        ),
        (
            {"1": {"cards": "9C", "bets": ["1"], "decisions": {"ben": "war"}}},
            "boxes_unclear",
            "boxes.1.decisions.ben",
            "player 'ben' has no bet here",
        ),
        (
            {"1": {"cards": "9C", "bets": ["1"], "decisions": {"ada": "fold"}}},
            "boxes_unclear",
            "boxes.1.decisions.ada",
            "to which 'fold' applies",
        ),
        ({"1": {"cards": "9X", "bets": ["1"]}}, "cards_invalid", "boxes.1.cards", "is not a card"),
        ({"1": {"cards": "9C 8C", "bets": ["1"]}}, "deal_not_by_rule", "boxes.1", "one card each"),
        ({"1": {"bets": ["1"]}}, "outcome_not_one", "boxes.1", "needed"),
        ({"1": {"player": "9C", "bets": ["1"]}}, "unknown_field", "boxes.1", "'player'"),
        ([], "wrong_type", "boxes", "an object"),
    ],
)
def test_a_contradiction_names_its_places(boxes, code, where, what):
    why = refused("casino_war", [{**ante("1", "ada", 1000), "bet": "bet"}], boxes, bank="9D")
    assert (why.code.name, why.where) == (code, f"outcome.{where}")
    assert what in why.what


def test_a_decision_that_contradicts_the_bet():
    bets = [{**ante("1", "ada", 1000), "bet": "bet", "choice": "surrender"}]
    boxes = {"1": {"cards": "9C", "bets": ["1"], "decisions": {"ada": "war"}}}
    why = refused("casino_war", bets, boxes, bank="9D")
    assert why.where == "outcome.boxes.1.decisions.ada"


def test_a_refusal_of_a_bet_names_its_place_in_the_round():
    """The second stake of ben, third of the round, is not twice his ante."""
    bets = [ante("1", "ada"), ante("2", "ben"), {**ante("3", "ben", 700), "bet": "bet"}]
    boxes = {
        "1": {"cards": "8H 8C 7D 6S JD", "bets": ["1"], "decisions": {"ada": "fold"}},
        "2": {"cards": "9H 9C 5D 3S 2D", "bets": ["2", "3"]},
    }
    assert refused("caribbean", bets, boxes, bank=BANK5).where in ("bets[1]", "bets[2]")


def test_the_count_of_what_remains_knows_the_other_boxes():
    """gr2003 §4: 52 less three hands of five are 37; one that is counted is cancelled by 36."""
    bets = [ante("1", "ada"), ante("2", "ben")]
    boxes = {
        "1": {"cards": "8H 8C 7D 6S JD", "bets": ["1"], "decisions": {"ada": "fold"}},
        "2": {"cards": "9H 9C 5D 3S 2D", "bets": ["2"], "decisions": {"ben": "fold"}},
    }
    record = {
        "rules": "gr2003",
        "game": "caribbean",
        "bets": bets,
        "outcome": {"bank": BANK5, "boxes": boxes, "remaining": 37},
    }
    assert [line.lost for line in settle_record(record)] == [500, 500]
    record["outcome"]["remaining"] = 36
    with pytest.raises(RuleViolation, match="36 cards remain of 37"):
        settle_record(record)
    record["table"] = {"count_voids": True}
    assert [line.back for line in settle_record(record)] == [500, 500]


def test_a_wrong_number_of_cards_cancels_one_box():
    """gr2003 §10: the box with six cards gets its stakes back, the other is settled."""
    bets = [ante("1", "ada"), ante("2", "ben")]
    boxes = {
        "1": {"cards": "8H 8C 7D 6S JD TD", "bets": ["1"], "misdeal": "six cards"},
        "2": {"cards": "9H 9C 5D 3S 2D", "bets": ["2"], "decisions": {"ben": "fold"}},
    }
    record = {
        "rules": "gr2003",
        "game": "caribbean",
        "bets": bets,
        "outcome": {"bank": BANK5, "boxes": boxes},
    }
    assert [(line.back, line.lost) for line in settle_record(record)] == [(500, 0), (0, 500)]


def test_every_game_whose_players_hold_hands_has_such_a_record():
    assert set(BOX_GAMES) == {*ONE_DECK, "casino_war", "blackjack"}


@pytest.mark.parametrize("game", ["blackjack", "three_card"])
def test_each_box_of_a_player_is_a_chance_of_its_own(game):
    """hc2023 1:1(6): the maximum is per chance and player; EUR 10 on each of two boxes."""
    bet, more = ("bet", {}) if game == "blackjack" else ("ante", {"decisions": {"ada": "fold"}})
    hand, other, bank = (
        ("KH 8D", "KD 8S", "KC 9D")
        if game == "blackjack"
        else ("9H 7C 2D", "8H 6C 4D", "QD 7S 3C")
    )
    bets = [{"id": n, "player": "ada", "bet": bet, "stake": 1000} for n in "12"]
    boxes = {
        "1": {"cards": hand, "bets": ["1"], **more},
        "2": {"cards": other, "bets": ["2"], **more},
    }
    limits = {"minimum": 500, "maximum": {bet: 1000}}
    record = {"rules": "hc2023", "game": game, "bets": bets, "table": limits}
    record["outcome"] = {"bank": bank, "boxes": boxes}
    assert [line.lost for line in settle_record(record)] == [1000, 1000]
    boxes["1"]["bets"], boxes["2"] = ["1", "2"], {"cards": other}
    with pytest.raises(RuleViolation) as caught:
        settle_record(record)
    assert (caught.value.code.name, caught.value.where) == ("above_maximum", "bets[1].stake")
