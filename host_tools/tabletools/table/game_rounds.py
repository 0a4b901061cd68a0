"""Bets and outcomes of a table as rounds of its game, by the terms of the table.

Only the settlement decides on bets, limits and payouts (`rules.settlement`); this module knows no
rule of a game, and works on values alone.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from tabletools.evidence.tables import Terms
from tabletools.games import BY_PLAYER, BY_SLIP, GAMES
from tabletools.rules.bets import CompiledBet
from tabletools.rules.declared import Declared, read, replaced
from tabletools.rules.records import Offer, Pool, Round
from tabletools.rules.settlement import Settlement, settle, settle_round
from tabletools.rules.verdict import STAND, VOID
from tabletools.rules.violation import RuleViolation, within
from tabletools.settle.boxes import is_card_round
from tabletools.settle.json_lines import game_of
from tabletools.settle.strict_json import verify_unicode
from tabletools.store.errors import LedgerRejection
from tabletools.table.slips import MOST_SLIPS, TERMINALS, StoredBet, slips_of, with_slip

PLACING: Mapping[str, object] = {"void": "placing"}
"""The outcome of a round in which bets are only placed."""
GROUPS, PLAYERS = "groups", "players"
"""Limits of some players, see `rules.limit_exceptions`."""
_EXCEPTIONS = (GROUPS, PLAYERS, TERMINALS)
# An outcome that only two users can give: every stake is returned, whatever its state.
STAKES_BACK = "stakes_back"
# Fields of an outcome that are keyed by bet or player.
_BY_BET = ("hands", "won", "put_in")


class RoundResult(NamedTuple):
    """The result of a round.

    meters: what they show after it, by name; {} leaves them unchanged. pool: what its players
    staked against each other, None where they did not.
    """

    lines: list[Settlement]
    meters: Mapping[str, int] = {}
    pool: Pool | None = None


def has_no_result(outcome: Mapping[str, object]) -> bool:
    """Whether an outcome gives no result, so that no bet is won or lost by it.

    A void with cards may pay: the bets that the cards decided are won or lost.
    """
    names = {name for name, value in outcome.items() if value is not None}
    return names <= {"void", STAKES_BACK}


def is_by_hands(outcome: Mapping[str, object]) -> bool:
    """Whether an outcome lists each bet: the record of a card round, or prizes by bet."""
    return is_card_round(outcome) or any(outcome.get(name) for name in _BY_BET)


def is_void(outcome: Mapping[str, object]) -> bool:
    """Whether bets that an outcome leaves undecided are returned."""
    return outcome.get("void") is not None or STAKES_BACK in outcome


def is_by_slip(terms: Terms) -> bool:
    """Whether the bets of these terms are measured one by one, by slip and stake."""
    return terms.game in BY_SLIP and not any(terms.limits.get(name) for name in _EXCEPTIONS)


def measured_with(terms: Terms, account: int) -> frozenset[int] | None:
    """Return the players whose bets are measured with those of a player; None: of everyone."""
    if terms.game not in BY_PLAYER:
        return None
    groups: Any = terms.limits.get(GROUPS) or ()
    group = next((each for each in groups if str(account) in each), ())
    return frozenset({account, *map(int, group)})


def verify_bets(terms: Terms, bets: Sequence[StoredBet]) -> None:
    """Raise LedgerRejection unless the table accepts these bets together."""
    try:
        round_of(terms, slips_of(terms, bets), PLACING, is_limited=True)
    except RuleViolation as refusal:
        raise LedgerRejection(*refusal.parts) from refusal


class Measured(NamedTuple):
    """A bet alone. chance: what it bets on. most: limit per player, cents, None for none."""

    chance: Any
    most: int | None


class SlipGame:
    """A game BY_SLIP as terms have it: a bet is compiled once, when it is accepted.

    With a round that is read again it is compiled when it is needed first. Bets with the same
    slip and state share what was compiled.
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._offer: Offer | None = None
        self._compiled: dict[tuple[str, str | None], CompiledBet] = {}
        self._measured: dict[tuple[str, int], Measured] = {}

    def measure(self, slip: str, cents: int) -> Measured:
        """Return how a new bet is measured. Raises LedgerRejection unless it is valid alone.

        It is accepted beside others while the player's stakes on its chance are within `most`.
        """
        measured = self._measured.get((slip, cents))
        if measured is None:
            bet = StoredBet(0, 0, slip, cents, None)
            try:
                played = round_of(
                    self.terms, slips_of(self.terms, [bet]), PLACING, is_limited=True
                )
            except RuleViolation as refusal:
                raise LedgerRejection(*refusal.parts) from refusal
            [placed] = played.bets
            most = None if played.limits is None else played.limits.maximum_of(placed.chance)
            measured = Measured(placed.chance, most)
            _remember(self._compiled, (slip, None), placed)
            _remember(self._measured, (slip, cents), measured)
        return measured

    def chance(self, slip: str) -> Any:
        """Return what a bet in play bets on."""
        return self._compile(StoredBet(0, 0, slip, 1, None), 0).chance

    def settle(self, bets: Sequence[StoredBet], outcome: Mapping[str, object]) -> list[Settlement]:
        """Return the result of each bet, in order. Raises RuleViolation."""
        offer = self._offer = self._offer or _offer(self.terms)
        try:
            came = read(offer.outcome, outcome)
        except RuleViolation as refusal:
            raise refusal.under("outcome") from None
        result = offer.result(came)
        kinds = {(bet.slip, bet.state): (place, bet) for place, bet in enumerate(bets)}
        compiled = [
            self._compiled.get(kind) or self._compile(bet, place)
            for kind, (place, bet) in kinds.items()
        ]
        played = offer.decide(compiled, result)
        by_slip = dict(zip(kinds, played.bets, strict=True))
        placed = [
            CompiledBet(str(number), stake, kind.verdicts, kind.chance, None, state)
            for number, _, slip, stake, state, _ in bets
            for kind in (by_slip[slip, state],)
        ]
        return settle_round(placed, played.outcome)

    def _compile(self, bet: StoredBet, place: int) -> CompiledBet:
        """Compile a bet. place: in its round, for a refusal. Raises RuleViolation."""
        compiled = self._compiled.get((bet.slip, bet.state))
        if compiled is None:
            offer = self._offer = self._offer or _offer(self.terms)
            with within(f"bets[{place}]"):
                compiled = offer.accept(with_slip(self.terms, bet))
            _remember(self._compiled, (bet.slip, bet.state), compiled)
        return compiled


def _remember(known: dict[Any, Any], name: Any, value: object) -> None:
    if len(known) >= MOST_SLIPS:
        known.clear()
    known[name] = value


def _offer(terms: Terms) -> Offer:
    """Return the game of terms BY_SLIP."""
    game = GAMES[terms.game]
    assert game.offer is not None
    return game.offer(read(game.record, _record(terms, (), PLACING, terms.game_options)))


def settled(
    terms: Terms,
    bets: Sequence[StoredBet],
    outcome: Mapping[str, object],
    *,
    is_void: bool,
    meters: Mapping[str, int] = MappingProxyType({}),
    by_slip: SlipGame | None = None,
) -> RoundResult:
    """Return the result of each bet, in order. Raises LedgerRejection if it cannot be settled.

    meters: of a jackpot, what they show before the round. by_slip: the game with the bets that
    were compiled, for a game BY_SLIP.
    """
    after: Mapping[str, int] = {}
    pool = None
    try:
        if STAKES_BACK in outcome:
            return RoundResult([_void_settlement(bet) for bet in bets])
        if terms.game in BY_SLIP:
            lines = (by_slip or SlipGame(terms)).settle(bets, outcome)
        else:
            played = round_of(terms, slips_of(terms, bets), outcome, meters=meters)
            lines = settle(played)
            after, pool = _after(played), played.pool
    except RuleViolation as refusal:
        raise LedgerRejection(*refusal.parts) from refusal
    if is_void and terms.void_policy == "refund":
        lines = [
            line if bet.is_carried else with_refund(line)
            for bet, line in zip(bets, lines, strict=True)
        ]
    return RoundResult(lines, after, pool)


def _after(played: Round) -> dict[str, int]:
    """The meters after a round; the house pays what a prize would take below zero."""
    levels: Mapping[str, int] = played.more.get("meters", {})  # type: ignore[assignment]
    return {name: max(0, cents) for name, cents in levels.items()}


def with_refund(line: Settlement) -> Settlement:
    """Return a void bet whose stake is returned instead of staying in play for the next round."""
    if line.outcome != STAND:
        return line
    return replaced(line, outcome=VOID, back=line.back + line.live, live=0)


def _void_settlement(bet: StoredBet) -> Settlement:
    return Settlement(str(bet.id), VOID, bet.stake, 0, bet.stake, 0, 0, None, "ruled")


def round_of(
    terms: Terms,
    slips: Sequence[Declared],
    outcome: Mapping[str, object],
    *,
    is_limited: bool = False,
    meters: Mapping[str, int] = MappingProxyType({}),
) -> Round:
    """Return the round of these terms, bets and outcome. Raises RuleViolation."""
    # Limits were verified when the bets were placed; roulette has no other options.
    options = terms.game_options
    table = {**options, **terms.limits} if is_limited else options
    verify_unicode(outcome, "outcome")
    game = game_of(terms.game, outcome)
    record = _record(terms, slips, outcome, table)
    if meters:
        record["meters"] = dict(meters)
    return game.play(read(game.record, record))


def _record(
    terms: Terms,
    slips: Sequence[Declared],
    outcome: Mapping[str, object],
    table: Mapping[str, object],
) -> dict[str, object]:
    """Return the record of a round."""
    return {
        "rules": terms.rules,
        "game": terms.game,
        # Some games have none and refuse the field.
        **({} if terms.variant is None else {"variant": terms.variant}),
        "bets": slips,
        "outcome": dict(outcome),
        "table": table or None,
    }
