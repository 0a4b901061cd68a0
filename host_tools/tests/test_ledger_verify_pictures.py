"""`ledger verify` looks at the picture of each throw: its CRC-32, and with an option its dice."""

import pytest

from host_tools.tests.throws import SIC_BO, Tray, faces, picture, trace
from tabletools.cli.main import run
from tabletools.errors import UNSOUND
from tabletools.evidence import second_readings
from tabletools.evidence.second_readings import Reading
from tabletools.table.verify import check
from tabletools.throw_reading import RELEASE

DICE, FRAME = picture(0)
OTHER_DICE, OTHER_FRAME = picture(1)
STAKE = 1000


class Table:
    """A throw at a table whose host stored a reading that a test gives it."""

    def __init__(self, place, result, data, reading, policy="both"):
        self.tray = Tray(place, terms=SIC_BO._replace(dice_reading=policy))
        self.tray.throw(1, result, (self.tray.ada, "small", STAKE))
        if data is not None:
            self.tray.bring(1, data)
        if reading is not None:
            with self.tray.ledger.read() as db:
                [one] = second_readings.awaited(db, self.tray.device.device)
            self.tray.intake.second_reading(one, reading)

    def problems(self, **options):
        with self.tray.ledger.read() as db:
            report = check(db, **options)
        self.tray.ledger.close()
        return report.problems, dict(report.pictures)


def reading(dice=DICE, reason="", release=RELEASE, **more):
    return Reading([*dice], reason, release, **more)


@pytest.mark.parametrize(
    ("result", "data", "read", "problem"),
    [
        pytest.param(faces(*DICE, frame=FRAME), trace(1, FRAME), reading(), None, id="right"),
        pytest.param(faces(*DICE, frame=FRAME), trace(1, OTHER_FRAME), reading(),
                     "its picture has the CRC-32", id="of another throw"),
        pytest.param(faces(*DICE, frame=FRAME), trace(1, None), reading(),
                     "the picture that the host read is not kept", id="without a picture"),
        pytest.param(faces(*DICE, frame=FRAME), None, reading(),
                     "the picture that the host read is not kept", id="without a trace"),
        pytest.param(faces(*DICE, frame=FRAME), trace(1, FRAME)[:-9], reading(),
                     "the trace is damaged", id="damaged"),
        pytest.param(faces(*DICE, frame=FRAME), trace(1, OTHER_FRAME),
                     reading((), "CRC-32 differs"), None, id="held by the host for it"),
    ],
)  # fmt: skip
def test_the_picture_is_the_one_of_the_result(tmp_path, result, data, read, problem):
    """By its CRC-32 in the record of the table, without reading it."""
    problems, words = Table(str(tmp_path / "ledger"), result, data, read).problems()
    assert words == {}
    if problem is None:
        assert problems == []
    else:
        [text] = problems
        assert text.startswith("round 1 (device 7 number 1): ")
        assert problem in text


def test_a_table_that_reads_alone_is_compared_too(tmp_path):
    """It kept the picture of another throw; one that kept none has nothing to compare."""
    result = faces(*DICE, frame=FRAME)
    one = Table(str(tmp_path / "one"), result, trace(1, OTHER_FRAME), None, "device")
    assert len(one.problems()[0]) == 1
    none = Table(str(tmp_path / "none"), result, trace(1, None), None, "device")
    assert none.problems()[0] == []


@pytest.mark.parametrize(
    ("read", "words", "problem"),
    [
        pytest.param(reading(), {"as before": 1}, None, id="same"),
        pytest.param(reading(OTHER_DICE), {"read differently": 1},
                     f"read again its dice are {' '.join(map(str, DICE))}, they were kept as"
                     f" {' '.join(map(str, OTHER_DICE))}", id="other dice"),
        pytest.param(reading(OTHER_DICE, release="0.9.0"), {"of another release": 1}, None,
                     id="other release"),
        pytest.param(reading(OTHER_DICE, referred=True),
                     {"with an empty tray or second camera": 1}, None, id="with a reference"),
        pytest.param(reading((), "unreadable"), {"refused then, accepted now": 1}, None,
                     id="refused then"),
    ],
)  # fmt: skip
def test_every_picture_is_read_again(tmp_path, read, words, problem):
    """By the release that read it; a release of its own may read otherwise."""
    result = faces(*read.dice or DICE, frame=FRAME)
    new_table = Table(str(tmp_path / "ledger"), result, trace(1, FRAME), read)
    problems, counted = new_table.problems(reads_pictures=True)
    assert counted == words
    assert [text.partition("): ")[2] for text in problems] == ([problem] if problem else [])


def test_the_command_reports_it(tmp_path, capsys):
    """Counts by what was found; a difference ends with the code of an unsound ledger."""
    place = str(tmp_path / "ledger")
    Table(place, faces(*OTHER_DICE, frame=FRAME), trace(1, FRAME), reading(OTHER_DICE)).problems()
    assert run(["ledger", "verify", place]) == 0
    assert "picture" not in capsys.readouterr().out
    assert run(["ledger", "verify", place, "--read-pictures"]) == UNSOUND
    output = capsys.readouterr()
    assert "pictures read again: 1 x read differently" in output.out
    assert "read again its dice are" in output.err
