"""Types of ASGI, and the start of a request as it states one."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, NamedTuple

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class RequestHead(NamedTuple):
    """The start of an HTTP request. headers: names in lower case; peer: the address."""

    method: str
    path: str
    query: bytes
    headers: list[tuple[bytes, bytes]]
    peer: str


def head_of(scope: Scope) -> RequestHead | None:
    """Return the start of a request, None of anything else, such as the program's own start."""
    if scope["type"] != "http":
        return None
    peer = (scope.get("client") or ("",))[0]
    return RequestHead(
        scope["method"], scope["path"], scope["query_string"], scope["headers"], peer
    )


def body_again(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that repeats the body that was read, then the rest."""
    left = [body]

    async def again() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return again
