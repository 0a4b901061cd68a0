"""The steps that put the image on a board: pure, computed from its present files.

main.py is removed first and written last: a board that is interrupted has no program, and stays at
its prompt, where the same command continues.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from tabletools.flash.survey import Survey

MAIN = "/main.py"
# Its content until the last step renames it to main.py.
MAIN_NEW = "/main.new"
_OURS = ("/tablewire/", "/tablelogic/", "/tabledev/")
_OTHERS = ("/boot.py", MAIN, MAIN_NEW, "/board.py")


@dataclass(frozen=True)
class Plan:
    """Removals, then new folders, then copies, in this order. foreign: files that are not ours."""

    removals: tuple[str, ...]
    folders: tuple[str, ...]
    copies: dict[str, bytes]
    foreign: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the board has the image already."""
        return not (self.removals or self.folders or self.copies)


def plan_of(
    survey: Survey, image: dict[str, bytes], data: dict[str, bytes], *, erase: bool = False
) -> Plan:
    """Return the steps to the image. data: always written; erase: remove foreign files."""
    copies = {path: data for path, data in sorted(image.items()) if _differs(survey, path, data)}
    copies |= data
    strange = [path for path, (_, digest) in survey.files.items() if digest and path not in image]
    ours = [path for path in strange if path.startswith(_OURS) or path in _OTHERS]
    foreign = sorted(set(strange) - set(ours))
    removals = sorted(strange if erase else ours)
    if (copies or removals) and MAIN in survey.files:
        removals = [MAIN, *(path for path in removals if path != MAIN)]
        copies[MAIN] = image[MAIN]
    if MAIN in copies:
        copies[MAIN] = copies.pop(MAIN)
    return Plan(tuple(removals), _folders(survey, copies), copies, tuple(foreign))


def _differs(survey: Survey, path: str, data: bytes) -> bool:
    return survey.files.get(path) != (len(data), hashlib.sha256(data).hexdigest())


def _folders(survey: Survey, paths: Sequence[str] | dict[str, bytes]) -> tuple[str, ...]:
    wanted = set()
    for path in paths:
        parts = path.split("/")
        wanted |= {"/".join(parts[:count]) for count in range(2, len(parts))}
    return tuple(sorted(wanted - survey.folders))
