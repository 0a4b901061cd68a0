# mypy: ignore-errors
"""The board's files: the program (read-only, mounted at /), the flash (writable, /flash), a ROMFS.

Error numbers are those of MicroPython on a microcontroller (ENOENT is 2), not the port's.
"""

import io
import sys

import _host
import vfs
from uctypes import addressof, bytearray_at

_ENOENT = 2
_EACCES = 13
_EROFS = 30
_EINVAL = 22
_FILE = 0x8000
_FOLDER = 0x4000


def _check(result):
    if isinstance(result, int) and result < 0:
        raise OSError(-result)
    return result


def _stat(kind, size):
    if not kind:
        raise OSError(_ENOENT)
    return (_FILE if kind == 1 else _FOLDER, 0, 0, 0, 0, 0, size, 0, 0, 0)


def _as_stream(data, mode):
    return io.BytesIO(data) if "b" in mode else io.StringIO(str(data, "utf-8"))


class _Mounted:
    """What both file systems share: a current folder and full names for relative ones."""

    def __init__(self, root):
        self._root = root
        self._folder = ""

    def _name(self, path):
        if not path.startswith("/"):
            path = self._folder + "/" + path
        if not (path.endswith("/") or "/." in path or "//" in path):
            return self._root + path  # as nearly always: no garbage
        parts = []
        for part in path.split("/"):
            if part == "..":
                if parts:
                    parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        inner = "/".join(parts)
        return self._root + "/" + inner if inner else self._root or "/"

    def mount(self, readonly, mkfs):
        pass

    def umount(self):
        pass

    def chdir(self, path):
        name = self._name(path)
        if not self._kind(name) == 2:
            raise OSError(_ENOENT)
        self._folder = name[len(self._root) :].rstrip("/")

    def getcwd(self):
        return self._folder or "/"

    def stat(self, path):
        name = self._name(path)
        kind = self._kind(name)
        return _stat(kind, self._size(name) if kind == 1 else 0)

    def ilistdir(self, path):
        name = self._name(path)
        if self._kind(name) != 2:
            raise OSError(_ENOENT)
        for entry in self._list(name).split("\n"):
            if entry:
                full = (name if name != "/" else "") + "/" + entry
                yield (entry, _FILE if self._kind(full) == 1 else _FOLDER, 0)


class Program(_Mounted):
    """The program files, straight from the image: opening one copies nothing."""

    _kind = staticmethod(_host.program_kind)
    _size = staticmethod(_host.program_size)
    _list = staticmethod(_host.program_list)

    def open(self, path, mode):
        if set(mode) - set("rbt"):
            raise OSError(_EROFS)
        name = self._name(path)
        address = _check(_host.program_at(name))
        return _as_stream(bytearray_at(address, _host.program_size(name)), mode)

    def statvfs(self, path):
        return (4096, 4096, 0, 0, 0, 0, 0, 0, 0, 255)

    def remove(self, path):
        raise OSError(_EROFS)

    rmdir = mkdir = remove

    def rename(self, old, new):
        raise OSError(_EROFS)


class Flash(_Mounted):
    """The writable files; every change goes to the host at once, where it is counted."""

    _kind = staticmethod(_host.flash_kind)
    _size = staticmethod(_host.flash_size)
    _list = staticmethod(_host.flash_list)

    def open(self, path, mode):
        name = self._name(path)
        if "w" in mode:
            _check(_host.flash_truncate(name))
        elif "a" in mode:
            if not _host.flash_kind(name):
                _check(_host.flash_truncate(name))
        elif _host.flash_kind(name) != 1:
            raise OSError(_ENOENT)
        if "+" in mode or "w" in mode or "a" in mode:
            return FlashFile(name, mode)
        data = bytearray(_host.flash_size(name))
        _host.flash_read(name, 0, addressof(data), len(data))
        return _as_stream(data, mode)

    def remove(self, path):
        _check(_host.flash_remove(self._name(path)))

    def rename(self, old, new):
        _check(_host.flash_rename(self._name(old), self._name(new)))

    def statvfs(self, path):
        free = _host.flash_free()
        return (4096, 4096, _host.flash_blocks(), free, free, 0, 0, 0, 0, 255)

    def mkdir(self, path):
        _check(_host.flash_mkdir(self._name(path)))

    def rmdir(self, path):
        _check(_host.flash_rmdir(self._name(path)))


class FlashFile(io.IOBase):
    """A file open for writing (w, a, with or without +)."""

    def __init__(self, name, mode):
        self._path = name
        self._text = "b" not in mode
        self._append = "a" in mode
        self._offset = _host.flash_size(name) if self._append else 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def write(self, data):
        if self._append:
            self._offset = _host.flash_size(self._path)
        size = len(data.encode()) if isinstance(data, str) else len(data)
        count = _check(_host.flash_write(self._path, self._offset, addressof(data), size))
        self._offset += count
        return len(data)

    def readinto(self, buffer):
        count = _host.flash_read(self._path, self._offset, addressof(buffer), len(buffer))
        self._offset += count
        return count

    def read(self, size=-1):
        left = max(0, _host.flash_size(self._path) - self._offset)
        data = bytearray(left if size < 0 else min(size, left))
        self.readinto(data)
        return str(data, "utf-8") if self._text else bytes(data)

    def seek(self, offset, whence=0):
        base = (0, self._offset, _host.flash_size(self._path))[whence]
        if base + offset < 0:
            raise OSError(_EINVAL)
        self._offset = base + offset
        return self._offset

    def tell(self):
        return self._offset

    def flush(self):
        pass

    def close(self):
        pass

    def ioctl(self, request, argument):
        return 0 if request in (1, 4) else -_EINVAL


def mount():
    """Put the program and the flash in the place of the port's files; a ROMFS as a board does.

    A stock board has one file system, and all of it can be written.
    """
    vfs.umount("/")
    if _host.stock():
        vfs.mount(Flash(""), "/")
    else:
        vfs.mount(Program(""), "/")
        vfs.mount(Flash("/flash"), "/flash")
    if _host.rom_size():
        image = bytearray_at(_host.rom_at(), _host.rom_size())
        vfs.mount(vfs.VfsRom(image), "/rom")
        sys.path.append("/rom")
