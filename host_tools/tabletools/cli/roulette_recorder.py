"""Stores the rounds of a roulette wheel while they are played, as `tabletool collect` does it.

A table drops a record once it is acknowledged, so a command that needs the traces of many rounds
stores them as they come; the same command continues with what is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tabletools.authenticity import NONE
from tabletools.cli.reach import reach
from tabletools.console.watch import Watch
from tabletools.errors import ToolError
from tabletools.keys import opened_keyring
from tabletools.link import Link
from tabletools.replay import OtherRelease, Trace, TraceError, parsed

if TYPE_CHECKING:
    from tabletools.pit.collector import Collector
    from tabletools.roulette_rim.spin import Spin
    from tabletools.store import Store

_LOOK_S = 2.0
_NEW_MOST = 60


@dataclass(frozen=True)
class Round:
    """A round of the wheel: its trace, and the run of the ball in it."""

    trace: Trace
    spin: Spin


def round_of(data: bytes) -> Round:
    """Return the round of a trace. Raises TraceError."""
    from tabletools.roulette_rim.spin import spin_of

    trace = parsed(data)
    return Round(trace, spin_of(trace))


def trace_failure(error: TraceError, where: str) -> ToolError:
    """The error of a command for a trace that cannot be used."""
    return ToolError(error.what, where=where, cause=error.cause, step=error.step)


class RouletteRecorder:
    """Stores what a table sends. A context manager: it opens the port and closes it.

    Attributes:
        rounds: by number, those stored before included.
    """

    def __init__(
        self, port: str, keys: Path | None, where: str, store: Store, most: int, purpose: str
    ) -> None:
        """Make it for a table. most: rounds that are read. purpose: the command, for messages."""
        from tabletools.pit.collector import Collector

        self.rounds: dict[int, Round] = {}
        self._where, self._store, self._most, self._purpose = where, store, most, purpose
        self._collector: Collector = Collector(store, opened_keyring(keys).keys_of)
        link = Link(port, self._collector.session)
        self._watch = Watch(link, listen=self._collector.take)
        self._of_other_releases: set[int] = set()

    def __enter__(self) -> Self:
        try:
            reach(self._watch)
            self._look()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def device(self) -> int | None:
        """Serial number of the table, once known."""
        return self._collector.device

    def close(self) -> None:
        """Close the port; what was stored stays."""
        self._watch.link.close()
        self._collector.leave()

    def next_rounds(self, within_s: float) -> list[int]:
        """Wait for rounds that are new; empty when none came in time. Raises ToolError."""
        clock = self._watch.link.now_s
        end_s, look_s = clock() + within_s, clock() + _LOOK_S
        while clock() <= end_s:
            for _ in self._watch.step():
                pass
            self._collector.tick()
            self._verify()
            if clock() >= look_s:
                if news := self._look():
                    return news
                look_s = clock() + _LOOK_S
        return self._look()

    def _verify(self) -> None:
        """Raise what could not be stored; ToolError for a table whose rounds do not come."""
        view = self._watch.view
        if view.identity is not None and view.role != "roulette":
            raise ToolError(
                f"`{self._purpose}` is for a roulette wheel",
                where=f"the table is a {view.role}",
                limit="roulette",
                step="name the port of a wheel",
            )
        if view.identity is not None and view.seal == NONE:
            raise ToolError(
                "the rounds of a table without a key are not stored",
                step="give it one: `tabletool keys provision PORT`",
            )
        failure = self._collector.failure
        if failure is not None:
            raise failure
        reason = self._collector.stopped()
        if reason is not None:
            raise ToolError(
                f"the table is stopped: {reason}",
                where=self._where,
                step="see `tabletool evidence DB --alarms`",
            )

    def _look(self) -> list[int]:
        """Add the traces that are new; return their rounds."""
        from tabletools.evidence.listing import last_traces

        device = self._collector.device
        if device is None:
            return []
        with self._store.read() as db:
            # The rounds of before are read once; later looks read what can be new.
            traces = last_traces(db, device, _NEW_MOST if self.rounds else self._most)
        news = []
        for number, data in traces:
            if number in self.rounds or number in self._of_other_releases:
                continue
            try:
                self.rounds[number] = round_of(data)
            except OtherRelease:
                self._of_other_releases.add(number)
                continue
            except TraceError as error:
                raise trace_failure(error, f"{self._where}, round {number}") from error
            news.append(number)
        return news
