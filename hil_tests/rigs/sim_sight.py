"""The camera of a dice tray for decisions alone: frames in, verdicts out, as tabledev.app.sight.

A frame is made only when the role wants one, and read at once.
"""

from __future__ import annotations

from typing import Any

from tablelogic.core.engine import Engine
from tablelogic.dice_tray.eye import Eye
from tablelogic.tray_reader.stepwise import finish
from tablewire.dice_tray import DICE_SEEN

_PATIENCE_US = 1_000_000


class SimSight:
    """engine: engine.Engine, whose role is a dice tray.

    stored: the picture of the last result, as the flash has it, b"" for none. tray: the file of
    the commissioned tray, likewise.
    """

    def __init__(
        self, config: list[int], engine: Engine, stored: bytes = b"", tray: bytes | None = None
    ) -> None:
        self._eye = Eye(config, tray)
        self._eye.blocks.restore(stored)
        self.stored = stored
        self._engine = engine
        self._wanted = 0
        self._since_us = 0
        self._new: Any = None
        self._results = 0

    def expose(self, exposure: Any) -> None:
        """The camera has taken a picture."""
        self._new = exposure

    def step(self, now_us: int, ticks: int) -> None:
        """Called before every tick."""
        role: Any = self._engine.role
        if role.results != self._results:
            self._results = role.results
            self._eye.keep()
            self.stored = self._eye.blocks.stored()
        if not self._wanted:
            self._wanted = role.wants_picture()
            self._since_us = now_us
            self._new = None
        elif self._new is not None:
            greys = self._new.greys()
            fields = self._eye.look(greys)
            if self._wanted == 2:
                finish(self._eye.steps(greys))
            self._wanted = 0
            self._engine.order(DICE_SEEN, fields, ticks)
        elif now_us - self._since_us >= _PATIENCE_US:
            self._wanted = 0
            self._engine.order(DICE_SEEN, self._eye.missed(), ticks)
