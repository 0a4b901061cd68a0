"""Picture files as frames of the tray's camera: grey, and no larger than the logic reads.

A larger picture is reduced by whole pixels: the mean of k x k of them, so nothing is invented.
"""

import warnings
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from tabletools.errors import ToolError

# The camera gives 320 x 240; its logic reads somewhat more, so that a picture hardly larger
# need not lose half of its detail.
LARGEST = (400, 300)
SMALLEST = 64
FORMATS = ("PNG", "PPM")  # PPM reads the whole family, PGM among it


@dataclass(frozen=True)
class Frame:
    """width * height bytes of grey, row by row."""

    width: int
    height: int
    grey: bytes


def open_picture(path: Path) -> Frame:
    """Return the frame in a PNG or PGM file. Raises ToolError naming the file."""
    try:
        with warnings.catch_warnings(), Image.open(path, formats=FORMATS) as picture:
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            return _frame(path, _grey(picture))
    except UnidentifiedImageError:
        raise _refused(path, "is not a picture", "give PNG or PGM files") from None
    except FileNotFoundError:
        raise _refused(path, "does not exist", "check the name") from None
    except IsADirectoryError:
        raise _refused(path, "is a folder", "give the files in it") from None
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise _refused(path, "is too large", "reduce it below 89 megapixels") from None
    except (OSError, ValueError, SyntaxError) as error:
        raise _refused(path, f"cannot be read: {error}", "save it again, as PNG") from None


def _grey(picture: Image.Image) -> Image.Image:
    """Return the picture in 8-bit grey."""
    if picture.mode.startswith("I"):  # 16 bits: the upper eight
        picture = picture.convert("I").point(lambda value: value / 256)
    if picture.mode in ("LA", "PA", "RGBA", "P"):  # what is transparent shows black
        picture = Image.alpha_composite(
            Image.new("RGBA", picture.size, "black"), picture.convert("RGBA")
        )
    return picture.convert("L")


def _frame(path: Path, grey: Image.Image) -> Frame:
    """Return the picture reduced by whole pixels until it fits. Raises ToolError."""
    factor = max(1, *(-(-size // most) for size, most in zip(grey.size, LARGEST, strict=True)))
    width, height = grey.width // factor, grey.height // factor
    if min(width, height) < SMALLEST:
        what = f"is {grey.width} x {grey.height} px"
        if factor > 1:
            most = "{} x {}".format(*LARGEST)
            what += f", {width} x {height} when it is reduced to {most} at most"
        raise _refused(path, what, f"at least {SMALLEST} px each way are needed")
    if factor > 1:
        grey = grey.crop((0, 0, width * factor, height * factor)).reduce(factor)
    return Frame(width, height, grey.tobytes())


def _refused(path: Path, what: str, step: str) -> ToolError:
    return ToolError(f"{path} {what}", step=step)
