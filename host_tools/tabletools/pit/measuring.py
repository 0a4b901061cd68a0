"""Reads a table's configuration and compares it with its terms.

At every session and boot, after every change and once a minute. No bets open until it was read in
this boot, and while a value does not fit or is not the one a walk round the machine has proved.
Without terms the whole configuration is read, and nothing is compared: the table reports changes
by itself. Without I/O; time is injected.
"""

from collections.abc import Mapping, Sequence
from math import inf

from tablespec.config_keys import KEYS
from tablespec.names import KEY_NAMES
from tabletools import roles
from tabletools.link import (
    ANSWERED,
    SILENT,
    Conversation,
    Exchange,
    Proof,
    Request,
    Session,
)
from tabletools.roles import Demand, Played
from tabletools.table.intake import Intake
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.config import ROLE

EVERY_S, ONCE_S = 60.0, inf
_NUMBERS = {name: number for number, name in enumerate(KEY_NAMES, 1)}
NOT_ANSWERED = "the table does not answer the request for its configuration"


class Measuring:
    """The configuration of the table at the other end of a session, compared with its terms.

    played: by its terms, without a game where it has none. expected: values of keys that the
    host's file requires, by name.
    """

    def __init__(
        self, session: Session, intake: Intake, played: Played, expected: Mapping[str, int]
    ) -> None:
        self._session = session
        self._intake = intake
        self._played = played
        self._expected = [
            Demand(key, value, value, "the host's file") for key, value in expected.items()
        ]
        self._conversation = Conversation(session)
        self._reading: list[Exchange] = []  # one per key, of the present reading
        self._table: tuple[int, int] | None = None  # device and boot of the fields below
        self._proof: Proof | None = None  # of the session in which it was read
        self._due_s = 0.0
        self._wanted = _keys(self._played, self._expected)
        self._every_s = EVERY_S if played.game is not None else ONCE_S

    def connected(self) -> None:
        """Note that a port was opened: it may lead to another table."""
        self._begin(None)

    def observe(self, frame: Frame) -> None:
        """Take an answer, in the order of the line: a round that opens next depends on it.

        Raises what the intake raises.
        """
        if self._session.trust.proof != self._proof:
            # Another host may have changed it since, and have acknowledged the record of that.
            self._proof = self._session.trust.proof
            self._begin(None)
            self._intake.forget_configuration()
        if frame.type == m.CONFIGURATION_CHANGED:
            self._conversation.drop()  # earlier answers may be out of date
            self._due_s = 0.0
        if self._conversation.take(frame) is not None:
            self._decide()

    def take(self, frame: Frame, now_s: float) -> None:
        """Send requests when they are due. Raises what the intake raises."""
        present = self._session.present
        if present is not None and present != self._table:
            self._begin(present)
            self._due_s = now_s
        if (frame.device, frame.boot) != self._table:
            return
        if now_s >= self._due_s and not self._conversation.is_busy:
            self._ask(now_s)
        self._conversation.tick(now_s)
        if any(exchange.outcome == SILENT for exchange in self._reading):
            self._store()
            self._begin(self._table)
            if self._played.game is not None:
                self._intake.measured(frame.device, frame.boot, [NOT_ANSWERED], {})

    def _begin(self, table: tuple[int, int] | None) -> None:
        self._table = table
        self._conversation.drop()
        self._reading = []

    def _ask(self, now_s: float) -> None:
        self._due_s = now_s + self._every_s
        self._reading = [
            self._conversation.ask(Request(m.GET_CONFIGURATION, (number,)))
            for number in self._wanted
        ]

    def _answers(self) -> list[Frame]:
        return [
            exchange.answer
            for exchange in self._reading
            if exchange.outcome == ANSWERED and exchange.answer is not None
        ]

    def _store(self) -> None:
        if answers := self._answers():
            self._intake.store_configuration(answers)

    def _decide(self) -> None:
        if self._conversation.is_busy or self._table is None:
            return
        self._store()
        if self._played.game is None:
            return
        values = {frame.values[0]: frame.values[1] for frame in self._answers()}
        values |= {
            number: KEYS[number - 1].default
            for number, exchange in zip(self._wanted, self._reading, strict=False)
            if exchange.is_of_newer_key
        }
        missing = [KEY_NAMES[number - 1] for number in self._wanted if number not in values]
        if missing:
            misfits = [f"{name} cannot be read: the table refused" for name in missing]
        else:
            named = {KEY_NAMES[number - 1]: value for number, value in values.items()}
            misfits = roles.misfits(self._played, self._expected, named)
        self._intake.measured(*self._table, misfits, values)


def _keys(played: Played, expected: Sequence[Demand]) -> list[int]:
    if played.game is None:
        return [*_NUMBERS.values()]
    names = [demand.key for demand in expected]
    for name in roles.names_for(played.game):
        names += [demand.key for demand in roles.demands(name, played)]
        names += roles.role(name).walked
    return [ROLE, *sorted({_NUMBERS[name] for name in names} - {ROLE})]
