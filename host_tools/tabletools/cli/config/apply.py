"""Carrying out a plan on a table, and keeping who ordered it in an inbox."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tabletools.cli.collect import as_tool_error, opened_inbox
from tabletools.cli.talk import Talk, accepted
from tabletools.configuration import Change
from tabletools.decode import Record
from tabletools.errors import ToolError
from tabletools.inbox import InboxError, order
from tablewire.messages import FACTORY_CONFIGURATION, SET_CONFIGURATION


@dataclass(frozen=True)
class Author:
    """Who changes a configuration, and the inbox that keeps it; file None: nobody keeps it."""

    file: Path | None
    name: str

    @classmethod
    def checked(cls, file: Path | None, name: str) -> "Author":
        """Raises ToolError for a name without an inbox, or an inbox without a name."""
        if (file is None) == bool(name.strip()):
            raise ToolError(
                "--db and --by go together",
                where="--db" if file is None else "--by",
                step="give the inbox of the table and your name, or neither",
            )
        return cls(file, name)

    @contextmanager
    def ordering(self, device: int, ident: int, key: int, value: int) -> Iterator["Order"]:
        """Keep an order before it goes out, and what became of it afterwards."""
        found = Order()
        if self.file is None:
            yield found
            return
        connection = opened_inbox(self.file)
        try:
            number = order.begin(
                connection, device, (self.name, ident, key, value), time.time_ns()
            )
            try:
                yield found
            finally:
                order.end(connection, number, found.outcome, found.records)
        except InboxError as error:
            raise as_tool_error(error, self.file) from error
        finally:
            connection.close()


@dataclass
class Order:
    """What became of an order. records: (boot, counter) of the records it made, as heard."""

    outcome: str = "not answered"
    records: Sequence[tuple[int, int]] = ()


def apply(talk: Talk, plan: Sequence[Change], author: Author, *, wait_s: float) -> None:
    """Set each value of a plan. Raises ToolError at the first refusal; what was set stays set."""
    for change in plan:
        number, after = change.key.number, change.after
        with author.ordering(talk.table[0], SET_CONFIGURATION, number, after) as order:
            answer = talk.ask(SET_CONFIGURATION, (number, after), wait_s=wait_s)
            _settle(order, answer, talk)
        print(f"{change.key.name} = {after}, was {change.before}")


def to_factory(talk: Talk, plan: Sequence[Change], author: Author, *, wait_s: float) -> None:
    """Set all values back. Raises ToolError when the table refuses or has others afterwards."""
    if not plan:
        return
    with author.ordering(talk.table[0], FACTORY_CONFIGURATION, 0, 0) as order:
        answer = talk.ask(FACTORY_CONFIGURATION, (), wait_s=wait_s)
        _settle(order, answer, talk)
    print(f"{len(plan)} values set back")


def _settle(order: Order, answer: Record, talk: Talk) -> None:
    order.outcome = answer.get("cause", "done")
    accepted(answer)
    order.records = [(record["boot"], record["counter"]) for record in talk.changed]
    talk.changed.clear()
