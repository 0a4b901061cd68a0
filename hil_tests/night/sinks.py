"""What the events go to: a management system that keeps ids, behind a broker or a webhook."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tabletools.cms.events import Letter
from tabletools.cms.sinks import RETRY_S, Sent
from tabletools.money.feeds import TableState


class NightSink:
    """A sink that goes away and comes back. had: number of each event by its table, in order."""

    in_waves = False
    most = 100
    retry_s: Sequence[float] = RETRY_S
    is_patient = True

    def __init__(self, name: str, seed: str) -> None:
        self.name = name
        self.is_down = False
        self.had: dict[int | None, list[int]] = {}
        self.problems: list[str] = []
        self.repeats = 0
        self._ids: set[str] = set()
        self._random = random.Random(f"{seed}/sink/{name}")

    def send(self, letters: Sequence[Letter]) -> Sent:
        """Take letters; sometimes the answer is lost after some of them."""
        if self.is_down:
            return Sent(down="nobody answers")
        sent, taken = Sent(), len(letters)
        if self._random.random() < 0.02:
            taken = self._random.randrange(len(letters) + 1)
            sent.down = "the answer was lost"
        for one in letters[:taken]:
            self._take(one)
            if not sent.down:
                sent.delivered.append(one.number)
        return sent

    def tick(self, states: Sequence[TableState] | None) -> str:
        """Whether it is there."""
        return "nobody answers" if self.is_down else ""

    def close(self) -> None:
        """Nothing is open."""

    def _take(self, one: Letter) -> None:
        if one.id in self._ids:
            self.repeats += 1
            return
        self._ids.add(one.id)
        of_table = self.had.setdefault(one.table, [])
        if of_table and of_table[-1] > one.number:
            self.problems.append(f"{self.name}: event {one.number} after {of_table[-1]}")
        of_table.append(one.number)
