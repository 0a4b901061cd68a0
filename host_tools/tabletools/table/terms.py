"""The terms of a casino table: what is played at it, under which limits, and how they change."""

import json
import re
from typing import Any

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from tablespec.names import KEY_NAMES
from tabletools import authority, roles
from tabletools.evidence import alarms, configuration, round_records, voids
from tabletools.evidence.alarms import AlarmCause
from tabletools.evidence.tables import (
    DEALER_LIMIT,
    LINKED,
    State,
    Terms,
    newest_terms,
    set_state,
    table_of,
    terms_of,
)
from tabletools.games import GAMES, JACKPOT, LATER, NEEDED
from tabletools.money import meters
from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import BOX_GAMES
from tabletools.store import audit
from tabletools.store.audit import Actor
from tabletools.store.books import Entry
from tabletools.store.database import Lease, Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.play import tables, terms
from tabletools.table import shell
from tabletools.table.game_rounds import GROUPS, PLACING, PLAYERS, round_of
from tabletools.table.shell import Turn
from tabletools.table.slips import TERMINALS

_MOST_BY_DEALER = authority.ACTS[authority.DEAL].alone_cents[authority.DEALER]
_MOST_TERMS = 65_536
"""Characters of the limits of a table, and of its options: transactions decode them."""
_ACCOUNT = re.compile(r"[1-9][0-9]{0,17}")


def create_table(
    ledger: Store,
    name: str,
    wanted: Terms,
    who: Actor,
    *,
    device: int | None = None,
    currency: str = "EUR",
) -> int:
    """Add a casino table; returns its number. Raises LedgerRejection.

    A table whose evidence was collected without terms becomes this one. Its machine has to be one
    for stakes, by the configuration it last reported.
    """
    verify_terms(wanted)
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> int:
        _verify_machine(db, device, wanted)
        values = {"name": name, "device": device, "currency": currency}
        number = _without_terms(db, device)
        if number is None:
            statement = insert(tables).values(**values, enabled=1, created_ns=now_ns)
            number = int(db.execute(statement.returning(tables.c.id)).scalar_one())
            set_state(db, State(number, None, False, "no_round", now_ns))
        else:
            db.execute(update(tables).where(tables.c.id == number).values(**values))
        _add_terms(db, number, wanted, who, now_ns)
        detail = {**values, **_as_options(wanted)}
        audit.note(db, who, "table_created", f"table {number}", now_ns, **detail)
        return number

    try:
        return ledger.run(write)
    except IntegrityError as error:
        what = f"a table {name!r}, or one with device {device}, already exists"
        raise LedgerRejection("table_taken", what, "choose another name or device") from error


def _without_terms(db: Connection, device: int | None) -> int | None:
    row = None if device is None else table_of(db, device)
    if row is None or newest_terms(db, row.id) is not None:
        return None
    return row.id


def change_terms(ledger: Store, lease: Lease, wanted: Terms, who: Actor) -> None:
    """Change what is played from the next round on. Raises LedgerRejection, LostLease."""
    verify_terms(wanted)

    def write(turn: Turn) -> None:
        _report_automatic_voids(turn, wanted)
        turn.terms_at(_add_terms(turn.db, turn.table, wanted, who, turn.now_ns))
        subject = f"table {turn.table}"
        audit.note(turn.db, who, "terms_changed", subject, turn.now_ns, **_as_options(wanted))

    shell.run(ledger, lease, write)


def _report_automatic_voids(turn: Turn, wanted: Terms) -> None:
    """Raise an alarm for codes whose voids the terms in force hold, and these return at once."""
    before = newest_terms(turn.db, turn.table)
    added = voids.automatic_codes(wanted.options)
    if before is not None:
        added -= voids.automatic_codes(turn.terms_at(before).options)
    if not added:
        return
    text = f"one person now undoes rounds of table {turn.shared.name} by these voids:"
    text += f" {voids.AUTOMATIC} {', '.join(map(str, sorted(added)))}"
    alarm = AlarmCause(alarms.RIGHTS, text, turn.shared.device, turn.table)
    alarms.raise_alarm(turn.db, alarm, turn.now_ns)


def change_table(ledger: Store, lease: Lease, who: Actor, **changes: object) -> None:
    """Change device or enabled of a table; bets close. Raises LedgerRejection, LostLease."""

    def write(turn: Turn) -> None:
        db, table = turn.db, turn.table
        if "device" in changes:
            _verify_machine(db, changes["device"], terms_of(db, table)[1])
        turn.close_bets("table_changed")
        db.execute(update(tables).where(tables.c.id == table).values(**changes))
        if "device" in changes:
            turn.change_device()
        audit.note(db, who, "table_changed", f"table {table}", turn.now_ns, **changes)

    shell.run(ledger, lease, write)


def _verify_machine(db: Connection, device: object, wanted: Terms) -> None:
    """Raise LedgerRejection for a machine that is configured for no stakes, as last known.

    Where nothing is known, no bets open before its host has read it.
    """
    if not isinstance(device, int):
        return
    known = configuration.newest(db, device)
    named = {KEY_NAMES[number - 1]: value for number, value in known.items()}
    if payless := roles.payless(round_records.played_by(wanted), named):
        what = f"device {device}: {'; '.join(payless)}"
        step = "correct it with `tabletool config set` while `tabletool collect` runs, which"
        step += " notes the change; or leave the table without terms: it then takes no stakes"
        raise LedgerRejection("configuration", what, step)


def _add_terms(db: Connection, table: int, wanted: Terms, who: Actor, now_ns: int) -> int:
    """Store terms; returns their row."""
    wanted = as_stored(wanted)
    row = wanted._replace(limits=json.dumps(wanted.limits), options=json.dumps(wanted.options))  # type: ignore[arg-type]
    values = row._asdict() | {"table_id": table, "at_ns": now_ns, "author": who.user}
    number = int(db.execute(insert(terms).values(**values).returning(terms.c.id)).scalar_one())
    currency = db.execute(select(tables.c.currency).where(tables.c.id == table)).scalar_one()
    meters.seed(db, table, wanted, Entry("seed", currency, table, user=who.user), now_ns)
    return number


def as_stored(wanted: Terms) -> Terms:
    """Return terms with the option that says which voids are not held, even if none is listed."""
    return wanted._replace(options={voids.AUTOMATIC: [], **wanted.options})


def _as_options(wanted: Terms) -> dict[str, object]:
    return {name: value for name, value in wanted._asdict().items() if value}


def limits_for(terms: Terms, account: int) -> dict[str, object]:
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


def verify_terms(terms: Terms) -> None:
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
        round_of(terms, (), PLACING, is_limited=True)
    except RuleViolation as refusal:
        raise LedgerRejection(*refusal.parts) from refusal


def _verify_length(terms: Terms) -> None:
    for name, values in (("limits", terms.limits), ("options", terms.options)):
        length = len(json.dumps(values))
        if length > _MOST_TERMS:
            what = f"{name} have {length} characters as JSON, at most {_MOST_TERMS} are stored"
            raise LedgerRejection("invalid_text", what, "shorten the texts and lists", name)


def _verify_limit(terms: Terms) -> None:
    name = NEEDED.get(terms.game)
    if name is not None and terms.limits.get(name) is None:
        what = f"the limits of {terms.game} have no {name}"
        step = f"write {name}, in cents, below limits"
        raise LedgerRejection("limits_invalid", what, step, f"limits.{name}")


def _verify_players(terms: Terms) -> None:
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


def dealer_limit(terms: Terms) -> int:
    """Return what the players of a round win at most where one dealer entered its hands, cents."""
    limit = terms.options.get(DEALER_LIMIT)
    return _MOST_BY_DEALER if limit is None else limit  # type: ignore[return-value]


def _verify_dealer_limit(terms: Terms) -> None:
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


def _verify_meter_name(terms: Terms) -> None:
    linked = terms.options.get(LINKED)
    if linked is None:
        return
    if terms.game != JACKPOT:
        what = f"{LINKED} is an option of jackpots, this is {terms.game}"
        raise LedgerRejection("unknown_field", what, "leave it out", f"options.{LINKED}")
    if not isinstance(linked, str) or not 0 < len(linked) <= 60 or not linked.isprintable():
        what = f"{LINKED} is not a name of 1 to 60 characters"
        raise LedgerRejection("invalid_text", what, "name the meters", f"options.{LINKED}")
