"""`tabletool replay --all`: decides every trace of a database again on many processors."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tabletools.cli.open_database import reading
from tabletools.cli.progress import counted
from tabletools.errors import UNSOUND, ToolError
from tabletools.replay import DISAGREES

if TYPE_CHECKING:
    from tabletools.table.verify_traces import Job

_TOGETHER = 25
"""Traces of one piece of work, about a second."""
_MOST_PRINTED = 20


def replay_all(place: str, workers: int | None, address: str | None, *, as_json: bool) -> None:
    """Replay every trace, print the results. Raises ToolError unless all are as recorded."""
    from tabletools import cluster
    from tabletools.table import verify_traces

    with reading(place) as db:
        last = verify_traces.last(db)
    words, problems = Counter[str](), list[str]()
    show, pieces = counted("replayed"), -(-last // _TOGETHER)
    with cluster.connected(address, workers or os.cpu_count() or 1) as client:
        judged = cluster.done(client, verify_traces.judge_all, _pieces(place, last))
        for number, some in enumerate(judged, 1):
            words.update(replay.word for replay in some)
            problems += [text for replay in some for text in replay.problems]
            show(number, pieces)
    print(_json(words, problems) if as_json else replays_text(words))
    if problems:
        raise ToolError(
            f"{words[DISAGREES]} of {words.total()} traces differ from the record",
            where=place,
            cause="another program changed the database, or a table runs other firmware",
            step="keep the database for the auditor; see each with: tabletool replay --db --round",
            exit_code=UNSOUND,
            details=problems[:_MOST_PRINTED],
        )


def _pieces(place: str, last: int) -> Iterator["list[Job]"]:
    """Read the traces piece by piece, each in a separate transaction: a host may keep running."""
    from tabletools.table import verify_traces

    for first in range(1, last + 1, _TOGETHER):
        with reading(place) as db:
            yield list(verify_traces.jobs(db, first, first + _TOGETHER - 1))


def replays_text(words: Counter[str]) -> str:
    """The number of traces by verdict."""
    return f"traces replayed: {by_word(words)}"


def by_word(words: Counter[str]) -> str:
    """How often each word was found."""
    counts = ", ".join(f"{count} x {word}" for word, count in sorted(words.items()))
    return counts or "there is none"


def _json(words: Counter[str], problems: list[str]) -> str:
    return json.dumps({"type": "replays", "words": dict(words), "problems": problems})
