"""Where one paragraph overrides or completes another, a settlement cites both, deciding one first.

Expected paragraphs and odds are read by hand in the sources; the comment of a row quotes them.
"""

import json

import pytest

from tabletools.rulebook import paragraphs
from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import answer, settle_record


def bet(name, **more):
    return {"id": "1", "player": "p", "bet": name, "stake": 1000, **more}


def round_of(game, variant, bets, outcome, **more):
    edition, _, name = game.partition(" ")
    return {
        "rules": edition,
        "game": name,
        "bets": [{**each, "id": str(n)} for n, each in enumerate(bets, 1)],
        "outcome": outcome,
        **({} if variant is None else {"variant": variant}),
        **more,
    }


def hand(player, bank):
    return {"player": player, "bank": bank}


def jack(variant, player, bank, *bets, **table):
    """Black Jack of hc2011. bets: besides the bet, which is the first line."""
    return round_of(
        "hc2011 blackjack", variant, [bet("bet"), *bets], hand(player, bank), table=table or None
    )


def jack23(variant, player, bank, *bets, **table):
    return round_of(
        "hc2023 blackjack", variant, [bet("bet"), *bets], hand(player, bank), table=table or None
    )


def stud(game, player, bank):
    """Ante and bet; the ante is the first line."""
    return round_of(game, None, [bet("ante"), bet("bet", stake=2000)], hand(player, bank))


def prizes(game, variant, hands, meters=None, outcome=None, **table):
    bets = [bet("jackpot", player=f"p{n}", stake=100) for n in range(len(hands))]
    record = {"hands": {str(n): cards for n, cards in enumerate(hands, 1)}, **(outcome or {})}
    return round_of(f"{game} jackpot", variant, bets, record, meters=meters, table=table or None)


def switch(player, bank, **more):
    return round_of(
        "hc2011 blackjack",
        "switch",
        [bet("bet"), bet("bet", on=[2])],
        {"player": player, "bank": bank, **more},
    )


def drawn(on, **table):
    return round_of(
        "hc2011 keno", None, [bet("numbers", on=on)], {"drawn": [*range(1, 21)]}, table=table
    )


def pot(bets, outcome, **table):
    placed = [bet("hand", player=who, stake=stake, **more) for who, stake, more in bets]
    return round_of("oostende2011 poker_room", None, placed, outcome, table=table or None)


CARD = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]


def cards(*numbers, **more):
    bets = [bet("card", player=f"p{n}", on=CARD, **each) for n, each in enumerate(numbers)]
    return round_of(
        "hc2023 bingo",
        "80",
        bets,
        {"drawn": [1, 2, 3, 4]},
        table={"pattern": "row", "prize": 50000},
        **more,
    )


ROYAL, STRAIGHT_FLUSH = "AS KS QS JS TS", "9H 8H 7H 6H 5H"
OTHER_ROYAL = "AC KC QC JC TC"
FULL = "4S 4H 4D 9C 9S"

CASES = {
    # 3:2(21): "contrary to that provided in paragraph 4, ... paid at 6:5".
    "6:5": (jack("6:5", "AH KD", "9C 8D"), "hc2011 3:2(21) 3:2(4)", "6:5"),
    # 3:2(20): "contrary to that provided in paragraph 4, ... paid at 1:1".
    "1:1": (jack("1:1", "AH KD", "9C 8D"), "hc2011 3:2(20) 3:2(4)", "1:1"),
    # 3:2(19): "the bank wins if the player and the bank have the same number of points".
    "casino21 tie": (jack("casino21", "KH 8D", "KC 8S"), "hc2011 3:2(19) 3:2(5)", ""),
    "casino21 tie, 2023": (jack23("casino21", "KH 8D", "KC 8S"), "hc2023 3:2(14) 3:2(4)", ""),
    "casino21 two Black Jacks": (
        jack("casino21", "AH KD", "AC KS"),
        "hc2011 3:2(19) 3:2(5)",
        "",
    ),
    # 3:2(19): "In departure from this ... a drawn game, as referred to in paragraph five".
    "casino21 drawn Black Jacks": (
        jack("casino21", "AH KD", "AC KS", natural_push=True),
        "hc2011 3:2(19) 3:2(5)",
        "",
    ),
    # 3:2(19): "a bonus of one times their bet ... irrespective of whether they win or not".
    "five cards": (
        jack("casino21", "2H 3D 4C 2S 5H", "KC 8S", five_cards=True),
        "hc2011 3:2(19) 3:2(5)",
        "1:1",
    ),
    "five cards, won, 2023": (
        jack23("casino21", "2H 3D 4C 5S 6H", "KC 8S", five_cards=True),
        "hc2023 3:2(14) 3:2(3)",
        "1:1 + 1:1",
    ),
    # 3:2(10), 2023 3:2(9): a bonus "regardless of whether they have won or not".
    "777 won": (jack(None, "7H 7D 7C", "KC 8S"), "hc2011 3:2(10) 3:2(4)", "1:1 + 1:1"),
    "777 drawn, 2023": (jack23(None, "7H 7D 7C", "KC 5S 6D"), "hc2023 3:2(9) 3:2(4)", "1:1"),
    # 3:2(9), 2023 3:2(8): ace-ten after splitting "does not count as Black Jack, paid at 1:1".
    "split A-10": (
        jack(None, ["AH KD", "AD 5C"], "9C 8D", bet("split")),
        "hc2011 3:2(9) 3:2(4)",
        "1:1",
    ),
    "split A-10, 2023": (
        jack23(None, ["AH KD", "AD 5C"], "9C 8D", bet("split")),
        "hc2023 3:2(8) 3:2(3)",
        "1:1",
    ),
    "split A-10 against 21, 2023": (
        jack23(None, ["AH KD", "AD 5C"], "9C 5D 7S", bet("split")),
        "hc2023 3:2(8) 3:2(4)",
        "",
    ),
    "split A-10, de-live": (
        round_of(
            "de-live blackjack",
            None,
            [bet("bet"), bet("split")],
            hand(["AH KD", "AD 5C"], "9C 8D"),
        ),
        "de-live BJ 2.7 BJ 2.3",
        "1:1",
    ),
    # 3:2(8): "If the initial nine points were formed with an Ace, then the Ace keeps ... 1".
    "doubled A-8": (
        jack(None, "AH 8D 2C", "KC 8S", bet("double")),
        "hc2011 3:2(8) 3:2(5)",
        "",
    ),
    # 3:2(22): "If the bank has a points total of 22, ... all other boxes ... is undecided".
    "Switch, bank 22": (switch(["KH 8D", "9C 7D"], "KC 4S 8H"), "hc2011 3:2(22) 3:2(5)", ""),
    # 3:2(22): "If a player has a Black Jack, if it wins it pays out at 1:1".
    "Switch, Black Jack": (switch(["AH KD", "9C 7D"], "KC 8H"), "hc2011 3:2(22) 3:2(4)", "1:1"),
    # 3:2(22): "If the switch results in a Black Jack, this combination counts as 21".
    "Switch, made Black Jack": (
        switch(["AH KD", "9C 7D"], "KC 8H", switched=True),
        "hc2011 3:2(22) 3:2(4)",
        "1:1",
    ),
    # 2:3(2): "2:2 applies correspondingly, with the exception of 2:2 paragraph 1 under b".
    "American zero": (
        round_of("hc2011 roulette", "american", [bet("red")], {"pocket": "0"}),
        "hc2011 2:3(2) 2:2(1)",
        "",
    ),
    "American odds": (
        round_of("hc2011 roulette", "american", [bet("straight", numbers=["8"])], {"pocket": "8"}),
        "hc2011 2:3(2) 2:2(1)",
        "35:1",
    ),
    # 2:3(3): "On a gaming table with a double zero ... all bets on the even chances ... lose".
    "American double zero": (
        round_of("hc2011 roulette", "american00", [bet("red")], {"pocket": "0"}),
        "hc2011 2:3(3) 2:2(1)",
        "",
    ),
    # 2:3(3): an extra chance "die in geval van winst 6:1 uitbetaalt"; 2:3(2) lists it.
    "top line, 2023": (
        round_of("hc2023 roulette", "american00", [bet("top_line")], {"pocket": "00"}),
        "hc2023 2:3(3) 2:3(2)",
        "6:1",
    ),
    # 3:6(8): without ace-king the bank "pays only one times the ante"; 3:6(6): lower loses.
    "Caribbean, not qualified": (
        stud("hc2011 caribbean", "QH 9C 5D 3S 2D", "KS QD 8H 4C 3D"),
        "hc2011 3:6(8) 3:6(6)",
        "1:1",
    ),
    # 3:9(1): "Section 3:6 correspondingly applies to Multi Poker".
    "Multi Poker": (
        stud("hc2011 multi_poker", "QH 9C 5D 3S 2D", "AS KD 8H 4C 3D"),
        "hc2011 3:6(6) 3:9(1)",
        "",
    ),
    # 3:4(5): equal first cards and an equal third pay eleven times; 3:4(4): an equal one loses.
    "Red Dog, pair": (
        round_of("hc2011 red_dog", None, [bet("bet")], {"cards": "9C 9D 9H"}),
        "hc2011 3:4(5) 3:4(4)",
        "11:1",
    ),
    "Red Dog, pair undecided": (
        round_of("hc2011 red_dog", None, [bet("bet")], {"cards": "9C 9D 2H"}),
        "hc2011 3:4(5) 3:4(4)",
        "",
    ),
    # 3:8(9): "the bank pays the player his ante bet in accordance with ... paragraph seven".
    "Casino Hold'em, flush": (
        round_of(
            "hc2011 casino_holdem",
            None,
            [bet("ante"), bet("bet", stake=2000)],
            {"player": "AH 9H", "board": "2H 5H 7H JC QD", "bank": "QC 3S"},
        ),
        "hc2011 3:8(9) 3:8(7)",
        "2:1",
    ),
    # 3:7(7): "Daarnaast vindt bij de ante-inzet een bonusuitbetaling plaats" (3:8(7)).
    "Three Card bonus": (
        round_of(
            "hc2023 three_card", None, [bet("ante"), bet("bet")], hand("4H 5H 6H", "QS 7D 2C")
        ),
        "hc2023 3:8(7)",
        "5:1 + 1:1",
    ),
    # 3:7(7): "Bij winst vindt voor de ante-inzet een bonusuitbetaling plaats".
    "Four Card bonus": (
        round_of(
            "hc2023 four_card",
            None,
            [bet("ante"), bet("bet")],
            hand("9H 9C 9D 3S 2D", "AS KH 4D 3C 2H 6S"),
        ),
        "hc2023 3:7(7) 3:7(6)",
        "2:1 + 1:1",
    ),
    # 3:6(9): "wordt de blind-inzet volgens het schema in artikel 3:6 lid 8 betaald".
    "Ultimate, blind": (
        round_of(
            "hc2023 ultimate",
            None,
            [bet("blind"), bet("ante"), bet("bet")],
            {"player": "AH 9H", "board": "2H 5H 7H JC QD", "bank": "KC 3S"},
        ),
        "hc2023 3:6(9) 3:6(8)",
        "1.5:1",
    ),
    # 4:2(6): "If they choose to play for the jackpot, the payment of 45 times ... is cancelled".
    "Big Wheel jackpot": (
        round_of(
            "hc2011 big_wheel",
            None,
            [bet("segment", on=[45], choice="jackpot")],
            {"pays": 45, "jackpot": 120},
        ),
        "hc2011 4:2(6) 4:2(5)",
        "120:1",
    ),
    # 4:4(3) has the combinations, 4:4(4) "1/1 - 6/6 0,5:1".
    "Barbut": (
        round_of("hc2023 barbut", None, [bet("A")], {"dice": [1, 1]}),
        "hc2023 4:4(4) 4:4(3)",
        "0.5:1",
    ),
    # 3:6(11): "If two or more Royal Flushes fall ... each ... at the level ... at the start".
    "second royal flush": (
        prizes("hc2011", "caribbean", [ROYAL, OTHER_ROYAL], {"jackpot": 500_000}),
        "hc2011 3:6(11) 3:6(7)",
        "",
    ),
    # 3:6(10): "Only those players who have also placed a bet wager are eligible".
    "folded jackpot hand": (
        prizes("hc2011", "caribbean", [FULL], outcome={"folded": ["1"]}),
        "hc2011 3:6(10) 3:6(7)",
        "",
    ),
    # 3:9(5): "The player who is first ... is paid in accordance with the level".
    "Multi Poker jackpot": (
        prizes("hc2011", "multi_poker", [ROYAL], {"jackpot1": 500_000}),
        "hc2011 3:9(5) 3:9(3)",
        "",
    ),
    # 9β(3): several royal flushes of a growing amount: "το ένα δεύτερο (1/2)"; 9β(4): a tenth.
    "gr2003, two royal flushes": (
        prizes(
            "gr2003",
            "caribbean",
            [ROYAL, OTHER_ROYAL],
            {"jackpot": 500_000},
            rake=20,
            consolation={"four": 1, "full_house": 1, "flush": 1},
        ),
        "gr2003 §9β(3)",
        "",
    ),
    "gr2003, straight flush": (
        prizes(
            "gr2003",
            "caribbean",
            [STRAIGHT_FLUSH],
            {"jackpot": 500_000},
            rake=20,
            consolation={"four": 1, "full_house": 1, "flush": 1},
        ),
        "gr2003 §9β(4)",
        "",
    ),
    # 4:3(8): "The maximum payment will be no higher than EUR 25,000".
    "Keno maximum": (
        drawn([1, 2, 3], pays={"3": {"3": 10_000}}),
        "hc2011 4:3(8) 4:3(4)",
        "",
    ),
    # 5:1(10): "dan wordt de bijbehorende prijs gelijkelijk gedeeld".
    "shared bingo": (cards({}, {}), "hc2023 5:1(10) 5:1(9)", ""),
    # 5:1(6): "Bingokaarten die niet in een corresponderende speelronde worden gebruikt".
    "bingo of another round": (
        cards({"round": "A"}, {"round": "B"}, round="B"),
        "hc2023 5:1(6)",
        "",
    ),
    # 2.16: a player who folds "verliest al zijn inzetten die hij tot dan toe heeft gedaan".
    "poker fold": (
        pot(
            [("A", 700, {"choice": "fold"}), ("B", 700, {}), ("C", 700, {})],
            {"board": "2C 7S TD JC 4H", "hands": {"B": "AH AD", "C": "KH KD"}},
        ),
        "oostende2011 2.16",
        "",
    ),
    # 2.4: the odd chip goes "aan de speler meest links na de button"; 3.10: what is pushed.
    "odd chip": (
        pot(
            [("A", 500, {}), ("B", 500, {}), ("C", 500, {"choice": "fold"})],
            {"board": "2C 7S TD JC 4H", "hands": {"A": "AH KD", "B": "AD KC"}},
            chip=100,
        ),
        "oostende2011 2.4 3.10",
        "",
    ),
    "lost at showdown": (
        pot(
            [("A", 700, {}), ("B", 700, {})],
            {"board": "2C 7S TD JC 4H", "hands": {"B": "AH AD", "A": "KH KD"}},
        ),
        "oostende2011 2.23",
        "",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_paragraphs_in_order(name):
    """The first line of the answer: its paragraphs, the deciding one first, and the odds."""
    record, wanted, odds = CASES[name]
    reply, code = answer(json.dumps(record).encode(), line=1)
    assert code == 0, reply
    line = reply["settlements"][0]
    edition, *names = wanted.replace("BJ ", "BJ~").split()
    cited = [f"{edition} {each.replace('~', ' ')}" for each in names]
    assert (line["paragraphs"], line["odds"] or "") == (cited, odds)
    assert line["rule"] == cited[0]


def test_every_paragraph_cited_here_is_one_that_is_implemented():
    """It is in a document, and its row names code."""
    for record, _, _ in CASES.values():
        for line in settle_record(record):
            for name in line.paragraphs:
                assert paragraphs()[name].code, name


@pytest.mark.parametrize(
    ("name", "stake", "article"),
    [
        ("bj_plus", 1500, "3:2(14)"),
        ("bj_plus", 600, "3:2(14)"),  # it is not told to be a multiple of 5.00 either
        ("perfect_pairs", 2000, "3:2(17)"),
    ],
)
def test_the_maximum_of_a_side_bet_is_in_its_own_paragraph(name, stake, article):
    """BJ+ is half the minimum, Perfect Pairs at most the minimum: not 1:1(6)."""
    record = jack(None, "KH 8D", "KC 7S", bet(name, stake=stake))
    record["table"] = {"minimum": 1000, "maximum": {"bet": 10000}}
    record["bets"][1]["stake"] = stake
    with pytest.raises(RuleViolation) as refused:
        settle_record(record)
    assert f"hc2011 {article}" in refused.value.what
    assert "1:1(6)" not in refused.value.what
