"""Where firmware, boards and the code of the wire are: in a checkout, else in the wheel."""

from pathlib import Path

_IN_WHEEL = Path(__file__).with_name("tree")

TREE = _IN_WHEEL if _IN_WHEEL.is_dir() else Path(__file__).resolve().parents[2]
"""The folder above `boards`, `firmware` and `protocol`; setup.py puts it into the wheel."""
IS_CHECKOUT = TREE is not _IN_WHEEL
