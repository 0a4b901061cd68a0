"""The audit of cards and draws: tests by hand, planted faults, files, and ledgers."""

import json
import math
import random

import pytest

from host_tools.tests import machines
from host_tools.tests.test_ledger_cards import BLACKJACK, PUNTO
from host_tools.tests.test_ledger_cards import Table as Cards
from host_tools.tests.test_ledger_draws import KENO, Machine
from tabletools.audit import MACHINES, Spins, audit, read_spins
from tabletools.audit.audit_report import ALARM, as_text
from tabletools.audit.error_budget import Test
from tabletools.cli.main import run
from tablewire.shuffler import CARD_ROUND_ENDED, SHUFFLE_DONE

SHUFFLED = (312, 312, 312, 2, 60_000, 1, 0, 80, 80)
"""Six decks through both gates, twice."""
DECK = MACHINES["cards"].labels
KENO_MACHINE = MACHINES["keno"]


def alarms(report):
    """The tests that are an alarm."""
    return {f.test for f in report.findings.made if report.verdict_of(f) == ALARM}


def finding(report, test):
    """What this test found."""
    [only] = [one for one in report.findings.made if one.test == test]
    return only


def untested(report):
    """Why tests were not made."""
    return dict(report.findings.untested)


def of_draws(draws, machine=KENO_MACHINE):
    """The audit of these draws, balls from 0."""
    places = [ball for draw in draws for ball in draw]
    return audit(Spins("", places, round=1, sizes=list(map(len, draws))), machine)


def of_shoes(shoes, decks=1, **fields):
    """The audit of these shoes, cards from 0."""
    places = [card for shoe in shoes for card in shoe]
    fields = {"round": 1, "is_shoe": True} | fields
    spins = Spins("", places, sizes=list(map(len, shoes)), decks=decks, **fields)
    return audit(spins, MACHINES["cards"])


def fair_draws(n, seed, source=None):
    """Draws of 20 of 80 balls."""
    source = source or random.Random(seed)
    return [source.sample(range(80), 20) for _ in range(n)]


def fair_shoes(n, seed, decks=1, dealt=40):
    """Shoes that were shuffled well."""
    source = random.Random(seed)
    return [source.sample([*range(52)] * decks, dealt) for _ in range(n)]


# --- draws ---------------------------------------------------------------------------------------


def test_a_ball_by_hand():
    """Ball 1 in three of three draws of 20 of 80: (1/4)^3 on one side, for 80 balls."""
    draws = [[0, *draw] for draw in ([*range(1, 20)], [*range(20, 39)], [*range(39, 58)])]
    balls = finding(of_draws(draws), Test.BALLS)
    assert balls.detail == "ball 1: 3, 0.8 expected"
    assert balls.p == pytest.approx(min(1.0, 80 * 2 / 4**3))


def test_one_ball_that_comes_too_often_is_named():
    """Ball 8 is in 45 % of draws instead of 25 %."""
    source = random.Random(1)
    draws = fair_draws(400, 2, source)
    for draw in draws:
        if 7 not in draw and source.random() < 0.27:
            draw[source.randrange(20)] = 7
    report = of_draws(draws)
    assert Test.BALLS in alarms(report)
    assert finding(report, Test.BALLS).detail.startswith("ball 8: ")
    assert report.step.startswith("take this set of balls out of play; ")
    assert "rotor" not in as_text(report)


def test_two_balls_that_stick_together_are_named():
    """Where ball 3 comes, ball 5 follows in every second draw."""
    source = random.Random(3)
    draws = fair_draws(600, 4, source)
    for draw in draws:
        if 2 in draw and 4 not in draw and source.random() < 0.7:
            other = next(at for at, ball in enumerate(draw) if ball != 2)
            draw[other] = 4
    pairs = finding(of_draws(draws), Test.BALL_PAIRS)
    assert pairs.detail.startswith("balls 3 and 5 together")
    assert pairs.p < 1e-6


def test_a_light_ball_that_leaves_early_is_named():
    """Ball 9 comes as often as the others, and always in the first half."""
    draws = fair_draws(300, 5)
    for draw in draws:
        if 8 in draw:
            at = draw.index(8)
            draw[at], draw[at % 10] = draw[at % 10], 8
    report = of_draws(draws)
    assert alarms(report) == {Test.BALL_PLACES}
    assert finding(report, Test.BALL_PLACES).detail.startswith("ball 9 in the first half")


def test_a_blower_that_mixes_badly_is_found():
    """Four balls of each draw are from the one before: 8.75 repeat instead of 5."""
    source = random.Random(6)
    draws = fair_draws(40, 7, source)
    for at in range(1, len(draws)):
        kept = source.sample(draws[at - 1], 4)
        draws[at] = [*kept, *source.sample([b for b in range(80) if b not in kept], 16)]
    assert Test.BALLS_AGAIN in alarms(of_draws(draws))


def test_draws_from_low_to_high_have_no_places():
    """A set is no order: that test is not made, and its share goes to the others."""
    report = of_draws([sorted(draw) for draw in fair_draws(50, 8)])
    assert "from low to high" in untested(report)[Test.BALL_PLACES]
    assert math.fsum(report.levels.values()) == pytest.approx(1 / 365)


def test_fair_draws_are_quiet():
    """Of 40 machines none is an alarm, bar one; bingo draws differ in length."""
    source = random.Random(9)
    bingo = [source.sample(range(75), source.randrange(20, 60)) for _ in range(60)]
    assert of_draws(bingo, MACHINES["bingo75"]).verdict != ALARM
    assert sum(of_draws(fair_draws(60, 100 + k)).verdict == ALARM for k in range(40)) <= 1


# --- cards ---------------------------------------------------------------------------------------


def test_the_counts_of_whole_shoes_are_certain():
    """All 52 cards of each of ten decks: no card can come too often, and none did."""
    report = of_shoes(fair_shoes(10, 10, dealt=52))
    assert report.chi_square.statistic == 0
    assert finding(report, Test.CARD_COUNTS).p == 1
    assert alarms(report) == set()


def test_a_card_by_hand():
    """Half of each of eight decks, one card in all: 1 / 2^8 on its side, of 52 cards, 3 kinds."""
    source = random.Random(11)
    shoes = [[0, *source.sample(range(1, 52), 25)] for _ in range(8)]
    assert finding(of_shoes(shoes), Test.CARD_COUNTS).p <= 3 * 2 * 52 / 2**8


def test_one_card_too_many_is_an_alarm_at_once():
    """Two queens of spades from one deck cannot be."""
    shoe = fair_shoes(1, 12, dealt=30)[0]
    queen = DECK.index("QS")
    shoe = [queen, queen, *(card for card in shoe if card != queen)]
    report = of_shoes([shoe])
    assert Test.CARD_COUNTS in alarms(report)
    assert finding(report, Test.CARD_COUNTS).detail == "QS: 2 in one shoe, of 1 decks"


def test_a_missing_rank_is_found():
    """Decks without two of their aces: of 60 shoes, too few."""
    source = random.Random(13)
    aces = [card for card in range(52) if DECK[card][0] == "A"]
    left = [card for card in range(52) if card not in aces[:2]]
    report = of_shoes([source.sample(left, 40) for _ in range(60)])
    assert Test.CARD_COUNTS in alarms(report)


def test_clumps_are_found_as_gaps():
    """Cards of a rank stay together: of eight decks, pairs in one of eight places."""
    source = random.Random(14)
    shoes = fair_shoes(6, 15, decks=8, dealt=300)
    for shoe in shoes:
        for at in range(1, len(shoe)):
            if source.random() < 0.12:
                rank = shoe[at - 1] % 13
                later = next((k for k in range(at, len(shoe)) if shoe[k] % 13 == rank), at)
                shoe[at], shoe[later] = shoe[later], shoe[at]
    report = of_shoes(shoes, decks=8)
    assert Test.CARD_GAPS in alarms(report)
    assert "the same rank 1 card later" in finding(report, Test.CARD_GAPS).detail


def test_an_order_that_survives_the_shuffle_is_found():
    """One cut and a riffle: many neighbours of the shoe before are neighbours again."""
    source = random.Random(16)
    shoes = [source.sample(range(52), 52)]
    for _ in range(8):
        cut = source.randrange(20, 32)
        left, right = shoes[-1][:cut], shoes[-1][cut:]
        mixed = []
        while left or right:
            whole = len(left) + len(right)
            mixed.append((left if source.random() < len(left) / whole else right).pop(0))
        shoes.append(mixed)
    report = of_shoes(shoes)
    assert Test.CARD_ORDER in alarms(report)
    assert "check the shuffle" in report.step


def test_a_rank_that_is_ahead_is_found():
    """Aces are brought to the front of the shoe."""
    shoes = fair_shoes(60, 17, dealt=40)
    for shoe in shoes:
        for at, card in enumerate(shoe[:20]):
            ace = next((k for k in range(20, 40) if shoe[k] % 13 == 12), None)
            if ace is not None and card % 13 == 5:
                shoe[at], shoe[ace] = shoe[ace], shoe[at]
    assert Test.CARD_PLACES in alarms(of_shoes(shoes))


def test_fair_shoes_are_quiet():
    """Of 30 tables none is an alarm, bar one."""
    reports = [of_shoes(fair_shoes(8, 200 + k, 6, 240), decks=6) for k in range(30)]
    assert sum(report.verdict == ALARM for report in reports) <= 1


def test_no_report_shows_an_order_of_cards():
    """No two cards that follow each other in a shoe are named together, whatever is wrong."""
    shoe = fair_shoes(1, 18, dealt=52)[0]
    report = of_shoes([shoe] * 6)
    assert report.verdict == ALARM
    for words in (one.detail for one in report.findings.made):
        assert sum(label in words for label in DECK) <= 1


def test_a_shuffler_has_no_places_and_no_known_order():
    """Hands as they were entered: only counts are tested, and the report says why."""
    report = of_shoes(fair_shoes(50, 19, decks=6, dealt=6), decks=6, round=None, is_shoe=False)
    assert {one.test for one in report.findings.made} == {Test.CARD_COUNTS, Test.CARDS_FIT}
    assert "order of the cards" in untested(report)[Test.CARD_GAPS]
    report = of_shoes(fair_shoes(50, 19, decks=6, dealt=6), decks=6, is_shoe=False)
    assert set(untested(report)) == {Test.CARD_PLACES}
    assert "freshly shuffled" in untested(report)[Test.CARD_PLACES]


# --- files ---------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    """Write lines; the file's name."""

    def write(*lines):
        path = tmp_path / "rounds.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


def test_a_file_of_shoes(file, capsys):
    """Rounds of a shoe by its name; 10H is TH; the counts as a table."""
    path = file("round,shoe,decks,cards", "1,A,8,KH 10h", "2,A,8,2c", "3,B,8,", "4,B,8,AS")
    [spins] = read_spins(path, MACHINES["cards"])
    assert (spins.sizes, spins.decks, spins.is_shoe, spins.voids) == ([3, 1], 8, True, 1)
    assert [DECK[place] for place in spins.places] == ["KH", "TH", "2C", "AS"]
    assert run(["audit", "--csv", str(path), "--wheel", "cards", "--counts"]) == 0
    out = capsys.readouterr().out
    assert "cards: 4 results" in out
    assert "\n  KH                 1         0.1" in out
    assert run(["audit", "--csv", str(path), "--wheel", "cards", "--counts", "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)["counts"]
    assert {card: count for card, count in counts.items() if count} == {
        "KH": 1,
        "TH": 1,
        "2C": 1,
        "AS": 1,
    }


def test_a_file_of_draws(file):
    """Balls in their order."""
    [spins] = read_spins(file("balls", "5 80 17", "", "3 4 5"), KENO_MACHINE)
    assert (spins.sizes, spins.places) == ([3, 3], [4, 79, 16, 2, 3, 4])


@pytest.mark.parametrize(
    ("machine", "lines", "words"),
    [
        ("keno", ["balls", "5 80 5"], "ball 5 twice in one draw"),
        ("keno", ["balls", "81"], "'81' is not on this machine"),
        ("bingo75", ["balls", " ".join(map(str, range(1, 76)))], "all balls in one draw"),
        ("cards", ["cards", "KH"], "there is no column 'decks'"),
        ("cards", ["cards,decks", "KH,8", "2C,6"], "line 3, 1 to 16, the same"),
        ("cards", ["cards,decks", "KH,99"], "decks is '99'"),
        ("cards", ["cards,decks", "1H,8"], "'1H' is not on this machine"),
        ("cards", ["cards,decks,shoe", *["KH " * 30 + ",1,A"] * 2], "more than 52 cards"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(machine, lines, words, file, capsys):
    """A ball twice, a deck too small: where, and what to do; exit code 1."""
    assert run(["audit", "--csv", str(file(*lines)), "--wheel", machine]) == 1
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["keno", "bingo90", "cards"])
def test_the_powers_of_every_test(kind, capsys):
    """Each test of the machine has a row."""
    assert run(["audit", "--power", "--wheel", kind]) == 0
    out = capsys.readouterr().out
    first, last = (
        (Test.CARD_COUNTS, Test.CARD_ORDER) if kind == "cards" else (Test.BALLS, Test.BALLS_AGAIN)
    )
    tests = list(Test)
    for test in tests[tests.index(first) : tests.index(last) + 1]:
        assert f"\n{test.value} " in out


# --- ledgers -------------------------------------------------------------------------------------


def of_ledger(place, capsys):
    """The audit of a ledger as JSON."""
    capsys.readouterr()
    assert run(["audit", "--db", str(place), "--json"]) == 0
    return json.loads(capsys.readouterr().out.splitlines()[0])


def test_a_ledger_of_keno(ledger_place, capsys):
    """Balls in the order drawn."""
    pit = Machine(ledger_place, terms=KENO)
    for number in range(1, 4):
        balls = random.Random(number).sample(range(1, 81), 20)
        pit.draw(number, balls, 80)
    pit.ledger.close()
    record = of_ledger(ledger_place, capsys)
    assert (record["n"], record["wheel"]) == (60, "R1")
    tests = {one["test"]: one for one in record["tests"]}
    assert tests["balls of the draw before"]["detail"].endswith("10.0 expected")
    assert "place of a ball in the draw" in tests


def test_a_ledger_of_a_shoe_leaves_out_the_one_in_play(ledger_place, capsys):
    """Two shoes: the first is over when the second is declared; its cards count, burned too."""
    pit = Cards(ledger_place, terms=PUNTO)
    pit.say(*machines.shoe("new"), 0)
    pit.shoe(1, "4H 5C 5D 2D".split(), burned=["KS"])
    pit.say(*machines.shoe("new"), 0)
    pit.shoe(2, "4H 5C 5D 2D".split())
    pit.ledger.close()
    record = of_ledger(ledger_place, capsys)
    assert record["n"] == 5
    assert {one["test"] for one in record["tests"]} >= {
        "counts of cards",
        "gaps between equal ranks",
    }
    assert all(one["advice"] for one in record["tests"])


def test_a_ledger_of_a_shuffler_has_counts(ledger_place, capsys):
    """The cards that two users entered, of the decks that the shuffler counts."""
    pit = Cards(ledger_place, terms=BLACKJACK)
    pit.say(SHUFFLE_DONE, SHUFFLED, 0)
    pit.open(1, "shuffler")
    bet = pit.place(pit.ada, "bet", 1000).bet
    pit.close(1)
    pit.say(CARD_ROUND_ENDED, (5000,), 1)
    outcome = {"bank": "KC 7D", "boxes": {"1": {"cards": "KH 9D", "bets": [str(bet)]}}}
    pit.rule(1, outcome, preview=pit.preview(1, outcome).digest)
    pit.ledger.close()
    record = of_ledger(ledger_place, capsys)
    assert record["n"] == 4
    assert {one["test"] for one in record["tests"]} == {"counts of cards", "chi-square of cards"}
    assert len(record["not_tested"]) == 3
