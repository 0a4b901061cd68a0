"""The bench of decisions under guessing clients: every decision is accepted, else no figure."""

from host_tools.bench import guess_bench
from host_tools.tests.served import CHEAP


def test_the_figures_are_of_decisions_that_were_accepted():
    """A ratio to the same decisions at rest, in the same run."""
    ratio, crowd, rest = guess_bench.figures(clients=2, decisions=2, hasher=CHEAP)
    assert ratio["target"] == "<= 5"
    assert ratio["value"] == round(crowd["value"] / rest["value"], 2) > 0
