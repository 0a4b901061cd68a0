"""Sends commands to a table and waits for the answers, for commands that then end."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from tablespec.config_keys import KEYS
from tabletools import decode
from tabletools.cli.reach import ANSWER_WITHIN_S, reach, silent
from tabletools.console.view import TableView
from tabletools.console.watch import Watch
from tabletools.decode import Record
from tabletools.decode.core_messages import Configuration, Refusal
from tabletools.errors import ToolError
from tabletools.keys import opened_keyring
from tabletools.link import (
    ONLINE,
    WAITING,
    Conversation,
    Event,
    Exchange,
    Link,
    Received,
    Request,
    Session,
)
from tablewire.codec import Frame
from tablewire.messages import (
    CONFIGURATION_CHANGED,
    GET_CONFIGURATION,
    IDENTITY,
    REFUSAL_ROUND_OPEN,
)

PortArgument = Annotated[
    str, typer.Argument(metavar="PORT", help="Device path or socket://HOST:PORT.")
]
KeysOption = Annotated[
    Path | None,
    typer.Option("--keys", metavar="FILE", help="The keyring [in the user's data folder]."),
]

# A table identifies itself within two requests of a session, also between long tasks.
IDENTITY_WITHIN_S = 10.0

Note = Callable[[float, str, bytes], None] | None


class TableClient:
    """Sends commands to one table over a link and waits for the answers.

    session: of the link. conversation: the requests. changed: the configuration_changed records
    received so far.
    """

    def __init__(self, link: Link) -> None:
        self.changed: list[Record] = []
        self.session = link.session
        self.conversation = Conversation(link.session)
        self._wanted: Callable[[Frame], bool] = lambda frame: False
        self._frame: Frame | None = None
        self._watch = Watch(link, listen=self._listen)

    @property
    def view(self) -> TableView:
        """What is known of the table so far."""
        return self._watch.view

    @property
    def table(self) -> tuple[int, int]:
        """Device and boot at the other end, once it has answered."""
        present = self.session.present
        assert present is not None
        return present

    def now_s(self) -> float:
        """Return the time by the clock of the link."""
        return self._watch.link.now_s()

    def run(self, request: Request) -> Exchange:
        """Send a request and wait until it ended.

        Raises ToolError if the table cannot be reached.
        """
        exchange = self.conversation.ask(request)
        try:
            while True:
                self.conversation.tick(self.now_s())
                if exchange.outcome is not None:
                    return exchange
                if not exchange.is_spent and self.session.state not in (ONLINE, WAITING):
                    raise self.silent()
                self.step()
        finally:
            self.conversation.forget(exchange)

    def run_between_rounds(
        self,
        request: Request,
        wait_s: float,
        *,
        causes: Collection[int] = (REFUSAL_ROUND_OPEN,),
        say: Callable[[str], None] = lambda text: None,
    ) -> Exchange:
        """Send a request; while it is refused for one of these causes, repeat it after the round.

        wait_s: for how long. say: called once while this waits. Raises what `run` raises.
        """
        end = self.now_s() + wait_s
        while True:
            exchange = self.run(request)
            if exchange.cause not in causes or self.now_s() >= end:
                return exchange
            say("waiting until the round is over")
            say = _say_nothing
            while self.now_s() < end and not self.step("closed"):
                pass

    def ask(self, ident: int, values: tuple[int, ...], *, wait_s: float = 0.0) -> Record:
        """The answer to a command, which may be a refusal. Raises ToolError if none comes.

        wait_s: for how long the command is repeated while a round is open.
        """
        exchange = self.run_between_rounds(Request(ident, values), wait_s)
        if exchange.answer is None:
            raise self.silent()
        return decode.record(exchange.answer)

    def configuration(self) -> list[int]:
        """Every value of the table by key number, index 0 unused."""
        return [0, *(self.value(key.number) for key in KEYS)]

    def value(self, number: int) -> int:
        """One value of the table; the factory value of a key that is newer than its firmware."""
        exchange = self.run_between_rounds(Request(GET_CONFIGURATION, (number,)), 0.0)
        if exchange.answer is None:
            raise self.silent()
        if exchange.is_of_newer_key:
            return KEYS[number - 1].default
        return Configuration.of_record(accepted(decode.record(exchange.answer))).value

    def answer(self, ident: int, values: tuple[int, ...]) -> Record | None:
        """The answer to a command; None if a table that is online gives none.

        Raises ToolError if the table is offline.
        """
        answer = self.run(Request(ident, values)).answer
        return None if answer is None else decode.record(answer)

    def wait_for(self, wanted: Callable[[Frame], bool], within_s: float) -> Frame | None:
        """Wait for a frame that comes unasked; None when the time is over."""
        self._wanted, self._frame = wanted, None
        end = self.now_s() + within_s
        while self._frame is None and self.now_s() < end:
            self.step()
        self._wanted = lambda frame: False
        return self._frame

    def identity(self) -> Frame | None:
        """The identity of the table; None if it does not come in time."""
        if self.session.identity is None:
            self.wait_for(lambda frame: frame.type == IDENTITY, IDENTITY_WITHIN_S)
        return self.session.identity

    def step(self, *phases: str) -> bool:
        """Do one iteration of the link; return whether the table reported one of these phases."""
        return any(record.get("phase") in phases for record in self._watch.step())

    def silent(self) -> ToolError:
        """The error for a table that does not answer."""
        return silent(self._watch)

    def _listen(self, event: Event) -> None:
        if not isinstance(event, Received):
            return
        if self._wanted(event.frame):
            self._frame = event.frame
        self.conversation.take(event.frame)
        if event.frame.type == CONFIGURATION_CHANGED:
            self.changed.append(decode.record(event.frame))

    def reach(self, *, trusting: bool = True) -> None:
        """Wait until a command can be sent to the table. Raises ToolError, exit code 3.

        trusting: False to return even if the table is not authenticated.
        """
        reach(self._watch, trusting=trusting)
        end = self.now_s() + ANSWER_WITHIN_S
        # Only earlier records were received.
        while self.session.present is None and self.session.trust.refusal is None:
            if self.now_s() > end:
                raise self.silent()
            self.step()

    def close(self) -> None:
        """Close the port."""
        self._watch.link.close()


def _say_nothing(_text: str) -> None:
    pass


@contextmanager
def connected_client(
    port: str, keys: Path | None, *, record: Note = None, program: str = "tabletool"
) -> Iterator[TableClient]:
    """A client of the table at a port. Raises ToolError, exit code 3.

    keys: the keyring with the key of the table, None for the user's. record: see Link.
    program: see Session.
    """
    session = Session(keys=opened_keyring(keys).keys_of, program=program)
    with linked(port, session, record=record) as client:
        yield client


@contextmanager
def linked(
    port: str, session: Session, *, record: Note = None, trusting: bool = True
) -> Iterator[TableClient]:
    """A client in a separate session. Raises ToolError, exit code 3. trusting: see reach."""
    client = TableClient(Link(port, session, record=record))
    try:
        client.reach(trusting=trusting)
        yield client
    finally:
        client.close()


_STEPS = {
    "round_open": "wait for the end of the round: --wait 120",
    "journal_full": "fetch the records of the table with `tabletool collect` first",
    "contradiction": "set the other value first, or set both from a file",
    "fault_active": "list the active faults: `tabletool monitor PORT --once`",
    "wrong_boot": "the table has just restarted: try again",
}


def answer_of(exchange: Exchange) -> Frame | None:
    """The answer of an exchange, None if none came. Raises ToolError for a refusal."""
    if exchange.answer is not None:
        accepted(decode.record(exchange.answer))
    return exchange.answer


def accepted(answer: Record) -> Record:
    """Return the answer; raise ToolError if it is a refusal."""
    if answer["type"] != "refusal":
        return answer
    refusal = Refusal.of_record(answer)
    cause = refusal.cause.replace("_", " ")
    if refusal.cause == "no_memory":
        raise ToolError(
            f"the table has no memory for {refusal.command}",
            where=f"{refusal.value} bytes in one piece",
            limit=f"{refusal.high} bytes free, fragmented",
            cause="its heap is fragmented, or the role is too large for the board",
            step="restart the table and give the command again; if that repeats, use a board with"
            " more memory (host_tools/docs/HARDWARE.md)",
        )
    if refusal.cause == "not_understood":
        raise ToolError(
            f"the table does not know the command {refusal.command}",
            where=f"wire 1.{refusal.value} sent, the table has 1.{refusal.high}",
            cause="a table of its role has no such command, or its firmware is older",
            step="see its role and firmware: `tabletool monitor PORT --once`",
        )
    if (refusal.command, refusal.cause) == ("clear_fault", "out_of_range"):
        raise ToolError(
            f"the table refused clear_fault: {refusal.value} is not active, or clears only when"
            " its cause is gone",
            step=_STEPS["fault_active"],
        )
    beside = f" with {refusal.contradicts}" if refusal.contradicts else ""
    raise ToolError(
        f"the table refused {refusal.command}: {cause}",
        where=f"{refusal.value} given",
        limit=f"{refusal.low}..{refusal.high}{beside}",
        step=_STEPS.get(refusal.cause, ""),
    )
