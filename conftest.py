"""How the processes of a test run collect: one alone compiles, and none searches for garbage.
Emulated boards load the program compiled.

In a fresh checkout every process would compile the same modules at the same time, 7 s each. How
long a property takes is no verdict: the machine may be busy.
"""

import fcntl
import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_PRESENT = settings.get_profile(settings.get_current_profile_name())
settings.register_profile(
    "busy", _PRESENT, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy")
# No test depends on the settings of who runs it.
os.environ["TABLETOOL_CONFIG"] = os.devnull
os.environ.pop("XDG_DATA_HOME", None)
_LOCK = os.open(Path(__file__), os.O_RDONLY)
if "PYTEST_XDIST_WORKER" in os.environ:
    try:
        fcntl.flock(_LOCK, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        fcntl.flock(_LOCK, fcntl.LOCK_SH)  # until the first has compiled everything
# New objects before a search: what the tests make lives short, and counts of references free it.
_SEARCH_AFTER = 50_000, 20, 20
gc.disable()  # nothing that is collected becomes garbage, and to search it takes 1 s


def pytest_collection_finish():
    """Let the others collect; from now on search only what the tests make."""
    os.close(_LOCK)
    gc.freeze()
    gc.set_threshold(*_SEARCH_AFTER)
    gc.enable()


def pytest_collection_modifyitems(config, items):
    """Leave out what only `make soak` plays of tests marked `one_in`; what waits comes first."""
    from hil_tests.thinned import deselect, left_out, waits_first  # later than the lock

    deselect(config, items, left_out(items))
    waits_first(items)


@pytest.fixture(autouse=True, scope="session")
def _boards_load_compiled():
    from hil_tests.compiled_boards import load_compiled  # later than the lock

    with load_compiled():
        yield
