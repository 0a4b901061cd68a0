"""The application: its routes, its middleware, and the pages of the console."""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from fastapi import APIRouter, FastAPI
from fastapi.responses import HTMLResponse
from starlette.routing import BaseRoute
from starlette.staticfiles import StaticFiles

from tabletools.api import (
    cash_routes,
    deal_routes,
    desk_close_routes,
    desk_routes,
    health_routes,
    live_routes,
    login_routes,
    machine_routes,
    offer_routes,
    people_routes,
    play_routes,
    problems,
    rule_routes,
    ruling_routes,
    sign_on_routes,
    statement_routes,
    takings_routes,
    terminal_routes,
    tray_routes,
    wallet_routes,
)
from tabletools.api.answers import Problem
from tabletools.api.app_state import SAFE, AppState
from tabletools.api.asgi import App
from tabletools.api.express import BetFastPath
from tabletools.api.security import SecurityMiddleware

CONSOLE = Path(__file__).resolve().parents[1] / "console_web"
VERSION = "1.0.0"
_ABOUT = """\
Tables, rounds, players, bets and who decides about them.

Times are RFC 3339, money is whole cents. A failure is application/problem+json with `code`, a word
that never changes. Users log in for a cookie and send X-CSRF-Token and Origin with all but GET;
terminals send `Authorization: Bearer TOKEN`. Whatever books money takes an Idempotency-Key. 503
means that nothing was booked.
"""
_PROOFS = {
    "login": {
        "type": "apiKey",
        "in": "cookie",
        "name": "tablewire",
        "description": "Set by POST /v1/login; __Host-tablewire over https.",
    },
    "page": {
        "type": "apiKey",
        "in": "header",
        "name": "X-CSRF-Token",
        "description": "csrf_token of GET /v1/me, with every method but GET.",
    },
    "origin": {
        "type": "apiKey",
        "in": "header",
        "name": "Origin",
        "description": "The host's own address, as a browser sends it.",
    },
    "terminal": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token of POST /v1/seat.",
    },
}
_OPEN = ("open_seat", "sign_on", "begin_sign_on", "end_sign_on")
"""Operations that need no proof, as they lead to one."""
_PAGE = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Tablewire</title></head>
<body><h1>Tablewire pit host</h1>
<p>The API is described in <a href="/v1/openapi.json">/v1/openapi.json</a>.</p></body></html>
"""


_MODULES = (
    login_routes,
    people_routes,
    sign_on_routes,
    play_routes,
    rule_routes,
    ruling_routes,
    deal_routes,
    desk_routes,
    terminal_routes,
    cash_routes,
    statement_routes,
    desk_close_routes,
    wallet_routes,
    takings_routes,
    machine_routes,
    tray_routes,
    offer_routes,
    live_routes,
    health_routes,
)


def routes(state: AppState | None = None) -> FastAPI:
    """The routes alone, as described in docs/openapi.json."""
    app = FastAPI(
        title="Tablewire pit host",
        version=VERSION,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
        separate_input_output_schemas=False,
    )
    app.state.host = state
    app.router.routes.extend(_routes())
    problems.install(app, lambda path: problems.methods_of(_MODULES, path))
    plain = app.openapi
    app.openapi = lambda: _complete(plain())  # type: ignore[method-assign]
    return app


@cache
def _routes() -> list[BaseRoute]:
    """Return the routes of all modules, made once: FastAPI takes half a second for them."""
    router = APIRouter(
        generate_unique_id_function=lambda route: route.name,
        responses={"default": {"model": Problem, "description": "Refused, with the reason."}},
    )
    for module in _MODULES:
        router.include_router(module.router)
    return router.routes


def _complete(document: dict[str, Any]) -> dict[str, Any]:
    """Add what FastAPI cannot know: how a problem is sent, and which proof a route needs."""
    document["components"]["securitySchemes"] = _PROOFS
    for path in document["paths"].values():
        for method, operation in path.items():
            no = operation["responses"]["default"]["content"]
            if "application/json" in no:
                no[problems.MEDIA] = no.pop("application/json")
            operation["security"] = _proof(method, msgspec.convert(operation, _Operation))
    return document


class _Operation(msgspec.Struct, rename="camel"):
    tags: list[str]
    operation_id: str


def _proof(method: str, operation: _Operation) -> list[dict[str, list[str]]]:
    if operation.tags == ["health"] or operation.operation_id in _OPEN:
        return []
    if operation.operation_id == "login":
        return [{"origin": []}]
    if operation.tags == ["bets"]:
        return [{"terminal": []}]
    if method.upper() in SAFE:
        return [{"login": []}]
    return [{"login": [], "page": [], "origin": []}]


def build(state: AppState, console: Path = CONSOLE) -> App:
    """The application of a host."""
    app = routes(state)
    if (console / "index.html").is_file():
        app.mount("/", StaticFiles(directory=console, html=True), name="console")
    else:
        app.add_api_route("/", _front, include_in_schema=False, response_class=HTMLResponse)
    return SecurityMiddleware(BetFastPath(app, state), state)


def _front() -> str:
    return _PAGE


def document() -> dict[str, Any]:
    """The description of the API, OpenAPI 3.1."""
    return routes().openapi()
