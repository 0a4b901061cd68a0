"""The acts of `tabletool play`, one a role: the module of that name has its ACT."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabletools.cli.play.stage import Act

ROLES = ("roulette", "money_wheel", "dice", "shuffler", "card_shoe", "draw_machine")
"""In the order in which they are played."""


def act_of(role: str) -> "Act":
    """Return the act of a role; it takes long to import."""
    act: Act = import_module(f"tabletools.cli.play.{role}").ACT
    return act
