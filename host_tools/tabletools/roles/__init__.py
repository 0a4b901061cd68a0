"""Everything the host knows of each role: one module per role, which has its wire name.

It exports ROLE: from the terms of a table the allowed configuration of its controller, from the
records of a round the objections to its result and its outcome, and the words for its messages,
displays and self-test. Knows no file, port, database or money.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module

from msgspec import convert

from tabletools.roles.role import (
    NOT_BY_HAND,
    VOID,
    Audited,
    ByHand,
    Demand,
    IncompleteError,
    Measured,
    Message,
    Opened,
    Origin,
    Played,
    Printed,
    Record,
    Role,
    RoundEnd,
    UndecidedError,
    Wear,
    kind_of,
)
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE
from tabletools.rules.dealing import Outcome
from tabletools.rules.records import NEEDS_RULING
from tabletools.rules.violation import RuleViolation, shown
from tablewire.messages import ROLES

__all__ = [
    "NOT_BY_HAND",
    "VOID",
    "Audited",
    "ByHand",
    "Demand",
    "IncompleteError",
    "Message",
    "Opened",
    "Played",
    "Printed",
    "Record",
    "Role",
    "RoundEnd",
    "UndecidedError",
    "Wear",
    "awaiting",
    "counted_noun",
    "deals",
    "demands",
    "every_role",
    "is_card_game",
    "is_count_required",
    "kind_of",
    "layouts",
    "live_reports",
    "measures",
    "messages",
    "misfits",
    "names_for",
    "objections",
    "of_result",
    "outcome_of",
    "payless",
    "results",
    "role",
]


@cache
def role(name: str) -> Role:
    """Return a role by its name on the wire. Raises KeyError for an unknown one."""
    if name not in ROLES:
        raise KeyError(name)
    loaded: Role = import_module(f"{__name__}.{name}").ROLE
    return loaded


def every_role() -> list[Role]:
    """Return all roles, in their order on the wire."""
    return [role(name) for name in ROLES]


@cache
def messages() -> Mapping[str, type[Message]]:
    """Return the messages of all roles that have a text, by name."""
    return {name: kind for each in every_role() for name, kind in each.messages.items()}


@cache
def live_reports() -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Return what machines report besides the round, see Role.live."""
    return {name: fields for each in every_role() for name, fields in each.live.items()}


@cache
def deals() -> Mapping[str, Callable[[Record], tuple[int | None, str]]]:
    """Return the reports of what rounds are made of, see Role.deals."""
    return {name: place for each in every_role() for name, place in each.deals.items()}


@cache
def measures() -> Mapping[str, Measured]:
    """Return what faults measure, see Role.measures."""
    return {name: text for each in every_role() for name, text in each.measures.items()}


@cache
def awaiting() -> frozenset[int]:
    """Return the codes of faults by which machines wait for a declaration, see Role.awaiting."""
    return frozenset(code for each in every_role() for code in each.awaiting)


@cache
def layouts() -> Mapping[str, tuple[str, str]]:
    """Return what a round can be played with, see Role.layouts."""
    return {name: words for each in every_role() for name, words in each.layouts.items()}


@cache
def of_result(kind: str) -> str | None:
    """Return the name of the role whose rounds end with a record of this type; None: of none."""
    return next((name for name in ROLES if role(name).result == kind), None)


def counted_noun(name: str | None, default: str | None) -> str | None:
    """Return the noun of what a heartbeat of a role counts, "" for nothing.

    default: where the role is not known.
    """
    return role(name).counts if name in ROLES else default


def is_count_required(name: str | None) -> bool:
    """Whether a round requires a number of what a heartbeat counts; so where no role is known."""
    return name is None or (name in ROLES and role(name).is_count_required)


def results(*, are: Callable[[Role], object]) -> tuple[int, ...]:
    """Return the message numbers of the results of those roles of which `are` is true."""
    return tuple(each.number for each in every_role() if are(each))


def names_for(game: str) -> list[str]:
    """Return the names of the roles on which a game is played."""
    return [name for name in ROLES if game in role(name).games]


def is_card_game(game: str | None) -> bool:
    """Whether a game is dealt in cards: its outcome is not in a result alone."""
    return any(game in each.games for each in every_role() if each.dealt is not None)


def demands(name: str, played: Played) -> list[Demand]:
    """Return what the terms of a table require of the configuration of its controller.

    name: of the role that the controller reports.
    """
    return role(name).demands(played)


def objections(
    played: Played, opened: Record | None, ended: Record, records: Sequence[Record]
) -> list[str]:
    """Return the objections to the result of a round, empty if there are none.

    opened: its round_opened, None if it is missing; ended: the record of the result; records: all
    of the round where the result is in several, else the result alone. played: by the terms of
    the table; without a game the controller is checked against its round_opened.
    """
    origins = [convert(each, Origin) for each in (opened, ended) if each is not None]
    name = of_result(origins[-1].type)
    if name is None:
        return [f"{origins[-1].type} is not a result of a role that this host knows"]
    for origin in origins:
        if origin.role not in (None, name):
            return [f"a {origin.role} sent its {origin.type}, and its result is a {name}'s"]
    if played.game is not None and played.game not in role(name).games:
        fit = " or a ".join(names_for(played.game))
        return [f"a {name} reported it, and {played.game} is played on a {fit}"]
    begun = None if opened is None else convert(opened, Opened)
    return list(role(name).objections(played, begun, ended, records))


def outcome_of(
    played: Played, ended: Record, records: Sequence[Record], by_hand: ByHand = NOT_BY_HAND
) -> Outcome:
    """Return the outcome of a round as `tabletool settle` reads it: the same for every host.

    ended: the record that ended it. records: all of the round, in the order of the table. Whether
    they are valid is decided before. Raises RuleViolation where they do not determine the outcome:
    then users rule, and its text says why.
    """
    kind = kind_of(ended)
    if kind == VOID:
        return _void(played, ended, records, by_hand)
    name = of_result(kind)
    if name is None:
        raise RuleViolation(NEEDS_RULING, f"a record {shown(kind)} does not end a round")
    decided = role(name)
    if decided.dealt is not None:
        return decided.dealt(played, ended, records, by_hand)
    assert decided.outcome is not None
    try:
        return decided.outcome(played, ended, records)
    except IncompleteError as error:
        raise RuleViolation(DEAL_INCOMPLETE, str(error)) from None
    except UndecidedError as error:
        raise RuleViolation(NEEDS_RULING, str(error)) from None


def _void(played: Played, ended: Record, records: Sequence[Record], by_hand: ByHand) -> Outcome:
    """A void decides nothing, except in card games, where some bets may be decided already."""
    if played.game is not None and is_card_game(played.game):
        from tabletools.roles import card_void  # loads the games, which few voids need

        return card_void.outcome_of(played, played.game, ended, records, by_hand)
    end = RoundEnd.of_record(ended)
    return {"void": end.reason or str(end.code)}


def misfits(played: Played, expected: Sequence[Demand], values: Mapping[str, int]) -> list[str]:
    """Return each value that does not fit the terms, with what was expected; empty if all do.

    expected: requirements besides the terms. values: of the configuration, by key, those required
    and the role.
    """
    number, fit = values["role"], names_for(played.game or "")
    name = ROLES[number - 1] if 0 < number <= len(ROLES) else str(number)
    if name not in fit:
        return [f"role is {name}, {played.game} is played on {' or '.join(fit)}"]
    every = [*demands(name, played), *expected]
    return [text for demand in every if (text := demand.misfit(values[demand.key]))]


def payless(played: Played, values: Mapping[str, int | None]) -> list[str]:
    """Return each value with which a machine is for no stakes at all; empty if there is none.

    values: what is known of its configuration, by key.
    """
    every = (demand for name in names_for(played.game or "") for demand in demands(name, played))
    return [
        demand.misfit(value)
        for demand in every
        if demand.never is not None and (value := values.get(demand.key)) == demand.never
    ]
