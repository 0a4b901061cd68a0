"""Giving a table its first key, or the next one.

The new key is in the keyring before it is sent, and the old one leaves it once a session stands
under the new one. So a program that dies anywhere on the way leaves a keyring that opens the
table, and the same command once more ends what was begun.
"""

import time
from collections.abc import Callable

from tabletools.cli.reach import reach, silent
from tabletools.console.watch import Watch
from tabletools.decode import Record
from tabletools.errors import ToolError
from tabletools.keys import Key, Keyring, new_key
from tabletools.link import ONLINE, Keys, Link, OnceStore, Order, Session
from tablewire.messages import SET_KEY
from tablewire.names import NAMES

# A round in play has to end first: the table takes a key between rounds only.
WAIT_S = 300.0
# A table that has taken a key answers within two questions.
PROVE_S = 10.0
_AGAIN_S = 2.0


class Change:
    """A change of the key of the table at a port. say: tells the person what is waited for."""

    def __init__(self, port: str, keyring: Keyring, say: Callable[[str], None]) -> None:
        self._port = port
        self._keyring = keyring
        self._say = say

    def provision(self, serial: int) -> tuple[int, Key]:
        """Give a table without a key its first one; serial: to take as well, 0 to keep.

        Returns device and key. Raises ToolError.
        """
        watch = self._opened(_no_keys, discards=serial != 0)
        try:
            if watch.link.session.trust.refusal is None:
                device, key = self._prepared(watch, serial)
                self._send(watch, key, serial)
            else:
                device = None  # it has a key: was the first try cut short after it was sent?
        finally:
            watch.link.close()
        return self._proved(device)

    def rotate(self) -> tuple[int, Key]:
        """Give a table with a key the next one; returns device and key. Raises ToolError."""
        watch = self._opened(self._keyring.of)
        try:
            session = watch.link.session
            standing = session.trust.session
            if standing is None:
                raise ToolError(
                    "the table has no key",
                    where=self._port,
                    step=f"give it one: tabletool keys provision {self._port}",
                )
            device, known = standing.device, self._keyring.of(standing.device)
            if min(known) < standing.number:
                self._say(f"an earlier change to key {standing.number} is ended now")
                return self._settled(device, standing.number)
            number = max(known)
            key = Key(number, known[number]) if number > standing.number else new_key(number + 1)
            self._keyring.add(device, key)
            self._send(watch, key, 0, is_masked=True)
        finally:
            watch.link.close()
        return self._proved(device)

    def _opened(self, keys: Keys, *, discards: bool = False) -> Watch:
        """Reach the table. discards: acknowledge what waits on a table that has no key."""
        # A new serial is taken only when no record of the old one waits; none of them counts.
        store = OnceStore(lambda frame: None) if discards else None
        watch = Watch(Link(self._port, Session(store, keys=keys)))
        try:
            reach(watch, trusting=keys is not _no_keys)
        except BaseException:
            watch.link.close()
            raise
        return watch

    def _prepared(self, watch: Watch, serial: int) -> tuple[int, Key]:
        _until(watch, lambda _: watch.link.session.identity is not None, PROVE_S)
        identity = watch.link.session.identity
        if identity is None:
            raise silent(watch)
        device = serial or identity.device
        known = self._keyring.of(device)
        # A key that is here already is one that was not sent, or that the table has lost.
        key = Key(max(known), known[max(known)]) if known else new_key(1)
        self._keyring.add(device, key)
        return device, key

    def _send(self, watch: Watch, key: Key, serial: int, *, is_masked: bool = False) -> None:
        """Send the key until the table takes it. is_masked: under a session, or not at all."""
        session = watch.link.session
        told = False
        limit = time.monotonic() + WAIT_S
        while time.monotonic() < limit:
            if session.state != ONLINE or (is_masked and session.trust.session is None):
                raise silent(watch)
            order = session.command(SET_KEY, (key.number, serial, key.secret), 0)
            refusal = _until(watch, _answers(order), _AGAIN_S)
            if refusal is None:
                return
            if refusal["cause"] not in ("round_open", "journal_full"):
                raise ToolError(
                    f"the table refuses the key: {refusal['cause']} ({refusal['value']}, allowed"
                    f" {refusal['low']}..{refusal['high']})",
                    where=self._port,
                )
            if not told:
                self._say("waiting until the round is over")
                told = True
            _until(watch, _is_closed, limit - time.monotonic())
        raise ToolError(
            "the table did not take the key: a round was open all the time",
            where=self._port,
            limit=f"{WAIT_S:.0f} s",
            step="close the table for a moment, then try again",
        )

    def _proved(self, device: int | None) -> tuple[int, Key]:
        """Have the table prove its newest key; only then the older ones go."""
        watch = self._opened(self._keyring.of)
        watch.link.close()
        standing = watch.link.session.trust.session
        newest = standing and max(self._keyring.of(standing.device))
        if standing is None or device not in (None, standing.device) or standing.number != newest:
            raise ToolError(
                "the table has not taken the key",
                where=self._port,
                cause="it was busy, or another table answers",
                step="give the same command again: the key waits in the keyring",
            )
        return self._settled(standing.device, standing.number)

    def _settled(self, device: int, number: int) -> tuple[int, Key]:
        self._keyring.settle(device, number)
        return device, Key(number, self._keyring.of(device)[number])


def _no_keys(_device: int) -> dict[int, bytes]:
    return {}


def _answers(order: Order) -> Callable[[Record], bool]:
    name = NAMES[SET_KEY]

    def is_refusal(record: Record) -> bool:
        if record["type"] != "refusal":
            return False
        return (record["command"], record["command_counter"]) == (name, order.counter)

    return is_refusal


def _is_closed(record: Record) -> bool:
    return record.get("phase") == "closed"


def _until(watch: Watch, wanted: Callable[[Record], bool], seconds: float) -> Record | None:
    """Wait for a record; returns it, or None when the time is over."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        for record in watch.step():
            if wanted(record):
                return record
    return None
