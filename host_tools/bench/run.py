"""Every figure of the bench: `python host_tools/bench/run.py [--json FILE] [MODULE ...]`.

One line a figure: name, value, unit, target, and `met`, `short` or `reported` (no target of its
own). Exit code 0 even when a target is missed: figures depend on the machine; tests do not.
"""

import argparse
import importlib
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

MODULES = ("decode_bench", "settle_bench", "rig_bench")
Figure = dict[str, Any]


def measured(modules: list[str]) -> list[Figure]:
    """The figures of the modules, in their order, printed as they come."""
    found = []
    for name in modules:
        for figure in importlib.import_module(name).figures():
            print(line(figure), flush=True)
            found.append({"module": name, **figure})
    return found


def line(figure: Figure) -> str:
    """One figure as one line."""
    target = figure["target"]
    wanted = "" if target is None else f"target {_target(target)}"
    value = f"{figure['value']:,}".replace(",", " ")
    return (
        f"{figure['name']:<42} {value:>12} {figure['unit']:<12} {wanted:<18} {figure['verdict']}"
    )


def _target(target: object) -> str:
    return (
        f">= {target:,}".replace(",", " ") if isinstance(target, int) and target else str(target)
    )


def machine() -> dict[str, object]:
    """Where the figures were measured."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
    }


def main(arguments: list[str]) -> int:
    """Measure, print, and keep the figures when asked to."""
    parser = argparse.ArgumentParser(description="Speed and memory, beside the peers.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=", ".join(MODULES))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    wanted = parser.parse_args(arguments)
    unknown = [name for name in wanted.modules if name not in MODULES]
    if unknown:
        parser.error(f"no module {unknown[0]!r}; there are {', '.join(MODULES)}")
    print(" ".join(f"{name} {value}" for name, value in machine().items()))
    figures = measured(wanted.modules or list(MODULES))
    if wanted.json:
        text = json.dumps({"machine": machine(), "figures": figures}, indent=2)
        wanted.json.write_text(text + "\n", encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
