"""Targets of files and pipes: a capture read back, rounds as JSON Lines settled."""

from __future__ import annotations

import io
import json
import logging
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from hil_tests.fuzz.input_search import Target
from hil_tests.fuzz.mutate import frames, lasting, mutate, split
from hil_tests.fuzz.wire_targets import vectors
from host_tools.tests.test_settle_schema import GOOD
from tableemulator.machines.repeater import Repeater, played
from tabletools import decode
from tabletools.capture import CaptureError, Writer
from tabletools.settle.json_lines import CODES, INTERNAL, settle_command
from tabletools.settle.json_lines import answer as settled

_REFUSALS = {code.name for code in CODES} - {"internal_error"}
_ENDS: tuple[Literal["table", "host"], ...] = ("table", "host")
_AMOUNTS = ("stake", "win", "back", "live", "lost")


def recorded(pieces: list[bytes]) -> bytes:
    """Pieces of a stream as a capture, 10 ms apart, one in five from the host."""
    text = io.StringIO()
    writer = Writer(text, {"source": "fuzz"})
    for number, piece in enumerate(pieces):
        writer.chunk(number * 10_000, ">" if number % 5 == 4 else "<", piece)
    return text.getvalue().encode()


def captures() -> list[bytes]:
    """The vectors and an evening of three rounds as captures."""
    evening = Repeater(7, 3, played(1, 3)).due()
    return [recorded(split(lasting(evening))), recorded(vectors()[1:])]


def check_capture(data: bytes) -> None:
    """Records that stand in the file, as JSON and as text; else a CaptureError."""
    table, host = (decode.Decoder(sender=end, seed=0) for end in _ENDS)
    try:
        records = list(decode.from_capture(io.BytesIO(data), table, host, commands=True))
    except CaptureError:
        return
    # A line states its offset in the stream, which may have been longer; a damaged one is counted.
    stated = re.findall(rb"(?m)^\d+ [<>] (\d{1,18}) ", data)
    beyond = max(map(int, stated), default=0)
    for record in records:
        assert json.loads(json.dumps(record)) == record
        assert "\n" not in decode.line(record)
        limit = len(data) if record.get("reason") == "line" else len(data) + beyond
        assert 0 <= record["offset"] <= record["offset"] + record["length"] <= limit
    decoded = [record for record in records if record["type"] != "skipped"]
    assert len(decoded) == table.frames + host.frames


def mutated_capture(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Bytes or lines changed, or the frames in the lines."""
    kind = rng.randrange(4)
    if kind == 0:
        return mutate(rng, data, other)
    lines = data.split(b"\n")
    place = rng.randrange(len(lines))
    if kind == 1:
        others = other.split(b"\n")
        lines[place : place + rng.randrange(2)] = rng.choices(others, k=rng.randrange(3))
    elif kind == 2:
        lines[place] = mutate(rng, lines[place], rng.choice(other.split(b"\n")))
    else:
        match = re.fullmatch(rb"(\d+ [<>] )((?:[0-9a-f]{2})+)", lines[place])
        if match:
            wire = frames(rng, bytes.fromhex(match[2].decode()), b"\0")
            lines[place] = match[1] + wire.hex().encode()
    return b"\n".join(lines)


def rounds() -> list[bytes]:
    """Good rounds of every game, one a line, alone and eight together."""
    asked = [json.dumps(request).encode() for request in GOOD]
    return asked + [b"\n".join(asked[place : place + 8]) for place in range(0, len(asked), 8)]


def check_rounds(data: bytes) -> None:
    """One answer a line, in whole cents that add up, or one refusal; and the exit code of both."""
    out = io.BytesIO()
    with _without_a_log():
        code = settle_command(io.BytesIO(data), out)
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    assert code != INTERNAL, _why(data)
    assert code == any("error" in answer for answer in answers)
    assert len(answers) == data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    for answer in answers:
        _check_answer(answer)


@contextmanager
def _without_a_log() -> Iterator[None]:
    """What is refused is not logged here; elsewhere in this process it is."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _why(data: bytes) -> str:
    """What went wrong inside, found by settling the lines again one by one."""
    for number, line in enumerate(data.split(b"\n"), 1):
        answer, code = settled(line, line=number)
        if code == INTERNAL:
            return f"{line!r}: {answer['error']}"
    return "no single line does it"


def _check_answer(answer: dict[str, Any]) -> None:
    if "error" in answer:
        assert answer["error"]["code"] in _REFUSALS
        return
    for line in answer["settlements"]:
        assert all(type(line[name]) is int and line[name] >= 0 for name in _AMOUNTS), line
        assert line["stake"] == line["back"] + line["live"] + line["lost"], line


def mutated_rounds(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Values of a round changed, left out, doubled or taken from another; or any bytes."""
    lines, others = data.split(b"\n"), other.split(b"\n")
    place = rng.randrange(len(lines))
    try:
        value = json.loads(lines[place])
        lender = json.loads(rng.choice(others))
    except (ValueError, RecursionError):
        return mutate(rng, data, other)
    if rng.random() < 0.15:
        return mutate(rng, data, other)
    for _ in range(rng.choice((1, 1, 2))):
        value = _change(rng, value, list(_values(lender)))
    text = json.dumps(value).encode()
    return text if rng.random() < 0.5 else b"\n".join([*lines[:place], text, *lines[place + 1 :]])


_ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 6, 7, 36, 37, 100, 10**12, 10**20, -(2**63), 0.5, 1e308, "",
    "0", "00", "1", "é\u0000", "red", "void", [], {}, [[]], [1, 2], {"a": 1}, "prison1", "KH KD",
)  # fmt: skip


def _values(value: Any) -> list[Any]:
    inner = list(value.values()) if isinstance(value, dict) else value
    values = [value]
    if isinstance(inner, list):
        for each in inner:
            values += _values(each)
    return values


def _change(rng: random.Random, value: Any, lent: list[Any]) -> Any:
    """The value with one place in it, at any depth, changed."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.15:
        return rng.choice((rng.choice(_ODD), rng.choice(lent), rng.randrange(-3, 40)))
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = rng.choice(keys)
    out: Any = value.copy()
    kind = rng.randrange(8)
    if kind == 0:
        del out[key]
    elif kind == 1 and isinstance(out, list):
        out.insert(key, rng.choice(lent))
    elif kind == 1:
        out[rng.choice(("table", "max", "state", "void", "x"))] = rng.choice(_ODD)
    else:
        out[key] = _change(rng, out[key], lent)
    return out


TARGETS = (
    Target(
        "capture", check_capture, captures, mutated_capture,
        ("host_tools/tabletools/capture", "host_tools/tabletools/decode"),
    ),
    Target(
        "settle", check_rounds, rounds, mutated_rounds,
        ("host_tools/tabletools/settle", "host_tools/tabletools/rules"),
    ),
)  # fmt: skip
