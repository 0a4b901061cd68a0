"""The second board of the bench: its lines, its schedule, the cycles of its PIO program."""

import ast
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "stimulus"


@pytest.fixture(scope="module")
def device():
    """Its modules, imported as on the board: from one folder, by their names."""
    sys.path.insert(0, str(FOLDER))
    try:
        import lines
        import schedule
        import stimulus_commands as commands
    finally:
        sys.path.remove(str(FOLDER))
    return {"commands": commands, "lines": lines, "schedule": schedule}


class Player:
    """Notes what it is to show."""

    def __init__(self):
        self.steps = []

    def show(self, mask):
        self.steps.append(mask)

    def play(self, schedule):
        self.steps += [schedule.step(number) for number in range(schedule.steps)]


@pytest.fixture
def ask(device):
    """Send some lines: what is answered, without the checksums."""
    player = Player()
    commands = device["commands"].Commands(player)

    def send(text):
        answers = commands.answers(device["lines"].wrapped(text))
        return [device["lines"].unwrapped(answer) for answer in answers]

    send.player = player
    return send


def test_the_sum_of_a_line(device):
    """CRC-32 of "hello" is 3610a686, as published for zlib."""
    lines = device["lines"]
    assert lines.wrapped("hello") == b"hello*3610a686\n"
    assert lines.unwrapped(b"hello*3610a686\r\n") == "hello"
    for broken in (
        b"hallo*3610a686\n",
        b"hello*3610a687\n",
        b"hello\n",
        b"\n",
        b"\xff*00000000\n",
    ):
        with pytest.raises(lines.Refused, match="sum"):
            lines.unwrapped(broken)


def test_a_schedule_is_taken_and_played(ask):
    """Edges at one time are one step; levels stand from the clear on."""
    assert ask("hello") == ["stimulus 1 channels 12 depth 4096"]
    assert ask("clear 1023") == ["ok 0"]
    assert ask("edge 100 0 0") == ask("edge 100 1 0") == ask("edge 250 0 1") == []
    assert ask("count") == ["ok 3"]
    assert ask("play") == ["playing", "played 3 late 0"]
    assert ask.player.steps == [1023, (100, 1020), (250, 1021)]


def test_an_edge_close_to_the_one_before_is_put_off_and_reported(ask):
    """The program cannot step within 5 us: 3 us after the last means 2 us late."""
    ask("clear 0")
    ask("edge 100 0 1")
    ask("edge 103 1 1")
    assert ask("play") == ["playing", "played 2 late 2"]
    assert ask.player.steps[1:] == [(100, 1), (105, 3)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("edge 99 0 1", "order"),
        ("edge 200 12 1", "range"),
        ("edge 200 0 2", "range"),
        ("edge -1 0 1", "range"),
        ("edge 1073741824 0 1", "range"),
        ("clear 4096", "range"),
        ("edge 1 2", "line"),
        ("edge a 0 1", "line"),
        ("", "line"),
        ("stop", "line"),
    ],
)
def test_what_is_refused(ask, text, why):
    """By one word, and nothing of it is taken."""
    ask("clear 0")
    ask("edge 100 0 1")
    assert ask(text) == [f"no {why}"]
    assert ask("count") == ["ok 1"]


def test_a_damaged_line_is_refused(device):
    """It would be an edge at another time."""
    commands = device["commands"].Commands(Player())
    [answer] = commands.answers(b"edge 100 0 1*00000000\n")
    assert device["lines"].unwrapped(answer) == "no sum"


def test_a_full_schedule_is_refused(device):
    """Not the last edge is dropped in silence."""
    schedule = device["schedule"].Schedule()
    for number in range(device["schedule"].DEPTH):
        schedule.add(10 * number, 0, number & 1)
    with pytest.raises(device["lines"].Refused, match="full"):
        schedule.add(10 * device["schedule"].DEPTH, 0, 0)


def test_the_words_of_the_pio_program(device):
    """Each instruction takes 1 us: pull, out, x + 1 times jmp, pull, out make a step of x + 5."""
    schedule = device["schedule"].Schedule()
    for t_us in (0, 100, 105, 1_000_105):
        schedule.add(t_us, 0, t_us & 1)
    assert [schedule.words(number)[0] for number in range(4)] == [0, 95, 0, 999_995]
    program = next(
        node
        for node in ast.parse((FOLDER / "pio_player.py").read_text()).body
        if isinstance(node, ast.FunctionDef)
    )
    steps = [node.value.func.id for node in program.body]
    assert steps == ["pull", "out", "label", "jmp", "pull", "out"]
