"""A new key, and a serial number with it. Imported only when one comes."""

from tablewire import messages as m
from tablewire.compat import const

from .outbox import SLOTS

_LAST_NUMBER = const(0x7FFFFFFF)


def change(table: object, frame: object) -> "tuple | None":
    """Obey a verified set_key, or return cause, value, low and high of the refusal.

    Both copies are on the flash before the record of it is. The session goes on under the old key,
    but for a new serial number, for what is sealed names the device; and but for a key that came
    untagged, from somebody who may not know the old one.
    """
    number, serial, key = frame.values
    trust, post, store = table.trust, table.post, table.store
    if table.role.phase != m.PHASE_CLOSED:
        return m.REFUSAL_ROUND_OPEN, table.role.phase, m.PHASE_CLOSED, m.PHASE_CLOSED
    if number <= trust.number:
        return m.REFUSAL_OUT_OF_RANGE, number, trust.number + 1, _LAST_NUMBER
    moves = serial not in (0, store.serial)
    if not post.outbox.room() or (moves and post.outbox.waiting):
        return m.REFUSAL_JOURNAL_FULL, post.outbox.waiting, 0, 0 if moves else SLOTS - 1
    untagged = frame.tag is None
    if not untagged:
        key = trust.session.mask(frame.counter, key)
    if moves:
        store.rename(serial)
        post.sender.device = serial
    previous = trust.number
    trust.keep(number, key)
    if moves or untagged:
        trust.session = None
        post.silent = True
    post.durable(m.KEY_CHANGED, [number, previous])
    return None
