"""Pictures that say what they are: PNG with facts, JSON, in a text of it."""

from __future__ import annotations

import json
from hashlib import sha256
from io import BytesIO
from typing import Any

import numpy as np

from tabletools.dice.picture_patches import Grey


def digest(data: bytes) -> str:
    """Return the sum that names a file or a picture: its SHA-256."""
    return sha256(data).hexdigest()


def png_with(picture: Grey, key: str, facts: Any) -> bytes:
    """Return a picture as PNG, with facts in a text of it."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    text, data = PngInfo(), BytesIO()
    text.add_text(key, json.dumps(facts, separators=(",", ":")))
    Image.fromarray(picture).save(data, "PNG", pnginfo=text)
    return data.getvalue()


def picture_and(data: bytes, key: str) -> tuple[Grey, Any]:
    """Return the picture of a PNG in grey, and the facts in its text. Raises OSError, KeyError,
    ValueError, SyntaxError."""
    from PIL import Image

    with Image.open(BytesIO(data), formats=("PNG",)) as picture:
        picture.load()
        facts = json.loads(picture.text[key])  # type: ignore[attr-defined]
        return np.asarray(picture.convert("L"), np.uint8), facts
