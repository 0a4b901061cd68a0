"""A second settlement, written from the rulebook alone: it shares no code with the first.

The settlement that pays also verifies, so a mistake in it would verify. This one is slow
and plain: tables, brute force and fractions. What it cannot judge it says, and never passes.
"""

from tabletools.shadow import dice, roulette, wheels
from tabletools.shadow.verdict import Impossible, Record, Unjudged, Verdict

__all__ = ["GAMES", "Impossible", "Record", "Unjudged", "Verdict", "judge"]

# Games the shadow judges, with their editions.
GAMES = {
    "roulette": (roulette.judge, "hc2011 hc2023"),
    "big_wheel": (wheels.judge, "hc2011"),
    "money_wheel": (wheels.judge, "hc2023"),
    "sic_bo": (dice.judge, "hc2011 hc2023"),
    "rocket7": (dice.judge, "hc2011"),
    "diceball": (dice.judge, "hc2023"),
    "barbut": (dice.judge, "hc2023"),
}


def judge(record: Record) -> list[Verdict]:
    """Return what each bet of a round comes to. record: as docs/SETTLE.md has it.

    Raises Unjudged where the shadow has no answer, Impossible where the rulebook knows no such
    bet or outcome.
    """
    game = record["game"]
    if game not in GAMES:
        raise Unjudged("the shadow does not know the game")
    settled, editions = GAMES[game]
    if record["rules"] not in editions.split():
        raise Impossible(f"{record['rules']} has no {game}")
    return settled({**_given(record), "table": _given(record.get("table") or {})})


def _given(fields: Record) -> Record:
    """Without what is null, which is the same as left out."""
    return {
        name: _given(value) if isinstance(value, dict) else value
        for name, value in fields.items()
        if value is not None
    }
