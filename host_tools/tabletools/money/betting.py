"""Bets: placed, changed and taken back while the round is open, or not at all.

Every request has a key: sent again it is answered the same and carried out once. Several requests
of one table may share a transaction; each is answered by itself. Whatever fails, no bet is taken.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert

from tabletools.evidence import alarms
from tabletools.evidence.alarms import Found
from tabletools.money import books, settling
from tabletools.money.bet_context import REFERRED, BetContext, BetRequest, OpenBet, ReadClock, Slip
from tabletools.money.books import Entry, Lines
from tabletools.money.games import slip_text
from tabletools.money.referring import named
from tabletools.store import requests
from tabletools.store.clock import MS
from tabletools.store.database import Lease, Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.rows import insert_numbered
from tabletools.store.schema.play import bets, late_refusals

__all__ = ["BetReceipt", "BetRequest", "Slip", "SlipReceipt", "place", "place_all", "withdraw"]

_DEVICE_TIME = ("device_boot", "device_ms", "uncertainty_ms")
_COLUMNS = (
    "table_id", "round_id", "account_id", "slip", "stake_cents", "standing", "placed_ns",
    "after_open_ms", "session_id", "terminal", "posting_id", "replaces", "clock_alarm",
    *_DEVICE_TIME,
)  # fmt: skip


class BetReceipt(NamedTuple):
    """The answer to a request that was carried out.

    standing: valid, referred (late: two users have to rule) or withdrawn. is_repeat: it was
    carried out before.
    """

    bet: int
    round: int
    standing: str
    balance_cents: int
    is_repeat: bool = False


_NOT_WRITTEN = BetReceipt(0, 0, "", 0)
"""In the place of an answer until the bet is written."""


class SlipReceipt(NamedTuple):
    """The answer to a slip: to each of its bets, in order. It is kept if any of them was taken.

    is_repeat: it was carried out before.
    """

    bets: tuple[BetReceipt | LedgerRejection, ...]
    is_repeat: bool = False


class _Bet(NamedTuple):
    """A bet as it is kept. slip: its text."""

    wish: BetRequest
    slip: str


class _Asked(NamedTuple):
    """A request. digest: what tells it from another of its key. is_slip: not of a single bet."""

    key: str
    digest: str
    bets: tuple[_Bet | LedgerRejection, ...]
    is_slip: bool


class _Made(NamedTuple):
    """A bet to be written. place: of its request, and in it; back: the bet it replaces."""

    place: tuple[int, int]
    bet: _Bet
    standing: str
    back: OpenBet | None
    balance: int


Answer = BetReceipt | SlipReceipt | LedgerRejection


def place(
    ledger: Store, lease: Lease, wish: BetRequest, *, reading: ReadClock | None = None
) -> BetReceipt:
    """Place a bet, or change one. Raises LedgerRejection, LostLease, StoreError."""
    [answer] = place_all(ledger, lease, [wish], reading=reading)
    if isinstance(answer, LedgerRejection):
        raise answer
    assert isinstance(answer, BetReceipt)
    return answer


def place_all(
    ledger: Store,
    lease: Lease,
    wanted: Sequence[BetRequest | Slip],
    *,
    reading: ReadClock | None = None,
) -> list[Answer]:
    """Place bets of one table in one transaction; each is taken or refused by itself.

    reading: reads the clock of the table, None for one that has none. Raises LostLease,
    StoreError: then none was taken.
    """

    read = [_asked(request) for request in wanted]

    def write(db: Connection) -> list[Answer]:
        return _place_all(BetContext(ledger, db, lease.table, reading), ledger, read)

    return ledger.run(write, lease)


def withdraw(
    ledger: Store,
    lease: Lease,
    account: int,
    bet: int,
    key: str,
    *,
    reading: ReadClock | None = None,
) -> BetReceipt:
    """Take a bet back while bets are open. Raises LedgerRejection, LostLease, StoreError."""
    digest = requests.digest_of({"account": account, "withdraw": bet})
    requests.verify_key(key)

    def answer(db: Connection) -> BetReceipt | LedgerRejection:
        ledger.leave(ledger.before())  # also where nothing is changed
        try:
            return write(db)
        except LedgerRejection as refused:  # before anything was written
            return refused

    def write(db: Connection) -> BetReceipt:
        scope = f"bets {lease.table}"
        before = requests.answered(db, scope, key, digest)
        if before is not None:
            return BetReceipt._make((*before, True))
        desk = BetContext(ledger, db, lease.table, reading)
        if desk.why or desk.round is None:
            what = f"bets are closed at this table: {desk.why}"
            raise LedgerRejection("no_more_bets", what, "the bet stays as it is")
        desk.load([account], [], [bet])
        laid = desk.own(account, bet)
        desk.lift(laid)
        entry = Entry("withdrawal", desk.house.currency, lease.table, desk.round["id"])
        [posting] = books.post_all(db, [(entry, _given_back(desk, laid))], desk.now_ns)
        settling.close_stakes(db, [(bet, posting, "withdrawn", desk.now_ns)])
        left = desk.balances[account] + laid.staked.stake
        taken = BetReceipt(bet, int(desk.round["id"]), "withdrawn", left)
        requests.keep(db, scope, [(key, digest, taken[:4])], desk.now_ns)
        return taken

    found = ledger.run(answer, lease)
    if isinstance(found, LedgerRejection):
        raise found
    return found


def _asked(wanted: BetRequest | Slip) -> _Asked | LedgerRejection:
    try:
        requests.verify_key(wanted.key)
        if isinstance(wanted, BetRequest):
            bet = _Bet(wanted, slip_text(wanted.slip))
            digest = requests.digest_of(_told(bet) | {"replaces": wanted.replaces})
            return _Asked(wanted.key, digest, (bet,), False)
    except LedgerRejection as refused:
        return refused
    bets = tuple(_bet(wish) for wish in wanted.wishes)
    # What is no slip is refused whatever the others are, and was never kept as another.
    told = [_told(bet) if isinstance(bet, _Bet) else bet.what for bet in bets]
    digest = requests.digest_of({"account": wanted.account, "bets": told})
    return _Asked(wanted.key, digest, bets, True)


def _bet(wish: BetRequest) -> _Bet | LedgerRejection:
    try:
        return _Bet(wish, slip_text(wish.slip))
    except LedgerRejection as refused:
        return refused


def _told(bet: _Bet) -> dict[str, object]:
    wish = bet.wish
    return {
        "account": wish.account, "slip": bet.slip, "stake": wish.stake_cents, "round": wish.round
    }  # fmt: skip


def _place_all(
    desk: BetContext, ledger: Store, read: Sequence[_Asked | LedgerRejection]
) -> list[Answer]:
    db = desk.db
    asked = [each for each in read if isinstance(each, _Asked)]
    wishes = [bet.wish for each in asked for bet in each.bets if isinstance(bet, _Bet)]
    desk.load(
        (wish.account for wish in wishes),
        (wish.session for wish in wishes),
        (wish.replaces for wish in wishes),
    )
    scope = f"bets {desk.table}"
    answers: list[list[BetReceipt | LedgerRejection]] = [[] for _ in read]
    repeats: dict[int, Answer] = {}
    made: list[_Made] = []
    keys: set[str] = set()
    known = requests.kept(db, scope, [each.key for each in asked])
    for number, each in enumerate(read):
        try:
            if isinstance(each, LedgerRejection):
                raise each
            before = _before(known, each, keys)
        except LedgerRejection as refused:
            repeats[number] = refused
            continue
        if before is not None:
            repeats[number] = before
            continue
        count = len(made)
        answers[number] = _answered(desk, number, each, made)
        if len(made) > count:
            keys.add(each.key)
    ledger.at("verified")
    for taken, found in zip(_write(ledger, desk, made), made, strict=True):
        number, place = found.place
        answers[number][place] = taken
    kept = [
        (each.key, each.digest, _kept(each, answers[number]))
        for number in dict.fromkeys(found.place[0] for found in made)
        if isinstance(each := read[number], _Asked)
    ]
    requests.keep(db, scope, kept, desk.now_ns)
    ledger.at("kept")
    return [
        repeats[number] if number in repeats else _whole(each, answers[number])
        for number, each in enumerate(read)
    ]


def _answered(
    desk: BetContext, number: int, asked: _Asked, made: list[_Made]
) -> list[BetReceipt | LedgerRejection]:
    """Lay the bets of a new request on the desk; returns the answers to those refused.

    A bet that is made has none yet, another is in its place until it is written.
    """
    answers: list[BetReceipt | LedgerRejection] = []
    for place, bet in enumerate(asked.bets):
        try:
            if isinstance(bet, LedgerRejection):
                raise bet
            made.append(_made(desk, (number, place), bet, len(made)))
            answers.append(_NOT_WRITTEN)
        except LedgerRejection as refused:
            answers.append(refused)
            if refused.code == "no_more_bets" and isinstance(bet, _Bet):
                _note_late(desk, bet, refused.code)
    return answers


def _before(
    known: Mapping[str, tuple[str, Any]], asked: _Asked, keys: set[str]
) -> BetReceipt | SlipReceipt | None:
    """Return the answer given before, None for a new request. keys: taken with this one."""
    key = asked.key
    if key in keys:
        what = f"key {key[:40]!r} is that of another request sent with it"
        raise LedgerRejection("key_reused", what, "use a different key for every request", "key")
    found = known.get(key)
    if found is None:
        return None
    requests.verify_same(key, asked.digest, found[0])
    if not asked.is_slip:
        return BetReceipt._make((*found[1], True))
    bets = (
        LedgerRejection(*each["refused"])
        if isinstance(each, dict)
        else BetReceipt._make((*each, True))
        for each in found[1]
    )
    return SlipReceipt(tuple(bets), True)


def _kept(asked: _Asked, answers: Sequence[BetReceipt | LedgerRejection]) -> list[Any]:
    """Return the answer to a request as it is kept, see `_before`."""
    kept = [
        {"refused": [answer.code, answer.what, answer.step, answer.where]}
        if isinstance(answer, LedgerRejection)
        else answer[:4]
        for answer in answers
    ]
    return kept if asked.is_slip else list(kept[0])


def _whole(
    asked: _Asked | LedgerRejection, answers: Sequence[BetReceipt | LedgerRejection]
) -> Answer:
    assert isinstance(asked, _Asked)
    return SlipReceipt(tuple(answers)) if asked.is_slip else answers[0]


def _made(desk: BetContext, place: tuple[int, int], bet: _Bet, number: int) -> _Made:
    """Verify a bet and lay it on the desk, where those after it see it. Raises LedgerRejection."""
    wish = bet.wish
    standing = desk.standing(wish)
    back = desk.lay(wish, bet.slip, number, standing)
    return _Made(place, bet, standing, back, desk.balances[wish.account])


def _write(ledger: Store, desk: BetContext, made: Sequence[_Made]) -> list[BetReceipt]:
    if not made:
        return []
    assert desk.round is not None
    db, house, key = desk.db, desk.house, int(desk.round["id"])
    moves: list[tuple[Entry, Lines]] = []
    for found in made:
        if found.back is not None:
            entry = Entry("withdrawal", house.currency, desk.table, key)
            moves.append((entry, _given_back(desk, found.back)))
        wish = found.bet.wish
        cents = wish.stake_cents
        entry = Entry("bet", house.currency, desk.table, key)
        moves.append((entry, {wish.account: -cents, house.escrow: cents}))
    postings = iter(books.post_all(db, moves, desk.now_ns))
    ledger.at("posted")
    back, rows = [], []
    for found in made:
        if found.back is not None:
            back.append((found.back.staked.id, next(postings), "changed", desk.now_ns))
        rows.append(_row(desk, found, next(postings)))
    settling.close_stakes(db, back)
    numbers = insert_numbered(db, bets, _COLUMNS, rows)
    ledger.at("laid")
    late = [n for n, found in zip(numbers, made, strict=True) if found.standing == REFERRED]
    if late:  # one alarm a round, however many are sent
        text = f"{named(late)} came after no-more-bets: two users have to rule"
        alarm = Found(alarms.LATE_BET, text, desk.row["device"], desk.table, key)
        alarms.raise_once(db, alarm, desk.now_ns)
    return [
        BetReceipt(number, key, found.standing, found.balance)
        for number, found in zip(numbers, made, strict=True)
    ]


def _row(desk: BetContext, found: _Made, posting: int) -> tuple[Any, ...]:
    """Return the row of a bet, see _COLUMNS."""
    wish, opened = found.bet.wish, desk.opened_ns
    assert desk.round is not None
    return (
        desk.table, desk.round["id"], wish.account, found.bet.slip, wish.stake_cents,
        found.standing, desk.now_ns, None if opened is None else opened // MS, wish.session,
        wish.terminal, posting, wish.replaces, desk.clock_alarm,
        *(desk.device_time[name] for name in _DEVICE_TIME),
    )  # fmt: skip


def _given_back(desk: BetContext, laid: OpenBet) -> dict[int, int]:
    cents = laid.staked.stake
    return {laid.staked.account: cents, desk.house.escrow: -cents}


def _note_late(desk: BetContext, bet: _Bet, code: str) -> None:
    """Keep a request that came after no-more-bets, for the report of late bets."""
    wish = bet.wish
    if desk.round is None or desk.round["closed"] is None:
        return
    values = {
        "table_id": desk.table, "round_id": desk.round["id"], "player": str(wish.account),
        "slip": bet.slip, "stake_cents": min(max(wish.stake_cents, 0), 10**15),
        "code": code, "terminal": wish.terminal, "at_ns": desk.now_ns,
        "clock_alarm": desk.clock_alarm, **desk.device_time,
    }  # fmt: skip
    desk.db.execute(insert(late_refusals).values(**values))
