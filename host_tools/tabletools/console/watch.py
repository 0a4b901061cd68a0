"""Watching one table: the link's events become records, a view and a diagnosis."""

import logging
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import msgspec

from tabletools import decode
from tabletools.capture import LikelyCause
from tabletools.console.view import TableView
from tabletools.decode import Record, SkipWatch
from tabletools.link import Event, FrameRefused, Link, Notice, Received, Tampered
from tabletools.link.repeats import Repeats

_LOG = logging.getLogger(__name__)


def time_of_day() -> str:
    """HH:MM:SS of this machine."""
    return datetime.now().strftime("%H:%M:%S")


class Watch:
    """Runs a link and maintains the view of its table.

    cause: why frames are refused, once it is certain. listen: called with every
    event before its record is returned.
    """

    def __init__(
        self,
        link: Link,
        *,
        listen: Callable[[Event], None] | None = None,
        clock: Callable[[], str] = time_of_day,
    ) -> None:
        self.link = link
        self.view = TableView()
        self.cause: LikelyCause | None = None
        self._skips = SkipWatch()
        self._repeats = Repeats()
        self._listen = listen
        self._clock = clock

    def step(self) -> Iterator[Record]:
        """Do one iteration of the link; yields records, also of type link for its notices."""
        for event in self.link.step():
            if self._listen is not None:
                self._listen(event)
            if isinstance(event, Notice):
                notice = self._repeats.take(event, self.link.now_s())
                if notice is None:
                    continue
                event = notice
                _LOG.info("%s: link %s: %s", self.link.url, event.kind, event.text)
            yield self._take(event)

    def _take(self, event: Event) -> Record:
        if isinstance(event, Notice):
            text = f"link {event.kind:<13} {event.text}"
            self.view.note(self._clock(), text, is_trouble=event.error)
            return notice_record(event)
        record = self._record(event)
        self.view.take(record, self._clock())
        return record

    def _record(self, event: Received | FrameRefused) -> Record:
        if isinstance(event, Received):
            return decode.record(event.frame, event.seal)
        return self._skip(event)

    def _skip(self, event: FrameRefused) -> Record:
        record = decode.skipped(event.skip)
        if (cause := self._skips.look(event.skip.reason, event.data)) is not None:
            self.cause = cause
            record["hint"], record["step"] = cause
        if isinstance(event, Tampered):
            record["tamper"] = True
        return record


class _Logged(msgspec.Struct):
    direction: str
    hex: str
    name: str


class LinkNotice(msgspec.Struct, frozen=True):
    """A record of type link. frames: of an error, the last of the link."""

    event: str
    text: str
    frames: list[_Logged] = []

    @property
    def line(self) -> str:
        """What happened, as one line."""
        return f"    link {self.event}: {self.text}"

    @property
    def frame_lines(self) -> list[str]:
        """A line for each frame."""
        return [f"      {each.direction} {each.hex}  {each.name}" for each in self.frames]


def link_notice(record: Record) -> LinkNotice:
    """Return a record of type link as a value."""
    return msgspec.convert(record, LinkNotice)


def notice_record(notice: Notice) -> dict[str, Any]:
    """A notice of the link as JSON-ready data, with the last frames of an error."""
    record: dict[str, Any] = {
        "type": "link",
        "event": notice.kind,
        "error": notice.error,
        "text": notice.text,
    }
    if notice.error:
        record["frames"] = [
            {"direction": f.direction, "hex": f.data.hex(), "name": f.name} for f in notice.frames
        ]
    return record
