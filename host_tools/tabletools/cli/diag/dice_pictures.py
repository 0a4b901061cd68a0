"""Fetches the pictures that the camera of a dice tray took."""

from zlib import crc32

from tabletools.cli.diag.asking import BEAT_WITHIN_S, REPORTED_WITHIN_S, once
from tabletools.cli.diag.camera_view import Picture
from tabletools.cli.table_client import TableClient, answer_of
from tabletools.dice import Frame
from tabletools.errors import ToolError
from tabletools.link import REFUSED
from tablewire import messages as m
from tablewire.codec import Frame as WireFrame
from tablewire.diagnosis import PICTURE_PART, PICTURE_PIXELS
from tablewire.dice_tray import DICE_SEEN, FRAME_SIZE

_PART_REQUESTS = 8  # until both halves are of one frame
_PART_WITHIN_S = 1.0
_WHOLE = 2  # value of fetch_picture for a whole frame
_SMALL_FRAME = 160 * 120
_PIECE = 192  # pixels of picture_pixels
_PIECE_S = 0.05  # a piece takes 27 ms on a free line
_FRAME_REQUESTS = 5


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


def _is_part(frame: WireFrame) -> bool:
    return bool(frame.type == PICTURE_PART)


def picture(client: TableClient) -> Picture | None:
    """The last frame of a tray's camera; None if there is none, or the table refuses."""
    halves: dict[int, bytes] = {}
    of_frame = 0
    for _ in range(_PART_REQUESTS):
        request = once(m.FETCH_PICTURE, int(0 in halves), _is_part, _PART_WITHIN_S)
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
        within_s = pieces.count * _PIECE_S + REPORTED_WITHIN_S
        exchange = client.run(once(m.FETCH_PICTURE, _WHOLE, pieces.take, within_s))
        if exchange.outcome == REFUSED:
            answer_of(exchange)
        if pieces.is_whole():
            return Frame(160 * scale, 120 * scale, pieces.greys())
        client.wait_for(lambda beat: beat.type == DICE_SEEN, BEAT_WITHIN_S)
    raise ToolError(
        "no complete frame came from the camera of the tray",
        cause="the camera gives none, or the line loses frames",
        step="`tabletool diag PORT`: camera and link have to pass first",
    )
