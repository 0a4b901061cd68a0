"""Logins: of users of a pit host, or of a centre."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from tabletools.api import answers_people as answers
from tabletools.api.answers import responds
from tabletools.api.app_state import (
    AppState,
    InApp,
    SignedIn,
    address_of,
    two_of,
    verify_origin_given,
)
from tabletools.api.auth import Person, csrf_of
from tabletools.api.roles import PERMISSIONS, SIGNED, may
from tabletools.api.shapes import Login, NewPassword, Second
from tabletools.pit.host_context import TableUnavailable
from tabletools.store import Actor

router = APIRouter(prefix="/v1", tags=["people"])
Row = dict[str, Any]
BUSY_S = 1.0
"""Before a login that got no place is refused, so that a flood of them costs little time."""


def _me(app: AppState, who: Person, token: str) -> Row:
    can_sign = who.has_password or app.sign_on.decides
    return {
        "user": who.user,
        "name": who.name,
        "role": who.role,
        "csrf_token": csrf_of(token),
        "must_change_password": who.must_change,
        "password_needs_second": who.needs_second,
        "has_password": who.has_password,
        "sign_on": app.sign_on.decides,
        "actions": sorted(
            name
            for name in PERMISSIONS
            if may(who.role, name) and (can_sign or name not in SIGNED)
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
    return _me(app, who, token)


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
    return _me(app, who, request.cookies[app.cookie])


@router.post("/me/password", status_code=204)
def change_password(body: NewPassword, who: SignedIn, app: InApp, request: Request) -> None:
    """Change the password; the other logins of the user end."""
    # Checked only where needed: a password of another user cannot be tried here.
    second = second_of(app, who, body.second) if who.needs_second else None
    app.auth.change_password(who, request.cookies[app.cookie], body.old, body.new, second)


def second_of(app: AppState, who: Person, body: Second | None) -> Actor | None:
    """Return the other supervisor who agrees, if one is named. Raises AuthError."""
    return None if body is None else two_of(app, who, body)[1]
