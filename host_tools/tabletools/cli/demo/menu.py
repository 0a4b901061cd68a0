"""The tables of the demo: the machine of each, its terms, and the bets of its players."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tabletools.evidence import voids

Slip = dict[str, Any]


class DemoTable(NamedTuple):
    """One table. kind: of `tabletool demo --only`, and of its emulator. slips: what its players
    choose from.

    declares: the order with which its dealer reports a count after a fault, as the API accepts it.
    is_led: its dealer opens, closes and ends its rounds. emulator: where it is not the kind.
    setup: fields of its machine; changed: keys of its configuration. fault: one that is provoked,
    the round of the first, and the interval.
    """

    name: str
    kind: str
    game: str
    rules: str
    variant: str = ""
    limits: str = ""
    options: str = ""
    slips: tuple[Slip, ...] = ()
    declares: Slip | None = None
    is_led: bool = False
    emulator: str = ""
    setup: Mapping[str, Any] = {}
    changed: Mapping[str, int] = {}
    fault: tuple[str, int, int] | None = None


def _on(bet: str, *on: int, **more: Any) -> Slip:
    return {"bet": bet, "stake_cents": 500, **({"on": list(on)} if on else {}), **more}


_CLOTH = (
    _on("straight", numbers=["17"]), _on("straight", numbers=["0"]),
    _on("straight", numbers=["32"]), _on("split", numbers=["8", "11"]),
    _on("corner", numbers=["25", "26", "28", "29"]), _on("even", stake_cents=5000),
    _on("red", stake_cents=2500), _on("black", stake_cents=2500),
    _on("dozen", index=2, stake_cents=1000), _on("column", index=3, stake_cents=1000),
)  # fmt: skip
# What the house pays at Keno, to one: numbers chosen, numbers hit.
_PAYS = 'pays = { "1" = { "1" = 2 }, "2" = { "2" = 9 }, "3" = { "2" = 1, "3" = 25 } }'
TABLES = (
    DemoTable("Roulette 1", "roulette", "roulette", "hc2023", "french", "minimum = 500",
              slips=_CLOTH),
    DemoTable("Roulette 2", "roulette00", "roulette", "hc2011", "american00", slips=_CLOTH,
              emulator="roulette", setup={"wheel": "double"}),
    DemoTable("Big Wheel", "money_wheel", "big_wheel", "hc2011",
              slips=tuple(_on("segment", pays) for pays in (1, 1, 3, 5, 10, 20, 45))),
    DemoTable("Sic Bo", "dice", "sic_bo", "hc2023", slips=(
        _on("small", stake_cents=1000), _on("big", stake_cents=1000), _on("single", 3),
        _on("total", 9), _on("any_triple"),
    # Of three dice on three plates every fifth throw would be void (HARDWARE.md): here the
    # croupier watches the wall. The next round opens when the host has read the picture.
    ), setup={"host": True}, changed={"wall_hits": 2, "result_hold_ms": 20_000}),
    DemoTable("Punto Banco", "card_shoe", "punto_banco", "hc2023", limits="minimum = 500", slips=(
        _on("punto", stake_cents=1000), _on("banco", stake_cents=2000), _on("egalite"),
    ), declares={"order": "load_shoe", "values": {"load": "new", "cards": 416, "burns": 0}}),
    # Its hands are dealt and shown by hand, so no bets are placed here.
    DemoTable("Three Card Poker", "shuffler", "three_card", "hc2023", is_led=True,
              fault=("jam_in", 2, 8)),
    DemoTable("Keno", "draw_machine", "keno", "hc2023", options=_PAYS, slips=(
        _on("numbers", 7, stake_cents=200), _on("numbers", 12, 40, stake_cents=200),
        _on("numbers", 2, 33, 71),
    ), declares={"order": "declare_balls", "values": {"inside": 80}}),
)  # fmt: skip
ESTATE = [table for table in TABLES if table.kind in ("roulette", "money_wheel")]
"""The tables of each site of an estate."""


def settings_of(table: DemoTable, port: int, device: int) -> str:
    """Return the section of a table in the file of the host."""
    lines = [
        "[[table]]", f'name = "{table.name}"', f'port = "socket://127.0.0.1:{port}"',
        f"device = {device}", f'game = "{table.game}"', f'rules = "{table.rules}"',
        f'variant = "{table.variant}"',
    ]  # fmt: skip
    if table.setup.get("host"):
        lines.append('dice_reading = "host"')
    if table.limits:
        lines.append(f"limits = {{ {table.limits} }}")
    # Spins, throws and draws that fail by themselves are repeated; anything else two users rule.
    automatic = f"{voids.AUTOMATIC} = {[*voids.OF_THE_GAME]}"
    options = ", ".join(filter(None, (table.options, automatic)))
    lines.append(f"options = {{ {options} }}")
    return "\n".join([*lines, ""])
