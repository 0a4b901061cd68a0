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
from tabletools.money.books import Entry, Lines
from tabletools.money.desk import REFERRED, Desk, Laid, ReadClock, Wish
from tabletools.money.games import slip_text
from tabletools.store import requests
from tabletools.store.clock import MS
from tabletools.store.database import Lease, Store
from tabletools.store.errors import Refused
from tabletools.store.rows import insert_numbered
from tabletools.store.schema.play import bets, late_refusals

__all__ = ["Taken", "Wish", "place", "place_all", "withdraw"]

_DEVICE_TIME = ("device_boot", "device_ms", "uncertainty_ms")
_COLUMNS = (
    "table_id", "round_id", "account_id", "slip", "stake_cents", "standing", "placed_ns",
    "after_open_ms", "session_id", "terminal", "posting_id", "replaces", "clock_alarm",
    *_DEVICE_TIME,
)  # fmt: skip


class Taken(NamedTuple):
    """The answer to a request that was carried out.

    standing: valid, referred (late: two users have to rule) or withdrawn. is_repeat: it was
    carried out before.
    """

    bet: int
    round: int
    standing: str
    balance_cents: int
    is_repeat: bool = False


class _Asked(NamedTuple):
    """A request as it is kept. slip: its text. digest: what tells it from another of its key."""

    wish: Wish
    slip: str
    digest: str


class _Made(NamedTuple):
    """A bet to be written. place: of its request; back: the bet it replaces."""

    place: int
    asked: _Asked
    standing: str
    back: Laid | None
    balance: int


def place(ledger: Store, lease: Lease, wish: Wish, *, reading: ReadClock | None = None) -> Taken:
    """Place a bet, or change one. Raises Refused, LostLease, StoreError."""
    [answer] = place_all(ledger, lease, [wish], reading=reading)
    if isinstance(answer, Refused):
        raise answer
    return answer


def place_all(
    ledger: Store,
    lease: Lease,
    wishes: Sequence[Wish],
    *,
    reading: ReadClock | None = None,
) -> list[Taken | Refused]:
    """Place bets of one table in one transaction; each is taken or refused by itself.

    reading: reads the clock of the table, None for one that has none. Raises LostLease,
    StoreError: then none was taken.
    """

    read = [_asked(wish) for wish in wishes]

    def write(db: Connection) -> list[Taken | Refused]:
        return _place_all(Desk(ledger, db, lease.table, reading), ledger, read)

    return ledger.run(write, lease)


def withdraw(
    ledger: Store,
    lease: Lease,
    account: int,
    bet: int,
    key: str,
    *,
    reading: ReadClock | None = None,
) -> Taken:
    """Take a bet back while bets are open. Raises Refused, LostLease, StoreError."""
    digest = requests.digest_of({"account": account, "withdraw": bet})
    requests.verify_key(key)

    def write(db: Connection) -> Taken:
        scope = f"bets {lease.table}"
        before = requests.answered(db, scope, key, digest)
        if before is not None:
            return Taken._make((*before, True))
        desk = Desk(ledger, db, lease.table, reading)
        if desk.why or desk.round is None:
            what = f"bets are closed at this table: {desk.why}"
            raise Refused("no_more_bets", what, "the bet stands")
        desk.load([account], [], [bet])
        laid = desk.own(account, bet)
        desk.lift(laid)
        entry = Entry("withdrawal", desk.house.currency, lease.table, desk.round["id"])
        [posting] = books.post_all(db, [(entry, _given_back(desk, laid))], desk.now_ns)
        settling.take_back(db, [(bet, posting, "withdrawn", desk.now_ns)])
        left = desk.balances[account] + laid.staked.stake
        taken = Taken(bet, int(desk.round["id"]), "withdrawn", left)
        requests.keep(db, scope, [(key, digest, taken[:4])], desk.now_ns)
        return taken

    return ledger.run(write, lease)


def _asked(wish: Wish) -> _Asked | Refused:
    try:
        requests.verify_key(wish.key)
        slip = slip_text(wish.slip)
    except Refused as refused:
        return refused
    request = {"account": wish.account, "slip": slip, "stake": wish.stake_cents}
    request |= {"round": wish.round, "replaces": wish.replaces}
    return _Asked(wish, slip, requests.digest_of(request))


def _place_all(
    desk: Desk, ledger: Store, read: Sequence[_Asked | Refused]
) -> list[Taken | Refused]:
    db, table = desk.db, desk.table
    wishes = [asked.wish for asked in read if isinstance(asked, _Asked)]
    desk.load(
        (wish.account for wish in wishes),
        (wish.session for wish in wishes),
        (wish.replaces for wish in wishes),
    )
    scope = f"bets {table}"
    answers: list[Taken | Refused | None] = [None] * len(read)
    made: list[_Made] = []
    keys: set[str] = set()
    known = requests.kept(db, scope, [wish.key for wish in wishes])
    for number, asked in enumerate(read):
        if isinstance(asked, Refused):
            answers[number] = asked
            continue
        try:
            before = _before(known, asked, keys)
            if before is None:
                made.append(_made(desk, number, asked))
                keys.add(asked.wish.key)
            else:
                answers[number] = Taken._make((*before, True))
        except Refused as refused:
            answers[number] = refused
            if refused.code == "no_more_bets":
                _note_late(desk, asked, refused.code)
    ledger.at("verified")
    for taken, found in zip(_write(ledger, desk, made), made, strict=True):
        answers[found.place] = taken
    kept = [
        (found.asked.wish.key, found.asked.digest, answers[found.place][:4])  # type: ignore[index]
        for found in made
    ]
    requests.keep(db, scope, kept, desk.now_ns)
    ledger.at("kept")
    assert None not in answers
    return answers  # type: ignore[return-value]


def _before(
    known: Mapping[str, tuple[str, Any]], asked: _Asked, keys: set[str]
) -> list[Any] | None:
    """Return the answer given before, None for a new request. keys: taken with this one."""
    key = asked.wish.key
    if key in keys:
        what = f"key {key[:40]!r} is that of another request sent with it"
        raise Refused("key_reused", what, "give every request a key of its own", "key")
    found = known.get(key)
    if found is None:
        return None
    requests.verify_same(key, asked.digest, found[0])
    answer: list[Any] = found[1]
    return answer


def _made(desk: Desk, number: int, asked: _Asked) -> _Made:
    """Verify a wish and lay it on the desk, where those after it see it. Raises Refused."""
    wish, slip = asked.wish, asked.slip
    standing = desk.standing(wish)
    back = desk.lay(wish, slip, number, standing)
    return _Made(number, asked, standing, back, desk.balances[wish.account])


def _write(ledger: Store, desk: Desk, made: Sequence[_Made]) -> list[Taken]:
    if not made:
        return []
    assert desk.round is not None
    db, house, key = desk.db, desk.house, int(desk.round["id"])
    moves: list[tuple[Entry, Lines]] = []
    for found in made:
        if found.back is not None:
            entry = Entry("withdrawal", house.currency, desk.table, key)
            moves.append((entry, _given_back(desk, found.back)))
        wish = found.asked.wish
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
    settling.take_back(db, back)
    numbers = insert_numbered(db, bets, _COLUMNS, rows)
    ledger.at("laid")
    for number, found in zip(numbers, made, strict=True):
        if found.standing == REFERRED:
            text = f"bet {number} came after no-more-bets: two users have to rule"
            told = Found(alarms.LATE_BET, text, desk.row["device"], desk.table, key)
            alarms.raise_alarm(db, told, desk.now_ns)
    return [
        Taken(number, key, found.standing, found.balance)
        for number, found in zip(numbers, made, strict=True)
    ]


def _row(desk: Desk, found: _Made, posting: int) -> tuple[Any, ...]:
    """Return the row of a bet, see _COLUMNS."""
    wish, opened = found.asked.wish, desk.opened_ns
    assert desk.round is not None
    return (
        desk.table, desk.round["id"], wish.account, found.asked.slip, wish.stake_cents,
        found.standing, desk.now_ns, None if opened is None else opened // MS, wish.session,
        wish.terminal, posting, wish.replaces, desk.clock_alarm,
        *(desk.device_time[name] for name in _DEVICE_TIME),
    )  # fmt: skip


def _given_back(desk: Desk, laid: Laid) -> dict[int, int]:
    cents = laid.staked.stake
    return {laid.staked.account: cents, desk.house.escrow: -cents}


def _note_late(desk: Desk, asked: _Asked, code: str) -> None:
    """Keep a request that came after no-more-bets, for the report of late bets."""
    wish = asked.wish
    if desk.round is None or desk.round["closed"] is None:
        return
    values = {
        "table_id": desk.table, "round_id": desk.round["id"], "player": str(wish.account),
        "slip": asked.slip, "stake_cents": min(max(wish.stake_cents, 0), 10**15),
        "code": code, "terminal": wish.terminal, "at_ns": desk.now_ns,
        "clock_alarm": desk.clock_alarm, **desk.device_time,
    }  # fmt: skip
    desk.db.execute(insert(late_refusals).values(**values))
