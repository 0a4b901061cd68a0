"""Error answers: application/problem+json (RFC 9457) with code, what, limit, next step."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from tabletools.api.auth import AuthError
from tabletools.extras import lacking
from tabletools.pit.host_context import TableUnavailable
from tabletools.store import LedgerRejection, LostLease, StoreError

MEDIA = "application/problem+json"
# Codes of LedgerRejection that are not about the content of the request.
_STATUS = {
    **dict.fromkeys(
        (
            "no_such_player",
            "no_such_bet",
            "no_such_alarm",
            "no_such_table",
            "no_such_round",
            "no_such_user",
            "no_such_session",
            "no_such_payout",
            "no_such_movement",
            "no_such_transfer",
            "no_such_trace",
            "no_evidence",
            "not_stopped",
            "no_picture",
            "no_such_offer",
            "offers_off",
            "no_tray",
            "wallet_off",
        ),
        404,
    ),
    **dict.fromkeys(
        (
            "no_more_bets",
            "play_ended",
            "play_end_announced",
            "play_end_none",
            "no_shoe",
            "no_dice",
            "no_thrower",
            "thrower_unchanged",
            "no_walk",
            "host_camera",
            "configuration",
            "no_round",
            "other_round",
            "bet_stands",
            "bet_ruled",
            "key_reused",
            "player_elsewhere",
            "no_pin",
            "pin_changed",
            "session_closed",
            "table_taken",
            "name_taken",
            "table_held",
            "stakes_played_on",
            "last_supervisor",
            "not_enough_money",
            "wallet_refused",
            "wallet_late",
            "wallet_busy",
            "table_refused",
            "round_unended",
            "nothing_lies",
            "preview_needed",
            "preview_changed",
            "late_bet_open",
            "hands_settled",
            "generation_changed",
            "number_taken",
            "balance_changed",
            "payout_decided",
            "release_not_needed",
            "adjustment_limit",
            "statement_behind",
            *("offer_decided", "offer_withdrawn", "offer_replaced", "offer_expired"),
            *("offer_downgrade", "offer_unusable", "offers_unread"),
            *("tray_changed", "floor_unchanged", "tray_unreadable"),
        ),
        409,
    ),
    **dict.fromkeys(
        (
            "user_not_allowed",
            "pin_locked",
            "supervisor_needed",
            "two_users_needed",
            "release_needed",
            "second_supervisor_needed",
        ),
        403,
    ),
    **dict.fromkeys(("lease_lost", "wallet_silent"), 503),
}
MOST_BYTES = 64 * 1024
"""Longest body of a request, bytes."""
_HTTP = {
    400: ("body_unreadable", "the body cannot be read", "send JSON in UTF-8"),
    404: ("not_found", "there is nothing at this address", "see /v1/openapi.json"),
    405: ("method", "this address does not accept the method", "see /v1/openapi.json"),
    413: ("too_long", f"the body is longer than {MOST_BYTES} bytes", "send less at a time"),
}


PAGES = {"GET", "HEAD"}
"""Methods that every page of the console accepts."""


def problem(status: int, code: str, what: str, step: str = "", **more: Any) -> JSONResponse:
    """Return an error answer."""
    body = {
        "type": f"urn:tablewire:problem:{code}",
        "title": code.replace("_", " "),
        "status": status,
        "detail": what,
        "code": code,
        "step": step or None,
        **{name: value for name, value in more.items() if value},
    }
    headers = {"Cache-Control": "no-store"}
    if status == 503:
        headers["Retry-After"] = "1"
    return JSONResponse(body, status, headers, MEDIA)


def plain(status: int, detail: str = "") -> JSONResponse:
    """The answer to a request that no route accepts, by its status."""
    code, what, step = _HTTP.get(status, ("http", detail, ""))
    return problem(status, code, what, step)


def refused(rejection: LedgerRejection) -> JSONResponse:
    """The answer to a request that the ledger rejects."""
    return problem(
        _STATUS.get(rejection.code, 422),
        rejection.code,
        rejection.what,
        rejection.step,
        where=rejection.where,
    )


def answer_to(error: Exception) -> JSONResponse:
    """The answer to a request that failed. error: one of KNOWN."""
    if isinstance(error, AuthError):
        return problem(error.status, error.code, error.what, error.step, where=error.where)
    if isinstance(error, LostLease):
        return problem(503, "table_not_held", error.what, error.step)
    if isinstance(error, LedgerRejection):
        return refused(error)
    if isinstance(error, TableUnavailable):
        return problem(503, error.code, error.what, error.step)
    assert isinstance(error, StoreError)
    return problem(503, "ledger_failed", error.what, error.step, cause=error.cause)


def defect() -> JSONResponse:
    """The answer to an unexpected error."""
    what = "an internal error; it is unknown whether anything was booked"
    step = "send the same request again with the same key, and report it"
    return problem(500, "internal", what, step)


KNOWN: tuple[type[Exception], ...] = (
    AuthError,
    LostLease,
    LedgerRejection,
    TableUnavailable,
    StoreError,
)


class FieldProblem(NamedTuple):
    """A field of a request that is not valid. where: its path, such as body.stake_cents."""

    where: str
    what: str


def methods_of(modules: Iterable[Any], path: str) -> set[str]:
    """Return the methods that an address accepts, empty if there is nothing.

    modules: with routes, each with its router.
    """
    routes = [route for module in modules for route in module.router.routes]
    return {name for route in routes if route.path_regex.match(path) for name in route.methods}


def install(app: FastAPI, methods: Callable[[str], set[str]]) -> None:
    """Install these answers for every failure. methods: that a path of the API accepts."""
    for kind in KNOWN:
        app.add_exception_handler(kind, lambda _request, error: answer_to(error))

    @app.exception_handler(RequestValidationError)
    def _invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        problems = [
            FieldProblem(".".join(map(str, each["loc"])), each["msg"])
            for each in error.errors()[:20]
        ]
        what = f"{problems[0].where}: {problems[0].what}" if problems else "not valid"
        step = "see the schema in /v1/openapi.json"
        where = problems[0].where if problems else ""
        errors = [each._asdict() for each in problems]
        return problem(422, "field_invalid", what, step, where=where, errors=errors)

    @app.exception_handler(ModuleNotFoundError)
    def _lacking(_request: Request, error: ModuleNotFoundError) -> JSONResponse:
        message = lacking(error, "this page", ("audit",))
        if message is None:
            return defect()
        return problem(501, "extra_missing", message.what, message.step)

    @app.exception_handler(Exception)
    def _defect(_request: Request, _error: Exception) -> JSONResponse:
        return defect()

    @app.exception_handler(HTTPException)
    def _http(request: Request, error: HTTPException) -> JSONResponse:
        if error.status_code not in (404, 405):
            return plain(error.status_code, str(error.detail))
        # The pages of the console are below every address, so their answer is not that of a route.
        accepted = methods(request.scope["path"])
        if error.status_code == 405:
            accepted = accepted or PAGES
        if not accepted or request.method in accepted:
            return plain(404)
        answer = plain(405)
        answer.headers["Allow"] = ", ".join(sorted(accepted))
        return answer
