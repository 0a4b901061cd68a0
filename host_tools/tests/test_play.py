"""The played session: bets, refusals, voids that leave bets standing, books that balance."""

import io
import json
import re

import pytest
from rich.console import Console

from hil_tests.emulators.keyed import KeyedTable
from tabletools.cli.main import run
from tabletools.cli.play import cards, roulette, wheel
from tabletools.cli.play.acts import ACTS
from tabletools.errors import ToolError
from tabletools.play import Game, Screen, seeded_players, wishes_of
from tabletools.play.books import Books
from tabletools.play.house import House, Refused
from tablewire import messages as m
from tablewire import roulette as words

SECRET = bytes(range(32))
RED = {"player": "Ada", "bet": "red", "stake": 500}
STRAIGHT = {"player": "Ben", "bet": "straight", "numbers": ["17"], "stake": 1000}


def record(kind, number, **fields):
    seal = {"authenticated": True, "seal": "verified"}
    return {"type": kind, "round": number, **seal, **fields}


@pytest.fixture
def settled():
    return []


@pytest.fixture
def house(settled):
    return House(roulette.FELT, settled.append)


def opened(house, number=1):
    house.take(record("round_opened", number))


def closed(house, number=1):
    house.take(record("bets_closed", number, cause="ball_detected"))


def test_a_round_is_settled_by_the_rules(house, settled):
    """17 is black: red loses to the bank, the straight pays 35 to 1; articles named."""
    opened(house)
    house.place(RED)
    house.place(STRAIGHT)
    closed(house)
    house.take(record("wheel_result", 1, pocket="17"))
    [round_one] = settled
    lines = [(line.outcome, line.win, line.back, line.lost) for line in round_one.lines]
    assert lines == [("lose", 0, 0, 500), ("win", 35_000, 1000, 0)]
    assert {line.rule for line in round_one.lines} == {"hc2023 2:3(2)"}
    total = house.books.total()
    assert (total.staked, total.returned, total.kept, total.won) == (1500, 1000, 500, 35_000)
    assert house.books.bank == 500 - 35_000
    assert house.books.balances


def test_a_void_leaves_the_bets_for_the_next_spin(house, settled):
    """The same bets, with their ids, decide the next round; nothing is laid again."""
    opened(house)
    house.place(RED)
    closed(house)
    house.take(record("round_void", 1, reason="short_spin", code=101))
    assert [line.outcome for line in settled[0].lines] == ["stand"]
    assert not house.books.balances  # 5.00 is in play
    opened(house, 2)
    assert [bet["id"] for bet in house.on_cloth] == ["1"]
    closed(house, 2)
    house.take(record("wheel_result", 2, pocket="1"))
    assert [line.outcome for line in settled[1].lines] == ["win"]
    assert house.books.total().staked == 500
    assert house.books.balances


def test_a_round_that_never_ended_is_not_paid_by_the_next(house, settled):
    """Only a void lets bets stand; a lost end stops the table before another round opens."""
    opened(house)
    house.place(RED)
    closed(house)
    with pytest.raises(ToolError, match="round 2 opened and round 1 never ended"):
        opened(house, 2)
    assert settled == []


def test_bets_are_refused_when_none_are_taken(house):
    """Before the opening and after the closing, with the article."""
    with pytest.raises(Refused, match="no round is open") as early:
        house.place(RED)
    opened(house)
    closed(house)
    with pytest.raises(Refused, match="no more bets: closed by ball detected") as late:
        house.place(RED)
    assert early.value.article == late.value.article == "hc2023 1:1(4)"
    assert house.books.bets == 0


@pytest.mark.parametrize(
    "change",
    [{"stake": 300}, {"stake": 2_000_000}, {"bet": "carre", "numbers": ["1", "2", "4", "6"]}],
)
def test_bets_against_the_limits_or_the_cloth_are_refused(house, change):
    """Nothing is booked for a bet that is not taken."""
    opened(house)
    with pytest.raises(Refused, match="Next: "):
        house.place(RED | change)
    assert house.on_cloth == []
    assert house.books.bets == 0


@pytest.mark.parametrize(
    "records",
    [
        [],
        [record("round_opened", 1)],
        [record("bets_closed", 1, cause="ball_detected")],
        [record("round_opened", 2), record("bets_closed", 2, cause="ball_detected")],
        [
            record("round_opened", 1),
            record("bets_closed", 1, cause="ball_detected"),
            record("fault_raised", 1, code=401),
        ],
    ],
)
def test_a_number_out_of_order_is_not_believed(house, records):
    """Only for the round that is open, after its closing, with no fault standing."""
    for item in records:
        house.take(item)
    with pytest.raises(ToolError, match="cannot be believed"):
        house.take(record("wheel_result", 1, pocket="17"))


def test_books_that_do_not_add_up_are_noticed():
    """The bank counts apart from the accounts, so a sum lost on the way shows."""
    books = Books()
    books.lay("Ada", 500)
    books.accounts["Ada"].live = 0
    assert not books.balances
    books.accounts["Ada"].kept = 500
    assert books.balances
    books.bank -= 1
    assert not books.balances


def test_the_same_seed_bets_the_same():
    """Players are drawn from the seed and from nothing else."""
    first, second, other = (wishes_of(seeded_players(seed), roulette.RULES) for seed in (1, 1, 2))
    assert first == second != other


def shown(game_of):
    """Run frames of a table through a game; returns what a reader sees."""
    console = Console(file=io.StringIO(), width=100, color_system=None)
    players = seeded_players(1)
    game = Game(
        roulette.FELT,
        lambda: wishes_of(players, roulette.RULES),
        Screen(console),
        keys=lambda _: {1: SECRET},
        late_in=1,
    )
    table = KeyedTable(7, 1, SECRET)
    started = table.receive(game.hear(0, table.receive(game.hello())))
    game.hear(500, started)
    for number, wire in enumerate(game_of(table), 1):
        table.receive(game.hear(number * 1000, wire))
    return console.file.getvalue(), game, table


def test_frames_and_settlements_are_shown():
    """Each frame in words, heartbeats folded, the late bet refused, each bet with its article."""

    def frames(table):
        beat = (2, 0, 255, -1, 142, 0, 0, 0, 180000)
        yield table.say(m.ROUND_OPENED, (2, 7, 60000), 1)
        for _ in range(5):
            table.sender.advance(500)
            yield table.say(m.HEARTBEAT, beat, 1)
        yield table.say(m.BETS_CLOSED, (1, 2500), 1)
        yield b"\x55\xaa\0"
        yield table.say(words.WHEEL_RESULT, (37, 19, 1, 1, 1525, 1, -1, 142, 890, 15210, 4400), 1)

    text, game, table = shown(frames)
    assert "bets open, double zero" in text
    assert "(5 times in 2.0 s)" in text
    assert re.search(r"Ada +wants EUR .* REFUSED, no more bets.*\(hc2023 1:1\(4\)\)", text)
    assert "skipped 3 bytes" in text
    assert re.search(r"wheel_result +00 ", text)
    for line in game.settled[0].lines:
        assert line.rule in text
    assert table.acknowledged == [(1, 3), (1, 9), (1, 10)]
    assert "authenticated" in text
    assert [frame.type for frame in game.stored] == [
        m.ROUND_OPENED,
        m.BETS_CLOSED,
        words.WHEEL_RESULT,
    ]


@pytest.fixture(scope="module")
def evening(tmp_path_factory):
    """One short evening on the emulated board: what it printed, and the rounds it kept."""
    folder = tmp_path_factory.mktemp("play")
    file = folder / "rounds.jsonl"
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", out)
        code = run(["play", "--seed", "3", "--rounds", str(file)])
    return code, out.getvalue(), file


def rounds_of(file, game):
    rounds = [json.loads(line) for line in file.read_text().splitlines()]
    return [item for item in rounds if item["game"] == game]


def test_an_evening_on_the_emulated_board(evening):
    """Every role; every bet with an article, the books of each table balanced, exit 0."""
    code, text, file = evening
    assert code == 0
    for act in ACTS:
        assert re.search(rf"^─+ {act.role.replace('_', ' ')} ─+$", text, re.MULTILINE)
    rounds = file.read_text().splitlines()
    bets = sum(len(json.loads(line)["bets"]) for line in rounds)
    assert len(re.findall(r"hc2023 [2-5]:[1-9]\(\d\)$", text, re.MULTILINE)) == bets
    balanced = re.findall(r"^balanced: EUR ([\d.]+) staked = ", text, re.MULTILINE)
    assert len(balanced) == len(ACTS)


def test_roulette_has_two_voids_and_a_refused_bet(evening):
    """The bets stand for the next spin; somebody bets too late."""
    _, text, file = evening
    rounds = rounds_of(file, "roulette")
    voids = [item["outcome"]["void"] for item in rounds if "void" in item["outcome"]]
    assert voids == ["short_spin", "ball_with_rotor"]
    assert len(rounds) - len(voids) >= 4
    assert text.count("REFUSED") == 1
    assert re.search(r"round_void +101 short_spin", text)
    assert re.search(r"round_void +102 ball_with_rotor", text)


def test_dice_pay_what_lies_there(evening):
    """The faces on the line are those of the round that was settled, from low to high."""
    _, text, file = evening
    dice = rounds_of(file, "sic_bo")[-1]["outcome"]["dice"]
    assert (len(dice), dice) == (3, sorted(dice))
    assert re.search(rf"dice_result +{' '.join(map(str, dice))}, held", text)


def test_the_money_wheel_pays_what_it_shows(evening):
    """One turn that counts, and whoever bet on its segment wins that many times the stake."""
    _, text, file = evening
    pays = rounds_of(file, "money_wheel")[-1]["outcome"]["pays"]
    assert re.search(rf"money_wheel_result pays {pays},", text)
    stakes = {bet["on"][0]: bet["stake"] for bet in wheel.BETS}
    if pays in stakes:
        won = f"{pays * stakes[pays] / 100:.2f}"
        assert re.search(rf"segment {pays} .* WIN +\+EUR {won}  hc2023 2:5\(3\)", text)


def test_a_shuffler_that_jams_leaves_decided_bets_decided(evening):
    """Rulebook C-1: two kings are paid 11:1, two other cards lose, the open hands come back."""
    _, text, file = evening
    assert re.search(r"shoe_changed +shoe unlocked", text)
    whole, broken = rounds_of(file, "punto_banco")[:2]
    assert whole["outcome"] == cards.WHOLE
    assert broken["outcome"] == {**cards.BROKEN, "void": cards.FAULT}
    said = text[text.index("round_void    805") :]
    for line in (
        r"Ada +punto +EUR 20.00  VOID +stake back  hc2023 3:1\(7\)",
        r"Ben +banco +EUR 10.00  VOID +stake back  hc2023 3:1\(7\)",
        r"Ben +banco pair +EUR 5.00  LOSE +hc2023 3:3\(4\)",
        r"Cleo +punto pair +EUR 5.00  WIN +\+EUR 55.00  hc2023 3:3\(4\)",
    ):
        assert re.search(line, said)
    assert re.search(r"shoe_changed +shoe locked, jam_in", said)
    assert "refusal" not in said


def test_a_draw_pays_who_marked_it(evening):
    """Twenty different numbers; one number of one is paid 2:1 if it is among them."""
    _, text, file = evening
    drawn = rounds_of(file, "keno")[-1]["outcome"]["drawn"]
    assert len(set(drawn)) == 20
    assert set(drawn) <= set(range(1, 81))
    ended = r"WIN +\+EUR 4.00" if 7 in drawn else "LOSE"
    assert re.search(rf"Ada +numbers 7 +EUR 2.00  {ended} ", text)


def test_a_shoe_is_settled_from_its_cards(evening):
    """The cards told one by one are those of the hands, in the order of Punto Banco."""
    _, text, file = evening
    hands = rounds_of(file, "punto_banco")[-1]["outcome"]
    count = sum(len(cards.split()) for cards in hands.values())
    told = re.findall(r"card_dealt +(\w\w)  card", text)[-count:]
    punto, banco = (hands[name].split() for name in ("punto", "banco"))
    assert told[:4] == [punto[0], banco[0], punto[1], banco[1]]
    assert sorted(told) == sorted(punto + banco)


def test_a_role_is_played_alone(capsys):
    """--only names it; another name is refused with those there are."""
    assert run(["play", "--only", "money_wheel"]) == 0
    text = capsys.readouterr().out
    assert "money wheel" in text
    assert "wheel_result  " not in text
    assert run(["play", "--only", "chess"]) == 1
    assert ", ".join(act.role for act in ACTS) in capsys.readouterr().err


def test_the_rounds_kept_settle_to_the_same(evening, capsysbinary):
    """`tabletool settle` on the kept rounds gives the amounts of the evening's books."""
    _, text, file = evening
    assert run(["settle", str(file)]) == 0
    answers = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    lines = [line for answer in answers for line in answer["settlements"]]
    back, lost = (sum(line[name] for line in lines) for name in ("back", "lost"))
    found = re.findall(r"EUR ([\d.]+) returned \+ EUR ([\d.]+) kept", text)
    assert sum(float(cents) for cents, _ in found) == back / 100
    assert sum(float(cents) for _, cents in found) == lost / 100


def test_unbalanced_books_are_exit_code_1(monkeypatch, capsys):
    """A session whose books do not balance says so and fails."""
    monkeypatch.setattr(Books, "balances", False)
    assert run(["play", "--only", "money_wheel"]) == 1
    captured = capsys.readouterr()
    assert "NOT BALANCED" in captured.out
    assert "tabletool: error: the books do not balance" in captured.err


@pytest.mark.parametrize(
    ("spins", "places"), [(3, (0, 1)), (4, (1, 2)), (5, (1, 3)), (12, (4, 8))]
)
def test_neither_void_is_the_last_spin(spins, places):
    """Its bets would stand for one more, and three spins would be four."""
    assert roulette.places(spins) == places
