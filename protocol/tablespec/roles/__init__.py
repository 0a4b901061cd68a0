"""The roles: each module in this folder is one, and is found automatically.

A controller loads only the words of its role. The words of a self-test belong to no role; they
are loaded when a self-test begins.
"""

from importlib import import_module
from pkgutil import iter_modules

from tablespec.core import diagnosis_messages
from tablespec.core.words import RoleWords

__all__ = ["ENDS", "OWN_MESSAGES", "OWN_NAMES", "OWN_REASONS", "PLAYED", "ROLES", "RoleWords"]

PLAYED: tuple[RoleWords, ...] = tuple(
    sorted(
        (import_module(f"{__name__}.{module.name}").ROLE for module in iter_modules(__path__)),
        key=lambda role: role.number,
    )
)
ROLES: tuple[RoleWords, ...] = (*PLAYED, diagnosis_messages.WORDS)

# Messages that end a round, of any role.
ENDS = frozenset({"round_void", *(role.end for role in PLAYED)})
OWN_NAMES = frozenset(
    (enum, pair) for role in ROLES for enum, pairs in role.adds for pair in pairs
)
OWN_MESSAGES = frozenset(message.id for role in ROLES for message in role.messages)
OWN_REASONS = frozenset(reason.number for role in ROLES for reason in role.reasons)
