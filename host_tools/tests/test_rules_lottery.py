"""Keno and Bingo: forms and cards, pay tables as data, shared prizes, and what is refused."""

import json
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest

from tabletools.settle import json_lines

DRAWN = list(range(1, 21))


def answer(game, bets, outcome, table, rules="hc2023", **more):
    record = {
        "rules": rules,
        "game": game,
        "bets": [{"id": str(i), **bet} for i, bet in enumerate(bets)],
        "outcome": outcome,
        "table": table,
        **more,
    }
    reply, _ = json_lines.answer(json.dumps(record).encode(), line=1)
    for line in reply.get("settlements", ()):
        assert line["stake"] == line["back"] + line["live"] + line["lost"]
    return reply


def wins(*args, **more):
    return [line["win"] for line in answer(*args, **more)["settlements"]]


def code(*args, **more):
    return answer(*args, **more)["error"]["code"]


def form(marked, stake=200):
    return {"bet": "numbers", "on": list(marked), "stake": stake}


PAYS = {"5": {"3": 2, "4": 12, "5": 800}, "1": {"1": [5, 2]}, "20": {"20": 100000}}


def keno(forms, drawn=DRAWN, table=None, **more):
    return wins("keno", forms, {"drawn": drawn}, table or {"pays": PAYS}, **more)


@pytest.mark.parametrize("rules", ["hc2011", "hc2023"])
@pytest.mark.parametrize(
    ("marked", "win"),
    [
        ((1, 2, 3, 4, 5), 160_000),
        ((1, 2, 3, 4, 80), 2_400),
        ((1, 2, 3, 40, 80), 400),
        ((1, 2, 30, 40, 80), 0),
        ((7,), 500),
        ((70,), 0),
        ((1, 2), 0),
    ],
)
def test_keno_pays_by_marked_and_hit(rules, marked, win):
    """5:2(3), hc2011 4:3(4): times the stake; the stake is the price of the form."""
    assert keno([form(marked)], rules=rules) == [win]
    [line] = answer("keno", [form(marked)], {"drawn": DRAWN}, {"pays": PAYS})["settlements"]
    assert (line["back"], line["lost"]) == (0, 200)


def test_return_of_a_keno_table_is_exact():
    """Five marked: C(20,h) C(60,5-h) of C(80,5) ways for each number of hits, by enumeration."""
    paid = 0
    for hits in range(6):
        marked = [*range(1, hits + 1), *range(21, 26 - hits)]
        paid += comb(20, hits) * comb(60, 5 - hits) * keno([form(marked)])[0]
    wanted = 2 * Fraction(1140 * 1770, 24040016) + 12 * Fraction(4845 * 60, 24040016)
    wanted += 800 * Fraction(15504, 24040016)
    assert Fraction(paid, 200 * comb(80, 5)) == wanted


def test_keno_series():
    """A form stakes all games of a series at once, and wins in each."""
    other = list(range(41, 61))
    assert keno([form((1, 2, 3, 4, 80), 600)], [DRAWN, other, DRAWN]) == [4_800]
    table = {"pays": PAYS}
    series = {"drawn": [DRAWN, other]}
    assert code("keno", [form((1,), 201)], series, table) == "not_whole_cents"
    assert code("keno", [form((1,), 201)], {"drawn": DRAWN}, table) == "not_whole_cents"


def test_a_keno_series_draw_by_draw_comes_to_what_it_does_at_once():
    """As the series above: three games at EUR 2.00, hit, none, hit: 2,400 + 0 + 2,400."""
    none, stake, state, won, left = list(range(60, 80)), 600, None, [], []
    for drawn in (DRAWN, none, DRAWN):
        bet = {**form((1, 2, 3, 4, 80), stake), "games": 3, "state": state}
        [line] = answer("keno", [bet], {"drawn": drawn}, {"pays": PAYS})["settlements"]
        assert line["lost"] == 200
        won.append(line["win"])
        left.append((line["live"], line["state"]))
        stake, state = line["live"], line["state"]
    assert (won, left) == ([2_400, 0, 2_400], [(400, "games2"), (200, "games1"), (0, None)])


@pytest.mark.parametrize(
    ("bet", "drawn", "wanted"),
    [
        ({"games": 3, "state": "games3"}, DRAWN, "state_not_possible"),
        ({"state": "games1"}, DRAWN, "state_not_possible"),
        ({"games": 3, "state": "prison1"}, DRAWN, "state_not_possible"),
        ({"games": 3}, [DRAWN, DRAWN], "state_not_possible"),
        ({"games": 21}, DRAWN, "selection_invalid"),
        ({"games": 7}, DRAWN, "not_whole_cents"),
    ],
)
def test_a_keno_form_that_is_no_part_of_a_series(bet, drawn, wanted):
    """Games that are not left, several draws at once, a stake that does not divide."""
    assert code("keno", [{**form((1,), 600), **bet}], {"drawn": drawn}, {"pays": PAYS}) == wanted


def test_keno_limits_of_hc2011():
    """4:3(8): EUR 0.50 at least, EUR 25,000 at most; hc2023 prints neither."""
    five, table = (1, 2, 3, 4, 5), {"pays": PAYS}
    assert keno([form(five, 4_000)], rules="hc2011") == [2_500_000]
    assert keno([form(five, 4_000)], rules="hc2023") == [3_200_000]
    assert keno([form(five, 4_000)], table={**table, "maximum_payment": 1_000}) == [1_000]
    none = {**table, "maximum_payment": -1}
    assert code("keno", [form(five, 4_000)], {"drawn": DRAWN}, none) == "limits_invalid"
    low = [form(five, 49)]
    assert code("keno", low, {"drawn": DRAWN}, table, rules="hc2011") == "below_minimum"
    assert keno([form(range(1, 21), 1)], table=table) == [100_000]


@pytest.mark.parametrize(
    ("bets", "drawn", "pays", "wanted"),
    [
        ([form(())], DRAWN, PAYS, "selection_invalid"),
        ([form(range(1, 17))], DRAWN, PAYS, "selection_invalid"),
        ([form((2, 1))], DRAWN, PAYS, "selection_invalid"),
        ([form((1, 1))], DRAWN, PAYS, "selection_invalid"),
        ([form((0, 1))], DRAWN, PAYS, "selection_invalid"),
        ([form((81,))], DRAWN, PAYS, "selection_invalid"),
        ([form(("1",))], DRAWN, PAYS, "wrong_type"),
        ([form((1,))], DRAWN[:19], PAYS, "deal_not_by_rule"),
        ([form((1,))], [*DRAWN, 21], PAYS, "deal_not_by_rule"),
        ([form((1,))], [*DRAWN[:19], 1], PAYS, "deal_not_by_rule"),
        ([form((1,))], [*DRAWN[:19], 81], PAYS, "deal_not_by_rule"),
        ([form((1,))], DRAWN, None, "limits_invalid"),
        ([form((1,))], DRAWN, {"2": {"3": 1}}, "limits_invalid"),
        ([form((1,))], DRAWN, {"16": {"3": 1}}, "limits_invalid"),
        ([form((1,))], DRAWN, {"2": {"2": 0}}, "limits_invalid"),
        ([{**form((1,)), "bet": "keno"}], DRAWN, PAYS, "unknown_bet"),
        ([form((1,), 10**12)], DRAWN, {"1": {"1": 1001}}, "limits_invalid"),
    ],
    ids=str,
)
def test_keno_refuses(bets, drawn, pays, wanted):
    """Forms, draws and pay tables that cannot be."""
    assert code("keno", bets, {"drawn": drawn}, {"pays": pays}) == wanted
    bets = [form((1,))]
    assert code("keno", bets, {"drawn": drawn}, {"pays": PAYS}, rules="gr2003") == (
        "game_not_in_rules"
    )


def test_a_keno_fault_returns_the_forms():
    """A missing ball: no game."""
    [line] = answer("keno", [form((1,))], {"void": "ball_missing"}, {"pays": PAYS})["settlements"]
    assert (line["outcome"], line["back"]) == ("void", 200)


B75 = [
    [1, 16, 31, 46, 61],
    [2, 17, 32, 47, 62],
    [3, 18, 0, 48, 63],
    [4, 19, 33, 49, 64],
    [5, 20, 34, 50, 65],
]
B80 = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]
B90 = [
    [1, 0, 21, 0, 41, 0, 61, 0, 81],
    [0, 12, 0, 32, 0, 52, 0, 72, 82],
    [3, 0, 23, 0, 43, 0, 63, 74, 0],
]


def card(rows, player=None, **more):
    return {"bet": "card", "on": rows, "stake": 200, "player": player, **more}


def bingo(cards, drawn, variant, **table):
    table = {"prize": 60_000, **table}
    return wins("bingo", cards, {"drawn": drawn}, table, variant=variant)


PATTERNS = [
    ("75", B75, "row", [3, 18, 48, 63]),
    ("75", B75, "row", [64, 4, 19, 33, 49]),
    ("75", B75, "column", [1, 2, 3, 4, 5]),
    ("75", B75, "column", [31, 32, 33, 34]),
    ("75", B75, "x", [1, 61, 17, 47, 19, 49, 5, 65]),
    ("75", B75, "frame", [1, 2, 3, 4, 5, 16, 31, 46, 61, 62, 63, 64, 65, 20, 34, 50]),
    ("75", B75, "black_out", [n for row in B75 for n in row if n]),
    ("80", B80, "row", [13, 14, 15, 16]),
    ("80", B80, "x", [1, 6, 11, 16, 4, 7, 10, 13]),
    ("80", B80, [[1, 1], [4, 4]], [16, 1]),
    ("90", B90, "row", [1, 21, 41, 61, 81]),
    ("90", B90, "full_card", [n for row in B90 for n in row if n]),
]


@pytest.mark.parametrize(("variant", "rows", "pattern", "drawn"), PATTERNS)
def test_bingo_patterns(variant, rows, pattern, drawn):
    """5:1(8): the last ball completes it, no ball before does."""
    assert bingo([card(rows)], drawn, variant, pattern=pattern) == [60_000]
    table = {"pattern": pattern, "prize": 60_000}
    short, extra = {"drawn": drawn[:-1]}, {"drawn": [*drawn, 60]}
    assert code("bingo", [card(rows)], short, table, variant=variant) == "deal_incomplete"
    assert code("bingo", [card(rows)], extra, table, variant=variant) == "deal_not_by_rule"


def test_bingo_shared_prize():
    """5:1(10): players share equally; a player's part is over his cards."""
    flipped = [row[::-1] for row in B80]
    last = [B80[1], B80[0], *B80[2:]]
    none = [[n + 20 for n in row] for row in B80]
    cards = [card(B80, "p"), card(flipped, "q"), card(last, "q"), card(none, "r")]
    drawn = [1, 2, 3, 4]
    assert bingo(cards, drawn, "80", pattern="row") == [30_000, 15_000, 15_000, 0]
    settled = bingo(cards, drawn, "80", pattern="row", share_by_card=True)
    assert settled == [20_000, 20_000, 20_000, 0]
    table = {"pattern": "row", "prize": 50_001}
    assert code("bingo", cards, {"drawn": drawn}, table, variant="80") == "not_whole_cents"


def test_whose_a_card_is_and_of_which_round_decides_and_is_given():
    """5:1(6), (10): two winners without a player, and a card without the round others have."""
    flipped = [row[::-1] for row in B80]
    table, drawn = {"pattern": "row", "prize": 60_000}, {"drawn": [1, 2, 3, 4]}
    more = {"variant": "80"}
    assert code("bingo", [card(B80, "p"), card(flipped)], drawn, table, **more) == "missing_field"
    by_card = {**table, "share_by_card": True}
    assert "settlements" in answer("bingo", [card(B80), card(flipped)], drawn, by_card, **more)
    red = [card(B80, "p", round="red"), card(flipped, "q")]
    assert code("bingo", red, drawn, table, **more, round="red") == "missing_field"
    assert code("bingo", red, drawn, table, **more) == "missing_field"


def test_a_card_of_another_round_does_not_play():
    """5:1(6): void without refund."""
    cards = [card(B80, round="blue"), card(B80[::-1], round="red")]
    table = {"pattern": "row", "prize": 60_000}
    outcome = {"drawn": [1, 2, 3, 4]}
    reply = answer("bingo", cards, outcome, table, variant="80", round="red")
    results = [(line["win"], line["lost"], line["rule"]) for line in reply["settlements"]]
    assert results == [(0, 200, "hc2023 5:1(6)"), (60_000, 200, "hc2023 5:1(9)")]


@pytest.mark.parametrize(
    ("rows", "drawn", "pattern", "variant", "wanted"),
    [
        (B80, [1, 2, 3, 4], "row", "75", "selection_invalid"),
        ([*B75[:2], [3, 18, 33, 48, 63], *B75[3:]], [1], "row", "75", "selection_invalid"),
        ([[1, 1, 3, 4], *B80[1:]], [1], "row", "80", "selection_invalid"),
        ([[81, 2, 3, 4], *B80[1:]], [1], "row", "80", "selection_invalid"),
        ([[1, 2, 21, 0, 41, 0, 61, 0, 81], *B90[1:]], [1], "row", "90", "selection_invalid"),
        ([1, 2, 3], [1], "row", "80", "wrong_type"),
        (B80, [1, 1, 2, 3, 4], "row", "80", "deal_not_by_rule"),
        (B80, [81, 1, 2, 3, 4], "row", "80", "deal_not_by_rule"),
        (B80, [], "row", "80", "deal_incomplete"),
        (B90, [1], "x", "90", "limits_invalid"),
        (B80, [1], "star", "80", "limits_invalid"),
        (B80, [1], [[5, 1]], "80", "limits_invalid"),
        (B80, [1], [], "80", "limits_invalid"),
        (B80, [1], "row", "60", "unknown_variant"),
    ],
    ids=str,
)
def test_bingo_refuses(rows, drawn, pattern, variant, wanted):
    """Cards, balls and patterns that cannot be."""
    table = {"pattern": pattern, "prize": 60_000}
    assert code("bingo", [card(rows)], {"drawn": drawn}, table, variant=variant) == wanted


# --- hc2023 5:2(6), hc2011 4:3(7): groups and long series ----------------------------------------

WAYS = {"2": {"2": 12}, "4": {"4": 100, "2": 1}, "6": {"6": 1000, "4": 5}}
GROUPS = {"bet": "numbers", "groups": [[1, 2], [3, 4], [70, 71]]}


@pytest.mark.parametrize(
    ("rules", "names"), [("hc2023", "5:2(6) 5:2(3)"), ("hc2011", "4:3(7) 4:3(4)")]
)
@pytest.mark.parametrize(
    ("ways", "stake", "win"),
    [
        # Two of three pairs hit: 12 times each part.
        (None, 600, 2 * 12 * 200),
        ([1], 600, 2 * 12 * 200),
        # Three sets of two pairs: 4 of 4, and twice 2 of 4.
        ([2], 600, 100 * 200 + 2 * 200),
        ([1, 2], 1200, 2 * 12 * 200 + 100 * 200 + 2 * 200),
        ([1, 2, 3], 1400, 2 * 12 * 200 + 100 * 200 + 2 * 200 + 5 * 200),
    ],
)
def test_every_set_of_groups_is_a_form_of_its_own(ways, stake, win, rules, names):
    """By hand: 1 2 3 4 are drawn, 70 71 are not; a set has 2.00."""
    bet = {**GROUPS, "stake": stake, **({"ways": ways} if ways else {})}
    [line] = answer("keno", [bet], {"drawn": DRAWN}, {"pays": WAYS}, rules=rules)["settlements"]
    assert (line["win"], line["lost"]) == (win, stake)
    assert line["paragraphs"] == [f"{rules} {name}" for name in names.split()]


def test_groups_pay_what_their_forms_pay_alone():
    """All sets of four groups, each as a form with its part of the stake."""
    groups = [[1, 50], [2, 60], [3, 4], [21, 5]]
    together = {"bet": "numbers", "groups": groups, "ways": [2, 3], "stake": 10 * 300}
    alone = [
        form(sorted(number for group in some for number in group), 300)
        for way in (2, 3)
        for some in combinations(groups, way)
    ]
    assert keno([together], table={"pays": WAYS}) == [sum(keno(alone, table={"pays": WAYS}))]


def test_the_highest_payment_is_of_all_sets_of_a_game_together():
    """hc2011 4:3(8): EUR 25,000; 4:3(7) is cited behind it."""
    bet = {**GROUPS, "ways": [2], "stake": 3 * 100_000}
    [line] = answer("keno", [bet], {"drawn": DRAWN}, {"pays": WAYS}, rules="hc2011")["settlements"]
    assert (line["win"], line["paragraphs"]) == (
        2_500_000,
        ["hc2011 4:3(8)", "hc2011 4:3(7)", "hc2011 4:3(4)"],
    )


@pytest.mark.parametrize(
    ("bet", "wanted"),
    [
        ({"groups": [[1, 2]], "stake": 600}, "selection_invalid"),
        ({"groups": [[1, 2], [3]], "stake": 600}, "selection_invalid"),
        ({"groups": [[1, 2], [2, 3]], "stake": 600}, "selection_invalid"),
        ({"groups": [[], []], "stake": 600}, "selection_invalid"),
        ({"groups": [[1, 2], [3, 4]], "ways": [], "stake": 600}, "selection_invalid"),
        ({"groups": [[1, 2], [3, 4]], "ways": [3], "stake": 600}, "selection_invalid"),
        ({"groups": [[1, 2], [3, 4]], "ways": [0, 1], "stake": 600}, "selection_invalid"),
        ({"groups": [[1, 2], [3, 4]], "ways": [2, 1], "stake": 600}, "selection_invalid"),
        ({"groups": [[n] for n in range(1, 41)], "ways": [3], "stake": 600}, "selection_invalid"),
        ({"groups": [[1, 2], [3, 4]], "on": [1, 2], "stake": 600}, "selection_invalid"),
        ({"stake": 600}, "selection_invalid"),
        ({"on": [1, 2], "ways": [1], "stake": 600}, "selection_invalid"),
        ({"groups": [[1, 2], [3, 4], [5, 6]], "stake": 500}, "not_whole_cents"),
    ],
)
def test_groups_that_are_no_form(bet, wanted):
    bet = {"bet": "numbers", **bet}
    assert code("keno", [bet], {"drawn": DRAWN}, {"pays": WAYS}) == wanted


def test_a_set_costs_at_least_the_minimum():
    """hc2011 4:3(8): EUR 0.50 for each card or combination; at a table its own minimum."""
    bet = {**GROUPS, "ways": [1, 2], "stake": 6 * 49}
    assert code("keno", [bet], {"drawn": DRAWN}, {"pays": WAYS}, rules="hc2011") == "below_minimum"
    at_table = {"pays": WAYS, "minimum": 100}
    for cents, wanted in ((99, "below_minimum"), (150, "not_a_multiple")):
        assert code("keno", [{**bet, "stake": 6 * cents}], {"drawn": DRAWN}, at_table) == wanted
    assert code("keno", [{**bet, "ways": [1, 3], "stake": 400}], {"drawn": DRAWN},
                {"pays": {"2": {"2": 12}}, "minimum": 100}) == "bet_not_offered"  # fmt: skip


def test_a_series_longer_than_twenty():
    """Where the table has them: 25 games, one drawn, 24 to come; 51 are above its 50."""
    bet = {**form((7,)), "games": 25, "stake": 25 * 200}
    assert code("keno", [bet], {"drawn": DRAWN}, {"pays": PAYS}) == "selection_invalid"
    table = {"pays": PAYS, "longest_series": 50}
    [line] = answer("keno", [bet], {"drawn": DRAWN}, table)["settlements"]
    assert (line["win"], line["live"], line["state"]) == (500, 24 * 200, "games24")
    last = {**bet, "stake": 200, "state": "games1"}
    [line] = answer("keno", [last], {"drawn": DRAWN}, table)["settlements"]
    assert (line["win"], line["live"], line["state"]) == (500, 0, None)
    above = {**bet, "games": 51, "stake": 51 * 200}
    assert code("keno", [above], {"drawn": DRAWN}, table) == "selection_invalid"
    for longest in (0, 2001):
        table["longest_series"] = longest
        assert code("keno", [bet], {"drawn": DRAWN}, table) == "limits_invalid"


# --- hc2023 5:1(9): jackpots of Bingo ------------------------------------------------------------

FIRST_ROW = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]


@pytest.mark.parametrize(
    ("balls", "won"),
    [(5, 50_000 + 100_000 + 7_000), (6, 50_000 + 7_000), (7, 50_000 + 7_000), (8, 50_000)],
)
def test_a_bingo_with_few_balls_wins_jackpots(balls, won):
    """EUR 1,000.00 for five balls at most, EUR 70.00 for seven, beside the prize of 500.00."""
    drawn = [1, 2, 3, *range(50, 50 + balls - 4), 4]
    jackpots = [{"balls": 5, "amount": 100_000}, {"balls": 7, "amount": 7_000}]
    table = {"pattern": "row", "prize": 50_000, "jackpots": jackpots}
    assert bingo([card(FIRST_ROW)], drawn, "80", **table) == [won]


def test_players_who_win_a_jackpot_at_the_same_time_share_it():
    """5:1(10): equally; an odd cent is refused unless the table rounds it up."""
    drawn, jackpot = [1, 2, 3, 4], [{"balls": 4, "amount": 30_001}]
    cards = [card(FIRST_ROW, "p"), card(FIRST_ROW, "q")]
    table = {"pattern": "row", "prize": 50_001, "jackpots": jackpot}
    reply = answer("bingo", cards, {"drawn": drawn}, table, variant="80")["settlements"]
    assert [line["win"] for line in reply] == [40_001, 40_001]
    assert reply[0]["paragraphs"] == ["hc2023 5:1(10)", "hc2023 5:1(9)"]
    table["prize"] = 50_000
    assert code("bingo", cards, {"drawn": drawn}, table, variant="80") == "not_whole_cents"


@pytest.mark.parametrize("balls", [0, 81])
def test_jackpots_of_no_number_of_balls(balls):
    table = {"pattern": "row", "prize": 100, "jackpots": [{"balls": balls, "amount": 1}]}
    error = answer("bingo", [], {"drawn": []}, table, variant="80")["error"]
    assert (error["code"], error["where"]) == (
        "limits_invalid",
        "line 1: table.jackpots[0].balls",
    )


def test_multi_poker_is_caribbean_stud():
    """hc2011 3:9(1): the same lines for the same cards, by 3:6 and what applies it."""
    bets = [{"bet": "ante", "stake": 500}, {"bet": "bet", "stake": 1000}]
    hands = ("9S 9H 9D AC KS", "AS KH QD JC 9C", "AS 9S 7S 4S 2S")
    for hand in hands:
        outcome = {"player": hand, "bank": "AH KD 4D 3C 2H"}
        replies = [
            answer(game, bets, outcome, None, rules="hc2011")
            for game in ("multi_poker", "caribbean")
        ]
        for line in replies[0]["settlements"]:
            assert line["paragraphs"].pop() == "hc2011 3:9(1)"
        assert replies[0] == replies[1]
    assert code("multi_poker", bets, {"void": "x"}, None) == "game_not_in_rules"
