"""Decoded values of the JSON texts in rows; none is decoded inside a transaction that writes.

A transaction that writes blocks the others of its table, on SQLite all others, and a text may be
long. If it needs a text that is not decoded yet, it is rolled back, the text is decoded, and the
transaction runs again: see `Store.run`. Values are shared and must not be changed.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

_MOST = 8192
_LONGEST = 65_536
"""Size of the cache: number of texts, and most characters of one."""


class NotDecoded(Exception):
    """A transaction that writes needs the values of these texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        super().__init__()
        self.texts = frozenset(texts)


class _Thread(threading.local):
    """decoded: for the repeated transaction of this thread."""

    is_writing = False
    decoded: dict[str, Any] | None = None


_here = _Thread()
_known: OrderedDict[str, Any] = OrderedDict()
_lock = threading.Lock()


def value_of(text: str) -> Any:
    """Return the value of a text. Raises NotDecoded in a transaction that writes."""
    if _here.decoded is not None and text in _here.decoded:
        return _here.decoded[text]
    with _lock:
        if text in _known:
            _known.move_to_end(text)
            return _known[text]
    if _here.is_writing:
        raise NotDecoded([text])
    value = json.loads(text)
    remember(text, value)
    return value


def remember(text: str, value: Any) -> None:
    """Store the value of a text that was decoded, or encoded from this value."""
    if len(text) > _LONGEST:
        return
    with _lock:
        _known[text] = value
        if len(_known) > _MOST:
            _known.popitem(last=False)


@contextmanager
def writing() -> Iterator[None]:
    """Mark that a transaction writes on this thread."""
    before, _here.is_writing = _here.is_writing, True
    try:
        yield
    finally:
        _here.is_writing = before


@contextmanager
def decoding() -> Iterator[None]:
    """Keep what `decode` decoded during all repeats of an action."""
    before, _here.decoded = _here.decoded, {}
    try:
        yield
    finally:
        _here.decoded = before


def decode(texts: Iterable[str]) -> None:
    """Decode texts for the action of this thread; called between its transactions."""
    assert _here.decoded is not None
    for text in texts:
        _here.decoded[text] = value_of(text)
