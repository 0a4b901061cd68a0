"""Giving a table its first key, or agreeing with it on the next one.

The new key is in the keyring before the table can store it, and the old one leaves it after a
session under the new one. So a program that dies anywhere on the way leaves a keyring that opens
the table, and the same command again finishes the change.
"""

import time
from collections.abc import Callable

from tabletools.cli.reach import reach, silent
from tabletools.console.watch import Watch
from tabletools.decode import Record
from tabletools.errors import ToolError
from tabletools.keys import LAST_NUMBER, Agreement, DisagreementError, Key, Keyring, new_key
from tabletools.link import ONLINE, Keys, Link, OnceStore, Order, Session
from tablewire.codec import Frame
from tablewire.messages import CONFIRM_KEY, OFFER_KEY, SET_KEY
from tablewire.names import NAMES

# A round in play has to end first: the table takes a key between rounds only.
WAIT_S = 300.0
# A table that has taken a key answers within two questions.
PROVE_S = 10.0
_AGAIN_S = 2.0
_KEY_NUMBER = 10  # place in identity
# A board computes its part of a rotation in 2 s, and stops while a round is played.
_COMPUTES_S = 10.0


class Change:
    """A change of the key of the table at a port. say: tells the person what is waited for."""

    def __init__(self, port: str, keyring: Keyring, say: Callable[[str], None]) -> None:
        self._port = port
        self._keyring = keyring
        self._say = say

    def provision(self, serial: int, *, replaces: bool = False) -> tuple[int, Key]:
        """Give a table without a key its first one; serial: to take as well, 0 to keep.

        replaces: give a table that has a key another one, whether or not the old one is here; its
        maintenance switch has to be turned. Returns device and key. Raises ToolError.
        """
        watch = self._opened(_no_keys, discards=serial != 0, trusting=False)
        try:
            trust = watch.link.session.trust
            if replaces and trust.unopened is not None:
                device = self._replace(watch, trust.unopened, serial)
            elif trust.refusal is None:
                device, key = self._prepared(watch, serial)
                self._send(watch, SET_KEY, (key.number, serial, key.secret))
            else:
                device = None  # it has a key: was the first try cut short after it was sent?
        finally:
            watch.link.close()
        return self._proved(device, was_replaced=replaces)

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
            if min(known) < standing.proof.key:
                self._say(f"an earlier change to key {standing.proof.key} is finished now")
                return self._settled(device, standing.proof.key)
            present = Key(standing.proof.key, known[standing.proof.key])
            number = max(*known, self._after(standing.proof.key))
            self._agree(watch, Agreement(device, present, number))
        finally:
            watch.link.close()
        return self._proved(device)

    def _opened(self, keys: Keys, *, discards: bool = False, trusting: bool = True) -> Watch:
        """Reach the table. discards: acknowledge what waits on a table that has no key.

        trusting: raise ToolError if it cannot be believed.
        """
        # A new serial is taken only when no record of the old one waits; none of them counts.
        store = OnceStore(lambda frame: None) if discards else None
        watch = Watch(Link(self._port, Session(store, keys=keys, program="keys")))
        try:
            reach(watch, trusting=trusting)
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

    def _replace(self, watch: Watch, identity: Frame, serial: int) -> int:
        """Send a new key in the clear; the table answers nothing until a session proves it."""
        device = serial or identity.device
        key = new_key(self._after(max(identity.values[_KEY_NUMBER], *self._keyring.of(device), 0)))
        self._keyring.add(device, key)
        watch.link.session.replace_key(identity, (key.number, serial, key.secret))
        _until(watch, lambda _: False, _AGAIN_S)
        return device

    def _after(self, number: int) -> int:
        if number >= LAST_NUMBER:
            raise ToolError(
                f"the table's key has number {number}, and there is none above it",
                where=self._port,
                cause="a person who had its key set it, or a program counts wrong",
                step="remove /flash/key.0 and key.1 at its prompt, restart it, then provision it",
            )
        return number + 1

    def _agree(self, watch: Watch, agreement: Agreement) -> None:
        """Agree on a key with the table; it is here before the table stores it."""
        self._say("the table computes its part, about 2 s between two rounds")
        number = agreement.number
        values = (number, agreement.public)
        answer = self._send(watch, OFFER_KEY, values, "key_answer", again_s=_COMPUTES_S)
        assert answer is not None
        try:
            key, proof = agreement.accept(*map(bytes.fromhex, (answer["public"], answer["proof"])))
        except DisagreementError as error:
            raise ToolError(
                f"the table's answer to the offer of key {number} is wrong: {error}",
                where=self._port,
                cause="something on the line changes frames, and it has the present key",
                step="treat the key as stolen: give the table a new one with its switch turned",
            ) from error
        # One of this number that is here was agreed on in an earlier session, and the table, which
        # has just begun a session under its old key, can no longer take it.
        self._keyring.add(answer["device"], key, replaces=True)
        self._send(watch, CONFIRM_KEY, (number, proof), "key_changed", ends_with="key_exchange")

    def _send(
        self,
        watch: Watch,
        ident: int,
        values: tuple[int | bytes, ...],
        answer: str = "",
        *,
        again_s: float | None = None,
        ends_with: str = "",
    ) -> Record | None:
        """Send a command until the table has taken it; returns its answer.

        answer: type of the record that says so, under a session; without one, no refusal within
        two seconds does. ends_with: cause of a refusal that may mean it was taken before.
        """
        session = watch.link.session
        has_said = False
        limit = time.monotonic() + WAIT_S
        while time.monotonic() < limit:
            if session.state != ONLINE or (answer and session.trust.session is None):
                raise silent(watch)
            order = session.command(ident, values, 0)
            found = _until(watch, _replies(order, answer), again_s or _AGAIN_S)
            if found is None and answer:
                continue  # lost on the line
            if found is None or found["type"] == answer:
                return found
            if found["cause"] == ends_with:
                return None
            if found["cause"] not in ("round_open", "journal_full"):
                raise ToolError(
                    f"the table refuses the key: {found['cause']} ({found['value']}, allowed"
                    f" {found['low']}..{found['high']})",
                    where=self._port,
                )
            if not has_said:
                self._say("waiting until the round is over")
                has_said = True
            _until(watch, _is_closed, limit - time.monotonic())
        raise ToolError(
            "the table did not take the key",
            where=self._port,
            limit=f"{WAIT_S:.0f} s",
            cause="a round was open all the time, or the line loses frames",
            step="close the table for a moment, then try again",
        )

    def _proved(self, device: int | None, *, was_replaced: bool = False) -> tuple[int, Key]:
        """Have the table prove its newest key; only then the older ones go."""
        watch = self._opened(self._keyring.of, trusting=not was_replaced)
        watch.link.close()
        standing = watch.link.session.trust.session
        newest = standing and max(self._keyring.of(standing.device))
        if (
            standing is None
            or device not in (None, standing.device)
            or standing.proof.key != newest
        ):
            raise ToolError(
                "the table has not taken the key",
                where=self._port,
                cause="its maintenance switch is not turned, or a round was open"
                if was_replaced
                else "it was busy, or another table answers",
                step="give the same command again: the key waits in the keyring",
            )
        return self._settled(standing.device, standing.proof.key)

    def _settled(self, device: int, number: int) -> tuple[int, Key]:
        self._keyring.settle(device, number)
        return device, Key(number, self._keyring.of(device)[number])


def _no_keys(_device: int) -> dict[int, bytes]:
    return {}


def _replies(order: Order, answer: str) -> Callable[[Record], bool]:
    """Whether a record is the refusal of a command, or the answer to it with its number."""
    name, number = NAMES[order.ident], order.values[0]

    def is_reply(record: Record) -> bool:
        if record["type"] == "refusal":
            return (record["command"], record["command_counter"]) == (name, order.counter)
        return bool(record["type"] == answer and record["number"] == number)

    return is_reply


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
