"""What is to be done on a board so that it holds the image: pure, from what is there.

main.py goes first and comes last: a board that is cut off on the way has no program, and stays at
its prompt, where the same command goes on.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from tabletools.flash.survey import Survey

MAIN = "/main.py"
# Its content until the last step puts it in the place of main.py.
MAIN_NEW = "/main.new"
_OURS = ("/tablewire/", "/tablelogic/", "/tabledev/")
_OTHERS = ("/boot.py", MAIN, MAIN_NEW, "/board.py")


@dataclass(frozen=True)
class Plan:
    """Removals, then new folders, then copies, in this order. foreign: what is not ours."""

    removals: tuple[str, ...]
    folders: tuple[str, ...]
    copies: dict[str, bytes]
    foreign: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """The board holds the image already."""
        return not (self.removals or self.folders or self.copies)


def plan_of(
    survey: Survey, image: dict[str, bytes], data: dict[str, bytes], *, erase: bool = False
) -> Plan:
    """What turns the board into the image. data: written in any case; erase: foreign files go."""
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
