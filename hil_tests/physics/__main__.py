"""Play rounds of every class of the physical models; on PyPy ten times faster.

    python -m hil_tests.physics --spins 5000 [--machine roulette] [--kind TEXT] [--show]

`hil_tests.soak.physics_soak` plays wheels mounted wrong besides, and leaves a trace.
"""

import sys

from hil_tests.physics.class_runner import run
from hil_tests.physics.kinds import Kind, kinds


def no_trace(_kind: Kind, _seed: str) -> str:
    """The recorder of traces does not run on PyPy 3.9."""
    return ""


if __name__ == "__main__":
    sys.exit(run("physics", kinds, no_trace))
