"""Every enumeration, as pairs (value, name): those of the core, with what the roles add."""

from tablespec.core import names as core
from tablespec.core.names import *  # noqa: F403
from tablespec.fields import Names
from tablespec.reasons import REASONS
from tablespec.roles import PLAYED, ROLES


def _all(enum: str) -> Names:
    shared: Names = getattr(core, enum, ())
    added = (pair for role in ROLES for name, pairs in role.adds if name == enum for pair in pairs)
    return tuple(sorted((*shared, *added)))


ROLE: Names = tuple((role.number, role.name) for role in PLAYED)
WHEEL = _all("WHEEL")
PHASE = _all("PHASE")
CLOSE_CAUSE = _all("CLOSE_CAUSE")
SENSOR = _all("SENSOR")
REASON: Names = tuple((reason.number, reason.name) for reason in REASONS)
