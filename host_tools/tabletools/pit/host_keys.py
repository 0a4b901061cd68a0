"""Files of a host that its database does not hold: where they are, and the key of its sessions.

They are beside a ledger in a file, and in the user's data folder for one on PostgreSQL, unless the
settings name others.
"""

import os
import secrets
from pathlib import Path

from tabletools import private_file
from tabletools.errors import ToolError
from tabletools.pit.settings import Settings, default_ledger
from tabletools.store import Store
from tabletools.store.engine import file_of, url_of

_KEY_BYTES = 32


def beside(place: str | Path, ending: str) -> Path:
    """Return the file of a host that goes with a ledger. Raises StoreError."""
    file = file_of(place)
    if file is not None:
        return file.with_name(file.name + ending)
    url = url_of(place)
    name = f"{url.host or 'local'}-{url.database}".replace("/", "-")
    return default_ledger().with_name(name + ending)


def session_key(settings: Settings, ledger: Store) -> bytes:
    """Return the key that authenticates sessions, 32 bytes; made at the first start.

    Hosts of one database use copies of one file: a host with another key accepts none of their
    sessions. With a new key everybody logs in again. Raises ToolError.
    """
    named = settings.session_key
    file = Path(named) if named else beside(ledger.place, ".session-key")
    if not file.exists():
        _make(file)
    return read_session_key(file)


def read_session_key(file: Path) -> bytes:
    """Return the key in a file. Raises ToolError, also when others may read it."""
    try:
        mode, text = file.stat().st_mode, file.read_text("ascii")
        key = bytes.fromhex(text)
    except OSError as error:
        what = f"cannot read the key of sessions: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=f"session_key, {file}", step="check the name") from error
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        what, step = "this is not a key of sessions", "remove it: the next start makes another"
        raise ToolError(what, where=f"session_key, {file}", step=step)
    if mode & 0o077:
        what, step = "others may read the key of sessions", f"chmod 600 {file}, or remove it"
        raise ToolError(what, where=f"session_key, {file}", step=step)
    return key


def _make(file: Path) -> None:
    """Write a new key, unless another host did meanwhile: it appears whole."""
    fresh = file.with_name(f".{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
    private_file.keep(fresh, secrets.token_hex(_KEY_BYTES).encode() + b"\n")
    try:
        os.link(fresh, file)
    except FileExistsError:
        return
    except OSError as error:
        what = f"cannot write the key of sessions: {(error.strerror or str(error)).lower()}"
        raise ToolError(
            what, where=f"session_key, {file}", step="name a folder you own"
        ) from error
    finally:
        fresh.unlink(missing_ok=True)
