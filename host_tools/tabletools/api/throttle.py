"""Limits failed logins by source and name together.

Attempts of one source with one name take turns, and each is judged when its turn comes: so at most
`lock_after` wrong ones are checked however many arrive at once, and right ones lock nothing.

A source is the address of a login, or the logged-in user where a second user confirms. So an
attacker at one address locks out no user at another, and no logged-in user. The counts are in the
memory of one host, bounded: the oldest entries make room for new ones. Each host of a pit counts
separately, and from 0 when it starts: a lock in the ledger would cost a durable row per attempt.
"""

import ipaddress
import threading
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from tabletools.store.clock import NS

MOST_ENTRIES = 10_000
MOST_ROWS_AN_HOUR = 100
"""Failed logins per hour in the audit log; the excess is counted in the next row."""
_HOUR_NS = 3600 * NS


def source_of(address: str) -> str:
    """Return the source of an address: without a port, for IPv6 its network of 64 bits.

    A machine can use the whole of such a network, and any port.
    """
    bare = address.strip()
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        parsed = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return bare[:100]
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))


class Entry(NamedTuple):
    """Consecutive failures of one source with one name. is_noted: the lock is in the audit log."""

    failures: int = 0
    locked_until_ns: int = 0
    is_noted: bool = False


class Throttle:
    """Consecutive failures by source and name.

    most: from this many on a source is locked for a name.
    """

    def __init__(self, most: int, lock_ns: int) -> None:
        self._most = most
        self._lock_ns = lock_ns
        self._entries: OrderedDict[tuple[str, str], Entry] = OrderedDict()
        self._failed_ns: OrderedDict[str, int] = OrderedDict()  # source: its last failure
        self._trying: set[tuple[str, str]] = set()
        self._noted_ns: deque[int] = deque()
        self._omitted = 0
        self._lock = threading.Lock()
        self._turn = threading.Condition(self._lock)

    @contextmanager
    def turn(self, source: str, name: str) -> Iterator[None]:
        """Wait until no other attempt of this source with this name is under way."""
        key = (source, name)
        with self._turn:
            self._turn.wait_for(lambda: key not in self._trying)
            self._trying.add(key)
        try:
            yield
        finally:
            with self._turn:
                self._trying.discard(key)
                self._turn.notify_all()

    def locked_ns(self, source: str, name: str, now_ns: int) -> int:
        """Return until when a source is locked for a name, 0 if it is not."""
        with self._lock:
            until_ns = self._entries.get((source, name), Entry()).locked_until_ns
        return until_ns if until_ns > now_ns else 0

    def fail(self, source: str, name: str, now_ns: int) -> None:
        """Count a wrong password."""
        with self._lock:
            failures = self._entries.pop((source, name), Entry()).failures + 1
            until_ns = now_ns + self._lock_ns if failures >= self._most else 0
            self._entries[source, name] = Entry(failures, until_ns)
            self._failed_ns.pop(source, None)
            self._failed_ns[source] = now_ns
            for bounded in (self._entries, self._failed_ns):
                if len(bounded) > MOST_ENTRIES:
                    bounded.popitem(last=False)

    def is_suspect(self, source: str, now_ns: int) -> bool:
        """Whether a source failed, with any name, within the time of a lock."""
        with self._lock:
            failed_ns = self._failed_ns.get(source)
        return failed_ns is not None and now_ns - failed_ns < self._lock_ns

    def succeed(self, source: str, name: str) -> None:
        """Reset a source after a correct password."""
        with self._lock:
            self._entries.pop((source, name), None)

    def clear(self, name: str) -> None:
        """Reset every source of a user who was given a new password."""
        with self._lock:
            for key in [key for key in self._entries if key[1] == name]:
                del self._entries[key]

    def locked_until_ns(self, name: str) -> int | None:
        """Return until when any source is locked for a name, None if none was locked."""
        with self._lock:
            locks = [one.locked_until_ns for key, one in self._entries.items() if key[1] == name]
        return max(locks, default=0) or None

    def is_new_lock(self, source: str, name: str) -> bool:
        """Whether this is the first attempt during a lock."""
        with self._lock:
            entry = self._entries.get((source, name))
            if entry is None or entry.is_noted:
                return False
            self._entries[source, name] = entry._replace(is_noted=True)
            return True

    def room(self, now_ns: int) -> int | None:
        """Return how many rows were omitted before this one, None if it is to be omitted too."""
        with self._lock:
            while self._noted_ns and self._noted_ns[0] <= now_ns - _HOUR_NS:
                self._noted_ns.popleft()
            if len(self._noted_ns) >= MOST_ROWS_AN_HOUR:
                self._omitted += 1
                return None
            self._noted_ns.append(now_ns)
            omitted, self._omitted = self._omitted, 0
            return omitted
