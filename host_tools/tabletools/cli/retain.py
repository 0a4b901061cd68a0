"""`tabletool ledger retain`: removes old rows that other systems and repeated requests needed."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from tabletools.cli.open_database import existing, explaining, place_text
from tabletools.cli.report import JsonOption, say
from tabletools.errors import ToolError

if TYPE_CHECKING:
    from tabletools.money.retention import Blocked

EXAMPLES = """\b
Examples:
  tabletool ledger retain pit.ledger
  tabletool ledger retain pit.ledger --event-days 365 --retired webhook:https://old.example/in
"""


def command(
    place: Annotated[
        str, typer.Argument(metavar="DB", help="A file, or postgresql://USER@HOST/NAME.")
    ],
    event_days: Annotated[
        int, typer.Option("--event-days", min=7, max=36500, help="Age of events that go.")
    ] = 90,
    request_days: Annotated[
        int, typer.Option("--request-days", min=7, max=36500, help="Age of answers that go.")
    ] = 30,
    retired: Annotated[
        list[str] | None,
        typer.Option("--retired", metavar="SINK", help="Keep no event for this sink any more."),
    ] = None,
    _json: JsonOption = False,
) -> None:
    """Remove old events that every sink has, and old answers to repeated requests.

    A host does so by itself (`event_days`, `request_days`). An event that a sink has not confirmed
    stays, with all later ones: deliver it (`tabletool feed`, `--retry-dead`), or name the sink as
    retired. No money and no evidence is removed, and `ledger verify` proves that nothing else is
    missing. On SQLite the file does not shrink; its free pages are used again.
    """
    from tabletools.money import retention

    with existing(place) as store, explaining(place):
        runs = retention.Retention(store, retention.Ages(event_days, request_days))
        try:
            if not runs.take():
                raise ToolError(
                    "a host removes old rows of this ledger",
                    where=place_text(place),
                    step="set its event_days and request_days, or stop it first",
                )
            for sink in retired or ():
                count = retention.retire(store, sink)
                say(f"{count} deliveries of {sink} removed", sink=sink, deliveries=count)
            step = runs.step()
            events, requests = step.events, step.requests
            while step.has_more:
                step = runs.step()
                events, requests = events + step.events, requests + step.requests
        finally:
            runs.close()
    text = f"removed: {events} events, {requests} answers to requests"
    say(text, events=events, requests=requests)
    if (blocked := step.blocked) is not None and blocked.sink:
        say(_text(blocked), blocked_event=blocked.event, sink=blocked.sink)


def _text(blocked: "Blocked") -> str:
    written = datetime.fromtimestamp(blocked.at_ns // 10**9, UTC).date()
    return (
        f"event {blocked.event} of {written} and later ones stay: {blocked.sink} has not confirmed"
        " it; deliver it, or name that sink with --retired"
    )
