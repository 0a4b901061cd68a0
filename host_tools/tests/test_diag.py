"""`tabletool diag` without a table: verdicts, the report, calibration, the daily check."""

import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from tablespec.reasons import CHECKS, REASONS
from tabletools.cli.diag.camera_view import Picture
from tabletools.cli.diag.watching import Laps, dial, drawn, has_greys
from tabletools.cli.main import run
from tabletools.decode import sensor_samples
from tabletools.diag import calibrate, check, report
from tabletools.diag import card_shoe as pulling
from tabletools.diag import draw_machine as draws
from tabletools.diag import money_wheel as wheels
from tabletools.diag import shuffler as shuffles
from tabletools.diag.support_file import Recording
from tabletools.errors import ToolError
from tabletools.evidence import configuration, maintenance
from tabletools.store import Actor, Store, people
from tabletools.table import frames
from tablewire import card_shoe, draw_machine, money_wheel, roulette, shuffler
from tablewire.messages import SET_KEY
from tablewire.sender import Sender

CODES = Path(__file__).parents[1] / "docs" / "codes.md"
IDENTITY = {
    "device": 4711,
    "boot": 3,
    "role": "roulette",
    "board": "rpi_pico2",
    "firmware_major": 0,
    "firmware_minor": 1,
    "firmware_patch": 0,
    "schema": 1,
    "reset_cause": "power",
    "authenticated": False,
    "authentication": "none",
    "key_number": 0,
}
BEAT = {
    "edges_lost": 0,
    "free_bytes": 60_000,
    "largest_free_bytes": 40_000,
    "unacknowledged": 2,
    "frames_skipped": 0,
    "uptime_ms": 65_000,
    "faults": 1,
}


def sample(**changed):
    """A sensor_sample as it is decoded: rim 1 gave 5 pulses where 3 to 60,000 pass."""
    reported = {
        "sensor": "rim_1",
        "quantity": "pulses",
        "value": 5,
        "low": 3,
        "high": 60_000,
        "level": 0,
        "verdict": "pass",
        "code": None,
        "reason": None,
    }
    return check.of_sample(sensor_samples.SensorSample(**reported | changed))


def test_a_sensor_is_reported_with_its_limit():
    """Sixty thousand pulses are as many as a table counts: no limit to a person."""
    verdict = sample()
    assert (verdict.name, verdict.verdict, verdict.value) == ("rim 1: pulses", "pass", 5)
    assert (verdict.low, verdict.high, verdict.limits(), verdict.note) == (
        3,
        None,
        "from 3",
        "line off",
    )


def test_what_a_board_does_not_measure_is_not_judged():
    """A supply outside its limits has a code of the tool; without a reading that is shown."""
    reported = {
        "sensor": None,
        "quantity": "supply",
        "value": 3900,
        "low": 4200,
        "high": 5400,
        "level": None,
        "verdict": "fail",
        "code": None,
        "reason": None,
    }
    supply, chip = check.of_samples([sensor_samples.SensorSample(**reported)])
    assert (supply.name, supply.code, supply.limits()) == ("table: supply", 1006, "4200..5400")
    assert (chip.verdict, chip.note) == ("skip", "this board measures none")
    supply, chip = check.of_samples([])
    assert (supply.verdict, supply.note.endswith("4.75 to 5.25 V")) == ("skip", True)


def test_no_closed_switch_is_a_word():
    """The array reports pocket -1 when nothing is closed."""
    reported = {
        "sensor": "array",
        "quantity": "pocket",
        "value": -1,
        "low": 1,
        "high": 0,
        "level": None,
        "verdict": "skip",
        "code": None,
        "reason": None,
    }
    pocket = sensor_samples.SensorSample(**reported)
    verdict = check.of_sample(pocket)
    assert (verdict.value, verdict.note) == (None, "none")
    assert pocket.text() == "SKIP array, pocket after the index none"
    assert "-1" not in report.lines(IDENTITY, [verdict])[1]


def test_what_was_not_judged_says_why():
    """Low above high: reported only, with how it can be judged."""
    verdict = sample(low=1, high=0, verdict="skip", level=1)
    assert (verdict.limits(), verdict.note) == ("", "line on, judged with --self-test")


@pytest.mark.parametrize(
    ("frames", "bad", "answers", "codes"),
    [
        (100, 1, [80, 160], []),  # one is the frame that was joined
        (100, 2, [80], [1001]),
        (3000, 3, [500], []),  # one in a thousand
        (3000, 4, [501], [1001, 1002]),
    ],
)
def test_a_line_is_judged(frames, bad, answers, codes):
    """Frames damaged or missing, and the slowest answer."""
    verdict = check.of_link(frames, bad, answers)
    assert [row.code for row in verdict if row.verdict == "fail"] == codes


@pytest.mark.parametrize(
    ("changed", "codes"),
    [
        ({}, []),
        ({"edges_lost": 1}, [501]),
        ({"free_bytes": 16_383}, [1003]),
        ({"free_bytes": None}, []),
        ({"unacknowledged": 28}, [1005]),
    ],
)
def test_counters_are_judged(changed, codes):
    """Each by its limit; what is not known is not judged."""
    verdict = check.of_heartbeat(BEAT | changed, faults_reported=True)
    assert [row.code for row in verdict if row.verdict == "fail"] == codes


def test_faults_nobody_named_fail():
    """The count of the table, where its self test was refused."""
    verdict = check.of_heartbeat(BEAT, faults_reported=False)
    assert [(row.name, row.value) for row in verdict if row.verdict == "fail"] == [
        ("active faults", 1)
    ]


def test_the_report_explains_a_failure():
    """Who it is, what to do first, a line a check, the sum."""
    failed = sample(value=0, verdict="fail", code=301)
    lines = report.lines(IDENTITY, [sample(), failed])
    assert lines[0].startswith("table 4711, roulette on rpi_pico2, firmware 0.1.0, boot 3 (power)")
    assert lines[0].endswith("UNAUTHENTICATED")
    assert lines[1] == "What to do first:"
    assert lines[2].startswith("  1. Check the plug and the supply of rim 1, then pass")
    assert lines[3].endswith("or nothing passed it. (rim 1: pulses)")
    assert lines[4].split("  ")[0] == "PASS"
    assert lines[5].startswith("FAIL  rim 1: pulses")
    assert lines[6] == "      see 1"
    assert lines[-1] == "2 checks: 1 failed, 0 not judged"
    data = report.data(IDENTITY, [sample(), failed])
    assert data["counts"] == {"pass": 1, "fail": 1, "skip": 0}
    assert data["checks"][1]["reason"] == "sensor_stuck"
    assert json.loads(json.dumps(data)) == data


# --- calibration ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "reported", "true", "places", "new"),
    [(0, 12, 14, 37, 2), (36, 12, 14, 37, 1), (0, 1, 0, 38, 37), (5, 9, 9, 52, 5)],
)
def test_an_offset_turns_what_was_reported_into_what_was_true(old, reported, true, places, new):
    """By hand, round the wheel: 36 + 2 of 37 is 1."""
    assert calibrate.offset(old, reported, true, places) == new


def test_a_place_beyond_the_wheel_is_refused():
    """A wheel of 37 has no place 37."""
    with pytest.raises(ToolError, match="true is place 37"):
        calibrate.offset(0, 1, 37, 37)


def test_the_flapper_may_lie_either_way_round():
    """The reading farthest from rest is the top of a pin."""
    rest, top = money_wheel.FLAPPER_REST_RAW, money_wheel.FLAPPER_TOP_RAW
    assert wheels.flapper(960, 950, 2944) == {rest: 960, top: 2944}
    assert wheels.flapper(3000, 1024, 3008) == {rest: 3000, top: 1024}


@pytest.mark.parametrize(
    ("readings", "words"),
    [
        ((960, 940, 1100), "swung by 140"),
        ((960, 960, 4032), "reads 4032"),
    ],
)
def test_a_flapper_that_cannot_be_calibrated(readings, words):
    """It did not move, or its wire is cut."""
    with pytest.raises(ToolError, match=words):
        wheels.flapper(*readings)


def test_a_flapper_is_measured_at_rest():
    """Two steps of the converter are noise; more is a wheel that turns."""
    assert wheels.still(960, 1088) == 960
    with pytest.raises(ToolError, match="moved by 192"):
        wheels.still(960, 1152)


def way_out(begin_us, mm_s, long_mm=40, apart_mm=15):
    """Edges of something that leaves a gate at an even speed; the clock wraps at 2**30 us."""
    for sensor, mm, level in (
        (1, 0, 1),
        (2, apart_mm, 1),
        (1, long_mm, 0),
        (2, long_mm + apart_mm, 0),
    ):
        yield (begin_us + mm * 1_000_000 // mm_s) % (1 << 30), sensor, level


def balls(count, begin_us=0, **shape):
    """Edges of so many, a second apart, at 0.8 to 1.2 m/s."""
    return [
        edge
        for n in range(count)
        for edge in way_out(begin_us + n * 1_000_000, 800 + n * 400 // count, **shape)
    ]


def test_a_ball_gate_is_calibrated_by_the_balls_that_left_it():
    """40 mm over 15 mm is 267 %, at any speed; the median of 0.8 to 1.16 m/s takes 41 ms."""
    passages = list(draws.passages(balls(10, (1 << 30) - 4_500_000)))
    assert [round(each.percent) for each in passages] == [267] * 10
    new = draws.ball(passages)
    assert new == {draw_machine.BALL_MS: 41, draw_machine.BALL_RATIO: 267}
    assert [check.verdict for check in draws.ball_checks(passages)] == ["pass", "pass"]


def test_what_only_comes_near_a_gate_is_no_ball():
    """At the inner beam alone, at the outer one alone, or for a millisecond before the ball."""
    near = [(0, 1, 1), (30_000, 1, 0), (100_000, 2, 1), (140_000, 2, 0)]
    flicker = [(998_500, 1, 1), (999_300, 1, 0)]
    [one] = draws.passages([*near, *flicker, *way_out(1_000_000, 1000)])
    assert one.inner_us == 40_000


def test_a_gate_whose_balls_spread_is_refused():
    """One of ten was two that touched: 80 mm, a spread of 27 %; and nine balls are too few."""
    pair = list(way_out(20_000_000, 1000, long_mm=80))
    with pytest.raises(ToolError, match=r"spreads by 3[0-9].* the longest 533 %"):
        draws.ball(list(draws.passages(balls(9) + pair)))
    with pytest.raises(ToolError, match="9 balls are in the traces") as few:
        draws.ball(list(draws.passages(balls(9))))
    assert "ball_ms=41" in few.value.step
    with pytest.raises(ToolError, match="0 balls"):
        draws.ball([])


DECK = shuffles.Passed(52, 80_400, 20, 70)


def test_time_and_spread_of_a_card():
    """The mean of both gates, to a millisecond; the wider spread and a tenth of it."""
    gates = [DECK, shuffles.Passed(52, 79_000, 24, 60)]
    assert shuffles.card_times(gates) == {shuffler.CARD_MS: 80, shuffler.CARD_SPREAD: 27}


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        (shuffles.Passed(19, 80_000, 20, 70), "19 cards passed"),
        (shuffles.Passed(52, 80_000, 55, 120), "two that overlap by 69 %"),
        (shuffles.Passed(52, 80_000, 20, 130), "a card took 13.0 % more"),
    ],
)
def test_a_shuffler_that_leaves_no_room(gate, words):
    """Too few cards; a spread of 5.5 % and a tenth: 5 x 6.1 = 30.5 % hide; one card is odd."""
    with pytest.raises(ToolError, match=words):
        shuffles.card_times([DECK, gate])


def test_length_and_thickness_of_a_card():
    """The limit is half way from the thickest card to the thinnest two."""
    single, double = pulling.Pulled(441, 30, 1856, 1984), pulling.Pulled(440, 30, 2880, 3072)
    assert pulling.pulls(single, double) == {
        card_shoe.CARD_RATIO: 441,
        card_shoe.SHEET_LIMIT_RAW: 2432,
        card_shoe.SHEET_CARD_RAW: 1920,
    }


@pytest.mark.parametrize(
    ("single", "double", "words"),
    [
        ((441, 80, 1856, 1984), (440, 30, 2880, 3072), "spread by 8.0 %"),
        ((441, 30, 1856, 2752), (440, 30, 2880, 3072), "one card reads up to 2752, two from 2880"),
    ],
)
def test_a_shoe_that_leaves_no_room(single, double, words):
    """Uneven pulls; a sensor to which two are hardly thicker than one."""
    with pytest.raises(ToolError, match=words):
        pulling.pulls(pulling.Pulled(*single), pulling.Pulled(*double))


def test_the_check_of_a_calibration():
    """Within the slack it passes; else 1004."""
    assert calibrate.checked("x", 12, 12).verdict == "pass"
    assert calibrate.checked("x", 180, 170, 34).verdict == "pass"
    assert calibrate.checked("x", 13, 12).code == 1004


# --- what is shown and kept ----------------------------------------------------------------------


def test_a_dial_points_where_the_wheel_stands():
    """An arrow in eight directions, a place of 24, degrees."""
    assert dial(0).startswith("↑ ●")
    assert dial(90_000).startswith("→ ······●")
    assert dial(350_000).startswith("↑")
    assert dial(270_000).endswith("270 degrees")


# Sixteen steps from black to white and back, in each of twelve rows; below them all black but one.
PICTURE = Picture.of_bytes(
    bytes.fromhex("0123456789abcdeffedcba9876543210" * 12 + "00" * 191 + "0f")
)
UPPER = "  ..:--==+**##%@@%##**+==--:..  "


def test_a_picture_in_letters():
    """A letter for two rows; ten letters for 0 to 15, so 7 is the 4.2th, 15 over 0 the 4.5th."""
    *lines, below = PICTURE.drawing(coloured=False).plain.split("\n")
    assert lines == [UPPER] * 6 + [" " * 32] * 5 + [" " * 31 + "="]
    assert below == "brightness of 255: min 0, mean 64, max 255"


def test_a_picture_in_half_blocks():
    """The upper cell is the ink, the lower the paper: 255 * 15 / 15 over 0."""
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, color_system="truecolor", width=120)
    console.print(drawn("still", [], PICTURE.drawing(coloured=has_greys(console))))
    output = screen.getvalue()
    assert output.count("▀") == 32 * 12
    assert "\x1b[38;2;119;119;119;48;2;119;119;119m▀" in output  # a 7 over a 7
    assert "\x1b[38;2;0;0;0;48;2;255;255;255m▀" in output  # the last of all
    assert "max 255" in output


@pytest.mark.parametrize(
    ("options", "greys"),
    [
        ({"force_terminal": True, "color_system": "256"}, True),
        ({"force_terminal": True, "color_system": "standard"}, False),
        ({"force_terminal": True, "color_system": "256", "no_color": True}, False),
        ({}, False),
    ],
)
def test_greys_are_shown_where_there_are_some(options, greys):
    """Sixteen colours have four greys; NO_COLOR has none, and what is no terminal."""
    assert has_greys(Console(file=io.StringIO(), **options)) is greys


def test_laps_are_those_of_the_better_sensor():
    """Each rim sensor sees each lap once; one may miss some."""
    for rims, looks in (
        (("rim_1", "rim_2"), ((2, 1), (0, 1))),
        (("rim_1", "rim_2", "rim_3", "rim_4"), ((1, 1, 0, 2), (0, 0, 1, 0))),
    ):
        laps = Laps()
        for counts in looks:
            laps.add(
                [
                    sensor_samples.SensorSample(name, "pulses", count, 1, 0, None, "skip")
                    for name, count in zip((None, *rims), (60_000, *counts), strict=True)
                ]
            )
        assert laps.passes == 3


def test_a_recording_never_holds_a_key():
    """A key given in the clear becomes zeros."""
    secret = bytes(range(1, 33))
    recording = Recording("test")
    recording.note(1.0, ">", Sender(4711, 3).build(SET_KEY, (1, 0, secret)))
    recording.note(1.5, "<", b"\x01\x02\x00")
    assert secret.hex() not in recording.text()
    assert len(recording.text().splitlines()) == 3


@pytest.fixture
def ledger(tmp_path):
    """The file of a ledger with a technician and a user who left."""
    file = tmp_path / "pit.ledger"
    store = Store.open(file)
    people.create_user(store, "Tim", "technician", None, Actor("test"))
    gone = people.create_user(store, "Gus", "technician", None, Actor("test"))
    people.change_user(store, gone, Actor("test"), enabled=0)
    store.close()
    return str(file)


ALL_OK = ("--level", "ok", "--magnet", "ok", "--ball", "ok", "--parts", "ok")


def test_a_daily_check_is_kept_with_its_name(ledger, capsys):
    """Newest first; something bad is exit code 6, and kept all the same."""
    words = ["diag", "daily", ledger, "--device", "4711"]
    assert run([*words, "--by", "Tim", *ALL_OK]) == 0
    bad = ("--level", "bad", *ALL_OK[2:], "--note", "levelled, 0.2 mm")
    assert run([*words, "--by", "Tim", *bad]) == report.FAILED
    capsys.readouterr()
    assert run([*words, "--list"]) == 0
    newest, oldest = capsys.readouterr().out.splitlines()
    assert "4711  Tim: level bad, magnet ok, ball ok, parts ok; levelled, 0.2 mm" in newest
    assert oldest.endswith("Tim: level ok, magnet ok, ball ok, parts ok")


def test_no_roulette_wheel_opens_without_a_walk(ledger, capsys):
    """None, a failed one, one with another index_offset: exit code 6; then a passed one: 0."""
    store = Store.open(ledger)
    tim = maintenance.worker(store, "Tim")
    store.run(lambda db: frames.note_device(db, 4711, 1, role="roulette"))
    words = ["diag", "daily", ledger, "--device", "4711", "--by", "Tim", *ALL_OK]
    keys = dict.fromkeys(maintenance.walked_keys("roulette"), 1)

    def refused():
        code = run(words)
        return code, capsys.readouterr().err

    code, error = refused()
    assert (code, "no walk round this wheel is recorded" in error) == (report.FAILED, True)
    maintenance.keep_walk(store, tim, 4711, keys, passed=False)
    code, error = refused()
    assert (code, "the last walk round this wheel failed" in error) == (report.FAILED, True)
    maintenance.keep_walk(store, tim, 4711, keys, passed=True)
    assert refused() == (0, "")
    read = SimpleNamespace(boot=3, counter=9, values=(roulette.INDEX_OFFSET, 5))
    store.run(lambda db: list(configuration.store(db, configuration.Facts(4711), [read], 2)))
    code, error = refused()
    assert code == report.FAILED
    assert "index_offset is 5 and was 1 in the last walk" in error
    store.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--by", "Gus", *ALL_OK), "no enabled user 'Gus'"),
        (("--by", "Amy", *ALL_OK), "no enabled user 'Amy'"),
        (("--by", "Tim", *ALL_OK[2:]), "missing: --level"),
    ],
)
def test_a_daily_check_nobody_made_is_refused(options, words, ledger, capsys):
    """By a name the ledger does not know, or not looked at whole; nothing is kept."""
    assert run(["diag", "daily", ledger, "--device", "4711", *options]) == 1
    assert words in capsys.readouterr().err
    assert run(["diag", "daily", ledger, "--device", "4711", "--list"]) == 0
    assert not capsys.readouterr().out.strip()


def test_every_code_has_its_section():
    """Of the table and of diag, each once, none beside; no number twice."""
    numbers = [reason.number for reason in (*REASONS, *CHECKS)]
    matches = re.findall(r"(?m)^## (\d+) (\w+)$", CODES.read_text(encoding="utf-8"))
    assert matches == [(str(r.number), r.name) for r in (*REASONS, *CHECKS)]
    assert len(set(numbers)) == len(numbers)


def test_a_port_that_is_none_is_named(capsys):
    """`diag PORT` is `diag table PORT`: exit code 3, with the cause."""
    assert run(["diag", "/dev/not-there"]) == 3
    assert "cannot open the port" in capsys.readouterr().err
