"""Constants as numbers in place of their names: every way to use one, and what is refused."""

import subprocess
import sys
from pathlib import Path

import pytest

from tableemulator.shipped_controller import program
from tabletools.release import ReleaseError, compiled
from tabletools.release.inlined import inline

COMPAT = b"def const(value):\n    return value\n"
WORDS = b"""from .compat import const
CLOSED = const(1)
BELOW = const(-3)
WIDE = const(0x1F)  # of all
_OURS = const(4)
BOTH = const(_OURS << 1)
TABLE = {CLOSED: "closed"}
LOADED = ["words"]
"""
USE = """from pack import words as m
from pack.words import BELOW, TABLE
from .words import (
    CLOSED as SHUT,
    WIDE,
)
from .compat import const

LAST = const(9)


def values(low: int = BELOW) -> list:
    from .words import WIDE as most

    return [m.CLOSED, 2-m.BELOW, SHUT, WIDE, low, most, m.BOTH, TABLE[SHUT], LAST, "m.CLOSED"]
"""
EXPECTED = [1, 5, 1, 31, -3, 31, 8, "closed", 9, "m.CLOSED"]


def package(use: str) -> dict[str, bytes]:
    """A program of one package. Its main.py stays as it is."""
    return {
        "/main.py": b"CLOSED = 7",
        "/pack/__init__.py": b"",
        "/pack/compat.py": COMPAT,
        "/pack/words.py": WORDS,
        "/pack/use.py": use.encode(),
    }


@pytest.mark.parametrize("changed", [inline, dict])
def test_numbers_are_what_the_names_were(tmp_path: Path, changed) -> None:
    """Named with an alias, imported, relative, in a function, negative, computed, in a text."""
    for path, source in changed(package(USE)).items():
        place = tmp_path / path[1:]
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(source)
    # The device's compiler knows const without an import.
    code = "import builtins; builtins.const = int; from pack.use import values; print(values())"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True)
    assert done.stdout.decode().strip() == repr(EXPECTED), done.stderr.decode()


def test_no_name_is_left() -> None:
    """Neither where it was defined nor where it was used; files in the root are not touched."""
    inlined = inline(package(USE))
    assert b"CLOSED =" not in inlined["/pack/words.py"]
    assert b"_OURS = const(4)" in inlined["/pack/words.py"]
    for name in (b"BELOW", b"WIDE", b"LAST", b"SHUT"):
        assert name not in inlined["/pack/use.py"]
    assert inlined["/main.py"] == b"CLOSED = 7"


def test_a_module_that_does_more_is_still_imported() -> None:
    """Importing one may do more than define names: the words of a role add its layouts."""
    image = package(
        "from .words import CLOSED\nfrom . import words as m\nSHOWN = CLOSED, m.WIDE\n"
    )
    image["/pack/words.py"] += b"LOADED.append(1)\n"
    expected = b"import pack.words\nfrom . import words as m\nSHOWN = 1, 31\n"
    assert inline(image)["/pack/use.py"] == expected


@pytest.mark.parametrize(
    ("use", "left"),
    [
        ("from .words import CLOSED\nSHOWN = CLOSED\n", b"pass\nSHOWN = 1\n"),
        ("from . import words as m\nSHOWN = m.CLOSED\n", b"pass\nSHOWN = 1\n"),
        ("from .compat import const\n_SHOWN = const(1)\n", b"pass\n_SHOWN = const(1)\n"),
        ("from . import compat, words\nA = words.WIDE\n", b"from . import compat\nA = 31\n"),
        (
            "from . import words as m\nSHOWN = m.TABLE, m.WIDE\n",
            b"from . import words as m\nSHOWN = m.TABLE, 31\n",
        ),
        (
            "from .words import CLOSED\nfrom . import words as m\nSHOWN = print(m)\n",
            b"pass\nfrom . import words as m\nSHOWN = print(m)\n",
        ),
    ],
)
def test_an_import_that_nothing_needs_is_left_out(use: str, left: bytes) -> None:
    """Of a module that only defines names; an alias stays where it is used for more."""
    assert inline(package(use))["/pack/use.py"] == left


@pytest.mark.parametrize(
    "use",
    [
        "from .words import CLOSED\nCLOSED = 2\n",
        "from .words import CLOSED\ndef f(CLOSED):\n    return CLOSED\n",
        "from . import words as m\nfor m in (1, 2):\n    print(m)\n",
        "from .words import CLOSED\ndel CLOSED\n",
    ],
)
def test_a_second_meaning_is_refused(use: str) -> None:
    """The name of a constant, or of its module, is that everywhere in a module."""
    with pytest.raises(ReleaseError, match=r"/pack/use\.py, line \d: (CLOSED|m) names"):
        inline(package(use))


def test_a_constant_that_the_compiler_does_not_fold_is_refused() -> None:
    """The import of const is left out: two in one statement would be a NameError on the board."""
    text = USE.replace("LAST = const(9)", "LAST, NEXT = const(9), const(10)")
    with pytest.raises(ReleaseError, match=r"/pack/use\.py, line 9: the compiler folds no const"):
        inline(package(text))


def test_a_module_that_does_not_parse_is_named() -> None:
    """As one that does not compile."""
    with pytest.raises(ReleaseError, match=r"/pack/use\.py does not compile"):
        inline(package("def\n"))


def test_the_firmware_holds_no_name_of_a_message() -> None:
    """Each would take 48 bytes of a table's heap."""
    code = b"".join(compiled(program()).values())
    for name in (b"ROUND_VOID", b"PHASE_BALL_IN_RIM", b"MIN_CIRCUITS", b"SENSOR_STUCK"):
        assert name not in code
