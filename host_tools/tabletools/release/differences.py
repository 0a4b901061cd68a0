"""Finds differences: between an image and a manifest file by file, in a table by digests."""

import hashlib
import struct
from collections.abc import Generator

from tabletools.release.release_manifest import File, Manifest

ALL_FILES = 0xFFFF


def digest(manifest: Manifest, nonce: bytes, most: int = ALL_FILES) -> bytes:
    """Return the digest a table with these files must send, PROTOCOL.md "Attestation"."""
    total = hashlib.sha256(nonce)
    for file in manifest.files[:most]:
        name = file.path.encode()
        total.update(struct.pack("<H", len(name)) + name + struct.pack("<I", file.size))
        total.update(bytes.fromhex(file.sha256))
    return total.digest()


def differences(manifest: Manifest, files: tuple[File, ...]) -> list[str]:
    """Return every missing, added or changed file; empty if there is none."""
    wanted = {file.path: file for file in manifest.files}
    have = {file.path: file for file in files}
    lines = [f"{path}: missing" for path in wanted if path not in have]
    lines += [f"{path}: not in the release" for path in have if path not in wanted]
    for path, file in wanted.items():
        other = have.get(path)
        if other is not None and other != file:
            lines.append(
                f"{path}: changed, {other.size} bytes {other.sha256[:16]}..."
                f" instead of {file.size} bytes {file.sha256[:16]}..."
            )
    return sorted(lines)


def find(manifest: Manifest, files: int) -> Generator[int, bool, str]:
    """Binary search for the first file that differs: yields how many files to compare.

    Send whether the digest over that many was right; returns the difference as text. files: as
    counted by the table.
    """
    good, bad = 0, min(len(manifest.files), files) + 1
    while bad - good > 1:
        middle = (good + bad) // 2
        if (yield middle):
            good = middle
        else:
            bad = middle
    if good == len(manifest.files):
        return f"{files - good} files more than the release has, after {manifest.files[-1].path}"
    path = manifest.files[good].path
    if good == files:
        return f"{path} and all files after it are missing"
    count = f"{files} files instead of {len(manifest.files)}"
    return f"{path}: changed, missing, or a file was added before it ({count})"
