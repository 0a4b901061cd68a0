"""The names of the configuration keys, out of the text of the specification.

PyPy 3.9 does not run the specification itself; elsewhere they are tablespec.names.KEY_NAMES.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

_SPEC = Path(__file__).resolve().parents[2] / "protocol" / "tablespec"


def _keys_in() -> Iterator[tuple[int, str]]:
    """Number and name of every `Key(number, name, ...)`."""
    core = (_SPEC / "config_keys.py", _SPEC / "core" / "controller_keys.py")
    for path in (*core, *_SPEC.glob("roles/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Key":
                number, name = node.args[:2]
                yield ast.literal_eval(number), ast.literal_eval(name)


KEY_NAMES: tuple[str, ...] = tuple(name for _, name in sorted(_keys_in()))
