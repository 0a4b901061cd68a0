"""Self-test results as text."""

from typing import Any

Record = dict[str, Any]
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


def limits(record: Record) -> str:
    """The limits of a pass; empty when the value was only reported."""
    low, high = record["low"], record["high"]
    if low > high:
        return ""
    return str(low) if low == high else f"{low}..{high}"


def is_none(record: Record) -> bool:
    """Whether the value says that there is none: a pocket before the first."""
    return bool(record["quantity"] == "pocket" and record["value"] < 0)


def sample(record: Record) -> str:
    """One sensor_sample."""
    name, unit = QUANTITIES[record["quantity"]]
    value = "none" if is_none(record) else record["value"]
    what = f"{name} {value}" + (f" {unit}" if unit else "")
    passes = f", {limits(record)} pass" if limits(record) else ""
    code = f": {record['code']} {record['reason']}" if record["code"] else ""
    sensor = record["sensor"] or "table"
    return f"{record['verdict'].upper()} {sensor}, {what}{passes}{code}"


def result(record: Record) -> str:
    """One self_test_result."""
    watched = f"watched for {record['watched_ms'] / 1000:.1f} s"
    return f"{record['samples']} sent, {record['failed']} failed, {watched}"
