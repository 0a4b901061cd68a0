"""Sessions of terminals that a test opens in the ledger itself, by a key that its hosts read."""

import hashlib

from tabletools import private_file
from tabletools.api.sealing import session_mac
from tabletools.store import Actor, people

SESSION_KEY = bytes(range(32))


def write_session_key(folder):
    """Write the key as a host reads it; returns its file, the setting `session_key`."""
    file = folder / "session-key"
    private_file.keep(file, SESSION_KEY.hex().encode() + b"\n")
    return file


def open_seat(ledger, token, account, table, terminal, pin_hash):
    """Open the session of a player at a terminal, whose host was shown the PIN."""
    digest = hashlib.sha256(token.encode()).digest()
    expires_ns = ledger.clock.wall_ns() + 10**15
    mac = session_mac(SESSION_KEY, digest, expires_ns, account, table, terminal)
    seat = people.Opening(
        digest, expires_ns, None, account, table, terminal, pin_hash=pin_hash, mac=mac
    )
    people.open_session(ledger, seat, Actor("house"))
