"""What belongs to one role alone: a controller holds the words of its own role only.

The words of roulette are those every table shares: it was there first.
"""

from dataclasses import dataclass

from tablespec.messages import Message, money_wheel
from tablespec.reasons import Reason
from tablespec.reasons import money_wheel as money_wheel_reasons


@dataclass(frozen=True)
class RoleWords:
    """name: of the role, and of its module in tablewire."""

    name: str
    messages: tuple[Message, ...]
    reasons: tuple[Reason, ...]


ROLES: tuple[RoleWords, ...] = (
    RoleWords("money_wheel", money_wheel.MESSAGES, money_wheel_reasons.REASONS),
)

OWN_MESSAGES = frozenset(message.id for role in ROLES for message in role.messages)
OWN_REASONS = frozenset(reason.number for role in ROLES for reason in role.reasons)
