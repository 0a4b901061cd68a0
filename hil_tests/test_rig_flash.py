"""The flash of the rig: files that survive, error numbers of the board, torn writes."""

import pytest

from hil_tests.rig_firmware import started
from tableemulator.board.wasm import VmError, WasmBoard

WRITE = "with open('/flash/a', 'wb') as f:\n    f.write(b'0123456789')\n"


def test_files_survive_a_reset():
    """What was written is there after a reset, in the machine and for the test."""
    with started("", flash={"/flash/old": b"old"}) as board:
        board.exec(WRITE + "import os\nos.mkdir('/flash/d')\nopen('/flash/d/b', 'w').write('hé')")
        board.reset("hard")
        assert board.flash == {
            "/flash/old": b"old",
            "/flash/a": b"0123456789",
            "/flash/d/b": "hé".encode(),
        }
        code = "import os\nprint(open('/flash/d/b').read(), sorted(os.listdir('/flash')))"
        assert board.exec(code) == "hé ['a', 'd', 'old']\n"


MODES = {
    "read text": ("open('/flash/t').read()", "'line 1\\nline 2\\n'"),
    "read bytes": ("open('/flash/t', 'rb').read(4)", "b'line'"),
    "lines": ("list(open('/flash/t'))", "['line 1\\n', 'line 2\\n']"),
    "append": (
        "(open('/flash/t', 'a').write('more'), open('/flash/t').read()[-5:])",
        "(4, '\\nmore')",
    ),
    "update": ("(f := open('/flash/t', 'r+b'), f.seek(5), f.write(b'X'), f.read(2))[1:]", None),
    "seek from the end": ("(f := open('/flash/t', 'r+b'), f.seek(-2, 2), f.read())[1:]", None),
    "size": ("__import__('os').stat('/flash/t')[6]", "14"),
    "folder": ("__import__('os').stat('/flash')[0]", "16384"),
    "current folder": (
        "(__import__('os').chdir('/flash'), open('t').read(4), __import__('os').getcwd())[1:]",
        "('line', '/flash')",
    ),
}
MODES["update"] = (MODES["update"][0], "(5, 1, b'\\nl')")
MODES["seek from the end"] = (MODES["seek from the end"][0], "(12, b'2\\n')")


@pytest.fixture(scope="module")
def shared_board():
    """One board for tests that set their own files."""
    with started("") as board:
        yield board


@pytest.mark.parametrize("name", MODES)
def test_file_modes(shared_board, name):
    """Files open as on a board, text and binary."""
    code, printed = MODES[name]
    shared_board.put_flash("/flash/t", b"line 1\nline 2\n")
    assert shared_board.exec(f"print(repr({code}))") == printed + "\n"


ERRORS = {
    "open('/flash/none')": 2,
    "open('/none')": 2,
    "open('/flash/no/file', 'w')": 2,
    "open('/main.py', 'w')": 30,
    "open('/flash', 'w')": 21,
    "os.remove('/flash/none')": 2,
    "os.stat('/flash/none')": 2,
    "os.listdir('/none')": 2,
    "os.mkdir('/flash')": 17,
    "os.rename('/flash/none', '/flash/x')": 2,
    "os.rmdir('/flash/none')": 2,
    "os.chdir('/none')": 2,
}


@pytest.mark.parametrize("code", ERRORS)
def test_errors_have_the_numbers_of_the_board(shared_board, code):
    """OSError carries MicroPython's number, and `errno` names it."""
    text = (
        f"import errno, os\ntry:\n    {code}\nexcept OSError as error:\n    print(error.errno)\n"
    )
    assert shared_board.exec(text) == f"{ERRORS[code]}\n"
    assert shared_board.exec("print(errno.ENOENT, errno.errorcode[2])") == "2 ENOENT\n"


@pytest.mark.parametrize("byte", [0, 1, 4, 10])
def test_write_is_torn(byte):
    """The power goes after `byte` bytes of the second change (the first empties the file)."""
    with started("", flash={"/flash/a": b"before"}) as board:
        board.power_cut_after(writes=2, byte=byte)
        board.exec(WRITE + "print('not reached')")
        assert board.flash == {"/flash/a": b"0123456789"[:byte]}
        output = board.play([], 1000)
        assert (output.resets, output.printed) == ([(0, "power_cut")], "")
        assert board.boot().errors == ""
        assert board.exec("print(len(open('/flash/a', 'rb').read()))") == f"{byte}\n"


@pytest.mark.parametrize(("byte", "files"), [(0, {"/flash/a"}), (1, {"/flash/b"})])
def test_rename_happens_or_not(byte, files):
    """A change without bytes is whole or not at all."""
    with started("import os", flash={"/flash/a": b"x"}) as board:
        board.power_cut_after(writes=1, byte=byte)
        board.exec("os.rename('/flash/a', '/flash/b')")
        assert set(board.flash) == files


def test_every_change_is_counted():
    """Making or emptying, writing, renaming and removing are one change each; reading none."""
    code = WRITE + "import os\nos.rename('/flash/a', '/flash/b')\nos.remove('/flash/b')\n"
    with started("", flash={"/flash/c": b"c"}) as board:
        board.exec(code + "open('/flash/c').read()\nopen('/flash/c', 'a').close()")
        assert board.flash_writes == 4
        board.exec("open('/flash/c', 'w').close()")
        assert board.flash_writes == 5


def test_dead_board_stays_dead_until_switched_on():
    """While the power is off inputs change and time passes, but no code runs."""
    main = "from machine import Pin\nprint('up', Pin(5, Pin.IN).value())\n"
    with started(main) as board:
        board.power_cut_after(writes=1, byte=0)
        board.exec(WRITE)
        assert board.play([[500, "pin", 5, 1]], 1000).printed == ""
        with pytest.raises(VmError, match="off"):
            board.exec("print(1)")
        assert board.boot().printed == "up 1\n"
        assert board.now_us == 1000


def test_program_files_are_listed_and_imported():
    """Packages import from /, from source; the rig's own modules do not stand in the way."""
    files = {
        "/pack/__init__.py": b"NAME = 'pack'",
        "/pack/part.py": b"from . import NAME\nVALUE = NAME + '.part'",
        "/clock.py": b"MINE = True",
    }
    with WasmBoard(files) as board:
        board.boot()
        code = "import os, clock\nfrom pack.part import VALUE\n"
        code += "print(VALUE, clock.MINE, sorted(os.listdir('/')), os.listdir('/pack'))"
        assert board.exec(code) == (
            "pack.part True ['clock.py', 'flash', 'pack'] ['__init__.py', 'part.py']\n"
        )
