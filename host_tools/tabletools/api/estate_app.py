"""The web page of a centre and its figures as JSON: read only, for this machine only.

It knows no users: every user of the machine can read them.
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from tabletools.api.app import CONSOLE
from tabletools.api.problems import problem
from tabletools.api.security import HEADERS, LOOPBACK
from tabletools.estate.figures import BY, FIGURES, Wanted
from tabletools.estate.model import Centre
from tabletools.store import StoreError

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


def build(centre: Centre, down: Callable[[], str]) -> Starlette:
    """The application of a centre. down: why it reads no events, "" where it does."""

    def figure(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in FIGURES:
            step = f"ask for one of: {', '.join(FIGURES)}"
            return problem(404, "not_found", f"there is no figure {name[:40]!r}", step)
        try:
            wanted = wanted_of(request.query_params, time.time_ns())
        except ValueError as error:
            step = f"by is one of {', '.join(BY)}; hours and open_s are whole numbers"
            return problem(422, "not_understood", str(error), step)
        try:
            with centre.read() as db:
                return JSONResponse({"figure": name, "rows": FIGURES[name](db, wanted)})
        except StoreError as error:
            return problem(503, "database", str(error), "try again; look at the log")

    def ready(_request: Request) -> Response:
        why = down()
        return JSONResponse({"ready": not why, "why": why}, status_code=503 if why else 200)

    routes: list[BaseRoute] = [
        Route("/v1/estate/{name}", figure),
        Route("/v1/ready", ready),
        Mount("/console", StaticFiles(directory=CONSOLE)),
        Mount("/", StaticFiles(directory=PAGE, html=True)),
    ]
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=[*LOOPBACK, "[::1]"])
    return Starlette(routes=routes, middleware=[hosts, Middleware(_Headers)])


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


def server_of(centre: Centre, down: Callable[[], str]) -> uvicorn.Server:
    """Return a server of a centre, not yet running."""
    config = uvicorn.Config(
        build(centre, down),
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=5,
    )
    return uvicorn.Server(config)
