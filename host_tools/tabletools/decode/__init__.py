"""From bytes or a capture file to records, with a lossless report of everything skipped."""

import tablewire.checks  # noqa: F401  (lets codec check quicker)
from tabletools.decode.files import CaptureError, from_bytes, from_capture
from tabletools.decode.records import Record, record, skipped
from tabletools.decode.roles import COUNTED, PLAYS, Roles
from tabletools.decode.seed import SeedWatch, implied_seed
from tabletools.decode.stream import Decoder
from tabletools.decode.tags import Tags
from tabletools.decode.text import describe, line, summary

__all__ = [
    "COUNTED",
    "PLAYS",
    "CaptureError",
    "Decoder",
    "Record",
    "Roles",
    "SeedWatch",
    "Tags",
    "describe",
    "from_bytes",
    "from_capture",
    "implied_seed",
    "line",
    "record",
    "skipped",
    "summary",
]
