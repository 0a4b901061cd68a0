"""The version of the firmware, as sent in identity, and the number of the release.

RELEASE rises with every program that is installed anywhere: a table never runs a lower one than
the highest it ran.
"""

from tablewire.compat import const

MAJOR = const(1)
MINOR = const(0)
PATCH = const(0)
RELEASE = const(1)
