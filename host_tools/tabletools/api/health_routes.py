"""Whether the host runs and can book, its metrics, its description."""

import asyncio
import contextvars
import hmac
from typing import Any

from fastapi import APIRouter, Request, Response

from tabletools.api import answers
from tabletools.api.answers import responds
from tabletools.api.app_state import AppState, InApp, action
from tabletools.api.auth import AuthError
from tabletools.api.numbers import TEXT
from tabletools.api.security import is_loopback
from tabletools.cms import SinkStatus
from tabletools.money import people_queries
from tabletools.pit.host_context import TableUnavailable
from tabletools.store import StoreError
from tabletools.wallet import Standing

router = APIRouter(tags=["health"])


@router.get("/v1/health", **responds(answers.Health))
def health() -> dict[str, Any]:
    """Answers while the program runs."""
    return {"status": "alive"}


@router.get("/v1/ready", **responds(answers.Ready, 200, 503))
async def ready(app: InApp, response: Response) -> dict[str, Any]:
    """Whether the ledger can be read and written, every table of this host is served and the
    external wallet works, if players have one; else 503.

    A failing sink delays no bet: it is a warning. No login is needed, so the amount read does not
    grow with the ledger, and the answer waits for no other request.
    """
    here = contextvars.copy_context()  # with the requester, who may leave
    troubles = await asyncio.get_running_loop().run_in_executor(
        app.probes, here.run, _troubles, app
    )
    response.status_code = 503 if troubles else 200
    warnings = [f"sink {name} is down" for name in app.down_sinks()]
    status = "not ready" if troubles else "ready"
    return {"status": status, "troubles": troubles, "warnings": warnings}


def _troubles(app: AppState) -> list[str]:
    troubles = []
    try:
        with app.ledger.read() as db:
            people_queries.has_users(db)
        if failure := app.ledger.recent_failure():
            raise failure
    except StoreError as error:
        troubles.append(error.what)
    for seat in app.pit.seats.values():
        try:
            seat.host.attended()
        except TableUnavailable as error:
            troubles.append(error.what)
    if trouble := app.pit.context.wallet.trouble():
        troubles.append(trouble)
    if app.ending.is_set():
        troubles.append("the host is stopping")
    return troubles


@router.get("/v1/sinks", **action("sinks.see"), **responds(answers.SinkStandings))
def sinks(app: InApp) -> dict[str, Any]:
    """The state of the sinks of this host: what waits for each, and why."""
    return {"sinks": [one._asdict() for one in app.sinks()]}


def _sink_states(app: AppState) -> list[SinkStatus]:
    """The state of the sinks; empty while the ledger does not answer."""
    try:
        return app.sinks()
    except StoreError:
        return []


def _wallet_standing(app: AppState) -> Standing | None:
    """The state of the external wallet; None without one, and while the ledger does not answer."""
    try:
        return app.pit.context.wallet.standing()
    except StoreError:
        return None


@router.get("/metrics", include_in_schema=False)
def metrics(app: InApp, request: Request) -> Response:
    """For Prometheus: with the token, or without one from this machine only."""
    token = app.settings.metrics_token
    authorization = request.headers.get("authorization", "")
    peer = request.client.host if request.client else ""
    if token:
        is_allowed = hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode())
    else:
        is_allowed = is_loopback(peer) and not app.settings.behind_proxy
    if not is_allowed:
        what = "metrics are shown to this machine only, or with the token"
        raise AuthError(403, "not_allowed", what, "set metrics_token in the settings and send it")
    text = app.requests.text(
        app.pit, app.streams.total(), _sink_states(app), _wallet_standing(app)
    )
    return Response(text, media_type=TEXT)
