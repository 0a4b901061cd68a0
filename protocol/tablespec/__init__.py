"""The single definition of the wire, the reason codes and the configuration (host only).

Device and host code is generated from here by `python -m tablespec.generate`.
"""
