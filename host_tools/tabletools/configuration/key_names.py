"""Configuration keys by name, with unit and range, for output and input."""

from difflib import get_close_matches

from tablespec.config_keys import KEYS, Key
from tabletools.errors import ToolError

BY_NAME = {key.name: key for key in KEYS}


def find(name: str, where: str) -> Key:
    """Return the key of that name. where: file and line, or the option. Raises ToolError."""
    if name in BY_NAME:
        return BY_NAME[name]
    close = get_close_matches(name, BY_NAME, n=3, cutoff=0.4)
    raise ToolError(
        f"no configuration key named {name!r}"
        + (f": did you mean {', '.join(close)}?" if close else ""),
        where=where,
        limit=f"{len(KEYS)} keys",
        step="see all of them with `tabletool config check --list`",
    )


def verify_range(key: Key, value: int, where: str) -> None:
    """Raise ToolError when the value is outside the key's range."""
    if not key.low <= value <= key.high:
        raise ToolError(
            f"{key.name} = {value} is out of range",
            where=where,
            limit=f"{key.low}..{key.high}{_unit(key)}",
            step=f"{key.meaning}; the factory sets {key.default}",
        )


def assignment(text: str) -> tuple[Key, int]:
    """Parse `name=value`. Raises ToolError."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ToolError(
            f"{text!r} is neither a file nor name=value",
            step="give a file made by `tabletool config dump`, or for example min_circuits=7",
        )
    key = find(name.strip(), text)
    try:
        number = int(value)
    except ValueError:
        raise ToolError(
            f"{value.strip()!r} is not a whole number",
            where=text,
            limit=f"{key.low}..{key.high}{_unit(key)}",
        ) from None
    verify_range(key, number, text)
    return key, number


def line_of(key: Key, value: int) -> str:
    """A value with its meaning: `min_circuits = 7  # circuits, 1..20: ...`."""
    unit = f"{key.unit}, " if key.unit else ""
    return f"{key.name} = {value}  # {unit}{key.low}..{key.high}: {key.meaning}"


def _unit(key: Key) -> str:
    return f" {key.unit}" if key.unit else ""
