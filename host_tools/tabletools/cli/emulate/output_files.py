"""Files of an emulated table: the traces it writes, the flash it starts from."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tableemulator.board.flash_file import FlashFile, FlashFileError
from tableemulator.machines import Setup
from tableemulator.machines.core.harness import Harness, Played
from tableemulator.shipped_controller import (
    CONFIGURATION_FILES,
    configuration,
    key_number_of,
    role_of,
)
from tabletools.errors import ToolError
from tabletools.keys import Key
from tabletools.private_file import keep


def keep_trace(folder: Path, table: Harness, played: Played, *, force: bool) -> None:
    """Write the controller's trace of the round; after a power cut there is none."""
    ended = played.ended
    data = table.controller.trace(ended.round)
    if data is not None:
        keep(folder / f"{ended.device}-{ended.round}.trace", data, force=force)


@contextmanager
def opened_flash(file: Path, setup: Setup, key: Key | None) -> Iterator[FlashFile]:
    """Open the flash of a board, created if missing. Raises ToolError, also when a write fails."""
    try:
        with FlashFile(file) as flash:
            if flash.files:
                _verify_fits(file, flash.files, setup, key)
            yield flash
    except FlashFileError as error:
        raise ToolError(str(error), where=str(file), step=error.step) from error


def _verify_fits(file: Path, flash: dict[str, bytes], setup: Setup, key: Key | None) -> None:
    """Raise ToolError for the flash of another machine, or with another key than the one given."""
    made_for = {CONFIGURATION_FILES[0]: configuration(setup)}
    if role_of(flash) not in (0, role_of(made_for)):
        raise ToolError(
            "the flash is that of a table of another role",
            where=str(file),
            step="name the role it was made with, or another file",
        )
    number = key_number_of(flash)
    if number != (0 if key is None else key.number):
        raise ToolError(
            f"the table on this flash has {f'key {number}' if number else 'no key'}",
            where=str(file),
            limit=f"key {key.number} given" if key else "no key given",
            step="give the keyring with its key: --key FILE" if number else "leave out --key",
        )
