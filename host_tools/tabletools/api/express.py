"""The shorter way of requests that place bets: one route, known at once, and no dependencies.

It takes only what it can answer with certainty to be what the routes would say: a POST of JSON
that its shape reads, with one key, from a terminal whose session was looked up before. Anything
else, and every mistake, goes the way of all requests. Whether the session is still open and the
bet may be placed is decided in the transaction that places it, on both ways.
"""

from typing import Any, NamedTuple

from pydantic import ValidationError
from starlette.responses import JSONResponse

from tabletools.api import problems
from tabletools.api.app_state import MOST_OF_KEY, AppState, token_of
from tabletools.api.auth import Player
from tabletools.api.security import body_again
from tabletools.api.shapes import Shape
from tabletools.api.terminal_routes import PLACING, Placing, placed

_NEEDED = (b"authorization", b"content-type", b"idempotency-key")


class _Route(NamedTuple):
    """What the log of requests reads of a route."""

    path: str


class _Asked(NamedTuple):
    """A request that is understood."""

    player: Player
    given: Shape
    key: str


class Express:
    """Answers what places bets, and passes everything else on."""

    def __init__(self, app: Any, house: AppState) -> None:
        self._app = app
        self._house = house

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or pass it on with the body that was read."""
        kind = None
        if scope["type"] == "http" and scope["method"] == "POST":
            kind = PLACING.get(scope["path"])
        if kind is None or scope["query_string"]:
            await self._app(scope, receive, send)
            return
        message = await receive()  # the guard has read the whole body
        asked = self._read(kind, scope["headers"], message["body"])
        if asked is None:
            await self._app(scope, body_again(message["body"], receive), send)
            return
        scope["route"] = _Route(scope["path"])
        await (await self._answer(kind, asked))(scope, receive, send)

    async def _answer(self, kind: Placing, asked: _Asked) -> JSONResponse:
        try:
            found = await placed(self._house, asked.player, kind, asked.given, asked.key)
        except problems.KNOWN as error:
            return problems.of(error)
        except Exception as error:
            self._house.log("defect", {"why": f"{type(error).__name__}: {error}"})
            return problems.defect()
        return JSONResponse(found, kind.status)

    def _read(
        self, kind: Placing, headers: list[tuple[bytes, bytes]], body: bytes
    ) -> _Asked | None:
        """Return what is asked for, None where the routes have to say what it is."""
        found = {name: value for name, value in headers if name in _NEEDED}
        count = sum(name in _NEEDED for name, _ in headers)
        if len(found) != len(_NEEDED) or count != len(_NEEDED):
            return None
        if found[b"content-type"] != b"application/json":
            return None
        key = found[b"idempotency-key"].decode("latin-1")
        if not 1 <= len(key) <= MOST_OF_KEY:
            return None
        token = token_of(found[b"authorization"].decode("latin-1"))
        player = self._house.auth.known_player(token) if token else None
        if player is None:
            return None
        try:
            return _Asked(player, kind.shape.model_validate_json(body), key)
        except ValidationError:
            return None
