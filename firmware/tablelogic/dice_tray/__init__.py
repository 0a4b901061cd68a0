"""The logic of a dice tray: beams, hits of the wall, the croupier's button, camera verdicts."""
