"""Settlement as JSON Lines: one round per input line, one answer per output line, in order.

Every line is answered, with settlements or with an error, and no line affects another.
"""

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

import msgspec
from msgspec.structs import asdict

from tabletools.games import GAMES, SHARED, Game
from tabletools.rules.codes import RULE_CODES
from tabletools.rules.declared import Declared, Text, read
from tabletools.rules.hands import Dealt
from tabletools.rules.records import NO_RESULT, RECORD_CODES, Round
from tabletools.rules.sentences import Facts, Fields, reasons_of, sentence
from tabletools.rules.settlement import Settlement, settle
from tabletools.rules.table_game import TableGame
from tabletools.rules.violation import Code, RuleViolation, shown
from tabletools.settle.boxes import BoxGame, is_card_round
from tabletools.settle.strict_json import JSON_CODES, MAX_LINE, parse_line

OK, REFUSED, INTERNAL = 0, 1, 2
"""Exit codes: all lines settled; some line refused; some line met a fault of this program."""

UNKNOWN_GAME = Code("unknown_game", "The game is not known.", "use one of the games named")
INTERNAL_ERROR = Code(
    "internal_error",
    "An internal error; nothing of the line may be paid. Standard error has the details.",
    "keep the line and report it",
)
CODES: tuple[Code, ...] = (
    *JSON_CODES,
    UNKNOWN_GAME,
    *RECORD_CODES,
    *RULE_CODES,
    INTERNAL_ERROR,
)
"""Every code an error can have."""


CARDS: Mapping[str, TableGame[Any, Any]] = {
    name: game
    for name, game in GAMES.items()
    if isinstance(game, TableGame) and issubclass(game.outcome, Dealt)
}
"""Card games against the bank: a void may come when some of their bets are decided."""

BOX_GAMES: Mapping[str, BoxGame[Any, Any]] = {
    name: BoxGame(CARDS[name]) for name in sorted(CARDS.keys() - SHARED)
}
"""Games in which each player holds a hand, settled by one record of the whole round."""

_LOG = logging.getLogger(__name__)


def settle_record(record: object) -> list[Settlement]:
    """Settle one round given as a JSON value; raise RuleViolation if it cannot be settled."""
    return settle_whole(record)[0]


def settle_whole(record: object) -> tuple[list[Settlement], Mapping[str, object]]:
    """Return the settlements, and the other fields of the answer."""
    round_ = round_of(record)
    return settle(round_), round_.more


class _Named(Declared, frozen=True, kw_only=True, forbid_unknown_fields=False):
    game: Text


def round_of(record: object) -> Round:
    """Return bets and outcome of a round given as a JSON value.

    Raises RuleViolation if it is not a round.
    """
    name = read(_Named, record).game
    if name not in GAMES:
        what = f"game {shown(name)} is not known; known: {' '.join(GAMES)}"
        raise RuleViolation(UNKNOWN_GAME, what, "game")
    assert isinstance(record, dict)
    game = game_of(name, record.get("outcome"))
    return game.play(read(game.record, record))


def game_of(name: str, outcome: object) -> Game | BoxGame[Any, Any]:
    """Return how a round of a known game is settled, depending on its outcome."""
    return BOX_GAMES[name] if name in BOX_GAMES and is_card_round(outcome) else GAMES[name]


def _error(code: Code, message: str, where: str) -> dict[str, Any]:
    return {"error": {"code": code.name, "message": message, "where": where}}


Find = Callable[[Mapping[str, object]], Mapping[str, object]]
"""Replaces `recorded` in a round by the outcome that a table reported."""


def _as_it_is(record: Mapping[str, object]) -> Mapping[str, object]:
    if record.get("recorded") is not None:
        raise RuleViolation(NO_RESULT, "no table records were given (--records FILE)", "recorded")
    return record


class Answered(NamedTuple):
    """The answer to one line."""

    reply: dict[str, Any]
    code: int
    """Exit code."""
    players: Sequence[str | None] = ()
    """Whose each bet is."""


def answer(raw: bytes, *, line: int, find: Find = _as_it_is) -> tuple[dict[str, Any], int]:
    """Return the answer to one line and its exit code. line: its number, from 1."""
    return answered(raw, line=line, find=find)[:2]


def answered(raw: bytes, *, line: int, find: Find = _as_it_is) -> Answered:
    """Return the same with the players of the bets."""
    where = f"line {line}"
    try:
        value = parse_line(raw)
        record: Any = find(value) if isinstance(value, dict) else value
        round_ = round_of(record)
        settlements = settle(round_)
    except RuleViolation as refusal:
        inner = f"{where}: {refusal.where}" if refusal.where else where
        return Answered(_error(refusal.code, refusal.message, inner), REFUSED)
    except Exception as fault:  # one line must not abort the others
        _LOG.exception("%s cannot be settled", where)
        what = f"{type(fault).__name__} inside the program. Next: {INTERNAL_ERROR.remedy}"
        return Answered(_error(INTERNAL_ERROR, what, where), INTERNAL)
    bets = [*(record.get("bets") or ()), *round_.entered]
    facts = Facts(record["outcome"])
    lines = [_line(line, bet, facts) for line, bet in zip(settlements, bets, strict=True)]
    players = [bet.get("player") for bet in bets]
    return Answered({"settlements": lines, **round_.more}, OK, players)


def _line(line: Settlement, bet: Fields, facts: Facts) -> dict[str, object]:
    """Return a settlement as JSON: its fields, and what decided it."""
    fields: dict[str, object] = asdict(line)
    del fields["citation"]
    fields.update(reasons_of(line.citation, bet, facts))
    return fields


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield lines; of one longer than MAX_LINE only its beginning, still too long."""
    while raw := stream.readline(MAX_LINE + 1):
        yield raw
        while len(raw) > MAX_LINE and not raw.endswith(b"\n"):
            raw = stream.readline(MAX_LINE + 1)


def as_json(reply: Mapping[str, Any]) -> str:
    """Return an answer as a line of JSON, in ASCII: no text of a round reaches a terminal raw."""
    line = msgspec.json.encode(reply)
    return line.decode() if line.isascii() else json.dumps(reply, separators=(",", ":"))


def as_text(reply: Mapping[str, Any]) -> str:
    """Return an answer as text: a sentence for each bet, or the error."""
    if "error" in reply:
        return "{where}: {message}".format(**reply["error"])
    return "\n".join(f"{line['id']}: {sentence(line)}" for line in reply["settlements"])


def settle_command(
    stream_in: BinaryIO,
    stream_out: BinaryIO,
    find: Find = _as_it_is,
    text_of: Callable[[Answered], str] = lambda each: as_json(each.reply),
) -> int:
    """Answer every line of a stream, each as soon as it is read; return the exit code."""
    worst = OK
    for line, raw in enumerate(_lines(stream_in), start=1):
        each = answered(raw, line=line, find=find)
        worst = max(worst, each.code)
        stream_out.write(text_of(each).encode() + b"\n")
        stream_out.flush()
    return worst
