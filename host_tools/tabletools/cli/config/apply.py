"""Carries out a plan on a table, and stores its author in a database."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tabletools.cli.named import MOST_NAME, verify_text
from tabletools.cli.open_database import writing
from tabletools.cli.report import say
from tabletools.cli.table_client import TableClient, accepted
from tabletools.configuration import Change
from tabletools.decode import Record
from tabletools.errors import ToolError
from tablewire.messages import FACTORY_CONFIGURATION, SET_CONFIGURATION


@dataclass(frozen=True)
class Author:
    """The user who changes a configuration, and the database that stores it, None for none."""

    place: str | None
    name: str

    @classmethod
    def checked(cls, place: str | None, name: str) -> "Author":
        """Raises ToolError for a name without a database, or a database without a name."""
        if (place is None) == bool(name.strip()):
            raise ToolError(
                "--db and --by go together",
                where="--db" if place is None else "--by",
                step="give the database of the table and your name, or neither",
            )
        if place is not None:
            verify_text("--by", name, MOST_NAME, "a name")
        return cls(place, name.strip())

    @contextmanager
    def ordering(self, device: int, ident: int, key: int, value: int) -> "Iterator[Order]":
        """Store an order before it is sent, and its outcome afterwards."""
        from tabletools.evidence import orders

        order = Order()
        if self.place is None:
            yield order
            return
        with writing(self.place) as store:
            number = orders.begin(store, device, (self.name, ident, key, value))
            try:
                yield order
            finally:
                orders.end(store, number, device, order.outcome, order.records)


@dataclass
class Order:
    """The outcome of an order. records: (boot, counter) of the records it made, as received."""

    outcome: str = "not answered"
    records: Sequence[tuple[int, int]] = ()


def apply(client: TableClient, plan: Sequence[Change], author: Author, *, wait_s: float) -> None:
    """Set each value of a plan. Raises ToolError at the first refusal; values set before stay."""
    for change in plan:
        number, after = change.key.number, change.after
        with author.ordering(client.table[0], SET_CONFIGURATION, number, after) as order:
            answer = client.ask(SET_CONFIGURATION, (number, after), wait_s=wait_s)
            _settle(order, answer, client)
        text = f"{change.key.name} = {after}, was {change.before}"
        say(text, key=change.key.name, set_to=after, was=change.before)


def to_factory(
    client: TableClient, plan: Sequence[Change], author: Author, *, wait_s: float
) -> None:
    """Reset all values. Raises ToolError if the table refuses or reports others afterwards."""
    if not plan:
        return
    with author.ordering(client.table[0], FACTORY_CONFIGURATION, 0, 0) as order:
        answer = client.ask(FACTORY_CONFIGURATION, (), wait_s=wait_s)
        _settle(order, answer, client)
    say(f"{len(plan)} values set back", set_back=len(plan))


def _settle(order: Order, answer: Record, client: TableClient) -> None:
    order.outcome = answer.get("cause", "done")
    accepted(answer)
    order.records = [(record["boot"], record["counter"]) for record in client.changed]
    client.changed.clear()
