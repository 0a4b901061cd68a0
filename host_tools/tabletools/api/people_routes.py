"""Users and the audit log."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from tabletools.api import answers_people as answers
from tabletools.api.answers import responds
from tabletools.api.app_state import (
    MOST_NUMBER,
    AppState,
    InApp,
    RowNumber,
    SignedIn,
    action,
    as_json,
)
from tabletools.api.auth import Person
from tabletools.api.login_routes import second_of
from tabletools.api.passwords import made_up
from tabletools.api.shapes import NO_NUL, NewUser, UserChange
from tabletools.authority import ROLES
from tabletools.money import people_queries
from tabletools.store import Actor, LedgerRejection, people

router = APIRouter(prefix="/v1", tags=["people"])
Row = dict[str, Any]


@router.get("/users", **action("users.see"), **responds(answers.Users))
def users(app: InApp) -> Row:
    """Every user."""
    with app.ledger.read() as db:
        rows = people_queries.user_rows(db)
    locks = app.auth.throttle.locked_until_ns
    return {"users": [_user(row, locks(row.name)) for row in rows]}


def _user(user: people_queries.User, locked_until_ns: int | None) -> Row:
    return as_json(user._asdict() | {"locked_until_ns": locked_until_ns})


@router.post("/users", **action("users.change"), **responds(answers.MadeUser, 201))
def new_user(body: NewUser, who: SignedIn, app: InApp) -> Row:
    """Add a user; returns the password for the first login, once."""
    second = second_of(app, who, body.second)
    password = made_up(body.name)
    password_hash = _first(app, password, body.name, who, second)
    number = people.create_user(app.ledger, body.name, body.role, password_hash, who.actor, second)
    return {"user": number, "name": body.name, "role": body.role, "password": password}


@router.patch("/users/{user}", **action("users.change"), **responds(answers.ChangedUser))
def change_user(user: RowNumber, body: UserChange, who: SignedIn, app: InApp) -> Row:
    """Change role, enable or disable, reset the password; the logins of the user end."""
    with app.ledger.read() as db:
        rows = people_queries.user_rows(db)
    row = next((each for each in rows if each.id == user), None)
    if row is None:
        raise LedgerRejection("no_such_user", f"there is no user {user}", "list the users", "user")
    second = second_of(app, who, body.second)
    password = made_up(row.name) if body.reset_password else None
    if body.role is None and body.enabled is None and password is None:
        raise LedgerRejection("nothing_to_change", "no change is named", "name one", "role")
    people.change_user(
        app.ledger,
        user,
        who.actor,
        second,
        role=None if body.role is None else _known_role(body.role),
        enabled=body.enabled,
        password_hash=None if password is None else _first(app, password, row.name, who, second),
    )
    if password is not None:
        app.auth.throttle.clear(row.name)
    return {"user": user} | ({"password": password} if password else {})


def _first(app: AppState, password: str, name: str, who: Person, second: Actor | None) -> str:
    """Return the hash of a password for the first login, which the user who asks for it reads."""
    asked_by = None if second is None else who.user
    return app.auth.passwords.hashed(password, name, once=True, asked_by=asked_by)


def _known_role(role: str) -> str:
    if role not in ROLES:
        step = f"use {' '.join(ROLES)}"
        raise LedgerRejection("unknown_role", f"role {role!r} is not known", step, "role")
    return role


@router.get("/audit", **action("audit.see"), **responds(answers.AuditLog))
def audit_log(
    app: InApp,
    before: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    action: Annotated[str, Query(max_length=40, pattern=NO_NUL)] = "",
    most: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Row:
    """The audit log, newest first. before: seq of the last row of the page before."""
    with app.ledger.read() as db:
        rows = people_queries.audit_rows(db, before=before, action=action, most=most)
    return {"rows": [as_json(row) for row in rows]}
