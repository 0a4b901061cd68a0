"""The packages that an installation has, by the metadata of those that are installed here."""

import re
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = ("pit", "dice", "audit", "cluster")
# "numpy>=2.3,<3", # what it is for
_DECLARED = re.compile(r'^ +"([\w.-]+)[^"]*", # (.+)$', re.MULTILINE)


def closure(extras: frozenset[str], name: str = "tablewire") -> list[str]:
    """Return every package that an installation of `name` with these extras has, without it."""
    wanted = [(name, extras)]
    known: dict[str, str] = {}
    while wanted:
        package, own_extras = wanted.pop()
        for line in distribution(package).requires or []:
            needed = Requirement(line)
            if _key(needed.name) not in known and _applies(needed, own_extras):
                known[_key(needed.name)] = needed.name
                wanted.append((needed.name, frozenset(needed.extras)))
    return sorted(known)


def _key(name: str) -> str:
    return re.sub("[-_.]+", "-", name).lower()


def _applies(needed: Requirement, extras: frozenset[str]) -> bool:
    marker = needed.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""})


@cache
def size_bytes(package: str) -> int:
    """Bytes of the files of a package, without compiled modules."""
    files = [file for file in distribution(package).files or [] if file.suffix != ".pyc"]
    return sum(Path(str(file.locate())).stat().st_size for file in files if file.locate().exists())


def purposes() -> dict[str, dict[str, str]]:
    """Extra ("" for the tool itself) -> package -> what it is for, as pyproject.toml has it."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    parts = {"": text.split("\ndependencies = [\n")[1].split("\n]\n")[0]}
    parts |= {extra: text.split(f"\n{extra} = [\n")[1].split("\n]\n")[0] for extra in EXTRAS}
    return {extra: dict(_DECLARED.findall(part)) for extra, part in parts.items()}


def locked(packages: list[str]) -> str:
    """Return the lines of requirements.txt for these packages, with their hashes."""
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    blocks = re.findall(r"(?m)^[\w.-]+==.*(?:\n    --hash.*)+", text)
    by_name = {_key(block.partition("==")[0]): block for block in blocks}
    return "\n".join(by_name[_key(name)] for name in packages) + "\n"
