# mypy: ignore-errors
"""Puts the emulated modules in the place of the port's and mounts the board's files."""

import io
import os
import random
import sys
from collections import namedtuple

import _host
import camera
import clock
import files
import heap
import machine
import micropython
import rig
import streams
import tasks

_INSTALLED = (camera, clock, machine, streams, tasks)
_NUMBERS = (
    "EPERM 1 ENOENT 2 EIO 5 EBADF 9 EAGAIN 11 ENOMEM 12 EACCES 13 EEXIST 17 ENODEV 19 "
    "ENOTDIR 20 EISDIR 21 EINVAL 22 ENOSPC 28 EROFS 30 EOPNOTSUPP 95 ETIMEDOUT 110"
)


class _Module:
    """An object that stands in sys.modules for one of the port's read-only modules."""


def _copy_of(original):
    module = _Module()
    for name in dir(original):
        if not name.startswith("__"):
            setattr(module, name, getattr(original, name))
    return module


def _micropython():
    module = _copy_of(micropython)
    module.schedule = rig.schedule
    module.kbd_intr = _host.console
    module.alloc_emergency_exception_buf = lambda size: None
    return module


def _errno():
    module = _Module()
    words = _NUMBERS.split()
    module.errorcode = {}
    while words:
        number = int(words.pop())
        name = words.pop()
        setattr(module, name, number)
        module.errorcode[number] = name
    return module


def _sys(build, machine):
    """The module sys of a port's board: as its interpreter names itself and its file system."""
    module = _copy_of(sys)
    own = sys.implementation
    module.implementation = namedtuple(
        "implementation", ("name", "version", "_machine", "_mpy", "_build")
    )(own.name, own.version, machine, own._mpy, build)
    return module


def _io():
    module = _copy_of(io)
    module.BytesIO = heap.bytes_io
    return module


def _urandom(size):
    return bytes(_host.random() & 0xFF for _ in range(size))


os.urandom = _urandom
os.sync = lambda: None
os.dupterm = lambda stream, index=0: None
random.seed(_host.random())
sys.modules["micropython"] = _micropython()
sys.modules["gc"] = heap.module
sys.modules["errno"] = _errno()
sys.modules["io"] = _io()
if _host.stock():
    sys.modules["sys"] = _sys(*_host.stock().split("\n"))
if hasattr(sys, "settrace"):
    import trace

    _INSTALLED += (trace,)
files.mount()

# The firmware may have modules of these names itself.
for _name in ("install", "rig", "clock", "tasks", "serial", "streams", "files", "heap", "trace"):
    sys.modules.pop(_name, None)
