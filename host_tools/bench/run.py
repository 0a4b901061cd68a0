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
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

HERE = Path(__file__).resolve().parent
# What the tests play with serves some benches too.
sys.path.insert(0, str(HERE.parents[1]))
ENDING = "_bench"
Figure = dict[str, Any]


def names() -> list[str]:
    """Return the benches by the names that choose them."""
    return [path.stem.removesuffix(ENDING) for path in sorted(HERE.glob(f"*{ENDING}.py"))]


def measure(name: str) -> tuple[list[Figure], float]:
    """Print the figures of one bench as they come; returns them, and the seconds they took."""
    begun, figures = time.perf_counter(), []
    for figure in importlib.import_module(name + ENDING).figures():
        print(line(figure), flush=True)
        figures.append(figure)
    return figures, time.perf_counter() - begun


def measure_apart(name: str) -> tuple[list[Figure], float]:
    """Measure in a process of its own: what earlier benches leave in memory slows settlement."""
    with ProcessPoolExecutor(1, get_context("fork")) as apart:
        return apart.submit(measure, name).result()


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
    about = machine()
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    print(f"{'what':<60}{'value':>14} {'unit':<10}{'target':>14}")
    figures, took_s = [], {}
    # Hosts put the checkpoints of PostgreSQL's ledgers into the data folder.
    with TemporaryDirectory() as data, patch.dict(os.environ, XDG_DATA_HOME=data):
        for name in [options.only] if options.only else names():
            of_bench, took_s[name] = measure_apart(name)
            figures += of_bench
    if options.json:
        text = json.dumps({**about, "figures": figures}, indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")
    short = [figure["name"] for figure in figures if figure["verdict"] == "short"]
    print(f"below target here: {'; '.join(short)}" if short else "every target met")
    longest = sorted(took_s.items(), key=lambda each: -each[1])
    each_s = ", ".join(f"{name} {bench_s:.0f}" for name, bench_s in longest)
    print(f"measured in {sum(took_s.values()):.0f} s: {each_s}")


if __name__ == "__main__":
    main()
