"""Every enumeration, as pairs (value, name): those of the core with the additions of the roles.

And the names of messages and configuration keys, for people.
"""

from tablespec.config_keys import KEYS
from tablespec.core import core_names as core
from tablespec.core.core_names import *  # noqa: F403
from tablespec.field_types import Names
from tablespec.message_list import BY_ID, MESSAGES
from tablespec.reasons import REASONS
from tablespec.roles import PLAYED, ROLES

NAMES: dict[int, str] = {message.id: message.name for message in MESSAGES}
KEY_NAMES: tuple[str, ...] = tuple(key.name for key in KEYS)


def _all(enum: str) -> Names:
    shared: Names = getattr(core, enum, ())
    added = (pair for role in ROLES for name, pairs in role.adds if name == enum for pair in pairs)
    return tuple(sorted((*shared, *added)))


ROLE: Names = tuple((role.number, role.name) for role in PLAYED)
WHEEL = _all("WHEEL")
PHASE = _all("PHASE")
CLOSE_CAUSE = _all("CLOSE_CAUSE")
REASON: Names = tuple((reason.number, reason.name) for reason in REASONS)
# Names of the inputs, by the number of the role; 0 for a frame that names none.
INPUTS: dict[int, dict[int, str]] = {
    0: dict(core.INPUT),
    **{role.number: {**dict(core.INPUT), **dict(role.inputs)} for role in PLAYED},
}
# The words of a role for fields of the core, by the number of the role.
LABELS: dict[int, dict[str, str]] = {role.number: dict(role.labels) for role in PLAYED}


def words(ident: int, role: int) -> tuple[str, ...]:
    """Names of a message's fields in the words of a role, where an input is a sensor."""
    own = {"input": "sensor", **LABELS.get(role, {})}
    return tuple(own.get(name, name) for name, _ in BY_ID[ident].facts())
