"""The program of the table collects its garbage at every boot, thousands of times in the matrices.

On CPython that would search everything the whole test run holds, up to 400 ms each time, and
find nothing of the table's, which counts references: so here it does not search.
"""

import gc

import pytest


@pytest.fixture(autouse=True, scope="module")
def _no_search():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "collect", lambda generation=2: 0)
        yield
