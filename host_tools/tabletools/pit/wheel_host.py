"""A casino table whose wheel sends a status line: a table host with another link.

Nothing on that line is authenticated; docs/CMS.md says what it may settle.
"""

from typing import Any

from tabletools.cms.wheel_line import Happened, WheelTable
from tabletools.link import ONLINE, Event, Link, Notice, Port, open_port
from tabletools.pit.assignments import ledger_facts
from tabletools.pit.host import TableHost
from tabletools.store.clock import MS
from tabletools.table.bet_context import ReadClock

BAUD = 9600
_READ_BYTES = 4096
_IDLE_S = 0.02
_AGAIN_S = 1.0


class WheelLink(Link):
    """A port that is only read, and opened again when it is lost."""

    data = b""

    def step(self) -> list[Event]:
        """Read available bytes into `data`; waits some 20 ms when there are none."""
        self.data = b""
        if self._port is None:
            return self._open()
        try:
            self.data = self._port.read(_READ_BYTES)
        except OSError as error:
            self.close()
            self._next_try = self._clock() + _AGAIN_S
            return [Notice("disconnected", str(error), error=True)]
        if not self.data:
            self._wait(_IDLE_S)
        return []


class WheelHost(TableHost):
    """Serves one table by the status line of its wheel."""

    _wheel: WheelTable | None = None

    @property
    def reading(self) -> ReadClock | None:
        """None: the line carries no time."""
        return None

    def _is_fresh(self) -> bool:
        return True

    def _claim(self) -> None:
        super()._claim()
        if self.lease is None or self.link is None:
            return
        opener = self._context.opener
        self.link = WheelLink(
            self.place.port,
            self.link.session,
            clock=self._seconds,
            wait=self._wait,
            opener=_open_port if opener is open_port else opener,
        )
        self._wheel = WheelTable(
            self._context.ledger, self.lease, self.place.status_line, say=self._note_event
        )

    def _renew(self) -> None:
        super()._renew()
        if self._wheel is not None and self.lease is not None:
            self._wheel.lease = self.lease

    def _pass(self, is_news: bool) -> None:
        link, wheel = self.link, self._wheel
        if isinstance(link, WheelLink) and wheel is not None:
            now_ms, data = self._clock.mono_ns() // MS, link.data
            before = wheel.reader.lines_read
            if data:
                self._succeeds(lambda: wheel.take(data, now_ms))
            self._succeeds(lambda: wheel.quiet(now_ms))
            self.tally.frames += wheel.reader.lines_read - before
            self.tally.missed = wheel.reader.damaged
            self._is_linked = wheel.reader.is_live
        super()._pass(is_news)

    def _look(self) -> None:
        """Publish what the ledger and the line report now to live watchers."""
        facts = ledger_facts(self._context.ledger, self.place)
        if self._pending_close is not None:
            facts |= {"bets_open": False, "cause": "ledger_failed"}
        self.live.say(link=ONLINE if self._is_linked else "offline", **facts)

    def _note_event(self, happened: Happened, became: str) -> None:
        facts: dict[str, Any] = {"text": happened.text, "number": happened.number.strip()}
        self._say(f"wheel_{happened.kind}", became=became, **facts)


def _open_port(url: str) -> Port:
    return open_port(url, baud=BAUD)
