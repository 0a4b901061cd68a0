"""Decode rate: the live receiver beside pymavlink, in the same run, messages of like size; as they
are, and each with a tag that is verified: HMAC-SHA256, 16 bytes, here, SHA-256, 6 bytes, there.

Ours is a wheel result: 24 bytes, fourteen integers. Theirs is RC_CHANNELS_RAW: 22 bytes, eleven
integers. pymavlink checks no ranges; ours are checked.
"""

import time
from collections.abc import Callable
from functools import partial

from pymavlink.dialects.v20 import common as mavlink

import tablespec.host_tables  # noqa: F401  (as every host has it)
from host_tools.bench.figure import judged, reported
from tablewire.framing import Receiver
from tablewire.messages import FLAG_DURABLE
from tablewire.roulette import WHEEL_RESULT
from tablewire.seal import Mac
from tablewire.sender import Sender

FRAMES = 4_000
PASSES = 25
PIECE = 4096  # bytes a read, for both
TARGET_RATIO = 3.0
DEVICE = 1_382_865_454
RESULT = (17, 8, 1, 12, 1525, 1, -1, 142, 890, 15210, 4400, 1, 250, -128)
CHANNELS = (123456, 1, 1500, 1501, 1502, 1503, 1504, 1505, 1506, 1507, 200)


KEY = bytes(range(32))
TAGS = 20_000


def our_stream(frames: int, mac: Mac | None = None) -> bytes:
    """Wheel results as a table sends them in the middle of a night."""
    sender = Sender(DEVICE, 3)
    sender.counter, sender.round, sender.uptime_high = 70_000, 4711, 150
    sender.mac = mac
    packed = []
    for _ in range(frames):
        sender.advance(500)
        packed.append(sender.build(WHEEL_RESULT, RESULT, FLAG_DURABLE))
    return b"".join(packed)


def their_stream(frames: int, *, signed: bool = False) -> bytes:
    """MAVLink 2 messages."""
    sender = mavlink.MAVLink(None, srcSystem=1, srcComponent=1)
    if signed:
        sender.signing.secret_key, sender.signing.sign_outgoing = KEY, True
    packed = []
    for number in range(frames):
        sender.seq = number % 256
        packed.append(bytes(sender.rc_channels_raw_encode(*CHANNELS).pack(sender)))
    return b"".join(packed)


def _pieces(data: bytes) -> list[bytes]:
    return [data[start : start + PIECE] for start in range(0, len(data), PIECE)]


def our_seconds(pieces: list[bytes], frames: int, mac: Mac | None = None) -> float:
    """Time to decode the stream with tablewire, verifying each tag if there is a key."""
    receiver, count = Receiver(verify=mac and mac.verify), 0
    start = time.perf_counter()
    for piece in pieces:
        count += len(receiver.feed(piece))
    took = time.perf_counter() - start
    assert (count, receiver.skipped) == (frames, 0)
    return took


def their_seconds(pieces: list[bytes], frames: int, *, signed: bool = False) -> float:
    """Time to decode the stream with pymavlink, checking each signature if asked."""
    receiver, count = mavlink.MAVLink(None), 0
    if signed:
        receiver.signing.secret_key = KEY
    start = time.perf_counter()
    for piece in pieces:
        count += len(receiver.parse_buffer(bytearray(piece)) or ())
    took = time.perf_counter() - start
    assert count == frames
    return took


def _rates(frames: int, *, signed: bool) -> tuple[float, float]:
    """Frames a second, ours and theirs: the quickest of alternating passes, each in turn."""
    mac = Mac(KEY) if signed else None
    runs: list[tuple[Callable[[list[bytes], int], float], list[bytes], list[float]]] = [
        (partial(our_seconds, mac=mac), _pieces(our_stream(frames, mac)), []),
        (
            partial(their_seconds, signed=signed),
            _pieces(their_stream(frames, signed=signed)),
            [],
        ),
    ]
    for _ in range(PASSES):
        for measure, pieces, took in runs:
            took.append(measure(pieces, frames))
    ours, theirs = (frames / min(took) for _, _, took in runs)
    return ours, theirs


def tag_us() -> float:
    """Microseconds to make one tag over a wheel result, the quickest of the passes."""
    mac, data, took = Mac(KEY), bytes(43), []
    for _ in range(PASSES):
        start = time.perf_counter()
        for _ in range(TAGS):
            mac.digest(data)
        took.append(time.perf_counter() - start)
    return min(took) / TAGS * 1e6


def figures(frames: int = FRAMES) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    return [
        *_compare(frames, "decoded", "MAVLink 2", signed=False),
        *_compare(frames, "authenticated", "signed MAVLink 2", signed=True),
        reported("one tag on the host", round(tag_us(), 2), "us"),
    ]


def _compare(frames: int, what: str, theirs_is: str, *, signed: bool) -> list[dict[str, object]]:
    ours, theirs = _rates(frames, signed=signed)
    ratio = ours / theirs
    return [
        reported(f"{what} frames, tablewire", round(ours), "frames/s"),
        reported(f"{what} frames, pymavlink ({theirs_is})", round(theirs), "frames/s"),
        judged(
            f"{what}: tablewire against pymavlink",
            round(ratio, 2),
            "times",
            f">= {TARGET_RATIO:g}",
            is_met=ratio >= TARGET_RATIO,
        ),
    ]
