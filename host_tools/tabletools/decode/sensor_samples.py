"""What a self-test reports, in words."""

from tabletools.roles.role import Message

# Quantity: (what it is called, unit).
QUANTITIES = {
    "pulses": ("pulses", ""),
    "level": ("level", ""),
    "raw": ("highest reading", "of 4095"),
    "raw_least": ("lowest reading", "of 4095"),
    "raw_span": ("swing", "of 4095"),
    "closed_switches": ("switches closed", ""),
    "grey": ("brightness", "of 255"),
    "grey_span": ("contrast", "of 255"),
    "shift": ("off its place", "px"),
    "angle": ("angle", "mdeg"),
    "active": ("fault active", ""),
    "silent": ("silent", ""),
    "pocket": ("pocket after the index", ""),
    "error": ("error number", ""),
    "supply": ("supply", "mV"),
    "place": ("off its place", "mdeg"),
    "missed": ("pulses missed", ""),
    "temperature": ("temperature of the chip", "C"),
    "card_us": ("time of a card, median", "us"),
    "card_ratio": ("length over gate distance, median", "%"),
    "card_spread": ("spread of the cards", "permille"),
    "card_off": ("card farthest from the median", "permille"),
}


class SensorSample(Message, frozen=True):
    """sensor_sample: a quantity of a sensor, and the table's verdict on it."""

    sensor: str | None
    quantity: str
    value: int
    low: int
    high: int
    """Limits of a pass; low is above high where the value was only reported."""
    level: int | None
    """Of the line: 0 off, 1 on."""
    verdict: str
    code: int | None = None
    reason: str | None = None

    @property
    def has_limits(self) -> bool:
        """Whether the value was measured by limits."""
        return self.low <= self.high

    @property
    def is_none(self) -> bool:
        """Whether the value says that there is none: a pocket before the first."""
        return self.quantity == "pocket" and self.value < 0

    def limits(self) -> str:
        """The limits of a pass; empty when the value was only reported."""
        if not self.has_limits:
            return ""
        return str(self.low) if self.low == self.high else f"{self.low}..{self.high}"

    def text(self) -> str:
        """Verdict, sensor, value, limits, code."""
        name, unit = QUANTITIES[self.quantity]
        what = f"{name} {'none' if self.is_none else self.value}" + (f" {unit}" if unit else "")
        passes = f", {self.limits()} pass" if self.limits() else ""
        code = f": {self.code} {self.reason}" if self.code else ""
        return f"{self.verdict.upper()} {self.sensor or 'table'}, {what}{passes}{code}"


class SelfTestResult(Message, frozen=True):
    """self_test_result: how many samples it sent."""

    samples: int
    failed: int
    watched_ms: int

    def text(self) -> str:
        """Counts and time."""
        watched = f"watched for {self.watched_ms / 1000:.1f} s"
        return f"{self.samples} sent, {self.failed} failed, {watched}"
