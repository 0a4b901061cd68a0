"""Strict reading of one JSON value: what json.loads lets pass is refused here.

Refused: other encodings than UTF-8, NaN and Infinity, a key given twice in an object, nesting
beyond the stack, fields that are unknown, missing or of another type.
"""

import json
from collections.abc import Collection
from itertools import islice
from typing import NoReturn

from tabletools.rules.refusal import Code, Refusal, shown
from tabletools.rules.selection import On

MAX_LINE = 32 * 1024 * 1024
"""Longest line read, bytes: some 250,000 bets."""
MAX_TEXT = 200
"""Longest text in a field, characters."""

_MOST_NAMES = 30
"""Names of fields a message lists."""

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
    "The line is not one JSON value (NaN and Infinity are none).",
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
WRONG_TYPE = Code(
    "wrong_type",
    "A field has another type than the schema says.",
    "send the field as the schema has it: pockets as text, faces and cents as integers",
)
MISSING_FIELD = Code("missing_field", "A field is missing.", "add the field")
UNKNOWN_FIELD = Code("unknown_field", "A field is not known.", "remove the field")
INVALID_TEXT = Code(
    "invalid_text",
    "A text is empty, longer than 200 characters or not valid Unicode.",
    "send 1 to 200 characters",
)

JSON_CODES: tuple[Code, ...] = (
    EMPTY_LINE,
    LINE_TOO_LONG,
    NOT_UTF8,
    NOT_JSON,
    TOO_DEEP,
    DUPLICATE_KEY,
    WRONG_TYPE,
    MISSING_FIELD,
    UNKNOWN_FIELD,
    INVALID_TEXT,
)


def _twice(pairs: list[tuple[str, object]]) -> str:
    """The first key that was given before; in one pass, for an object may be of 32 MiB."""
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            return name
        seen.add(name)
    raise AssertionError("unreachable: every key is given once")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise Refusal(DUPLICATE_KEY, f"key {shown(_twice(pairs))} is given twice in one object")
    return record


def _no_constant(name: str) -> NoReturn:
    raise Refusal(NOT_JSON, f"{name} is no JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def parse_line(raw: bytes) -> object:
    """Return the JSON value of one line, line end included or not; raise Refusal."""
    if len(raw) > MAX_LINE:
        raise Refusal(LINE_TOO_LONG, f"the line is longer than {MAX_LINE} bytes")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refusal(NOT_UTF8, f"byte {error.start} of the line is not UTF-8") from None
    if not text or text.isspace():
        raise Refusal(EMPTY_LINE, "the line is blank")
    try:
        value: object = _DECODER.decode(text)
    except Refusal:
        raise
    except json.JSONDecodeError as error:
        what = f"not JSON at character {error.pos + 1}: {error.msg}"
        raise Refusal(NOT_JSON, what) from None
    except RecursionError:
        raise Refusal(TOO_DEEP, "lists or objects are nested too deep") from None
    except ValueError:  # an int of more digits than int() takes
        raise Refusal(NOT_JSON, "a number has too many digits") from None
    return value


class Fields:
    """One JSON object read field by field; null is the same as left out.

    Every reader raises Refusal with the field's name as `where`.
    """

    def __init__(self, value: object, known: Collection[str] | None = None) -> None:
        """known: names of all fields there may be; None looks at no other field."""
        if not isinstance(value, dict):
            raise Refusal(WRONG_TYPE, f"an object is needed, given is {shown(value)}")
        self._record: dict[str, object] = value
        if known is None:
            return
        for key in value:
            if key not in known:
                names = " ".join(islice(known, _MOST_NAMES))
                what = f"field {shown(key)} is not known, known are: {names}"
                raise Refusal(UNKNOWN_FIELD, what)

    def get(self, name: str) -> object:
        """Return the value, None if the field is null or left out."""
        return self._record.get(name)

    def need(self, name: str) -> object:
        """Return the value of a field that must be there."""
        value = self._record.get(name)
        if value is None:
            how = "null" if name in self._record else "missing"
            raise Refusal(MISSING_FIELD, f"{name} is {how}", name)
        return value

    def text(self, name: str) -> str:
        """Return a text of 1..MAX_TEXT characters."""
        return _text(self.need(name), name)

    def optional_text(self, name: str) -> str | None:
        """Return a text of 1..MAX_TEXT characters, or None."""
        value = self._record.get(name)
        return None if value is None else _text(value, name)

    def integer(self, name: str) -> int:
        """Return an int; 5.0 and true are none."""
        return _integer(self.need(name), name)

    def optional_integer(self, name: str) -> int | None:
        """Return an int or None."""
        value = self._record.get(name)
        return None if value is None else _integer(value, name)

    def optional_boolean(self, name: str) -> bool | None:
        """Return true, false or None."""
        value = self._record.get(name)
        if value is not None and not isinstance(value, bool):
            raise Refusal(WRONG_TYPE, f"{name} must be true or false", name)
        return value

    def objects(self, name: str) -> list[object]:
        """Return a list that must be there."""
        return [item for _, item in _items(self.need(name), name)]

    def texts(self, name: str) -> list[str]:
        """Return a list of texts; empty if the field is null or left out."""
        return [_text(item, where) for where, item in _items(self._record.get(name), name)]

    def integers(self, name: str) -> tuple[int, ...]:
        """Return a list of ints that must be there."""
        return _integers(self.need(name), name)

    def selection(self, name: str) -> On:
        """Return a list of ints, texts and lists of ints; () if the field is null or left out."""
        return _selection(self._record.get(name), name)

    def fields_of(self, name: str) -> list[tuple[tuple[int, ...], ...]]:
        """Return a list of lists of lists of ints; empty if the field is null or left out."""
        return [
            tuple(_integers(inner, at) for at, inner in _items(item, where))
            for where, item in _items(self._record.get(name), name)
        ]

    def series(self, name: str) -> list[tuple[int, ...]]:
        """Return a list of lists of ints that must be there."""
        return [_integers(item, at) for at, item in _items(self.need(name), name)]

    def names(self) -> list[str]:
        """Return the names of the fields given, null ones too."""
        return list(self._record)


def _items(value: object, where: str) -> list[tuple[str, object]]:
    """Return the items of a list, each with its place; none of null."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise Refusal(WRONG_TYPE, f"{where} must be a list, given is {shown(value)}", where)
    return [(f"{where}[{place}]", item) for place, item in enumerate(value)]


def texts_of(value: object, where: str) -> list[tuple[str, str]]:
    """Return the text a value is, or the texts of a list, each with its place."""
    if isinstance(value, list):
        return [(at, _text(item, at)) for at, item in _items(value, where)]
    return [(where, _text(value, where))]


def _integers(value: object, where: str) -> tuple[int, ...]:
    return tuple(_integer(item, at) for at, item in _items(value, where))


def _selection(value: object, where: str) -> On:
    found: list[int | str | tuple[int, ...]] = []
    for at, item in _items(value, where):
        if isinstance(item, str):
            found.append(_text(item, at))
        elif isinstance(item, list):
            found.append(_integers(item, at))
        else:
            found.append(_integer(item, at))
    return tuple(found)


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise Refusal(WRONG_TYPE, f"{where} must be text, given is {shown(value)}", where)
    if not 1 <= len(value) <= MAX_TEXT:
        what = f"{where} has {len(value)} characters, allowed are 1 to {MAX_TEXT}"
        raise Refusal(INVALID_TEXT, what, where)
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise Refusal(INVALID_TEXT, f"{where} has half a surrogate pair", where) from None
    return value


def _integer(value: object, where: str) -> int:
    if type(value) is not int:
        raise Refusal(WRONG_TYPE, f"{where} must be an integer, given is {shown(value)}", where)
    return value
