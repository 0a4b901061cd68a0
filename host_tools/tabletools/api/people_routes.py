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
    shown,
    two_of,
    verify_origin_given,
)
from tabletools.api.auth import Person, csrf_of
from tabletools.api.passwords import made_up
from tabletools.api.roles import PERMISSIONS, may
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
        "actions": sorted(name for name in PERMISSIONS if may(who.role, name)),
    }


@router.post("/login", **responds(answers.Me))
async def login(given: Login, at: InApp, request: Request, response: Response) -> Row:
    """Log in: sets the session cookie and returns the token for X-CSRF-Token."""
    verify_origin_given(request)
    address = address_of(request, at.settings)
    try:
        token, who = await run_in_threadpool(at.auth.login, given.name, given.password, address)
    except TableUnavailable:
        await asyncio.sleep(BUSY_S)
        raise
    response.set_cookie(
        at.cookie, token, max_age=at.settings.session_hours * 3600, path="/", httponly=True,
        samesite="strict", secure=at.settings.is_secure,
    )  # fmt: skip
    return _me(who, token)


@router.post("/logout", status_code=204)
def logout(who: SignedIn, at: InApp, response: Response) -> None:
    """Log out."""
    at.auth.logout(who)
    response.delete_cookie(at.cookie, path="/")


@router.get("/me", **responds(answers.Me))
def me(who: SignedIn, at: InApp, request: Request) -> Row:
    """The logged-in user and the allowed actions."""
    return _me(who, request.cookies[at.cookie])


@router.post("/me/password", status_code=204)
def change_password(given: NewPassword, who: SignedIn, at: InApp) -> None:
    """Change the password; the other logins of the user end."""
    # Checked only where needed: a password of another user cannot be tried here.
    second = _second(at, who, given.second) if who.needs_second else None
    at.auth.change_password(who, given.old, given.new, second)


@router.get("/users", **action("users.see"), **responds(answers.Users))
def users(at: InApp) -> Row:
    """Every user."""
    with at.ledger.read() as db:
        rows = people_queries.user_rows(db)
    locks = at.auth.throttle.locked_until_ns
    return {"users": [shown(row | {"locked_until_ns": locks(row["name"])}) for row in rows]}


@router.post("/users", **action("users.change"), **responds(answers.MadeUser, 201))
def new_user(given: NewUser, who: SignedIn, at: InApp) -> Row:
    """Add a user; returns the password for the first login, once."""
    second = _second(at, who, given.second)
    password = made_up()
    kept = _first(at, password, given.name, who, second)
    number = people.create_user(at.ledger, given.name, given.role, kept, who.actor, second)
    return {"user": number, "name": given.name, "role": given.role, "password": password}


@router.patch("/users/{user}", **action("users.change"), **responds(answers.ChangedUser))
def change_user(user: RowNumber, given: UserChange, who: SignedIn, at: InApp) -> Row:
    """Change role, enable or disable, reset the password; the logins of the user end."""
    with at.ledger.read() as db:
        rows = people_queries.user_rows(db)
    row = next((each for each in rows if each["id"] == user), None)
    if row is None:
        raise LedgerRejection("no_such_user", f"there is no user {user}", "list the users", "user")
    second = _second(at, who, given.second)
    changes: Row = {}
    if given.role is not None:
        changes["role"] = _known_role(given.role)
    if given.enabled is not None:
        changes["enabled"] = int(given.enabled)
    password = made_up() if given.reset_password else None
    if password is not None:
        changes["password_hash"] = _first(at, password, row["name"], who, second)
    if not changes:
        raise LedgerRejection("nothing_to_change", "no change is named", "name one", "role")
    people.change_user(at.ledger, user, who.actor, second, **changes)
    if password is not None:
        at.auth.throttle.clear(row["name"])
    return {"user": user} | ({"password": password} if password else {})


def _second(at: AppState, who: Person, given: Login | None) -> Actor | None:
    """Return the other supervisor who agrees, if one is named. Raises AuthError."""
    return None if given is None else Actor(given.name, two_of(at, who, given)[1])


def _first(at: AppState, password: str, name: str, who: Person, second: Actor | None) -> str:
    """Return the hash of a password for the first login, which the user who asks for it reads."""
    asked_by = None if second is None else who.user
    return at.auth.passwords.hashed(password, name, once=True, asked_by=asked_by)


def _known_role(role: str) -> str:
    if role not in ROLES:
        step = f"use {' '.join(ROLES)}"
        raise LedgerRejection("unknown_role", f"role {role!r} is not known", step, "role")
    return role


@router.get("/audit", **action("audit.see"), **responds(answers.AuditLog))
def audit_log(
    at: InApp,
    before: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    action: Annotated[str, Query(max_length=40, pattern=NO_NUL)] = "",
    most: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Row:
    """The audit log, newest first. before: seq of the last row of the page before."""
    with at.ledger.read() as db:
        rows = people_queries.audit_rows(db, before=before, action=action, most=most)
    return {"rows": [shown(row) for row in rows]}
