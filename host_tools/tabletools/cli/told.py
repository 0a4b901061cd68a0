"""Rounds of `tabletool settle` whose outcome a table told: in an inbox, or in a capture."""

import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from tabletools.capture import FROM_TABLE, CaptureError, Chunk, Reader, Window
from tabletools.cli.collect import as_tool_error
from tabletools.decode.tags import Tags
from tabletools.errors import ToolError
from tabletools.inbox import Connection, Inbox, InboxError, opened, opened_to_read, told
from tabletools.link import Contradiction
from tabletools.roles import Played
from tabletools.rules.codes.outcomes import DEAL_NOT_BY_RULE
from tabletools.rules.refusal import Refusal, within
from tabletools.seals import WRONG
from tabletools.settle.records import NO_RESULT, OUTCOME_NOT_ONE
from tabletools.settle.strict_json import Fields
from tabletools.told import NOBODY, ByHand, outcome_of
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.messages import FLAG_DURABLE

_SQLITE = b"SQLite format 3\0"
_TOLD = ("round", "device", "box", "boxes", "decisions", "dealt")
_US_NS = 1000
MOST_BOXES = 20
"""Hands dealt to beside the bank's; a round of a shoe has 60 cards at most."""
Round = Mapping[str, object]


@contextmanager
def opened_results(file: Path, tags: Tags) -> Iterator[Callable[[Round], Round]]:
    """Give what puts the outcome a table told into a round. tags: verify those of a capture."""
    try:
        with file.open("rb") as stream:
            is_inbox = stream.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        what = f"cannot read what the table told: {error.strerror}"
        step = "give an inbox of `collect`, or a capture"
        raise ToolError(what, where=str(file), step=step) from error
    try:
        if is_inbox:
            with closing(opened_to_read(file)) as db:
                yield lambda record: _with_outcome(db, record)
            return
        with (
            tempfile.TemporaryDirectory() as folder,
            closing(opened(Path(folder) / "capture.inbox")) as db,
        ):
            with file.open("rb") as stream:
                _read_capture(db, stream, tags)
            yield lambda record: _with_outcome(db, record)
    except InboxError as error:
        raise as_tool_error(error, file) from error
    except CaptureError as error:
        step = "give an inbox of `collect`, or a capture"
        where = f"{file}, line {error.line}"
        raise ToolError(f"no capture: {error.what}", where=where, step=step) from error


def _read_capture(db: Connection, stream: BinaryIO, tags: Tags) -> None:
    """Store what a table sent as a host would have, by the clock of the capture."""
    now_us = 0
    inbox = Inbox(db, mono_ns=lambda: now_us * _US_NS, wall_ns=lambda: now_us * _US_NS)
    seals: deque[str] = deque()

    def verify(frame: Frame, body: bytes | bytearray) -> None:
        seals.append(tags.seal(frame, body))

    receiver, window = Receiver(verify=verify), Window()
    for chunk in Reader(stream):
        if not isinstance(chunk, Chunk) or chunk.direction != FROM_TABLE:
            continue
        now_us = chunk.t_us
        window.add(chunk.data)
        for frame in receiver.feed(chunk.data):
            # Only ranges are checked after the tag.
            reached = isinstance(frame, Frame) or frame.reason == "range"
            seal = seals.popleft() if reached else WRONG
            if isinstance(frame, Frame) and seal != WRONG:
                inbox.hear(frame)
                if frame.flags & FLAG_DURABLE:
                    _store(inbox, frame, window.at(frame.offset, frame.length), seal)


def _store(inbox: Inbox, frame: Frame, wire: bytes, seal: str) -> None:
    with suppress(Contradiction):  # the inbox has stopped the table: nothing of it is settled
        inbox.store(frame, wire, seal)


def _with_outcome(db: Connection, record: Round) -> Round:
    """Return a round with the outcome its table told in place of `told`."""
    fields = Fields(record)
    if fields.get("told") is None:
        return record
    with within("told"):
        about = Fields(fields.get("told"), _TOLD)
        number, device = about.integer("round"), about.optional_integer("device")
        by_hand = _by_hand(about)
        found = told.of_round(db, number, device)
        if found.why:
            raise Refusal(NO_RESULT, found.why)
    options = Fields(fields.get("table") or {})
    played = Played(
        fields.text("game"),
        fields.text("rules"),
        {name: options.get(name) for name in options.names()},
    )
    if fields.get("outcome") is not None:
        raise Refusal(OUTCOME_NOT_ONE, "the outcome is given or told, not both", "outcome")
    outcome = outcome_of(played, found.ended, found.records, by_hand)
    kept = {name: fields.get(name) for name in fields.names() if name != "told"}
    return {**kept, "outcome": outcome}


def _by_hand(about: Fields) -> ByHand:
    decisions = None
    if about.get("decisions") is not None:
        decisions = [_decision(item) for item in about.objects("decisions")]
    box, boxes, dealt = (about.get(name) for name in ("box", "boxes", "dealt"))
    if box is boxes is decisions is dealt is None:
        return NOBODY
    hands = None if dealt is None else Fields(dealt)
    return ByHand(
        _from_one(about, "box"),
        _from_one(about, "boxes"),
        decisions,
        None if hands is None else {name: hands.get(name) for name in hands.names()},
    )


def _decision(item: object) -> tuple[int, int, str]:
    fields = Fields(item, ("box", "hand", "act"))
    return _from_one(fields, "box"), _from_one(fields, "hand"), fields.text("act")


def _from_one(fields: Fields, name: str) -> int:
    """Return a count, 1 if it is left out; raise Refusal below that, or beyond any table."""
    value = fields.optional_integer(name)
    if value is not None and not 1 <= value <= MOST_BOXES:
        raise Refusal(DEAL_NOT_BY_RULE, f"{name} is from 1 to {MOST_BOXES}", name)
    return value or 1
