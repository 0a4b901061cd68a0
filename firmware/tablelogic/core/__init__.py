"""What every role shares: rounds, faults, inputs, the clock and the recorder of traces."""
