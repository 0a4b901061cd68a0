"""Provisioning of a controller: the files that hold its configuration and its key.

What the board has already is not changed: use `tabletool config set` for values and `tabletool
keys rotate` for keys, which the table records.
"""

import struct
from binascii import crc32
from collections.abc import Sequence

from tablespec import provisioning
from tablespec.config_keys import KEYS
from tabletools.errors import ToolError
from tabletools.keys import Key, Keyring, new_key
from tablewire import slots

CONFIGURATION_FILES = ("/flash/config.0", "/flash/config.1")
COUNTER_FILES = ("/flash/counters.0", "/flash/counters.1")
KEY_FILES = ("/flash/key.0", "/flash/key.1")
_SERIAL = 3  # index, in the counters, of the serial number given to the controller
_KEY_WORDS = "<8i"

Copies = list[bytes | None]


def device_of(unique_id: bytes, counters: Copies) -> int:
    """Return the controller's serial number: the one given to it, else derived from its chip."""
    slot = slots.newest(slots.COUNTERS, counters)
    serial = slot[1][_SERIAL] & 0xFFFFFFFF if slot and len(slot[1]) > _SERIAL else 0
    return serial or crc32(unique_id) or 1


def configuration_files(
    wanted: Sequence[int], copies: Copies, where: str, *, exact: bool
) -> dict[str, bytes]:
    """Return the files to write for these values, by key number; none if the board has values.

    exact: raise ToolError if it has others.
    """
    slot = slots.newest(slots.CONFIGURATION, copies)
    if slot is None:
        values = {key.name: wanted[key.number] for key in KEYS}
        return dict.fromkeys(CONFIGURATION_FILES, provisioning.configuration(**values))
    if exact:
        _verify_values(slot[1], wanted, where)
    return _repairs(CONFIGURATION_FILES, copies, slots.pack_slot(slots.CONFIGURATION, *slot))


def _repairs(files: Sequence[str], copies: Copies, best: bytes) -> dict[str, bytes]:
    """Return the copy that is torn or missing after an interrupted run or a power cut."""
    return {file: best for file, copy in zip(files, copies, strict=True) if copy != best}


def _verify_values(has: Sequence[int], wanted: Sequence[int], where: str) -> None:
    for key in KEYS[: len(has)]:
        value = has[key.number - 1]
        if value != wanted[key.number]:
            raise ToolError(
                f"the board is configured already: {key.name} = {value}",
                where=where,
                limit=f"{wanted[key.number]} wanted",
                cause="it was a table before, and its calibration is not overwritten",
                step="leave --config out and name its own role; then change it with"
                " `tabletool config set LINK`, which the table records",
            )


def role_of(copies: Copies) -> int:
    """Return the role the board is configured for, 0 for none."""
    return value_of(copies, 1, [0, 0])


def value_of(copies: Copies, number: int, wanted: Sequence[int]) -> int:
    """Return the value of a key on the board, or the wanted one where it has none."""
    slot = slots.newest(slots.CONFIGURATION, copies)
    return int(slot[1][number - 1] if slot and number <= len(slot[1]) else wanted[number])


def key_files(ring: Keyring, device: int, copies: Copies) -> dict[str, bytes]:
    """Return the files to write; none if the board has a key of the keyring.

    The key is in the keyring before it is in the files. Raises ToolError for a board with a key
    that is not here.
    """
    known = ring.keys_of(device)
    slot = slots.newest(slots.KEY, copies)
    if slot is not None:
        number, *words = slot[1]
        if known.get(number) != struct.pack(_KEY_WORDS, *words):
            raise ToolError(
                f"device {device} has key {number}, which is not in the keyring",
                where=str(ring.file),
                cause="it was provisioned on another host",
                step="import it: `tabletool keys import FILE`, or name its keyring with --keys",
            )
        return _repairs(KEY_FILES, copies, slots.pack_slot(slots.KEY, *slot))
    # A key that is here already was being sent when the last run was interrupted.
    key = Key(max(known), known[max(known)]) if known else new_key(1)
    ring.add(device, key)
    values = (key.number, *struct.unpack(_KEY_WORDS, key.secret))
    return dict.fromkeys(KEY_FILES, slots.pack_slot(slots.KEY, 1, values))
