"""Records as text lines. Unknown values are shown as unknown, never omitted or shown as zero."""

from collections.abc import Mapping

import msgspec

from tabletools import roles
from tabletools.authenticity import LABELS, NONE, UNVERIFIED, VERIFIED, WRONG
from tabletools.decode.core_messages import MESSAGES
from tabletools.roles.frame_record import head_of
from tabletools.roles.role import Record, count_of, or_unknown

_PLACE = frozenset(
    "type device boot counter uptime_ms round minor role echo echo_ms flags authenticated seal"
    " offset length direction t_us".split()
)
# Of one frame, and of a whole recording.
_MARKS = {UNVERIFIED: "tag not verified", VERIFIED: "authenticated", WRONG: "TAG WRONG"}
_TOTALS = LABELS | {UNVERIFIED: "with an unverified tag: no key or no session"}
_ARROWS = {"host_to_table": "> ", "table_to_host": "< "}


class Skipped(msgspec.Struct):
    """A record of bytes that are not a frame. hint: the likely cause; step: what to do next."""

    offset: int
    length: int
    reason: str
    detail: str
    tamper: bool = False
    hint: str | None = None
    step: str | None = None


def skip_of(record: Record) -> Skipped:
    """Return a record of skipped bytes as a value."""
    return msgspec.convert(record, Skipped)


def line(record: Record) -> str:
    """Return one record as one line: device time, round, type, and contents."""
    if record["type"] == "skipped":
        return _skipped_line(record)
    head = head_of(record)
    arrow = _ARROWS.get(head.direction, "")
    when = f"{head.uptime_ms / 1000:11.3f} s"
    marks = [name for name in head.flags if name in ("test_mode", "retransmitted")]
    if head.seal != NONE:
        marks.append(_MARKS[head.seal])
    mark = f"  [{', '.join(marks)}]" if marks else ""
    text = f"{arrow}{when}  round {head.round:<5} {head.type:<14} {describe(record)}"
    return text.rstrip() + mark


def describe(record: Record) -> str:
    """Return the contents of one frame, without its header."""
    name = record["type"]
    message = MESSAGES.get(name) or roles.messages().get(name)
    return _fields(record) if message is None else message.of_record(record).text()


def summary(frames: int, skips: int, skipped_bytes: int, seals: Mapping[str, int]) -> str:
    """The last line of a report: how much was read, and how much of it is authenticated.

    seals: how many frames of each, see tabletools.authenticity.
    """
    parts = [f"{seals[seal]} {words}" for seal, words in _TOTALS.items() if seals.get(seal)]
    text = ", ".join([f"{frames} frames", *parts])
    if skips:
        return f"{text}; {count_of(skips, 'piece')} skipped, {count_of(skipped_bytes, 'byte')}"
    return f"{text}; nothing skipped"


def _skipped_line(record: Record) -> str:
    skip = skip_of(record)
    what = "TAMPER: refused" if skip.tamper else "skipped"
    text = f"    {what} {skip.length} bytes at {skip.offset}: {skip.reason}"
    detail = skip.detail.removeprefix(f"{skip.reason}: ")
    hint = f"; {skip.hint}" if skip.hint is not None else ""
    return text + (f" ({detail})" if detail else "") + hint


def _fields(record: Record) -> str:
    pairs = [(name, value) for name, value in record.items() if name not in _PLACE]
    return ", ".join(f"{name} {or_unknown(value)}" for name, value in pairs)
