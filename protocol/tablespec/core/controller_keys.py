"""Configuration keys of a controller: every value is a 32-bit integer with a unit and a range."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Key:
    """One configuration value. number: key on the wire and in the stored slots, never reused.

    role: the only one that reads it; a table stores all keys, so that its role can be changed.
    """

    number: int
    name: str
    unit: str
    low: int
    high: int
    default: int
    meaning: str
    role: str = ""


@dataclass(frozen=True)
class Order:
    """Two values that must agree: value of `lower` + gap <= value of `upper`. why: otherwise."""

    lower: str
    upper: str
    gap: int
    why: str


# Key 1, `role`, is in tablespec.config_keys, which knows the roles.
KEYS: tuple[Key, ...] = (
    Key(9, "max_bet_ms", "ms", 5_000, 300_000, 60_000, "bets close by then at the latest"),
    Key(20, "result_hold_ms", "ms", 0, 60_000, 5_500, "result or void to the next opening"),
    Key(21, "auto_open", "", 0, 1, 1, "1: rounds open automatically; 0: by command or button"),
    Key(22, "tilt_fitted", "", 0, 1, 1, "1: the tilt input is wired"),
    Key(23, "dome_fitted", "", 0, 1, 1, "1: the dome input is wired"),
    Key(24, "production", "", 0, 1, 0, "1: the console is closed but in maintenance"),
)
