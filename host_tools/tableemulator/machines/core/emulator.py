"""What a role gives to be emulated: its machine, its table, its faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from .fault_actions import Fault
from .harness import Harness


class SetupError(ValueError):
    """A machine that is not built so. option: what of it; limit: what is possible."""

    def __init__(self, what: str, option: str, limit: str) -> None:
        super().__init__(what)
        self.option = option
        self.limit = limit


class Setup(Protocol):
    """A machine as it was built; a dataclass whose fields made by `option` are commands' options.

    role: as everywhere. keys: the configuration it needs, by name. meta: what a capture has of it.
    """

    role: ClassVar[str]

    @property
    def keys(self) -> dict[str, int]: ...

    @property
    def meta(self) -> dict[str, object]: ...


def option(
    default: Any,
    help: str,
    *,
    name: str = "",
    least: int | None = None,
    most: int | None = None,
    choices: Mapping[str, Any] | None = None,
) -> Any:
    """Return a field of a setup that is an option of `tabletool emulate`.

    name: of the option, where it is not the field's. choices: the texts it may have, with what
    they mean.
    """
    metadata = {"help": help, "name": name, "least": least, "most": most, "choices": choices}
    return field(default=default, metadata=metadata)


def _fits(_setup: Any, _fault: Fault) -> bool:
    return True


def _no_mountings(_setup: Any) -> dict[str, str]:
    return {}


@dataclass(frozen=True)
class Emulator:
    """The emulator of one role.

    setup, table: classes. faults: everything that can go wrong at such a table; fits(setup,
    fault): whether at one that was built so. command: what `tabletool emulate` calls it, where
    that is not the role. help: of that command. words: what a table of it plays, what it reports
    and what is said of what is reported right. has_noise: its sensors may be worn.
    mountings(setup): the ways to mount the sensors of a machine that was built so wrong, with what
    each is; a setup has one in its field `mounting`.
    """

    role: str
    setup: type[Any]
    table: type[Harness]
    faults: tuple[Fault, ...]
    help: str
    command: str = ""
    words: tuple[str, str, str] = ("spins", "numbers", "correct")
    has_noise: bool = True
    fits: Callable[[Any, Fault], bool] = _fits
    mountings: Callable[[Any], dict[str, str]] = _no_mountings

    def __post_init__(self) -> None:
        if not self.command:
            object.__setattr__(self, "command", self.role)

    def catalogue(self, setup: Setup) -> tuple[Fault, ...]:
        """Return what can go wrong at a table built so."""
        return tuple(fault for fault in self.faults if self.fits(setup, fault))
