"""The page of a throw: what the tray's camera and the second one saw, side by side."""

import random

import pytest
from playwright.sync_api import expect

from hil_tests.dice_aside import Camera, aside
from host_tools.tests.browser import console, go
from host_tools.tests.served import Host
from host_tools.tests.throws import Tray, faces, picture, trace
from tableemulator.machines.dice_tray.physical_tray import TrayCamera
from tableemulator.machines.dice_tray.stickman import draw_dice
from tabletools.dice.second_camera import png
from tabletools.evidence import second_readings
from tabletools.evidence.second_readings import Reading

DICE, FRAME = picture(0)


def seen_aside():
    """The dice of `picture(0)` by a second camera, PNG."""
    camera = TrayCamera(0)
    scene = camera.scene(draw_dice(random.Random(0), camera, 3))
    return png(aside(scene, Camera(80.0, 40.0, far=16.0, focal=1000.0), 1))


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """A host whose ledger has two throws: one with a second picture, one without."""
    place = str(tmp_path_factory.mktemp("throws") / "ledger")
    tray = Tray(place)
    for number, second in ((1, seen_aside()), (2, b"")):
        tray.throw(number, faces(*DICE, frame=FRAME))
        tray.bring(number, trace(number, FRAME))
        with tray.ledger.read() as db:
            [one] = second_readings.awaited(db, tray.device.device)
        reading = Reading([*DICE], "", "1.0.0", second_picture=second)
        tray.intake.second_reading(one, reading)
    tray.ledger.close()
    with Host(place) as new_host:
        new_host.user("Mia", "supervisor")
        yield new_host


def test_the_second_picture_is_a_file_of_the_round(host):
    """As it was kept; a round without one says so."""
    mia = host.login("Mia")
    picture = mia.get("/v1/rounds/1/second-picture.png")
    assert (picture.headers["content-type"], picture.content) == ("image/png", seen_aside())
    assert mia.get("/v1/rounds/1").json()["second_reading"]["has_second_picture"] is True
    missing = mia.get("/v1/rounds/2/second-picture.png")
    assert (missing.status_code, missing.json()["code"]) == (404, "no_picture")


def test_both_pictures_stand_side_by_side(chromium, host):
    """At one height on a wide page, each in half of it; alone the first one fills it."""
    with console(chromium, host.url, name="Mia") as page:
        go(page, "#/round/1", "Round 1 of R1")
        first = page.get_by_alt_text("What the camera of the tray saw last.")
        second = page.get_by_alt_text("What the host's own cameras saw when the result came.")
        for one in (first, second):
            expect(one).to_be_visible()
            one.evaluate("one => one.decode()")
            assert one.evaluate("one => one.naturalWidth") > 0
        left, right = first.bounding_box(), second.bounding_box()
        assert left["y"] == right["y"]
        assert left["x"] + left["width"] < right["x"]
        assert left["width"] == pytest.approx(right["width"], abs=1)
        go(page, "#/round/2", "Round 2 of R1")
        expect(first).to_be_visible()
        expect(second).to_have_count(0)
        assert first.bounding_box()["width"] > 1.5 * left["width"]
