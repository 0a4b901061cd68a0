"""Settles the rounds of a ledger a second time and compares every line."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, exists, func, select, text

from tabletools.shadow import Impossible, Unjudged, Verdict
from tabletools.shadow.settled_round import (
    PAID,
    Difference,
    line_differences,
    meters_after,
    settle_again,
    undone,
)
from tabletools.shadow.verdict import GARBLED, Cents
from tabletools.store.schema.books import accounts, ledger_lines, postings
from tabletools.store.schema.evidence import frames
from tabletools.store.schema.play import (
    bets,
    referrals,
    round_settlements,
    rounds,
    settlements,
    tables,
    terms,
    withdrawals,
)


@dataclass
class Report:
    """The result. settlements, bets: those judged; unjudged: by game and reason."""

    settlements: int = 0
    bets: int = 0
    games: Counter[str] = field(default_factory=Counter)
    unjudged: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)


def check(db: Connection, first_ns: int = 0, end_ns: int | None = None) -> Report:
    """Settle again what was settled from first_ns to before end_ns, on an open transaction."""
    report, known = Report(), dict[int, tuple[int, int]]()
    col = round_settlements.c
    query = select(col.round_id, col.generation).where(col.at_ns >= first_ns)
    if end_ns is not None:
        query = query.where(col.at_ns < end_ns)
    for key, generation in db.execute(query.order_by(col.round_id, col.generation)).all():
        _check_settlement(db, key, generation, report, known)
    report.differences += _adjustments(db)
    return report


_ADJUSTED = """
SELECT p.id, coalesce(sum(CASE WHEN a.kind = 'player' THEN l.amount_cents END), 0),
    coalesce(sum(CASE WHEN a.kind = 'house' THEN l.amount_cents END), 0),
    coalesce(sum(CASE WHEN a.kind NOT IN ('player', 'house') THEN 1 END), 0),
    coalesce(max(j.amount_cents), 0)
FROM postings p LEFT JOIN adjustments j ON j.posting_id = p.id
LEFT JOIN ledger_lines l ON l.posting_id = p.id LEFT JOIN accounts a ON a.id = l.account_id
WHERE p.kind = 'adjustment' GROUP BY p.id ORDER BY p.id
"""


def _adjustments(db: Connection) -> Iterator[Difference]:
    """Check that money moved by hand went between a player and a bank, as two users decided."""
    for posting, player, bank, others, decided in db.execute(text(_ADJUSTED)):
        if (player, bank, others) != (decided, -decided, 0) or not decided:
            had = f"moved {player} cents to players and {bank} to banks"
            wanted = f"expects {decided}, as two users decided"
            yield Difference(f"adjustment {posting}", had, wanted)


def _check_settlement(
    db: Connection, key: int, generation: int, report: Report, known: dict[int, tuple[int, int]]
) -> None:
    """known: of each meter, its level before a posting that an earlier round needed."""
    row = _settlement(db, key, generation)
    lines = _lines(db, key, generation)
    where = f"round {key} (device {row.device} number {row.number}, {row.game})"
    if generation > 1:
        where += f", generation {generation}"
    meters_before = _meters(db, row, key, known)
    levels = {name: meter.cents for name, meter in meters_before.items()}
    try:
        verdicts = settle_again(row, lines, levels)
        after = meters_after(row, lines, levels)
    except Unjudged as unjudged:
        report.unjudged[f"{row.game}: {unjudged}"] += 1
        return
    except (Impossible, *GARBLED) as error:
        paid = f"settled {len(lines)} bets"
        report.differences.append(Difference(where, paid, f"cannot: {error}"))
        return
    report.settlements += 1
    report.bets += len(lines)
    report.games[row.game] += 1
    for line, wanted in zip(lines, verdicts, strict=True):
        report.differences += line_differences(where, line, wanted)
    report.differences += _money(db, where, row.posting_id, lines, verdicts)
    report.differences += undone(where, row, lines, _frames(db, row))
    if row.game == "poker_room":
        report.differences += _rake(db, where, row.posting_id, verdicts)
    report.differences += _meter_lines(db, where, (key, generation), row, meters_before, after)
    if generation == row.settled:
        report.differences += (
            Difference(f"{where}, bet {bet}", "no settlement of it", "expects one")
            for bet in _left_out(db, key, generation)
        )


def _settlement(db: Connection, key: int, generation: int) -> Row[Any]:
    col = round_settlements.c
    query = (
        select(
            col.outcome,
            col.is_void,
            col.posting_id,
            col.first_user,
            rounds.c.device,
            rounds.c.number,
            rounds.c.opened,
            rounds.c.closed,
            rounds.c.ended,
            rounds.c.settled,
            rounds.c.table_id,
            tables.c.currency,
            terms.c.game,
            terms.c.rules,
            terms.c.variant,
            terms.c.options,
            terms.c.limits,
            terms.c.void_policy,
        )
        .join(rounds, rounds.c.id == col.round_id)
        .join(terms, terms.c.id == rounds.c.terms_id)
        .join(tables, tables.c.id == rounds.c.table_id)
        .where(col.round_id == key, col.generation == generation)
    )
    return db.execute(query).one()


def _lines(db: Connection, key: int, generation: int) -> Sequence[Row[Any]]:
    bet_col, paid_col = bets.c, settlements.c
    query = (
        select(
            bet_col.id,
            bet_col.account_id,
            bet_col.slip,
            bet_col.stake_cents,
            bet_col.state.label("state_before"),
            bet_col.carried_from,
            paid_col.stake_cents.label("settled_cents"),
            *(paid_col[name] for name in PAID),
            paid_col.rule,
        )
        .join(settlements, paid_col.bet_id == bet_col.id)
        .where(paid_col.round_id == key, paid_col.generation == generation)
        .order_by(bet_col.id)
    )
    return db.execute(query).all()


class Meter(NamedTuple):
    """A jackpot's meter before the first settlement of a round. first: that posting."""

    account: int
    cents: int
    first: int


def _meters(
    db: Connection, row: Row[Any], key: int, known: dict[int, tuple[int, int]]
) -> dict[str, Meter]:
    """Return the meters of a round by name, with their levels from their lines."""
    if row.game != "jackpot":
        return {}
    linked = json.loads(row.options).get("linked")
    owner = f"table {row.table_id}" if linked is None else f"linked {linked}"
    prefix = f"{owner} ({row.rules} {row.variant}): "
    col = round_settlements.c
    query = select(col.posting_id).where(col.round_id == key, col.generation == 1)
    first = int(db.execute(query).scalar_one())
    named = select(accounts.c.id, accounts.c.name).where(
        accounts.c.kind == "meter",
        accounts.c.currency == row.currency,
        accounts.c.name.startswith(prefix, autoescape=True),
    )
    return {
        each.name.removeprefix(prefix): Meter(each.id, _before(db, each.id, first, known), first)
        for each in db.execute(named)
    }


def _before(db: Connection, account: int, posting: int, known: dict[int, tuple[int, int]]) -> int:
    """Return the level of an account before a posting."""
    start, cents = known.get(account, (0, 0))
    if start > posting:
        start, cents = 0, 0
    line = ledger_lines.c
    query = select(func.sum(line.amount_cents)).where(
        line.account_id == account, line.posting_id >= start, line.posting_id < posting
    )
    cents += int(db.execute(query).scalar() or 0)
    known[account] = posting, cents
    return cents


def _meter_lines(
    db: Connection,
    where: str,
    name: tuple[int, int],
    row: Row[Any],
    before: dict[str, Meter],
    after: dict[str, Cents],
) -> Iterator[Difference]:
    """Check what was posted to the meters. name: round and generation.

    A correction leaves a meter unchanged if another round has changed it since.
    """
    col, line = round_settlements.c, ledger_lines.c
    postings_of = select(col.posting_id).where(col.round_id == name[0], col.generation < name[1])
    for meter, (account, level, first) in before.items():
        moved = (
            select(line.posting_id)
            .join(postings, postings.c.id == line.posting_id)
            .where(
                line.account_id == account,
                line.posting_id > first,
                line.posting_id < row.posting_id,
                postings.c.round_id != name[0],
            )
        )
        wanted = after[meter] - level
        if db.execute(moved.limit(1)).first() is not None:
            earlier = db.execute(postings_of.order_by(col.generation.desc())).scalars().first()
            wanted = _posting_cents(db, earlier or 0, account)
        had = _posting_cents(db, row.posting_id, account)
        if had != wanted:
            yield Difference(
                f"{where}, meter {meter}", f"posted {had} cents to it", f"expects {wanted}"
            )


def _posting_cents(db: Connection, posting: int, account: int) -> int:
    line = ledger_lines.c
    query = select(line.amount_cents).where(line.posting_id == posting, line.account_id == account)
    return int(db.execute(query).scalar_one_or_none() or 0)


def _money(
    db: Connection,
    where: str,
    posting: int,
    lines: Sequence[Row[Any]],
    verdicts: Sequence[Verdict],
) -> Iterator[Difference]:
    """Check that what was posted to the players equals their verdicts."""
    wanted: Counter[int] = Counter()
    for line, verdict in zip(lines, verdicts, strict=True):
        wanted[line.account_id] += verdict.win + verdict.back  # type: ignore[assignment]
    query = (
        select(ledger_lines.c.account_id, func.sum(ledger_lines.c.amount_cents))
        .join(accounts, accounts.c.id == ledger_lines.c.account_id)
        .where(ledger_lines.c.posting_id == posting, accounts.c.kind == "player")
        .group_by(ledger_lines.c.account_id)
    )
    paid = {int(account): int(cents) for account, cents in db.execute(query)}
    for account in sorted(wanted.keys() | paid.keys()):
        if paid.get(account, 0) != wanted[account]:
            yield Difference(
                f"{where}, account {account}",
                f"posted {paid.get(account, 0)} cents to it",
                f"expects {wanted[account]}",
            )


def _frames(db: Connection, row: Row[Any]) -> dict[int, Row[Any]]:
    """Return the frames that opened, closed and ended a round, by their rows."""
    col = frames.c
    query = select(col.id, col.type, col.payload, col.boot)
    keys = (row.ended or 0, row.closed or 0, row.opened or 0)
    return {one.id: one for one in db.execute(query.where(col.id.in_(keys)))}


def _rake(
    db: Connection, where: str, posting: int, verdicts: Sequence[Verdict]
) -> Iterator[Difference]:
    """Check that what was lost and not won is on the rake account, and none on the house's."""
    query = (
        select(accounts.c.kind, ledger_lines.c.amount_cents)
        .join(accounts, accounts.c.id == ledger_lines.c.account_id)
        .where(ledger_lines.c.posting_id == posting, accounts.c.kind.in_(("rake", "house")))
    )
    had = {kind: int(cents) for kind, cents in db.execute(query)}
    wanted = sum(verdict.lost - verdict.win for verdict in verdicts)
    if had != ({"rake": wanted} if wanted else {}):
        yield Difference(f"{where}, rake", f"posted {had}", f"expects a rake of {wanted}")


def _left_out(db: Connection, key: int, generation: int) -> Sequence[int]:
    """Return bets in play that have no line in a settlement."""
    col = bets.c
    settled = exists().where(
        settlements.c.bet_id == col.id, settlements.c.generation == generation
    )
    query = select(col.id).where(
        col.round_id == key,
        col.standing == "valid",
        ~settled,
        ~exists().where(withdrawals.c.bet_id == col.id),
        ~exists().where(referrals.c.bet_id == col.id),
    )
    return db.execute(query.order_by(col.id)).scalars().all()
