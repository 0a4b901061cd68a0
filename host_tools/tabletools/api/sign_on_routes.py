"""Single sign-on in the browser: away to the identity provider and back."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from tabletools.api import answers_people as answers
from tabletools.api.answers import responds
from tabletools.api.app_state import AppState, InApp, address_of
from tabletools.api.auth import AuthError
from tabletools.api.people_routes import keep_login
from tabletools.api.single_sign_on import LOGIN_S
from tabletools.store import LedgerRejection

router = APIRouter(prefix="/v1/sign-on", tags=["people"])
_AWAY: dict[int | str, dict[str, Any]] = {303: {"description": "To another page."}}


@router.get("", **responds(answers.SignOn))
def sign_on(app: InApp) -> dict[str, bool]:
    """Whether users can log in by an identity provider."""
    return {"is_on": app.sign_on.is_on}


@router.get("/begin", status_code=303, response_class=Response, responses=_AWAY)
def begin_sign_on(app: InApp) -> Response:
    """Send the browser to the identity provider to log in."""
    if not app.sign_on.is_on:
        return _refused(app, "sign_on_off", "this host has no identity provider")
    try:
        begun = app.sign_on.begin()
    except AuthError as error:
        return _refused(app, error.code, error.what)
    away = RedirectResponse(begun.address, 303)
    # It comes back from another site, to which a strict cookie would not be sent.
    away.set_cookie(
        _cookie(app),
        begun.cookie,
        max_age=LOGIN_S,
        path="/",
        httponly=True,
        samesite="lax",
        secure=app.settings.is_secure,
    )
    return away


@router.get("/answer", status_code=303, response_class=Response, responses=_AWAY)
def end_sign_on(request: Request, app: InApp) -> Response:
    """Complete a login with the answer of the identity provider, and go to the console."""
    try:
        cookie = request.cookies.get(_cookie(app), "")
        token, _ = app.sign_on.finish(cookie, request.query_params)
    except (AuthError, LedgerRejection) as error:
        app.auth.note_refused(error.code, address_of(request, app.settings))
        answer = _refused(app, error.code, error.what)
    else:
        answer = RedirectResponse("/", 303)
        keep_login(app, answer, token)
    answer.delete_cookie(_cookie(app), path="/")
    return answer


def _cookie(app: AppState) -> str:
    return f"{app.cookie}-sign-on"


def _refused(app: AppState, code: str, what: str) -> Response:
    """Go to the login page, which says why; the log has it in full."""
    app.log("sign_on_refused", {"code": code, "why": what})
    return RedirectResponse(f"/?refused={code}", 303)
