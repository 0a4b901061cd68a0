"""Queries about play: tables, rounds, bets. Reads on an open transaction."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    BindParameter,
    Connection,
    Exists,
    Select,
    alias,
    and_,
    bindparam,
    case,
    exists,
    func,
    literal_column,
    select,
)
from sqlalchemy import Row as SqlRow

from tablespec.names import NAMES
from tabletools.evidence import alarms as casino_alarms
from tabletools.evidence import second_readings
from tabletools.evidence import tables as casino
from tabletools.evidence.records import FRAMES, frame_rows
from tabletools.evidence.tables import Terms
from tabletools.money import meters, outcome_in_force
from tabletools.money.referring import standing
from tabletools.rules.sentences import Facts, reasons_of, sentence
from tabletools.store import LedgerRejection
from tabletools.store.rows import fields_of
from tabletools.store.schema.books import accounts
from tabletools.store.schema.evidence import alarms, frames, stops
from tabletools.store.schema.people import users
from tabletools.store.schema.play import (
    bets,
    leases,
    play_ends,
    round_settlements,
    rounds,
    rulings,
    settlements,
    table_states,
    tables,
    terms,
    withdrawals,
)

Row = dict[str, Any]
MOST = 200
"""Most rows of one answer."""

_MOST_NAMED = 20
"""Tables that a refusal names."""


class Search(NamedTuple):
    """Filter for rounds. before: rounds with a lower key, for the next page."""

    table: int | None = None
    device: int | None = None
    verdict: str | None = None
    keys: Sequence[int] | None = None  # only among these
    since_ns: int | None = None
    until_ns: int | None = None
    before: int | None = None
    most: int = 50


# --- tables --------------------------------------------------------------------------------------


class CasinoTable(NamedTuple):
    """A table with its terms, its lease and its present state."""

    id: int
    name: str
    device: int | None
    currency: str
    enabled: int
    holder: str | None  # of its lease; None: no host has owned it
    expires_ns: int | None
    round_id: int | None
    bets_open: int
    cause: str | None  # why bets are closed
    since_ns: int
    stopped: str | None  # why the host stopped its device
    play_end: str | None  # last shoe, round or minutes that was announced
    play_end_ns: int | None  # when the last fifteen minutes are over
    terms: Terms
    meters: dict[str, int]  # progressive levels in cents, by name


class NamedTable(NamedTuple):
    """A table as a name finds one."""

    id: int
    device: int | None
    currency: str
    terms: Terms


class Present(NamedTuple):
    """The live state of a table."""

    round: int | None
    bets_open: bool
    cause: str | None
    since_ns: int | None
    stopped: str | None
    play_end: str | None  # as of its table
    play_end_ns: int | None
    alarms: int
    newest_alarm: int | None
    bets: int
    stake_cents: int  # in play: of a settled round, what its settlement left there


# The announcement of the end of play that is in force.
_LATER = play_ends.alias("later")
_IS_ANNOUNCED = and_(
    play_ends.c.id
    == select(func.max(_LATER.c.id)).where(_LATER.c.table_id == tables.c.id).scalar_subquery(),
    play_ends.c.bound.is_not(None),
)
_PLAY_END = (
    play_ends.c.kind.label("play_end"),
    case((play_ends.c.kind == "minutes", play_ends.c.bound)).label("play_end_ns"),
)


def table_rows(db: Connection, table: int | None = None) -> list[CasinoTable]:
    """Return every table, or the given one, with its lease and whether bets are open."""
    col = tables.c
    query = (
        select(
            col.id,
            col.name,
            col.device,
            col.currency,
            col.enabled,
            leases.c.holder,
            leases.c.expires_ns,
            table_states.c.round_id,
            table_states.c.bets_open,
            table_states.c.cause,
            table_states.c.since_ns,
            stops.c.reason.label("stopped"),
            *_PLAY_END,
        )
        .outerjoin(leases, leases.c.table_id == col.id)
        .join(table_states, table_states.c.table_id == col.id)
        .outerjoin(stops, and_(stops.c.device == col.device, stops.c.released_ns.is_(None)))
        .outerjoin_from(tables, play_ends, _IS_ANNOUNCED)
        .where(_has_terms())
        .order_by(col.id)
    )
    if table is not None:
        query = query.where(col.id == table)
    return [_casino_table(db, row) for row in db.execute(query)]


def table_row(db: Connection, table: int) -> CasinoTable:
    """Return one table, as `table_rows` does. Raises LedgerRejection."""
    rows = table_rows(db, table)
    if not rows:
        raise LedgerRejection("no_such_table", f"there is no table {table}", _known(db), "table")
    return rows[0]


def _known(db: Connection) -> str:
    """Return which tables there are, in words."""
    col = tables.c
    query = select(col.id, col.name).order_by(col.id).limit(_MOST_NAMED)
    names = ", ".join(f"{row.id} ({row.name})" for row in db.execute(query))
    return f"the tables are {names}" if names else "the ledger has no table yet: a host adds them"


def table_by_name(db: Connection, name: str) -> NamedTable | None:
    """Return a table by its name, with its terms; None if there is none with terms."""
    query = select(tables).where(tables.c.name == name, _has_terms())
    row = db.execute(query).one_or_none()
    if row is None:
        return None
    return NamedTable(row.id, row.device, row.currency, casino.terms_of(db, row.id)[1])


class Owner(NamedTuple):
    """The host that owns a table, by the name of its run."""

    table: int
    holder: str | None
    """None: no host has ever owned it."""
    expires_ns: int | None


def owner_of(db: Connection, name: str) -> Owner | None:
    """Return who owns a table by its name; None if there is no such table."""
    query = select(tables.c.id, leases.c.holder, leases.c.expires_ns)
    query = query.outerjoin(leases, leases.c.table_id == tables.c.id)
    row = db.execute(query.where(tables.c.name == name)).one_or_none()
    return None if row is None else Owner(*row)


def _has_terms() -> Exists:
    """Return the condition that a casino table has terms; no bets are placed at others."""
    return exists().where(terms.c.table_id == tables.c.id)


def _casino_table(db: Connection, row: SqlRow[Any]) -> CasinoTable:
    terms = casino.terms_of(db, row.id)[1]
    levels = meters.shown(db, row.id, terms, row.currency)
    return CasinoTable(**fields_of(row), terms=terms, meters=levels)


# Built once: they run twice a second for every table, and building one costs more than
# executing it.
_TABLE: BindParameter[int] = bindparam("table")
_FACTS_OF = (
    select(tables.c.device, *_PLAY_END)
    .outerjoin_from(tables, play_ends, _IS_ANNOUNCED)
    .where(tables.c.id == _TABLE)
)
_UNSEEN = select(func.count(), func.max(alarms.c.id)).where(
    alarms.c.table_id == _TABLE, casino_alarms.is_open(), casino_alarms.is_unhandled()
)
_STAKED = select(func.count(), func.coalesce(func.sum(bets.c.stake_cents), 0)).where(
    bets.c.round_id == bindparam("round"), ~exists().where(withdrawals.c.bet_id == bets.c.id)
)
_STAYING = (
    select(round_settlements.c.live_cents)
    .join(
        rounds,
        and_(
            rounds.c.id == round_settlements.c.round_id,
            rounds.c.settled == round_settlements.c.generation,
        ),
    )
    .where(rounds.c.id == bindparam("round"))
)
_LAST_RESULTS = (
    select(rounds.c.id, rounds.c.number, *outcome_in_force.COLUMNS)
    .select_from(outcome_in_force.joined(rounds))
    .where(rounds.c.table_id == _TABLE, outcome_in_force.OUTCOME.is_not(None))
    .order_by(rounds.c.id.desc())
    .limit(bindparam("most"))
)


class PlayEnd(NamedTuple):
    """The end of play that was announced. kind: None where none is."""

    kind: str | None
    at_ns: int | None  # when the last fifteen minutes are over


def play_end(db: Connection, table: int) -> PlayEnd:
    """Return the end of play that was announced at a table."""
    return PlayEnd(*db.execute(_FACTS_OF, {"table": table}).one()[1:])


def present(db: Connection, table: int, now_ns: int) -> Present:
    """Return the live state of a table: bets open or why not, alarms, stakes."""
    state = casino.state_of(db, table)
    device, play_end, play_end_ns = db.execute(_FACTS_OF, {"table": table}).one()
    why = None if device is None else casino_alarms.stopped(db, device)
    alarmed, newest = db.execute(_UNSEEN, {"table": table, "now_ns": now_ns}).one()
    count, cents = 0, 0
    if state.round is not None:
        count, cents = db.execute(_STAKED, {"round": state.round}).one()
        staying = db.execute(_STAYING, {"round": state.round}).scalar_one_or_none()
        cents = cents if staying is None else staying
    return Present(
        state.round,
        state.bets_open,
        state.cause,
        state.since_ns,
        why,
        play_end,
        play_end_ns,
        alarmed,
        newest,
        int(count),
        int(cents),
    )


def last_results(db: Connection, table: int, most: int = 15) -> list[Row]:
    """Return the outcomes in force of the newest rounds of a table that have one, newest first."""
    return [
        {
            "round": row.id,
            "number": row.number,
            **outcome_in_force.facts(row),
            "at_ns": row.in_force_ns,
        }
        for row in db.execute(_LAST_RESULTS, {"table": table, "most": most})
    ]


# --- rounds --------------------------------------------------------------------------------------


def round_rows(db: Connection, wanted: Search) -> list[Row]:
    """Return the rounds that match, newest first."""
    col = rounds.c
    query = _rounds().order_by(col.id.desc()).limit(min(max(wanted.most, 1), MOST))
    for column, value in (
        (col.table_id, wanted.table),
        (col.device, wanted.device),
        (col.verdict, wanted.verdict),
    ):
        if value is not None:
            query = query.where(column == value)
    if wanted.verdict not in (None, "believed"):
        query = query.where(col.verdict != literal_column("'believed'"))  # its index has the rest
    if wanted.before is not None:
        query = query.where(col.id < wanted.before)
    if wanted.keys is not None:
        query = query.where(col.id.in_(wanted.keys))
    if wanted.since_ns is not None:
        query = query.where(wanted.since_ns <= _BEGAN)
    if wanted.until_ns is not None:
        query = query.where(wanted.until_ns > _BEGAN)
    return [_round_row(row) for row in db.execute(query)]


def settled_after(db: Connection, table: int, after: int) -> list[int]:
    """Return the rounds of a table that are settled, in order. after: those with a higher key."""
    col = rounds.c
    query = select(col.id).where(col.table_id == table, col.settled > 0, col.id > after)
    return [int(key) for key in db.execute(query.order_by(col.id)).scalars()]


def round_whole(db: Connection, key: int) -> Row | None:
    """Return a round with its records, bets and settlements, None if it does not exist."""
    row = db.execute(_rounds().where(rounds.c.id == key)).one_or_none()
    if row is None:
        return None
    return _round_row(row) | {
        **_terms_of(db, key),
        "second_reading": second_readings.listing_of(db, row.device, row.number),
        "records": _records(db, row.device, row.number),
        "bets": bet_rows(db, key),
        "settlements": _settlements(db, key),
    }


_OPENED, _CLOSED, _ENDED = (alias(frames, name) for name in ("o", "c", "e"))
_BEGAN = func.coalesce(_OPENED.c.received_ns, _ENDED.c.received_ns)


def _rounds() -> Select[Any]:
    col, sums = rounds.c, round_settlements.c
    return (
        select(
            col.id,
            col.table_id,
            col.device,
            col.number,
            col.verdict,
            col.settled,
            _OPENED.c.received_ns.label("opened_ns"),
            _CLOSED.c.received_ns.label("closed_ns"),
            _ENDED.c.received_ns.label("ended_ns"),
            _ENDED.c.type.label("end"),
            _ENDED.c.payload.label("end_payload"),
            *outcome_in_force.COLUMNS,
            sums.bets.label("bet_count"),
            sums.stake_cents,
            sums.win_cents,
            sums.back_cents,
            sums.live_cents,
            sums.lost_cents,
        )
        .select_from(outcome_in_force.joined(rounds))
        .outerjoin(_OPENED, _OPENED.c.id == col.opened)
        .outerjoin(_CLOSED, _CLOSED.c.id == col.closed)
        .outerjoin(_ENDED, _ENDED.c.id == col.ended)
    )


def _round_row(row: SqlRow[Any]) -> Row:
    facts = fields_of(row)
    for name in ("end_payload", *outcome_in_force.NAMES):
        del facts[name]
    return facts | {
        "end": None if row.end is None else NAMES[row.end],
        "ending": None if row.end_payload is None else json.loads(row.end_payload),
        **outcome_in_force.facts(row),
    }


def _terms_of(db: Connection, key: int) -> Row:
    """The terms of a round; unknown for a device that belonged to no casino table."""
    names = ("game", "rules", "variant")
    query = select(*(terms.c[name] for name in names)).join(
        rounds, rounds.c.terms_id == terms.c.id
    )
    row = db.execute(query.where(rounds.c.id == key)).one_or_none()
    return dict(zip(names, row or (None,) * 3, strict=True))


def _records(db: Connection, device: int, number: int) -> list[Row]:
    query = FRAMES.where(frames.c.device == device, frames.c.round == number)
    query = query.order_by(frames.c.boot, frames.c.counter).limit(MOST)
    return [
        {
            "frame": row.id,
            "type": NAMES[row.type],
            "boot": row.boot,
            "counter": row.counter,
            "uptime_ms": row.uptime_ms,
            "received_ns": row.received_ns,
            "made_ns": row.made_ns,
            "seal": row.seal,
            "counts": bool(row.counts),
            "payload": json.loads(row.payload),
            "raw": bytes(row.raw).hex(),
        }
        for row in frame_rows(db, query)
    ]


def _settlements(db: Connection, key: int) -> list[Row]:
    """Return every generation of a round, with the names of the two users who ruled it."""
    col, first, second = round_settlements.c, users.alias("first"), users.alias("second")
    query = (
        select(round_settlements, first.c.name.label("first"), second.c.name.label("second"))
        .outerjoin(first, first.c.id == col.first_user)
        .outerjoin(second, second.c.id == col.second_user)
        .where(col.round_id == key)
        .order_by(col.generation)
    )
    return [
        {**fields_of(row), "outcome": json.loads(row.outcome), "is_void": bool(row.is_void)}
        for row in db.execute(query)
    ]


# --- bets ----------------------------------------------------------------------------------------


def bet_rows(db: Connection, key: int, account: int | None = None) -> list[Row]:
    """Return the bets of a round, or of one player in it, each with its result."""
    query = _bets().where(bets.c.round_id == key).order_by(bets.c.id)
    if account is not None:
        query = query.where(bets.c.account_id == account)
    return [_bet(row) for row in db.execute(query)]


def bet_row(db: Connection, bet: int) -> Row | None:
    """Return a bet and its result, None if there is none."""
    row = db.execute(_bets().where(bets.c.id == bet)).one_or_none()
    return None if row is None else _bet(row)


def table_of_bet(db: Connection, bet: int) -> int | None:
    """Return the table of a bet, None if there is none."""
    query = select(bets.c.table_id).where(bets.c.id == bet)
    table: int | None = db.execute(query).scalar_one_or_none()
    return table


def bets_by(db: Connection, account: int, before: int | None = None, most: int = 50) -> list[Row]:
    """Return the newest bets of a player."""
    query = _bets().where(bets.c.account_id == account).order_by(bets.c.id.desc())
    if before is not None:
        query = query.where(bets.c.id < before)
    return [_bet(row) for row in db.execute(query.limit(min(max(most, 1), MOST)))]


def _bets() -> Select[Any]:
    col, sums = bets.c, settlements.c
    return (
        select(
            col.id,
            col.table_id,
            col.round_id,
            col.account_id,
            accounts.c.name.label("player"),
            col.slip,
            col.stake_cents,
            standing().label("standing"),
            col.placed_ns,
            col.after_open_ms,
            col.terminal,
            col.replaces,
            col.carried_from,
            col.clock_alarm,
            withdrawals.c.cause.label("taken_back"),
            rulings.c.is_valid.label("ruled_valid"),
            sums.outcome,
            sums.win_cents,
            sums.back_cents,
            sums.live_cents,
            sums.lost_cents,
            sums.rule,
            col.state,
            round_settlements.c.outcome.label("settled_by"),
        )
        .select_from(bets)
        .join(accounts, accounts.c.id == col.account_id)
        .join(rounds, rounds.c.id == col.round_id)
        .outerjoin(withdrawals, withdrawals.c.bet_id == col.id)
        .outerjoin(rulings, rulings.c.bet_id == col.id)
        .outerjoin(settlements, and_(sums.bet_id == col.id, sums.generation == rounds.c.settled))
        .outerjoin(
            round_settlements,
            and_(
                round_settlements.c.round_id == sums.round_id,
                round_settlements.c.generation == sums.generation,
            ),
        )
    )


def _bet(row: SqlRow[Any]) -> Row:
    fields = {
        **fields_of(row),
        "slip": json.loads(row.slip),
        "ruled_valid": None if row.ruled_valid is None else bool(row.ruled_valid),
    }
    return fields | _reasons(fields, fields.pop("state"), fields.pop("settled_by"))


@lru_cache(64)
def _facts(settled_by: str) -> Facts:
    """Return the facts of a round by the outcome of its settlement, once for all its bets."""
    return Facts(json.loads(settled_by))


def _reasons(fields: Row, state: str | None, settled_by: str | None) -> Row:
    """Return the paragraphs that decided a bet, what they pay, and all of it as a sentence.

    fields: the bet, with the citation of its settlement as `rule`.
    """
    if settled_by is None:
        return {"paragraphs": None, "odds": None, "sentence": None}
    bet = {**fields["slip"], "id": str(fields["id"]), "player": str(fields["account_id"])}
    reasons = reasons_of(fields["rule"], bet | {"state": state}, _facts(settled_by))
    amounts = {name: fields[f"{name}_cents"] for name in ("win", "back", "live", "lost")}
    whole = sentence({**reasons, **amounts, "outcome": fields["outcome"]})
    return {name: reasons[name] for name in ("rule", "paragraphs", "odds")} | {"sentence": whole}
