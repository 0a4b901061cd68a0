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

    def hold(self, names: tuple[str, ...], where: str, since_us: int, *, lasts_us: int) -> None:
        """A table cannot tell its host now: what was done to it since then explains for longer."""
        for name in names:
            if self._until_us.get((name, where), -1) >= since_us:
                self.note(name, where, lasts_us=lasts_us)

    def until_us(self, names: tuple[str, ...], where: str) -> int:
        """Until when any of these was done there or everywhere last, -1 if never."""
        places = [(name, part) for name in names for part in (where, EVERYWHERE)]
        return max((self._until_us.get(place, -1) for place in places), default=-1)
