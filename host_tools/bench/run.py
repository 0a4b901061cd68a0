"""`make bench`: every figure of the *_bench.py files beside this one, as a table.

    python host_tools/bench/run.py [--json FILE]

Each bench has figures() -> list of name, value, unit, target (None when only reported), verdict
("met", "short" or "reported"). A target missed is said, but is no error: it may be the machine.
"""

import argparse
import importlib
import json
import os
import platform
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# What the tests play with serves some benches too.
sys.path.insert(0, str(HERE.parents[1]))
Figure = dict[str, Any]


def measured() -> Iterator[Figure]:
    """Yield the figures of every bench, found by its file name."""
    for path in sorted(HERE.glob("*_bench.py")):
        yield from importlib.import_module(path.stem).figures()


def line(figure: Figure) -> str:
    """Return one figure as a line of the table."""
    value, target = (_number(figure[key]) for key in ("value", "target"))
    return f"{figure['name']:<52}{value:>14} {figure['unit']:<10}{target:>14}  {figure['verdict']}"


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
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the figures in FILE")
    options = parser.parse_args(argv)
    about = machine()
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    print(f"{'what':<52}{'value':>14} {'unit':<10}{'target':>14}")
    figures = []
    for figure in measured():
        print(line(figure), flush=True)
        figures.append(figure)
    if options.json:
        text = json.dumps({**about, "figures": figures}, indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")
    short = [figure["name"] for figure in figures if figure["verdict"] == "short"]
    print(f"below target here: {'; '.join(short)}" if short else "every target met")


if __name__ == "__main__":
    main()
