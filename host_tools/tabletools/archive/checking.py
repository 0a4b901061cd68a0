"""Check archives of a ledger by themselves: signature, files, chain, and every row.

Needs no database. What is proved: the key signed these entries, they follow each other, and the
rows are those that they name. What is not: that a settlement follows the rules, which `ledger
verify` and `ledger shadow` prove on the ledger.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tabletools.archive.writing import ENDING, FORMAT, MANIFEST, SIGNATURE, Manifest, libraries
from tabletools.errors import ToolError
from tabletools.store import chain as chains
from tabletools.store.chain import Key
from tabletools.store.chain_verify import Entry

_ROWS = 20_000
_LARGEST = 1 << 20
"""Most bytes of a manifest."""
_LONGEST = 120
"""Most characters printed of the reason why a file cannot be read."""
_LINES, _CENTS = "ledger_lines", 2


class Archive(NamedTuple):
    """An archive whose signature fits."""

    folder: Path
    manifest: Manifest


def opened(folder: Path, public_key: Ed25519PublicKey | None) -> Archive:
    """Return an archive by its manifest. Raises ToolError unless its key, or that one, signed it.

    public_key: None for the key that the manifest names: anyone may have made it.
    """
    try:
        data = _small(folder / MANIFEST)
        signature = bytes.fromhex(_small(folder / SIGNATURE).decode("ascii"))
        manifest = _manifest(data)
        signer = Ed25519PublicKey.from_public_bytes(bytes.fromhex(manifest.public_key))
    except OSError as error:
        what = f"cannot read the archive: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=str(folder), step="name the folder of an archive") from error
    except (ValueError, RecursionError) as error:
        what, step = "this is not an archive of a ledger", "name the folder of an archive"
        raise ToolError(what, where=str(folder), step=step) from error
    try:
        (public_key or signer).verify(signature, data)
    except InvalidSignature:
        cause = "another key signed it, or its manifest was changed"
        step = "keep it for the auditor, and name the public key of its host"
        raise ToolError(
            "the signature of the archive is wrong", where=str(folder), cause=cause, step=step
        ) from None
    return Archive(folder, manifest)


def _small(file: Path) -> bytes:
    with open(file, "rb") as stream:
        data = stream.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise ValueError(f"{file.name} has more than {_LARGEST} bytes")
    return data


def _manifest(data: bytes) -> Manifest:
    """Return what a manifest says; raises ValueError."""
    manifest = msgspec.json.decode(data, type=Manifest)
    if manifest.format != FORMAT:
        raise ValueError("another format")
    if any(not name.isidentifier() for name in manifest.files):  # a name is part of a path
        raise ValueError("a file that is not of a table")
    return manifest


def follow(archives: list[Archive]) -> Iterator[str]:
    """Yield where archives, in this order, do not follow each other."""
    for (before, one), (folder, other) in pairwise(archives):
        if one.ledger != other.ledger:
            yield f"{folder.name}: of another ledger than {before.name}"
        elif (one.last + 1, one.after) != (other.first, other.before):
            yield f"{folder.name}: does not follow {before.name}"


def problems(archive: Archive) -> Iterator[str]:
    """Yield what is wrong with the files of an archive."""
    wrong = list(file_problems(archive, archive.manifest.files))
    yield from wrong
    if wrong:
        return
    try:
        yield from _Check(archive).problems()
    except (ValueError, TypeError, KeyError, AttributeError, OSError, RecursionError) as error:
        yield f"its files cannot be read: {' '.join(str(error).split())[:_LONGEST]}"


def file_problems(archive: Archive, names: Collection[str]) -> Iterator[str]:
    """Yield files of these tables that are missing or changed, and any not in the manifest."""
    present = {file.name.removesuffix(ENDING) for file in archive.folder.glob(f"*{ENDING}")}
    files = archive.manifest.files
    for name in sorted(present - files.keys()):
        yield f"{name}{ENDING}: not in the manifest"
    for name in sorted(files.keys() & set(names)):
        try:
            with open(archive.folder / f"{name}{ENDING}", "rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            yield f"{name}{ENDING}: {error.strerror}"
            continue
        if digest != files[name].sha256:
            yield f"{name}{ENDING}: was changed"


def checked(archive: Archive) -> list[str]:
    """Return the problems of an archive, on any machine that sees its folder. Raises ToolError."""
    if opened(archive.folder, None).manifest != archive.manifest:
        what, step = "there is another archive here", "let every worker see the same folder"
        raise ToolError(what, where=str(archive.folder), step=step)
    return list(problems(archive))


class _Check:
    """The rows of an archive against its entries, in one pass over all files."""

    def __init__(self, archive: Archive) -> None:
        self._folder, self._manifest = archive
        self._rows = {name: self._read(name) for name in self._manifest.files if name != "chain"}
        self._newest: dict[str, dict[Key, str | None]] = {}

    def problems(self) -> Iterator[str]:
        """Yield what is wrong."""
        manifest = self._manifest
        expected, before = manifest.first, manifest.before
        for entry in map(Entry._make, self._read("chain")):
            if entry.seq != expected or entry.previous.hex() != before:
                yield f"chain: entry {entry.seq} does not follow the entry before it"
            if chains.entry_digest(entry.previous, *entry[:3]) != entry.digest:
                yield f"chain: entry {entry.seq} was changed"
            expected, before = entry.seq + 1, entry.digest.hex()
            yield from self._entry_problems(entry)
        if (expected - 1, before) != (manifest.last, manifest.after):
            yield f"chain: it ends with entry {expected - 1}, not with {manifest.last}"
        yield from self._changeable_problems()

    def _read(self, name: str) -> Iterator[tuple[Any, ...]]:
        _, pq = libraries()
        with pq.ParquetFile(self._folder / f"{name}{ENDING}") as file:
            for batch in file.iter_batches(_ROWS):
                yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    def _entry_problems(self, entry: Entry) -> Iterator[str]:
        for name, rows in json.loads(entry.rows).items():
            if name in self._manifest.left_out:
                continue
            if isinstance(rows, list):
                self._newest.setdefault(name, {}).update((tuple(k), now) for k, now, _ in rows)
                continue
            keys, digest = chains.appended(rows)
            stored = list(islice(self._rows.get(name, iter(())), len(keys)))
            is_same = [row[: self._key_length(name)] for row in stored] == keys
            if not is_same or chains.digest_of(stored) != digest:
                yield f"{name}: not as written in entry {entry.seq} of the chain"
            elif name == _LINES:
                yield from _imbalances(stored)

    def _key_length(self, name: str) -> int:
        """Return how many columns of a table are its key; 1 where it has no file, and no row."""
        file = self._manifest.files.get(name)
        return 1 if file is None else file.keys

    def _changeable_problems(self) -> Iterator[str]:
        """Compare rows that may change, as the last of the entries left them."""
        for name, newest in self._newest.items():
            count = self._key_length(name)
            for row in self._rows.get(name, iter(())):
                if newest.pop(row[:count], None) != chains.digest_of([row]):
                    yield f"{name} {row[:count]}: not as written in its newest entry"
            if len(newest) != self._manifest.changed_later.get(name, 0):
                yield f"{name}: {len(newest)} rows are missing, the manifest says otherwise"
        for name, rows in self._rows.items():
            if next(rows, None) is not None:
                yield f"{name}: rows that no entry names"


def _imbalances(lines: list[tuple[Any, ...]]) -> Iterator[str]:
    """Yield postings whose lines do not add up to 0; all lines of one are in one entry."""
    sums = Counter[int]()
    for line in lines:
        sums[line[0]] += line[_CENTS]
    for posting, cents in sums.items():
        if cents:
            yield f"posting {posting}: its lines add up to {cents}, not to 0"
