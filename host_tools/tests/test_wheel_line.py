"""The status line: what is a line, what a wheel did by it, and what is never believed."""

import pytest

from tabletools.cms.wheel_line import DamagedLine, Number, Status, WheelReader, build, cut, parse

STEP_MS = 500


def line(state, spin=7, number=" 4", warnings=0):
    return f"*X;{state};{spin:03d};{number};{warnings:X};142;0".encode()


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        (b"*X;5;146; 9;0;158;0", Status(5, 146, " 9", 0, 158, False)),
        (b"*X;1;001;  ;0;095;1", Status(1, 1, "  ", 0, 95, True)),
        (b"*X;2;256;00;5;983;0", Status(2, 256, "00", 5, 983, False)),
        (b"*X;7;012; 0;F;190;1", Status(7, 12, " 0", 15, 190, True)),
        (b"*X;5;012;38;0;142;0", Status(5, 12, "38", 0, 142, False)),
        (b"31", Number("31")),
        (b" 0", Number(" 0")),
    ],
)
def test_a_line_is_read_as_it_is_written(raw, meant):
    """Each field by hand; a status line written again is the same bytes."""
    assert parse(raw) == meant
    if isinstance(meant, Status):
        assert build(meant) == raw + b"\r\n"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"*X;4;14*X;*X;4;146; 9;0;158;0",
        b"*X;8;146; 9;0;158;0",
        b"*X;0;146; 9;0;158;0",
        b"*X;5;000; 9;0;158;0",
        b"*X;5;257; 9;0;158;0",
        b"*X;5;146;37;0;158;0",
        b"*X;5;146;09;0;158;0",
        b"*X;5;146;9 ;0;158;0",
        b"*X;5;146; 9;G;158;0",
        b"*X;5;146; 9;0;158;2",
        b"*X;5;146; 9;0;15;0",
        b" *X;5;146; 9;0;158;0",
        b"*X;5;146; 9;0;158;0\n",
        b"39",
        b"01",
        b"  ",
        b"\xff9",
        b"4",
        b"*x;5;146; 9;0;158;0",
    ],
)
def test_a_damaged_line_is_refused(raw):
    """Merged, torn, out of range, almost right: none is guessed at."""
    with pytest.raises(DamagedLine):
        parse(raw)


def test_no_changed_byte_makes_another_number_of_a_spin():
    """Each byte of a line replaced by each other one: it is refused, or reads as those bytes."""
    good = line(5)
    for place in range(len(good)):
        for byte in range(256):
            bad = good[:place] + bytes([byte]) + good[place + 1 :]
            try:
                parsed = parse(bad)
            except DamagedLine:
                continue
            assert build(parsed) == bad + b"\r\n"


def test_lines_are_cut_from_what_comes():
    """Whole lines, the rest kept; noise without an end is not kept for ever."""
    assert cut(b"31\r\n*X;5;1") == ([b"31"], b"*X;5;1")
    assert cut(b"a\nb\rc\r\n") == ([b"a\nb\rc"], b"")
    assert cut(b"n" * 65) == ([b"n" * 65], b"")


class Wheel:
    """A wheel that sends a line every 500 ms to a reader."""

    def __init__(self, dialect="ss2"):
        self.reader, self.now, self.spin = WheelReader(dialect), 0, 7
        self.say(6, 1)

    def say(self, *states, number=" 4", warnings=0, step=STEP_MS):
        events = []
        for state in states:
            self.now += step
            events += self.reader.feed(line(state, self.spin, number, warnings), self.now)
        return [(one.kind, one.number or one.text) for one in events]

    def bare(self, text):
        self.now += 20
        return [(one.kind, one.number) for one in self.reader.feed(text, self.now)]


OPENED, CLOSED = ("opened", ""), ("closed", "")


@pytest.fixture
def wheel():
    return Wheel()


def test_a_spin_is_followed(wheel):
    """Opened, closed, and the number once the bare line and `*X;5` agree; repeats add nothing."""
    assert wheel.say(2, 2, 2) == [OPENED]
    assert wheel.say(3, 3, 4, 4) == [CLOSED]
    assert wheel.bare(b"31") == []
    assert wheel.say(5, number="31") == [("result", "31")]
    assert wheel.say(5, 5, 5, number="31") == []
    assert wheel.say(2, number="31") == [OPENED]


def test_a_number_that_changes_after_the_result_is_reported(wheel):
    """The round was settled by 31, now the wheel says 13 of the same spin: two users correct it.

    Two lines have to agree, as for a result; said once for each number, and of that spin alone.
    """
    wheel.say(2, 3, 4)
    wheel.bare(b"31")
    assert wheel.say(5, number="31") == [("result", "31")]
    assert wheel.say(5, number="13") == []
    what = "the wheel reports 13 as the number of spin 7, after it reported 31"
    assert wheel.say(5, number="13") == [("warning", what)]
    assert wheel.say(6, 1, 5, number="13") == []
    assert [wheel.bare(b"32"), wheel.bare(b"32")][1][0][0] == "warning"
    wheel.spin = 8
    assert wheel.say(1, number="32") == []
    assert wheel.say(2, 3, 4, number="32") == [OPENED, CLOSED]
    assert wheel.say(5, 5, 5, number=" 9") == [("result", " 9")]


def test_a_void_spin_with_a_number_is_no_change(wheel):
    """The wheel voided the spin, so there is no number that another one could replace."""
    wheel.say(2, 3, 4)
    assert wheel.say(6, number="31")[0][0] == "void"
    assert wheel.say(1, 1, 5, number="13") == []


def test_two_status_lines_agree_without_the_bare_one(wheel):
    """The bare line was torn: the second `*X;5` decides."""
    wheel.say(2, 3, 4)
    assert wheel.say(5, number="00") == []
    assert wheel.say(5, number="00") == [("result", "00")]


def test_two_numbers_settle_nothing(wheel):
    """The bare line has 31, the status 13: a doubt, and later lines are not accepted."""
    wheel.say(2, 3, 4)
    wheel.bare(b"31")
    assert wheel.say(5, number="13") == [("doubt", "lines differ on the number: 13 and 31")]
    assert wheel.say(5, 5, number="13") == []


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ((2, 4), ("doubt", "state 4 came after 2")),
        ((2, 5), ("doubt", "state 5 came after 2")),
        ((2, 3, 5), ("doubt", "state 5 came after 3")),
        ((2, 3, 2), ("doubt", "the next round began without a number")),
        ((2, 6), ("void", "the wheel went from state 2 to 6")),
        ((2, 3, 1), ("void", "the wheel went from state 3 to 1")),
        ((2, 3, 4, 7), ("void", "the wheel went from state 4 to 7")),
    ],
)
def test_another_sequence_gives_no_number(wheel, states, expected):
    """Left out, turned back, broken off: a doubt or a void, and then `*X;5` is nothing."""
    assert wheel.say(*states)[-1 - (states == (2, 3, 2)) :][0] == expected
    if states != (2, 3, 2):
        assert wheel.say(5, 5, 5, number="31") == []


def test_a_number_before_the_end_of_bets_is_nothing(wheel):
    """A bare line while bets are open, and one before any round."""
    assert wheel.bare(b"31") == []
    wheel.say(2)
    assert wheel.bare(b"31") == []
    wheel.say(3, 4)
    assert wheel.say(5, number="12") == []
    assert wheel.say(5, number="12") == [("result", "12")]


def test_the_counter_may_rise_by_one_and_no_more(wheel):
    """With an edge it continues, over its wrap too; without one, or by two, it is a doubt."""
    wheel.spin = 256
    wheel.say(2)
    wheel.spin = 1
    assert wheel.say(3) == []
    wheel.spin = 3
    assert wheel.say(4) == [("doubt", "spin counter 1 became 3")]
    wheel.say(6, 2)
    wheel.spin = 4
    assert wheel.say(2) == [("doubt", "spin counter 3 became 4")]


def test_a_silent_line_ends_the_round_and_a_burst_opens_none(wheel):
    """2.5 s of nothing: a doubt. What comes at once after it, whole spins long, is old."""
    wheel.say(2, 3, 4)
    wheel.now += 2_001
    kinds = [one.kind for one in wheel.reader.quiet(wheel.now)]
    assert kinds == ["doubt"]
    for _ in range(50):
        assert wheel.say(2, 3, 4, 5, 5, number="31", step=1) == []
    assert wheel.say(6, 2) == []  # two lines at their pace are not enough
    assert wheel.say(3, 4, 5, 5) == []
    assert wheel.say(2) == [OPENED]


def test_a_burst_without_a_look_between_is_seen_too(wheel):
    """Nobody let time pass: the first line of the burst does."""
    wheel.say(2, 3, 4)
    wheel.now += 60_000
    expected = ("doubt", "nothing was received for more than 2 s")
    assert wheel.say(4, 5, 5, number="31", step=1) == [expected]


def test_a_program_that_starts_in_a_round_does_not_join_it():
    """The first line read is no more bets: the number that follows belongs to no known round."""
    wheel = Wheel()
    wheel.reader = WheelReader("ss2")
    assert wheel.say(4, 4, 5, 5, number="31") == []


@pytest.mark.parametrize(
    ("warning", "after_ms", "expected"),
    [(1, 5_000, 1), (2, 0, 2), (4, 0, 1), (8, 3_000, 2)],
)
def test_warnings_are_debounced_and_reported_once(wheel, warning, after_ms, expected):
    """1 for 5 s, 8 for 3 s, 2 and 4 at once; 2 and 8 void the round; repeats say nothing."""
    wheel.say(2)
    steps = after_ms // STEP_MS
    assert wheel.say(*[2] * steps, warnings=warning) == []
    events = wheel.say(2, warnings=warning)
    assert [kind for kind, _ in events] == ["warning", "void"][:expected]
    assert events[0][1].startswith(f"warning {warning}: ")
    assert wheel.say(2, 2, warnings=warning) == []


def test_a_warning_that_goes_away_was_nothing(wheel):
    """8 for 2.5 s, gone, 8 again for 2.5 s: no number is reported."""
    wheel.say(2)
    for _ in range(2):
        assert wheel.say(2, 2, 2, 2, 2, warnings=8) == []
        assert wheel.say(2) == []


def test_a_warning_of_the_spin_before_voids_this_one_too_if_it_stays(wheel):
    """2 voids a round and is still set when the next ball runs; gone by then it means nothing."""
    for stays in (True, False):
        wheel.say(2, 3, 4)
        assert [kind for kind, _ in wheel.say(5, warnings=2, number="31")] == ["warning", "void"]
        assert wheel.say(2, 2, warnings=2) == [OPENED]
        kinds = [kind for kind, _ in wheel.say(3, 4, 5, 5, warnings=2 * stays, number=" 9")]
        assert kinds == (["warning", "void"] if stays else ["closed", "result"])


@pytest.mark.parametrize("is_bare", [True, False])
def test_a_number_with_a_warning_that_would_void_is_in_doubt(wheel, is_bare):
    """8 for less than 3 s is no void yet, and no result either: two users rule."""
    wheel.say(2, 3, 4)
    if is_bare:
        wheel.bare(b"31")
    events = wheel.say(*[5] * (2 - is_bare), warnings=8, number="31")
    assert events == [("doubt", "the number 31 came with warning 8")]


def test_damaged_lines_change_nothing(wheel):
    """Noise between every two lines: the spin is followed, the noise is counted."""
    kinds = []
    for state in (2, 3, 4, 5, 5):
        wheel.reader.feed(b"*X;4;14*X;*X;4;146; 9;0;158;0", wheel.now)
        kinds += wheel.say(state, number="31")
    assert kinds == [OPENED, CLOSED, ("result", "31")]
    assert wheel.reader.damaged == 5
    assert "no status line" in wheel.reader.last_damaged


def test_a_dialect_nobody_knows_is_refused():
    with pytest.raises(ValueError, match="use ss2 or mercury"):
        WheelReader("other")
