"""Rounds of `tabletool settle` whose outcome a table reported: in a database or a capture."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from tabletools import decode
from tabletools.authenticity import VERIFIED, WRONG
from tabletools.capture import FROM_TABLE, CaptureError, Chunk, Reader, Window
from tabletools.cli.open_database import explaining, reading
from tabletools.decode.stream_tags import SealedReceiver, Tags
from tabletools.errors import ToolError
from tabletools.link import Contradiction
from tabletools.roles import NOT_BY_HAND, VOID, ByHand, Played, objections, outcome_of
from tabletools.rules.codes.outcomes import DEAL_NOT_BY_RULE
from tabletools.rules.declared import read
from tabletools.rules.records import NO_RESULT, OUTCOME_NOT_ONE
from tabletools.rules.violation import RuleViolation, within
from tabletools.settle.recorded_round import RecordedRound, RoundTerms
from tablewire.codec import Frame
from tablewire.messages import FLAG_DURABLE

if TYPE_CHECKING:
    from tabletools.evidence.recorded import Recorded
    from tabletools.store import Connection, Store
    from tabletools.table.intake import Intake

_SQLITE = b"SQLite format 3\0"
_US_NS = 1000
_LEASE_S = 1e6  # a capture is read at once, by its clock
_OPENED = "round_opened"
_NOT_WHOLE = "not all of it is in the capture: use the database of the host that was on the line"
MOST_BOXES = 20
"""Most hands dealt to besides the bank's; a round of a shoe has 60 cards at most."""
Round = Mapping[str, object]


@contextmanager
def opened_results(file: Path, tags: Tags) -> Iterator[Callable[[Round], Round]]:
    """Yield a function that adds the reported outcome to a round.

    tags: verify those of a capture.
    """
    from tabletools.store import Store

    step = "give a database of `collect` or `serve`, or a capture"
    try:
        with file.open("rb") as stream:
            is_database = stream.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        what = f"cannot read the table's records: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=str(file), step=step) from error
    if is_database:
        with reading(file) as db:
            yield lambda record: _with_outcome(db, record, lambda _recorded: True)
        return
    try:
        with tempfile.TemporaryDirectory() as folder, explaining(file):
            clock = _CaptureClock()
            store = Store.open(Path(folder) / "capture.db", clock=clock)
            try:
                attended = _Attended(store)
                with file.open("rb") as stream:
                    _read_capture(attended, clock, stream, tags)
                with store.read() as db:
                    yield lambda record: _with_outcome(db, record, attended.is_whole)
            finally:
                store.close()
    except CaptureError as error:
        where = f"{file}, line {error.line}"
        raise ToolError(f"not a capture file: {error.what}", where=where, step=step) from error


class _CaptureClock:
    """The clock of a capture. now_us: of the bytes read last."""

    now_us = 0

    def wall_ns(self) -> int:
        return self.now_us * _US_NS

    mono_ns = wall_ns


class _Attended:
    """What the devices of a capture sent, stored as by a host."""

    def __init__(self, store: "Store") -> None:
        self._store = store
        self._intakes: dict[int, Intake] = {}
        self._authentic: dict[tuple[int, int], set[int]] = {}  # by device and boot: counters

    def take(self, frame: Frame, wire: bytes, seal: str) -> None:
        """Take a frame with a tag that is not wrong."""
        intake = self._intake(frame.device)
        if seal == VERIFIED:
            self._authentic.setdefault((frame.device, frame.boot), set()).add(frame.counter)
            intake.observe(frame)
        if frame.flags & FLAG_DURABLE:
            with suppress(Contradiction):  # it stops the table: nothing is settled
                intake.store(frame, wire, seal)

    def is_whole(self, round_records: "Recorded") -> bool:
        """Whether every frame from the opening of a round to its end is here, of one boot.

        A capture does not acknowledge: that no record waits says what its host had, and a line
        can be damaged or cut out since.
        """
        first = decode.head_of(round_records.records[0])
        last = decode.head_of(round_records.ended)
        if first.type != _OPENED or first.boot != last.boot:
            return False
        counters = self._authentic.get((first.device, first.boot), set())
        return counters.issuperset(range(first.counter, last.counter))

    def _intake(self, device: int) -> "Intake":
        from tabletools.evidence import claim
        from tabletools.evidence.tables import device_table
        from tabletools.table.intake import Intake

        if device not in self._intakes:
            table = device_table(self._store, device)
            lease = claim(self._store, table, "capture", seconds=_LEASE_S)
            self._intakes[device] = Intake(self._store, lease)
        return self._intakes[device]


def _read_capture(attended: _Attended, clock: _CaptureClock, stream: BinaryIO, tags: Tags) -> None:
    """Store what a table sent as a host would have, by the clock of the capture."""
    receiver, window = SealedReceiver(tags), Window()
    for chunk in Reader(stream):
        if not isinstance(chunk, Chunk) or chunk.direction != FROM_TABLE:
            continue
        clock.now_us = chunk.t_us
        window.add(chunk.data)
        for item, seal in receiver.feed(chunk.data):
            frame = item if isinstance(item, Frame) else item.frame
            if frame is not None and seal is not None and seal != WRONG:
                attended.take(frame, window.part(item.offset, item.length), seal)


def _with_outcome(
    db: "Connection", record: Round, is_whole: Callable[["Recorded"], bool]
) -> Round:
    """Return a round with the outcome that its table reported instead of `recorded`.

    is_whole: whether all of it is here, where that does not follow from what is stored.
    """
    from tabletools.evidence import recorded

    if record.get("recorded") is None:
        return record
    terms = read(RoundTerms, record)
    played = Played(terms.game, terms.rules, terms.table or {}, terms.variant)
    with within("recorded"):
        by_hand = _by_hand(terms.recorded)
        round_records = recorded.of_round(db, terms.recorded.round, terms.recorded.device)
        if round_records.why:
            raise RuleViolation(NO_RESULT, round_records.why)
        if not is_whole(round_records):
            raise RuleViolation(NO_RESULT, _NOT_WHOLE)
        _verify_terms(played, round_records)
    if terms.outcome is not None:
        raise RuleViolation(
            OUTCOME_NOT_ONE, "give either outcome or recorded, not both", "outcome"
        )
    outcome = outcome_of(played, round_records.ended, round_records.records, by_hand)
    fields = {name: value for name, value in record.items() if name != "recorded"}
    return {**fields, "outcome": outcome}


def _verify_terms(played: Played, round_records: "Recorded") -> None:
    """Raise RuleViolation unless the result is valid by what it settles, as at a table of a pit.

    Its host had other terms, or none: then it was judged by what the table itself is configured
    for.
    """
    if round_records.ended["type"] == VOID:
        return
    opened = next((each for each in round_records.records if each["type"] == _OPENED), None)
    if against := objections(played, opened, round_records.ended, round_records.records):
        raise RuleViolation(NO_RESULT, f"its result is not valid here: {'; '.join(against)}")


def _by_hand(named: RecordedRound) -> ByHand:
    if (named.box, named.boxes, named.decisions, named.dealt) == (None, None, None, None):
        return NOT_BY_HAND
    decisions = None
    if named.decisions is not None:
        decisions = []
        for place, each in enumerate(named.decisions):
            with within(f"decisions[{place}]"):
                box, hand = _from_one(each.box, "box"), _from_one(each.hand, "hand")
                decisions.append((box, hand, each.act))
    box, boxes = _from_one(named.box, "box"), _from_one(named.boxes, "boxes")
    return ByHand(box, boxes, decisions, named.dealt)


def _from_one(count: int | None, name: str) -> int:
    """Return a count, 1 if it is left out; raise RuleViolation if it is out of range."""
    if count is not None and not 1 <= count <= MOST_BOXES:
        raise RuleViolation(DEAL_NOT_BY_RULE, f"{name} is from 1 to {MOST_BOXES}", name)
    return count or 1
