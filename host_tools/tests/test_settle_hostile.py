"""With any value in a field a round is settled or refused, never an internal error."""

import json

import pytest

from hil_tests.thinned import thinned
from tabletools.settle import json_lines
from tabletools.settle.schema import settle_schema

ROUNDS = settle_schema()["$defs"]
WRONG = (
    10**30, 2**63, -1, 0, 1.5, True, None, "", "x" * 300, "\0", [], {}, [[1]], [True], [-1],
    [10**30], {"a": 1}, "AH", "AH AH AH", 10**12 + 1, [["1"]], {"void": "x"}, "\u202e",
)  # fmt: skip
# Fields that few rounds have, tried in all of them.
FEW = {
    "": ("meters", "recorded", "variant", "round", "table"),
    "outcome": (
        "void",
        "misdeal",
        "remaining",
        "others",
        "times_ms",
        "folded",
        "switched",
        "decks",
        "burned",
        "boxes",
    ),
}
LINES = [
    b"[" * 100_000, b'{"a":' * 50_000, b"9" * 5_000, b"NaN", b"-Infinity", b"1e999", b"null",
    b"\xff\xfe", b"\xef\xbb\xbf{}", b"\0", b'{"game":"\\ud800"}', b'{"game":1,"game":2}',
    b'{"stake":' + b"9" * 5_000 + b"}", b"-0", b'"x"', b"", b" \n",
]  # fmt: skip


def paths(value, path=()):
    """Every place in a round."""
    yield path
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from paths(value[key], (*path, key))


def put(value, path, wrong):
    """The same round with something else in one place."""
    if not path:
        return wrong
    copied = dict(value) if isinstance(value, dict) else list(value)
    inner = copied.get(path[0]) if isinstance(copied, dict) else copied[path[0]]
    copied[path[0]] = put(inner if inner is not None else {}, path[1:], wrong)
    return copied


def rounds_of(game):
    """Every round of the game with one thing wrong."""
    for example in ROUNDS[game]["examples"]:
        options = [("table", name) for name in options_in(ROUNDS[game])]
        few = [(part, name) if part else (name,) for part in FEW for name in FEW[part]]
        for path in (*paths(example), *options, *few):
            for wrong in WRONG:
                yield put(example, path, wrong)


def options_in(schema):
    """Names of what a table of the game may say."""
    members = set()
    if isinstance(schema, dict):
        table = schema.get("properties", {}).get("table")
        members |= set(table.get("properties", ())) if isinstance(table, dict) else set()
    for part in schema.values() if isinstance(schema, dict) else schema:
        members |= set(options_in(part)) if isinstance(part, (dict, list)) else set()
    return sorted(members)


@pytest.mark.parametrize(
    "game", [*json_lines.GAMES, *(f"{game}_round" for game in json_lines.BOX_GAMES)]
)
@pytest.mark.one_in(2)
def test_one_wrong_thing_in_a_round_is_no_fault_of_the_program(game):
    """Huge, negative, of another type, empty, nested: an answer, and a refusal has its code.

    A sixth of them, one or more in every place; all by `make soak`.
    """
    known = {code.name for code in json_lines.CODES} - {json_lines.INTERNAL_ERROR.name}
    for round_ in thinned(list(rounds_of(game)), 6):
        answer, code = json_lines.answer(json.dumps(round_).encode(), line=1)
        assert code in (json_lines.OK, json_lines.REFUSED), round_
        assert code == json_lines.OK or answer["error"]["code"] in known


@pytest.mark.parametrize("line", LINES)
def test_a_line_that_is_no_round(line):
    """Deep, long, no JSON, no UTF-8, a key twice: refused each."""
    answer, code = json_lines.answer(line, line=1)
    assert code == json_lines.REFUSED
    assert answer["error"]["code"] != json_lines.INTERNAL_ERROR.name
