"""A table with a camera of the host above its tray: a throw is read at once, paid once, or held.

The camera is scripted: not there, unplugged in a throw, frozen, black, moved, of another tray; and
the host may be late. Faces come from the dice that were drawn; bets stay held, nothing is guessed.
"""

import json
import math
from concurrent.futures import BrokenExecutor, Future
from dataclasses import replace
from hashlib import sha256
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from sqlalchemy import select

from hil_tests.dice_aside import Camera, aside, boards
from host_tools.tests.overhead_camera import EMPTY, ScriptedCamera, dice, grey, host_camera
from host_tools.tests.test_ledger_host_readings import assert_held
from host_tools.tests.throws import SIC_BO, Tray, faces, row, texts, trace
from tabletools.dice.overhead.picture_facts import png_with
from tabletools.dice.second_camera import calibrated
from tabletools.evidence import alarms as kinds
from tabletools.evidence.device_clock import Estimate
from tabletools.evidence.second_readings import Awaited, of_round
from tabletools.money.play_queries import present
from tabletools.pit.second_reader import Inline, ReadingAids
from tabletools.pit.throw_camera import FRESH_NS, LIMIT_NS, LOOK_NS, ThrowCamera
from tabletools.store.clock import NS
from tabletools.store.schema.evidence import second_readings
from tabletools.table.intake import Intake
from tabletools.table.verify import check
from tabletools.throw_reading import Second, photograph, unlike_kept
from tablewire.messages import PHASE_CLOSED

DICE, OTHERS = [2, 3, 6], [2, 3, 5]
FRAME = bytes(19200)  # what the table's own camera kept: it is never read here
BY_TABLE, BY_HOST = faces(*DICE, frame=FRAME), faces(frame=FRAME)
STAKE, BET = 1000, "big"  # 11 wins


class CameraTray(Tray):
    """A table whose host has a camera. age_ns: of each record when it comes."""

    age_ns = 0

    def attach(self, holder="host a"):
        super().attach(holder)
        self.camera = getattr(self, "camera", None) or ScriptedCamera(grey(dice(*DICE)))
        self.intake = Intake(
            self.ledger,
            self.lease,
            made_at=lambda _: Estimate(self.clock.wall_ns() - self.age_ns, 0),
        )
        self.beat(PHASE_CLOSED)
        self.pool = Inline()
        aids = ReadingAids(camera=host_camera(self.camera))
        self.reader = ThrowCamera(self.ledger, self.intake, 7, self.pool, aids)

    def see(self, picture=None, **script):
        """The camera gives something else from now on."""
        vars(self.camera).update({"picture": picture, **script})

    def betting(self):
        """Whether bets are open, and why they are or are not."""
        with self.ledger.read() as db:
            now = present(db, self.table, self.clock.wall_ns())
        return now.bets_open, now.cause


@pytest.fixture
def tray(request, ledger_place):
    """A table that reads too, unless a test says otherwise; tests end with a sound ledger."""
    policy = getattr(request, "param", "both")
    new_tray = CameraTray(ledger_place, terms=SIC_BO._replace(dice_reading=policy))
    new_tray.result = BY_TABLE if policy == "both" else BY_HOST
    new_tray.look()
    new_tray.look()
    yield new_tray
    with new_tray.ledger.read() as db:
        assert check(db).problems == []
    new_tray.ledger.close()


either = pytest.mark.parametrize("tray", ["both", "host"], indirect=True)


def throw(tray):
    """A throw with a stake, and the host's next step."""
    tray.throw(1, tray.result, (tray.ada, BET, STAKE))
    tray.look()


def stored(tray):
    """The kept picture and its facts."""
    with tray.ledger.read() as db:
        data = db.execute(select(second_readings.c.second_picture)).scalar_one()
    picture = Image.open(BytesIO(data))
    return np.asarray(picture), json.loads(picture.text["tablewire-throw"])


@either
def test_a_throw_is_paid_at_once(tray):
    """Without the picture that the table keeps."""
    throw(tray)
    assert (row(tray)["verdict"], row(tray)["settled"]) == ("believed", 1)
    assert tray.balance(tray.ada) == 100_000 + STAKE


def test_what_was_read_is_kept_with_the_throw(tray):
    """Number of the throw, sums of frames and looks, and what each look showed."""
    throw(tray)
    picture, facts = stored(tray)
    assert (facts["device"], facts["throw"], facts["dice"]) == (7, 1, DICE)
    assert [look["dice"] for look in facts["looks"]] == [DICE, DICE]
    assert len({*facts["frames"]}) == 9
    assert len(facts["tray"]) == 64
    assert picture.shape == (960, 640)
    sums = [sha256(np.ascontiguousarray(part)).hexdigest() for part in np.split(picture, 2)]
    assert [look["sha256"] for look in facts["looks"]] == sums


def test_the_tables_own_picture_may_come_later(tray):
    throw(tray)
    tray.bring(1, trace(1, FRAME))
    tray.look()
    assert tray.balance(tray.ada) == 100_000 + STAKE


# How the camera is in trouble: what it gives from the picture of a throw, and the code.
TROUBLES = {
    "no camera": (lambda _: {}, "no_camera"),
    "unplugged at once": (lambda good: {"picture": good, "after": 0}, "no_camera"),
    "unplugged before": (lambda good: {"picture": good, "after": 5}, "camera_unplugged"),
    "unplugged within": (lambda good: {"picture": good, "after": 9}, "camera_unplugged"),
    "unplugged late": (lambda good: {"picture": good, "after": 13}, "camera_unplugged"),
    "frozen": (lambda good: {"picture": good, "frozen": True}, "camera_frozen"),
    "black": (lambda good: {"picture": np.zeros_like(good)}, "camera_black"),
    "moved": (lambda good: {"picture": np.roll(good, 15, 1)}, "camera_moved"),
    "another tray": (lambda good: {"picture": good[:, ::-1]}, "not_this_tray"),
    "empty": (lambda _: {"picture": grey()}, "no_dice"),
}


def trouble(tray, name):
    """Let the camera have it; returns its code."""
    script, code = TROUBLES[name]
    tray.see(**script(grey(dice(*DICE))))
    return code


@pytest.mark.parametrize("name", TROUBLES)
@pytest.mark.one_in(2)
def test_a_camera_in_trouble_holds_the_throw(tray, name):
    """Two users rule; nothing is paid before."""
    code = trouble(tray, name)
    throw(tray)
    assert_held(tray, f"the host cannot confirm the dice in its picture: {code}")


@either
def test_other_faces_than_the_tables_hold_the_throw(tray):
    if tray.result is BY_HOST:
        tray.result = BY_TABLE  # the table must not read then
        throw(tray)
        assert_held(tray, "by the terms only the host reads them", kinds.UNEXPECTED)
        return
    tray.see(grey(dice(*OTHERS)))
    throw(tray)
    assert_held(tray, "the host reads 2 3 5 in its picture, the table 2 3 6")


@pytest.mark.parametrize("age_ns", [FRESH_NS + 1, 3600 * NS])
def test_a_result_that_came_late_is_not_photographed(tray, age_ns):
    """The dice may have been moved; the camera is not even opened."""
    tray.age_ns = age_ns
    opened = tray.camera.opened
    throw(tray)
    assert tray.camera.opened == opened
    tray.age_ns = 0
    assert_held(tray, "camera_late: the result is")


def test_a_host_that_starts_after_the_throw_does_not_photograph_it(tray):
    tray.throw(1, tray.result, (tray.ada, BET, STAKE))
    tray.clock.pass_ms(11_000)
    tray.attach("host b")
    tray.look()
    assert_held(tray, "camera_late: the result is 11 s old, 5 at most")


class Slow(Inline):
    """A process that has not begun, or died: its jobs end when a test says so."""

    def __init__(self):
        self.jobs = []

    def submit(self, fn, /, *args, **kwargs):
        self.jobs.append(Future())
        return self.jobs[-1]


def test_a_reading_that_takes_too_long_holds_the_throw(tray):
    """What was photographed late may be of dice that were moved."""
    tray.reader._pool = pool = Slow()
    throw(tray)
    for _ in range(LIMIT_NS // 200_000_000):
        tray.look()
    assert len(pool.jobs) == 1
    assert_held(tray, "camera_late: not read in 10 s")


def test_the_camera_is_not_opened_twice_at_once(tray):
    """It is looked through when a result comes: the throw waits for that, or it would not open."""
    tray.reader._pool = pool = Slow()
    for _ in range(LOOK_NS // 200_000_000 + 1):
        tray.look()
    assert len(pool.jobs) == 1
    throw(tray)
    assert len(pool.jobs) == 1
    pool.jobs[0].set_result("")
    tray.look()
    assert len(pool.jobs) == 2


def test_a_process_that_died_begins_again(tray):
    tray.reader._pool = pool = Slow()
    throw(tray)
    pool.jobs[0].set_exception(BrokenExecutor())
    tray.look()
    tray.reader._pool = tray.pool
    tray.look()
    assert (row(tray)["verdict"], row(tray)["settled"]) == ("believed", 1)


def test_a_reader_that_fails_holds_the_throw(tray):
    tray.reader._pool = pool = Slow()
    throw(tray)
    pool.jobs[0].set_exception(ZeroDivisionError("1 / 0"))
    tray.look()
    assert_held(tray, "the host's reader failed: ZeroDivisionError('1 / 0')")


# --- between throws ------------------------------------------------------------------------------


@pytest.fixture
def idle(ledger_place):
    """A table between two throws."""
    new_tray = CameraTray(ledger_place, terms=SIC_BO._replace(dice_reading="host"))
    yield new_tray
    new_tray.ledger.close()


def wait(tray):
    """Until the camera was looked through again; the lease is renewed meanwhile."""
    for _ in range(3):
        tray.clock.pass_ms(LOOK_NS // 2_000_000)
        tray.look()


def cause(tray, number):
    """Why a round that opens now accepts no bets, empty if it does."""
    tray.open(number)
    is_open, why = tray.betting()
    return "" if is_open else why


def test_no_bets_open_before_the_camera_was_looked_through(idle):
    assert cause(idle, 1) == "host_camera"
    idle.look()
    idle.look()
    assert cause(idle, 2) == ""


@pytest.mark.parametrize("name", ["no camera", "frozen", "moved"])
def test_no_bets_open_while_the_camera_is_in_trouble(idle, name):
    """An alarm says what to do; it ends when the camera shows its tray again."""
    idle.look()
    idle.look()
    good = vars(idle.camera).copy()
    code = trouble(idle, name)
    wait(idle)
    assert cause(idle, 1) == "host_camera"
    [said] = texts(idle, "host_camera")
    assert said.startswith(f"the host's camera above the tray: {code}: ")
    vars(idle.camera).update(good)
    wait(idle)
    assert cause(idle, 2) == ""


def test_bets_close_when_the_camera_fails_while_they_are_open(idle):
    idle.look()
    idle.look()
    assert cause(idle, 1) == ""
    idle.see()
    wait(idle)
    assert idle.betting() == (False, "host_camera")


def test_a_reader_that_fails_keeps_bets_closed(idle, monkeypatch):
    monkeypatch.setattr("tabletools.pit.throw_camera.verify_camera", lambda _: 1 / 0)
    idle.look()
    idle.look()
    assert cause(idle, 1) == "host_camera"


# --- the evidence --------------------------------------------------------------------------------


def test_a_picture_that_was_replaced_is_noticed(tray):
    """By another throw's, or with other facts."""
    throw(tray)
    picture, facts = stored(tray)
    for change in ({"throw": 2}, {"dice": OTHERS}, {"looks": []}, {"size": [1, 1]}, {"size": 3}):
        forged = png_with(picture, "tablewire-throw", facts | change)
        assert unlike(tray, forged)
    forged = png_with(np.roll(picture, 1), "tablewire-throw", facts)
    assert unlike(tray, forged) == "the picture by the host's camera is not the one that was read"


def unlike(tray, picture):
    """What verification says of another kept picture."""
    with tray.ledger.read() as db:
        reading = of_round(db, row(tray)["id"])._replace(second_picture=picture)
    _, facts = stored(tray)
    one = Awaited(row(tray)["id"], 7, 1, None, True, 3, facts["frame_crc"], None)
    return unlike_kept(one, reading)


# --- with a second camera from the side ----------------------------------------------------------

FROM_SIDE = Camera(80.0, 40.0, far=26.0, focal=1000.0)


@pytest.fixture(scope="module")
def second_camera():
    """Calibrated together with the camera above."""
    above, second = boards(EMPTY, FROM_SIDE, 1.0)
    return calibrated(above, [second], 1.0)


def by_both(second_camera, lean):
    """What the host reads of flat dice from above, the first of them leaning from the side."""
    first, *others = dice(*DICE)
    leaning = replace(first, tilt=math.radians(lean), tilt_to=0.7)
    low = sum(abs(axis[2]) for axis in leaning.axes) / 2
    lying = [replace(leaning, lift=low - 0.5), *others]
    second = Second(second_camera, aside(replace(EMPTY, dice=lying), FROM_SIDE, 1))
    above = host_camera(ScriptedCamera(grey(dice(*DICE))))
    return photograph(above, ONE, second)


ONE = Awaited(1, 7, 12, None, True, 3, 99, 0)


def test_a_throw_that_lies_flat_from_the_side_too_is_read(second_camera):
    """And both pictures are kept, the second one in colour below two looks."""
    reading = by_both(second_camera, 0)
    assert (reading.dice, reading.reason) == (DICE, "")
    with Image.open(BytesIO(reading.second_picture)) as picture:
        assert (picture.size, picture.mode) == ((640, 3 * 480), "RGB")
    assert unlike_kept(ONE, reading) == ""


def test_a_die_that_leans_from_the_side_is_not_read(second_camera):
    reading = by_both(second_camera, 9)
    assert (reading.dice, reading.reason) == ([], "cocked")


def test_a_second_camera_without_a_picture_holds_the_throw(second_camera):
    above = host_camera(ScriptedCamera(grey(dice(*DICE))))
    reading = photograph(above, ONE, Second(second_camera, None, "it gives no picture"))
    assert (reading.dice, reading.reason) == ((), "it gives no picture")
