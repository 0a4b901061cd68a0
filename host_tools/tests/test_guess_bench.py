"""The bench of decisions under guessing clients: every decision is accepted, else no figure."""

from host_tools.bench import guess_bench
from host_tools.tests.served import CHEAP


def test_the_figures_are_of_decisions_that_were_accepted():
    """A ratio to the same decisions at rest, in the same run."""
    ratio, crowd, rest = guess_bench.figures(clients=2, decisions=2, hasher=CHEAP)
    assert ratio["target"] == "<= 5"
    # The figures of both are printed to a tenth of a millisecond, the ratio is of the exact ones.
    assert abs(ratio["value"] - crowd["value"] / rest["value"]) <= 0.02 * ratio["value"]
