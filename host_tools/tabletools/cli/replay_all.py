"""`tabletool replay --all`: decides every trace of a database again on many processors."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple

from tabletools.cli.open_database import existing
from tabletools.cli.progress import counted
from tabletools.errors import UNSOUND, ToolError
from tabletools.replay import DISAGREES

if TYPE_CHECKING:
    from tabletools.cluster import Workers
    from tabletools.store import Connection
    from tabletools.table.verify_traces import Job

_TOGETHER = 25
"""Traces of one piece of work, about a second."""
_MOST_PRINTED = 20

Reads = Callable[[], AbstractContextManager["Connection"]]
"""Begins a transaction that reads a database."""


class Replays(NamedTuple):
    """What came of the traces of a ledger. words: how many by verdict. problems: differences."""

    words: Counter[str]
    problems: list[str]

    @classmethod
    def nothing(cls) -> "Replays":
        """Return those of no trace, to which others are added."""
        return cls(Counter(), [])

    def add(self, name: str, other: "Replays") -> None:
        """Add those of a ledger with this name."""
        self.words.update(other.words)
        self.problems.extend(f"{name}: {text}" for text in other.problems)


def replay_all(place: str, workers: int | None, address: str | None, *, as_json: bool) -> None:
    """Replay every trace, print the results. Raises ToolError unless all are as recorded."""
    from tabletools import cluster

    replays = Replays.nothing()
    with existing(place, reads=True) as store:
        if _has_traces(store.read):
            with cluster.connected(address, workers or os.cpu_count() or 1) as client:
                replays = replayed(client, store.read)
    print(_json(replays) if as_json else replays_text(replays.words))
    verify_same(replays, place)


def replayed(client: "Workers", reads: Reads) -> Replays:
    """Replay every trace of a database on a cluster. Raises ToolError, StoreError."""
    from tabletools import cluster
    from tabletools.table import verify_traces

    with reads() as db:
        first, last = verify_traces.span(db)
    replays = Replays.nothing()
    show, pieces = counted("replayed"), -(-(last - first + 1) // _TOGETHER)
    judged = cluster.done(client, verify_traces.judge_all, pieces_of(reads, first, last), _name)
    for number, some in enumerate(judged, 1):
        replays.words.update(replay.word for replay in some)
        replays.problems.extend(text for replay in some for text in replay.problems)
        show(number, pieces)
    return replays


def _has_traces(reads: Reads) -> bool:
    from tabletools.table import verify_traces

    with reads() as db:
        return verify_traces.span(db) != (0, 0)


def verify_same(replays: Replays, where: str) -> None:
    """Raise ToolError if a trace differs from the record."""
    words, problems = replays
    if problems:
        raise ToolError(
            f"{words[DISAGREES]} of {words.total()} traces differ from the record",
            where=where,
            cause="another program changed the database, or a table runs other firmware",
            step="keep the database for the auditor; see each with: tabletool replay --db --round",
            exit_code=UNSOUND,
            details=problems[:_MOST_PRINTED],
        )


def pieces_of(reads: Reads, first: int, last: int) -> Iterator["list[Job]"]:
    """Read the traces piece by piece, each in a separate transaction: a host may keep running."""
    from tabletools.table import verify_traces

    for start in range(first, last + 1, _TOGETHER):
        with reads() as db:
            yield list(verify_traces.jobs(db, start, start + _TOGETHER - 1))


def _name(piece: "list[Job]") -> str:
    return f"{piece[0].name} and the {len(piece) - 1} after it" if piece else "no trace"


def replays_text(words: Counter[str]) -> str:
    """The number of traces by verdict."""
    return f"traces replayed: {by_word(words)}"


def by_word(words: Counter[str]) -> str:
    """How often each word was found."""
    counts = ", ".join(f"{count} x {word}" for word, count in sorted(words.items()))
    return counts or "there is none"


def _json(replays: Replays) -> str:
    words, problems = replays
    return json.dumps({"type": "replays", "words": dict(words), "problems": problems})
