"""Rigs: the places where the firmware runs under test, and what each of them can do.

Tests ask for a capability, never for a rig by name. A missing default rig fails; an optional one
is left out with the reason.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Capabilities:
    """What a rig offers.

    virtual_time: the test moves time; inject_edges: the test plays sensor edges;
    timing_accurate: code costs the time it costs on the board; heap_real: memory runs out as on
    the board; coverage: lines run can be counted; mpremote: the board answers mpremote.
    """

    virtual_time: bool = False
    inject_edges: bool = False
    timing_accurate: bool = False
    heap_real: bool = False
    coverage: bool = False
    mpremote: bool = False


# The rig that always runs: rigs/wasm.py.
WASM = Capabilities(virtual_time=True, inject_edges=True, heap_real=True, coverage=True)
# With an image the user brings: rigs/rp2040js.py.
RP2040JS = Capabilities(
    virtual_time=True, inject_edges=True, timing_accurate=True, heap_real=True, mpremote=True
)
