"""`tabletool users`: manages the users who may log in to a host; for its administrator."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypedDict, Unpack

import typer

from tabletools.cli.command_group import CommandGroup, examples_of
from tabletools.cli.host_settings import Db, File, open_ledger, settings_of
from tabletools.cli.named import MOST_NAME, MOST_TEXT, verify_text
from tabletools.cli.open_database import explaining
from tabletools.cli.report import JsonOption, say
from tabletools.cli.user_settings import user_settings
from tabletools.errors import ToolError
from tabletools.pit.settings import default_ledger

if TYPE_CHECKING:
    from tabletools.api.passwords import Passwords
    from tabletools.store import Store

EXAMPLES = """\b
Examples:
  tabletool users add "A. Engel" --role dealer
  tabletool users role "A. Engel" supervisor --config host.toml
  tabletool users password "A. Engel"
  tabletool users password "A. Engel" --alone "both supervisors lost their passwords"
  tabletool users disable "A. Engel"
  tabletool users enable "A. Engel"
  tabletool users list --json
"""
_Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the user.")]
_Role = "dealer, supervisor, cashier, technician or auditor."
_Alone = Annotated[
    str,
    typer.Option(
        "--alone",
        metavar="WHY",
        help="Once two supervisors have a password: why they do not agree on this at the console.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    group = typer.Typer(cls=CommandGroup, help="The users of a pit host and their roles.")
    for name, command in (
        ("add", add),
        ("list", list_users),
        ("role", role),
        ("disable", disable),
        ("enable", enable),
        ("password", password),
    ):
        group.command(name, epilog=examples_of(EXAMPLES, f"users {name}"))(command)
    app.add_typer(group, name="users", epilog=EXAMPLES)


def add(
    name: _Name,
    wanted: Annotated[str, typer.Option("--role", metavar="ROLE", help=_Role)],
    config: File = None,
    db: Db = None,
    alone: _Alone = "",
    _json: JsonOption = False,
) -> None:
    """Add a user; prints the password for the first login, once."""
    from tabletools.api.passwords import Passwords

    verify_text("NAME", name, MOST_NAME, "a name")
    with _ledger(config, db, makes=True) as ledger:
        _verify_alone(ledger, name, f"is added as {wanted}", alone)
        fresh = add_user(ledger, Passwords(), name, wanted)
    _print_password(name, fresh)


def list_users(config: File = None, db: Db = None, _json: JsonOption = False) -> None:
    """List the users."""
    from tabletools.money import people_queries

    with _ledger(config, db) as ledger, ledger.read() as db_reader:
        rows = people_queries.user_rows(db_reader)
    for row in rows:
        state = "" if row.enabled else ", disabled"
        say(f"{row.id} {row.name}: {row.role}{state}", **row._asdict())
    if not rows:
        say("no users: `tabletool users add` makes one")


def role(
    name: _Name,
    wanted: Annotated[str, typer.Argument(metavar="ROLE", help=_Role)],
    config: File = None,
    db: Db = None,
    alone: _Alone = "",
    _json: JsonOption = False,
) -> None:
    """Give a user another role."""
    from tabletools.authority import ROLES

    if wanted not in ROLES:
        step = f"use {' '.join(ROLES)}"
        raise ToolError(f"role {wanted!r} is not known", where="ROLE", step=step)
    done = _change(config, db, name, (f"is {wanted} now", alone), role=wanted)
    say(f"{done}: {wanted}", name=done, role=wanted)


def disable(name: _Name, config: File = None, db: Db = None, _json: JsonOption = False) -> None:
    """Stop a user from logging in; the user's actions stay on record."""
    done = _change(config, db, name, None, enabled=False)
    say(f"{done}: disabled", name=done, enabled=False)


def enable(
    name: _Name,
    config: File = None,
    db: Db = None,
    alone: _Alone = "",
    _json: JsonOption = False,
) -> None:
    """Let a user log in again."""
    done = _change(config, db, name, ("is enabled", alone), enabled=True)
    say(f"{done}: enabled", name=done, enabled=True)


def password(
    name: _Name,
    config: File = None,
    db: Db = None,
    alone: _Alone = "",
    _json: JsonOption = False,
) -> None:
    """Give a user a new password for one login; prints it once."""
    from tabletools.api.passwords import Passwords, made_up

    fresh = made_up(name)
    digest = Passwords().hashed(fresh, name, once=True)
    _change(config, db, name, ("has a new password", alone), password_hash=digest)
    _print_password(name, fresh)


def add_user(ledger: "Store", passwords: "Passwords", name: str, wanted: str) -> str:
    """Add a user; returns the password for the first login. Raises ToolError."""
    from tabletools.api.passwords import made_up
    from tabletools.store import Actor, LedgerRejection, people

    fresh = made_up(name)
    try:
        digest = passwords.hashed(fresh, name, once=True)
        people.create_user(ledger, name, wanted, digest, Actor("command line"))
    except LedgerRejection as refused:
        raise ToolError(refused.what, where=refused.code, step=refused.step) from refused
    return fresh


def _print_password(name: str, fresh: str) -> None:
    say(f"{name}: password for the first login: {fresh}", name=name, first_password=fresh)


@contextmanager
def _ledger(config: "File", db: "Db", *, makes: bool = False) -> "Iterator[Store]":
    """The ledger of a host. makes: create a missing one. Raises ToolError."""
    own = None if config else user_settings().get("ledger")
    settings = settings_of(config, None, {"db": db or own})
    ledger = open_ledger(settings, makes=makes)
    try:
        with explaining(settings.db or default_ledger()):
            yield ledger
    finally:
        ledger.close()


def _verify_alone(ledger: "Store", name: str, what: str, why: str) -> None:
    """Raise ToolError where two supervisors have to agree, unless a reason is given.

    An alarm and the audit log have the reason: this program knows no user. what: happens to the
    user.
    """
    from tabletools.evidence import alarms
    from tabletools.store import people

    with ledger.read() as connection:
        if not people.needs_second(connection):
            return
    if not why.strip():
        raise ToolError(
            "two supervisors have to agree on a user, a role or a new password",
            where="--alone",
            step="do it on the page Users of the console, or give --alone a reason: an alarm and "
            "the audit log will show it",
        )
    verify_text("--alone", why, MOST_TEXT, "a reason")
    alarms.note_alone(ledger, name, what, why)


class _Change(TypedDict, total=False):
    role: str
    enabled: bool
    password_hash: str


def _change(
    config: "File", db: "Db", name: str, alone: tuple[str, str] | None, **change: Unpack[_Change]
) -> str:
    """Change a user; returns the name as stored. Raises ToolError.

    alone: what happens to the user and why without a second supervisor; None: it takes one.
    """
    from tabletools.store import Actor, people

    verify_text("NAME", name, MOST_NAME, "a name")
    with _ledger(config, db) as ledger:
        with ledger.read() as connection:
            row = people.find_user(connection, name)
        if row is None:
            raise ToolError(f"no user {name!r}", where="NAME", step="see `tabletool users list`")
        if alone is not None:
            _verify_alone(ledger, name, *alone)
        people.change_user(ledger, row.id, Actor("command line"), None, **change)
    return row.name
