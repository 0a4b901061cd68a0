"""What one interpreter has and the other lacks; the only place that asks."""

try:
    from micropython import const
except ImportError:

    def const(value: int) -> int:
        """On the device the compiler folds it; here it is the value itself."""
        return value
