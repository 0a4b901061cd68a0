"""Constants of the firmware's modules as numbers where they are used.

`NAME = const(1)` folds only within its module, and only without its name if that is private; for
another module the name is looked up when the code runs, and each takes 48 bytes of heap. All
sources of an image are known when it is compiled, so the number is written in place of the name,
in every module, and the definition is left out. So is what nothing needs any more: the import of
`const`, which the compiler knows, and of a module that is there for its constants alone, each a
name of the module that imports it, of 8 bytes.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from tabletools.release.release_manifest import ReleaseError

_DEFINITION = (ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.ClassDef)


@dataclass
class _Module:
    """constants: of this module, by name. defined: statements that define them."""

    tree: ast.Module
    constants: dict[str, int] = field(default_factory=dict)
    defined: list[ast.stmt] = field(default_factory=list)

    @property
    def is_plain(self) -> bool:
        """Whether importing it only defines names; the words of a role add their layouts too."""
        return all(
            isinstance(each, _DEFINITION)
            or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
            or _is_const(each)
            for each in self.tree.body
        )


def inline(image: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the image, path: source, with the constants of its packages in place of their names.

    Files in the root stay as they are and may use no constant. Raises ReleaseError for a module
    in which the name of a constant means something else too.
    """
    modules = {
        _name(path): _parse(path, source) for path, source in image.items() if path.count("/") > 1
    }
    return {
        path: _Inliner(path, source, modules).source() if path.count("/") > 1 else source
        for path, source in image.items()
    }


def _is_const(statement: ast.stmt) -> bool:
    match statement:
        case ast.ImportFrom(names=[ast.alias(name="const")]):
            return True
    return False


def _name(path: str) -> str:
    return path[1:].removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _parse(path: str, source: bytes) -> _Module:
    try:
        module = _Module(ast.parse(source))
    except SyntaxError as error:
        raise ReleaseError(f"{path} does not compile: {error}", "repair it first") from error
    for statement in module.tree.body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(name)],
                value=ast.Call(func=ast.Name("const"), args=[argument]),
            ) if not name.startswith("_"):
                try:
                    value = ast.literal_eval(argument)
                except ValueError:
                    continue  # computed: the compiler folds it
                if type(value) is int:
                    module.constants[name] = value
                    module.defined.append(statement)
    return module


class _Inliner:
    """Rewrites one module."""

    def __init__(self, path: str, source: bytes, modules: Mapping[str, _Module]) -> None:
        self._path = path
        self._package = _name(path).split(".")
        if not path.endswith("/__init__.py"):
            self._package.pop()
        self._source = source
        self._modules = modules
        self._own = modules[_name(path)]
        self._values = dict(self._own.constants)
        self._aliases: dict[str, dict[str, int]] = {}
        self._edits: list[tuple[int, int, bytes]] = []
        skipped = {id(node) for each in self._own.defined for node in ast.walk(each)}
        self._nodes = [node for node in ast.walk(self._own.tree) if id(node) not in skipped]
        # What the compiler folds: of a statement for one name.
        self._folded = {
            id(each.value.func)
            for each in ast.walk(self._own.tree)
            if isinstance(each, ast.Assign)
            and isinstance(each.targets[0], ast.Name)
            and isinstance(each.value, ast.Call)
        }
        starts = [0]
        for line in source.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        self._starts = starts

    def source(self) -> bytes:
        """The module's source, rewritten."""
        for statement in self._own.defined:
            self._replace(statement, "pass")
        for node in self._nodes:
            if isinstance(node, ast.ImportFrom):
                self._import(node)
        for node in self._nodes:
            self._use(node)
        text_so_far = self._source
        for start, end, text in sorted(self._edits, reverse=True):
            text_so_far = text_so_far[:start] + text + text_so_far[end:]
        return text_so_far

    def _import(self, node: ast.ImportFrom) -> None:
        base = self._package[: len(self._package) - node.level + 1] if node.level else []
        origin = ".".join([*base, *filter(None, [node.module])])
        source = self._modules.get(origin)
        constants = source.constants if source else {}
        names = []
        for name in node.names:
            called = name.asname or name.name
            if name.name in constants:
                self._values[called] = constants[name.name]
                continue
            module = self._modules.get(f"{origin}.{name.name}")
            if module and module.constants:
                self._aliases[called] = module.constants
                if module.is_plain and not self._is_needed(called):
                    continue
            if name.name != "const" or source is None:
                names.append(name)
        if len(names) == len(node.names):
            return
        if names:
            self._replace(node, ast.unparse(ast.ImportFrom(node.module, names, node.level)))
        else:
            is_idle = (source and source.is_plain) or _is_const(node)
            self._replace(node, "pass" if is_idle else f"import {origin}")

    def _is_needed(self, alias: str) -> bool:
        # For anything but the constants of the module it names.
        constants = self._aliases[alias]
        inlined = [
            node.value
            for node in self._nodes
            if isinstance(node, ast.Attribute) and node.attr in constants
        ]
        return any(
            isinstance(node, ast.Name) and node.id == alias and node not in inlined
            for node in self._nodes
        )

    def _use(self, node: ast.AST) -> None:
        match node:
            case ast.Name("const", ctx=ast.Load()) if id(node) not in self._folded:
                raise ReleaseError(
                    f"{self._path}, line {node.lineno}: the compiler folds no const() but in"
                    " `NAME = const(...)`, and no image has the function",
                    "give each name a line of its own",
                )
            case ast.Attribute(value=ast.Name(alias), attr=name, ctx=ast.Load()):
                if name in self._aliases.get(alias, ()):
                    self._put(node, self._aliases[alias][name])
            case ast.Name(name, ctx=ast.Load()):
                if name in self._values:
                    self._put(node, self._values[name])
            case ast.Name(name) | ast.arg(arg=name) if name in self._values | self._aliases:
                raise ReleaseError(
                    f"{self._path}, line {node.lineno}: {name} names a constant or a module of "
                    "constants, and something else here",
                    "rename one",
                )

    def _put(self, node: ast.expr, value: int) -> None:
        self._replace(node, str(value) if value >= 0 else f"({value})")

    def _replace(self, node: ast.stmt | ast.expr, text: str) -> None:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[node.end_lineno - 1] + node.end_col_offset
        self._edits.append((start, end, text.encode()))
