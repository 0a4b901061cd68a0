"""What belongs to one role alone: a controller holds the words of its own role only.

The words of a self test are no role's; they are loaded by whoever begins one.

The words of roulette are those every table shares: it was there first.
"""

from dataclasses import dataclass

from tablespec import names
from tablespec.fields import Names
from tablespec.messages import (
    Message,
    card_shoe,
    diagnosis,
    dice_tray,
    draw_machine,
    money_wheel,
    shuffler,
)
from tablespec.reasons import Reason
from tablespec.reasons import card_shoe as card_shoe_reasons
from tablespec.reasons import dice_tray as dice_tray_reasons
from tablespec.reasons import draw_machine as draw_machine_reasons
from tablespec.reasons import money_wheel as money_wheel_reasons
from tablespec.reasons import shuffler as shuffler_reasons


@dataclass(frozen=True)
class RoleWords:
    """name: of the role, and of its module in tablewire. enums: as in names, its device uses.

    end: message that ends a round which is not void, "" for none. adds: (enumeration, its values
    no other role says).
    """

    name: str
    messages: tuple[Message, ...]
    end: str
    reasons: tuple[Reason, ...]
    enums: tuple[str, ...] = ()
    adds: tuple[tuple[str, Names], ...] = ()


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
    RoleWords(
        "card_shoe",
        card_shoe.MESSAGES,
        "cards_ended",
        card_shoe_reasons.REASONS,
        ("CARD_USE", "SHOE_LOAD", "SHOE_EVENT", "READER_ASK", "READER_STATE", "CORNER"),
    ),
    RoleWords(
        "dice_tray",
        dice_tray.MESSAGES,
        "dice_result",
        dice_tray_reasons.REASONS,
        ("READING",),
        (
            ("WHEEL", names.DICE_WHEEL),
            ("PHASE", names.DICE_PHASE),
            ("CLOSE_CAUSE", names.DICE_CLOSE_CAUSE),
            ("SENSOR", names.DICE_SENSOR),
        ),
    ),
    RoleWords(
        "draw_machine",
        draw_machine.MESSAGES,
        "draw_result",
        draw_machine_reasons.REASONS,
        ("READER", "DRAW_END", "COUNTED_BY"),
        (
            ("WHEEL", names.DRAW_WHEEL),
            ("PHASE", names.DRAW_PHASE),
            ("SENSOR", names.DRAW_SENSOR),
        ),
    ),
    RoleWords(
        "diagnosis",
        diagnosis.ANSWERS,
        "",
        (),
        ("QUANTITY", "CHECK"),
        (("SENSOR", names.DIAGNOSIS_SENSOR),),
    ),
)

# Messages that end a round, of any role.
ENDS = frozenset({"wheel_result", "round_void"} | {role.end for role in ROLES} - {""})
OWN_NAMES = frozenset(
    (enum, pair) for role in ROLES for enum, pairs in role.adds for pair in pairs
)
OWN_MESSAGES = frozenset(message.id for role in ROLES for message in role.messages)
OWN_REASONS = frozenset(reason.number for role in ROLES for reason in role.reasons)
