"""Place, change and withdraw bets while the round is open.

Every request has a key; sent again, it gets the same answer and is carried out once. Several
requests of one table may share a transaction; each is answered on its own. If the transaction
fails, no bet of it is accepted.

Bets of a player whose money is in an external wallet take two transactions: `reserve_all` judges
them and writes the stakes to be debited, `place_all` places them once those are debited.
"""

import json
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import insert

from tabletools.evidence import alarms
from tabletools.evidence.alarms import AlarmCause
from tabletools.money import wallet_transfers
from tabletools.money.referring import named
from tabletools.money.wallet_transfers import NewStake, Transfer
from tabletools.rules.codes.bets import BET_NOT_IN_ROUND
from tabletools.store import books, requests
from tabletools.store.books import Entry, Lines
from tabletools.store.clock import MS
from tabletools.store.database import Lease, Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.store.rows import insert_with_numbers
from tabletools.store.schema.play import bets, late_refusals
from tabletools.table import settling, shell
from tabletools.table.bet_context import BetContext, BetRequest, CallRequest, ReadClock, Slip
from tabletools.table.shell import Batch, Turn, scope_of
from tabletools.table.slips import StoredBet, bets_of_call, slip_text
from tabletools.table.state import REFERRED, OpenBet

__all__ = [
    "BetReceipt",
    "BetRequest",
    "CallRequest",
    "Reservation",
    "Slip",
    "SlipReceipt",
    "place",
    "place_all",
    "reserve_all",
    "withdraw",
]

_DEVICE_TIME = ("device_boot", "device_ms", "uncertainty_ms")
_UNLIMITED = 1 << 60
"""Cents that a player of an external wallet is taken to have, until the wallet says."""
_MEASURED = re.compile(r"^bets\[\d+\]")
_COLUMNS = (
    "table_id",
    "round_id",
    "account_id",
    "slip",
    "stake_cents",
    "standing",
    "placed_ns",
    "after_open_ms",
    "session_id",
    "terminal",
    "posting_id",
    "replaces",
    "clock_alarm",
    *_DEVICE_TIME,
)


class BetReceipt(NamedTuple):
    """The answer to a request that was carried out.

    standing: valid, referred (late: two users have to rule) or withdrawn. is_repeat: the request
    had been carried out before.
    """

    bet: int
    round: int
    standing: str
    balance_cents: int
    is_repeat: bool = False


_NOT_WRITTEN = BetReceipt(0, 0, "", 0)
"""Takes the place of an answer until the bet is written."""


class SlipReceipt(NamedTuple):
    """The answers to the bets of a slip, in order. Stored if at least one bet was accepted.

    is_repeat: the request had been carried out before.
    """

    bets: tuple[BetReceipt | LedgerRejection, ...]
    is_repeat: bool = False


class _Bet(NamedTuple):
    """A requested bet with the stored text of its slip."""

    request: BetRequest
    slip: str


class _Request(NamedTuple):
    """A request. digest: of its content, to detect a key used twice. is_slip: not a single bet.

    call: of a call bet, whose bets the terms of the round say.
    """

    key: str
    digest: str
    bets: tuple[_Bet | LedgerRejection, ...]
    is_slip: bool
    call: BetRequest | None = None

    @property
    def wanted(self) -> list[BetRequest]:
        """What is requested, as far as it can be read."""
        own = [] if self.call is None else [self.call]
        return own + [bet.request for bet in self.new_bets]

    @property
    def new_bets(self) -> list[_Bet]:
        """The bets that are valid slips."""
        return [bet for bet in self.bets if isinstance(bet, _Bet)]


class _NewBet(NamedTuple):
    """A bet to be written.

    place: index of the request, and of the bet in it; back: the bet it replaces.
    """

    place: tuple[int, int]
    bet: _Bet
    standing: str
    back: OpenBet | None
    balance: int


Answer = BetReceipt | SlipReceipt | LedgerRejection


class Reservation(NamedTuple):
    """A request whose bets would be accepted now. stake: to be debited for it, None if the stake
    of the bet that it replaces is enough."""

    stake: Transfer | None


class _Judged(NamedTuple):
    """Requests as judged, none of them written.

    answers: by request, to each of its bets that was refused; repeats: to whole requests.
    """

    answers: list[list[BetReceipt | LedgerRejection]]
    repeats: dict[int, Answer]
    new_bets: list[_NewBet]


def place(
    ledger: Store, lease: Lease, request: BetRequest, *, reading: ReadClock | None = None
) -> BetReceipt:
    """Place a bet, or change one. Raises LedgerRejection, LostLease, StoreError."""
    [answer] = place_all(ledger, lease, [request], reading=reading)
    if isinstance(answer, LedgerRejection):
        raise answer
    assert isinstance(answer, BetReceipt)
    return answer


def place_all(
    ledger: Store,
    lease: Lease,
    wanted: Sequence[BetRequest | Slip | CallRequest],
    *,
    reading: ReadClock | None = None,
    stakes: Mapping[str, Transfer] = MappingProxyType({}),
) -> list[Answer]:
    """Place bets of one table in one transaction; each is accepted or refused on its own.

    reading: reads the clock of the table, None for a table without one. stakes: what the wallet
    was debited for requests, by their key; none of these requests is referred, and the stake of
    one without an accepted bet is to be reversed. Raises LostLease, StoreError; then no bet was
    accepted.
    """
    read = [_parsed_request(request) for request in wanted]
    return shell.run(
        ledger,
        lease,
        lambda turn: _place_all(BetContext(turn, reading, refers=not stakes), read, stakes),
        batch=_batch_of(read),
    )


def reserve_all(
    ledger: Store,
    lease: Lease,
    wanted: Sequence[BetRequest | Slip | CallRequest],
    day: str,
    *,
    reading: ReadClock | None = None,
) -> list[Answer | Reservation]:
    """Judge bets as if their players had the money, and write the stakes to be debited for them.

    Places none; a request that is refused, or was carried out before, has its answer. day: the
    gaming day. Raises LostLease, StoreError; then no stake may be debited.
    """
    read = [_parsed_request(request) for request in wanted]
    return shell.run(
        ledger,
        lease,
        lambda turn: _reserve_all(BetContext(turn, reading, refers=False), read, day),
        batch=_batch_of(read),
    )


def answered_all(
    ledger: Store, lease: Lease, wanted: Sequence[BetRequest | Slip | CallRequest]
) -> list[Answer | None]:
    """Return the answers to requests that were carried out before, None for the others.

    Raises LostLease, StoreError.
    """
    read = [_parsed_request(request) for request in wanted]

    def answer(turn: Turn) -> list[Answer | None]:
        return [_known_answer(turn.batch.answers, each, set()) for each in read]

    return shell.run(ledger, lease, answer, batch=_batch_of(read))


def _known_answer(
    known: Mapping[str, tuple[str, Any]], requested: _Request | LedgerRejection, keys: set[str]
) -> Answer | None:
    """Return the answer to a request that cannot be read, or is not new. keys: of this batch."""
    if isinstance(requested, LedgerRejection):
        return requested
    try:
        return _repeated_answer(known, requested, keys)
    except LedgerRejection as refused:
        return refused


def withdraw(
    ledger: Store,
    lease: Lease,
    account: int,
    bet: int,
    key: str,
    *,
    reading: ReadClock | None = None,
) -> BetReceipt:
    """Withdraw a bet while bets are open, and with it the bets of the player that need it.

    Raises LedgerRejection, LostLease, StoreError.
    """
    digest = requests.digest_of({"account": account, "withdraw": bet})
    requests.verify_key(key)

    def answer(turn: Turn) -> BetReceipt | LedgerRejection:
        try:
            return write(turn)
        except LedgerRejection as refused:  # before anything was written
            return refused

    def write(turn: Turn) -> BetReceipt:
        before = turn.batch.answers.get(key)
        if before is not None:
            requests.verify_same(key, digest, before[0])
            return BetReceipt._make((*before[1], True))
        context = BetContext(turn, reading)
        if context.why or context.round is None:
            what = f"bets are closed at this table: {context.why}"
            raise LedgerRejection("no_more_bets", what, "the bet stays as it is")
        context.load([account], [], [bet])
        gone = _remove(context, account, bet)
        _return_stakes(context, gone)
        left = context.balances[account] + sum(each.staked.stake for each in gone)
        receipt = BetReceipt(bet, context.round.id, "withdrawn", left)
        answers = [(key, digest, receipt[:4])]
        requests.keep(turn.db, scope_of(turn.table), answers, context.now_ns)
        return receipt

    receipt = shell.run(ledger, lease, answer, batch=Batch([account], [key]))
    if isinstance(receipt, LedgerRejection):
        raise receipt
    return receipt


def _remove(context: BetContext, account: int, bet: int) -> list[OpenBet]:
    """Remove a bet, then those that the table does not accept without it; returns all of them.

    Raises LedgerRejection.
    """
    gone = [context.withdrawable(account, bet)]
    context.remove(gone[0])
    while (objection := context.objection(account)) is not None:
        why, needs_it = objection
        if why.code != BET_NOT_IN_ROUND.name:
            break  # not of this bet: the limits of the table were changed
        gone.append(context.withdrawable(account, needs_it))
        context.remove(gone[-1])
    return gone


def _return_stakes(context: BetContext, gone: Sequence[OpenBet]) -> None:
    assert context.round is not None
    key, now_ns = context.round.id, context.now_ns
    entry = Entry("withdrawal", context.accounts.currency, context.table, key)
    moves = [(entry, _refund_lines(context, each)) for each in gone]
    postings = books.post_all(context.db, moves, now_ns)
    returned = zip(gone, postings, strict=True)
    rows = [(each.staked.id, posting, "withdrawn", now_ns) for each, posting in returned]
    settling.close_stakes(context.db, rows)
    for each in gone:
        context.round.give_back(each.staked.id, now_ns)


def _parsed_request(wanted: BetRequest | Slip | CallRequest) -> _Request | LedgerRejection:
    try:
        if isinstance(wanted, CallRequest):
            return _parsed_call(wanted.request)
        requests.verify_key(wanted.key)
        if isinstance(wanted, BetRequest):
            bet = _Bet(wanted, slip_text(wanted.slip))
            digest = requests.digest_of(_fields_of(bet) | {"replaces": wanted.replaces})
            return _Request(wanted.key, digest, (bet,), False)
    except LedgerRejection as refused:
        return refused
    bets = tuple(_parsed_bet(request) for request in wanted.bets)
    # An invalid slip is refused whatever the others are; it was never stored under another key.
    fields = [_fields_of(bet) if isinstance(bet, _Bet) else bet.what for bet in bets]
    digest = requests.digest_of({"account": wanted.account, "bets": fields})
    return _Request(wanted.key, digest, bets, True)


def _parsed_call(call: BetRequest) -> _Request:
    requests.verify_key(call.key)
    fields = dict(call.slip) | {"stake": call.stake_cents, "round": call.round}
    digest = requests.digest_of({"account": call.account, "call": fields})
    return _Request(call.key, digest, (), True, call)


def _parsed_bet(request: BetRequest) -> _Bet | LedgerRejection:
    try:
        return _Bet(request, slip_text(request.slip))
    except LedgerRejection as refused:
        return refused


def _fields_of(bet: _Bet) -> dict[str, object]:
    request = bet.request
    return {
        "account": request.account,
        "slip": bet.slip,
        "stake": request.stake_cents,
        "round": request.round,
    }


def _batch_of(read: Sequence[_Request | LedgerRejection]) -> Batch:
    requested = [each for each in read if isinstance(each, _Request)]
    players = {request.account for each in requested for request in each.wanted}
    return Batch(players, {each.key for each in requested})


def _place_all(
    context: BetContext,
    read: Sequence[_Request | LedgerRejection],
    stakes: Mapping[str, Transfer] = MappingProxyType({}),
) -> list[Answer]:
    read, paid = _paid_of(context, read, stakes) if stakes else (read, {})
    judged = _judge_all(context, read, paid)
    answers, new_bets = judged.answers, judged.new_bets
    context.turn.store.at("verified")
    used = {new.place[0] for new in new_bets}
    booked = {number: stake for number, stake in paid.items() if number in used}
    for receipt, new in zip(_write(context, new_bets, booked), new_bets, strict=True):
        number, place = new.place
        answers[number][place] = receipt
    if stakes:
        unused = {one.id for one in stakes.values()} - {one.id for one in booked.values()}
        wallet_transfers.undo_stakes(context.db, unused, "its bets were not accepted in time")
    stored = [
        (each.key, each.digest, _stored_answer(each, answers[number]))
        for number in dict.fromkeys(new.place[0] for new in new_bets)
        if isinstance(each := read[number], _Request)
    ]
    requests.keep(context.db, scope_of(context.table), stored, context.now_ns)
    context.turn.store.at("kept")
    return _answers_of(read, judged)


def _answers_of(read: Sequence[_Request | LedgerRejection], judged: _Judged) -> list[Answer]:
    return [
        judged.repeats[number] if number in judged.repeats else _joined_answer(each, answers)
        for number, (each, answers) in enumerate(zip(read, judged.answers, strict=True))
    ]


def _paid_of(
    context: BetContext,
    read: Sequence[_Request | LedgerRejection],
    stakes: Mapping[str, Transfer],
) -> tuple[Sequence[_Request | LedgerRejection], dict[int, Transfer]]:
    """Return the requests, those refused whose stake was given up meanwhile or whose round is
    over, and the stakes of the others by index."""
    present = None if context.round is None else context.round.id
    usable = wallet_transfers.lock_requested(context.db, {one.id for one in stakes.values()})
    requested: list[_Request | LedgerRejection] = []
    paid: dict[int, Transfer] = {}
    for number, each in enumerate(read):
        stake = stakes.get(each.key) if isinstance(each, _Request) else None
        if stake is None:
            requested.append(each)
        elif stake.id not in usable:
            what = f"the stake of {stake.cents} cents was given up: the wallet took too long"
            requested.append(LedgerRejection("wallet_late", what, "place the bet again"))
        elif stake.round != present:  # a bet that names no round is of the one it was judged in
            what = f"round {stake.round} ended before the wallet had debited the stake"
            requested.append(LedgerRejection("no_more_bets", what, "bet on the next round"))
        else:
            requested.append(each)
            paid[number] = stake
    return requested, paid


def _judge_all(
    context: BetContext,
    read: Sequence[_Request | LedgerRejection],
    paid: Mapping[int, Transfer] = MappingProxyType({}),
) -> _Judged:
    """Add the bets of requests to the context, in order. paid: by index of the request."""
    requested = [each for each in read if isinstance(each, _Request)]
    wanted = [request for each in requested for request in each.wanted]
    context.load(
        (request.account for request in wanted),
        (request.session for request in wanted),
        (request.replaces for request in wanted),
    )
    judged = _Judged([[] for _ in read], {}, [])
    keys: set[str] = set()
    known = context.turn.batch.answers
    for number, each in enumerate(read):
        before = _known_answer(known, each, keys)
        if before is not None:
            judged.repeats[number] = before
            continue
        assert isinstance(each, _Request)
        count, stake = len(judged.new_bets), paid.get(number)
        if stake is not None:
            context.fund(stake.account, stake.cents)
        add = _add_bets if each.call is None else _add_call
        judged.answers[number] = add(context, number, each, judged.new_bets)
        if len(judged.new_bets) > count:
            keys.add(each.key)
        elif stake is not None:
            context.fund(stake.account, -stake.cents)
    return judged


def _reserve_all(
    context: BetContext, read: Sequence[_Request | LedgerRejection], day: str
) -> list[Answer | Reservation]:
    for account in context.balances:
        context.fund(account, _UNLIMITED)
    judged = _judge_all(context, read)
    if judged.new_bets and context.turn.state.stakes is not None:
        context.turn.state.renew_stakes()  # what was added to them is not placed
    wanted = _stakes_of(context, judged)
    due = {number: stake for number, stake in wanted.items() if stake.cents > 0}
    written = wallet_transfers.request_stakes(context.db, list(due.values()), day, context.now_ns)
    stakes = dict(zip(due, written, strict=True))
    context.turn.store.at("reserved")
    return [
        Reservation(stakes.get(number)) if number in wanted else answer
        for number, answer in enumerate(_answers_of(read, judged))
    ]


def _stakes_of(context: BetContext, judged: _Judged) -> dict[int, NewStake]:
    """Return what the bets of each request cost its player, by its index."""
    stakes: dict[int, NewStake] = {}
    for new in judged.new_bets:
        assert context.round is not None
        number, request = new.place[0], new.bet.request
        cents = request.stake_cents - (0 if new.back is None else new.back.staked.stake)
        if (before := stakes.get(number)) is not None:
            cents += before.cents
        stakes[number] = NewStake(request.account, cents, context.table, context.round.id)
    return stakes


def _add_bets(
    context: BetContext, number: int, requested: _Request, new_bets: list[_NewBet]
) -> list[BetReceipt | LedgerRejection]:
    """Add the bets of a new request to the context; returns the answers to the refused ones.

    Bets may need each other: those that the table accepts together are added. The place of an
    accepted bet holds another value until the bet is written.
    """
    wanted = {place: bet for place, bet in enumerate(requested.bets) if isinstance(bet, _Bet)}
    refused = _add_together(context, number, wanted, new_bets)
    for place, refusal in refused.items():
        if refusal.code == "no_more_bets":
            _note_late(context, wanted[place], refusal.code)
    return [
        _at_place(
            bet if isinstance(bet, LedgerRejection) else refused.get(place),
            place,
            is_slip=requested.is_slip,
        )
        for place, bet in enumerate(requested.bets)
    ]


def _add_call(
    context: BetContext, number: int, requested: _Request, new_bets: list[_NewBet]
) -> list[BetReceipt | LedgerRejection]:
    """Add all bets of a call bet to the context, or none; returns the refusals."""
    call = requested.call
    assert call is not None
    saved, count = context.snapshot(call.account), len(new_bets)
    try:
        context.standing(call)
        slips = bets_of_call(context.terms, call.slip, call.stake_cents)
    except LedgerRejection as refusal:
        if refusal.code == "no_more_bets":
            _note_late(context, _Bet(call, json.dumps(dict(call.slip))), refusal.code)
        return [refusal]
    bets = tuple(
        _Bet(call._replace(slip=slip, stake_cents=cents), slip_text(slip)) for slip, cents in slips
    )
    answers = _add_bets(context, number, requested._replace(bets=bets), new_bets)
    refused = [each for each in answers if isinstance(each, LedgerRejection)]
    if not refused:
        return answers
    context.take_back([(new.bet.request, new.bet.slip) for new in new_bets[count:]])
    context.go_back(saved)
    del new_bets[count:]
    why = refused[0]
    return [LedgerRejection(why.code, why.what, why.step, "call")]


def _at_place(
    refusal: LedgerRejection | None, place: int, *, is_slip: bool
) -> BetReceipt | LedgerRejection:
    """Return a refusal with the bet's place in its request, not among all that were measured.

    is_slip: the request has several bets, so every field is that of one of them.
    """
    if refusal is None:
        return _NOT_WRITTEN
    where = _MEASURED.sub(f"bets[{place}]", refusal.where)
    if is_slip and where and not where.startswith("bets["):
        where = f"bets[{place}].{where}"
    return LedgerRejection(refusal.code, refusal.what, refusal.step, where)


def _add_together(
    context: BetContext, number: int, wanted: Mapping[int, _Bet], new_bets: list[_NewBet]
) -> dict[int, LedgerRejection]:
    """Add those bets of a player that the table accepts together; returns why not the others."""
    why: dict[int, LedgerRejection] = {}  # the first refusal of each
    left = dict(wanted)
    while left:
        account = next(iter(left.values())).request.account
        saved, count = context.snapshot(account), len(new_bets)
        for place, bet in left.items():
            try:
                new_bets.append(_add_bet(context, (number, place), bet, len(new_bets)))
            except LedgerRejection as refusal:
                why.setdefault(place, refusal)
        new = {-1 - index: added.place[1] for index, added in enumerate(new_bets[count:], count)}
        objection = context.objection(account) if new else None
        if objection is None:
            return {place: why[place] for place in wanted if place not in new.values()}
        context.go_back(saved)
        del new_bets[count:]
        against, bet_named = objection
        if bet_named not in new and len(left) > 1:  # in play before: each is tried alone
            refused = {place: why[place] for place in wanted if place not in left}
            for place, bet in left.items():
                refused |= _add_together(context, number, {place: bet}, new_bets)
            return refused
        out = new.get(bet_named, next(iter(left)))
        why.setdefault(out, against)
        del left[out]
    return why


def _repeated_answer(
    known: Mapping[str, tuple[str, Any]], requested: _Request, keys: set[str]
) -> BetReceipt | SlipReceipt | None:
    """Return the stored answers to repeated requests, None for new ones. keys: of this batch."""
    key = requested.key
    if key in keys:
        what = f"key {key[:40]!r} was already used for another request"
        raise LedgerRejection("key_reused", what, "use a different key for every request", "key")
    before = known.get(key)
    if before is None:
        return None
    requests.verify_same(key, requested.digest, before[0])
    if not requested.is_slip:
        return BetReceipt._make((*before[1], True))
    bets = (
        LedgerRejection(*each["refused"])
        if isinstance(each, dict)
        else BetReceipt._make((*each, True))
        for each in before[1]
    )
    return SlipReceipt(tuple(bets), True)


def _stored_answer(
    requested: _Request, answers: Sequence[BetReceipt | LedgerRejection]
) -> list[Any]:
    """Return the answer to a request as it is stored, see `_repeated_answer`."""
    texts = [
        {"refused": [answer.code, answer.what, answer.step, answer.where]}
        if isinstance(answer, LedgerRejection)
        else answer[:4]
        for answer in answers
    ]
    return texts if requested.is_slip else list(texts[0])


def _joined_answer(
    requested: _Request | LedgerRejection, answers: Sequence[BetReceipt | LedgerRejection]
) -> Answer:
    assert isinstance(requested, _Request)
    return SlipReceipt(tuple(answers)) if requested.is_slip else answers[0]


def _add_bet(context: BetContext, place: tuple[int, int], bet: _Bet, number: int) -> _NewBet:
    """Verify a bet and add it to the context, for the bets after it. Raises LedgerRejection."""
    request = bet.request
    standing = context.standing(request)
    bet = bet._replace(slip=context.at_table(request, bet.slip))
    back = context.place(request, bet.slip, number, standing)
    return _NewBet(place, bet, standing, back, context.balances[request.account])


def _write(
    context: BetContext, new_bets: Sequence[_NewBet], paid: Mapping[int, Transfer]
) -> list[BetReceipt]:
    """Write new bets. paid: the stakes that were debited for their requests."""
    if not new_bets:
        return []
    assert context.round is not None
    db, accounts, key = context.db, context.accounts, context.round.id
    debited = list(paid.values())
    moves: list[tuple[Entry, Lines]] = [
        wallet_transfers.lines_of_stake(db, stake, context.now_ns) for stake in debited
    ]
    for new in new_bets:
        if new.back is not None:
            entry = Entry("withdrawal", accounts.currency, context.table, key)
            moves.append((entry, _refund_lines(context, new.back)))
        request = new.bet.request
        cents = request.stake_cents
        entry = Entry("bet", accounts.currency, context.table, key)
        moves.append((entry, {request.account: -cents, accounts.escrow: cents}))
    postings = iter(books.post_all(db, moves, context.now_ns))
    context.turn.store.at("posted")
    booked = {stake.id: next(postings) for stake in debited}
    wallet_transfers.book_stakes(db, booked, context.now_ns)
    back, rows = [], []
    for new in new_bets:
        if new.back is not None:
            back.append((new.back.staked.id, next(postings), "changed", context.now_ns))
        rows.append(_row(context, new, next(postings)))
    settling.close_stakes(db, back)
    numbers = insert_with_numbers(db, bets, _COLUMNS, rows)
    context.turn.store.at("inserted")
    for number, new in zip(numbers, new_bets, strict=True):
        _enter(context, number, new)
    late = [n for n, new in zip(numbers, new_bets, strict=True) if new.standing == REFERRED]
    if late:  # one alarm per round, however many late bets there are
        text = f"{named(late)} came after no-more-bets: two users have to rule"
        device = context.turn.shared.device
        alarm = AlarmCause(alarms.LATE_BET, text, device, context.table, key)
        alarms.raise_once(db, alarm, context.now_ns)
    return [
        BetReceipt(number, key, new.standing, new.balance)
        for number, new in zip(numbers, new_bets, strict=True)
    ]


def _enter(context: BetContext, number: int, new: _NewBet) -> None:
    """Enter a bet that was written in the state of its round."""
    assert context.round is not None
    request = new.bet.request
    if new.back is not None:
        context.round.give_back(new.back.staked.id, context.now_ns)
    staked = StoredBet(number, request.account, new.bet.slip, request.stake_cents, None)
    context.round.bets[number] = OpenBet(staked, True, new.standing, context.clock)


def _row(context: BetContext, new: _NewBet, posting: int) -> tuple[Any, ...]:
    """Return the row of a bet, see _COLUMNS."""
    request, opened = new.bet.request, context.opened_ns
    assert context.round is not None
    return (
        context.table,
        context.round.id,
        request.account,
        new.bet.slip,
        request.stake_cents,
        new.standing,
        context.now_ns,
        None if opened is None else opened // MS,
        request.session,
        request.terminal,
        posting,
        request.replaces,
        context.clock_alarm,
        *context.clock,
    )


def _refund_lines(context: BetContext, open_bet: OpenBet) -> dict[int, int]:
    cents = open_bet.staked.stake
    return {open_bet.staked.account: cents, context.accounts.escrow: -cents}


def _note_late(context: BetContext, bet: _Bet, code: str) -> None:
    """Store a request that came after no-more-bets, for the report of late bets."""
    request = bet.request
    if context.round is None or context.round.closed is None:
        return
    values = {
        "table_id": context.table,
        "round_id": context.round.id,
        "player": str(request.account),
        "slip": bet.slip,
        "stake_cents": min(max(request.stake_cents, 0), 10**15),
        "code": code,
        "terminal": request.terminal,
        "at_ns": context.now_ns,
        "clock_alarm": context.clock_alarm,
        **dict(zip(_DEVICE_TIME, context.clock, strict=True)),
    }
    number = context.db.execute(
        insert(late_refusals).values(**values).returning(late_refusals.c.id)
    ).scalar_one()
    facts = {name: values[name] for name in ("stake_cents", "code")}
    data = {"late": number, "round": context.round.id, "table": context.table, **facts}
    name, kind = f"late-{number}", "tablewire.bet.late"
    event = OutboxEvent(name, kind, f"round/{context.round.id}", data, context.table)
    enqueue(context.db, event, context.now_ns)
