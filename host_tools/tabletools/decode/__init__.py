"""From bytes or a capture file to records, with a lossless report of everything skipped."""

import tablespec.host_tables  # noqa: F401  (every role's messages, checked quicker)
from tabletools.decode.core_messages import firmware_version, played
from tabletools.decode.live_state import LiveState
from tabletools.decode.record_sources import (
    MOST_WITHOUT_FRAME,
    CaptureError,
    NoFrames,
    from_bytes,
    from_capture,
)
from tabletools.decode.seed import SeedWatch, SkipWatch, implied_seed
from tabletools.decode.stream import Decoder, skipped
from tabletools.decode.stream_tags import Tags
from tabletools.decode.text import describe, line, skip_of, summary
from tabletools.roles.frame_record import Head, head_of, labels, record
from tabletools.roles.role import Record

__all__ = [
    "MOST_WITHOUT_FRAME",
    "CaptureError",
    "Decoder",
    "Head",
    "LiveState",
    "NoFrames",
    "Record",
    "SeedWatch",
    "SkipWatch",
    "Tags",
    "describe",
    "firmware_version",
    "from_bytes",
    "from_capture",
    "head_of",
    "implied_seed",
    "labels",
    "line",
    "played",
    "record",
    "skip_of",
    "skipped",
    "summary",
]
