"""Statements of players: opening plus movements is closing, however the clocks of hosts differ."""

import json
import tempfile
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from host_tools.tests.empty_ledger import open_ledger
from host_tools.tests.pit import FULL, HOUSE, START, Pit, S
from host_tools.tests.test_ledger_reports import followed
from tabletools.api import account_statement
from tabletools.api.account_statement import Wanted, file_text
from tabletools.cli.main import run
from tabletools.errors import USER
from tabletools.money import cash, gaming_day, people_queries, receipts, reports
from tabletools.money.gaming_day import Span
from tabletools.reports import statements
from tabletools.reports.reading import Reader
from tabletools.store import LedgerRejection, books
from tabletools.store.books import Entry

DAY = gaming_day.day_of(START, 6)
SEVENTEEN = {"numbers": ["17"]}
ALWAYS = Span(0, START * 2)


def pages(look, account, span=ALWAYS, most=3):
    """Every page of a statement, and the balances before and after it."""
    entries, after = [], None
    with look() as back:
        balances = [statements.balance_before(back.model, account, at_ns) for at_ns in span]
        while True:
            part = statements.page(back.ledger, back.model, account, span, after, most)
            assert len(part.entries) <= most
            entries += part.entries
            if (after := part.next) is None:
                return balances, entries


def test_the_statement_of_two_rounds_by_hand(pit):
    """1,000.00; 5.00 on 17 wins 175.00 and returns 5.00; 10.00 on red loses."""
    pit.play(1, 17, (pit.ada, "straight", 500, SEVENTEEN))
    pit.play(2, 0, (pit.ben, "red", 1_000))
    with followed(pit.ledger) as look:
        balances, entries = pages(look, pit.ada)
    shown = [
        (each.kind, each.amount_cents, each.balance_cents, each.table_id, each.round_number)
        for each in entries
    ]
    assert balances == [0, 117_500]
    assert shown == [
        ("deposit", 100_000, 100_000, None, None),
        ("bet", -500, 99_500, pit.table, 1),
        ("settlement", 18_000, 117_500, pit.table, 1),
    ]
    assert [each.table_name for each in entries] == [None, "R1", "R1"]


def test_a_period_begins_with_the_balance_before_it(pit):
    pit.play(1, 17, (pit.ada, "red", 1_000))
    noon = pit.clock.wall_ns()
    pit.clock.pass_ms(1_000)
    cash.deposit(pit.ledger, pit.ada, 250, "later", HOUSE)
    with followed(pit.ledger) as look:
        assert pages(look, pit.ada, Span(noon + 1, noon + 2 * S)) == (
            [FULL - 1_000, FULL - 750],
            pages(look, pit.ada)[1][-1:],
        )
        assert pages(look, pit.ada, Span(noon + 2 * S, noon + 3 * S)) == ([FULL - 750] * 2, [])


Times = st.integers(0, 12).map(lambda second: START + second * S)


@given(
    st.lists(
        st.one_of(
            st.tuples(st.integers(0, 2), Times, st.integers(-900, 900).filter(bool)),
            st.just("fold"),
        ),
        max_size=30,
    ),
    Times,
    Times,
    st.integers(1, 5),
)
@settings(max_examples=25, deadline=None)
def test_opening_and_amounts_add_up_to_closing(steps, first_ns, end_ns, most):
    """Beside a list of what was posted, in whichever order the times come and it is read."""
    posted = []
    with tempfile.TemporaryDirectory() as folder:
        ledger = open_ledger(str(Path(folder) / "ledger"))
        try:
            with followed(ledger) as look:
                players, desk = three_players(ledger)
                for step in steps:
                    if step == "fold":
                        with look():
                            pass
                        continue
                    player, at_ns, cents = step
                    lines = {players[player]: cents, desk: -cents}
                    kind = "deposit" if cents > 0 else "payout"
                    number = ledger.run(
                        lambda db, lines=lines, at_ns=at_ns, kind=kind: books.post(
                            db, Entry(kind, "EUR"), lines, at_ns
                        )
                    )
                    posted.append((player, at_ns, number, cents))
                for player, account in enumerate(players):
                    before, of_span = by_hand(posted, player, first_ns, end_ns)
                    (opening, closing), entries = pages(
                        look, account, Span(first_ns, end_ns), most
                    )
                    assert opening == before
                    assert [(e.at_ns, e.movement, e.amount_cents) for e in entries] == of_span
                    balance = opening
                    for entry in entries:
                        balance += entry.amount_cents
                        assert entry.balance_cents == balance
                    if first_ns <= end_ns:
                        assert balance == closing
        finally:
            ledger.close()


def three_players(ledger):
    """The accounts of three players without money, and that of the cash."""
    players = [cash.open_account(ledger, f"P{number}", f"P {number}") for number in range(3)]
    desk = ledger.run(lambda db: books.account(db, books.CASH, "cash", "EUR", now_ns=START))
    return players, desk


def by_hand(posted, player, first_ns, end_ns):
    """The sum before a span, and what is in it in the order of time."""
    own = sorted(line[1:] for line in posted if line[0] == player)
    before = sum(cents for at_ns, _, cents in own if at_ns < first_ns)
    return before, [line for line in own if first_ns <= line[0] < end_ns]


def test_a_balance_after_each_movement_is_that_of_the_ledger(pit):
    """The model's beside the sum of what came later, and none for a line it does not have yet."""
    pit.play(1, 17, (pit.ada, "red", 500), (pit.ada, "black", 1000))
    pit.play(2, 0, (pit.ada, "red", 500))
    with followed(pit.ledger) as look, look() as back:
        for row in receipts.movements(back.ledger, pit.ada):
            known = statements.balance_after(back.model, pit.ada, row["at_ns"], row["id"])
            assert known == row["balance_cents"]
            assert receipts.balance_at(back.ledger, pit.ada, row["at_ns"], row["id"]) == known
        assert statements.balance_after(back.model, pit.ada, START, 10**6) is None


def test_a_page_and_a_balance_are_looked_up_by_key(tmp_path):
    """By the plans of SQLite: nothing is scanned, however many lines an account has."""
    pit = Pit(str(tmp_path / "ledger"))
    for number in range(5):
        cash.deposit(pit.ledger, pit.ada, 100, f"d{number}", HOUSE)
    read = []

    def note(connection, cursor, statement, parameters, context, many):
        if "account_lines" in statement and statement.startswith("SELECT"):
            rows = cursor.connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            read.extend(row[3] for row in rows)

    with followed(pit.ledger) as look, look() as back:
        event.listen(back.model.engine, "before_cursor_execute", note)
        first = statements.page(back.ledger, back.model, pit.ada, ALWAYS, None, 2)
        statements.page(back.ledger, back.model, pit.ada, ALWAYS, first.next, 2)
        statements.balance_before(back.model, pit.ada, START)
        event.remove(back.model.engine, "before_cursor_execute", note)
    by_key = "SEARCH account_lines USING PRIMARY KEY (account=? AND"
    assert read == [
        *[f"{by_key} (at_ns,posting)>(?,?) AND at_ns<?)"] * 2,
        f"{by_key} at_ns<?)",
    ]
    pit.ledger.close()


def test_few_among_all_rounds_and_postings_are_found_by_index(tmp_path):
    """Rounds that are not settled, and what a player was paid within a day."""
    pit = Pit(str(tmp_path / "ledger"))
    read = []

    def note(connection, cursor, statement, parameters, context, many):
        rows = cursor.connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
        read.extend(row[3] for row in rows)

    with pit.ledger.read() as db:
        event.listen(db.engine, "before_cursor_execute", note)
        reports.unsettled_rounds(db, None)
        reports.unsettled_rounds(db, 7)
        cash.paid_cents(db, pit.ada, pit.clock.wall_ns())
        event.remove(db.engine, "before_cursor_execute", note)
    assert not any(plan in ("SCAN rounds", "SCAN postings", "SCAN ledger_lines") for plan in read)
    assert sum("ix_rounds_due" in plan for plan in read) == 2
    assert any("ix_postings_cash (at_ns>?)" in plan for plan in read)
    pit.ledger.close()


def test_a_file_has_the_balances_around_the_movements(pit):
    """By the habits of the Netherlands: semicolons and decimal commas; times are UTC."""
    pit.play(1, 17, (pit.ada, "red", 1_000))
    with followed(pit.ledger) as look, look():
        reader = Reader(pit.ledger)
        statement = account_statement.whole(reader, Wanted(pit.ada, DAY, 1, 6))
        reader.close()
    lines = file_text(statement, "nl").splitlines()
    assert lines[0] == "time_utc;kind;table;round;amount;balance;currency;user;movement"
    assert [line.split(";")[1:7] for line in lines[1:]] == [
        ["opening", "", "", "", "0,00", "EUR"],
        ["deposit", "", "", "1000,00", "1000,00", "EUR"],
        ["bet", "R1", "1", "-10,00", "990,00", "EUR"],
        ["closing", "", "", "", "990,00", "EUR"],
    ]
    assert lines[2].startswith("2027-01-15 08:00:0")


def test_a_file_that_is_too_long_or_not_there_is_refused(pit, monkeypatch):
    cash.deposit(pit.ledger, pit.ada, 100, "again", HOUSE)
    monkeypatch.setattr(account_statement, "MOST_IN_FILE", 1)
    with followed(pit.ledger) as look, look():
        reader = Reader(pit.ledger)
        with pytest.raises(LedgerRejection, match="more than 1 movements"):
            account_statement.whole(reader, Wanted(pit.ada, DAY, 1, 6))
        empty = account_statement.whole(reader, Wanted(pit.ada, date(2020, 1, 1), 366, 6))
        assert (empty.opening_cents, empty.closing_cents, empty.entries) == (0, 0, [])
        with pytest.raises(LedgerRejection, match="not a player account"):
            account_statement.whole(reader, Wanted(10**9, DAY, 1, 6))
        reader.close()


def test_the_command_prints_and_writes_it(pit, ledger_place, tmp_path, capsys):
    """The read model is made first; a player that does not exist, or no model, is refused."""
    pit.play(1, 17, (pit.ada, "red", 1_000))
    [ada] = [row for row in players(pit.ledger) if row.id == pit.ada]
    words = ["ledger", "statement", ledger_place, ada.player_number, "--day", "2027-01-15"]
    assert run(words) == USER
    assert "read model" in capsys.readouterr().err
    assert run(["ledger", "reports", ledger_place]) == 0
    capsys.readouterr()
    assert run(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"player {ada.player_number}, {ada.name}: EUR 0.00 before 2027-01-15"
    assert lines[2].split("  ", 1)[1].split() == ["bet", "-10.00", "990.00", "R1,", "round", "1"]
    assert lines[3] == "2 movements; EUR 990.00 after them"
    assert run([*words, "--json"]) == 0
    rows = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    amounts = [row["amount_cents"] for row in rows if "amount_cents" in row]
    assert rows[0]["opening_cents"] + sum(amounts) == rows[-1]["closing_cents"] == 99_000
    file = tmp_path / "statement.csv"
    assert run([*words, "--csv", str(file), "--locale", "de"]) == 0
    assert file.read_bytes().startswith(b"\xef\xbb\xbftime_utc;kind;")
    assert file.read_text("utf-8-sig").splitlines()[-1].split(";")[1:6] == [
        "closing", "", "", "", "990,00"
    ]  # fmt: skip
    for wrong in (["ledger", "statement", ledger_place, "nobody"], [*words, "--locale", "fr"]):
        assert run(wrong) == USER


def players(ledger):
    """Every player."""
    with ledger.read() as db:
        return people_queries.player_rows(db)
