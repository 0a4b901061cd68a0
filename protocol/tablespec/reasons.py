"""Reason codes: why a round is void or a table is locked. A number is never reused.

kind "void": ends the round, nothing stays active afterwards. kind "fault": also stays active, and
no round opens until measurements show that its cause is gone. CHECKS, kind "check": findings of a
technician's tool, never on the wire. Rule articles: rules/rulebook chapter 2 (R-1 to R-4).
"""

from tablespec.core import core_reasons as core
from tablespec.core.check_codes import CHECKS
from tablespec.core.core_reasons import Reason
from tablespec.roles import PLAYED

__all__ = ["CHECKS", "REASONS", "Reason"]

REASONS: tuple[Reason, ...] = tuple(
    sorted(
        (*core.REASONS, *(reason for role in PLAYED for reason in role.reasons)),
        key=lambda reason: reason.number,
    )
)
