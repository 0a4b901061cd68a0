"""The camera of a dice tray for decisions alone: frames in, verdicts out, as tabledev.app.sight.

A frame is made only when the role wants one, and read at once. Two lights are lit in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablelogic.core.engine import Engine
from tablelogic.dice_tray.eye import Eye
from tablelogic.tray_reader.stepwise import finish
from tablewire.dice_tray import DICE_SEEN

_PATIENCE_US = 1_000_000


class SimSight:
    """engine: engine.Engine, whose role is a dice tray.

    stored: pictures of the last result by light, as the flash has them. trays: returns the file of
    the commissioned tray under a light.
    """

    def __init__(
        self,
        config: list[int],
        engine: Engine,
        stored: dict[int, bytes],
        trays: Callable[[int], bytes | None],
    ) -> None:
        self._eye = Eye(config, trays)
        for turn, light in enumerate(self._eye.lights):
            self._eye.views[turn].restore(stored.get(light, b""))
        self.stored = stored
        self._turn = 0
        self._engine = engine
        self._wanted = 0
        self._since_us = 0
        self._new: Any = None
        self._results = 0

    def expose(self, exposure: Any) -> None:
        """The camera has taken a picture."""
        self._new = exposure

    def step(self, now_us: int) -> None:
        """Called before every tick."""
        role: Any = self._engine.role
        if role.results != self._results:
            self._results = role.results
            self._eye.keep()
            views = zip(self._eye.lights, self._eye.views, strict=True)
            self.stored = {light: view.stored() for light, view in views}
        if not self._wanted:
            self._wanted = role.wants_picture()
            self._since_us = now_us
            self._new = None
            lights = self._eye.lights
            if self._wanted:
                self._turn = (self._turn + 1) % len(lights) if self._wanted == 2 else 0
        elif self._new is not None:
            greys = self._new.greys(self._eye.lights[self._turn])
            fields = self._eye.look(greys, self._turn)
            if self._wanted == 2:
                finish(self._eye.steps(greys))
            self._wanted = 0
            self._engine.order(DICE_SEEN, fields)
        elif now_us - self._since_us >= _PATIENCE_US:
            self._wanted = 0
            self._engine.order(DICE_SEEN, self._eye.missed())
