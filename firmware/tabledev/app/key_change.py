"""A new key: sent in the clear at the table, or agreed on with the host. Imported on demand."""

import struct

from tablewire import messages as m
from tablewire.compat import const, same_bytes

from .outbox import SLOTS

if -0:  # for mypy
    from typing import Any

    from tabletypes import Refusal, Refuse, Steps
    from tablewire.codec import Frame

    from .table import Table

_LAST_NUMBER = const(0x7FFFFFFF)
_FRESH_BYTES = const(68)  # twice what a secret needs: the source is weak


def obey(table: "Table", frame: "Frame", refuse: "Refuse") -> None:
    """Carry out or refuse set_key, offer_key or confirm_key."""
    if frame.type == m.SET_KEY:
        refusal = change(table, frame)
    elif frame.type == m.CONFIRM_KEY:
        refusal = confirm(table, frame)
    else:
        refusal = offer(table, frame, refuse)
    if refusal is not None:
        refuse(frame, *refusal)


def change(table: "Table", frame: "Frame") -> "Refusal | None":
    """Obey a verified set_key, or return cause, value, low and high of the refusal.

    Both copies are on the flash before the record of it is. It ends the session: the sender need
    not have known the key before. Under a session a key is agreed on, never sent.
    """
    number, serial, key = frame.values
    transmitter, store = table.transmitter, table.store
    if frame.tag is not None:
        return m.REFUSAL_KEY_EXCHANGE, number, 0, 0
    moves = serial not in (0, store.serial)
    refusal = _refusal(table, number)
    if refusal is None and moves and transmitter.outbox.waiting:
        refusal = m.REFUSAL_JOURNAL_FULL, transmitter.outbox.waiting, 0, 0
    if refusal is not None:
        return refusal
    table.unfinished = True
    if moves:
        store.rename(serial)
        transmitter.sender.device = serial
    _keep(table, number, key, ends_session=True)
    return None


def offer(table: "Table", frame: "Frame", refuse: "Refuse") -> "Refusal | None":
    """Start a rotation, continue it, or repeat its answer; or return the refusal."""
    number, public = frame.values
    if frame.tag is None:
        return m.REFUSAL_KEY_EXCHANGE, number, 0, 0
    refusal = _refusal(table, number)
    if refusal is not None:
        return refusal
    rotation = table.trust.rotation
    if rotation is None or rotation.offered != (number, public):
        rotation = table.trust.rotation = Rotation(table, frame, refuse)
    if rotation.answer:
        table.transmitter.send_volatile(m.KEY_ANSWER, rotation.answer)
    else:
        table.computing = rotation.steps
    return None


def confirm(table: "Table", frame: "Frame") -> "Refusal | None":
    """Store the agreed key, once the host has proved that it has it; or return the refusal."""
    number, proof = frame.values
    rotation = table.trust.rotation
    if rotation is None or not rotation.is_confirmed(number, proof):
        there = rotation.offered[0] if rotation is not None else 0
        return m.REFUSAL_KEY_EXCHANGE, number, there, there
    refusal = _refusal(table, number)
    if refusal is None:
        _keep(table, number, rotation.key)
    return refusal


class Rotation:
    """The table's part of agreeing on a key. It ends with the session, a new offer, or the key.

    offered: number and public key, as the host sent them. answer: fields of key_answer; key: the
    agreed 32 bytes; both empty until they are computed. steps: see Table.computing.
    """

    answer: "Any"

    def __init__(self, table: "Table", frame: "Frame", refuse: "Refuse") -> None:
        self.offered = frame.values
        self.answer = self.key = self._proof = b""
        self.steps = self._compute(table, frame, refuse)

    def is_confirmed(self, number: int, proof: bytes) -> bool:
        """Whether the proof is the host's, for this key."""
        return number == self.offered[0] and bool(self.key) and same_bytes(proof, self._proof)

    def _compute(self, table: "Table", frame: "Frame", refuse: "Refuse") -> "Steps":
        from tablewire.x25519 import SmallOrderError

        try:
            for _ in self._agree(table):
                yield
                if table.trust.rotation is not self:
                    return
        except SmallOrderError:
            table.trust.rotation = None
            refuse(frame, m.REFUSAL_KEY_EXCHANGE, self.offered[0], 0)
            return
        table.transmitter.send_volatile(m.KEY_ANSWER, self.answer)

    def _agree(self, table: "Table") -> "Steps":
        from tablewire.rotation import agreed
        from tablewire.seal import expand, extract
        from tablewire.x25519 import BASE_POINT, multiply

        number, theirs = self.offered
        trust, store = table.trust, table.store
        # Without the key it cannot be computed, even if the random source returns constants.
        label = b"tablewire 1 one-time" + struct.pack("<II", store.serial, store.boot)
        secret = expand(extract(trust.key, trust.fresh(_FRESH_BYTES)), label)
        ours = yield from multiply(secret, BASE_POINT)
        shared = yield from multiply(secret, theirs)
        self.key, proof, self._proof = agreed(
            trust.key, shared, store.serial, number, theirs, ours
        )
        self.answer = [number, ours, proof]


def _refusal(table: "Table", number: int) -> "Refusal | None":
    phase, last, outbox = table.engine.role.phase, table.trust.number, table.transmitter.outbox
    if phase != m.PHASE_CLOSED:
        return m.REFUSAL_ROUND_OPEN, phase, m.PHASE_CLOSED, m.PHASE_CLOSED
    if number <= last:
        return m.REFUSAL_OUT_OF_RANGE, number, last + 1, _LAST_NUMBER
    if not outbox.room():
        return m.REFUSAL_JOURNAL_FULL, outbox.waiting, 0, SLOTS - 1
    return None


def _keep(table: "Table", number: int, key: bytes, ends_session: bool = False) -> None:
    # Half of it on the flash, a boot would have a key that an exchange under the old one replaces
    # at the host: so the boot comes at once.
    table.unfinished = True
    trust, transmitter = table.trust, table.transmitter
    previous = trust.number
    trust.keep(number, key)
    if ends_session:
        trust.session = None
        transmitter.silent = True
    transmitter.send_durable(m.KEY_CHANGED, [number, previous])
    table.unfinished = False
