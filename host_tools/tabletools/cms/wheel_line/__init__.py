"""The one-line status of automatic wheels: sent to displays, received from a wheel. No broker."""

from tabletools.cms.wheel_line.display import Display, serve_lines, shown_of
from tabletools.cms.wheel_line.reader import Happened, WheelReader
from tabletools.cms.wheel_line.status_line import (
    DIALECTS,
    DamagedLine,
    Number,
    Status,
    build,
    cut,
    parse,
)
from tabletools.cms.wheel_line.wheel_table import WheelTable

__all__ = [
    "DIALECTS",
    "DamagedLine",
    "Display",
    "Happened",
    "Number",
    "Status",
    "WheelReader",
    "WheelTable",
    "build",
    "cut",
    "parse",
    "serve_lines",
    "shown_of",
]
