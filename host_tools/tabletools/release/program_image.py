"""The image of a board, built from mip.json and a board.py: exactly the files copied to it."""

import json
import re
from pathlib import Path

from tabletools.release.release_manifest import Manifest, ReleaseError, files_of

_VERSION = "tabledev/app/version.py"
_NAMES = ("MAJOR", "MINOR", "PATCH", "RELEASE")
_NUMBER = re.compile(rf"^({'|'.join(_NAMES)}) = const\((\d+)\)$", re.MULTILINE)


def image_of(package: Path, board: Path) -> dict[str, bytes]:
    """Return the image, path on the board: content. Raises ReleaseError, OSError."""
    try:
        urls = json.loads(package.read_bytes())["urls"]
        places = {f"/{name}": package.parent / place for name, place in urls}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ReleaseError(
            f"{package} is not a package file with a list of urls", "name mip.json"
        ) from None
    image = {name: place.read_bytes() for name, place in places.items()}
    image["/board.py"] = board.read_bytes()
    return image


def manifest_of(image: dict[str, bytes], sources: dict[str, bytes] | None = None) -> Manifest:
    """Return the manifest of an image, release and version read from its version.py.

    sources: what a compiled image was made from.
    """
    text = (sources or image).get(f"/{_VERSION}", b"").decode()
    numbers = {name: int(value) for name, value in _NUMBER.findall(text)}
    if numbers.keys() != set(_NAMES):
        raise ReleaseError(
            f"{_VERSION} contains no release number", "is mip.json that of this firmware?"
        )
    major, minor, patch, release = (numbers[name] for name in _NAMES)
    return Manifest(release, f"{major}.{minor}.{patch}", files_of(image))


def write_image(image: dict[str, bytes], folder: Path) -> None:
    """Write the image into a new folder, ready to be copied to the board."""
    try:
        folder.mkdir()
    except FileExistsError:
        raise ReleaseError(f"{folder} already exists", "name a new folder") from None
    for path, data in image.items():
        place = folder / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def read_image(folder: Path) -> dict[str, bytes]:
    """Read the image in a folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {f"/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in paths}
