"""The one definition of the wire, the reason codes and the configuration (host only).

Everything the device and the host run on is generated from here by `python -m tablespec.generate`.
"""
