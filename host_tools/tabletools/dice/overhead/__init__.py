"""The host's own camera above a dice tray: calibrated, photographed with, and read."""
