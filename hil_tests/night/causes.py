"""What went wrong in a night, where and until when: by it every alarm has to be explained."""

from __future__ import annotations

from collections.abc import Callable

EVERYWHERE = ""


class Causes:
    """Times of what was done to the pit, by name and place. now_us: of the night."""

    def __init__(self, now_us: Callable[[], int]) -> None:
        self._now_us = now_us
        self._until_us: dict[tuple[str, str], int] = {}

    def note(self, name: str, where: str = EVERYWHERE, *, lasts_us: int = 0) -> None:
        """Something is done to a place now, and goes on for so long."""
        until_us = max(self.until_us((name,), where), self._now_us() + lasts_us)
        self._until_us[name, where] = until_us

    def until_us(self, names: tuple[str, ...], where: str) -> int:
        """Until when any of these was done there or everywhere last, -1 if never."""
        places = [(name, at) for name in names for at in (where, EVERYWHERE)]
        return max((self._until_us.get(place, -1) for place in places), default=-1)
