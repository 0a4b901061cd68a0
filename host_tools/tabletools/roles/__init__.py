"""What each kind of table must prove before its result pays: one module per role.

A module has the wire name of its role and exports ROLE. From the terms of a table it derives the
allowed configuration of its controller, and from the records of a round the objections to its
result. Knows no file, port, database or money.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module

from tabletools.roles.demand import Demand, Played, Record, Role
from tablewire.messages import ROLES

__all__ = [
    "Demand",
    "Played",
    "Record",
    "demands",
    "is_card_game",
    "misfits",
    "names_for",
    "objections",
    "payless",
    "role",
]


@cache
def role(name: str) -> Role:
    """Return a role by its name on the wire. Raises KeyError for an unknown one."""
    if name not in ROLES:
        raise KeyError(name)
    loaded: Role = import_module(f"{__name__}.{name}").ROLE
    return loaded


def names_for(game: str) -> list[str]:
    """Return the names of the roles on which a game is played."""
    return [name for name in ROLES if game in role(name).games]


def is_card_game(game: str | None) -> bool:
    """Whether a game is dealt in cards, from a shoe or a shuffler."""
    return any(game in role(name).games for name in ("card_shoe", "shuffler"))


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
    name = next((name for name in ROLES if role(name).result == ended["type"]), None)
    if name is None:
        return [f"{ended['type']} is not a result of a role that this host knows"]
    for record in (opened, ended):
        if record is not None and record["role"] not in (None, name):
            return [f"a {record['role']} sent its {record['type']}, and its result is a {name}'s"]
    if played.game is not None and played.game not in role(name).games:
        fit = " or a ".join(names_for(played.game))
        return [f"a {name} reported it, and {played.game} is played on a {fit}"]
    return list(role(name).objections(played, opened, ended, records))


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
