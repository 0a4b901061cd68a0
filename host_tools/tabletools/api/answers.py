"""Shapes of answers, for the description of the API; the tests check every answer."""

from typing import Any

from pydantic import BaseModel, ConfigDict

Time = str
Maybe = str | None
Number = int | None
Json = dict[str, Any]


class Answer(BaseModel):
    """An object of an answer."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """RFC 9457. code: a word that never changes; step: what to do next."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    step: Maybe
    where: str = ""
    cause: str = ""
    errors: list[Json] = []


class Need(Answer):
    """Something that needs a person. table: null: in the house. priority: 1 (money or evidence is
    in doubt) to 4. kind: a word. page: of the console. alarm: its number, if it is one. code: of a
    fault."""

    table: Number
    priority: int
    kind: str
    text: str
    since_at: Time
    page: str
    alarm: Number
    cents: Number
    currency: Maybe
    code: Number


class Needs(Answer):
    """What needs a person, the most urgent first, of these the oldest."""

    needs: list[Need]


class Health(Answer):
    """The program runs."""

    status: str


class Ready(Answer):
    """Whether bets can be booked; troubles: why not. warnings: failures that delay no bet."""

    status: str
    troubles: list[str]
    warnings: list[str]


class SinkStanding(Answer):
    """A destination of events. state: up, down, standby (another host feeds it). waiting: events
    not yet delivered; oldest_s: age of the oldest; dead: given up; error: the last one."""

    name: str
    state: str
    sent: int
    failed: int
    waiting: Number
    oldest_s: float
    dead: int
    error: str


class SinkStandings(Answer):
    """The sinks of this host."""

    sinks: list[SinkStanding]


def responds(model: type[BaseModel], status: int = 200, *others: int) -> dict[str, Any]:
    """The arguments that declare the answer of a route. others: statuses with the same content."""
    responses: dict[int | str, dict[str, Any]] = {
        code: {"model": model} for code in (status, *others)
    }
    return {"response_model": None, "status_code": status, "responses": responses}
