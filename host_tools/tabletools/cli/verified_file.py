"""A verified state of a ledger in a file, from which its next verification goes on.

Its MAC (HMAC-SHA256) is by a key in the data folder of the user who verifies: to forge a state it
takes the rights of that user, those of the database do not suffice.
"""

import hashlib
import hmac
import json
from collections.abc import Collection
from importlib.metadata import version
from pathlib import Path

import msgspec

from tabletools import private_file
from tabletools.errors import ToolError, cannot_write
from tabletools.secret_key import KeyFile
from tabletools.store.chain_verify import Contents
from tabletools.table.verify import Verified


class Saved(msgspec.Struct, frozen=True):
    """What a file holds. seq, digest, contents: see `table.verify.Verified`. ledger: digest of its
    first entry. covers: of what was verified besides the ledger itself, see `scope_words`."""

    seq: int
    digest: str
    contents: Contents
    ledger: str
    covers: frozenset[str]
    release: str
    at_ns: int

    @property
    def state(self) -> Verified:
        """The state of the ledger."""
        return Verified(self.seq, self.digest, self.contents)


class _SignedState(msgspec.Struct, frozen=True):
    """A file. mac: hex."""

    verified: Saved
    mac: str


def scope_words(*, has_keys: bool, reads_pictures: bool) -> frozenset[str]:
    """Return what is verified besides the ledger itself, as words."""
    words = {"keys": has_keys, "pictures": reads_pictures}
    return frozenset(name for name, is_covered in words.items() if is_covered)


def read(file: Path, key_file: Path) -> Saved | None:
    """Return the state in a file, None without one. Raises ToolError for one that is not ours."""
    try:
        record = msgspec.json.decode(file.read_bytes(), type=_SignedState)
        saved, mac = record.verified, bytes.fromhex(record.mac)
    except FileNotFoundError:
        return None
    except OSError as error:
        what = f"cannot read the verified state: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=str(file), step="name another file") from error
    except (ValueError, RecursionError) as error:
        raise ToolError(
            "this is not a verified state of a ledger",
            where=str(file),
            step="name another file; it was left unchanged",
        ) from error
    if not hmac.compare_digest(mac, _mac(saved, _key(key_file))):
        raise ToolError(
            "the verified state is not one that this user wrote",
            where=str(file),
            cause=f"it was changed, or another user wrote it, or {key_file} was replaced",
            step="keep the file for the auditor, and verify with another name",
        )
    return saved


def write(file: Path, key_file: Path, saved: Saved) -> None:
    """Write a state; the file appears whole. Raises ToolError."""
    record = _SignedState(saved, _mac(saved, _key(key_file)).hex())
    try:
        private_file.write_whole(file, msgspec.json.encode(record, order="deterministic"))
    except OSError as error:
        step = "name a file in a folder you own"
        raise cannot_write("the verified state", error, file, step) from error


def saved_now(state: Verified, ledger: str, covers: Collection[str], now_ns: int) -> Saved:
    """Return what to write of a state that this release verified."""
    return Saved(*state, ledger, frozenset(covers), release(), now_ns)


def release() -> str:
    """Return the release of this program: another one may verify more."""
    return version("tablewire")


def _mac(saved: Saved, key: bytes) -> bytes:
    facts = msgspec.to_builtins(saved, order="deterministic")
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    return hmac.digest(key, b"tablewire verified 1" + text.encode("ascii"), hashlib.sha256)


def _key(file: Path) -> bytes:
    """Return the key of this user's states, made at the first use. Raises ToolError."""
    next_use = "the next verification makes another, and verifies everything"
    return KeyFile(file, "verified states", str(file), next_use).key()
