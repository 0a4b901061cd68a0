"""Card games bet by bet: drawing rules, states, what a fault leaves decided, what is refused."""

from itertools import product

import pytest

from tabletools.rules.cards import higher_of
from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import settle_record

CARD = {0: "K", 1: "A", **{n: str(n) for n in range(2, 10)}}


def lines(game, edition, outcome, *bets, **more):
    record = {
        "rules": edition,
        "game": game,
        "bets": [{"id": str(i), "player": "p", "stake": 200, **bet} for i, bet in enumerate(bets)],
        "outcome": outcome,
        **more,
    }
    settled = settle_record(record)
    for line in settled:
        assert line.stake == line.back + line.live + line.lost
    return settled


def refusal(game, edition, outcome, *bets, **more):
    with pytest.raises(RuleViolation) as error:
        lines(game, edition, outcome, *bets, **more)
    return error.value.code.name, error.value.where


def money(line):
    return line.outcome, line.win, line.back, line.live, line.lost, line.state


def punto(outcome, *bets, edition="hc2023", **more):
    return lines("punto_banco", edition, outcome, *({"bet": bet} for bet in bets), **more)


def hands(own, bank):
    return {"punto": own, "banco": bank}


def written(points):
    return " ".join(CARD[value] + "S" for value in points)


# Rulebook 9.9 as printed: bank's points -> third cards of the punto on which the bank draws.
TABLEAU = {0: "0123456789", 1: "0123456789", 2: "0123456789", 3: "012345679", 4: "234567"}
TABLEAU |= {5: "4567", 6: "67", 7: ""}


def is_complete(own, bank):
    """Whether the drawing rules end a round with these cards, read off the rulebook's tables."""
    p, b = sum(own[:2]) % 10, sum(bank[:2]) % 10
    if p >= 8 or b >= 8:
        return len(own) == len(bank) == 2
    if p >= 6:
        return len(own) == 2 and len(bank) == (3 if b <= 5 else 2)
    drawn = len(own) == 3 and str(own[2]) in TABLEAU[b]
    return len(own) == 3 and len(bank) == (3 if drawn else 2)


def test_9_9_only_complete_rounds_are_settled():
    """Every pair of totals with every third card: settled when the tables end it there."""
    for p, b, third, fourth in product(range(10), range(10), [None, *range(10)], [None, 0, 5]):
        own = (0, p) if third is None else (0, p, third)
        bank = (0, b) if fourth is None else (0, b, fourth)
        outcome = hands(written(own), written(bank))
        if not is_complete(own, bank):
            code, where = refusal("punto_banco", "hc2023", outcome)
            assert code in ("deal_incomplete", "deal_not_by_rule"), outcome
            assert where == "outcome"
            continue
        total, bank_total = sum(own) % 10, sum(bank) % 10
        side, other, tie = punto(outcome, "punto", "banco", "egalite")
        if total == bank_total:
            assert (side.outcome, other.outcome, tie.win) == ("push", "push", 1600)
        else:
            won, lost = (side, other) if total > bank_total else (other, side)
            paid = 100 if won is other and bank_total == 5 else 200
            assert (won.win, won.back, lost.lost, tie.lost) == (paid, 200, 200, 200)


def test_9_9_what_the_bank_pays():
    """19/20 in the commission game, half on five in Straight, evens else."""
    five, six = hands("KH 4D 9C", "5H KC"), hands("KH 6D", "7H KC")
    five = hands("KH AD 3C", "5H KC")
    for edition, variant, on_five, on_six in (
        ("hc2011", "commission", 190, 190),
        ("hc2011", "straight", 100, 200),
        ("hc2023", "straight", 100, 200),
        ("hc2023", None, 100, 200),
    ):
        for outcome, paid in ((five, on_five), (six, on_six)):
            [line] = punto(outcome, "banco", edition=edition, variant=variant)
            assert (line.outcome, line.win, line.back) == ("win", paid, 200)


ARTICLES = [
    ("punto_banco", "hc2011", "straight", {"bet": "punto"}, hands("9H KD", "8H KD"), "3:3(1)"),
    ("punto_banco", "hc2011", "straight", {"bet": "punto"}, hands("9H KD", "9C KD"), "3:3(3)"),
    ("punto_banco", "hc2011", "straight", {"bet": "punto"}, {"void": "jam"}, "3:1(7)"),
    ("punto_banco", "hc2023", None, {"bet": "egalite"}, hands("9H KD", "9C KD"), "3:3(3)"),
    ("punto_banco", "hc2023", None, {"bet": "punto_pair"}, hands("9H KD", "9C KD"), "3:3(4)"),
    (
        "punto_banco",
        "hc2023",
        None,
        {"bet": "super_egalite", "on": [9]},
        hands("9H KD", "9C KD"),
        "3:3(5)",
    ),
    ("punto_banco", "hc2023", None, {"bet": "banco"}, {"void": "jam"}, "3:1(7)"),
    ("baccarat", "de-live", None, {"bet": "tie"}, {"player": "9H KD", "banker": "9C KD"}, "2.2"),
    (
        "baccarat",
        "de-live",
        None,
        {"bet": "player"},
        {"player": "9H KD", "banker": "9C KD"},
        "2.1.5",
    ),
    ("baccarat", "de-live", None, {"bet": "player"}, {"void": "system"}, "2.1.8"),
    ("high_low", "hc2011", None, {"bet": "high"}, {"communal": "9H", "bank": "8H"}, "3:3(7)"),
    ("high_low", "hc2011", None, {"bet": "high"}, {"void": "jam"}, "3:1(7)"),
    ("red_dog", "hc2011", None, {"bet": "bet"}, {"cards": "4H 9C 7D"}, "3:4(3)"),
    ("red_dog", "hc2011", None, {"bet": "bet"}, {"cards": "4H 9C 9D"}, "3:4(4)"),
    ("red_dog", "hc2011", None, {"bet": "bet"}, {"cards": "4H 5C"}, "3:4(4)"),
    ("red_dog", "hc2011", None, {"bet": "bet"}, {"cards": "4H 4C 9D"}, "3:4(5)"),
    ("red_dog", "hc2011", None, {"bet": "bet"}, {"void": "jam"}, "3:1(7)"),
    ("casino_war", "hc2023", None, {"bet": "bet"}, {"player": "AH", "bank": "KH"}, "3:9(3)"),
    ("casino_war", "hc2023", None, {"bet": "bet"}, {"player": "QH", "bank": "KH"}, "3:9(4)"),
    ("casino_war", "hc2023", None, {"bet": "bet"}, {"player": "KC", "bank": "KH"}, "3:9(5)"),
    ("casino_war", "hc2023", None, {"bet": "bet"}, {"void": "jam"}, "3:1(7)"),
]


@pytest.mark.parametrize(("game", "edition", "variant", "bet", "outcome", "article"), ARTICLES)
def test_each_line_names_its_article(game, edition, variant, bet, outcome, article):
    """Edition and article; de-live by its chapter."""
    [line] = lines(game, edition, outcome, bet, variant=variant)
    chapter = "de-live Bac" if edition == "de-live" else edition
    assert line.rule == f"{chapter} {article}"
    assert (line.outcome == "void") == ("void" in outcome)


PUNTO_BETS = ("punto", "banco", "egalite", "punto_pair", "banco_pair")
WON, LOST, PUSH, BACK = ("win",), ("lose",), ("push",), ("void",)
# 3:1(7): what the cards dealt until the fault decide.
FAULTS = [
    ({}, "void void void void void"),
    (hands("KH", "5C"), "void void void void void"),
    (hands("KH KD", "5C"), "void void void win void"),
    (hands("KH QD", "5C"), "void void void lose void"),
    (hands("KH KD", "5C 5D"), "void void void win win"),
    # The natural has ended the round, and the fault came after it.
    (hands("KH 9D", "5C 5D"), "win lose lose lose win"),
    # A natural eight waits for the bank's second card, which may still tie or beat it.
    (hands("KH 8D", "5C"), "void void void lose void"),
    # The punto has drawn to 7; the bank has 3 and draws: everything but pairs is open.
    (hands("KH 2D 5C", "3C KD"), "void void void lose lose"),
    # The punto stands on 6; the bank has 7, which ended the round.
    (hands("KH 6D", "7C KD"), "lose win lose lose lose"),
]


@pytest.mark.parametrize(("dealt", "wanted"), FAULTS, ids=str)
def test_3_1_7_a_fault_leaves_what_is_decided(dealt, wanted):
    """Decided bets keep their result, the others are returned (READING-55)."""
    settled = punto({**dealt, "void": "shuffler_jam"}, *PUNTO_BETS)
    assert [line.outcome for line in settled] == wanted.split()
    for line in settled:
        if line.outcome == "void":
            assert (line.back, line.win, line.rule) == (200, 0, "hc2023 3:1(7)")


def test_3_1_7_a_tie_that_can_no_longer_come_is_lost():
    """The punto ends with 7, so of the Super Egalité only the 7 is open."""
    outcome = {**hands("KH 2D 5C", "3C KD"), "void": "jam"}
    bets = [{"bet": "super_egalite", "on": [points]} for points in range(10)]
    settled = [line.outcome for line in lines("punto_banco", "hc2023", outcome, *bets)]
    assert settled == ["lose"] * 7 + ["void"] + ["lose"] * 2


def test_3_1_7_other_games():
    """Red Dog: two consecutive cards are decided. One card each decides nothing alone."""
    jam = {"void": "jam"}
    for cards, wanted in (
        ("4H 5C", "push"),
        ("4H 9C", "void"),
        ("4H", "void"),
        ("4H 9C 5D", "win"),
    ):
        [line] = lines("red_dog", "hc2011", {"cards": cards, **jam}, {"bet": "bet"})
        assert line.outcome == wanted, cards
    [line] = lines("high_low", "hc2011", {"communal": "2H", **jam}, {"bet": "high"})
    # A two can be equal or lower: High can no longer win, but may be locked.
    assert line.outcome == "void"
    [line] = lines("casino_war", "hc2023", {"bank": "AH", **jam}, {"bet": "bet"})
    assert line.outcome == "void"


def test_2_1_8_de_live_an_interruption_voids_all():
    """All payments and games are invalid, the decided ones too (READING-20)."""
    outcome = {"player": "9H KD", "banker": "8C KD", "void": "system_interruption"}
    bets = [{"bet": bet} for bet in ("player", "banker", "tie")]
    settled = lines("baccarat", "de-live", outcome, *bets)
    assert {money(line) for line in settled} == {("void", 0, 200, 0, 0, None)}


def test_9_10_high_low_locks_until_high_or_low_wins():
    """Equal cards lock; the own side then gives the stake back, the other takes it."""
    names = ("high", "low", "egalite")
    equal, higher = ({"communal": own, "bank": "7D"} for own in ("7H", "AH"))
    first = lines("high_low", "hc2011", equal, *({"bet": name} for name in names))
    locked = ("prison", 0, 0, 200, 0, "locked")
    assert [money(line) for line in first] == [locked, locked, ("win", 2000, 0, 200, 0, "locked")]
    held = [{"bet": name, "state": "locked"} for name in names]
    assert [money(line) for line in lines("high_low", "hc2011", equal, *held)] == (
        [money(line) for line in first]
    )
    last = lines("high_low", "hc2011", higher, *held)
    lost = ("lose", 0, 0, 0, 200, None)
    assert [money(line) for line in last] == [("push", 0, 200, 0, 0, None), lost, lost]
    assert refusal("high_low", "hc2011", higher, *held, {"bet": "low"}) == (
        ("bet_not_in_round", "bets[3]")
    )


SPREADS = [("4H 6C 5D", 5), ("4H 7C 5D", 4), ("8C 4H 6D", 2), ("4H 9C 6D", 1), ("2H AC KD", 1)]


@pytest.mark.parametrize(("cards", "odds"), SPREADS)
def test_9_8_red_dog_pays_by_the_spread(cards, odds):
    """5, 4, 2 and 1 to one, on the bet and the extra bet; outside and equal lose both."""
    for third, won in ((cards[-2:], odds), (cards[:1] + "S", None), (cards[3:4] + "S", None)):
        outcome = {"cards": cards[:-2] + third}
        for line in lines("red_dog", "hc2011", outcome, {"bet": "bet"}, {"bet": "extra"}):
            assert line.win == 200 * (won or 0)
            assert line.lost == (0 if won else 200)


def test_9_8_red_dog_pairs_and_neighbours():
    """A third of the pair pays 11:1, else undecided, as are neighbours; the ace is high."""
    for cards, wanted in (
        ("8H 8C 8D", ("win", 2200, 200)),
        ("8H 8C 9D", ("push", 0, 200)),
        ("KH AC", ("push", 0, 200)),
        ("KH AC 3D", ("push", 0, 200)),
        ("AH 2C AD", ("lose", 0, 0)),
    ):
        [line] = lines("red_dog", "hc2011", {"cards": cards}, {"bet": "bet"})
        assert (line.outcome, line.win, line.back) == wanted, cards


def test_9_8_extra_bets():
    """Only beside a bet and with a place between; READING-53: any height, or up to the bet."""
    extra, place = {"bet": "extra"}, "bets[1]"
    for cards in ("8H 8C 8D", "KH AC"):
        reason = refusal("red_dog", "hc2011", {"cards": cards}, {"bet": "bet"}, extra)
        assert reason == ("bet_not_in_round", place)
    good = {"cards": "4H 9C 7D"}
    for first in ({"bet": "bet", "player": "q"}, {"bet": "extra", "player": "q"}):
        assert refusal("red_dog", "hc2011", good, first, extra)[0] == "bet_not_in_round"
    table = {"minimum": 200, "maximum": {}}
    more = {"bet": "extra", "stake": 400}
    assert len(lines("red_dog", "hc2011", good, {"bet": "bet"}, more, table=table)) == 2
    table["extra_up_to_bet"] = True
    assert refusal("red_dog", "hc2011", good, {"bet": "bet"}, more, table=table) == (
        ("above_maximum", "bets[1].stake")
    )
    assert len(lines("red_dog", "hc2011", good, {"bet": "bet"}, extra, table=table)) == 2


EQUAL, HIGHER, LOWER = ({"player": own, "bank": "KD"} for own in ("KH", "AH", "QH"))


def test_9_7_the_tie_loses_by_the_article_of_its_case():
    """Higher by 3:9(3), lower by 3:9(4), equal 10:1 by 3:9(5)."""
    for outcome, article in ((HIGHER, "3:9(3)"), (LOWER, "3:9(4)"), (EQUAL, "3:9(5)")):
        line = lines("casino_war", "hc2023", outcome, {"bet": "bet"}, {"bet": "tie"})[1]
        assert line.rule == f"hc2023 {article}"


@pytest.mark.parametrize("outcome", [EQUAL, HIGHER])
@pytest.mark.parametrize(("bet", "tie"), [("war", "surrender"), ("war", None), (None, "war")])
def test_9_7_a_player_goes_to_war_with_all_his_stakes_or_none(outcome, bet, tie):
    """Else the tie stake is returned out of a war, or stays live in a war without players."""
    bets = {"bet": "bet", "choice": bet}, {"bet": "tie", "choice": tie}
    reason = refusal("casino_war", "hc2023", outcome, *bets)
    assert reason == ("bet_not_in_round", "bets[1].choice")


def test_9_7_casino_war_equal_cards():
    """Surrender returns half, a war holds both stakes; the tie is paid either way."""
    for choice, bet, tie in (
        (None, ("half", 0, 100, 0, 100, None), ("win", 2000, 200, 0, 0, None)),
        ("surrender", ("half", 0, 100, 0, 100, None), ("win", 2000, 200, 0, 0, None)),
        ("war", ("stand", 0, 0, 200, 0, "war"), ("win", 2000, 0, 200, 0, "war")),
    ):
        bets = [{"bet": name, "choice": choice} for name in ("bet", "tie")]
        settled = lines("casino_war", "hc2023", EQUAL, *bets)
        assert [money(line) for line in settled] == [bet, tie]


@pytest.mark.parametrize(
    ("outcome", "bet", "second", "tie"),
    [
        (HIGHER, ("push", 0), ("win", 200), ("lose", 0)),
        (EQUAL, ("push", 0), ("win", 200), ("win", 2000)),
        (LOWER, ("lose", 0), ("lose", 0), ("lose", 0)),
    ],
)
def test_9_7_casino_war_a_war(outcome, bet, second, tie):
    """Two stakes become three, or both are lost; READING-26 for the tie stake."""
    bets = [{"bet": "bet", "state": "war"}, {"bet": "war"}, {"bet": "tie", "state": "war"}]
    settled = lines("casino_war", "hc2023", outcome, *bets)
    assert [(line.outcome, line.win) for line in settled] == [bet, second, tie]
    tie_table = {"table": {"minimum": 200, "tie_kept": True}}
    third = lines("casino_war", "hc2023", outcome, *bets, **tie_table)[2]
    assert third.outcome == ("push" if outcome is HIGHER else tie[0])


WAR_ERRORS = [
    [{"bet": "tie"}],
    [{"bet": "war"}],
    [{"bet": "bet"}, {"bet": "war"}],
    [{"bet": "bet", "state": "war"}],
    [{"bet": "bet", "state": "war"}, {"bet": "war", "stake": 100}],
    [{"bet": "bet", "state": "war"}, {"bet": "war"}, {"bet": "tie"}],
    [{"bet": "bet", "state": "war"}, {"bet": "war", "player": "q"}],
    [{"bet": "bet"}, {"bet": "tie", "state": "war"}],
]


@pytest.mark.parametrize("bets", WAR_ERRORS, ids=str)
def test_9_7_stakes_that_belong_to_no_bet(bets):
    """The tie and the second stake need a bet of the same player in the same deal."""
    assert refusal("casino_war", "hc2023", HIGHER, *bets)[0] == "bet_not_in_round"


OUTCOMES = [
    ({"punto": "AH 7C"}, "outcome_not_one", "outcome"),
    ({}, "outcome_not_one", "outcome"),
    (hands("AH 7C", "KD 5S 2H"), "deal_not_by_rule", "outcome"),
    (hands("AH 4C", "KD 5S"), "deal_incomplete", "outcome"),
    (hands("AH", "KD"), "deal_incomplete", "outcome"),
    ({"punto": "AH 7C 2D 3D", "banco": "KD 5S", "void": "x"}, "deal_not_by_rule", "outcome"),
    ({"punto": "AH", "banco": "KD 5S", "void": "x"}, "deal_not_by_rule", "outcome"),
    (hands("AH  7C", "KD 5S"), "cards_invalid", "outcome.punto"),
    (hands("AH 7C ", "KD 5S"), "cards_invalid", "outcome.punto"),
    (hands("Ah 7C", "KD 5S"), "cards_invalid", "outcome.punto"),
    (hands("AH 7C", "10D 5S"), "cards_invalid", "outcome.banco"),
    (hands("AH 1C", "KD 5S"), "cards_invalid", "outcome.punto"),
    (hands("AH,7C", "KD 5S"), "cards_invalid", "outcome.punto"),
    (hands("", "KD 5S"), "invalid_text", "outcome.punto"),
    (hands(["AH", "7C"], "KD 5S"), "wrong_type", "outcome.punto"),
    (hands(17, "KD 5S"), "wrong_type", "outcome.punto"),
    ({**hands("AH 7C", "KD 8S"), "void": ""}, "invalid_text", "outcome.void"),
    ({"player": "AH 7C", "banker": "KD 8S"}, "unknown_field", "outcome"),
]


@pytest.mark.parametrize(("outcome", "code", "where"), OUTCOMES, ids=str)
def test_cards_that_cannot_be_are_refused(outcome, code, where):
    """Cards are written one way, and dealt as the rules deal them."""
    assert refusal("punto_banco", "hc2023", outcome) == (code, where)


@pytest.mark.parametrize(
    ("game", "edition", "outcome"),
    [
        ("high_low", "hc2011", {"communal": "7H 8H", "bank": "7D"}),
        ("casino_war", "hc2023", {"player": "7H", "bank": "7D 8D"}),
        ("red_dog", "hc2011", {"cards": "7H 8H 9H TH"}),
    ],
)
def test_too_many_cards(game, edition, outcome):
    """A war, and a second deal of High Low, are rounds of their own."""
    assert refusal(game, edition, outcome) == ("deal_not_by_rule", "outcome")
    few = {name: text[:2] for name, text in outcome.items() if name != "bank"}
    assert refusal(game, edition, few)[0] in ("deal_incomplete", "outcome_not_one")


def test_one_card_each():
    """Both are there, unless a fault came: then every card is possible."""
    for own, bank in ((("7H",), ()), ((), ("7H",)), ((), ())):
        with pytest.raises(RuleViolation) as error:
            higher_of(own, bank, voided=False)
        assert error.value.code.name == "deal_incomplete"
        assert higher_of(own, bank, voided=True) == {-1, 0, 1}
    assert higher_of(("2H",), (), voided=True) == {-1, 0}
    assert higher_of((), ("2H",), voided=True) == {1, 0}


def test_variants_and_editions():
    """hc2011 has two variants and wants one named, hc2023 has Straight alone."""
    good = hands("AH 7C", "KD 9S")
    assert refusal("punto_banco", "hc2011", good) == ("unknown_variant", "variant")
    for edition, variant in (("hc2023", "commission"), ("hc2011", "baccarat")):
        reason = refusal("punto_banco", edition, good, variant=variant)
        assert reason == ("unknown_variant", "variant")
    void = {"void": "system"}
    assert refusal("baccarat", "hc2011", void) == ("game_not_in_rules", "rules")
    for bet in ("punto_pair", "super_egalite"):
        reason = refusal("punto_banco", "hc2011", good, {"bet": bet}, variant="straight")
        assert reason == ("unknown_bet", "bets[0].bet")
    for on, code in (((), "selection_missing"), ((10,), "selection_invalid")):
        bet = {"bet": "super_egalite", "on": list(on)}
        assert refusal("punto_banco", "hc2023", good, bet) == (code, "bets[0].on")


def test_3_3_6_egalite_takes_a_tenth():
    """hc2011: a tenth of the maximum on punto and banco, given or not."""
    outcome, more = hands("AH 7C", "KD 9S"), {"variant": "straight"}
    table = {"minimum": 200, "maximum": {"punto": 40000, "banco": 40000}}
    good, above = ({"bet": "egalite", "stake": stake} for stake in (4000, 4200))
    assert lines("punto_banco", "hc2011", outcome, good, table=table, **more)
    reason = refusal("punto_banco", "hc2011", outcome, above, table=table, **more)
    assert reason == ("above_maximum", "bets[0].stake")
    table["maximum"]["egalite"] = 4200
    reason = refusal("punto_banco", "hc2011", outcome, good, table=table, **more)
    assert reason == ("limits_invalid", "table.maximum.egalite")
    with pytest.raises(RuleViolation, match=r"hc2011 3:3\(6\)"):
        lines("punto_banco", "hc2011", outcome, good, table=table, **more)
    reason = refusal("punto_banco", "hc2011", outcome, table={"minimum": 500}, **more)
    assert reason == ("limits_invalid", "table.maximum")


def test_reading_2_whole_cents():
    """19/20 needs multiples of 20 cents at placement, half a stake of 2."""
    maxima = {"punto": 10**6, "banco": 10**6}
    outcome = hands("AH 7C", "KD 9S")
    for edition, variant, unit, more in (
        ("hc2011", "commission", 20, {"maximum": maxima}),
        ("hc2023", "straight", 2, {}),
    ):
        table = {"minimum": 1, **more}
        bet = {"bet": "banco", "stake": unit}
        assert lines("punto_banco", edition, outcome, bet, table=table, variant=variant)
        odd = {**bet, "stake": unit + 1}
        reason = refusal("punto_banco", edition, outcome, odd, table=table, variant=variant)
        assert reason == ("stake_not_divisible", "bets[0].stake")
        banco_wins = hands("AH 3C KD", "KD 5S")
        reason = refusal("punto_banco", edition, banco_wins, odd, variant=variant)
        assert reason == ("not_whole_cents", "bets[0].stake")


IMPOSSIBLE = [
    ("caribbean", "hc2023", {"player": "AH AH AH AH KD", "bank": "AS KC 9D 8S 7C"}, "player"),
    ("caribbean", "hc2011", {"player": "AH AC AD AS KD", "bank": "AS KC 9D 8S 7C"}, "bank"),
    ("caribbean", "gr2003", {"player": "AH AC AD AS KD", "bank": "AS KC 9D 8S 7C"}, "bank"),
    ("multi_poker", "hc2011", {"player": "AH AC AD AS KD", "bank": "KD KC 9D 8S 7C"}, "bank"),
    ("three_card", "hc2023", {"player": "AH AC AD", "bank": "KD KC AD"}, "bank"),
    ("four_card", "hc2023", {"player": "9H 9C 5D 3S 2D", "bank": "KS KH 4D 3C 2H 3S"}, "bank"),
    (
        "ultimate",
        "hc2023",
        {"player": "AH KH", "board": "AH QH JH TH 2C", "bank": "9S 9D"},
        "board",
    ),
    (
        "ultimate",
        "hc2023",
        {"player": "AH KH", "board": "7S QH JH TH 2C", "bank": "9S KH", "void": "jam"},
        "bank",
    ),
    (
        "casino_holdem",
        "hc2011",
        {"player": "AD 3D", "board": "AS 9H 4D JC 2H", "bank": "4D 7C"},
        "bank",
    ),
    ("blackjack", "hc2023", {"player": ["9H", *["2C 2C"] * 4], "bank": "2C KD"}, "bank"),
]


@pytest.mark.parametrize(("game", "edition", "outcome", "where"), IMPOSSIBLE)
def test_a_card_lies_no_more_often_than_the_decks_have_it(game, edition, outcome, where):
    """Bank games of poker are dealt from one deck, no shoe has more than eight."""
    outcome = {**outcome, "void": "jam"} if game == "blackjack" else outcome
    assert refusal(game, edition, outcome) == ("cards_invalid", f"outcome.{where}")


def test_2_1_1_de_live_has_three_bets_on_a_field():
    """One each on player, banker and tie; another player has his own three."""
    table = {"minimum": 100, "maximum": {"player": 1000, "banker": 1000, "tie": 1000}}
    outcome = {"player": "9H KD", "banker": "9C KD"}
    three = [{"bet": name, "player": "p"} for name in ("player", "banker", "tie")]
    other = {"bet": "tie", "player": "q"}
    assert len(lines("baccarat", "de-live", outcome, *three, other, table=table)) == 4
    second = refusal("baccarat", "de-live", outcome, *three, {**three[2]}, table=table)
    assert second == ("second_bet", "bets[3].bet")
