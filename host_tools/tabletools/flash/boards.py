"""The boards of a checkout or of the wheel, as described by their files: names and processors.

Not responsible for pins; boards/check_boards.py is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tabletools.errors import ToolError
from tabletools.link.port import usb_ports
from tabletools.tree import TREE


@dataclass(frozen=True)
class Kind:
    """A kind of board. folder: boards/<board>; name: of the folder, title: of the maker.

    builds: names of the MicroPython images that fit it; processor: as mpy-cross names it; usb:
    "vendor:product" in hex, of its interpreter. unfit: role -> why it does not run there, as
    measured. dice_frame_s: shortest and longest time that the table's reader takes for a frame of
    dice there, seconds; empty where it is not known.
    """

    folder: Path
    name: str
    title: str
    builds: tuple[str, ...]
    processor: str
    usb: tuple[str, ...]
    unfit: Mapping[str, str]
    dice_frame_s: tuple[int, ...] = ()


def kinds(tree: Path = TREE) -> list[Kind]:
    """The boards that run MicroPython as a port, sorted by name."""
    return [kind for kind in _every_kind(tree) if kind.builds]


def reported_kind(name: str, tree: Path = TREE) -> Kind | None:
    """The board that a table reports, the emulated one too; None if no file describes it."""
    return next((kind for kind in _every_kind(tree) if kind.name == name), None)


def at_usb(port: str) -> list[str]:
    """Titles of the boards whose interpreter has the USB ids of the device at that port."""
    usb = dict(usb_ports()).get(port)
    return [kind.title for kind in kinds() if usb in kind.usb]


def kind_of(name: str, tree: Path = TREE) -> Kind:
    """The board of that name. Raises ToolError."""
    by_name = {kind.name: kind for kind in kinds(tree)}
    if not by_name:
        raise ToolError(
            "no boards are there",
            where=str(tree / "boards"),
            step="name a checkout with --tree, or leave --tree out for the firmware of this tool",
        )
    if name not in by_name:
        raise ToolError(f"no board {name!r}", where="--board", limit=", ".join(by_name))
    return by_name[name]


def _every_kind(tree: Path) -> list[Kind]:
    return [_kind(path) for path in sorted((tree / "boards").glob("*/board.json"))]


def _kind(path: Path) -> Kind:
    facts = msgspec.json.decode(path.read_bytes(), type=_Facts)
    program = facts.micropython
    return Kind(
        path.parent,
        facts.id,
        facts.name,
        program.builds,
        program.processor,
        program.usb,
        facts.unfit_roles,
        facts.dice_frame_s,
    )


class _Program(msgspec.Struct):
    builds: tuple[str, ...]
    processor: str
    usb: tuple[str, ...]


class _Facts(msgspec.Struct):
    """board.json, as far as flashing needs it."""

    id: str
    name: str
    micropython: _Program
    unfit_roles: dict[str, str]
    dice_frame_s: tuple[int, ...]
