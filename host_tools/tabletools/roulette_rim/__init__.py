"""What the rim of one wheel does to its ball: laps out of traces, and the keys they propose."""
