"""Asking a table and waiting for its answers, for commands that do so and end."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from tablespec.config import KEYS
from tabletools import decode
from tabletools.cli.reach import reach, silent
from tabletools.console.watch import Watch
from tabletools.decode import Record
from tabletools.errors import ToolError
from tabletools.keys import Keyring, default_file
from tabletools.link import ONLINE, Event, Link, Questions, Received, Session
from tablewire.codec import Frame
from tablewire.messages import CONFIGURATION_CHANGED, GET_CONFIGURATION

KeysOption = Annotated[
    Path | None,
    typer.Option("--keys", metavar="FILE", help="The keyring [in the user's data folder]."),
]


class Talk:
    """A conversation with one table. changed: its configuration_changed records so far."""

    def __init__(self, port: str, keys: Path | None) -> None:
        self.changed: list[Record] = []
        self.session = Session(keys=Keyring(keys or default_file()).of)
        self._questions = Questions(self.session)
        self._answers: list[Record] = []
        self._wanted: Callable[[Frame], bool] | None = None
        self._heard: Frame | None = None
        self._watch = Watch(Link(port, self.session), listen=self._listen)

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
            answer = self._ask(ident, values)
            if answer.get("cause") != "round_open" or time.monotonic() >= end:
                return answer
            while time.monotonic() < end and not self._step(phase="closed"):
                pass

    def order(
        self,
        ident: int,
        values: tuple[int | bytes, ...],
        wanted: Callable[[Frame], bool],
        within_s: float,
    ) -> Frame | None:
        """Give a command once; the first frame that is wanted, None if there is none in time.

        Raises ToolError, exit code 3, for a table that is not there.
        """
        end = time.monotonic() + within_s
        while self.session.present is None and time.monotonic() < end:
            self._step()
        if self.session.present is None or self.session.state != ONLINE:
            raise silent(self._watch)
        self._wanted, self._heard = wanted, None
        self.session.command(ident, values, 0, time.monotonic())
        while self._heard is None and time.monotonic() < end:
            self._step()
        self._wanted = None
        return self._heard

    def configuration(self) -> list[int]:
        """Every value of the table by key number, place 0 unused."""
        return [0, *(self.value(key.number) for key in KEYS)]

    def value(self, number: int) -> int:
        """One value of the table."""
        found: int = accepted(self._ask(GET_CONFIGURATION, (number,)))["value"]
        return found

    def _ask(self, ident: int, values: tuple[int, ...]) -> Record:
        self._answers.clear()
        self._questions.put(ident, values)
        while not self._answers:
            self._questions.tick(time.monotonic())
            if self._questions.has_failed:
                raise silent(self._watch)
            self._step()
        return self._answers[0]

    def _step(self, phase: str = "") -> bool:
        """One round of the link; whether the table said that it is in that phase."""
        return phase in [record.get("phase") for record in self._watch.step()]

    def _listen(self, event: Event) -> None:
        if not isinstance(event, Received):
            return
        if self._wanted is not None and self._heard is None and self._wanted(event.frame):
            self._heard = event.frame
        elif self._questions.take(event.frame):
            self._answers.append(decode.record(event.frame))
        elif event.frame.type == CONFIGURATION_CHANGED:
            self.changed.append(decode.record(event.frame))

    def reach(self) -> None:
        """Wait until the table is heard. Raises ToolError, exit code 3."""
        reach(self._watch)

    def close(self) -> None:
        """Let go of the port."""
        self._watch.link.close()


@contextmanager
def talking(port: str, keys: Path | None) -> Iterator[Talk]:
    """A conversation with the table at a port. Raises ToolError, exit code 3.

    keys: the keyring with the key of the table, None for the user's own.
    """
    talk = Talk(port, keys)
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
