"""A file with a secret key that a program makes at the first use: 32 bytes as hex, mode 0600."""

import secrets
from pathlib import Path
from typing import NamedTuple

from tabletools import private_file
from tabletools.errors import ToolError

_KEY_BYTES = 32


class KeyFile(NamedTuple):
    """The file of a key."""

    file: Path
    name: str
    """What it is a key of, for a message."""
    where: str
    """The file, for a message, with the setting that names it."""
    next_use: str
    """What makes another key once the file is removed."""

    def key(self) -> bytes:
        """Return the key, made if there is none. Raises ToolError."""
        if not self.file.exists():
            self._write_new()
        return self.read()

    def read(self) -> bytes:
        """Return the key in the file. Raises ToolError, also when others may read it."""
        try:
            mode, text = self.file.stat().st_mode, self.file.read_text("ascii")
            key = bytes.fromhex(text)
        except OSError as error:
            what = f"cannot read the key of {self.name}: {(error.strerror or str(error)).lower()}"
            raise ToolError(what, where=self.where, step="check the name") from error
        except ValueError:
            key = b""
        if len(key) != _KEY_BYTES:
            what, step = f"this is not a key of {self.name}", f"remove it: {self.next_use}"
            raise ToolError(what, where=self.where, step=step)
        if mode & 0o077:
            what, step = f"others may read the key of {self.name}", f"chmod 600 {self.file}"
            raise ToolError(what, where=self.where, step=f"{step}, or remove it")
        return key

    def _write_new(self) -> None:
        """Write a new key, unless another process did meanwhile: it appears whole."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with private_file.appearing(self.file) as stream:
                stream.write(secrets.token_hex(_KEY_BYTES).encode() + b"\n")
        except FileExistsError:
            return
        except OSError as error:
            what = f"cannot write the key of {self.name}: {(error.strerror or str(error)).lower()}"
            raise ToolError(what, where=self.where, step="name a folder you own") from error
