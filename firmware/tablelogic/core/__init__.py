"""The common part of every role: rounds, faults, inputs, the clock and the recorder of traces."""
