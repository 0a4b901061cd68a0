"""The control chart of an audit: the fields that lead, block by block of results in order.

Shewhart's chart of a share: while nothing changes, 997 of 1,000 blocks are within 3 deviations of
what is expected. The fields were chosen by all results, so a chart that lies high says what the
tests say; what it adds is when a bias began. Source: Montgomery, Statistical Quality Control,
section 7.2.
"""

import math
from typing import NamedTuple

from tabletools.audit import sector_scan
from tabletools.audit.audit_report import Report
from tabletools.audit.spins import as_array

LIMIT = 3.0
"""Standard deviations."""
MOST_BLOCKS = 60
LEAST_BLOCKS = 5
EXPECTED_LEAST = 10
"""Results of the fields that are expected in a block."""


class ControlChart(NamedTuple):
    """fields: that lead. block: results in each. deviations: of the fields in each block."""

    fields: str
    block: int
    deviations: tuple[float, ...]


def control_chart(report: Report) -> ControlChart | None:
    """Return the chart; None where the order is not known or there are too few results."""
    import numpy as np

    machine, n = report.machine, report.n
    if report.spins.round is None:
        return None
    counts = np.asarray(report.counts)
    if machine.is_round:
        sector = sector_scan.scan(counts)
        fields, leading = sector.fields(machine.labels), sector.places(machine.fields)
    else:
        leading = [int(counts.argmax())]
        fields = f"{machine.column} {machine.labels[leading[0]]}"
    share = len(leading) / machine.fields
    block = max(math.ceil(EXPECTED_LEAST / share), math.ceil(n / MOST_BLOCKS))
    if n < LEAST_BLOCKS * block:
        return None
    is_leading = np.isin(as_array(report.spins.places[: n // block * block]), leading)
    by_block = is_leading.reshape(-1, block).sum(axis=1)
    # Without replacement counts vary less, by the same factor as over all results.
    one = math.sqrt(n / machine.fields * (1 - 1 / machine.fields))
    spread = math.sqrt(block * share * (1 - share)) * (report.spread / one)
    deviations = (by_block - block * share) / (spread or 1.0)
    return ControlChart(fields, block, tuple(deviations.tolist()))
