"""Asking a table and waiting for its answers, for commands that do so and end."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from tablespec.config import KEYS
from tabletools import decode
from tabletools.cli.reach import ANSWER_WITHIN_S, reach, silent
from tabletools.console.view import TableView
from tabletools.console.watch import Watch
from tabletools.decode import Record
from tabletools.errors import ToolError
from tabletools.keys import opened_keyring
from tabletools.link import ONLINE, WAITING, Event, Link, Questions, Received, Session
from tablewire.codec import Frame
from tablewire.messages import CONFIGURATION_CHANGED, GET_CONFIGURATION

PortArgument = Annotated[
    str, typer.Argument(metavar="PORT", help="Device path or socket://HOST:PORT.")
]
KeysOption = Annotated[
    Path | None,
    typer.Option("--keys", metavar="FILE", help="The keyring [in the user's data folder]."),
]


Note = Callable[[float, str, bytes], None] | None


class Talk:
    """A conversation with one table. changed: its configuration_changed records so far."""

    def __init__(self, port: str, keys: Path | None, record: Note = None) -> None:
        self.changed: list[Record] = []
        self.session = Session(keys=opened_keyring(keys).of)
        self._questions = Questions(self.session)
        self._answers: list[Record] = []
        self._wanted: Callable[[Frame], bool] = lambda frame: False
        self._found: Frame | None = None
        self._watch = Watch(Link(port, self.session, record=record), listen=self._listen)

    @property
    def view(self) -> TableView:
        """What is known of the table so far."""
        return self._watch.view

    @property
    def table(self) -> tuple[int, int]:
        """Device and boot at the other end, once it has answered something."""
        present = self.session.present
        assert present is not None
        return present

    def ask(self, ident: int, values: tuple[int, ...], *, wait_s: float = 0.0) -> Record:
        """The answer to a command, which may be a refusal. Raises ToolError if none comes.

        wait_s: while a round is open it is asked again, for so long.
        """
        end = time.monotonic() + wait_s
        while True:
            answer = self._answered(ident, values)
            if answer.get("cause") != "round_open" or time.monotonic() >= end:
                return answer
            while time.monotonic() < end and not self._step(phase="closed"):
                pass

    def configuration(self) -> list[int]:
        """Every value of the table by key number, place 0 unused."""
        return [0, *(self.value(key.number) for key in KEYS)]

    def value(self, number: int) -> int:
        """One value of the table."""
        found: int = accepted(self._answered(GET_CONFIGURATION, (number,)))["value"]
        return found

    def answer(self, ident: int, values: tuple[int, ...]) -> Record | None:
        """The answer to a command; None when a table that is heard gives none.

        Raises ToolError for one that is not heard.
        """
        self._answers.clear()
        self._questions.put(ident, values)
        while not self._answers:
            self._questions.tick(time.monotonic())
            if self.session.state not in (ONLINE, WAITING):
                raise silent(self._watch)
            if self._questions.has_failed:
                return None
            self._step()
        return self._answers[0]

    def _answered(self, ident: int, values: tuple[int, ...]) -> Record:
        found = self.answer(ident, values)
        if found is None:
            raise silent(self._watch)
        return found

    def wait(
        self,
        ident: int,
        values: tuple[int | bytes, ...],
        wanted: Callable[[Frame], bool],
        within_s: float,
        number: int = 0,
    ) -> Frame | None:
        """Give a command once, for a round, and wait for a frame; None when the time is over."""
        self._wanted, self._found = wanted, None
        self.session.command(ident, values, number)
        return self._until_found(within_s)

    def hear(self, wanted: Callable[[Frame], bool], within_s: float) -> Frame | None:
        """Wait for a frame that comes by itself; None when the time is over."""
        self._wanted, self._found = wanted, None
        return self._until_found(within_s)

    def _until_found(self, within_s: float) -> Frame | None:
        end = time.monotonic() + within_s
        while self._found is None and time.monotonic() < end:
            self._step()
        self._wanted = lambda frame: False
        return self._found

    def _step(self, phase: str = "") -> bool:
        """One round of the link; whether the table said that it is in that phase."""
        return phase in [record.get("phase") for record in self._watch.step()]

    def _listen(self, event: Event) -> None:
        if not isinstance(event, Received):
            return
        if self._wanted(event.frame):
            self._found = event.frame
        if self._questions.take(event.frame):
            self._answers.append(decode.record(event.frame))
        elif event.frame.type == CONFIGURATION_CHANGED:
            self.changed.append(decode.record(event.frame))

    def reach(self) -> None:
        """Wait until a command can go to the table. Raises ToolError, exit code 3."""
        reach(self._watch)
        end = time.monotonic() + ANSWER_WITHIN_S
        while self.session.present is None:  # only records from before were heard
            if time.monotonic() > end:
                raise silent(self._watch)
            self._step()

    def close(self) -> None:
        """Let go of the port."""
        self._watch.link.close()


@contextmanager
def talking(port: str, keys: Path | None, *, record: Note = None) -> Iterator[Talk]:
    """A conversation with the table at a port. Raises ToolError, exit code 3.

    keys: the keyring with the key of the table, None for the user's own. record: see Link.
    """
    talk = Talk(port, keys, record)
    try:
        talk.reach()
        yield talk
    finally:
        talk.close()


_STEPS = {
    "round_open": "wait for the end of the round: --wait 120",
    "journal_full": "let `tabletool collect` take the records of the table first",
    "contradiction": "set the other value first, or set both from a file",
    "fault_standing": "see what stands: `tabletool monitor PORT --once`",
    "wrong_boot": "the table has just restarted: try again",
}


def accepted(answer: Record) -> Record:
    """The answer, unless it is a refusal: then ToolError."""
    if answer["type"] != "refusal":
        return answer
    cause = answer["cause"].replace("_", " ")
    beside = f" beside {answer['contradicts']}" if answer["contradicts"] else ""
    raise ToolError(
        f"the table refused {answer['command']}: {cause}",
        where=f"{answer['value']} given",
        limit=f"{answer['low']}..{answer['high']}{beside}",
        step=_STEPS.get(answer["cause"], ""),
    )
