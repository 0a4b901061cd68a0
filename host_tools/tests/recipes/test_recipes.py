"""Each recipe of "How to add" in ARCHITECTURE.md is carried out; the page is what was done."""

import pytest

from hil_tests.thinned import IS_SOAK, soak_only
from host_tools.tests.recipes import runner
from host_tools.tests.recipes.board import BOARD
from host_tools.tests.recipes.event import EVENT
from host_tools.tests.recipes.every import RECIPES
from host_tools.tests.recipes.fault_code import FAULT_TEST
from host_tools.tests.recipes.message_field import MESSAGE_FIELD
from host_tools.tests.recipes.role import ROLE

# Elsewhere: a toy role in test_toy_role, a newer message in test_wire_evolution, boards and events
# in the tests of their pages.
SLOW = (ROLE, FAULT_TEST, MESSAGE_FIELD, EVENT, BOARD)
by_recipe = pytest.mark.parametrize("recipe", RECIPES, ids=lambda one: one.heading)


@by_recipe
def test_the_page_is_the_recipe(recipe):
    """Its steps begin with the files that are edited, in this order; their count is stated."""
    page = runner.section(recipe.heading)
    assert page.steps == recipe.files()
    assert page.count == len(page.steps)


@by_recipe
def test_the_short_run_is_of_the_tests_that_the_page_names(recipe):
    """A file, or a test of it, below what a command of the page names."""
    page = runner.section(recipe.heading)
    named = tuple(word for program, *words in page.commands for word in words)
    assert all(test.startswith(named) for test in recipe.tests)


@pytest.mark.parametrize(
    "recipe",
    [pytest.param(one, id=one.heading, marks=[soak_only] * (one in SLOW)) for one in RECIPES],
)
def test_a_recipe_holds(recipe, tmp_path):
    """Apply, generate, test, play: as the page says, and nothing else."""
    runner.carry_out(recipe, tmp_path, whole=IS_SOAK)


@soak_only
@pytest.mark.parametrize(
    ("recipe", "left_out"),
    [(recipe, path) for recipe in RECIPES for path in recipe.files()],
    ids=lambda one: getattr(one, "heading", one),
)
def test_without_a_step_the_named_tests_fail(recipe, left_out, tmp_path):
    """No step can be forgotten unnoticed, and none is superfluous."""
    edits = tuple(edit for edit in recipe.edits if edit.path != left_out)
    with pytest.raises(AssertionError):
        runner.carry_out(recipe._replace(edits=edits), tmp_path)
