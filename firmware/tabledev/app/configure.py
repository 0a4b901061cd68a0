"""The configuration by command: reported, changed, reset to the factory values.

A change is one record per value in the journal, then both copies of the configuration in one
step, then a report. A power cut in between leaves records without their change, never a change
without its record: the records name the revision they lead to, and finish() completes it at boot.
So does a write that is refused: it ends the program.
"""

import struct

from tablewire import messages as m
from tablewire.codec import HEADER_BYTES
from tablewire.config import PRODUCTION, ROLE
from tablewire.settings import COUNT, clash, entry, factory, leeway

from .fault_log import RESERVE
from .outbox import SLOTS

if -0:  # for mypy
    from tabletypes import Buffer, Refuse, Values
    from tablewire.codec import Frame

    from .table import Table


def obey(table: "Table", frame: "Frame", refuse: "Refuse") -> None:
    """Obey or refuse set_ or factory_configuration; refuse get_configuration of an unknown key.

    refuse(frame, cause, value, low, high, key): answers; key contradicts the value, 0 for none.
    """
    if frame.type == m.FACTORY_CONFIGURATION:
        if _change(table, frame, refuse, factory(), m.CHANGE_CAUSE_FACTORY):
            table.report_value(ROLE, table.store.config[ROLE])
        return
    number = frame.values[0]
    key = entry(number)
    store = table.store
    if key is None:
        refuse(frame, m.REFUSAL_UNKNOWN_KEY, number, 1, COUNT)
    elif not key[0] <= frame.values[1] <= key[1]:
        refuse(frame, m.REFUSAL_OUT_OF_RANGE, frame.values[1], key[0], key[1])
    elif number == ROLE and frame.values[1] > len(m.ROLES):
        refuse(frame, m.REFUSAL_OUT_OF_RANGE, frame.values[1], 1, len(m.ROLES))
    else:
        values = list(store.config)
        values[number] = frame.values[1]
        order = clash(values)
        if order is not None:
            low, high = leeway(values, number)
            other = order[1] if number == order[0] else order[0]
            refuse(frame, m.REFUSAL_CONTRADICTION, values[number], low, high, other)
        else:
            previous = store.config[number]
            if _change(table, frame, refuse, values, m.CHANGE_CAUSE_COMMAND):
                table.report_value(number, previous)


def _change(
    table: "Table", frame: "Frame", refuse: "Refuse", values: "list[int]", cause: int
) -> bool:
    # Returns whether these values are in force now.
    store, outbox = table.store, table.transmitter.outbox
    if store.configured and values == store.config:
        return True
    # At least one value for the very first configuration, which has nothing before it.
    count = max(len(_differences(store.config, values)), 1)
    room = outbox.lasting_room()
    most = SLOTS - RESERVE - count
    if table.engine.role.phase != m.PHASE_CLOSED:
        refuse(
            frame, m.REFUSAL_ROUND_OPEN, table.engine.role.phase, m.PHASE_CLOSED, m.PHASE_CLOSED
        )
    elif not values[PRODUCTION] and table.interlock.is_closed:
        # The way to open the console is maintenance, which is reported and stops the play.
        refuse(frame, m.REFUSAL_OUT_OF_RANGE, 0, 1, 1)
    elif room < RESERVE + count:
        refuse(frame, m.REFUSAL_JOURNAL_FULL, SLOTS - room, 0, max(most, 0))
    else:
        if not store.configured:
            cause = m.CHANGE_CAUSE_PROVISION
        _write(table, values, cause, store.revision + 1, 0)
        table.transmitter.pump()
        table.begin()
        return True
    return False


def finish(table: "Table", record: "Buffer") -> None:
    """Complete a change at boot, given the newest configuration_changed in the journal."""
    number, value, _, cause, revision = struct.unpack_from("<BiiBI", record, HEADER_BYTES)
    store = table.store
    if revision <= store.revision:
        return
    if not store.configured:
        # Nothing to build on. The table stays locked, and the next revision counts from it.
        store.revise(revision)
        return
    values = factory()
    if cause != m.CHANGE_CAUSE_FACTORY:
        values = list(store.config)
        values[number] = value
    # Records are written in the order of the keys: those above the newest are missing.
    _write(table, values, cause, revision, number)


def _write(table: "Table", values: "list[int]", cause: int, revision: int, reported: int) -> None:
    store = table.store
    changed = _differences(store.config, values) or ([] if store.configured else [1])
    table.unfinished = True  # until the role runs by it, see Table.begin
    try:
        for number in changed:
            if number > reported:
                before = store.config[number]
                table.transmitter.journal(
                    m.CONFIGURATION_CHANGED, [number, values[number], before, cause, revision]
                )
        store.replace(values)
    except MemoryError:
        raise OSError  # it is no refusal: the change comes into force at the boot


def _differences(before: "Values", after: "Values") -> "list[int]":
    return [number for number in range(1, len(before)) if before[number] != after[number]]
