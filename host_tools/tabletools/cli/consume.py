"""`tabletool consume`: stores the events of a broker in a file, each exactly once."""

import socket
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from tabletools.cli.feed import (
    CaOption,
    CertOption,
    KeyOption,
    PasswordOption,
    UserOption,
    broker_of,
    stopping,
)
from tabletools.cli.report import JsonOption, say
from tabletools.cms.broker import BrokerError
from tabletools.cms.consumer import Consumer, Landing, LandingError
from tabletools.cms.mqtt_sink import Topics
from tabletools.errors import UNREACHABLE, ToolError

EXAMPLES = """\b
Examples:
  tabletool consume --mqtt mqtt://127.0.0.1 --db landed.sqlite
  tabletool consume --mqtt mqtts://broker --ca ca.pem --cert cms.pem --key cms.key \
--db landed.sqlite
"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("consume", epilog=EXAMPLES)(command)


def command(
    mqtt: Annotated[str, typer.Option("--mqtt", metavar="URL", help="The broker.")],
    db: Annotated[
        Path, typer.Option("--db", metavar="FILE", help="SQLite file, created if missing.")
    ],
    ca: CaOption = None,
    cert: CertOption = None,
    key: KeyOption = None,
    user: UserOption = None,
    password_file: PasswordOption = None,
    prefix: Annotated[str, typer.Option("--prefix", help="First part of every topic.")] = (
        Topics.prefix
    ),
    name: Annotated[
        str, typer.Option("--name", help="Name of this consumer at the broker; keep it.")
    ] = "",
    count: Annotated[
        int | None, typer.Option("--count", min=1, help="End after this many events are stored.")
    ] = None,
    _json: JsonOption = False,
) -> None:
    """Store every event of a broker in a file, exactly once: an example for integrators.

    Acknowledges after the commit, so nothing is lost; stores by source and id, so nothing is
    stored twice. After an interruption the broker sends the missed events, up to a week. Ends with
    Ctrl-C.
    """
    try:
        broker = broker_of(mqtt, (ca, cert, key), user, password_file)
        landing = Landing(db)
    except (ValueError, OSError, BrokerError, LandingError) as error:
        step = "correct the option; see `tabletool consume --help`"
        raise ToolError(str(error), where="tabletool consume", step=step) from error
    with closing(landing), stopping() as stop:
        ident = name or f"consumer-{socket.gethostname()}"
        consumer = Consumer(broker, landing, ident, prefix=prefix)
        consumer.run(stop, until=lambda: count is not None and landing.count() >= count)
        new, repeats, refused = consumer.landed
        text = f"{new} events landed, {repeats} repeats, {refused} refused"
        say(text, landed=new, repeats=repeats, refused=refused)
        if consumer.down:
            step = "start the broker, or correct the address; nothing is lost"
            raise ToolError(consumer.down, where="--mqtt", step=step, exit_code=UNREACHABLE)
