"""The survey of a board: by one piece of code that runs at its prompt and prints lines.

Data of the controller in /flash (a number as extension) is counted and not read.
"""

import ast
from dataclasses import dataclass

# A session of mpremote that was killed leaves its file open, in the global f. The collector would
# close it later and so overwrite newer content with the old one. A program that was stopped
# in a check of its heap may have left the collector off, and no soft reset turns it on.
SETTLE = """
import gc
gc.enable()
_left = globals().pop("f", None)
if hasattr(_left, "close"):
    _left.close()
del _left
gc.collect()
"""
BOARD = """
import os, sys, machine
_own = sys.implementation
print(("board", getattr(_own, "_build", ""), getattr(_own, "_machine", ""), _own.version[:3],
    getattr(_own, "_mpy", 0), machine.unique_id(), os.statvfs("/")[:4]))
"""
CODE = f"""{BOARD}
import hashlib
def _survey(folder):
    for entry in os.ilistdir(folder or "/"):
        path = folder + "/" + entry[0]
        if entry[1] & 0x4000:
            print(("folder", path, 0, ""))
            _survey(path)
            continue
        total = hashlib.sha256()
        size = 0
        with open(path, "rb") as file:
            while True:
                count = file.readinto(_piece)
                if not count:
                    break
                size += count
                total.update(_piece[:count])
        print(("file", path, size, "" if _is_data(path) else total.digest().hex()))
def _is_data(path):
    return path[:7] == "/flash/" and path.split(".")[-1].isdigit()
_piece = memoryview(bytearray(512))
_survey("")
"""


@dataclass(frozen=True)
class Survey:
    """The state of a board. build, machine: of its MicroPython; version: (major, minor, patch).

    bytecode: sys.implementation._mpy. unique_id: of the chip. block_bytes, free_blocks: of the
    file system. files: path: (bytes, SHA-256 in hex, "" for the controller's data). folders: all.
    """

    build: str
    machine: str
    version: tuple[int, ...]
    bytecode: int
    unique_id: bytes
    block_bytes: int
    free_blocks: int
    files: dict[str, tuple[int, str]]
    folders: frozenset[str]


def read(text: str) -> Survey:
    """Parse the output of CODE. Raises ValueError when it is something else."""
    try:
        first, *rest = [ast.literal_eval(line) for line in text.split("\r\n") if line]
        _, build, machine, version, bytecode, unique_id, (block, _, _, free) = first
        files = {path: (size, digest) for kind, path, size, digest in rest if kind == "file"}
        folders = frozenset(path for kind, path, _, _ in rest if kind == "folder")
    except (SyntaxError, TypeError, ValueError) as error:
        raise ValueError(f"no survey: {text[:80]!r}") from error
    return Survey(build, machine, version, bytecode, unique_id, block, free, files, folders)
