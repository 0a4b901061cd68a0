"""The keyring: one JSON file that only its owner can read, {device: [{number, key as hex}]}.

A device has one key, or two during a change: the new one is written here before the table can
store it, the old one removed after a session under the new one. A file or folder that others own
or can write to is refused. Every change writes a new file
that replaces the old one in one step, so a power cut leaves one or the other.
Not responsible for ports. A key is never printed; only its fingerprint is.
"""

import fcntl
import json
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from tabletools.keys.safe_place import Danger, danger_of, owner_danger
from tablewire.seal import KEY_BYTES

LAST_NUMBER = 0x7FFFFFFF
_FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class KeyringError(Exception):
    """The keyring cannot be used. All as shown to the user, never a key. where: the file."""

    def __init__(self, file: Path, what: str, cause: str, step: str) -> None:
        super().__init__(what)
        self.where = str(file)
        self.what = what
        self.cause = cause
        self.step = step


@dataclass(frozen=True)
class Key:
    """A key of one device. number: 1..2^31-1, rising with each change; secret: 32 bytes."""

    number: int
    secret: bytes = field(repr=False)

    @property
    def fingerprint(self) -> str:
        """Eight hex digits that distinguish keys and reveal nothing about them."""
        return sha256(b"tablewire key fingerprint" + self.secret).hexdigest()[:8]


def new_key(number: int) -> Key:
    """Return a fresh key from the system's source of randomness."""
    return Key(number, secrets.token_bytes(KEY_BYTES))


def default_file() -> Path:
    """Default place of the keyring: the user's data folder."""
    home = Path.home()
    folder = home / ("Library/Application Support" if sys.platform == "darwin" else ".local/share")
    return Path(os.environ.get("XDG_DATA_HOME") or folder) / "tablewire" / "keys.json"


class Keyring:
    """The keys in one file; a missing file has none. Raises KeyringError.

    Read at each call, so that changes of other programs are seen.
    """

    def __init__(self, file: Path) -> None:
        # A link is followed: replacing the link itself would leave the keys at its target.
        self.file = Path(os.path.realpath(file))
        self._named = file

    def keys_of(self, device: int) -> dict[int, bytes]:
        """Return the keys of a device by number; empty if there are none."""
        return {key.number: key.secret for key in self.all().get(device, ())}

    def all(self) -> dict[int, tuple[Key, ...]]:
        """Every device with its keys, both in order of their numbers."""
        try:
            self._verify_place()
            with self.file.open("rb") as stream:
                _verify_private(self.file, os.fstat(stream.fileno()))
                text = stream.read()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise _unreachable(self.file, "read", error) from error
        return _parse(self.file, text)

    def add(self, device: int, key: Key, *, replaces: bool = False) -> None:
        """Store a key. Raises KeyringError if there is another under its number.

        replaces: replace that one, which no table has.
        """
        with self._change() as keys:
            known = {old.number: old for old in keys.get(device, ())}
            if replaces:
                known[key.number] = key
            if known.setdefault(key.number, key) != key:
                raise KeyringError(
                    self.file,
                    f"device {device} has another key {key.number} in the keyring",
                    f"this one is {known[key.number].fingerprint}, the other {key.fingerprint}",
                    "find out which one the device has; drop the other:"
                    " tabletool keys forget DEVICE --number N",
                )
            keys[device] = tuple(known[number] for number in sorted(known))

    def settle(self, device: int, number: int) -> None:
        """Remove the older keys, once a session under this one is active."""
        if any(key.number < number for key in self.all().get(device, ())):
            with self._change() as keys:
                keys[device] = tuple(key for key in keys[device] if key.number >= number)

    def forget(self, device: int, number: int | None = None) -> int:
        """Remove all keys of a device, or one; returns how many."""
        with self._change() as keys:
            secrets = keys.pop(device, ())
            left = tuple(key for key in secrets if number not in (None, key.number))
            if left:
                keys[device] = left
        return len(secrets) - len(left)

    def _verify_place(self) -> None:
        _refuse(self.file, danger_of(self._named))

    @contextmanager
    def _change(self) -> Iterator[dict[int, tuple[Key, ...]]]:
        """Read, let the caller change, write; no other program writes meanwhile."""
        try:
            self._verify_place()
            _make_folder(self.file.parent)
            lock = os.open(f"{self.file}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise _unreachable(self.file, "written", error) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            keys = self.all()
            yield keys
            _write(self.file, keys)
        except OSError as error:
            raise _unreachable(self.file, "written", error) from error
        finally:
            os.close(lock)


def opened_keyring(file: Path | None) -> Keyring:
    """Return the keyring at a given path, or the default one for None. Raises KeyringError.

    A given one must exist and be readable: a key missing in it has another cause.
    """
    if file is None:
        return Keyring(default_file())
    ring = Keyring(file)
    ring.all()
    if not ring.file.exists():
        raise KeyringError(
            file,
            "there is no such keyring",
            "the name does not match, or no key was made yet",
            f"check the name; `tabletool keys new DEVICE --keys {file}` makes one",
        )
    return ring


def _write(file: Path, keys: dict[int, tuple[Key, ...]]) -> None:
    """Replace the file by a new one; on the disk when it returns."""
    rows = {
        str(device): [{"number": key.number, "key": key.secret.hex()} for key in secrets]
        for device, secrets in sorted(keys.items())
    }
    fresh = f"{file}.{os.getpid()}.new"
    descriptor = os.open(fresh, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(json.dumps(rows, indent=1).encode() + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(fresh, file)
    except BaseException:
        os.unlink(fresh)
        raise
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _make_folder(folder: Path) -> None:
    """Create a private folder, and all missing ones above it."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _verify_private(file: Path, status: os.stat_result) -> None:
    _refuse(file, owner_danger(file, status.st_uid))
    mode = stat.S_IMODE(status.st_mode)
    if mode & _FOR_OTHERS:
        raise KeyringError(
            file,
            f"others may read the keyring: its mode is {mode:04o}, not 0600",
            "it was copied or restored with the rights of an ordinary file",
            f"chmod 600 {file} ; if others could read it, its keys count as stolen: at each table,"
            " with its switch turned: tabletool keys provision PORT --replace",
        )


def _refuse(file: Path, danger: Danger | None) -> None:
    if danger is not None:
        raise KeyringError(file, danger.what, danger.cause, danger.step)


def _parse(file: Path, text: bytes) -> dict[int, tuple[Key, ...]]:
    """Parse the keys in a file. Errors are reported without its content."""
    try:
        rows = json.loads(text)
        by_device = {}
        for device, entries in rows.items():
            keys = [Key(entry["number"], bytes.fromhex(entry["key"])) for entry in entries]
            by_device[int(device)] = tuple(sorted(keys, key=lambda key: key.number))
            for key in keys:
                if type(key.number) is not int or not 1 <= key.number <= LAST_NUMBER:
                    raise ValueError
                if len(key.secret) != KEY_BYTES:
                    raise ValueError
            if len({key.number for key in keys}) < len(keys):
                raise ValueError
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise KeyringError(
            file,
            "this is not a keyring",
            "it is another file, or it was changed by hand",
            "name the keyring, or restore a copy; do not paste it anywhere: it contains keys",
        ) from None
    return by_device


def _unreachable(file: Path, verb: str, error: OSError) -> KeyringError:
    return KeyringError(
        file,
        f"the keyring cannot be {verb}: {(error.strerror or str(error)).lower()}",
        "it is a folder, you have no right to it or its folder, or the disk is full",
        f"check {file.parent}, or name another file with --keys",
    )
