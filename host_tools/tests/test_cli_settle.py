"""`tabletool settle`: files, pipes, exit codes, help; once as a program."""

import io
import json
import subprocess
import sys
from typing import NamedTuple

import pytest

from tabletools.cli import main
from tabletools.cli.settle import EXAMPLES
from tabletools.settle.schema import settle_schema

GOOD = (
    '{"rules":"hc2023","game":"roulette","variant":"american","bets":[{"id":"1","bet":"Noir",'
    '"stake":500}],"outcome":{"pocket":"0"}}'
)
HALF = {
    "id": "1",
    "outcome": "half",
    "stake": 500,
    "win": 0,
    "back": 250,
    "live": 0,
    "lost": 250,
    "state": None,
    "rule": "hc2023 2:3(2)",
    "paragraphs": ["hc2023 2:3(2)"],
    "odds": None,
    "facts": "0 on Noir",
}
PROGRAM = "from tabletools.cli.main import main; main()"


class Done(NamedTuple):
    """A command that ended."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys):
    """Carries out the command in this process, with a text on its standard input."""

    def carry_out(*arguments, text=""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        code = main.run(["settle", *arguments])
        return Done(code, *capsys.readouterr())

    return carry_out


def test_the_program_reads_a_pipe():
    """A process of its own, as a shell starts it."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "settle"],
        input=f"{GOOD}\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"settlements": [HALF]}


BLACKJACK = {
    "rules": "hc2023",
    "game": "blackjack",
    "bets": [
        {"id": "1", "player": "Bea", "bet": "bet", "stake": 1000},
        {"id": "2", "player": "Ada", "bet": "bet", "stake": 500},
        {"id": "3", "player": "Bea", "bet": "double", "stake": 1000},
    ],
    "outcome": {
        "bank": "6C QD KS",
        "boxes": {
            "1": {"cards": "9H 2H TS", "bets": ["1", "3"]},
            "2": {"cards": "TH QS", "bets": ["2"]},
        },
    },
}


@pytest.mark.parametrize("width", [80, 120])
def test_a_round_as_a_table(run, monkeypatch, width):
    """Black Jack, the bank busts with 26: each stake is paid 1:1. No line is wider."""
    monkeypatch.setenv("COLUMNS", str(width))
    done = run("--table", text=json.dumps(BLACKJACK) + "\nnonsense\n")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= width
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line]
    assert rows[0] == ["player", "bet", "stake", "odds", "paragraph", "receives"]
    figures = [(row[0], row[2], row[3], row[5]) for row in rows if row[0]]
    assert figures[1:] == [
        ("Ada", "5.00", "1:1", "10.00"),
        ("Bea", "10.00", "1:1", "20.00"),
        ("Bea", "10.00", "1:1", "20.00"),
        ("total", "25.00", "", "50.00"),
    ]
    assert "hc2023" in " ".join(row[4] for row in rows)
    assert any(line.startswith("line 2: ") for line in lines)
    other = run("--table", "--text", text="")
    assert (other.returncode, "give one of them" in other.stderr) == (1, True)


@pytest.mark.parametrize("width", [30, 40])
def test_a_terminal_that_is_too_narrow_for_a_table_gets_sentences(run, monkeypatch, width):
    """With whole words: those of `--text`, in lines that fit."""
    monkeypatch.setenv("COLUMNS", str(width))
    text = json.dumps(BLACKJACK)
    lines = run("--table", text=text).stdout.splitlines()
    assert max(map(len, lines)) <= width
    assert " ".join(lines).split() == run("--text", text=text).stdout.split()


def test_a_settlement_as_a_sentence(run):
    """What fell on what was bet, the paragraph, the amounts; an error as text."""
    done = run("--text", text=f"{GOOD}\nnonsense\n")
    good, bad = done.stdout.splitlines()
    assert good == (
        "1: 0 on Noir: part of the stake lost, hc2023 2:3(2); stake 2.50 returned, stake 2.50 lost"
    )
    assert bad.startswith("line 2: ")


def test_a_bonus_on_a_lost_hand_is_told_as_one(run):
    """Casino21: five cards of 15 points lose to 19; the bonus of one stake is paid (3:2(14))."""
    text = (
        '{"rules":"hc2023","game":"blackjack","variant":"casino21","bets":[{"id":"1","bet":"bet",'
        '"stake":1000}],"outcome":{"player":"AS 2D 3C 4D 5H","bank":"9D KC"},'
        '"table":{"five_cards":true}}\n'
    )
    assert run("--text", text=text).stdout == (
        "1: player AS 2D 3C 4D 5H, bank 9D KC on bet: lost, bonus 1:1, hc2023 3:2(14), 3:2(4); "
        "winnings 10.00, stake 10.00 lost\n"
    )


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_standard_input_is_settled(run, arguments):
    """Without a file, or with -, rounds come from standard input."""
    done = run(*arguments, text=GOOD + "\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"settlements": [HALF]}


def test_a_file_is_settled_and_one_bad_line_gives_exit_code_1(run, tmp_path):
    """Every line is answered; the exit code shows that one was refused."""
    rounds = tmp_path / "rounds.jsonl"
    rounds.write_text(f"{GOOD}\nnonsense\n{GOOD}\n", encoding="utf-8")
    done = run(str(rounds))
    first, second, third = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 1
    assert first == third == {"settlements": [HALF]}
    assert second["error"]["code"] == "not_json"


def test_the_schema_is_printed(run):
    """--schema prints the schema and reads nothing."""
    done = run("--schema")
    assert done.returncode == 0
    assert json.loads(done.stdout) == json.loads(json.dumps(settle_schema()))


def test_help_has_an_example_that_works(run):
    """The help shows a round; fed to the program it settles."""
    help_text = run("--help").stdout
    assert "tabletool settle rounds.jsonl" in help_text
    assert "--schema" in help_text
    sample = EXAMPLES.split("echo '")[1].split("'")[0]
    done = run(text=sample + "\n")
    assert done.returncode == 0
    assert json.loads(done.stdout)["settlements"][0]["outcome"] == "half"


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_a_file_that_cannot_be_read(run, tmp_path, name):
    """The file is named and nothing is settled."""
    done = run(str(tmp_path / name))
    assert done.returncode == 1
    assert done.stdout == ""
    assert "cannot read the rounds" in done.stderr
