"""The host's own camera: unplugged at each frame, frozen, black, moved; two looks have to agree.

Faces are those of the dice that were drawn.
"""

import json
import pickle
import threading
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from host_tools.tests.overhead_camera import (
    ADAPTING,
    EMPTY,
    OTHER_WALLS,
    STYLE,
    ScriptedCamera,
    dice,
    exposed,
    frames,
    grey,
    host_camera,
    tray,
)
from tableemulator.machines.dice_tray.rendering import Die
from tabletools.dice.overhead import capture, throw
from tabletools.dice.overhead.floor import find_floor, floor_mask, verify_floor
from tabletools.dice.overhead.host_tray import file_of, tray_of
from tabletools.dice.overhead.picture_facts import digest, picture_and, png_with
from tabletools.dice.overhead.registration import EmptyView, firmness, registered
from tabletools.dice.overhead.throw import read_throw
from tabletools.dice.overhead.troubles import REMEDIES, CameraTrouble
from tabletools.dice.reading import Verdict
from tabletools.errors import ToolError

VALUES = [2, 3, 6]


@pytest.fixture(scope="module")
def thrown():
    """Three dice in the tray."""
    return grey(dice(*VALUES))


def code_of(action):
    """The code of the trouble that an action raises."""
    with pytest.raises(CameraTrouble) as trouble:
        action()
    assert trouble.value.text.startswith(f"{trouble.value.code}: ")
    assert trouble.value.text.endswith(REMEDIES[trouble.value.code])
    return trouble.value.code


# --- the throw -----------------------------------------------------------------------------------


def test_a_throw_is_read_when_two_looks_agree(thrown):
    reading = read_throw(tray(), frames(thrown), 3)
    assert (reading.dice, reading.reason) == (VALUES, "")
    assert [look.verdict.dice for look in reading.looks] == [VALUES, VALUES]


def test_what_was_read_is_kept_without_what_is_beside_the_tray(thrown):
    reading = read_throw(tray(), frames(thrown), 3)
    picture = reading.looks[0].picture
    assert picture.shape == (480, 640)
    assert not picture[:4].any()
    assert abs(int(np.median(picture[200:280, 280:360])) - 70) <= 3


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["2 3 6", "2 3 6"], ([2, 3, 6], "", 2)),
        (["2 3 6", "glare", "2 3 6"], ([2, 3, 6], "", 3)),
        (["moved", "2 3 6", "2 3 6"], ([2, 3, 6], "", 3)),
        (["2 3 6", "glare", "cocked"], ([], "cocked", 3)),
        (["2 3 6", "cocked", "2 3 6"], ([], "cocked", 2)),
        (["cocked", "2 3 6", "2 3 6"], ([], "cocked", 1)),
        (["2 3 6", "2 3 5"], ([], "looks_differ", 2)),
        (["2 3 6", "glare", "2 3 5"], ([], "looks_differ", 3)),
        (["glare", "glare", "2 3 6"], ([], "glare", 3)),
        (["moved", "moved", "moved"], ([], "moved", 3)),
    ],
)
def test_two_looks_have_to_agree_and_none_may_differ(verdicts, expected, monkeypatch):
    """Three looks at most; a verdict here is faces or a reason."""

    def verdict(text):
        faces = [int(word) for word in text.split() if word.isdecimal()]
        return Verdict(faces, "" if faces else text)

    looks = iter(throw.Look(np.zeros((1, 1), np.uint8), verdict(text)) for text in verdicts)
    monkeypatch.setattr(throw, "_look", lambda *_: next(looks))
    reading = read_throw(tray(), [None] * 9, 3)
    assert (reading.dice, reading.reason, len(reading.looks)) == expected


@pytest.mark.parametrize(
    ("lying", "reasons"),
    [
        (dice(2, 3), ["count_wrong"]),
        ([], ["no_dice"]),
        ([*dice(2, 3), Die(9.0, 0.3, 6, 0.2, STYLE)], ["cut_off", "unreadable"]),
    ],
    ids=["one is missing", "empty", "one on the wall"],
)
def test_what_is_no_throw_is_not_read(lying, reasons):
    reading = read_throw(tray(), frames(grey(lying), 3), 3)
    assert reading.dice == []
    assert reading.reason in reasons


def test_an_arm_is_not_read():
    reading = read_throw(tray(), frames(grey(dice(*VALUES), replace(EMPTY, arm=True)), 3), 3)
    assert reading.dice == []


def test_what_lies_beside_the_tray_is_not_looked_at(thrown):
    """A die on the rim, and a hand there: walls are 24 px wide."""
    beside = thrown.copy()
    beside[:20, 100:400] = 200
    assert read_throw(tray(), frames(beside), 3).dice == VALUES


def test_dice_that_are_pushed_within_a_look_are_not_read(thrown):
    pushed = grey([replace(die, x=die.x + 0.4) for die in dice(*VALUES)])
    both = [frames(thrown, 1, k)[0] if k % 2 else frames(pushed, 1, k)[0] for k in range(9)]
    assert read_throw(tray(), both, 3).reason == "moved"


def test_a_highlight_on_a_die_is_refused(thrown):
    """A saturated spot beside a pip: it might be one, or hide one."""
    shining = thrown.astype(np.int16)
    (die, *_) = dice(*VALUES)
    x, y = (round(320 + 34 * die.x), round(240 + 34 * die.y))
    shining[y - 4 : y, x + 6 : x + 10] = 255
    reading = read_throw(tray(), frames(shining.astype(np.uint8), 3), 3)
    assert (reading.dice, reading.reason) == ([], "glare")


# --- the camera ----------------------------------------------------------------------------------


def test_frames_are_read_after_the_camera_is_used_to_the_light(thrown):
    script = ScriptedCamera(thrown, turn=lambda frame, k: frame // 2 if k < ADAPTING else frame)
    burst = host_camera(script).burst()
    assert len(burst) == capture.LOOKS * capture.FRAMES
    assert read_throw(tray(), burst, 3).dice == VALUES
    assert (script.opened, script.released) == (1, 1)


def test_a_camera_that_is_not_there():
    assert code_of(host_camera(ScriptedCamera()).burst) == "no_camera"


@pytest.mark.parametrize("after", range(14))
def test_a_camera_that_is_unplugged_at_each_frame(thrown, after):
    """Nothing is read of a part of the frames, and the camera is released."""
    script = ScriptedCamera(thrown, after=after)
    code = "camera_unplugged" if after else "no_camera"
    assert code_of(host_camera(script).burst) == code
    assert script.released == 1


def test_camera_and_trouble_go_to_the_process_that_reads():
    """What is passed there and back is pickled."""
    camera = replace(host_camera(None), opener=capture.open_source)
    again = pickle.loads(pickle.dumps(camera))
    assert (again.source, again.digest) == (camera.source, camera.digest)
    assert again.tray.reference.grey.shape == camera.tray.reference.grey.shape
    trouble = pickle.loads(pickle.dumps(CameraTrouble("camera_black", "no light")))
    assert (trouble.code, trouble.what, trouble.step) == (
        "camera_black",
        "no light",
        REMEDIES["camera_black"],
    )


def test_a_camera_that_gave_all_frames_before_it_was_unplugged(thrown):
    assert len(host_camera(ScriptedCamera(thrown, after=14)).burst()) == 9


def test_a_camera_that_repeats_a_frame(thrown):
    assert code_of(host_camera(ScriptedCamera(thrown, frozen=True)).burst) == "camera_frozen"


@pytest.mark.parametrize("first", [5, 9, 13])
def test_a_camera_that_gets_dark(thrown, first):
    script = ScriptedCamera(thrown, turn=lambda frame, k: frame * (k < first))
    assert code_of(host_camera(script).burst) == "camera_black"


def test_a_camera_of_another_size(thrown):
    script = ScriptedCamera(thrown, turn=lambda frame, _: frame[:240, :320])
    assert code_of(host_camera(script).burst) == "camera_size"


@pytest.mark.parametrize(
    ("see", "code"),
    [
        (lambda picture: np.roll(picture, 9, 1), "camera_moved"),
        (lambda picture: np.roll(picture, (-20, 30), (0, 1)), "camera_moved"),
        (lambda picture: np.roll(picture, 90, 0), "camera_moved"),
        (lambda picture: picture[:, ::-1], "not_this_tray"),
        (lambda _: grey(dice(*VALUES), replace(EMPTY, walls=OTHER_WALLS)), "not_this_tray"),
        (lambda _: np.full((480, 640), 120, np.uint8), "not_this_tray"),
    ],
    ids=["9 px", "36 px", "far", "mirrored", "other tray", "cap"],
)
def test_a_camera_that_does_not_show_its_tray(thrown, see, code):
    """Neither between throws nor in one; what it showed is kept."""
    camera = host_camera(ScriptedCamera(see(thrown)))
    assert code_of(camera.verify) == code
    frames_now = camera.burst()[:3]
    reading = read_throw(tray(), frames_now, 3)
    assert (reading.dice, reading.reason) == ([], code)
    assert np.array_equal(reading.looks[0].picture, frames_now[0][..., 0])


def test_a_camera_that_moved_by_less_than_a_tenth_of_a_die_reads(thrown):
    camera = host_camera(ScriptedCamera(np.roll(thrown, 2, 1)))
    camera.verify()
    assert read_throw(tray(), camera.burst(), 3).dice == VALUES


def test_hands_and_dice_do_not_hide_the_tray():
    arm = grey(dice(*VALUES), replace(EMPTY, arm=True))
    host_camera(ScriptedCamera(arm)).verify()


@pytest.mark.parametrize("source", ["/nowhere", "9" * 30, "not a camera", "http://127.0.0.1:9/"])
def test_a_source_that_is_none_cannot_be_opened(source):
    assert code_of(lambda: capture.burst(source, (640, 480))) == "no_camera"


def test_a_password_in_a_url_is_not_told(thrown):
    """An alarm has the text of a trouble."""
    script = ScriptedCamera(thrown, after=7)
    with pytest.raises(CameraTrouble) as trouble:
        capture.burst("rtsp://eye:secret@10.0.0.7/tray", (640, 480), opener=script)
    assert "the camera rtsp://10.0.0.7/tray gave 7 of 14 frames" in trouble.value.text
    assert "secret" not in str(trouble.value.record())


# --- registration and floor ----------------------------------------------------------------------


@pytest.mark.parametrize("shift", [(0, 0), (3, -2), (-17, 8)])
def test_a_shift_is_measured(shift):
    """Of a picture with three dice more than the empty one."""
    moved = np.roll(grey(dice(*VALUES)), shift[::-1], (0, 1))
    place = registered(EmptyView.from_picture(grey()), moved)
    assert (place.right, place.down) == pytest.approx(shift, abs=0.4)
    assert place.likeness > 0.7


def test_a_bare_cloth_shows_no_shift():
    assert firmness(np.full((480, 640), 90, np.uint8), 7) == 0
    stripes = np.repeat(np.where(np.arange(480) % 40 < 20, 60, 160)[:, None], 640, 1)
    assert firmness(stripes.astype(np.uint8), 7) < 0.1  # none to the side
    assert firmness(grey(), 7) > 0.3


def test_the_floor_is_found_between_the_walls():
    """Whose feet are 24 to 26 px from the edges; the tray is turned by a degree."""
    mask = floor_mask(find_floor(grey()), (480, 640))
    assert mask[36:444, 36:604].all()
    assert not mask[:16].any()
    assert not mask[:, :16].any()
    assert not mask[:, -16:].any()


def test_a_floor_without_a_rim_is_the_whole_picture():
    floor = find_floor(grey((), replace(EMPTY, walls=None)))
    assert floor_mask(floor, (480, 640)).mean() > 0.95


@pytest.mark.parametrize(
    ("floor", "what"),
    [
        ([(10, 10), (600, 10)], "no convex polygon"),
        ([(10, 10), (600, 10), (300, 200), (600, 470), (10, 470)], "no convex polygon"),
        ([(10, 10), (700, 10), (600, 470)], "no convex polygon"),
        ([(320, 40), (438, 402), (130, 178), (510, 178), (202, 402)], "no convex polygon"),  # star
        ([(10, 10), (90, 10), (90, 90), (10, 90)], "2 % of the picture"),
    ],
)
def test_a_floor_that_is_none_is_refused(floor, what):
    with pytest.raises(ToolError) as error:
        verify_floor(floor, (640, 480))
    assert what in error.value.what


# --- the file ------------------------------------------------------------------------------------


def test_the_file_of_a_tray_is_a_picture_of_it():
    data = file_of(tray())
    with Image.open(BytesIO(data)) as picture:
        assert picture.size == (640, 480)
    again = tray_of(data, "tray.png")
    assert (again.floor, again.side_px, again.body) == (
        tray().floor,
        tray().side_px,
        tray().body,
    )
    assert np.array_equal(again.empty, tray().empty)
    assert 34 <= tray().side_px <= 37  # drawn with 34 px on the floor, 35.5 for a top
    assert len(digest(data)) == 64


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts.pop("floor"),
        lambda facts: facts.pop("lens"),
        lambda facts: facts.update(version=2),
        lambda facts: facts.update(side_px=0),
        lambda facts: facts.update(floor=[[1, 2], [3, 4]]),
        lambda facts: facts.update(floor="x"),
        lambda facts: facts.update(body=None),
    ],
)
def test_a_file_that_is_none_is_refused(change):
    picture, facts = picture_and(file_of(tray()), "tablewire-tray")
    change(facts)
    with pytest.raises(ToolError) as error:
        tray_of(png_with(picture, "tablewire-tray", facts), "tray.png")
    assert error.value.where == "tray.png"


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n" + bytes(40), b"{}"])
def test_bytes_that_are_no_picture_are_refused(data):
    with pytest.raises(ToolError):
        tray_of(data, "tray.png")


def test_a_picture_without_facts_is_refused():
    data = BytesIO()
    Image.fromarray(grey()).save(data, "PNG")
    with pytest.raises(ToolError):
        tray_of(data.getvalue(), "tray.png")
    assert json.loads(json.dumps(tray().floor))


# --- a network stream ----------------------------------------------------------------------------


class Stream(BaseHTTPRequestHandler):
    """A network camera: so many JPEG pictures one after the other, then it is gone."""

    picture, pictures = grey(), 40

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        with suppress(OSError):
            for number in range(self.pictures):
                jpeg = BytesIO()
                Image.fromarray(exposed(self.picture, number)).save(jpeg, "JPEG", quality=90)
                head = (
                    f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {jpeg.tell()}\r\n\r\n"
                )
                self.wfile.write(head.encode() + jpeg.getvalue() + b"\r\n")

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def stream():
    """The URL of a network camera, and a function that sets what it sees and how long."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stream)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/tray.mjpg"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_throw_is_read_from_a_network_stream(stream, thrown, monkeypatch):
    """By OpenCV, from JPEG pictures."""
    monkeypatch.setattr(Stream, "picture", thrown)
    burst = capture.burst(stream, tray().size)
    assert read_throw(tray(), burst, 3).dice == VALUES


def test_a_network_stream_that_ends_in_a_throw(stream, monkeypatch):
    monkeypatch.setattr(Stream, "pictures", 9)
    assert code_of(lambda: capture.burst(stream, tray().size)) == "camera_unplugged"
