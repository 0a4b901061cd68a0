"""Fast path for requests that place bets: one route, resolved at once, without dependencies.

It handles only requests whose answer it knows to be the same as that of the routes: a POST of JSON
that fits its shape, with one key, from a terminal whose session was read before. Everything else,
and every error, goes through the normal routes. Whether the session is still open and the bet may
be placed is decided in the transaction that places it, on both paths.
"""

from typing import Any, NamedTuple

from pydantic import ValidationError
from starlette.responses import JSONResponse

from tabletools.api import problems
from tabletools.api.app_state import MOST_OF_KEY, AppState, token_of
from tabletools.api.asgi import body_again, head_of
from tabletools.api.seats import Player
from tabletools.api.shapes import Shape
from tabletools.api.terminal_routes import PLACING, Placing, placed

_NEEDED = (b"authorization", b"content-type", b"idempotency-key")


class _Route(NamedTuple):
    """The attributes of a route that the request log reads."""

    path: str


class _Placement(NamedTuple):
    """A request of the fast path."""

    player: Player
    slip: Shape
    key: str


class BetFastPath:
    """Answers requests that place bets, and passes all others on."""

    def __init__(self, app: Any, state: AppState) -> None:
        self._app = app
        self._state = state

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or pass it on with the body that was read."""
        head = head_of(scope)
        kind = PLACING.get(head.path) if head is not None and head.method == "POST" else None
        if head is None or kind is None or head.query:
            await self._app(scope, receive, send)
            return
        body: bytes = (await receive())["body"]  # the middleware has read the whole of it
        placement = self._read(kind, head.headers, body)
        if placement is None:
            await self._app(scope, body_again(body, receive), send)
            return
        scope["route"] = _Route(head.path)
        await (await self._answer(kind, placement))(scope, receive, send)

    async def _answer(self, kind: Placing, placement: _Placement) -> JSONResponse:
        try:
            answer = await placed(
                self._state, placement.player, kind, placement.slip, placement.key
            )
        except problems.KNOWN as error:
            return problems.answer_to(error)
        except Exception as error:
            self._state.log("defect", {"why": f"{type(error).__name__}: {error}"})
            return problems.defect()
        return JSONResponse(answer, kind.status)

    def _read(
        self, kind: Placing, headers: list[tuple[bytes, bytes]], body: bytes
    ) -> _Placement | None:
        """Return the request, None where the normal routes have to answer it."""
        needed = {name: value for name, value in headers if name in _NEEDED}
        count = sum(name in _NEEDED for name, _ in headers)
        if len(needed) != len(_NEEDED) or count != len(_NEEDED):
            return None
        if needed[b"content-type"] != b"application/json":
            return None
        key = needed[b"idempotency-key"].decode("latin-1")
        if not 1 <= len(key) <= MOST_OF_KEY:
            return None
        token = token_of(needed[b"authorization"].decode("latin-1"))
        player = self._state.seats.known_player(token) if token else None
        if player is None:
            return None
        try:
            return _Placement(player, kind.shape.model_validate_json(body), key)
        except ValidationError:
            return None
