"""Requests the sensors, counters and answers of a table, and opens maintenance for that."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from zlib import crc32

from tabletools import decode
from tabletools.cli.diag.camera_view import Picture
from tabletools.cli.table_client import TableClient, accepted, answer_of
from tabletools.decode import Record
from tabletools.decode.core_messages import Identity
from tabletools.decode.sensor_samples import SensorSample
from tabletools.diag.check import Check, of_heartbeat, of_link, of_samples
from tabletools.diag.roulette import mounting_checks
from tabletools.dice import Frame
from tabletools.errors import ToolError
from tabletools.link import REFUSED, Request
from tablewire import messages as m
from tablewire.codec import Frame as WireFrame
from tablewire.codes import MAINTENANCE_OPEN
from tablewire.config import ROLE
from tablewire.diagnosis import (
    PICTURE_PART,
    PICTURE_PIXELS,
    SELF_TEST_RESULT,
    SENSOR_SAMPLE,
)
from tablewire.dice_tray import DICE_SEEN, FRAME_SIZE

_TRIES = 3
_ANSWERS = 4  # answers measured, to know how long one takes
_BEAT_WITHIN_S = 3.0
_REPORTED_WITHIN_S = 8.0
_PART_REQUESTS = 8  # until both halves are of one frame
_PART_WITHIN_S = 1.0
_WHOLE = 2  # value of fetch_picture for a whole frame
_SMALL_FRAME = 160 * 120
_PIECE = 192  # pixels of picture_pixels
_PIECE_S = 0.05  # a piece takes 27 ms on a free line
_FRAME_REQUESTS = 5
_CLOSED = "the round is open: --self-test opens maintenance, which voids it"


class SelfTest:
    """The answers to one self_test. refused: the refusal, if there was one."""

    def __init__(self) -> None:
        self.samples: list[SensorSample] = []
        self.refused: Record | None = None

    def value(self, sensor: str, quantity: str) -> int | None:
        """What was reported of a sensor, None for nothing."""
        values = {(each.sensor, each.quantity): each.value for each in reversed(self.samples)}
        return values.get((sensor, quantity))

    def take(self, frame: WireFrame) -> bool:
        """Whether a frame ends it."""
        if frame.type == SENSOR_SAMPLE:
            self.samples.append(SensorSample.of_record(decode.record(frame)))
        return bool(frame.type == SELF_TEST_RESULT)


class Pieces:
    """Collects picture_pixels until count of one frame are there."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._crc = 0
        self._greys: dict[int, bytes] = {}

    def take(self, frame: WireFrame) -> bool:
        """Whether a frame ends it: the last piece, or the report that there is none."""
        if frame.type != PICTURE_PIXELS:
            return False
        place, crc, greys = frame.values
        if crc != self._crc:
            self._crc = crc
            self._greys.clear()
        self._greys[place] = greys
        return bool(crc == 0 or place == self.count - 1)

    def is_whole(self) -> bool:
        """Whether every piece is here, and their sum is that of the frame."""
        return len(self._greys) == self.count and crc32(self.greys()) == self._crc

    def greys(self) -> bytes:
        """The pixels received so far."""
        return b"".join(self._greys[place] for place in sorted(self._greys))


def _once(ident: int, value: int, ends: Callable[[WireFrame], bool], within_s: float) -> Request:
    return Request(ident, (value,), again_s=within_s, tries=1, ends=ends)


def _is_part(frame: WireFrame) -> bool:
    return bool(frame.type == PICTURE_PART)


def self_test(client: TableClient, watch_ms: int) -> SelfTest:
    """Have the table watch its sensors; samples lost on the line are requested again.

    Raises ToolError if a round opened meanwhile, or the table does not answer.
    """
    for _ in range(_TRIES):
        test = SelfTest()
        within_s = watch_ms / 1000 + _REPORTED_WITHIN_S
        exchange = client.run(_once(m.SELF_TEST, watch_ms, test.take, within_s))
        if exchange.answer is None:
            break
        if exchange.outcome == REFUSED:
            test.refused = decode.record(exchange.answer)
            return test
        if 0 < exchange.answer.values[0] == len(test.samples):
            return test
    raise ToolError(
        "the self-test report was incomplete",
        cause="a round opened meanwhile, the line loses frames, or its firmware is older",
        step="open maintenance first: --self-test, or `tabletool maintenance PORT open`",
    )


def picture(client: TableClient) -> Picture | None:
    """The last frame of a tray's camera; None if there is none, or the table refuses."""
    halves: dict[int, bytes] = {}
    of_frame = 0
    for _ in range(_PART_REQUESTS):
        request = _once(m.FETCH_PICTURE, int(0 in halves), _is_part, _PART_WITHIN_S)
        exchange = client.run(request)
        if exchange.outcome == REFUSED:
            return None
        if exchange.answer is None:
            continue
        part, crc, greys = exchange.answer.values
        if crc != of_frame:
            halves.clear()
        if crc:
            of_frame, halves[part] = crc, greys
        if len(halves) == 2:
            return Picture.of_bytes(halves[0] + halves[1])
    return None


def frame(client: TableClient) -> Frame:
    """Every pixel of the last frame of a tray's camera. Raises ToolError if none comes."""
    scale = client.value(FRAME_SIZE)
    pieces = Pieces(scale * scale * _SMALL_FRAME // _PIECE)
    for _ in range(_FRAME_REQUESTS):
        within_s = pieces.count * _PIECE_S + _REPORTED_WITHIN_S
        exchange = client.run(_once(m.FETCH_PICTURE, _WHOLE, pieces.take, within_s))
        if exchange.outcome == REFUSED:
            answer_of(exchange)
        if pieces.is_whole():
            return Frame(160 * scale, 120 * scale, pieces.greys())
        client.wait_for(lambda beat: beat.type == DICE_SEEN, _BEAT_WITHIN_S)
    raise ToolError(
        "no complete frame came from the camera of the tray",
        cause="the camera gives none, or the line loses frames",
        step="`tabletool diag PORT`: camera and link have to pass first",
    )


def sensors(client: TableClient, test: SelfTest) -> list[Check]:
    """The checks of a self-test; if it was refused, one that says why there are none."""
    if test.refused is None:
        return of_samples(test.samples) + mounting_checks.agree(test.samples)
    if test.refused["cause"] != "round_open":
        accepted(test.refused)
    return [Check("sensors", "skip", note=_CLOSED)]


def of_table(client: TableClient, *, faults_reported: bool) -> list[Check]:
    """The counters of the table and of the link to it."""
    answers = []
    for _ in range(_ANSWERS):
        sent_s = client.now_s()
        client.value(ROLE)
        answers.append(round((client.now_s() - sent_s) * 1000))
    beat = client.wait_for(lambda frame: frame.type == m.HEARTBEAT, _BEAT_WITHIN_S)
    if beat is None:
        raise ToolError("no heartbeat came", step="is it a table of this release?")
    session = client.session
    checks = of_heartbeat(decode.record(beat), faults_reported)
    return checks + of_link(session.frames, session.missed + session.skipped, answers)


@contextmanager
def in_maintenance(client: TableClient) -> Iterator[None]:
    """Open maintenance, and close it afterwards; if it was open already it stays open."""
    first = self_test(client, 0)
    if any(sample.code == MAINTENANCE_OPEN for sample in first.samples):
        yield
        return
    opened = client.answer(m.MAINTENANCE, (m.MAINTENANCE_OPEN,))
    if opened is None:
        raise ToolError(
            "the table did not open for maintenance",
            cause="its journal is full",
            step="fetch its records with `tabletool collect`, or turn the key switch",
        )
    accepted(opened)
    try:
        yield
    finally:
        client.answer(m.MAINTENANCE, (m.MAINTENANCE_CLOSED,))


def identity(client: TableClient) -> Identity:
    """What the table is and runs, authenticated by the session, which requests it at its start."""
    return Identity.of_record(identity_record(client))


def role(client: TableClient) -> str:
    """The role of the table. Raises ToolError where this release does not know it."""
    name = identity(client).role
    if name is None:
        raise ToolError("the table has an unknown role", step="use the host tools of its release")
    return name


def identity_record(client: TableClient) -> Record:
    """The record of that."""
    if client.view.identity is not None:
        return client.view.identity
    frame = client.identity()
    if frame is None:
        raise ToolError("the table did not say who it is", step="is it a table of this release?")
    return decode.record(frame)
