"""Sends a table its first key, or agrees with it on the next one.

The new key is in the keyring before the table can store it, and the old one is removed after a
session under the new one. So wherever the program dies, the keyring opens the table, and the same
command again finishes the change.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from tabletools import decode
from tabletools.cli.table_client import IDENTITY_WITHIN_S, TableClient, linked
from tabletools.decode.core_messages import Refusal
from tabletools.errors import ToolError
from tabletools.keys import LAST_NUMBER, Agreement, DisagreementError, Key, Keyring, new_key
from tabletools.link import Exchange, Keys, OnceStore, Request, Session
from tablewire.codec import Frame
from tablewire.messages import (
    CONFIRM_KEY,
    OFFER_KEY,
    REFUSAL_JOURNAL_FULL,
    REFUSAL_KEY_EXCHANGE,
    REFUSAL_ROUND_OPEN,
    SET_KEY,
)

# A round in play has to end first: the table accepts a key between rounds only.
WAIT_S = 300.0
_BUSY = (REFUSAL_ROUND_OPEN, REFUSAL_JOURNAL_FULL)
_AGAIN_S = 2.0
_KEY_NUMBER = 10  # index in identity
# A board computes its part of a rotation in 2 s, and stops while a round is played.
_COMPUTES_S = 10.0


class Change:
    """A change of the key of the table at a port. say: shows the user what it waits for."""

    def __init__(self, port: str, keyring: Keyring, say: Callable[[str], None]) -> None:
        self._port = port
        self._keyring = keyring
        self._say = say

    def provision(self, serial: int, *, replaces: bool = False) -> tuple[int, Key]:
        """Send a table without a key its first one; serial: to set as well, 0 to keep.

        replaces: send another key to a table with a key, whether or not the old one is here; its
        maintenance switch must be turned. Returns device and key. Raises ToolError.
        """
        with self._open_client(_no_keys, discards=serial != 0, trusting=False) as client:
            unopened = self._identity_without_session(client) if replaces else None
            if unopened is not None:
                device = self._replace(client, unopened, serial)
            elif client.session.trust.refusal is None:
                device, key = self._prepare(client, serial)
                self._set(client, (key.number, serial, key.secret))
            else:
                device = None  # it has a key: was the first try interrupted after it was sent?
        return self._prove(device, was_replaced=replaces)

    def rotate(self) -> tuple[int, Key]:
        """Agree with a table on its next key; returns device and key. Raises ToolError."""
        with self._open_client(self._keyring.keys_of) as client:
            session = client.session.trust.session
            if session is None:
                raise ToolError(
                    "the table has no key",
                    where=self._port,
                    step=f"give it one: tabletool keys provision {self._port}",
                )
            device, known = session.device, self._keyring.keys_of(session.device)
            if min(known) < session.proof.key:
                self._say(f"an earlier change to key {session.proof.key} is complete now")
                return self._settle(device, session.proof.key)
            present = Key(session.proof.key, known[session.proof.key])
            number = max(*known, self._after(session.proof.key))
            self._agree(client, Agreement(device, present, number))
        return self._prove(device)

    def _open_client(
        self, keys: Keys, *, discards: bool = False, trusting: bool = True
    ) -> AbstractContextManager[TableClient]:
        """Reach the table. discards: acknowledge what waits on a table that has no key.

        trusting: raise ToolError if it cannot be authenticated.
        """
        # A new serial is accepted only when no record of the old one waits; none of them counts.
        store = OnceStore(lambda frame: None) if discards else None
        session = Session(store, keys=keys, program="keys")
        return linked(self._port, session, trusting=trusting)

    def _identity_without_session(self, client: TableClient) -> Frame | None:
        """Wait for the table's identity; return that of one with a key, else None.

        Frames that it seals for another host may come before and prove only that it has a key.
        """
        session, end = client.session, time.monotonic() + IDENTITY_WITHIN_S
        while session.trust.unopened is None and session.identity is None:
            if time.monotonic() >= end:
                raise client.silent()
            client.step()
        return session.trust.unopened

    def _prepare(self, client: TableClient, serial: int) -> tuple[int, Key]:
        identity = client.identity()
        if identity is None:
            raise client.silent()
        device = serial or identity.device
        known = self._keyring.keys_of(device)
        # A key that is here already was not sent, or the table has lost it.
        key = Key(max(known), known[max(known)]) if known else new_key(1)
        self._keyring.add(device, key)
        return device, key

    def _replace(self, client: TableClient, identity: Frame, serial: int) -> int:
        """Send a new key in the clear; the table does not answer until a session proves it."""
        device = serial or identity.device
        key = new_key(
            self._after(max(identity.values[_KEY_NUMBER], *self._keyring.keys_of(device), 0))
        )
        self._keyring.add(device, key)
        client.session.replace_key(identity, (key.number, serial, key.secret))
        client.wait_for(lambda frame: False, _AGAIN_S)
        return device

    def _after(self, number: int) -> int:
        if number >= LAST_NUMBER:
            raise ToolError(
                f"the table's key has number {number}, which is the highest",
                where=self._port,
                cause="a person who had its key set it, or a program has a defect",
                step="remove /flash/key.0 and key.1 at its prompt, restart it, then provision it",
            )
        return number + 1

    def _set(self, client: TableClient, values: tuple[int | bytes, ...]) -> None:
        """Send a table without a key its first one; it has accepted it unless it refuses."""
        done = self._sent(client, Request(SET_KEY, values, again_s=_AGAIN_S, tries=1))
        if done.cause is not None:
            self._answer(done)

    def _agree(self, client: TableClient, agreement: Agreement) -> None:
        """Agree on a key with the table; it is here before the table stores it."""
        self._say("the table computes its part, about 2 s between two rounds")
        number = agreement.number
        values = (number, agreement.public)
        frame = self._answer(self._sent(client, _repeat(OFFER_KEY, values, _COMPUTES_S)))
        try:
            key, proof = agreement.accept(*frame.values[1:])
        except DisagreementError as error:
            raise ToolError(
                f"the table's answer to the offer of key {number} is wrong: {error}",
                where=self._port,
                cause="something on the line changes frames, and it has the present key",
                step="treat the key as stolen: with the maintenance switch of the table turned, "
                f"run tabletool keys provision {self._port} --replace",
            ) from error
        # One of this number that is here was agreed on in an earlier session, and the table, which
        # has just begun a session under its old key, can no longer accept it.
        self._keyring.add(frame.device, key, replaces=True)
        done = self._sent(client, _repeat(CONFIRM_KEY, (number, proof), _AGAIN_S))
        # Refused as no part of an exchange: it may have accepted the key at an earlier
        # confirmation whose record was lost. A session under the new key shows which.
        if done.cause != REFUSAL_KEY_EXCHANGE:
            self._answer(done)

    def _sent(self, client: TableClient, request: Request) -> Exchange:
        return client.run_between_rounds(request, WAIT_S, causes=_BUSY, say=self._say)

    def _answer(self, done: Exchange) -> Frame:
        """The answer of the table to an offer or a key. Raises ToolError unless it accepted it."""
        if done.answer is not None and done.cause is None:
            return done.answer
        if done.answer is not None and done.cause not in _BUSY:
            refusal = Refusal.of_record(decode.record(done.answer))
            raise ToolError(
                f"the table refuses the key: {refusal.cause} ({refusal.value}, allowed"
                f" {refusal.low}..{refusal.high})",
                where=self._port,
            )
        raise ToolError(
            "the table did not accept the key",
            where=self._port,
            limit=f"{WAIT_S:.0f} s",
            cause="a round was open all the time, or the line loses frames",
            step="close the table for a moment, then try again",
        )

    def _prove(self, device: int | None, *, was_replaced: bool = False) -> tuple[int, Key]:
        """Have the table prove its newest key; only then are the older ones removed."""
        with self._open_client(self._keyring.keys_of, trusting=not was_replaced) as client:
            session = client.session.trust.session
        newest = session and max(self._keyring.keys_of(session.device))
        if session is None or device not in (None, session.device) or session.proof.key != newest:
            raise ToolError(
                "the table has not accepted the key",
                where=self._port,
                cause="its maintenance switch is not turned, or a round was open"
                if was_replaced
                else "it was busy, or another table answers",
                step="give the same command again: the key waits in the keyring",
            )
        return self._settle(session.device, session.proof.key)

    def _settle(self, device: int, number: int) -> tuple[int, Key]:
        self._keyring.settle(device, number)
        return device, Key(number, self._keyring.keys_of(device)[number])


def _no_keys(_device: int) -> dict[int, bytes]:
    return {}


def _repeat(ident: int, values: tuple[int | bytes, ...], again_s: float) -> Request:
    return Request(ident, values, again_s=again_s, tries=int(WAIT_S / again_s))
