"""MicroPython's heap and stack in the RAM of an RP2040: how much is free.

The heap is found by what describes it (py/mpstate.h, mp_state_mem_area_t): its table of blocks,
the bytes of that, its table of finalisers, its first and its last byte. What a collection would
leave is marked as py/gc.c marks it, from every word of the RAM outside the heap instead of from
the interpreter's root pointers alone: never fewer blocks than the chip would keep.
"""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

RAM_AT = 0x2000_0000
_BLOCK_BYTES = 16
_BLOCKS_A_BYTE = 4
_AREA = struct.Struct("<5I")
_LEAST_BYTES = 32 * 1024
# Kinds of blocks in the table.
_HEAD, _TAIL = 1, 2
_STACK_POINTER = 13
# Of the first core, both SCRATCH_X and SCRATCH_Y (ports/rp2/memmap_mp_rp2040.ld).
_STACK_AT, _STACK_END = 0x2004_0000, 0x2004_2000


@dataclass(frozen=True)
class Heap:
    """Bytes: of all, free, and free in the largest piece."""

    total: int
    free: int
    largest: int


@dataclass(frozen=True)
class _Area:
    """kinds: of each block; first: address of the first block."""

    kinds: Sequence[int]
    first: int
    table: int
    end: int


def heap_of(ram: bytes) -> Heap:
    """The heap of the interpreter that runs there; a block that waits to be collected is not free.

    Raises ValueError when there is none.
    """
    return _count(kind == 0 for kind in _area(ram).kinds)


def collected_heap(ram: bytes, registers: Sequence[int]) -> Heap:
    """The heap as a collection would leave it now. registers: of the core, R0 to R15.

    Raises ValueError when there is no heap.
    """
    area = _area(ram)
    words = memoryview(ram[: len(ram) & ~3]).cast("I")
    stack = max(registers[_STACK_POINTER], _STACK_AT)
    marks = _reachable(
        area,
        words,
        [
            *registers,
            *words[: (area.table - RAM_AT) // 4],
            *words[(stack - RAM_AT) // 4 : (_STACK_END - RAM_AT) // 4],
        ],
    )
    return _count(not is_kept for is_kept in marks)


def stack_left(ram: bytes) -> int:
    """Bytes at the end of the stack of the first core that nothing was written to since power-on.

    MicroPython allows no call that would begin in the last 256 (MICROPY_STACK_CHECK_MARGIN).
    """
    stack = ram[_STACK_AT - RAM_AT : _STACK_END - RAM_AT]
    return len(stack) - len(stack.lstrip(b"\0")) & ~3


def _area(ram: bytes) -> _Area:
    for offset in range(0, len(ram) - _AREA.size, 4):
        table, count, finalisers, first, end = _AREA.unpack_from(ram, offset)
        blocks = count * _BLOCKS_A_BYTE
        if (
            RAM_AT <= table < finalisers <= first < end <= RAM_AT + len(ram)
            and end - first == blocks * _BLOCK_BYTES >= _LEAST_BYTES
            and finalisers - table in range(count, count + 2)
        ):
            bits = ram[table - RAM_AT : table - RAM_AT + count]
            kinds = [byte >> shift & 3 for byte in bits for shift in range(0, 8, 2)]
            return _Area(kinds, first, table, end)
    raise ValueError("no heap of MicroPython is in this RAM")


def _reachable(area: _Area, words: Sequence[int], roots: Iterable[int]) -> bytearray:
    """1 for each block that can be reached: a word is a pointer when it names a first block."""
    marks = bytearray(len(area.kinds))
    waiting = list(roots)
    while waiting:
        block, rest = divmod(waiting.pop() - area.first, _BLOCK_BYTES)
        if rest or not 0 <= block < len(marks) or marks[block] or area.kinds[block] != _HEAD:
            continue
        past = block + 1
        while past < len(marks) and area.kinds[past] == _TAIL:
            past += 1
        marks[block:past] = b"\1" * (past - block)
        place = (area.first - RAM_AT) // 4
        waiting += words[place + block * _BLOCK_BYTES // 4 : place + past * _BLOCK_BYTES // 4]
    return marks


def _count(frees: Iterable[bool]) -> Heap:
    free = largest = run = blocks = 0
    for is_free in frees:
        blocks += 1
        run = run + 1 if is_free else 0
        free += is_free
        largest = max(largest, run)
    return Heap(blocks * _BLOCK_BYTES, free * _BLOCK_BYTES, largest * _BLOCK_BYTES)
