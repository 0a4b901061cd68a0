"""Files of a host that its database does not hold: where they are, and the key of its sessions.

They are beside a ledger in a file, and in the user's data folder for one on PostgreSQL, unless the
settings name others.
"""

from pathlib import Path

from tabletools.pit.settings import Settings, default_ledger
from tabletools.secret_key import KeyFile
from tabletools.store import Store
from tabletools.store.engine import file_of, url_of


def beside(place: str | Path, ending: str) -> Path:
    """Return the file of a host that goes with a ledger. Raises StoreError.

    ending: what its name has after that of the ledger.
    """
    file = file_of(place)
    if file is not None:
        return file.with_name(file.name + ending)
    url = url_of(place)
    name = f"{url.host or 'local'}-{url.database}".replace("/", "-")
    return default_ledger().with_name(name + ending)


def session_key(settings: Settings, ledger: Store) -> bytes:
    """Return the key that authenticates sessions, 32 bytes; made at the first start.

    Hosts of one database use copies of one file: a host with another key accepts none of their
    sessions. With a new key every user logs in again. Raises ToolError.
    """
    named = settings.session_key
    file = Path(named) if named else beside(ledger.place, ".session-key")
    return session_key_file(file).key()


def session_key_file(file: Path) -> KeyFile:
    """Return a file with the key that authenticates sessions."""
    return KeyFile(file, "sessions", f"session_key, {file}", "the next start makes another")
