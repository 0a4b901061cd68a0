"""How a physical model makes the role that it plays to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MakeRole = Callable[[Callable[[list[int], Any], Any], list[int], Any], Any]
"""Makes the role of a round: of its class, configuration and sink; see recorded.Recorded."""


def alone(role: Callable[[list[int], Any], Any], config: list[int], sink: Any) -> Any:
    """Return the role as it is."""
    return role(config, sink)
