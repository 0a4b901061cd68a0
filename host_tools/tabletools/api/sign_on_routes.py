"""Single sign-on in the browser: away to the identity provider and back."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import RedirectResponse

from tabletools.api import answers_people as answers
from tabletools.api.answers import responds
from tabletools.api.app_state import AppState, InApp, SignedIn, address_of, decider_of
from tabletools.api.auth import AuthError, Decision
from tabletools.api.login_routes import keep_login
from tabletools.api.shapes import SignOnDecision
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
        return _refuse(app, "sign_on_off", "this host has no identity provider")
    try:
        begun = app.sign_on.begin()
    except AuthError as error:
        return _refuse(app, error.code, error.what)
    away = RedirectResponse(begun.address, 303)
    _keep(app, away, begun.cookie)
    return away


@router.post("/decisions", **responds(answers.DecisionSignOn, 201))
def begin_decision(
    body: SignOnDecision, who: SignedIn, app: InApp, response: Response
) -> dict[str, str]:
    """Begin a sign-on for one decision; the user signs on at `address`, in this browser.

    The decision is then sent within two minutes with the name of the sign-on in the header
    `Sign-On-First` or `Sign-On-Second`. It is good once, for this request alone.
    """
    if not app.sign_on.decides:
        what = "no identity provider decides at this host"
        raise AuthError(403, "sign_on_off", what, "give a password, or set oidc_decides")
    decision = Decision(body.method, body.path, body.key, body.body)
    begun = app.sign_on.begin_decision(decision, decider_of(who), body.place)
    _keep(app, response, begun.cookie)
    return {"name": begun.decision, "address": begun.address}


@router.get("/decisions/{name}", **responds(answers.DecisionProgress))
def decision_progress(
    name: Annotated[str, Path(max_length=64)], who: SignedIn, app: InApp
) -> dict[str, str]:
    """How far a sign-on is that this login began."""
    state, detail = app.sign_on.progress(name, who.session)
    return {"state": state, "detail": detail}


@router.get("/answer", status_code=303, response_class=Response, responses=_AWAY)
def end_sign_on(request: Request, app: InApp) -> Response:
    """Complete a login or a sign-on with the answer of the identity provider; to the console."""
    try:
        cookie = request.cookies.get(_cookie(app), "")
        entered = app.sign_on.finish(cookie, request.query_params)
    except (AuthError, LedgerRejection) as error:
        app.auth.note_refused(error.code, address_of(request, app.settings))
        answer = _refuse(app, error.code, error.what)
    else:
        answer = RedirectResponse("/" if entered else "/?signed_on=yes", 303)
        if entered:
            keep_login(app, answer, entered[0])
    answer.delete_cookie(_cookie(app), path="/")
    return answer


def _keep(app: AppState, answer: Response, cookie: str) -> None:
    """Set the cookie of a sign-on. It comes back from another site: a strict one would not."""
    answer.set_cookie(
        _cookie(app),
        cookie,
        max_age=LOGIN_S,
        path="/",
        httponly=True,
        samesite="lax",
        secure=app.settings.is_secure,
    )


def _cookie(app: AppState) -> str:
    return f"{app.cookie}-sign-on"


def _refuse(app: AppState, code: str, what: str) -> Response:
    """Go to the login page, which says why; the log has it in full."""
    app.log("sign_on_refused", {"code": code, "why": what})
    return RedirectResponse(f"/?refused={code}", 303)
