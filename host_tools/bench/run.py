"""`make bench`: every figure of the *_bench.py files beside this one, as a table.

    python host_tools/bench/run.py [--only NAME] [--json FILE]

NAME is that of one file without its ending, "rig" for rig_bench.py.

Each bench has figures() -> list of name, value, unit, target (None when only reported), verdict
("met", "short" or "reported"). A target missed is said, but is no error: it may be the machine.
"""

import argparse
import importlib
import json
import os
import platform
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# What the tests play with serves some benches too.
sys.path.insert(0, str(HERE.parents[1]))
ENDING = "_bench"
Figure = dict[str, Any]


def names() -> list[str]:
    """Return the benches by the names that choose them."""
    return [path.stem.removesuffix(ENDING) for path in sorted(HERE.glob(f"*{ENDING}.py"))]


def measured(only: list[str]) -> Iterator[Figure]:
    """Yield the figures of these benches."""
    for name in only:
        yield from importlib.import_module(name + ENDING).figures()


def line(figure: Figure) -> str:
    """Return one figure as a line of the table."""
    value, target = (_number(figure[key]) for key in ("value", "target"))
    return f"{figure['name']:<60}{value:>14} {figure['unit']:<10}{target:>14}  {figure['verdict']}"


def _number(value: object) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)


def machine() -> dict[str, object]:
    """Return what the figures depend on."""
    return {
        "machine": platform.machine(),
        "system": platform.system(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def main(argv: list[str] | None = None) -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description="Measure speed and memory.")
    listed = ", ".join(names())
    parser.add_argument("--only", metavar="NAME", help=f"measure one file only: {listed}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the figures in FILE")
    options = parser.parse_args(argv)
    if options.only and options.only not in names():
        parser.error(f"there is no bench {options.only!r}; choose one of: {listed}")
    begun = time.perf_counter()
    about = machine()
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    print(f"{'what':<60}{'value':>14} {'unit':<10}{'target':>14}")
    figures = []
    for figure in measured([options.only] if options.only else names()):
        print(line(figure), flush=True)
        figures.append(figure)
    if options.json:
        text = json.dumps({**about, "figures": figures}, indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")
    short = [figure["name"] for figure in figures if figure["verdict"] == "short"]
    print(f"below target here: {'; '.join(short)}" if short else "every target met")
    print(f"measured in {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
