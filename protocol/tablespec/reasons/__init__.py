"""Reason codes: why a round is void or a table is locked. A number is never reused.

kind "void": ends the round, nothing stands afterwards. kind "fault": also stands, and no round
opens until its cause is measured gone. CHECKS, kind "check": what a technician's tool finds; they
are never on the wire. Rule articles: rules/rulebook chapter 2 (R-1 to R-4).
"""

from tablespec.reasons import (
    ball,
    card_shoe,
    device,
    dice_tray,
    draw_machine,
    inputs,
    money_wheel,
    rotor,
    sensors,
    shuffler,
)
from tablespec.reasons.checks import CHECKS
from tablespec.reasons.shape import Reason

__all__ = ["CHECKS", "REASONS", "Reason"]

REASONS: tuple[Reason, ...] = (
    *ball.REASONS,
    *rotor.REASONS,
    *sensors.REASONS,
    *inputs.REASONS,
    *device.REASONS,
    *money_wheel.REASONS,
    *dice_tray.REASONS,
    *shuffler.REASONS,
    *card_shoe.REASONS,
    *draw_machine.REASONS,
)
