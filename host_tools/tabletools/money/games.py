"""Between the ledger and the settlement: bets and outcomes as rounds of `rules.settlement`.

Only the settlement decides on bets, limits and payouts; this module knows no rule of a game.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tabletools import authority
from tabletools.evidence import voids
from tabletools.games import BY_PLAYER as BY_PLAYER
from tabletools.games import BY_SLIP as BY_SLIP
from tabletools.games import GAMES, LATER
from tabletools.games import JACKPOT as JACKPOT
from tabletools.games import NEEDED as _NEEDED
from tabletools.games import POKER_ROOM as POKER_ROOM
from tabletools.games.jackpot import starts_of
from tabletools.rules.bets import CompiledBet
from tabletools.rules.codes.fields import UNKNOWN_FIELD, WRONG_TYPE
from tabletools.rules.declared import Declared, field_type, read, replaced
from tabletools.rules.records import ChipsOn, Offer, Pool, Round
from tabletools.rules.settlement import Settlement, settle, settle_round
from tabletools.rules.verdict import STAND, VOID
from tabletools.rules.violation import RuleViolation, within
from tabletools.settle.boxes import is_card_round
from tabletools.settle.json_lines import BOX_GAMES, game_of
from tabletools.settle.strict_json import verify_unicode
from tabletools.store.errors import LedgerRejection

if TYPE_CHECKING:
    from tabletools.evidence.tables import Terms

_PLACING: Mapping[str, object] = {"void": "placing"}
# Options of a table that configure its host, not the game.
LINKED = "linked"
"""Option of a jackpot: tables with the same name share their meters."""
DEALER_LIMIT = "dealer_limit"
"""Option of games with boxes: cents that the players of a round win at most where one dealer
entered its hands; 0: two users rule on every hand. Left out: as `authority` says."""
HOST_OPTIONS = frozenset(("trust_status_line", LINKED, voids.AUTOMATIC, DEALER_LIMIT))
_MOST_BY_DEALER = authority.ACTS[authority.DEAL].alone_cents[authority.DEALER]
_MOST_TERMS = 65_536
"""Characters of the limits of a table, and of its options: transactions decode them."""
_ACCOUNT = re.compile(r"[1-9][0-9]{0,17}")
_MOST_SLIP = 2000
"""Characters of the longest slip."""
_MOST_SLIPS = 4096
"""Size of the cache of parsed slips."""
BOX, MOST_BOXES = "box", 20
"""The box that a bet is placed on, from 1 on, where each player has hands of his own."""
GAME_FIELDS = ("bet", "numbers", "index", "on", "choice", "games", "groups", "ways")
SLIP_FIELDS = (*GAME_FIELDS, BOX)
GROUPS, PLAYERS, TERMINALS = EXCEPTIONS = ("groups", "players", "terminals")
"""Limits of some players and of terminals, see `rules.limit_exceptions`."""
# An outcome that only two users can give: every stake is returned, whatever its state.
STAKES_BACK = "stakes_back"
# Fields of an outcome that are keyed by bet or player.
_BY_BET = ("hands", "won", "put_in")


class StoredBet(NamedTuple):
    """A bet in play. slip: its JSON. is_carried: its stake stayed in play in an earlier round."""

    id: int
    account: int
    slip: str
    stake: int
    state: str | None
    is_carried: bool = False


class RoundResult(NamedTuple):
    """The result of a round.

    meters: what they show after it, by name; {} leaves them unchanged. pool: what its players
    staked against each other, None where they did not.
    """

    lines: list[Settlement]
    meters: Mapping[str, int] = {}
    pool: Pool | None = None


def slip_text(slip: Mapping[str, object]) -> str:
    """Return a slip as it is stored: the given fields, in a fixed order.

    Raises LedgerRejection.
    """
    for name in slip:
        if name not in SLIP_FIELDS:
            step = f"a slip has {' '.join(SLIP_FIELDS)}"
            raise LedgerRejection(
                "unknown_field", f"field {str(name)[:40]!r} is not known", step, "slip"
            )
    fields = {name: slip[name] for name in SLIP_FIELDS if slip.get(name) is not None}
    try:
        text = json.dumps(fields, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise LedgerRejection(
            "wrong_type", f"no JSON: {error}", "send plain values", "slip"
        ) from error
    if len(text) > _MOST_SLIP:
        what = f"the slip is longer than {_MOST_SLIP} characters"
        raise LedgerRejection("invalid_text", what, "", "slip")
    return text


def with_stack(slip: str, cents: int) -> str:
    """Return the slip of a player of the poker room who has that much on the table."""
    return _with(slip, "stack", cents)


def at_terminal(terms: "Terms", slip: str) -> str:
    """Return the slip of a bet placed at a terminal, where terminals have limits of their own."""
    return _with(slip, "terminal", True) if terms.limits.get(TERMINALS) is not None else slip


def _with(slip: str, name: str, value: object) -> str:
    return json.dumps({**json.loads(slip), name: value}, separators=(",", ":"))


def bets_of_call(terms: "Terms", call: Mapping[str, object], cents: int) -> list[ChipsOn]:
    """Return the slips that a call bet stands for, with their stakes. Raises LedgerRejection.

    call: its name, and number and sides of neighbours. cents: of all its chips.
    """
    bets_of = GAMES[terms.game].announced
    if bets_of is None:
        having = " ".join(name for name, game in GAMES.items() if game.announced)
        what = f"{terms.game} has no call bets, they are of {having}"
        raise LedgerRejection("bet_not_offered", what, "place the bets one by one", "call")
    try:
        verify_unicode(dict(call), "")
        accepted: Any = terms.limits.get("call_bets") or ()
        fields = {**call, "id": "0", "stake": cents}
        return bets_of(terms.rules, terms.variant, fields, accepted)
    except RuleViolation as refusal:
        raise refused(refusal) from refusal


def is_by_slip(terms: "Terms") -> bool:
    """Whether the bets of these terms are measured one by one, by slip and stake."""
    return terms.game in BY_SLIP and not any(terms.limits.get(name) for name in EXCEPTIONS)


def measured_with(terms: "Terms", account: int) -> frozenset[int] | None:
    """Return the players whose bets are measured with those of a player; None: of everyone."""
    if terms.game not in BY_PLAYER:
        return None
    groups: Any = terms.limits.get(GROUPS) or ()
    group = next((each for each in groups if str(account) in each), ())
    return frozenset({account, *map(int, group)})


def limits_for(terms: "Terms", account: int) -> dict[str, object]:
    """Return the limits as one player is shown them: nothing that is about others."""
    limits = dict(terms.limits)
    limits.pop(GROUPS, None)
    players: Any = limits.pop(PLAYERS, None) or {}
    own = players.get(str(account))
    if own is not None:
        limits.pop(TERMINALS, None)
        limits |= {"maximum": None, **own}
        if "special_minimum" in limits:
            limits["special_minimum"] = own["minimum"]
    return limits


def verify_terms(terms: "Terms") -> None:
    """Raise LedgerRejection unless a table can be played by these terms."""
    if terms.game not in GAMES:
        raise LedgerRejection(
            "unknown_game", f"game {terms.game!r}", f"use one of {' '.join(GAMES)}"
        )
    if terms.void_policy not in ("refund", "stand"):
        raise LedgerRejection(
            "void_policy", f"{terms.void_policy!r}", "refund or stand", "void_policy"
        )
    _verify_length(terms)
    _verify_limit(terms)
    _verify_players(terms)
    _verify_meter_name(terms)
    voids.verify_option(terms.options)
    _verify_dealer_limit(terms)
    later = LATER.get(terms.game)
    left_out = terms.limits.get("not_offered") or ()
    if later and later not in left_out:  # type: ignore[operator]
        what = f"{later} is placed after the deal, and bets are closed by then"
        step = f'write not_offered = ["{later}"] below limits'
        raise LedgerRejection("bet_not_offered", what, step, "limits.not_offered")
    try:
        _round(terms, (), _PLACING, is_limited=True)
    except RuleViolation as refusal:
        raise refused(refusal) from refusal


def _verify_length(terms: "Terms") -> None:
    for name, values in (("limits", terms.limits), ("options", terms.options)):
        length = len(json.dumps(values))
        if length > _MOST_TERMS:
            what = f"{name} have {length} characters as JSON, at most {_MOST_TERMS} are stored"
            raise LedgerRejection("invalid_text", what, "shorten the texts and lists", name)


def _verify_limit(terms: "Terms") -> None:
    name = _NEEDED.get(terms.game)
    if name is not None and terms.limits.get(name) is None:
        what = f"the limits of {terms.game} have no {name}"
        step = f"write {name}, in cents, below limits"
        raise LedgerRejection("limits_invalid", what, step, f"limits.{name}")


def _verify_players(terms: "Terms") -> None:
    """Raise LedgerRejection unless players with limits of their own are numbers of accounts."""
    players: Any = terms.limits.get(PLAYERS) or {}
    groups: Any = terms.limits.get(GROUPS) or ()
    named = [(player, f"limits.{PLAYERS}") for player in players]
    if isinstance(groups, list | tuple):
        groups = [each for each in groups if isinstance(each, list | tuple)]
        named += [(player, f"limits.{GROUPS}") for group in groups for player in group]
    for player, where in named:
        if not isinstance(player, str) or not _ACCOUNT.fullmatch(player):
            what = f"{str(player)[:40]!r} is not the number of an account, as text"
            step = 'name players by the account number, as "12"'
            raise LedgerRejection("limits_invalid", what, step, where)


def dealer_limit(terms: "Terms") -> int:
    """Return what the players of a round win at most where one dealer entered its hands, cents."""
    limit = terms.options.get(DEALER_LIMIT)
    return _MOST_BY_DEALER if limit is None else limit  # type: ignore[return-value]


def _verify_dealer_limit(terms: "Terms") -> None:
    limit = terms.options.get(DEALER_LIMIT)
    if limit is None:
        return
    where = f"options.{DEALER_LIMIT}"
    if terms.game not in BOX_GAMES:
        what = f"{DEALER_LIMIT} is an option of {' '.join(BOX_GAMES)}, this is {terms.game}"
        raise LedgerRejection("unknown_field", what, "leave it out", where)
    if type(limit) is not int or not 0 <= limit <= _MOST_BY_DEALER:
        what = f"{DEALER_LIMIT} is not a number of cents from 0 to {_MOST_BY_DEALER}"
        raise LedgerRejection("limits_invalid", what, "give cents, 0 for two users always", where)


def _verify_meter_name(terms: "Terms") -> None:
    linked = terms.options.get(LINKED)
    if linked is None:
        return
    if terms.game != JACKPOT:
        what = f"{LINKED} is an option of jackpots, this is {terms.game}"
        raise LedgerRejection("unknown_field", what, "leave it out", f"options.{LINKED}")
    if not isinstance(linked, str) or not 0 < len(linked) <= 60 or not linked.isprintable():
        what = f"{LINKED} is not a name of 1 to 60 characters"
        raise LedgerRejection("invalid_text", what, "name the meters", f"options.{LINKED}")


def meter_starts(terms: "Terms") -> Mapping[str, int]:
    """Return the start amounts of a jackpot, cents by meter. Raises LedgerRejection."""
    try:
        return starts_of(terms.rules, terms.variant, _options(terms))
    except RuleViolation as refusal:
        raise refused(refusal) from refusal


def verify_bets(terms: "Terms", bets: Sequence[StoredBet]) -> None:
    """Raise LedgerRejection unless the table accepts these bets together."""
    try:
        _round(terms, _slips(terms, bets), _PLACING, is_limited=True)
    except RuleViolation as refusal:
        raise refused(refusal) from refusal


def box_of(slip: str) -> int | None:
    """Return the box that a slip names, None if it names none."""
    box: int | None = json.loads(slip).get(BOX) if f'"{BOX}"' in slip else None
    return box


def by_box(bets: Sequence[StoredBet]) -> list[list[StoredBet]]:
    """Return bets that are measured together: each box is a chance of its own (1:1(6)).

    Those that name none are measured together, as they may all come to be on one.
    """
    boxes: dict[int | None, list[StoredBet]] = {}
    for bet in bets:
        boxes.setdefault(box_of(bet.slip), []).append(bet)
    return list(boxes.values())


class Measured(NamedTuple):
    """A bet alone. chance: what it bets on. most: limit per player, cents, None for none."""

    chance: Any
    most: int | None


class SlipGame:
    """A game BY_SLIP as terms have it: a bet is compiled once, when it is accepted.

    With a round that is read again it is compiled when it is needed first. Bets with the same
    slip and state share what was compiled.
    """

    def __init__(self, terms: "Terms") -> None:
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
                played = _round(self.terms, _slips(self.terms, [bet]), _PLACING, is_limited=True)
            except RuleViolation as refusal:
                raise refused(refusal) from refusal
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
                compiled = offer.accept(_with_slip(self.terms, bet))
            _remember(self._compiled, (bet.slip, bet.state), compiled)
        return compiled


def _remember(known: dict[Any, Any], name: Any, value: object) -> None:
    if len(known) >= _MOST_SLIPS:
        known.clear()
    known[name] = value


def _offer(terms: "Terms") -> Offer:
    """Return the game of terms BY_SLIP."""
    game = GAMES[terms.game]
    assert game.offer is not None
    return game.offer(read(game.record, _record(terms, (), _PLACING, _options(terms))))


def settled(
    terms: "Terms",
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
            played = _round(terms, _slips(terms, bets), outcome, meters=meters)
            lines = settle(played)
            after, pool = _after(played), played.pool
    except RuleViolation as refusal:
        raise refused(refusal) from refusal
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


def refused(refusal: RuleViolation) -> LedgerRejection:
    """Return a rule violation as a rejection of the ledger."""
    code = refusal.code
    return LedgerRejection(code.name, refusal.what, code.remedy, refusal.where)


def fields_of(bet: StoredBet) -> dict[str, Any]:
    """Return a bet with the fields of a record of `settle`."""
    return {**json.loads(bet.slip), **_beside_slip(bet)}


def _beside_slip(bet: StoredBet) -> dict[str, Any]:
    """Return the fields that the record of a bet has besides its slip."""
    # Some games have no state and refuse the field.
    state = {} if bet.state is None else {"state": bet.state}
    return {"id": str(bet.id), "player": str(bet.account), "stake": bet.stake, **state}


def _void_settlement(bet: StoredBet) -> Settlement:
    return Settlement(str(bet.id), VOID, bet.stake, 0, bet.stake, 0, 0, None, "ruled")


def _slips(terms: "Terms", bets: Sequence[StoredBet]) -> list[Declared]:
    """Return the bets as records of their game. Raises RuleViolation."""
    slips = []
    for place, bet in enumerate(bets):
        with within(f"bets[{place}]"):
            slips.append(_with_slip(terms, bet))
    return slips


def _with_slip(terms: "Terms", bet: StoredBet) -> Declared:
    """Return a bet as a record of its game. Raises RuleViolation."""
    return replaced(_slip(terms.game, bet.slip), **_beside_slip(bet))


@lru_cache(_MOST_SLIPS)
def _slip(game: str, slip: str) -> Declared:
    """Return a slip as a record of its game, with a placeholder id and a stake of 1 cent.

    Raises RuleViolation.
    """
    fields = json.loads(slip)
    verify_unicode(fields, "")
    if (box := fields.pop(BOX, None)) is not None:
        _verify_box(game, box)
    record: Declared = read(
        field_type(GAMES[game].record, "bets"), {"id": "0", "player": "0", "stake": 1, **fields}
    )
    return record


def _verify_box(game: str, box: object) -> None:
    """Raise RuleViolation unless a bet of this game may name this box."""
    if game not in BOX_GAMES:
        what = f"{game} has no boxes, they are of {' '.join(BOX_GAMES)}"
        raise RuleViolation(UNKNOWN_FIELD, what, BOX)
    if type(box) is not int or not 1 <= box <= MOST_BOXES:
        what = f"{BOX} is not the number of a box, from 1 to {MOST_BOXES}"
        raise RuleViolation(WRONG_TYPE, what, BOX)


def _options(terms: "Terms") -> dict[str, object]:
    return {name: v for name, v in terms.options.items() if name not in HOST_OPTIONS}


def _round(
    terms: "Terms",
    slips: Sequence[Declared],
    outcome: Mapping[str, object],
    *,
    is_limited: bool = False,
    meters: Mapping[str, int] = MappingProxyType({}),
) -> Round:
    """Return the round of these terms, bets and outcome. Raises RuleViolation."""
    # Limits were verified when the bets were placed; roulette has no other options.
    options = _options(terms)
    table = {**options, **terms.limits} if is_limited else options
    verify_unicode(outcome, "outcome")
    game = game_of(terms.game, outcome)
    record = _record(terms, slips, outcome, table)
    if meters:
        record["meters"] = dict(meters)
    return game.play(read(game.record, record))


def _record(
    terms: "Terms",
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
