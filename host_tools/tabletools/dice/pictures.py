"""Picture files in grey, reduced to the size that the logic of the tray reads."""

import math
import warnings
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from tabletools.errors import ToolError

# The camera gives 320 x 240; its logic reads somewhat more, whichever way the picture is turned.
# Reduced by a whole number each pixel counts alike; where that would leave less than the camera
# gives, a picture is reduced just as far as it has to be.
LARGEST = (400, 300)
CAMERA = 320
SMALLEST = 64
FORMATS = ("PNG", "PPM", "JPEG")  # PPM reads the whole family, PGM among it
_PNG, _PNG_END = b"\x89PNG", b"IEND\xaeB`\x82"


@dataclass(frozen=True)
class Frame:
    """width * height bytes of grey, row by row."""

    width: int
    height: int
    grey: bytes


def open_picture(path: Path) -> Frame:
    """Return a frame as a table would read it. Raises ToolError naming the file."""
    grey = _open(path)
    long, short = max(grey.size), min(grey.size)
    ratio = max(long / LARGEST[0], short / LARGEST[1], 1.0)
    factor = math.ceil(ratio)
    by = factor if long // factor >= CAMERA else ratio
    width, height = (int(side / by + 1e-9) for side in grey.size)
    if min(width, height) < SMALLEST:
        what = f"is {grey.width} x {grey.height} px"
        if ratio > 1:
            most = "{} x {}".format(*LARGEST)
            what += f", {width} x {height} when it is reduced to {most} at most"
        raise _refused(path, what, f"at least {SMALLEST} px each way are needed")
    if by == factor > 1:
        grey = grey.crop((0, 0, width * factor, height * factor)).reduce(factor)
    elif ratio > 1:
        grey = grey.resize((width, height), Image.Resampling.LANCZOS)
    return Frame(width, height, grey.tobytes())


def open_colour(path: Path) -> Image.Image:
    """Return a picture in its own size and in colour. Raises ToolError naming the file."""
    return _open(path, "RGB")


def _open(path: Path, mode: str = "L") -> Image.Image:
    """Return a picture in 8 bits, grey (L) or RGB. Raises ToolError naming the file."""
    try:
        data = path.read_bytes()
        if data.startswith(_PNG) and _PNG_END not in data:
            raise OSError("the PNG file is truncated")
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(BytesIO(data), formats=FORMATS) as picture:
                return _in_8_bits(picture, mode)
    except UnidentifiedImageError:
        raise _refused(path, "is not a picture", "give PNG, JPEG or PGM files") from None
    except FileNotFoundError:
        raise _refused(path, "does not exist", "check the name") from None
    except IsADirectoryError:
        raise _refused(path, "is a folder", "give the files in it") from None
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise _refused(path, "is too large", "reduce it below 89 megapixels") from None
    except (OSError, ValueError, SyntaxError) as error:
        raise _refused(path, f"cannot be read: {error}", "save it again, as PNG") from None


def _in_8_bits(picture: Image.Image, mode: str) -> Image.Image:
    if picture.mode.startswith("I"):  # 16 bits: the upper eight
        picture = picture.convert("I").point(lambda value: value / 256)
    if picture.mode in ("LA", "PA", "RGBA", "P"):  # what is transparent shows black
        picture = Image.alpha_composite(
            Image.new("RGBA", picture.size, "black"), picture.convert("RGBA")
        )
    return picture.convert(mode)


def _refused(path: Path, what: str, step: str) -> ToolError:
    return ToolError(f"{path} {what}", step=step)
