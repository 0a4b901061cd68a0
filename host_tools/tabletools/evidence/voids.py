"""Voids after no more bets: once its bets are closed, no single person undoes a round.

Whatever caused it, such a void is held while stakes are in play: two users rule that the round is
void, or what its result was. The terms of a table may list codes whose stakes are returned at
once, where an edition demands that (de-live Roul 2.1.5: a system interruption voids the game).
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct, json

from tablespec.reasons import REASONS
from tabletools.roles import Record, RoundEnd
from tabletools.store.errors import LedgerRejection
from tablewire.messages import CLOSE_CAUSE_VOID, PHASE_BETS_OPEN, PHASE_CLOSED, UNKNOWN_U8

AUTOMATIC = "automatic_voids"
"""Option of every table: numbers of the codes whose voids are not held. None unless listed. Terms
without it are of a release that held no void."""
OF_THE_GAME = tuple(
    reason.number for reason in REASONS if reason.kind == "void" and reason.severity == 1
)
"""Codes after which a table only has to play again, such as a short spin: no person acts."""
_BY_NUMBER = {reason.number: reason for reason in REASONS}
_BEFORE = (PHASE_CLOSED, PHASE_BETS_OPEN, UNKNOWN_U8)
"""Phases in which no bets were closed yet; after a power cut the phase is closed or unknown."""


class _BetsClosed(Struct):
    cause: int


class _Void(Struct):
    phase: int


def verify_option(options: Mapping[str, object]) -> None:
    """Raise LedgerRejection unless the option lists known codes."""
    codes = options.get(AUTOMATIC, [])
    where, step = f"options.{AUTOMATIC}", "list numbers of codes.md, or leave it out"
    if not isinstance(codes, list | tuple) or not all(type(code) is int for code in codes):
        what = f"{AUTOMATIC} is not a list of the numbers of void codes"
        raise LedgerRejection("wrong_type", what, step, where)
    unknown = [code for code in codes if code not in _BY_NUMBER]
    if unknown:
        raise LedgerRejection("field_invalid", f"there is no void code {unknown[0]}", step, where)


def is_after(cause: int | None, phase: int, *, is_of_later_boot: bool) -> bool:
    """Whether a void came, or may have come, after no more bets.

    cause: of the bets_closed of the round, None without one. phase: of the void. is_of_later_boot:
    it is of another boot than the opening. Then it does not know the phase in which the power
    went, and a second program with the table's key may have taken the bets_closed away.
    """
    return is_of_later_boot or phase not in _BEFORE or cause not in (None, CLOSE_CAUSE_VOID)


def is_late(closed: str | None, void: str, *, is_of_later_boot: bool) -> bool:
    """The same by payloads as stored.

    closed: of the bets_closed of the round, None without one. void: of its void.
    """
    cause = None if closed is None else json.decode(closed, type=_BetsClosed).cause
    phase = json.decode(void, type=_Void).phase
    return is_after(cause, phase, is_of_later_boot=is_of_later_boot)


def automatic_codes(options: Mapping[str, object]) -> set[int]:
    """Return the codes whose late voids return the stakes without a ruling, by these terms."""
    codes = options.get(AUTOMATIC, ())
    return set(codes) if isinstance(codes, Sequence) else set()


def is_automatic(options: Mapping[str, object], void: Record) -> bool:
    """Whether the terms return the stakes of a late void without a ruling."""
    return RoundEnd.of_record(void).code in automatic_codes(options)


def described(void: Record) -> str:
    """The cause of a void in words, with its code."""
    code = RoundEnd.of_record(void).code
    reason = None if code is None else _BY_NUMBER.get(code)
    if reason is None:
        return f"an unknown cause ({code})"
    return f"{reason.name.replace('_', ' ')} ({reason.number}: {reason.cause.rstrip('.')})"
