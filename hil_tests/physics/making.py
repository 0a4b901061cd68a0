"""How a physical model makes the role that it plays to, and what takes its decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hil_tests.physics.key_names import KEY_NAMES
from tablewire import settings

MakeRole = Callable[[Callable[[list[int], Any], Any], list[int], Any], Any]
"""Makes the role of a round: of its class, configuration and sink; see recorded.Recorded."""


def alone(role: Callable[[list[int], Any], Any], config: list[int], sink: Any) -> Any:
    """Return the role as it is."""
    return role(config, sink)


def configured(wanted: Mapping[str, int]) -> list[int]:
    """Return the factory values of a controller with other ones for some keys, by name."""
    values = settings.factory()
    for name, value in wanted.items():
        values[KEY_NAMES.index(name) + 1] = value
    return list(values)


class Sink:
    """Takes the decisions of a role, and keeps none of them."""

    def may_open(self) -> bool:
        return True

    def round_opened(self, values: list[int]) -> int:
        return 1

    def record(self, ident: int, values: list[int]) -> bool:
        return True

    def bets_closed(self, values: list[int]) -> None: ...
    def result(self, values: list[Any]) -> None: ...
    def void(self, values: list[int]) -> None: ...
    def fault_raised(self, values: list[int]) -> None: ...
    def fault_cleared(self, values: list[int]) -> None: ...
    def state(self, values: list[int]) -> None: ...
