"""The bench of archives: its ledger is sound by its chain, or there is no figure."""

from host_tools.bench import archive_bench, pages_bench
from tabletools.store import Store, chain
from tabletools.store.chain_verify import Segment, check_entries, check_rows


def test_every_row_of_the_grown_ledger_is_in_its_chain(tmp_path, monkeypatch):
    monkeypatch.setattr(archive_bench, "PLAYED", 3)
    place = str(tmp_path / "ledger")
    archive_bench.grown(place, 12)
    ledger = Store.open_any(place, reads=True)
    with ledger.read() as db:
        whole = Segment(is_whole=True)
        whole.extend(check_entries(db, 1, chain.head(db).seq))
        assert check_rows(db, whole)[0] == []
        assert whole.appended["bets"] == 4 * 2 * 3
    ledger.close()


def test_figures(monkeypatch):
    monkeypatch.setattr(archive_bench, "PLAYED", 3)
    figures = archive_bench.figures(rounds=12)
    assert len(figures) == 4
    assert all(figure["value"] > 0 for figure in figures)


def test_the_table_of_pages_has_a_column_for_each_number():
    costs = [pages_bench.Cost(2.0, 10), pages_bench.Cost(3.0, 10)]
    assert list(pages_bench.table([1000, 100_000], {"/v1/x": costs})) == [
        "| page | 1,000 rounds | 100,000 rounds | times |",
        "|---|---|---|---|",
        "| `/v1/x` | 2.0 ms | 3.0 ms | 1.5 |",
    ]
