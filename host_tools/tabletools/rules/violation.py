"""A refusal by the rules: a code to match on, what is wrong, where, and what to do next."""

from typing import NamedTuple


class Code(NamedTuple):
    """One kind of refusal. `name` never changes; texts may. `remedy` says what to do next."""

    name: str
    meaning: str
    remedy: str


class RuleViolation(ValueError):
    """A round, bet or stake that cannot be accepted or settled.

    what: what is wrong, with the value and the limit. where: path of the field, as in
    `bets[0].stake`, empty for the whole round. message: `what` followed by the remedy.
    """

    def __init__(self, code: Code, what: str, where: str = "") -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.where = where

    @property
    def message(self) -> str:
        """What is wrong, then what to do next."""
        return f"{self.what}. Next: {self.code.remedy}"

    @property
    def parts(self) -> tuple[str, str, str, str]:
        """Name of the code, what is wrong, what to do next, and where: of any refusal."""
        return self.code.name, self.what, self.code.remedy, self.where

    def under(self, outer: str) -> "RuleViolation":
        """Return the same refusal with its place seen from one level further out."""
        if not self.where:
            where = outer
        elif self.where.startswith("["):
            where = outer + self.where
        else:
            where = f"{outer}.{self.where}"
        return RuleViolation(self.code, self.what, where)


class within:  # noqa: N801 - used as a statement
    """Prefix the place of a RuleViolation raised inside with `outer`."""

    __slots__ = ("_outer",)

    def __init__(self, outer: str) -> None:
        self._outer = outer

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: object, _trace: object) -> None:
        if isinstance(error, RuleViolation):
            raise error.under(self._outer) from None


def player_shown(player: str | None) -> str:
    """Return a player as shown in a message; a bet need not name its player."""
    return "the player" if player is None else f"player {shown(player)}"


def shown(value: object) -> str:
    """Return a value as shown in a message: short, printable, not traversed.

    Lists and objects are named, not printed: they may be nested deeper than the stack.
    """
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and value.bit_length() > 128:
        return "a number of more than 38 digits"
    text = ascii(value[:40] if isinstance(value, str) else value)
    return text if len(text) <= 40 else text[:37] + "..."
