"""The logic of a dice tray: beams, hits of the wall, the croupier's button, the camera's word."""
