"""Picture files in grey, and in colour where they have it, reduced to the size that is read.

Pillow is imported where a file is opened: who only names a Frame needs none.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from tabletools.errors import ToolError

if TYPE_CHECKING:
    from PIL import Image

# The camera gives 320 x 240; its logic reads somewhat more, whichever way the picture is turned.
# Reduced by a whole number each pixel counts alike; where that would leave less than four fifths
# of the largest width, a picture is reduced just as far as it has to be.
LARGEST = (400, 300)
FINE = (800, 600)
LEAST_OF_LARGEST = 0.8
SMALLEST = 64
FORMATS = ("PNG", "PPM", "JPEG")  # PPM reads the whole family, PGM among it
_PNG, _PNG_END = b"\x89PNG", b"IEND\xaeB`\x82"


@dataclass(frozen=True)
class Frame:
    """width * height bytes of grey, row by row. colour: three bytes of each pixel, red, green and
    blue; none of a grey picture."""

    width: int
    height: int
    grey: bytes
    colour: bytes = b""


def png(frame: Frame) -> bytes:
    """Return a frame as a PNG file, in grey."""
    from PIL import Image

    data = BytesIO()
    Image.frombytes("L", (frame.width, frame.height), frame.grey).save(data, "PNG")
    return data.getvalue()


def open_picture(path: Path, largest: tuple[int, int] = LARGEST) -> Frame:
    """Return a frame as a table would read it, or finer. Raises ToolError naming the file."""
    picture = _open(path)
    long, short = max(picture.size), min(picture.size)
    ratio = max(long / largest[0], short / largest[1], 1.0)
    factor = math.ceil(ratio)
    by = factor if long // factor >= LEAST_OF_LARGEST * largest[0] else ratio
    width, height = (int(side / by + 1e-9) for side in picture.size)
    if min(width, height) < SMALLEST:
        what = f"is {picture.width} x {picture.height} px"
        if ratio > 1:
            what += (
                f", {width} x {height} when it is reduced to {largest[0]} x {largest[1]} at most"
            )
        raise _refusal(path, what, f"at least {SMALLEST} px each way are needed")

    def reduce(whole: Image.Image) -> Image.Image:
        from PIL.Image import Resampling

        if by == factor > 1:
            return whole.crop((0, 0, width * factor, height * factor)).reduce(factor)
        if ratio > 1:
            return whole.resize((width, height), Resampling.LANCZOS)
        return whole

    grey = reduce(picture.convert("L")).tobytes()
    colour = b"" if picture.mode == "L" else reduce(picture).tobytes()
    is_grey = colour[::3] == colour[1::3] == colour[2::3]
    return Frame(width, height, grey, b"" if is_grey else colour)


def open_colour(path: Path) -> Image.Image:
    """Return a picture in its own size and in colour. Raises ToolError naming the file."""
    return _open(path).convert("RGB")


def _open(path: Path) -> Image.Image:
    """Return a picture in 8 bits, grey (L) or RGB. Raises ToolError naming the file."""
    from PIL import Image, UnidentifiedImageError

    try:
        data = path.read_bytes()
        if data.startswith(_PNG) and _PNG_END not in data:
            raise OSError("the PNG file is truncated")
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(BytesIO(data), formats=FORMATS) as picture:
                return _in_8_bits(picture)
    except UnidentifiedImageError:
        raise _refusal(path, "is not a picture", "give PNG, JPEG or PGM files") from None
    except FileNotFoundError:
        raise _refusal(path, "does not exist", "check the name") from None
    except IsADirectoryError:
        raise _refusal(path, "is a folder", "give the files in it") from None
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise _refusal(path, "is too large", "reduce it below 89 megapixels") from None
    except (OSError, ValueError, SyntaxError) as error:
        raise _refusal(path, f"cannot be read: {error}", "save it again, as PNG") from None


def _in_8_bits(picture: Image.Image) -> Image.Image:
    from PIL import Image

    if picture.mode.startswith("I"):  # 16 bits: the upper eight
        picture = picture.convert("I").point(lambda value: value / 256)
    if picture.mode in ("LA", "PA", "RGBA", "P"):  # what is transparent shows black
        picture = Image.alpha_composite(
            Image.new("RGBA", picture.size, "black"), picture.convert("RGBA")
        )
    return picture.convert("L" if picture.mode in ("1", "L", "I", "F") else "RGB")


def _refusal(path: Path, what: str, step: str) -> ToolError:
    return ToolError(f"{path} {what}", step=step)
