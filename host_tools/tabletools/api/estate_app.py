"""The web page of a centre and its figures as JSON: read only.

Without users it is for this machine only, and every user of the machine can read it. With them its
logins are those of a pit host: the same users, sessions, limits, sign-on and headers.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from tabletools.api import login_routes, problems, sign_on_routes
from tabletools.api.app import CONSOLE
from tabletools.api.app_state import SignedIn, cookie_of
from tabletools.api.asgi import App
from tabletools.api.auth import Auth, AuthError
from tabletools.api.numbers import Requests
from tabletools.api.passwords import Passwords
from tabletools.api.problems import problem
from tabletools.api.protocol import Protocol
from tabletools.api.roles import BOOKS
from tabletools.api.security import HEADERS, LOOPBACK, SecurityMiddleware
from tabletools.api.single_sign_on import SingleSignOn
from tabletools.estate.figures import BY, FIGURES, Wanted
from tabletools.estate.model import Centre
from tabletools.pit.settings import Settings
from tabletools.store import Store, StoreError, user_names

PAGE = Path(__file__).resolve().parents[1] / "estate_web"
_LIMITS = {"hours": (1, 8784), "open_s": (0, 10**9)}
"""Least and most of the numbers in a query: a year, and 31 years."""


def wanted_of(query: Mapping[str, str], now_ns: int) -> Wanted:
    """Return what a query asks for. Raises ValueError."""
    values: dict[str, Any] = {}
    for name, text in query.items():
        if name == "by" and text in BY:
            values[name] = text
        elif name in _LIMITS and text.isascii() and text.isdecimal() and len(text) < 12:
            least, most = _LIMITS[name]
            if not least <= int(text) <= most:
                raise ValueError(f"{name} is {least} to {most}")
            values[name] = int(text)
        else:
            raise ValueError(f"{name[:40]}={text[:40]} is not understood")
    return Wanted(now_ns, **values)


@dataclass
class CentreState:
    """The users of a running centre. ledger: in which they are."""

    ledger: Store
    settings: Settings
    log: Callable[[str, dict[str, Any]], None]
    sees: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The sites of users, by name, who see no other site."""
    requests: Requests = field(default_factory=Requests)
    auth: Auth = field(init=False)
    sign_on: SingleSignOn = field(init=False)

    def __post_init__(self) -> None:
        self.auth = Auth(self.ledger, self.settings, Passwords())
        self.sign_on = SingleSignOn(self.ledger, self.settings, self.auth)

    def sites_of(self, name: str) -> tuple[str, ...] | None:
        """Return the sites that a user sees, None: all.

        A name that looks the same restricts as well: no two users have such names, so it was
        written with another letter.
        """
        looks = user_names.looks(name)
        return next(
            (each for one, each in self.sees.items() if looks & user_names.looks(one)), None
        )

    @property
    def cookie(self) -> str:
        """Name of the login cookie, of its own beside a pit host of the same machine."""
        return f"{cookie_of(self.settings)}-estate"


def build(centre: Centre, down: Callable[[], str], users: CentreState | None = None) -> App:
    """The application of a centre. down: why it reads no events, "" where it does."""
    if users is not None:
        return SecurityMiddleware(_with_users(centre, down, users), users)

    def figure(request: Request) -> Response:
        return _figure(centre, request.path_params["name"], request.query_params, None)

    routes: list[BaseRoute] = [
        Route("/v1/estate/{name}", figure),
        Route("/v1/me", _no_users),
        Route("/v1/ready", lambda _request: _ready(down)),
        *_pages(),
    ]
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=[*LOOPBACK, "[::1]"])
    return Starlette(routes=routes, middleware=[hosts, Middleware(_Headers)])


def _with_users(centre: Centre, down: Callable[[], str], users: CentreState) -> FastAPI:
    """The application of a centre that shows its figures to its users."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.host = users

    def figure(name: str, request: Request, who: SignedIn) -> Response:
        if who.must_change:
            step = "POST /v1/me/password first"
            raise AuthError(403, "password_once", "the password has to be changed first", step)
        if who.role not in BOOKS:
            what = f"a {who.role} may not see the estate"
            raise AuthError(403, "not_allowed", what, f"ask one of: {', '.join(sorted(BOOKS))}")
        return _figure(centre, name, request.query_params, users.sites_of(who.name))

    app.add_api_route("/v1/estate/{name}", figure, response_model=None)
    app.add_api_route("/v1/ready", lambda: _ready(down), response_model=None)
    modules = (login_routes, sign_on_routes)
    for module in modules:
        app.include_router(module.router)
    problems.install(app, lambda path: problems.methods_of(modules, path))
    app.router.routes.extend(_pages())
    return app


def _figure(
    centre: Centre, name: str, query: Mapping[str, str], sites: tuple[str, ...] | None
) -> Response:
    """The answer to a request for a figure. sites: of which the user sees it, None: all."""
    if name not in FIGURES:
        step = f"ask for one of: {', '.join(FIGURES)}"
        return problem(404, "not_found", f"there is no figure {name[:40]!r}", step)
    try:
        wanted = wanted_of(query, time.time_ns())._replace(sites=sites)
    except ValueError as error:
        step = f"by is one of {', '.join(BY)}; hours and open_s are whole numbers"
        return problem(422, "not_understood", str(error), step)
    try:
        with centre.read() as db:
            return JSONResponse({"figure": name, "rows": FIGURES[name](db, wanted)})
    except StoreError as error:
        return problem(503, "database", str(error), "try again; look at the log")


def _ready(down: Callable[[], str]) -> Response:
    why = down()
    return JSONResponse({"ready": not why, "why": why}, status_code=503 if why else 200)


def _no_users(_request: Request) -> Response:
    return JSONResponse({"user": None})


def _pages() -> list[BaseRoute]:
    return [
        Mount("/console", StaticFiles(directory=CONSOLE)),
        Mount("/", StaticFiles(directory=PAGE, html=True)),
    ]


class _Headers:
    """Adds the headers of the console to every answer."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS | {"cache-control": "no-store"})
            await send(message)

        await self._app(scope, receive, sent)


def server_of(
    centre: Centre, down: Callable[[], str], users: CentreState | None = None
) -> uvicorn.Server:
    """Return a server of a centre, not yet running."""
    settings = Settings() if users is None else users.settings
    config = uvicorn.Config(
        build(centre, down, users),
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=5,
        http=Protocol,
        h11_max_incomplete_event_size=32 * 1024,
        ssl_certfile=settings.tls_certificate or None,
        ssl_keyfile=settings.tls_key or None,
    )
    return uvicorn.Server(config)
