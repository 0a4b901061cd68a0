"""The key of an emulated table."""

from pathlib import Path

from tabletools.errors import ToolError
from tabletools.keys import Key, Keyring

# The serial number of the emulated board's chip.
SERIAL = 1_382_865_454


def key_in(file: Path) -> Key:
    """The key of the emulated board in a keyring; raises ToolError if there is none."""
    keys = Keyring(file).all().get(SERIAL)
    if not keys:
        raise ToolError(
            f"no key of the emulated board, device {SERIAL}",
            where=str(file),
            step=f"make one: tabletool keys new {SERIAL} --keys {file}",
        )
    return keys[-1]
