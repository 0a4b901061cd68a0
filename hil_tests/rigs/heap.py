"""MicroPython's heap in the RAM of a 32-bit chip: how much is free, and the largest piece of it.

The heap is found by what describes it (py/mpstate.h, mp_state_mem_area_t): its table of blocks,
the bytes of that, its table of finalisers, its first and its last byte.
"""

import struct
from dataclasses import dataclass

RAM_AT = 0x2000_0000
_BLOCK_BYTES = 16
_BLOCKS_A_BYTE = 4
_AREA = struct.Struct("<5I")
_LEAST_BYTES = 32 * 1024


@dataclass(frozen=True)
class Heap:
    """Bytes: of all, free, and free in the largest piece. A block that waits to be collected is
    not free."""

    total: int
    free: int
    largest: int


def heap_of(ram: bytes) -> Heap:
    """The heap of the interpreter that runs there. Raises ValueError when there is none."""
    for at in range(0, len(ram) - _AREA.size, 4):
        table, count, finalisers, first, end = _AREA.unpack_from(ram, at)
        blocks = count * _BLOCKS_A_BYTE
        if (
            RAM_AT <= table < finalisers <= first < end <= RAM_AT + len(ram)
            and end - first == blocks * _BLOCK_BYTES >= _LEAST_BYTES
            and finalisers - table in range(count, count + 2)
        ):
            return _counted(ram[table - RAM_AT : table - RAM_AT + count])
    raise ValueError("no heap of MicroPython is in this RAM")


def _counted(table: bytes) -> Heap:
    free = largest = run = 0
    for byte in table:
        for shift in range(0, 8, 2):
            run = 0 if byte >> shift & 3 else run + 1
            free += run > 0
            largest = max(largest, run)
    return Heap(
        len(table) * _BLOCKS_A_BYTE * _BLOCK_BYTES, free * _BLOCK_BYTES, largest * _BLOCK_BYTES
    )
