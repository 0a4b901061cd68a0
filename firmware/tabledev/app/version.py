"""The version of the firmware, told in identity."""

from tablewire.compat import const

MAJOR = const(0)
MINOR = const(1)
PATCH = const(0)
