"""The read model agrees with the ledger it was read from, however it was read and built again."""

import os
import signal
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, select, text

from host_tools.tests.pit import DEVICE, Pit, all_rounds
from host_tools.tests.served import until
from host_tools.tests.throws import SIC_BO, Tray, faces, picture, trace
from tabletools.api import fairness
from tabletools.cli.main import run
from tabletools.evidence import machines
from tabletools.evidence.machines import falls_since_move
from tabletools.money import play_queries, reports
from tabletools.reports import fallen, feeds, model, rounds, service
from tabletools.reports.follower import Follower
from tabletools.reports.process import following
from tabletools.reports.reading import Reader
from tabletools.store import LedgerRejection, Store, StoreError
from tabletools.store.schema.books import outbox
from tabletools.store.schema.evidence import frames
from tablewire.messages import MAINTENANCE_CHANGED

MOVED = (MAINTENANCE_CHANGED, (1, 5))
ENDLESS = text(
    "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 2000000000)"
    " SELECT max(k) FROM n"
)


@contextmanager
def followed(ledger):
    """A follower, and a reader beside it: yields the function that catches up and looks back."""
    follower, reader = Follower(ledger), Reader(ledger)

    @contextmanager
    def look():
        while follower.step():
            pass
        with reader.look_back() as back:
            assert back.behind == 0
            yield back

    try:
        yield look
    finally:
        reader.close()
        follower.close()


def by_ledger(db):
    """What fell since the last move, by the query over all records."""
    history = falls_since_move(db, DEVICE)
    pockets = [fall.payload.get("pocket") for fall in history.falls]
    codes = bytes(pocket for pocket in pockets if pocket is not None)
    return codes, pockets.count(None), history.moves, history.before


def by_model(back):
    """The same by the read model."""
    return tuple(fallen.of_device(back.model, DEVICE))[:4]


def test_what_fell_is_as_in_the_records(pit):
    with followed(pit.ledger) as look:
        pit.play(1, 17, (pit.ada, "red", 500))
        pit.play(2)
        with look() as back:
            assert by_model(back) == by_ledger(back.ledger) == (bytes([17]), 1, 0, 0)
        pit.say(*MOVED)
        pit.play(3, 0)
        pit.play(4, 36)
        with look() as back:
            assert by_model(back) == by_ledger(back.ledger) == (bytes([0, 36]), 0, 1, 1)


def test_a_record_that_came_after_later_ones_is_in_its_place(pit):
    """The frame of round 2 is lost on the line and repeated after that of round 3."""
    with followed(pit.ledger) as look:
        pit.play(1, 5)
        lost = pit.frame(*MOVED)
        pit.play(2, 6)
        with look() as back:
            assert by_model(back)[0] == bytes([5, 6])
        pit.receive(lost)
        with look() as back:
            assert by_model(back) == by_ledger(back.ledger) == (bytes([6]), 0, 1, 1)


def test_a_throw_counts_when_the_host_has_read_it(tmp_path):
    dice, frame = picture(0)
    tray = Tray(str(tmp_path / "ledger"), terms=SIC_BO._replace(dice_reading="host"))
    with followed(tray.ledger) as look:
        tray.throw(1, faces(frame=frame), (tray.ada, "small", 500))
        with look() as back:
            assert fallen.of_device(back.model, DEVICE).codes == b""
        tray.bring(1, trace(1, frame))
        tray.look()
        with look() as back:
            assert fallen.of_device(back.model, DEVICE).codes == bytes(dice)
    tray.ledger.close()


@given(
    st.lists(
        st.one_of(st.integers(0, 36), st.none(), st.just("moved"), st.just("look")), max_size=12
    )
)
@settings(max_examples=12, deadline=None)
def test_read_in_any_parts_it_comes_to_the_same(steps):
    with tempfile.TemporaryDirectory() as folder:
        pit = Pit(str(Path(folder) / "ledger"))
        with followed(pit.ledger) as look:
            number = 0
            for step in steps:
                if step == "look":
                    with look():
                        pass
                elif step == "moved":
                    pit.say(*MOVED)
                else:
                    number += 1
                    pit.play(number, step)
            with look() as back:
                assert by_model(back) == by_ledger(back.ledger)
        pit.ledger.close()


def test_blocks_of_many_results(pit, monkeypatch):
    """Results beyond a block, read in parts, are all there and in order."""
    monkeypatch.setattr(fallen, "_BLOCK", 4)
    with followed(pit.ledger) as look:
        for number in range(1, 12):
            pit.play(number, number)
            if number in (3, 4, 9):
                with look() as back:
                    assert fallen.of_device(back.model, DEVICE).codes == bytes(
                        range(1, number + 1)
                    )
        with look() as back:
            assert fallen.of_device(back.model, DEVICE).codes == bytes(range(1, 12))


def test_a_page_audits_the_newest_results(pit, monkeypatch):
    """Of more than a year's; which they are is in the answer."""
    with followed(pit.ledger) as look:
        for number in range(1, 6):
            pit.play(number, number)
        monkeypatch.setattr(fairness, "MOST_RESULTS", 3)
        with look() as back:
            table = play_queries.table_row(back.ledger, pit.table)
            record = fairness.record_of(*fairness.report_looking_back(back, table))
    assert (record["n"], record["most_records"]) == (3, 3)
    fallen_since = {row["label"] for row in record["counts"] if row["count"]}
    assert fallen_since == {"3", "4", "5"}


def test_rounds_by_the_outcome_in_force(pit):
    with followed(pit.ledger) as look:
        for number, pocket in ((1, 17), (2, 0), (3, 17)):
            pit.play(number, pocket, (pit.ada, "red", 500))
        keys = {number: pit.key(number) for number in (1, 2, 3)}
        with look() as back:
            assert rounds.with_label(back.model, "17", None, None, 9) == [keys[3], keys[1]]
            assert rounds.with_label(back.model, "17", pit.table, keys[3], 9) == [keys[1]]
            assert rounds.with_label(back.model, "17", pit.table + 1, None, 9) == []
        pit.rule(3, {"pocket": "0"})
        with look() as back:
            assert rounds.with_label(back.model, "17", None, None, 9) == [keys[1]]
            assert rounds.with_label(back.model, "0", None, None, 1) == [keys[3]]


def test_late_bets_are_those_of_all_rounds(pit):
    with followed(pit.ledger) as look:
        pit.play(1, 17, (pit.ada, "red", 500))
        pit.open(2)
        pit.place(pit.ada, "red", 500)
        late = pit.request(pit.ben, "red", 500)
        pit.close(2)
        pit.end(2, 3)
        with pytest.raises(LedgerRejection):
            pit.submit(late)
        with look() as back:
            assert rounds.with_late_bets(back.model, None, 9) == [pit.key(2)]
            every = reports.late_bets(back.ledger, all_rounds(back.ledger))
            assert [bet.player for bet in every] == [str(pit.ben)]
            assert reports.late_bets(back.ledger, [pit.key(2)]) == every
            assert rounds.with_late_bets(back.model, pit.key(2), 9) == []


def test_what_a_technician_looks_for(pit):
    with followed(pit.ledger) as look:
        pit.play(1, 17)
        pit.say(*MOVED)
        with look() as back:
            keys = service.newest(back.model, DEVICE, None, 9)
            [row] = machines.service_rows(back.ledger, keys)
            assert row["type"] == "maintenance_changed"
            assert service.newest(back.model, DEVICE + 1, None, 9) == []
            assert service.newest(back.model, None, keys[0], 9) == []
            [counted] = machines.counts(back.ledger, service.counts(back.model))
            stored = len(back.ledger.execute(select(frames.c.id)).all())
            assert (counted["records"], counted["rounds"], counted["faults"]) == (stored, 1, 0)


def test_it_is_built_again_for_another_ledger(tmp_path):
    """Beside the file of the read model is another ledger: its chain is another."""
    places = [tmp_path / name for name in ("ledger", "other")]
    for place, pocket in zip(places, (17, 18), strict=True):
        pit = Pit(str(place))
        pit.play(1, pocket)
        with followed(pit.ledger) as look, look() as back:
            assert fallen.of_device(back.model, DEVICE).codes == bytes([pocket])
        pit.ledger.close()
    places[1].replace(places[0])
    ledger = Store.open(places[0])
    with followed(ledger) as look, look() as back:
        assert fallen.of_device(back.model, DEVICE).codes == bytes([18])
    ledger.close()


def test_it_is_built_again_by_a_program_with_other_tables(pit, monkeypatch):
    pit.play(1, 17)
    with followed(pit.ledger) as look, look():
        pass
    monkeypatch.setattr(model, "VERSION", model.VERSION + 1)
    follower = Follower(pit.ledger)
    with pit.ledger.read() as db:
        other = model.Model.open(pit.ledger)
        assert other.prepare(db)
        other.close()
    follower.close()
    with followed(pit.ledger) as look, look() as back:
        assert fallen.of_device(back.model, DEVICE).codes == bytes([17])


def test_behind_a_gap_nothing_is_read_until_it_is_final(pit):
    """On PostgreSQL a lower number may still be committed."""
    feed = feeds.Feed.over(outbox)
    with pit.ledger.read() as db:
        newest = max(db.execute(select(outbox.c.id)).scalars(), default=0)
    now_ns = pit.clock.wall_ns()

    def add(number):
        row = {"event_id": f"e{number}", "type": "t", "subject": "s", "data": '{"round":1}'}
        with pit.ledger.write() as db:
            db.execute(insert(outbox).values(id=number, at_ns=now_ns, **row))

    def last(later_ns=0):
        with pit.ledger.read() as db:
            return feeds.next_part(db, feed, newest, now_ns + later_ns).last

    add(newest + 1)
    add(newest + 3)
    assert last() == newest + 1
    assert last(feeds.FINAL_NS) == newest + 3
    add(newest + 2)
    assert last() == newest + 3


def test_one_follower_at_a_time(pit):
    """The second goes on where the first ended."""
    first, second, reader = Follower(pit.ledger), Follower(pit.ledger), Reader(pit.ledger)
    pit.play(1, 17)
    first.step()
    pit.play(2, 18)
    second.step()
    with reader.look_back() as back:
        assert back.behind
        assert fallen.of_device(back.model, DEVICE).codes == bytes([17])
    first.close()
    second.step()
    with reader.look_back() as back:
        assert fallen.of_device(back.model, DEVICE).codes == bytes([17, 18])
    reader.close()
    second.close()


def test_without_a_follower_a_page_says_how_much_is_missing(pit):
    pit.play(1, 17)
    reader = Reader(pit.ledger)
    with pytest.raises(StoreError, match="read model"), reader.look_back():
        pass
    reader.close()


def test_a_process_that_was_killed_is_followed_by_another(tmp_path):
    place = str(tmp_path / "ledger")
    pit = Pit(place)
    said = []
    with following(pit.ledger, lambda *what: said.append(what)):
        reader = Reader(pit.ledger)
        pit.play(1, 17)
        until(lambda: is_read(reader, bytes([17])))
        [child] = children()
        os.kill(child, signal.SIGKILL)
        pit.play(2, 18)
        until(lambda: is_read(reader, bytes([17, 18])))
        assert [event for event, _ in said] == ["reports_died"]
        reader.close()
    assert children() == []
    pit.ledger.close()


def is_read(reader, codes):
    try:
        with reader.look_back() as back:
            return fallen.of_device(back.model, DEVICE).codes == codes
    except StoreError:
        return False


def children():
    """Followers that this process started."""
    listed = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    pids = {int(pid) for path in listed for pid in content(path).split()}
    return [pid for pid in sorted(pids) if b"spawn_main" in content(Path(f"/proc/{pid}/cmdline"))]


def content(path):
    """What a file of a process or a thread has; nothing of one that has just ended."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def test_one_command_builds_it_again(pit, ledger_place, capsys):
    """Three records of the round, and what its opening, closing and settlement reported."""
    pit.play(1, 17)
    assert run(["ledger", "reports", ledger_place]) == 0
    assert capsys.readouterr().out.endswith(" built: 6 rows\n")
    reader = Reader(pit.ledger)
    with reader.look_back() as back:
        assert fallen.of_device(back.model, DEVICE).codes == bytes([17])
    reader.close()


def test_it_is_not_built_again_under_a_host(pit, ledger_place, capsys):
    follower = Follower(pit.ledger)
    follower.step()
    assert run(["ledger", "reports", ledger_place]) != 0
    follower.close()
    refusal = capsys.readouterr().err
    assert "a host maintains this read model" in refusal
    assert "stop the host first" in refusal


def test_what_reads_too_long_ends(pit):
    """A query that would take minutes is interrupted; the next one is answered."""
    pit.ledger.read_limit_s = 0.1
    with pytest.raises(StoreError, match=r"longer than|in time"), pit.ledger.read() as db:
        db.execute(ENDLESS).scalar_one()
    with pit.ledger.read() as db:
        assert db.execute(select(frames.c.id)).all() == []
    pit.ledger.read_limit_s = None


def test_what_a_page_reads_of_the_model_too_long_ends(pit):
    """Not only what it reads of the ledger."""
    with followed(pit.ledger) as look, look():
        pass
    reader = Reader(pit.ledger)
    pit.ledger.read_limit_s = 0.5
    try:
        with pytest.raises(StoreError, match=r"longer than|in time"), reader.look_back() as back:
            back.model.execute(ENDLESS)
    finally:
        pit.ledger.read_limit_s = None
        reader.close()


def test_rounds_are_counted_once_however_their_records_come(pit, monkeypatch):
    """In parts of two records: a round that goes on in the next part is the same round."""
    monkeypatch.setattr(feeds, "_MOST", 2)
    for number in (1, 2, 3):
        pit.play(number, 17)
    pit.open(4)
    with followed(pit.ledger) as look, look() as back:
        assert service.counts(back.model)[DEVICE].rounds == 4
