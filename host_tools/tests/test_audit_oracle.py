"""The bench of the audit measures what it states, and writes its table into a page."""

import numpy as np
import pytest

from host_tools.bench import audit_oracle


def test_a_small_run_writes_the_table_between_its_marks(tmp_path):
    """Each bias has a row; what surrounds the table stays."""
    page = tmp_path / "page.md"
    page.write_text(f"before\n{audit_oracle.BEGIN}old\n{audit_oracle.END}after\n")
    words = "--wheels 3 --fair 1000 --years 1 --years-alone 2 --looks 3 --spins 50 --page".split()
    audit_oracle.main([*words, str(page)])
    text = page.read_text()
    assert text.startswith(f"before\n{audit_oracle.BEGIN}Alarms of 3 wheels")
    assert text.endswith(f"{audit_oracle.END}after\n")
    assert "old" not in text
    for case in audit_oracle.CASES:
        assert f"| {case.name} | " in text


def test_an_interval_by_hand():
    """Four table-years with 0, 2, 0 and 2 alarms: 1, their deviation 1, 1.96 times 1 / 2."""
    assert audit_oracle.interval_of([0, 2, 0, 2]) == pytest.approx((0.02, 1.98))


def test_other_table_years_are_printed_and_written_nowhere(tmp_path, capsys):
    """With a seed of one's own: how many had alarms, and how many alarms each."""
    page = tmp_path / "page.md"
    words = "--shared 7 --years 2 --looks 3 --spins 50 --page".split()
    audit_oracle.main([*words, str(page)])
    assert "of 2 table-years" in capsys.readouterr().out
    assert not page.exists()


def test_the_pieces_of_time_add_up_to_windows():
    """The newest pieces are windows of 1,000, 1,414, 2,000 and so on, up to half of all."""
    lengths = audit_oracle.piece_lengths(33_000)
    assert sum(lengths) == 33_000
    assert np.cumsum(lengths[::-1])[:3].tolist() == [1000, 1414, 2000]


def test_the_oracle_knows_a_hand_counted_sector():
    """37,000 spins, 20 % more in two neighbours: 2,400 of 2,000 expected, 400 / 43.5 = 9.2."""
    counts = np.full((1, 1, 37), 1000) - 0
    counts[0, 0, 5:7] = 1200
    n = counts.sum()
    share = 2 / 37
    z = (2400 - n * share) / np.sqrt(n * share * (1 - share))
    assert audit_oracle.sectors(counts)[0] == pytest.approx(z)
