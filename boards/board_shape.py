"""The names board.py and board.json must hold, and of which types."""

from collections.abc import Iterator

from board_files import Board

# Names board.py must bind, with their types.
DATA_NAMES = {
    "BOARD": str,
    "MCU": str,
    "UART": dict,
    "MACHINE_UART": int,
    "SPI": dict,
    "PINS": dict,
    "ANALOG": dict,
    "SUPPLY": dict,
    "CHIP": dict,
    "WATCHDOG": int,
    "CAMERA": dict,
    "OUTPUTS": tuple,
    "ACTIVE": dict,
    "PULLS": dict,
    "ARRAY_ACTIVE": int,
    "RESERVED": dict,
}
FACT_NAMES = {
    "id": str,
    "name": str,
    "vendor": str,
    "mcu": str,
    "revision": str,
    "micropython": dict,
    "clock_hz": int,
    "flash_bytes": int,
    "ram_bytes": int,
    "usable_pins": list,
    "analog_pins": list,
    "pulls": list,
    "reserved_pins": dict,
    "constraints": dict,
    "uarts": dict,
    "spis": dict,
    "i2cs": dict,
    "header": dict,
    "power": dict,
    "notes": list,
    "dice_frame_s": list,
    "interrupts": str,
    "unfit_roles": dict,
}


def problems(board: Board) -> Iterator[str]:
    """Yield a line for each name that is missing, unknown or of the wrong type."""
    for file, wanted, have in (
        ("board.py", DATA_NAMES, board.data),
        ("board.json", FACT_NAMES, board.facts),
    ):
        where = f"boards/{board.name}/{file}"
        for name, kind in wanted.items():
            if name not in have:
                yield f"{where}: {name} is missing"
            elif not isinstance(have[name], kind) or isinstance(have[name], bool):
                yield f"{where}: {name} must be of type {kind.__name__}, is {have[name]!r}"
        yield from (f"{where}: {name} is unknown" for name in have if name not in wanted)
