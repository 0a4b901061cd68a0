"""A round of a dice tray: what the camera saw, the faces, and how the dice were thrown."""

from construct import Struct

from tablespec import names
from tablespec.fields import Ranged, choice, number
from tablespec.messages.shapes import Message

_MOST_MS = 60000
_UNKNOWN = 0xFFFF


def span(meaning: str) -> Ranged:
    return number("H", "ms", 0, _MOST_MS, meaning, unknown=_UNKNOWN)


def die(place: str) -> Ranged:
    return number("B", "", 1, 6, f"the {place} face, from low to high", unknown=0)


def blocks(meaning: str) -> Ranged:
    return number("H", "blocks", 0, 4000, meaning, unknown=_UNKNOWN)


def crc() -> Ranged:
    return number("I", "", 0, 0xFFFFFFFF, "CRC-32 of the frame's pixels")


def grey() -> Ranged:
    return number("B", "greys", 0, 255, "mean of the frame")


MESSAGES: tuple[Message, ...] = (
    Message(
        0x0B, "dice_seen", "table", False,
        Struct(
            "reading" / choice("B", names.READING, "what the frame is worth"),
            "die_1" / die("first"),
            "die_2" / die("second"),
            "die_3" / die("third"),
            "die_4" / die("fourth"),
            "die_5" / die("fifth"),
            "die_6" / die("sixth"),
            "changed" / blocks("of 8 x 8 px that differ from the frame before"),
            "since_last" / blocks("that differ from the frame of the last result"),
            "grey" / grey(),
            "shift" / number("B", "px", 0, 250, "wall and its mark off their places", unknown=255),
            "frame_crc" / crc(),
        ),
        "One frame of the camera, looked at. Faces are given with the reading `read` alone.",
    ),
    Message(
        0x24, "dice_result", "table", True,
        Struct(
            "die_1" / die("first"),
            "die_2" / die("second"),
            "die_3" / die("third"),
            "die_4" / die("fourth"),
            "die_5" / die("fifth"),
            "die_6" / die("sixth"),
            "held_ms" / span("picked up to thrown"),
            "spread_ms" / span("first die over the throw line to the last"),
            "hits" / number("B", "hits", 0, 255, "of the far wall"),
            "rest_ms" / span("thrown to the first of the frames that agreed"),
            "agreed" / number("B", "frames", 2, 255, "at rest that read these faces, in a row"),
            "refused" / number("B", "frames", 0, 255, "at rest that could not be read before"),
            "since_last" / blocks("that differ from the frame of the last result"),
            "frame_crc" / crc(),
        ),
        "Faces, of a valid throw, read alike in two frames at rest.",
    ),
    Message(
        0x25, "throw_evidence", "table", True,
        Struct(
            "reason" / choice("H", names.REASON, "why the round is void"),
            "held_ms" / span("picked up to thrown"),
            "spread_ms" / span("first die over the throw line to the last"),
            "crossings" / number("B", "", 0, 255, "of the throw line"),
            "hits" / number("B", "hits", 0, 255, "of the far wall"),
            "wall_ms" / span("thrown to the last hit of the wall"),
            "edges" / number("B", "", 0, 255, "breaks of an edge beam"),
            "presses" / number("B", "", 0, 255, "of the croupier's button"),
            "frames" / number("B", "frames", 0, 255, "looked at since the throw"),
            "reading" / choice("B", names.READING, "of the last of them", unknown=0),
            "frame_crc" / crc(),
        ),
        "How a throw went whose round is void; right before the void.",
    ),
)  # fmt: skip
