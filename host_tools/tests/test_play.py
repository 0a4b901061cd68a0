"""The played session: a pit in virtual time; bets, voids that keep bets in play, its books."""

import io
import json
import re

import msgspec
import pytest
from rich.console import Console

from tabletools import decode
from tabletools.cli.main import run
from tabletools.cli.play import money_wheel, roulette, shuffler, stage
from tabletools.cli.play.play_command import INTRODUCTION, ROLES, act_of
from tabletools.play.screen import Screen
from tabletools.play.settled import Settled, Sums, sums_of
from tablewire import messages as m
from tablewire.framing import Receiver
from tablewire.sender import Sender


def bet(player, stake, *, number=1, carried_from=None, **cents):
    """A bet of a round as the ledger lists it; cents: of back, lost, live, win."""
    amounts = {f"{name}_cents": cents.get(name, 0) for name in ("back", "lost", "live", "win")}
    return {
        "id": number,
        "player": player,
        "slip": {"bet": "red"},
        "stake_cents": stake,
        "carried_from": carried_from,
        "outcome": "any",
        "rule": "hc2023 2:3(2)",
        **amounts,
    }


def settle(*bets, outcome=None):
    row = {"game": "roulette", "rules": "hc2023", "variant": "french", "bets": list(bets)}
    settlements = [{"outcome": outcome or {"pocket": "17"}}]
    return msgspec.convert(row | {"settlements": settlements}, Settled)


def test_what_stays_in_play_is_staked_once():
    """A void leaves EUR 5.00 in play; it wins in the next round and was staked once."""
    first = settle(bet("Ada", 500, live=500))
    assert sums_of([first]) == {"Ada": Sums(500, 0, 0, 500, 0)}
    assert not sums_of([first])["Ada"].is_balanced
    second = settle(bet("Ada", 500, number=2, carried_from=1, back=500, win=500))
    [ada] = sums_of([first, second]).values()
    assert ada == Sums(staked=500, returned=500, lost=0, live=0, won=500)
    assert (ada.is_balanced, ada.net) == (True, 500)


def test_sums_that_do_not_add_up_are_noticed():
    """A stake that is neither returned nor kept shows."""
    [ben] = sums_of([settle(bet("Ben", 1000, back=400, lost=500))]).values()
    assert not ben.is_balanced


def test_a_bet_that_was_taken_back_is_not_settled():
    """One that was ruled invalid has no outcome: it is neither shown nor summed."""
    gone = bet("Ada", 500) | {"outcome": None}
    assert settle(gone, bet("Ben", 500, number=2, lost=500)).bets[0].player == "Ben"
    assert "Ada" not in sums_of([settle(gone)])


def test_the_same_seed_bets_the_same():
    """Players are drawn from the seed and from nothing else."""
    first, second, other = (roulette.players(seed)() for seed in (1, 1, 2))
    assert first == second != other


def test_heartbeats_of_a_phase_are_one_line():
    """Reported with how often and how long; what the host asks by itself is left out."""
    console = Console(file=io.StringIO(), width=100, color_system=None)
    screen, table = Screen(console), Sender(7, 1)
    wires = []
    for _ in range(5):
        wires.append(table.build(m.HEARTBEAT, (2, 0, 255, -1, 142, 0, 0, 0, 180_000, 96_000)))
        table.advance(500)
    wires.append(table.build(m.CONFIGURATION, (8, 7, 1, 20, 0)))
    for frame in Receiver().feed(b"".join(wires)):
        screen.frame(decode.record(frame))
    screen.books({}, 0)
    assert "(5 times in 2.0 s)" in console.file.getvalue()
    assert "min_circuits" not in console.file.getvalue()


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
    for act in map(act_of, ROLES):
        assert re.search(rf"^─+ {act.role.replace('_', ' ')} ─+$", text, re.MULTILINE)
    rounds = file.read_text().splitlines()
    bets = sum(len(json.loads(line)["bets"]) for line in rounds)
    assert len(re.findall(r"hc2023 [2-5]:[1-9]\(\d\)$", text, re.MULTILINE)) == bets
    balanced = re.findall(r"^balanced: EUR ([\d.]+) staked = ", text, re.MULTILINE)
    assert len(balanced) == len(ROLES)


def test_no_line_is_wider_than_a_page(evening):
    """100 columns; what is longer goes on in the next line, indented, and no word is lost."""
    _, text, _ = evening
    assert max(map(len, text.splitlines())) <= 100
    console = Console(file=io.StringIO(), width=80, color_system=None)
    text = "  2.5 s  " + "a word " * 30
    Screen(console).say(text)
    assert console.file.getvalue().split() == text.split()
    assert len(console.file.getvalue().splitlines()) == 3


def test_prose_goes_on_at_the_left():
    """At 80 columns: only a line of a frame or bet goes on in its column; none is broken twice."""
    console = Console(file=io.StringIO(), width=80, color_system=None, force_terminal=True)
    screen = Screen(console)
    for line in INTRODUCTION:
        screen.say(line)
    lines = console.file.getvalue().splitlines()
    assert not any(line.startswith(" ") for line in lines)
    assert all(70 < len(line) <= 80 for line in lines[:-2])
    assert " ".join(lines).split() == " ".join(INTRODUCTION).split()


def test_the_books_have_every_bet_shown(evening):
    """What the screen shows as bets of an act adds up to what its books have as staked."""
    _, text, _ = evening
    heads = [f"─ {role.replace('_', ' ')} ─" for role in ROLES]
    starts = [text.index(head) for head in heads]
    for begin, end in zip(starts, [*starts[1:], len(text)], strict=True):
        act = text[begin:end]
        cents_printed = sum(
            round(float(cents) * 100) for cents in re.findall(r"  bets +EUR ([\d.]+) on ", act)
        )
        [staked] = re.findall(r"^balanced: EUR ([\d.]+) staked", act, re.MULTILINE)
        assert cents_printed == round(float(staked) * 100), act[:80]


def test_roulette_has_two_voids_and_a_refused_bet(evening):
    """The bets stay for the next spin; another bet comes too late."""
    _, text, file = evening
    rounds = rounds_of(file, "roulette")
    voids = [item["outcome"]["void"] for item in rounds if "void" in item["outcome"]]
    assert voids == ["short_spin", "ball_with_rotor"]
    assert len(rounds) - len(voids) >= 4
    assert text.count("REFUSED") == 0
    assert re.search(
        r"requests EUR .* LATE, two users rule it invalid[^(]*\(hc2023\s+1:1\(4\)\)", text
    )
    assert re.search(r"round_void +101 short_spin", text)
    assert re.search(r"round_void +102 ball_with_rotor", text)


def test_dice_pay_what_lies_there(evening):
    """The host reads them, so the line has none; the play compares them with those that lie there.

    They are settled from low to high.
    """
    _, text, file = evening
    dice = rounds_of(file, "sic_bo")[-1]["outcome"]["dice"]
    assert (len(dice), dice) == (3, sorted(dice))
    assert re.search(r"dice_result +left to the host, held", text)


def test_the_money_wheel_pays_what_it_shows(evening):
    """One turn that counts; every bet on its segment wins that many times the stake."""
    _, text, file = evening
    pays = rounds_of(file, "money_wheel")[-1]["outcome"]["pays"]
    assert re.search(rf"money_wheel_result pays {pays},", text)
    stakes = {bet.slip["on"][0]: bet.stake_cents for bet in money_wheel.BETS}
    if pays in stakes:
        won = f"{pays * stakes[pays] / 100:.2f}"
        assert re.search(rf"segment {pays} .* WIN +\+EUR {won}  hc2023 2:5\(3\)", text)


def test_a_shuffler_that_jams_leaves_decided_bets_decided(evening):
    """Rulebook C-1: two kings are paid 11:1, two other cards lose, the open hands are returned."""
    _, text, file = evening
    assert re.search(r"shoe_changed +shoe unlocked", text)
    whole, broken = rounds_of(file, "punto_banco")[:2]
    assert whole["outcome"] == shuffler.WHOLE
    assert broken["outcome"] == {**shuffler.BROKEN, "void": shuffler.FAULT}
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
    """The cards reported one by one are those of the hands, in the order of Punto Banco."""
    _, text, file = evening
    hands = rounds_of(file, "punto_banco")[-1]["outcome"]
    count = sum(len(cards.split()) for cards in hands.values())
    dealt = re.findall(r"card_dealt +(\w\w)  card", text)[-count:]
    punto, banco = (hands[name].split() for name in ("punto", "banco"))
    assert dealt[:4] == [punto[0], banco[0], punto[1], banco[1]]
    assert sorted(dealt) == sorted(punto + banco)


def test_a_role_is_played_alone(capsys):
    """--only names it; another name is refused with those there are."""
    assert run(["play", "--only", "money_wheel"]) == 0
    text = capsys.readouterr().out
    assert "money wheel" in text
    assert "wheel_result  " not in text
    assert run(["play", "--only", "chess"]) == 1
    assert ", ".join(ROLES) in capsys.readouterr().err


def test_the_rounds_kept_settle_to_the_same(evening, capsysbinary):
    """`tabletool settle` on the kept rounds gives the amounts of the evening's books."""
    _, text, file = evening
    assert run(["settle", str(file)]) == 0
    answers = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    lines = [line for answer in answers for line in answer["settlements"]]
    back, lost = (sum(line[name] for line in lines) for name in ("back", "lost"))
    matches = re.findall(r"EUR ([\d.]+) returned \+ EUR ([\d.]+) kept", text)
    assert sum(float(cents) for cents, _ in matches) == back / 100
    assert sum(float(cents) for _, cents in matches) == lost / 100


def test_unbalanced_books_are_exit_code_1(monkeypatch, capsys):
    """A table whose books do not balance is reported and fails the run."""
    monkeypatch.setattr(Sums, "is_balanced", False)
    assert run(["play", "--only", "money_wheel"]) == 1
    captured = capsys.readouterr()
    assert "NOT BALANCED" in captured.out
    assert "tabletool: error: the books do not balance" in captured.err


def test_a_ledger_that_does_not_hold_is_exit_code_1(monkeypatch, capsys):
    """The ledger of the evening is verified as that of a pit is, at its end."""
    monkeypatch.setattr(stage, "check", lambda db: type("R", (), {"problems": ["line 3"]}))
    assert run(["play", "--only", "money_wheel"]) == 1
    assert "line 3" in capsys.readouterr().err


def test_the_roles_of_the_help_are_the_acts():
    """Named apart, for the acts take long to import."""
    assert tuple(act_of(role).role for role in ROLES) == ROLES


@pytest.mark.parametrize(
    ("spins", "places"), [(3, (0, 1)), (4, (1, 2)), (5, (1, 3)), (12, (4, 8))]
)
def test_neither_void_is_the_last_spin(spins, places):
    """Its bets would stand for one more, and three spins would be four."""
    assert roulette.failing_spins(spins) == places
