"""Installing a program on a stock board over its interpreter's prompt."""

from tabletools.flash.boards import Kind, at_usb, kind_of, kinds, reported_kind
from tabletools.flash.compiler import build
from tabletools.flash.fitness import check_space, dice_note, role_note, verify_board, verify_role
from tabletools.flash.plan import Plan, plan_of
from tabletools.flash.prompt import Prompt, answers_at_prompt, opened, verify_port
from tabletools.flash.provision import (
    CONFIGURATION_FILES,
    COUNTER_FILES,
    KEY_FILES,
    configuration_files,
    device_of,
    key_files,
    role_of,
)
from tabletools.flash.survey import Survey
from tabletools.flash.wiring_text import wiring_of

__all__ = [
    "CONFIGURATION_FILES",
    "COUNTER_FILES",
    "KEY_FILES",
    "Kind",
    "Plan",
    "Prompt",
    "Survey",
    "answers_at_prompt",
    "at_usb",
    "build",
    "check_space",
    "configuration_files",
    "device_of",
    "dice_note",
    "key_files",
    "kind_of",
    "kinds",
    "opened",
    "plan_of",
    "reported_kind",
    "role_note",
    "role_of",
    "verify_board",
    "verify_port",
    "verify_role",
    "wiring_of",
]
