"""A trace as stored by the device: from its bytes to a record. Runs nothing.

PROTOCOL.md ("Traces") defines the layout.
"""

import struct
from binascii import crc32
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from tablespec.names import KEY_NAMES, NAMES
from tabletools.replay.trace_errors import OtherRelease, TraceError
from tabletools.replay.trace_events import Event, Reader
from tablewire import settings
from tablewire.messages import FINGERPRINTS
from tablewire.trace_file import FORMAT, HEAD, HEAD_BYTES, MAGIC

_CRC_BYTES = 4
_FETCH = "fetch it again; if that does not help, the round has no evidence"


@dataclass(frozen=True)
class Trace:
    """One round. config: by key number, config[0] unused. tick_us: the tick before the first.

    state: the snapshot, in the order of tablelogic.core.snapshot. cut: the end is missing.
    ended: type of the message that ended the round. values: its fields, as reported.
    frame: greys of the picture a dice tray decided on, None when none was kept.
    """

    device: int
    boot: int
    round: int
    firmware: str
    schema: int
    config: tuple[int, ...]
    tick_us: int
    state: tuple[int, ...]
    events: tuple[Event, ...]
    cut: bool
    ended: int
    values: tuple[int, ...]
    size: int
    frame: bytes | None = None


def parsed(data: bytes) -> Trace:
    """Parse a complete trace that this release can replay.

    Raises TraceError, and then nothing is known of the round.
    """
    _verify_whole(data)
    _, _, *numbers, _, _, _, schema = struct.unpack_from(HEAD, data)
    firmware = _version(numbers)
    if firmware != version("tablewire"):
        raise OtherRelease(
            f"the trace is of firmware {firmware}, this program replays {version('tablewire')}",
            "another release may decide differently",
            f"replay it with release {firmware}",
        )
    if schema not in FINGERPRINTS[1:]:
        raise OtherRelease(
            f"the trace is of schema 0x{schema:08X}, which this program does not know",
            "device and program are of different releases",
            f"replay it with the release of firmware {firmware}",
        )
    trace = contents(data)
    _verify_config(trace.config)
    return trace


def contents(data: bytes) -> Trace:
    """Return what is in a complete trace of any release. Raises TraceError."""
    _verify_whole(data)
    _, _, *numbers, device, boot, number, schema = struct.unpack_from(HEAD, data)
    try:
        reader = Reader(data[:-_CRC_BYTES], HEAD_BYTES)
        config = (0, *reader.numbers(reader.number()))
        tick_us = reader.number()
        state = reader.numbers(reader.number())
        events, cut = reader.events(tick_us)
        ended = reader.number()
        values = reader.numbers(reader.number())
        frame = reader.picture()
        reader.verify_end()
    except (IndexError, ValueError) as error:
        raise TraceError(
            f"the trace cannot be read: {error}",
            "its checksum is right, so it was written like this: a defect, or a forgery",
            "keep the file and report it",
        ) from None
    if ended not in NAMES:
        raise TraceError(
            f"the trace ends in message {ended}", "no such message ends a round", _FETCH
        )
    return Trace(
        device,
        boot,
        number,
        _version(numbers),
        schema,
        config,
        tick_us,
        state,
        events,
        cut,
        ended,
        values,
        len(data),
        frame,
    )


def _version(numbers: Sequence[int]) -> str:
    return ".".join(map(str, numbers))


def _verify_whole(data: bytes) -> None:
    if len(data) < HEAD_BYTES + _CRC_BYTES or data[:4] != MAGIC:
        raise TraceError(
            "this is not a trace",
            f"it does not begin with {MAGIC.decode()}, or is shorter than a header",
            "name a file of `tabletool trace`",
        )
    stored = int.from_bytes(data[-_CRC_BYTES:], "little")
    actual = crc32(data[:-_CRC_BYTES])
    if stored != actual:
        raise TraceError(
            f"the trace is damaged: its CRC is 0x{actual:08X}, not 0x{stored:08X}",
            "bytes were lost or changed since the device wrote it",
            _FETCH,
        )
    if data[4] != FORMAT:
        raise TraceError(
            f"the trace has format {data[4]}, this program knows {FORMAT}",
            "a newer release wrote it",
            "use that release or a newer one",
        )


def _verify_config(config: tuple[int, ...]) -> None:
    if len(config) != settings.COUNT + 1:
        raise TraceError(
            f"the trace has {len(config) - 1} configuration keys, not {settings.COUNT}",
            "it was made by another release",
            "use the release of its firmware",
        )
    for number, name in enumerate(KEY_NAMES, 1):
        low, high, _ = settings.limits(number)
        if not low <= config[number] <= high:
            raise TraceError(
                f"the configuration in the trace has {name} {config[number]} ({low}..{high})",
                "no device accepts that value, so the trace is forged or a defect",
                "keep the file and report it",
            )
