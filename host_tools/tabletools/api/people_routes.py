"""Logins, users, the audit log."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from tabletools.api import answers_people as answers
from tabletools.api.answers import responds
from tabletools.api.app_state import (
    MOST_NUMBER,
    AppState,
    InApp,
    RowNumber,
    SignedIn,
    action,
    address_of,
    as_json,
    two_of,
    verify_origin_given,
)
from tabletools.api.auth import Person, csrf_of
from tabletools.api.passwords import made_up
from tabletools.api.roles import PERMISSIONS, SIGNED, may
from tabletools.api.shapes import NO_NUL, Login, NewPassword, NewUser, UserChange
from tabletools.authority import ROLES
from tabletools.money import people_queries
from tabletools.pit.host_context import TableUnavailable
from tabletools.store import Actor, LedgerRejection, people

router = APIRouter(prefix="/v1", tags=["people"])
Row = dict[str, Any]
BUSY_S = 1.0
"""Before a login that got no place is refused, so that a flood of them costs little time."""


def _me(who: Person, token: str) -> Row:
    return {
        "user": who.user,
        "name": who.name,
        "role": who.role,
        "csrf_token": csrf_of(token),
        "must_change_password": who.must_change,
        "password_needs_second": who.needs_second,
        "has_password": who.has_password,
        "actions": sorted(
            name
            for name in PERMISSIONS
            if may(who.role, name) and (who.has_password or name not in SIGNED)
        ),
    }


@router.post("/login", **responds(answers.Me))
async def login(body: Login, app: InApp, request: Request, response: Response) -> Row:
    """Log in: sets the session cookie and returns the token for X-CSRF-Token."""
    verify_origin_given(request)
    address = address_of(request, app.settings)
    try:
        token, who = await run_in_threadpool(app.auth.login, body.name, body.password, address)
    except TableUnavailable:
        await asyncio.sleep(BUSY_S)
        raise
    keep_login(app, response, token)
    return _me(who, token)


def keep_login(app: AppState, response: Response, token: str) -> None:
    """Set the cookie of a login."""
    response.set_cookie(
        app.cookie,
        token,
        max_age=app.settings.session_hours * 3600,
        path="/",
        httponly=True,
        samesite="strict",
        secure=app.settings.is_secure,
    )


@router.post("/logout", status_code=204)
def logout(who: SignedIn, app: InApp, response: Response) -> None:
    """Log out."""
    app.auth.logout(who)
    response.delete_cookie(app.cookie, path="/")


@router.get("/me", **responds(answers.Me))
def me(who: SignedIn, app: InApp, request: Request) -> Row:
    """The logged-in user and the allowed actions."""
    return _me(who, request.cookies[app.cookie])


@router.post("/me/password", status_code=204)
def change_password(body: NewPassword, who: SignedIn, app: InApp, request: Request) -> None:
    """Change the password; the other logins of the user end."""
    # Checked only where needed: a password of another user cannot be tried here.
    second = _second(app, who, body.second) if who.needs_second else None
    app.auth.change_password(who, request.cookies[app.cookie], body.old, body.new, second)


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
    second = _second(app, who, body.second)
    password = made_up()
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
    second = _second(app, who, body.second)
    password = made_up() if body.reset_password else None
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


def _second(app: AppState, who: Person, body: Login | None) -> Actor | None:
    """Return the other supervisor who agrees, if one is named. Raises AuthError."""
    return None if body is None else two_of(app, who, body)[1]


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
