"""A stored record as text, in the words of `tabletool decode`."""

from collections.abc import Mapping
from typing import Any

from tabletools import decode
from tablewire.codec import Frame
from tablewire.framing import Receiver


def text_of(raw: bytes, payload: Mapping[str, Any]) -> str:
    """Return a received frame as text; its fields, if this schema does not know it."""
    frames = Receiver().feed(raw)
    if len(frames) == 1 and isinstance(frames[0], Frame):
        return decode.describe(decode.record(frames[0])).strip()
    return ", ".join(f"{name} {value}" for name, value in payload.items())
