"""The manifest: release number, version, and every file of a board with size and SHA-256.

JSON, in one form only: {"manifest": ..., "signature": hex}. The signature is Ed25519 over a
heading and the manifest's canonical text, so one manifest has one text and one signature.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

_HEADING = b"tablewire release 1\n"
_FIELDS = {"release": int, "version": str, "files": list}
_FILE_FIELDS = {"path": str, "size": int, "sha256": str}


class ReleaseError(Exception):
    """A release that must not be used. what, step: as shown to the user."""

    def __init__(self, what: str, step: str) -> None:
        super().__init__(what)
        self.what = what
        self.step = step


@dataclass(frozen=True)
class File:
    """One file: absolute path on the board, bytes, SHA-256 of the content in hex."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """One release for one board; files in the order of their paths' bytes."""

    release: int
    version: str
    files: tuple[File, ...]

    def text(self) -> bytes:
        """The canonical text."""
        facts = {
            "release": self.release,
            "version": self.version,
            "files": [vars(file) for file in self.files],
        }
        return json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()


def files_of(image: dict[str, bytes]) -> tuple[File, ...]:
    """The files of an image, path: content, as a manifest lists them."""
    return tuple(
        File(path, len(image[path]), hashlib.sha256(image[path]).hexdigest())
        for path in sorted(image, key=str.encode)
    )


def sign(manifest: Manifest, key: Ed25519PrivateKey) -> str:
    """The signature in hex."""
    return key.sign(_HEADING + manifest.text()).hex()


def write(path: Path, manifest: Manifest, signature: str = "") -> None:
    """Write the manifest; signature: hex, empty when it is still to be signed."""
    facts = {"manifest": json.loads(manifest.text()), "signature": signature}
    path.write_text(json.dumps(facts, sort_keys=True, indent=1) + "\n")


def read(path: Path, key: Ed25519PublicKey | None) -> Manifest:
    """Return the manifest in a file, its signature verified unless key is None.

    Raises ReleaseError, OSError.
    """
    return parsed(path.read_bytes(), str(path), key)


def parsed(data: bytes, where: str, key: Ed25519PublicKey | None) -> Manifest:
    """Return the manifest in the bytes of a file, as `read` does. where: of it, for errors."""
    try:
        facts = json.loads(data)
        manifest = _manifest(_exact(facts, {"manifest": dict, "signature": str})["manifest"])
        signature = bytes.fromhex(facts["signature"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ReleaseError(f"{where} is not a manifest: {error}", "make it again") from error
    if key is not None:
        try:
            key.verify(signature, _HEADING + manifest.text())
        except InvalidSignature:
            what = f"{where} is not signed by this key" if signature else f"{where} is not signed"
            raise ReleaseError(
                what, "get the manifest and the key again, by separate channels"
            ) from None
    return manifest


def _manifest(facts: dict[str, Any]) -> Manifest:
    _exact(facts, _FIELDS)
    files = tuple(File(**_exact(file, _FILE_FIELDS)) for file in facts["files"])
    paths = [file.path.encode() for file in files]
    if paths != sorted(set(paths)):
        raise ValueError("the files are not sorted by path, or a path appears twice")
    if facts["release"] < 1:
        raise ValueError("a release number is at least 1")
    return Manifest(facts["release"], facts["version"], files)


def _exact(facts: Any, fields: dict[str, type]) -> dict[str, Any]:
    if not isinstance(facts, dict) or facts.keys() != fields.keys():
        raise ValueError(f"expected exactly the fields {', '.join(fields)}")
    for name, kind in fields.items():
        if type(facts[name]) is not kind:
            raise ValueError(f"{name} must be {kind.__name__}")
    return facts
