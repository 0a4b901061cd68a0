"""Reads a board's two files: board.py as plain data without running it, board.json as facts.

Must not know what is right or wrong with a board; check_boards.py does.
"""

import ast
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


class BoardError(Exception):
    """A board's file cannot be read; the text names file, line and remedy."""


@dataclass(frozen=True)
class Board:
    """A board as its files say it, unchecked.

    data: the assignments of board.py by name. facts: board.json. folder: where both lie.
    """

    name: str
    data: dict[str, Any]
    facts: dict[str, Any]
    folder: Path


def names(folder: Path = HERE) -> list[str]:
    """Return the boards in folder: every directory with a board.py, sorted."""
    return sorted(path.parent.name for path in folder.glob("*/board.py"))


def load(name: str, folder: Path = HERE) -> Board:
    """Return the board called name. Raises BoardError when a file is missing or not data."""
    here = folder / name
    return Board(name, parse_data(here / "board.py"), _read_facts(here / "board.json"), here)


def parse_data(path: Path) -> dict[str, Any]:
    """Return the assignments of a board.py; anything but literals is refused."""
    data: dict[str, Any] = {}
    for node in ast.parse(_read(path)).body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
            raise _not_data(path, node)
        try:
            data[node.targets[0].id] = ast.literal_eval(node.value)
        except ValueError as error:
            raise _not_data(path, node) from error
        _verify_keys_once(path, node.value)
    return data


def _verify_keys_once(path: Path, value: ast.expr) -> None:
    # A key written twice would silently win over the first one.
    if not isinstance(value, ast.Dict):
        return
    names: set[object] = set()
    for key in value.keys:
        if isinstance(key, ast.Constant) and key.value in names:
            raise BoardError(f"{path}:{key.lineno}: {key.value!r} appears twice; keep one of them")
        names.add(key.value if isinstance(key, ast.Constant) else key)


def _not_data(path: Path, node: ast.stmt) -> BoardError:
    return BoardError(
        f"{path}:{node.lineno}: a board is data only: NAME = numbers, strings, tuples, dicts"
    )


def _read_facts(path: Path) -> dict[str, Any]:
    try:
        facts = json.loads(_read(path))
    except json.JSONDecodeError as error:
        raise BoardError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    if not isinstance(facts, dict):
        raise BoardError(f"{path}: must be one JSON object")
    return facts


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BoardError(
            f"{path}: cannot be read ({error.strerror}); every board has it"
        ) from error
