"""Strict reading of one line of JSON; refuses input that json.loads accepts.

Refused: other encodings than UTF-8, NaN and Infinity, a key given twice in an object, half a
surrogate pair, nesting beyond the stack.
"""

import json
import re
from collections.abc import Mapping
from typing import NoReturn

from tabletools.rules.codes.fields import FIELD_CODES, INVALID_TEXT
from tabletools.rules.violation import Code, RuleViolation, shown

MAX_LINE = 32 * 1024 * 1024
"""Longest line read, bytes: some 250,000 bets."""

EMPTY_LINE = Code(
    "empty_line",
    "The line is blank. Every line is answered, so that answers can be paired with lines.",
    "send one round on each line",
)
LINE_TOO_LONG = Code(
    "line_too_long",
    "The line is longer than 32 MiB.",
    "split the round's bets over several lines",
)
NOT_UTF8 = Code("not_utf8", "The line is not UTF-8.", "send UTF-8 without a byte order mark")
NOT_JSON = Code(
    "not_json",
    "The line is not one JSON value (NaN and Infinity are invalid).",
    "send one JSON object on each line",
)
TOO_DEEP = Code(
    "too_deep",
    "Lists or objects are nested deeper than this reader goes.",
    "send the round as the schema has it",
)
DUPLICATE_KEY = Code(
    "duplicate_key",
    "An object names a key twice, so its meaning is open.",
    "name each key once",
)
JSON_CODES: tuple[Code, ...] = (
    EMPTY_LINE,
    LINE_TOO_LONG,
    NOT_UTF8,
    NOT_JSON,
    TOO_DEEP,
    DUPLICATE_KEY,
    *FIELD_CODES,
)

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape that may be half of a surrogate pair."""


def _twice(pairs: list[tuple[str, object]]) -> str:
    """The first duplicate key; found in one pass, because an object may have 32 MiB."""
    names: set[str] = set()
    for name, _ in pairs:
        if name in names:
            return name
        names.add(name)
    raise AssertionError("unreachable: every key is given once")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise RuleViolation(
            DUPLICATE_KEY, f"key {shown(_twice(pairs))} is given twice in one object"
        )
    return record


def _no_constant(name: str) -> NoReturn:
    raise RuleViolation(NOT_JSON, f"{name} is no JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def parse_line(raw: bytes) -> object:
    """Return the JSON value of one line, line end included or not; raise RuleViolation."""
    if len(raw) > MAX_LINE:
        raise RuleViolation(LINE_TOO_LONG, f"the line is longer than {MAX_LINE} bytes")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RuleViolation(NOT_UTF8, f"byte {error.start} of the line is not UTF-8") from None
    if not text or text.isspace():
        raise RuleViolation(EMPTY_LINE, "the line is blank")
    try:
        value: object = _DECODER.decode(text)
        if _SURROGATE.search(text):
            verify_unicode(value, "")
    except RuleViolation:
        raise
    except json.JSONDecodeError as error:
        what = f"not JSON at character {error.pos + 1}: {error.msg}"
        raise RuleViolation(NOT_JSON, what) from None
    except RecursionError:
        raise RuleViolation(TOO_DEEP, "lists or objects are nested too deep") from None
    except ValueError:  # an int with more digits than int() accepts
        raise RuleViolation(NOT_JSON, "a number has too many digits") from None
    return value


def verify_unicode(value: object, where: str) -> None:
    """Raise RuleViolation at the first text, or name of a field, with half a surrogate pair."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise RuleViolation(INVALID_TEXT, "a text has half a surrogate pair", where) from None
    elif isinstance(value, list):
        for place, item in enumerate(value):
            verify_unicode(item, f"{where}[{place}]")
    elif isinstance(value, Mapping):
        for name, item in value.items():
            verify_unicode(name, where)
            verify_unicode(item, f"{where}.{name}" if where else name)
