"""Requests to an external wallet and its answers, as WALLET.md describes them. Pure.

An answer counts only if it repeats what was requested: anything else, however well formed, leaves
open what the wallet did.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from tabletools.money.wallet_transfers import Transfer

DEBIT, CREDIT, REVERSAL, STATEMENT, HEALTH = "debit", "credit", "reversal", "statement", "health"
"""Kinds of requests; also the last part of their addresses."""
DONE, REFUSED, UNKNOWN, UNSENT = "done", "refused", "unknown", "unsent"
"""What came of a request. Refused: the wallet moved nothing, and never will under its key.
Unknown: it may have. Unsent: it was never requested."""
INSUFFICIENT = "insufficient_funds"
MOST_BYTES = 16 * 1024
"""Longest answer about one movement."""
MOST_CENTS = 2**53 - 1
"""The largest whole number that every JSON reader reads exactly."""
_REPEATED = ("key", "kind", "account", "currency", "cents")
_MOST_TEXT = 200


class Answer(NamedTuple):
    """What came of a request. code: of a refusal. balance_cents: what the player has, if said."""

    outcome: str
    why: str = ""
    code: str = ""
    balance_cents: int | None = None


class Entry(NamedTuple):
    """A movement in the statement of a wallet. is_reversed: of a debit, its money is back."""

    key: str
    kind: str
    account: str
    currency: str
    cents: int
    is_reversed: bool


def request_of(kind: str, transfer: Transfer) -> dict[str, Any]:
    """Return the fields of a request to move money. kind: DEBIT, CREDIT or REVERSAL."""
    return {
        "kind": kind,
        "key": transfer.key,
        "account": transfer.player_number,
        "currency": transfer.currency,
        "cents": transfer.cents,
        "day": transfer.day,
        "table": transfer.table,
        "round": transfer.round,
    }


def body_of(request: Mapping[str, Any]) -> bytes:
    """Return a request as it is sent."""
    return json.dumps(request, separators=(",", ":")).encode()


def answer_of(body: bytes, request: Mapping[str, Any]) -> Answer:
    """Return what an answer to a request to move money says; UNKNOWN where it says nothing."""
    try:
        fields = fields_of(body, MOST_BYTES)
    except ValueError as error:
        return Answer(UNKNOWN, str(error))
    for name in _REPEATED:
        if type(fields.get(name)) is not type(request[name]) or fields[name] != request[name]:
            return Answer(UNKNOWN, f"the answer has another {name} than the request")
    status, balance = fields.get("status"), fields.get("balance_cents")
    if type(balance) is not int or not 0 <= balance <= MOST_CENTS:
        balance = None
    if status == DONE:
        return Answer(DONE, balance_cents=balance)
    code = fields.get("code")
    if status == REFUSED and isinstance(code, str) and code:
        return Answer(REFUSED, f"refused: {_plain(code)}", code, balance)
    return Answer(UNKNOWN, "the answer has no known status")


def statement_of(body: bytes, day: str, most: int) -> tuple[list[Entry], str | None]:
    """Return the entries of a page of a statement, and what the next page comes after, if any.

    Raises ValueError.
    """
    fields = fields_of(body, most)
    entries, following = fields.get("entries"), fields.get("next")
    if fields.get("kind") != STATEMENT or fields.get("day") != day:
        raise ValueError("the answer is not the statement of this day")
    if not isinstance(entries, list) or not (following is None or isinstance(following, str)):
        raise ValueError("the statement has no list of entries")
    return [_entry(each) for each in entries], following


def fields_of(body: bytes, most: int) -> dict[str, Any]:
    """Return the fields of a JSON object. Raises ValueError."""
    if len(body) > most:
        raise ValueError(f"the answer is longer than {most} bytes")
    try:
        fields = json.loads(body.decode(), object_pairs_hook=_once, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("the answer is nested too deeply") from error
    if not isinstance(fields, dict):
        raise ValueError("the answer is not a JSON object")
    return fields


def _entry(fields: Any) -> Entry:
    if not isinstance(fields, dict):
        raise ValueError("an entry of the statement is not an object")
    words = [fields.get(name) for name in ("key", "kind", "account", "currency")]
    cents, is_reversed = fields.get("cents"), fields.get("reversed")
    if not all(isinstance(word, str) and len(word) <= _MOST_TEXT for word in words):
        raise ValueError("an entry lacks key, kind, account or currency")
    if type(cents) is not int or not 0 < cents <= MOST_CENTS:
        raise ValueError(f"the amount of entry {words[0]!r} is no whole number of cents above 0")
    if not isinstance(is_reversed, bool):
        raise ValueError(f"entry {words[0]!r} does not say whether it was reversed")
    key, kind, account, currency = (_plain(str(word)) for word in words)
    return Entry(key, kind, account, currency, cents, is_reversed)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("the answer names a field twice")
    return fields


def _refuse(constant: str) -> None:
    raise ValueError(f"the answer has {constant}, which is no JSON")


def _plain(text: str) -> str:
    """Return a text of another system as one line that may be shown."""
    return "".join(each if each.isprintable() else "?" for each in text[:_MOST_TEXT])
