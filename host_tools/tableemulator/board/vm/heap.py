# mypy: ignore-errors
"""The heap the firmware has: `gc` without the rig's own share, and the high-water mark; `io`.

The port collects only when control is back at the host, so gc.collect() here is a request. In a
tight run it is made after every turn, and what is in use at the end of a turn (live data and the
garbage of that one turn) must fit.
"""

import gc
import io

import _host

_LAST_POOL = 640 * 7  # bytes at least
_SPLIT = 1 << 27  # the port counts this much of a possible new region as free
_mem_alloc = gc.mem_alloc
_mem_free = gc.mem_free
_collect = gc.collect
_collects = _host.collects  # found once: a look-up over the bridge allocates
_facts = [0, 0, 0]  # bytes the rig itself uses, peak of the firmware, free when counted last
_filler = []


class _Gc:
    """Stands in for the module `gc`."""

    def collect():
        _collect()

    def mem_alloc():
        return _mem_alloc() - _facts[0]

    def mem_free():
        _facts[2] = free = _mem_free() & (_SPLIT - 1)
        return free

    def enable():
        _collects(1)

    def disable():
        _collects(0)

    def isenabled():
        return bool(_host.is_collecting())

    threshold = gc.threshold


class _Room:
    """A buffer of a size, as far as it is tried whether there is room: it takes none.

    The port's heap would grow instead, for good: here its largest piece is all that was free when
    the program counted it last. To count takes 0.14 ms, a hundredth of a shuffle.
    """

    def __init__(self, size):
        if size > _facts[2]:
            raise MemoryError

    def close(self):
        pass


def bytes_io(content=b""):
    """Stands in for io.BytesIO."""
    return _Room(content) if isinstance(content, int) else io.BytesIO(content)


def mark():
    """Keep the high-water mark and ask for a collection."""
    used = _mem_alloc() - _facts[0]
    if used > _facts[1]:
        _facts[1] = used
    _collect()


def use_up_names():
    """Start a new pool of names, so that those of the firmware cost what they cost on a board.

    The machine keeps names in pools of 20, 40, 80 ... entries of 7 bytes. The rig's own names lie
    in the first four. A firmware of 621 to 1260 names fills six pools of a board, 8.8 KB; here the
    pool of 640 is the rig's from now on, and such a firmware gets the next one, of 9.0 KB.
    """
    number = 0
    grown = 0
    before = _mem_alloc()  # it looks at every block of the heap
    while grown < _LAST_POOL:
        hasattr(_Gc, f"rig_{number}")
        after = _mem_alloc()
        grown = after - before
        before = after
        number += 1


def fill(usable):
    """Leave one free region of `usable` bytes: every other hole goes to blocks nobody uses.

    To be called while the heap cannot grow.
    """
    region = bytearray(usable - 16)
    blocks = None
    for size in (4096, 1024, 256, 64, 16):
        try:
            while True:
                blocks = [blocks, bytearray(size)]
        except MemoryError:
            continue
    _filler.append(blocks)
    del region
    _collect()


def settle():
    """What is in use now is the rig's."""
    _facts[0] = _mem_alloc()
    _facts[1] = 0


def started():
    """The tasks sleep for the first time: what the start left is collected, the peak begins."""
    _facts[1] = 0
    _collect()


def peak():
    mark()
    return _facts[1]


module = _Gc
for _name in ("use_up_names", "fill", "settle", "started", "peak", "mark"):
    _host.enter(_name, globals()[_name])
_host.enter("mem_alloc", _Gc.mem_alloc)
_host.enter("mem_free", _Gc.mem_free)
