"""What the core has and what each role adds to it, as Markdown tables."""

from collections.abc import Iterable, Iterator

from tablespec.core import core_names
from tablespec.core.core_reasons import REASONS, Reason
from tablespec.field_types import Names
from tablespec.markdown_rows import rows
from tablespec.roles import PLAYED, RoleWords

_CORE = "core"


def role_tables() -> list[str]:
    """Return the lines of four sections: reasons, inputs, words in JSON, the rest of a schema."""
    return [*_reasons(), *_inputs(), *_labels(), *_owners()]


def listed(pairs: Iterable[tuple[int, str]]) -> str:
    """Return values with their names: "1 `open`, 2 `closed`"."""
    return ", ".join(f"{value} `{name}`" for value, name in pairs)


def _section(title: str, *columns: str) -> Iterator[str]:
    yield from ("", f"### {title}", "", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|")


def _reasons() -> Iterator[str]:
    yield from _section("Reason codes", "role", "kind", "codes")
    of_roles = ((role.name, role.reasons) for role in PLAYED)
    for role, reasons in ((_CORE, REASONS), *of_roles):
        for kind in ("void", "fault"):
            codes = listed(_of_kind(kind, reasons))
            if codes:
                yield from rows(role, kind, codes)


def _of_kind(kind: str, reasons: Iterable[Reason]) -> Names:
    return tuple((each.number, each.name) for each in reasons if each.kind == kind)


def _inputs() -> Iterator[str]:
    yield from _section("Inputs", "role", "inputs")
    yield from rows(_CORE, listed(core_names.INPUT))
    for role in PLAYED:
        yield from rows(role.name, listed(role.inputs))


def _labels() -> Iterator[str]:
    yield from _section("Words of a role in JSON", "role", "field", "word")
    for role in PLAYED:
        for field, word in role.labels:
            yield f"| {role.name} | {field} | {word} |"


def _owners() -> Iterator[str]:
    yield from _section("What only one role has", "role", "what", "which")
    for role in PLAYED:
        for what, which in _parts(role):
            if which:
                yield from rows(role.name, what, which)


def _parts(role: RoleWords) -> Iterator[tuple[str, str]]:
    yield "messages", ", ".join(f"0x{message.id:02X}" for message in role.messages)
    yield "values", listed(pair for _, pairs in role.adds for pair in pairs)
    yield "keys", ", ".join(str(key.number) for key in role.keys)
