"""A round with the outcome that a table reported: `recorded`, with `settle --records FILE`."""

from typing import Annotated, Any

from msgspec import Meta

from tabletools.rules.dealing import CARD, DOUBLE, SPLIT, STAND
from tabletools.rules.declared import Declared, Text

_Count = Annotated[int | None, Meta(extra_json_schema={"minimum": 1})]


class Decided(Declared, frozen=True, kw_only=True):
    """A decision on a hand of Black Jack."""

    box: _Count = None
    hand: _Count = None
    act: Annotated[Text, Meta(extra_json_schema={"enum": [CARD, DOUBLE, SPLIT, STAND]})]


class RecordedRound(Declared, frozen=True, kw_only=True):
    """The round of the table, and the facts that no table reports."""

    round: Annotated[int, Meta(description="Number the table gave it.")]
    device: Annotated[int | None, Meta(description="Left out: the only one.")] = None
    box: Annotated[_Count, Meta(description="Which hand; left out: 1.")] = None
    boxes: Annotated[_Count, Meta(description="Hands beside the bank's; left out: 1.")] = None
    decisions: tuple[Decided, ...] | None = None
    dealt: Annotated[dict[str, Any] | None, Meta(description="Hands no shoe read.")] = None


class RoundTerms(Declared, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """The fields of a round that are needed to find its outcome."""

    rules: Text
    game: Text
    variant: Text | None = None
    table: dict[str, Any] | None = None
    outcome: Any = None
    recorded: RecordedRound
