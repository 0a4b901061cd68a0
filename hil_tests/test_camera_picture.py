"""The picture of a tray's camera, asked for on the line: shipped firmware on the VM."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest

from tableemulator import play_session
from tableemulator.machines.core.harness import FROM_TABLE
from tableemulator.machines.dice_tray.physical_tray import Exposure, TraySetup
from tablewire import diagnosis, dice_tray
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver

ANSWER_US = 200_000
SAMPLES = (0, 2, 4)  # pixels of a cell, each way
# What it needs to be there, or to notice that the camera says nothing more.
NOTICE_US = 3_500_000


class CameraTray:
    """A tray nobody plays at, every frame its camera took, and the halves it reported."""

    def __init__(self, setup: TraySetup) -> None:
        self.heard: list[Frame] = []
        self.exposures: dict[int, bytes] = {}
        self._receiver = Receiver()
        self._opened = play_session.emulated_table(setup, 4, listen=self._listen)
        self.table = self._opened.__enter__()
        self._expose = self.table.tray.camera.expose
        self.table.tray.camera.expose = self._record
        self.wait(NOTICE_US)

    def close(self) -> None:
        self._opened.__exit__(None, None, None)

    def _listen(self, _when: int, direction: str, data: bytes) -> None:
        if direction == FROM_TABLE:
            self.heard += [f for f in self._receiver.feed(data) if isinstance(f, Frame)]

    def _record(self, *what: Any) -> Exposure | None:
        exposure: Exposure | None = self._expose(*what)
        if exposure is not None:
            greys = exposure.greys()
            self.exposures[crc32(greys)] = greys
        return exposure

    def wait(self, us: int) -> None:
        until_us = self.table.now_us + us
        while self.table.now_us < until_us:
            self.table.step(until_us)

    def ask(self, part: int) -> Frame:
        """What it answers at once."""
        self.heard.clear()
        self.table.order(m.FETCH_PICTURE, part)
        self.wait(ANSWER_US)
        kinds = (diagnosis.PICTURE_PART, m.REFUSAL)
        [answer] = [frame for frame in self.heard if frame.type in kinds]
        assert self.table.errors == []
        return answer


@pytest.fixture(scope="module")
def tray() -> Iterator[CameraTray]:
    camera_tray = CameraTray(TraySetup())
    yield camera_tray
    camera_tray.close()


def cells(greys: bytes, part: int) -> bytes:
    """Half of a frame of 160 px: the mean of nine pixels of each 5 x 5, in sixteenths."""
    values = []
    for row in range(part * 12, part * 12 + 12):
        for column in range(32):
            nine = [greys[(5 * row + y) * 160 + 5 * column + x] for y in SAMPLES for x in SAMPLES]
            values.append(int(sum(nine) / 9 / 16))
    return bytes(16 * high + low for high, low in zip(values[::2], values[1::2], strict=True))


def verify_closed(camera_tray: CameraTray) -> None:
    """With no round open: the frames of a camera that works are two seconds apart."""
    camera_tray.table.order(m.MAINTENANCE, m.MAINTENANCE_OPEN)
    camera_tray.wait(NOTICE_US)


def halves(camera_tray: CameraTray) -> tuple[Frame, Frame]:
    """Both of one frame: asked for again while one is being taken."""
    for _ in range(8):
        upper, lower = camera_tray.ask(0), camera_tray.ask(1)
        if upper.values[1] == lower.values[1] > 0:
            return upper, lower
    raise AssertionError("no picture came")


def test_the_picture_is_the_last_frame(tray: CameraTray) -> None:
    """Both halves are of one frame of the camera, named by its sum, cell by cell."""
    verify_closed(tray)
    upper, lower = halves(tray)
    frame = tray.exposures[upper.values[1]]
    assert upper.values == (0, crc32(frame), cells(frame, 0))
    assert lower.values == (1, crc32(frame), cells(frame, 1))
    assert len(set(upper.values[2])) > 4  # it shows something


def test_the_whole_picture_comes_in_pieces(tray: CameraTray) -> None:
    """100 of 192 pixels, in order, of one frame of the camera, which keeps still meanwhile."""
    verify_closed(tray)
    for _ in range(8):  # asked for again while one is being taken
        tray.heard.clear()
        tray.table.order(m.FETCH_PICTURE, 2)
        tray.wait(NOTICE_US)
        pieces = [frame.values for frame in tray.heard if frame.type == diagnosis.PICTURE_PIXELS]
        if pieces[0][1]:
            break
    frame = tray.exposures[pieces[0][1]]
    expected = [(k, crc32(frame), frame[192 * k : 192 * (k + 1)]) for k in range(100)]
    assert pieces == expected
    first, last = (
        [f.type for f in tray.heard].index(kind)
        for kind in (diagnosis.PICTURE_PIXELS, dice_tray.DICE_SEEN)
    )
    assert last < first or last > first + 100  # looked at before or after, not between
    assert tray.table.errors == []


def test_a_camera_that_stopped_has_no_picture(tray: CameraTray) -> None:
    """No sum, no greys."""
    verify_closed(tray)
    tray.table.tray.camera.stopped = True
    tray.wait(NOTICE_US)
    assert tray.ask(0).values == (0, 0, bytes(192))
    tray.table.tray.camera.stopped = False


def test_an_open_round_is_not_disturbed(tray: CameraTray) -> None:
    """The phase is reported, and the one that would do."""
    verify_closed(tray)
    tray.table.order(m.MAINTENANCE, m.MAINTENANCE_CLOSED)
    end_us = tray.table.now_us + 20_000_000
    tray.heard.clear()
    while not any(frame.type == m.ROUND_OPENED for frame in tray.heard):
        assert tray.table.now_us < end_us
        tray.wait(ANSWER_US)
    command, _, cause, phase, low, high, _ = tray.ask(1).values
    assert (command, cause, phase) == (m.FETCH_PICTURE, m.REFUSAL_ROUND_OPEN, m.PHASE_BETS_OPEN)
    assert (low, high) == (m.PHASE_CLOSED, m.PHASE_CLOSED)
