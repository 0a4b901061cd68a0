"""The coverage report of the firmware on the VM."""

import pytest

from hil_tests import coverage
from hil_tests.thinned import soak_only
from tableemulator.machines import ROLES
from tableemulator.shipped_controller import program


def test_executable_lines_of_a_small_file():
    """Imports, constants and statements count; comments, docstrings and blank lines do not."""
    head = b'"""Doc."""\n\nimport struct\n\n\n'
    source = head + b"def f(x):\n    # note\n    if x:\n        return 1\n    return 2\n"
    assert coverage.executable(source, "f.py") - {0} == {1, 3, 6, 8, 9, 10}


def test_runs_are_shortened():
    assert coverage.runs({3, 7, 8, 9, 12}) == "3, 7-9, 12"
    assert coverage.runs(set(range(1, 100, 3))).endswith("34, ...")


def test_each_role_has_its_share_of_the_files_it_loads(monkeypatch, capsys):
    """Two roles that share a file: lines that ran in either count once in the whole."""
    files = {"/shared.py": b"a = 1\nb = 2\n", "/wheel.py": b"c = 3\n", "/board.py": b"d = 4\n"}
    monkeypatch.setattr(coverage, "program", lambda: files)
    coverage.report(
        {"roulette": {"/shared.py": {1}, "/wheel.py": {1}}, "card_shoe": {"/shared.py": {1, 2}}}
    )
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "roulette: 2 of 3 lines ran, 66.7 %",
        "card_shoe: 2 of 2 lines ran, 100.0 %",
        "firmware on the VM: 3 of 3 lines ran, 100.0 %",
    ]


@soak_only
def test_a_short_spin_runs_the_judge(capsys):
    """A spin ends as short and another is read: both ways through the judge, on the real VM."""
    total = coverage.ran(coverage.setups("roulette")[0], ["short_spin"])
    source = program()["/tablelogic/roulette/judge.py"].decode().split("\n")
    line = next(n for n, text in enumerate(source, 1) if ".SHORT_SPIN" in text)
    assert line in total["/tablelogic/roulette/judge.py"]
    coverage.report({"roulette": total})
    printed = capsys.readouterr().out
    for path in program():
        assert path in printed or path == coverage.DATA


@soak_only
@pytest.mark.parametrize("role", ROLES)
def test_every_role_is_counted(role, capsys):
    """A healthy round of each role runs its own logic."""
    (setup, *_) = coverage.setups(role)
    total = coverage.ran(setup, [])
    assert any(lines for path, lines in total.items() if path.startswith(f"/tablelogic/{role}/"))
