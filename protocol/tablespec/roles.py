"""What belongs to one role alone: a controller holds the words of its own role only.

The words of roulette are those every table shares: it was there first.
"""

from dataclasses import dataclass

from tablespec.messages import Message, money_wheel, shuffler
from tablespec.reasons import Reason
from tablespec.reasons import money_wheel as money_wheel_reasons
from tablespec.reasons import shuffler as shuffler_reasons


@dataclass(frozen=True)
class RoleWords:
    """name: of the role, and of its module in tablewire. enums: as in names, its device uses.

    end: message that ends a round which is not void.
    """

    name: str
    messages: tuple[Message, ...]
    end: str
    reasons: tuple[Reason, ...]
    enums: tuple[str, ...] = ()


ROLES: tuple[RoleWords, ...] = (
    RoleWords(
        "money_wheel", money_wheel.MESSAGES, "money_wheel_result", money_wheel_reasons.REASONS
    ),
    RoleWords(
        "shuffler",
        shuffler.MESSAGES,
        "card_round_ended",
        shuffler_reasons.REASONS,
        ("SHOE", "REPLACEMENT", "VERDICT", "SHUFFLER_STATE"),
    ),
)

# Messages that end a round, of any role.
ENDS = frozenset({"wheel_result", "round_void"} | {role.end for role in ROLES})
OWN_MESSAGES = frozenset(message.id for role in ROLES for message in role.messages)
OWN_REASONS = frozenset(reason.number for role in ROLES for reason in role.reasons)
