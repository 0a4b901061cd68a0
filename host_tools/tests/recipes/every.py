"""Every recipe, in the order of the page."""

from host_tools.tests.recipes.bet_type import BET_TYPE
from host_tools.tests.recipes.board import BOARD
from host_tools.tests.recipes.event import EVENT
from host_tools.tests.recipes.fault_code import FAULT_CODE, FAULT_TEST
from host_tools.tests.recipes.game import GAME
from host_tools.tests.recipes.message_field import MESSAGE_FIELD
from host_tools.tests.recipes.role import ROLE

RECIPES = (BET_TYPE, GAME, ROLE, BOARD, FAULT_CODE, FAULT_TEST, MESSAGE_FIELD, EVENT)
CREATED = {edit.path for recipe in RECIPES for edit in recipe.edits if not edit.anchor}
"""Files that the page names as examples and the tree lacks."""
