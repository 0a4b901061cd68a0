"""What every route receives: the host, the user or player of the request, the permission."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, Protocol

from fastapi import Depends, Header, Path, Request

from tabletools.api.auth import Auth, AuthError, Decision, Person, SignOns, csrf_of
from tabletools.api.decision_proofs import Decider, Place
from tabletools.api.numbers import Requests
from tabletools.api.passwords import is_once
from tabletools.api.roles import PERMISSIONS, SIGNED, may
from tabletools.api.seats import Player, Seats
from tabletools.api.shapes import Login, SignOnSecond
from tabletools.api.single_sign_on import SingleSignOn
from tabletools.api.throttle import source_of
from tabletools.cms import SinkStatus
from tabletools.pit.pit import Pit
from tabletools.pit.settings import Settings
from tabletools.reports.reading import Reader
from tabletools.store import Actor, Store

MOST_NUMBER = 2**63 - 1
"""Above every row number of a database."""
RowNumber = Annotated[int, Path(ge=0, le=MOST_NUMBER)]
SAFE = ("GET", "HEAD", "OPTIONS")


class LoginState(Protocol):
    """What logs users in and answers their requests: of a pit host, or of a centre."""

    @property
    def ledger(self) -> Store:
        """Where the users are."""

    @property
    def settings(self) -> Settings:
        """How it is reached, and for how long a login is good."""

    @property
    def auth(self) -> Auth:
        """Logins and sessions."""

    @property
    def sign_on(self) -> SingleSignOn:
        """Logins by an identity provider."""

    @property
    def requests(self) -> Requests:
        """Numbers of requests."""

    @property
    def cookie(self) -> str:
        """Name of the login cookie."""

    def log(self, event: str, facts: dict[str, Any], /) -> None:
        """Write one line."""


def cookie_of(settings: Settings) -> str:
    """Return the name of the login cookie."""
    return "__Host-tablewire" if settings.is_secure else "tablewire"


@dataclass
class AppState:
    """One running host.

    ending: set when the host stops, so that streams end. log: called with (event, facts). sinks:
    state of the sinks it feeds; raises StoreError. down_sinks: names of those that are down.
    """

    pit: Pit
    auth: Auth
    log: Callable[[str, dict[str, Any]], None] = lambda event, facts: None
    ending: threading.Event = field(default_factory=threading.Event)
    requests: Requests = field(default_factory=Requests)
    streams: Counter[int] = field(default_factory=Counter)
    """Live streams open, by login."""
    probes: Executor = field(default_factory=lambda: ThreadPoolExecutor(1, "probe"))
    """The thread that answers whether the host is ready, apart from those of the other routes."""
    sinks: Callable[[], list[SinkStatus]] = list
    down_sinks: Callable[[], list[str]] = list
    seats: Seats = field(init=False)
    """Players at terminals."""
    sign_on: SingleSignOn = field(init=False)
    """Logins by an identity provider."""
    reports: Reader = field(init=False)
    """For what looks back."""

    def __post_init__(self) -> None:
        self.seats = Seats(self.ledger, self.settings, self.auth)
        self.sign_on = SingleSignOn(self.ledger, self.settings, self.auth)
        self.reports = Reader(self.ledger)

    @property
    def ledger(self) -> Store:
        """The ledger of the host."""
        return self.pit.ledger

    @property
    def settings(self) -> Settings:
        """The settings of the host."""
        return self.pit.settings

    @property
    def cookie(self) -> str:
        """Name of the login cookie."""
        return cookie_of(self.settings)


async def state_of(request: Request) -> AppState:  # async: no thread for so little
    """The host of a request."""
    state: AppState = request.app.state.host
    return state


InApp = Annotated[AppState, Depends(state_of)]


async def sign_ons_of(
    request: Request,
    first: Annotated[str, Header(alias="Sign-On-First", include_in_schema=False)] = "",
    second: Annotated[str, Header(alias="Sign-On-Second", include_in_schema=False)] = "",
    key: Annotated[str, Header(alias="Idempotency-Key", include_in_schema=False)] = "",
) -> SignOns | None:
    """The sign-ons for the decision that a request is, None without any."""
    if not first and not second:
        return None
    try:
        body = json.loads(await request.body() or b"null")
    except (ValueError, RecursionError):
        body = None  # the route refuses it
    decision = Decision(request.method, request.url.path, key, body)
    return SignOns(decision, first, second)


def signed_in(
    request: Request, app: InApp, sign_ons: Annotated[SignOns | None, Depends(sign_ons_of)]
) -> Person:
    """The logged-in user; for a method that changes anything the page must be one of ours."""
    token = request.cookies.get(app.cookie)
    if not token:
        raise AuthError(401, "not_logged_in", "no user is logged in", "log in")
    person = app.auth.person(token)
    if request.method not in SAFE:
        verify_origin_given(request)
        if request.headers.get("x-csrf-token", "") != csrf_of(token):
            what = "the request has no X-CSRF-Token, or one that does not match the login"
            raise AuthError(403, "csrf", what, "send the token from GET /v1/me")
    return _with_sign_ons(app, person, sign_ons)


def _with_sign_ons(app: AppState, person: Person, sign_ons: SignOns | None) -> Person:
    """Return a user with the key that a sign-on for this request proves, if there is one."""
    if sign_ons is None:
        return person
    person = person._replace(sign_ons=sign_ons)
    if not sign_ons.first or person.has_password:
        return person
    proved = app.sign_on.use(sign_ons.first, sign_ons.decision, decider_of(person), "first")
    return person._replace(signer=proved.signer)


def decider_of(who: Person) -> Decider:
    """The login of a user, as sign-ons are bound to it."""
    return Decider(who.session, who.user, who.name)


def verify_origin_given(request: Request) -> None:
    """Raise AuthError without an Origin; whether it is ours was checked before."""
    if "origin" not in request.headers:
        what = "the request does not state which page it comes from"
        raise AuthError(
            403, "origin", what, "send the header Origin with the address of this host"
        )


SignedIn = Annotated[Person, Depends(signed_in)]


def two_of(app: AppState, who: Person, second: Login | SignOnSecond) -> list[Actor]:
    """The logged-in user, and the other one, who gives a password or signs on; each can sign.

    Raises AuthError, LedgerRejection.
    """
    if isinstance(second, SignOnSecond):
        if who.sign_ons is None or not who.sign_ons.second:
            what = "the second user has to sign on for this decision"
            raise sign_on_needed(what, "second")
        decision = who.sign_ons.decision
        other = app.sign_on.use(who.sign_ons.second, decision, decider_of(who), "second")
        return [who.actor, other]
    attempt = app.auth.checked(second.name, second.password, who.source)
    if is_once(attempt.password_hash):
        what = f"{second.name} still has a first-login password"
        raise AuthError(403, "password_once", what, "log in and choose another one first")
    return [who.actor, app.auth.with_key(attempt, second.password)]


def sign_on_needed(what: str, place: Place) -> AuthError:
    """The refusal of a decision for which a user of the provider has to sign on."""
    step = "POST /v1/sign-on/decisions, sign on, and send it again with the name of the sign-on"
    return AuthError(403, "sign_on_needed", what, step, place)


def address_of(request: Request, settings: Settings) -> str:
    """The source address of a request (see `source_of`); behind a proxy, the one it forwards."""
    forwarded = request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
    if settings.behind_proxy and forwarded:
        return source_of(forwarded)
    return source_of(request.client.host) if request.client else ""


class Permit:
    """Allows a request if the role of the logged-in user may take the action."""

    def __init__(self, action: str) -> None:
        self.action = action

    def __call__(self, who: SignedIn, app: InApp) -> Person:
        """Return the user. Raises AuthError."""
        if who.must_change:
            step = "POST /v1/me/password first"
            raise AuthError(403, "password_once", "the password has to be changed first", step)
        if not may(who.role, self.action):
            roles = ", ".join(sorted(PERMISSIONS[self.action]))
            what = f"a {who.role} may not do this ({self.action})"
            raise AuthError(403, "not_allowed", what, f"ask one of: {roles}")
        if self.action in SIGNED and not who.has_password and who.signer is None:
            if app.sign_on.decides:
                raise sign_on_needed(f"{self.action} takes a sign-on for this decision", "first")
            what = f"{self.action} is signed with a key of the user, which a password opens"
            step = "log in with a password; two supervisors give you one at Users"
            raise AuthError(403, "password_needed", what, step)
        return who


def action(name: str) -> dict[str, Any]:
    """The arguments that declare a route with that action."""
    more = {"parameters": [_sign_on_header("First"), _sign_on_header("Second")]}
    return {
        "dependencies": [Depends(Permit(name))],
        "openapi_extra": {
            "x-action": name,
            "x-roles": sorted(PERMISSIONS[name]),
            **(more if name in SIGNED else {}),
        },
    }


def _sign_on_header(place: str) -> dict[str, Any]:
    return {
        "name": f"Sign-On-{place}",
        "in": "header",
        "required": False,
        "description": f"The sign-on of the {place.lower()} user: see POST /v1/sign-on/decisions.",
        "schema": {"type": "string"},
    }


def token_of(authorization: str) -> str:
    """Return the token of a terminal, empty if the header has none."""
    kind, _, token = authorization.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def seated(request: Request, app: InApp) -> Player:
    """The player at the terminal of the request; whether the seat is open yet, a bet checks."""
    return _player(request, app, is_known_enough=request.method in ("POST", "PUT"))


def seated_now(request: Request, app: InApp) -> Player:
    """The player at the terminal of the request, whose seat is open."""
    return _player(request, app, is_known_enough=False)


def _player(request: Request, app: AppState, *, is_known_enough: bool) -> Player:
    token = token_of(request.headers.get("authorization", ""))
    if not token:
        what = "the request has no terminal token"
        raise AuthError(401, "no_session", what, "send Authorization: Bearer TOKEN")
    is_use = request.method not in SAFE
    return app.seats.player(token, is_known_enough=is_known_enough, is_use=is_use)


Seated = Annotated[Player, Depends(seated)]
SeatedNow = Annotated[Player, Depends(seated_now)]
MOST_OF_KEY = 64
Key = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=MOST_OF_KEY,
        description="Of this request alone: sent again it is answered the same.",
    ),
]


def as_json(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as sent: times as RFC 3339, at_ns as at, opened_ns as opened_at."""
    return dict(_json_fields(row))


def _json_fields(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if name.endswith("_ns"):
            yield ("at" if name == "at_ns" else f"{name[:-3]}_at"), as_time(value)
        elif isinstance(value, Mapping):
            yield name, as_json(value)
        elif isinstance(value, list):
            yield name, [as_json(each) if isinstance(each, Mapping) else each for each in value]
        else:
            yield name, value


def as_time(at_ns: int | None) -> str | None:
    """UTC in nanoseconds as RFC 3339 with microseconds."""
    if at_ns is None:
        return None
    whole = datetime.fromtimestamp(at_ns // 1_000_000_000, UTC)
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{at_ns % 1_000_000_000 // 1000:06d}Z"


async def in_thread(function: Callable[[], Any]) -> Any:
    """Run a function that waits for the ledger without blocking other requests."""
    return await asyncio.to_thread(function)
