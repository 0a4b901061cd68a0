"""The program of the table collects its garbage at every boot, thousands of times in the matrices.

On this side that would search everything the test run holds each time, 80 ms: so what it holds
when the tests begin is set aside once.
"""

import gc


def pytest_collection_finish():
    gc.collect()
    gc.freeze()
