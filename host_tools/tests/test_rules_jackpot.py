"""Jackpots: prizes, meters in and out, who shares and who comes second (rulebook 10)."""

import json
from fractions import Fraction

import pytest

from tabletools.settle import json_lines

AD_ROYAL, AS_ROYAL, D_LOW = "AD KD QD JD TD", "AS KS QS JS TS", "9D 8D 7D 6D 5D"
NOTHING, FOUR = "KH 9S 7C 4H 3C", "2S 2H 2D 2C AC"


def play(rules, variant, hands, *, meters=None, table=None, stakes=None, **outcome):
    ids = hands or stakes
    record = {
        "rules": rules,
        "game": "jackpot",
        "variant": variant,
        "bets": [
            {"id": i, "player": "p" + i, "bet": "jackpot", "stake": (stakes or {}).get(i, 100)}
            for i in ids
        ],
        "meters": meters,
        "outcome": {"hands": hands, **outcome},
        "table": table,
    }
    reply, _ = json_lines.answer(json.dumps(record).encode(), line=1)
    return reply


def paid(*args, **more):
    """Return the winnings by bet, and the meters after the round."""
    reply = play(*args, **more)
    for line in reply["settlements"]:
        assert line["stake"] == line["back"] + line["live"] + line["lost"]
    return [line["win"] for line in reply["settlements"]], reply["meters"]


def code(*args, **more):
    return play(*args, **more)["error"]["code"]


START = {"mega": 2_500_000, "major": 250_000, "minor": 50_000}
PRIZES_2023 = [
    (AD_ROYAL, 2_500_000),
    (D_LOW, 2_500_000),
    (AS_ROYAL, 250_000),
    ("5C 4C 3C 2C AC", 250_000),
    ("JS JH JD JC 2S", 50_000),
    ("AS AH AD AC 2S", 50_000),
    ("TS TH TD TC AS", 5_000),
    ("TS TH TD AC AS", 2_500),
    ("AS 9S 7S 4S 2S", 2_000),
    ("5S 4H 3D 2C AS", 1_500),
    ("9S 9H 9D AC KS", 500),
    ("AS AH KD KC 2S", 0),
    (NOTHING, 0),
]


@pytest.mark.parametrize("variant", ["caribbean", "ultimate", "four_card"])
@pytest.mark.parametrize(("hand", "win"), PRIZES_2023)
def test_hc2023_mega_major_minor(variant, hand, win):
    """3:5(9), 3:6(12), 3:7(9): the player's five cards; n:1 leaves the stake."""
    reply = play("hc2023", variant, {"1": hand})
    [line] = reply["settlements"]
    assert line["win"] == win
    assert line["back"] == (100 if 0 < win <= 5_000 else 0)
    assert reply["meters"] == START


def test_fixed_prizes_return_of_hc2023():
    """24.81 % of the stake without the stake, 27.68 % with it (rulebook 10), of 2598960 hands."""
    ways = {50: 9 * 48, 25: 3744, 20: 5108, 15: 10200, 5: 54912}
    hands = {win // 100: hand for hand, win in PRIZES_2023 if 0 < win <= 5_000}
    returned = {}
    for keeps_stake in (True, False):
        total = 0
        for odds, count in ways.items():
            table = {"stake_kept": keeps_stake}
            [line] = play("hc2023", "caribbean", {"1": hands[odds]}, table=table)["settlements"]
            total += count * (line["win"] + line["back"])
        returned[keeps_stake] = f"{float(Fraction(total, 2598960)):.2f}"
    assert returned == {False: "24.81", True: "27.68"}


def test_hc2023_split_pot():
    """Divided equally, and the meter starts again; a cent that does not divide is refused."""
    hands = {"1": AD_ROYAL, "2": D_LOW, "3": NOTHING}
    here = {"tables": {"1": "X", "2": "X"}}
    meters = {"mega": 3_000_002, "major": 260_000}
    assert paid("hc2023", "caribbean", hands, meters=meters, **here) == (
        [1_500_001, 1_500_001, 0],
        {**START, "major": 260_000},
    )
    meters = {"mega": 3_000_001}
    assert code("hc2023", "caribbean", hands, meters=meters, **here) == "not_whole_cents"
    table = {"round_up": True}
    wins, _ = paid("hc2023", "caribbean", hands, meters=meters, table=table, **here)
    assert wins == [1_500_100, 1_500_100, 0]


@pytest.mark.parametrize("variant", ["caribbean", "ultimate", "four_card"])
def test_hc2023_a_pot_is_split_at_one_table_only(variant):
    """3:5(9), 3:6(12), 3:7(9): "at the same table during the same hand".

    Two royal flushes of diamonds at X and Y, the second one 3 s later: 30,000.00 for the first,
    the start amount of 25,000.00 for the other. Two at Y at once divide that start amount.
    """
    hands = {"1": AD_ROYAL, "2": AD_ROYAL}
    meters = {"mega": 3_000_000}
    more = {"meters": meters, "tables": {"1": "X", "2": "Y"}, "times_ms": {"1": 4000, "2": 1000}}
    assert paid("hc2023", variant, hands, **more) == ([2_500_000, 3_000_000], START)
    if variant != "ultimate":
        three = {**hands, "3": D_LOW}
        more["tables"] |= {"3": "X"}
        more["times_ms"] |= {"3": 4000}
        wins, _ = paid("hc2023", variant, three, **more)
        assert wins == [1_250_000, 3_000_000, 1_250_000]


def test_contribution_counts_before_the_prizes():
    """Each stake's share is in the level that falls, and in the meters handed out."""
    table = {"contribution": {"mega": [3, 10], "major": [1, 5]}}
    hands = {"1": AS_ROYAL, "2": NOTHING}
    assert paid("hc2023", "caribbean", hands, table=table) == (
        [250_040, 0],
        {"mega": 2_500_060, "major": 250_000, "minor": 50_000},
    )
    assert code("hc2023", "caribbean", hands, table={"contribution": {"mega": [1, 3]}}) == (
        "not_whole_cents"
    )
    for wrong in ({"mega": [2, 1]}, {"other": [1, 10]}, {"mega": [1]}, {"mega": [1, 0]}):
        assert (
            code("hc2023", "caribbean", hands, table={"contribution": wrong}) == "limits_invalid"
        )


def test_a_folded_hand():
    """hc2011 needs the bet wager; hc2023 by the letter does not (READING-41)."""
    one = {"1": AS_ROYAL}
    assert paid("hc2023", "caribbean", one, folded=["1"])[0] == [250_000]
    table = {"folded_wins": False}
    assert paid("hc2023", "caribbean", one, folded=["1"], table=table)[0] == [0]
    meters = {"jackpot": 900_000}
    assert paid("hc2011", "caribbean", one, meters=meters, folded=["1"]) == ([0], meters)


@pytest.mark.parametrize(
    ("hand", "times"),
    [
        ("AS 9S 7S 4S 2S", 50),
        ("TS TH TD AC AS", 100),
        ("TS TH TD TC AS", 500),
        (D_LOW, 5000),
        ("5S 4H 3D 2C AS", 0),
    ],
)
def test_hc2011_caribbean_prizes_come_off_the_meter(hand, times):
    """3:6(7), (9)."""
    wins, meters = paid("hc2011", "caribbean", {"1": hand}, meters={"jackpot": 9_000_000})
    assert (wins, meters) == ([100 * times], {"jackpot": 9_000_000 - 100 * times})


def test_hc2011_caribbean_royal_flush():
    """3:6(11): each in full, never below the start, what falls with it off the new start."""
    hands = {"1": AS_ROYAL, "2": AD_ROYAL, "3": FOUR}
    more = {"table": {"start": {"jackpot": 1_000_000}}}
    assert paid("hc2011", "caribbean", hands, meters={"jackpot": 7_000_000}, **more) == (
        [7_000_000, 7_000_000, 50_000],
        {"jackpot": 950_000},
    )
    wins, _ = paid("hc2011", "caribbean", {"1": AS_ROYAL}, meters={"jackpot": 950_000}, **more)
    assert wins == [1_000_000]


THREE = {"start": {"jackpot1": 1_000_000, "jackpot2": 100_000, "jackpot3": 10_000}}


def test_hc2011_multi_poker():
    """3:9(3)-(6): same table the level too, another table the start amount, up to a euro.

    Which of them is first, and where, is in the record, else nobody is paid.
    """
    hands = {"1": AD_ROYAL, "2": AS_ROYAL, "3": "AH KH QH JH TH"}
    meters = {"jackpot1": 1_234_501}
    tables = {"1": "A", "2": "B", "3": "A"}
    more = {"meters": meters, "table": THREE}
    for facts, wanted in (
        ({}, "line 1: outcome.tables.1"),
        ({"tables": tables}, "line 1: outcome.times_ms.1"),
        ({"times_ms": {"1": 1, "2": 2, "3": 3}}, "line 1: outcome.tables.1"),
    ):
        answer = where("hc2011", "multi_poker", hands, **more, **facts)
        assert answer == ("missing_field", wanted)
    one = dict.fromkeys(tables, "A")
    assert paid("hc2011", "multi_poker", hands, **more, tables=one)[0] == [1_234_600] * 3
    times = {"1": 1, "2": 2, "3": 1}
    wins, after = paid("hc2011", "multi_poker", hands, **more, tables=tables, times_ms=times)
    assert wins == [1_234_600, 1_000_000, 1_234_600]
    assert after == {"jackpot1": 1_000_000, "jackpot2": 100_000, "jackpot3": 10_000}
    times = {"1": 9, "2": 5, "3": 7}
    wins, _ = paid(
        "hc2011", "multi_poker", hands, meters=meters, table=THREE, tables=tables, times_ms=times
    )
    assert wins == [1_000_000, 1_234_600, 1_000_000]


@pytest.mark.parametrize(
    ("hand", "win", "meter", "after"),
    [
        (D_LOW, 120_000, "jackpot2", 100_000),
        ("AS AH AD AC 2S", 120_000, "jackpot3", 10_000),
        ("KS KH KD KC 2S", 50_000, "jackpot1", 70_000),
        ("KS KH KD 2C 2S", 10_000, "jackpot1", 110_000),
        ("AS 9S 7S 4S 2S", 5_000, "jackpot1", 115_000),
    ],
)
def test_hc2011_multi_poker_prizes(hand, win, meter, after):
    """Straight flush, four aces, and bonuses, which come off a jackpot (READING-54)."""
    meters = dict.fromkeys(("jackpot1", "jackpot2", "jackpot3"), 120_000)
    wins, answer = paid("hc2011", "multi_poker", {"1": hand}, meters=meters, table=THREE)
    assert (wins, answer) == ([win], {**meters, meter: after})


MULTI_JACK = [
    ("7H 7H 7H", 15_000 + 1_000_000),
    ("7S 7S 7S", 3_000 + 100_000),
    ("7H 7D 7H", 3_000 + 10_000),
    ("7S 7C 7S", 3_000 + 10_000),
    ("7H 7H 7S", 15_000 + 20_000),
    ("7H 7S 7S", 3_000 + 20_000),
    ("7H 7H KS", 15_000),
    ("7H 7S", 3_000),
    ("7H KS 7H", 0),
]


@pytest.mark.parametrize(("hand", "win"), MULTI_JACK)
def test_hc2011_multi_jack(hand, win):
    """3:2(12): two sevens, and in addition the third."""
    assert paid("hc2011", "blackjack", {"1": hand}, table=THREE)[0] == [win]


def test_black_jack_second_winner():
    """hc2023 3:2(11): the first the meter up to a euro, the second the start, never below it."""
    table = {"start": {"red": 50_000}}
    won = {"won": {"1": "red", "2": "red"}, "times_ms": {"1": 8, "2": 3}}
    two = {"1": 100, "2": 100, "3": 100}
    meters = {"red": 61_234}
    assert paid("hc2023", "blackjack", None, stakes=two, meters=meters, table=table, **won) == (
        [50_000, 61_300, 0],
        {"red": 50_000},
    )
    missing = {**won, "times_ms": {"2": 3}}
    more = {"stakes": two, "meters": meters, "table": table}
    refused = ("missing_field", "line 1: outcome.times_ms.1")
    assert where("hc2023", "blackjack", None, **more, **missing) == refused
    same = {**won, "times_ms": {"1": 3, "2": 3}}
    assert code("hc2023", "blackjack", None, stakes=two, table=table, **same) == "needs_ruling"
    meters = {"red": 40_000}
    wins, _ = paid("hc2023", "blackjack", None, stakes=two, meters=meters, table=table, **won)
    assert wins == [50_000, 50_000, 0]
    other = {"won": {"1": "blue"}}
    assert code("hc2023", "blackjack", None, stakes=two, table=table, **other) == "limits_invalid"


@pytest.mark.parametrize("rules", ["hc2011", "hc2023"])
def test_slots_five_seconds(rules):
    """5000 ms after the first is still together; later the start and its growth."""
    table = {"start": {"nation": 1_000_000}}
    ids = dict.fromkeys("123", 100)
    answer = paid(
        rules,
        "slots",
        None,
        stakes=ids,
        meters={"nation": 3_000_000},
        table=table,
        won=dict.fromkeys("123", "nation"),
        times_ms={"1": 70_000, "2": 75_000, "3": 75_001},
        growth={"3": 4_321},
    )
    assert answer == ([3_000_000, 3_000_000, 1_004_321], {"nation": 1_000_000})


@pytest.mark.parametrize("rules", ["hc2011", "hc2023"])
@pytest.mark.parametrize(
    ("facts", "wanted"),
    [
        ({}, "times_ms.1"),
        ({"times_ms": {"1": 0}}, "times_ms.2"),
        ({"times_ms": {"1": 9000, "2": 0}}, "growth.1"),
    ],
)
def test_slots_say_when_each_of_two_winners_was(rules, facts, wanted):
    """6:2(7), 5:2(7): without the times both got the whole meter. One winner needs none."""
    more = {
        "stakes": {"1": 100, "2": 100},
        "table": {"start": {"nation": 1_000_000, "local": 1000}},
        "meters": {"nation": 3_000_000},
    }
    both = {"won": {"1": "nation", "2": "nation"}}
    answer = where(rules, "slots", None, **more, **both, **facts)
    assert answer == ("missing_field", f"line 1: outcome.{wanted}")
    each = {"won": {"1": "nation", "2": "local"}}
    assert paid(rules, "slots", None, **more, **each)[0] == [3_000_000, 1000]


def test_slots_by_the_winner_before():
    """READING-30: three at intervals of 4 s are together by the option, the third is not without.

    A fourth 6 s later is not, nor is a fifth right after him.
    """
    more = {
        "stakes": dict.fromkeys("12345", 100),
        "meters": {"nation": 3_000_000},
        "won": dict.fromkeys("12345", "nation"),
        "times_ms": {"1": 0, "2": 4_000, "3": 8_000, "4": 14_000, "5": 14_001},
        "growth": {"3": 11, "4": 22, "5": 33},
    }
    table = {"start": {"nation": 1_000_000}}
    late = [1_000_022, 1_000_033]
    answer, _ = paid("hc2023", "slots", None, table=table, **more)
    assert answer == [3_000_000, 3_000_000, 1_000_011, *late]
    answer, _ = paid("hc2023", "slots", None, table={**table, "against_previous": True}, **more)
    assert answer == [3_000_000] * 3 + late
    wrong = code("hc2023", "caribbean", {"1": NOTHING}, table={"against_previous": True})
    assert wrong == "limits_invalid"


GREEK = {"rake": 20, "consolation": {"four": 50_000, "full_house": 10_000, "flush": 5_000}}


def test_gr2003_progressive():
    """§9: 80 of 100 to the meter, halves of it, a tenth each, consolation from the casino."""
    hands = {"1": AS_ROYAL, "2": AD_ROYAL, "3": D_LOW, "4": FOUR}
    answer = paid("gr2003", "caribbean", hands, meters={"jackpot": 999_680}, table=GREEK)
    assert answer == ([500_000, 500_000, 100_000, 50_000], {"jackpot": 0})
    answer = paid("gr2003", "caribbean", {"1": D_LOW}, meters={"jackpot": 999_920}, table=GREEK)
    assert answer == ([100_000], {"jackpot": 900_000})


def test_gr2003_a_straight_flush_first():
    """READING-42: 1,000,000 less two tenths, halved by two royal flushes."""
    hands = {"1": AS_ROYAL, "2": AD_ROYAL, "3": D_LOW, "4": "9C 8C 7C 6C 5C"}
    table = {**GREEK, "straight_flush_first": True}
    answer = paid("gr2003", "caribbean", hands, meters={"jackpot": 999_680}, table=table)
    assert answer == ([400_000, 400_000, 100_000, 100_000], {"jackpot": 0})
    table = {"straight_flush_first": True}
    assert code("hc2023", "caribbean", {"1": NOTHING}, table=table) == "limits_invalid"


def test_gr2003_fixed():
    """§9β(2): each the whole, and it stays."""
    hands = {"1": AS_ROYAL, "2": AD_ROYAL, "3": D_LOW}
    table = {**GREEK, "progressive": False}
    answer = paid("gr2003", "caribbean", hands, meters={"jackpot": 1_000_000}, table=table)
    assert answer == ([1_000_000, 1_000_000, 100_000], {"jackpot": 1_000_000})


@pytest.mark.parametrize(
    "table", [None, {**GREEK, "rake": 14}, {**GREEK, "rake": 21}, {"rake": 15}]
)
def test_gr2003_needs_its_terms(table):
    """Rake of 15 to 20 percent and the consolation bonuses are the casino's to say."""
    assert code("gr2003", "caribbean", {"1": D_LOW}, table=table) == "limits_invalid"


def test_a_fault_returns_the_bets():
    """Nothing is won, the meters stay."""
    reply = play("hc2023", "caribbean", {"1": AD_ROYAL}, void="jam")
    assert [line["outcome"] for line in reply["settlements"]] == ["void"]
    assert reply["meters"] == START


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ({"tables": True}, "wrong_type"),
        ({"won": {"1": 1}}, "wrong_type"),
        ({"growth": {"7": 1}}, "unknown_field"),
        ({"growth": {"1": -1}}, "limits_invalid"),
        ({"times_ms": {"1": -1}}, "limits_invalid"),
        ({"folded": ["7"]}, "unknown_field"),
        ({"folded": "1"}, "wrong_type"),
    ],
)
def test_a_fault_does_not_make_the_rest_right(said, wanted):
    assert code("hc2023", "caribbean", {"1": AD_ROYAL}, void="jam", **said) == wanted


def test_a_fault_does_not_make_a_card_right():
    error = play("hc2023", "caribbean", {"1": "1D"}, void="jam")["error"]
    assert (error["code"], error["where"]) == ("cards_invalid", "line 1: outcome.hands.1")


@pytest.mark.parametrize(
    ("hands", "wanted"),
    [
        ({"1": "AD KD QD JD"}, "deal_not_by_rule"),
        ({"1": "AD KD QD JD AD"}, "deal_not_by_rule"),
        ({"1": "AD KD QD JD 1D"}, "cards_invalid"),
    ],
)
def test_what_is_no_jackpot_hand(hands, wanted):
    """Five different cards."""
    assert code("hc2023", "caribbean", hands) == wanted
    assert code("hc2023", "red_dog", hands) == "unknown_variant"


def where(*args, **more):
    error = play(*args, **more)["error"]
    return error["code"], error["where"]


@pytest.mark.parametrize(
    ("rules", "variant"),
    [
        ("hc2023", "caribbean"),
        ("hc2023", "ultimate"),
        ("hc2023", "four_card"),
        ("hc2011", "caribbean"),
        ("hc2011", "multi_poker"),
        ("gr2003", "caribbean"),
    ],
)
def test_one_deck_has_each_card_once(rules, variant):
    """Two players of a table cannot both hold one royal flush; those of two tables can."""
    hands = {"1": AD_ROYAL, "2": AD_ROYAL}
    start = {"jackpot1" if variant == "multi_poker" else "jackpot": 1000}
    table = {"gr2003": GREEK, "hc2011": {"start": start}}.get(rules)
    refused = ("cards_invalid", "line 1: outcome.hands.2")
    assert where(rules, variant, hands, table=table) == refused
    assert where(rules, variant, hands, table=table, tables={"1": "A", "2": "A"}) == refused
    assert where(rules, variant, hands, table=table, tables={"1": "A"}) == refused
    meters = {"mega": 3_000_000} if rules == "hc2023" else None
    apart = {"tables": {"1": "A", "2": "B"}, "times_ms": {"1": 1, "2": 2}, "meters": meters}
    assert "settlements" in play(rules, variant, hands, table=table, **apart)


def test_players_of_ultimate_share_the_flop_and_no_more():
    """Their hands are two cards of their own and the three of the flop (3:6(12))."""
    flop = "KD QD JD"
    shared = {"1": f"AD TD {flop}", "2": f"9D 8C {flop}", "3": f"AS AH {flop}"}
    assert paid("hc2023", "ultimate", shared)[0] == [2_500_000, 0, 0]
    four = {"1": f"AD TD {flop}", "2": f"AD 8C {flop}"}
    refused = ("cards_invalid", "line 1: outcome.hands.2")
    assert where("hc2023", "ultimate", four) == refused
    assert where("hc2023", "caribbean", shared) == refused
    two_flops = {**shared, "4": "KD QD 2S 3S 4S"}
    assert where("hc2023", "ultimate", two_flops) == ("cards_invalid", "line 1: outcome.hands.4")


def test_a_shoe_deals_a_card_more_than_once():
    """Multi Jack is played from several decks."""
    hands, table = {"1": "7D 7D 7D", "2": "7D 7D 7D"}, {"start": {"jackpot2": 1000}}
    when = {"times_ms": {"1": 1, "2": 2}}
    assert "settlements" in play("hc2011", "blackjack", hands, table=table, **when)


@pytest.mark.parametrize("name", ["consolation", "start"])
def test_amounts_below_nothing_are_refused(name):
    """No bonus and no start amount is less than nothing; a level can be (hc2011 3:6(11))."""
    table = {**GREEK, name: {**GREEK["consolation"], "four": -1}}
    if name == "start":
        table = {**GREEK, "start": {"jackpot": -1}}
    key = "jackpot" if name == "start" else "four"
    answer = where("gr2003", "caribbean", {"1": FOUR}, table=table)
    assert answer == ("limits_invalid", f"line 1: table.{name}.{key}")


def test_a_prize_above_the_limit_names_its_bet():
    """Above 10^15 cents no JSON reader has to be exact: 5000 times 10^12 are refused."""
    table = {"start": {"jackpot": 10**12}}
    hands, stakes = {"1": NOTHING, "2": D_LOW}, {"2": 10**12}
    answer = where("hc2011", "caribbean", hands, table=table, stakes=stakes)
    assert answer == ("limits_invalid", "line 1: bets[1]")


@pytest.mark.parametrize(
    ("variant", "hands", "meters", "where"),
    [
        ("multi_poker", {"1": AD_ROYAL}, None, "jackpot1"),
        ("multi_poker", {"1": D_LOW}, {"jackpot1": 100}, "jackpot2"),
        ("caribbean", {"1": AD_ROYAL}, {"jackpot": -100}, "jackpot"),
    ],
)
def test_a_jackpot_that_holds_nothing_is_not_lost(variant, hands, meters, where):
    """Its level and its start were forgotten: a royal flush was answered with `lose`."""
    error = play("hc2011", variant, hands, meters=meters)["error"]
    assert (error["code"], error["where"]) == ("limits_invalid", f"line 1: meters.{where}")


def test_a_bonus_beside_a_jackpot_names_both():
    """hc2011 3:2(12): 77 of hearts 150:1, and the third one Jackpot 1 of 10.00."""
    reply = play("hc2011", "blackjack", {"1": "7H 7H 7H"}, meters={"jackpot1": 1000})
    assert json_lines.as_text(reply) == (
        "1: hand 7H 7H 7H on jackpot: 150:1 + jackpot1, hc2011 3:2(12); winnings 160.00, "
        "stake 1.00 lost"
    )


def test_a_second_winner_is_not_paid_a_start_amount_that_nobody_gave():
    """hc2011 prints no start amount for Jackpot 1; the winner of another table gets it."""
    hands = {"1": AS_ROYAL, "2": AD_ROYAL}
    more = {"tables": {"1": "a", "2": "b"}, "times_ms": {"1": 1, "2": 2}}
    meters = {"jackpot1": 1000}
    refused = play("hc2011", "multi_poker", hands, meters=meters, **more)["error"]
    assert refused["where"] == "line 1: table.start.jackpot1"
    assert "jackpot1 was won by '2' and its start amount is 0 cents" in refused["message"]
    start = {"start": {"jackpot1": 500}}
    assert paid("hc2011", "multi_poker", hands, meters=meters, table=start, **more)[0] == [
        1000,
        500,
    ]


@pytest.mark.parametrize(
    ("rules", "variant", "outcome", "code_", "where"),
    [
        ("hc2023", "slots", {}, "missing_field", "outcome.won"),
        ("hc2011", "slots", {"times_ms": {"1": 0}}, "missing_field", "outcome.won"),
        ("hc2023", "blackjack", {}, "missing_field", "outcome.won"),
        (
            "hc2011",
            "caribbean",
            {"hands": {"1": NOTHING}, "won": {"1": "jackpot"}},
            "bet_not_in_round",
            "outcome.won",
        ),
    ],
)
def test_what_was_won_is_said_once(rules, variant, outcome, code_, where):
    """By `won` where no combination is printed, else by the hands; {} if nothing was."""
    record = {
        "rules": rules,
        "game": "jackpot",
        "variant": variant,
        "bets": [{"id": "1", "bet": "jackpot", "stake": 100}],
        "outcome": outcome,
    }
    refused = json_lines.answer(json.dumps(record).encode(), line=1)[0]["error"]
    assert (refused["code"], refused["where"]) == (code_, f"line 1: {where}")
