"""What two named users decide: late bets, rounds without a result, corrections.

A correction takes the lines of a settlement back by new ones and settles the round anew; nothing
is ever changed. A round whose stakes play on in a round that is settled cannot be corrected before
that one.
"""

import json
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, RowMapping, insert, select

from tabletools.ledger import audit, books, people, rounds, settling
from tabletools.ledger import tables as casino
from tabletools.ledger.audit import Actor
from tabletools.ledger.base import Lease, Ledger
from tabletools.ledger.books import Entry
from tabletools.ledger.errors import Refused
from tabletools.ledger.rows import insert_many
from tabletools.ledger.schema import play
from tabletools.ledger.schema.play import bets, round_settlements
from tabletools.ledger.settling import Decision

Users = tuple[Actor, Actor]


def rule_round(
    ledger: Ledger,
    lease: Lease,
    round_key: int,
    outcome: Mapping[str, object],
    users: Sequence[int],
    reason: str,
) -> int:
    """Settle a round that told no result, or correct one; returns the generation that holds now.

    outcome: as `settle` reads it, such as {"pocket": "17"} or {"void": "reason"}.
    Raises Refused, LostLease, LedgerError.
    """
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> int:
        decided = _decided(db, users, reason)
        row = _round_of(db, lease.table, round_key)
        if row["ended"] is None and casino.state_of(db, lease.table).round == round_key:
            casino.close_bets(db, lease.table, "ruled", now_ns)
        generation = _settle_again(db, row, (outcome, decided, reason), now_ns)
        _note(db, decided, "round_ruled", f"round {round_key}", now_ns,
              outcome=dict(outcome), generation=generation, reason=reason)  # fmt: skip
        return generation

    return ledger.run(write, lease)


def rule_bet(
    ledger: Ledger, lease: Lease, bet: int, users: Sequence[int], reason: str, *, is_valid: bool
) -> None:
    """Say whether a late bet counts: its stake comes back, or it is settled like the others.

    Raises Refused, LostLease, LedgerError.
    """
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        first, second = _decided(db, users, reason)
        found = _referred(db, lease.table, bet)
        values = {
            "bet_id": bet, "is_valid": int(is_valid), "first_user": first.user,
            "second_user": second.user, "reason": reason, "at_ns": now_ns,
        }  # fmt: skip
        db.execute(insert(play.rulings).values(**values))
        if not is_valid:
            _give_back(db, found, "ruled_invalid", now_ns)
        else:
            row = _round_of(db, lease.table, found["round_id"])
            if row["settled"]:
                outcome = _outcome_of(db, row)
                _settle_again(db, row, (outcome, (first, second), reason), now_ns)
        _note(db, (first, second), "bet_ruled", f"bet {bet}", now_ns,
              valid=is_valid, reason=reason)  # fmt: skip

    ledger.run(write, lease)


def _decided(db: Connection, users: Sequence[int], reason: str) -> Users:
    if not reason.strip():
        raise Refused("reason_needed", "a ruling needs a reason", "say why", "reason")
    return people.two_named(db, users)


def _round_of(db: Connection, table: int, key: int) -> RowMapping:
    row = rounds.by_key(db, key)
    if row is None or row["table_id"] != table:
        what = f"round {key} is none of table {table}"
        raise Refused("no_such_round", what, "see the rounds of the table", "round")
    return row


def _settle_again(
    db: Connection,
    row: RowMapping,
    said: tuple[Mapping[str, object], Users, str],
    now_ns: int,
) -> int:
    """said: outcome, users, reason."""
    outcome, users, reason = said
    reversal = _reverse(db, row, users[0], now_ns) if row["settled"] else None
    found = Decision(outcome, "void" in outcome, users, reason, reversal)
    return settling.settle(db, row, found, now_ns)


def _reverse(db: Connection, row: RowMapping, user: Actor, now_ns: int) -> int:
    """Take the lines of the settlement that holds back; returns the posting."""
    key, generation = row["id"], row["settled"]
    at = round_settlements.c
    posting = db.execute(
        select(at.posting_id).where(at.round_id == key, at.generation == generation)
    ).scalar_one()
    lines = {at: -cents for at, cents in books.lines_of(db, posting).items()}
    currency = settling.house_of(db, row["table_id"], now_ns).currency
    entry = Entry("reversal", currency, row["table_id"], key, reverses=posting, user=user.user)
    made = books.post(db, entry, lines, now_ns)
    _call_back(db, key, generation, (made, now_ns))
    return made


def _call_back(db: Connection, key: int, generation: int, by: tuple[int, int]) -> None:
    """Stakes that played on leave the rounds they went to. by: posting, time."""
    at = bets.c
    origin = bets.alias("origin")
    query = (
        select(at.id, at.round_id, play.rounds.c.settled)
        .join(origin, origin.c.id == at.carried_from)
        .join(play.rounds, play.rounds.c.id == at.round_id)
        .where(origin.c.round_id == key, at.carried_generation == generation)
    )
    carried = db.execute(query).all()
    for row in carried:
        if row.settled:
            what = f"a stake of round {key} played on in round {row.round_id}, which is settled"
            raise Refused("stakes_played_on", what, "pay the difference by hand", "round")
    rows = [(row.id, by[0], "corrected", by[1]) for row in carried]
    columns = ("bet_id", "posting_id", "cause", "at_ns")
    insert_many(db, play.withdrawals, columns, rows)


def _referred(db: Connection, table: int, bet: int) -> RowMapping:
    row = db.execute(select(bets).where(bets.c.id == bet)).mappings().one_or_none()
    if row is None or row["table_id"] != table or row["standing"] != "referred":
        what = f"bet {bet} of table {table} did not come late"
        raise Refused("no_such_bet", what, "see the report of late bets", "bet")
    ruled = select(play.rulings.c.bet_id).where(play.rulings.c.bet_id == bet)
    if db.execute(ruled).first() is not None:
        raise Refused("bet_ruled", f"bet {bet} was ruled on", "a ruling stands", "bet")
    return row


def _give_back(db: Connection, found: RowMapping, cause: str, now_ns: int) -> None:
    house = settling.house_of(db, found["table_id"], now_ns)
    cents = found["stake_cents"]
    entry = Entry("ruling", house.currency, found["table_id"], found["round_id"])
    lines = {found["account_id"]: cents, house.escrow: -cents}
    posting = books.post(db, entry, lines, now_ns)
    columns = ("bet_id", "posting_id", "cause", "at_ns")
    insert_many(db, play.withdrawals, columns, [(found["id"], posting, cause, now_ns)])


def _outcome_of(db: Connection, row: RowMapping) -> Mapping[str, object]:
    at = round_settlements.c
    query = select(at.outcome).where(at.round_id == row["id"], at.generation == row["settled"])
    found: Mapping[str, object] = json.loads(db.execute(query).scalar_one())
    return found


def _note(
    db: Connection, users: Users, action: str, subject: str, now_ns: int, **detail: object
) -> None:
    for user, other in (users, reversed(users)):
        audit.note(db, user, action, subject, now_ns, together_with=other.name, **detail)
