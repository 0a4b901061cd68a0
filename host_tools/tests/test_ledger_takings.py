"""What tables took: sums by hand, by day, dealer and game, and equal to the books of the bank."""

from datetime import date, datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select

from host_tools.tests.pit import START, S
from host_tools.tests.test_ledger_reports import followed
from tabletools.api.spreadsheet import Figure, cents, csv_text
from tabletools.money import adjustments, gaming_day
from tabletools.money.adjustments import Adjustment
from tabletools.money.gaming_day import Span
from tabletools.money.ratio import ratio_text
from tabletools.reports import takings
from tabletools.reports.follower import Follower
from tabletools.reports.takings import Key, Sums
from tabletools.store import LedgerRejection
from tabletools.store.schema.books import accounts, ledger_lines, postings
from tabletools.table import dealer_shifts

SEVENTEEN = {"numbers": ["17"]}
ALWAYS = Span(0, START * 2)
NOBODY = Key(1, takings.NO_DEALER, "roulette")


@pytest.fixture
def look(pit):
    with followed(pit.ledger) as look_back:

        def sums(span=ALWAYS):
            with look_back() as back:
                return takings.between(back.model, span)

        yield sums


def test_drop_win_and_theory_by_hand(pit, look):
    """17 falls: 5.00 on it wins 175.00, 10.00 on red loses. Then zero: half of 20.00 on red.

    Drop 5 + 10 + 20; win -175 + 10 + 10; theory 5/37 + 10/74 + 20/74, in euros.
    """
    pit.play(1, 17, (pit.ada, "straight", 500, SEVENTEEN), (pit.ben, "red", 1_000))
    pit.play(2, 0, (pit.ada, "red", 2_000))
    theory = Fraction(500, 37) + Fraction(1_000, 74) + Fraction(2_000, 74)
    [(key, sums)] = look().items()
    assert key == NOBODY
    assert sums[:6] == (2, 0, 3_500, -15_500, 3_500, theory)
    assert sums.paced == 1


def test_a_void_is_no_game_and_no_drop(pit, look):
    """The stake is returned."""
    pit.play(1, None, (pit.ada, "red", 500))
    assert look() == {NOBODY: Sums(undone=1)}


def test_a_correction_changes_the_day_on_which_it_is_posted(pit, look):
    """Black 17 took 10.00 of red; the next day two users rule that 1 fell: red wins 10.00.

    The first day stays as it was closed. The second has the difference: -20.00, no game, no drop.
    """
    pit.play(1, 17, (pit.ada, "red", 1_000))
    noon = START // S
    pit.clock.pass_ms(24 * 3_600_000)
    pit.attach()
    pit.rule(1, {"pocket": "1"})
    first, second = (
        look(Span((noon + day * 86_400 - 3_600) * S, (noon + day * 86_400 + 3_600) * S))
        for day in (0, 1)
    )
    assert first[NOBODY][:4] == (1, 0, 1_000, 1_000)
    assert second[NOBODY][:4] == (0, 1, 0, -2_000)
    assert second[NOBODY].theory == 0


def test_each_dealer_has_the_rounds_of_the_own_shift(pit, look):
    """Dan deals, Sue relieves him, then no user does; a correction is of who dealt the round."""
    dan, sue = pit.both[1], pit.both[0]
    dealer_shifts.take_over(pit.ledger, 1, dan)
    pit.play(1, 17, (pit.ada, "red", 500))
    dealer_shifts.take_over(pit.ledger, 1, sue)
    pit.play(2, 17, (pit.ada, "red", 1_000))
    dealer_shifts.leave(pit.ledger, 1, sue)
    pit.play(3, 17, (pit.ada, "red", 1_500))
    pit.rule(1, {"pocket": "1"})
    won = {key.dealer: sums.win_cents for key, sums in look().items()}
    assert won == {dan.user: -500, sue.user: 1_000, takings.NO_DEALER: 1_500}
    with pit.ledger.read() as db:
        assert dealer_shifts.present(db, 1) is None
    with pytest.raises(LedgerRejection, match="no table 9"):
        dealer_shifts.take_over(pit.ledger, 9, dan)


def test_the_pace_leaves_pauses_out(pit, look):
    """Rounds at 0, 60 and 120 s, then an hour of pause, and two 40 s apart: 3 in 160 s."""
    for number, pause_ms in enumerate((0, 60_000, 60_000, 3_600_000, 40_000), 1):
        pit.clock.pass_ms(pause_ms)
        pit.attach()
        pit.play(number, 17)
    [sums] = look().values()
    assert (sums.games, sums.paced) == (5, 3)
    assert 160_000 <= sums.paced_ms <= 160_200  # its records take 10 ms each
    assert ratio_text(3_600_000 * sums.paced, sums.paced_ms, 0) in {"67", "68"}


def test_the_win_is_what_the_bank_of_the_table_received(pit, look):
    """Beside what two users adjusted by hand, the books of the bank say the same."""
    pit.play(1, 17, (pit.ada, "straight", 500, SEVENTEEN), (pit.ben, "red", 1_000))
    pit.play(2, 0, (pit.ada, "red", 2_000))
    pit.rule(2, {"pocket": "1"})
    why = ("chip fell off", "camera 2")
    adjustments.adjust(pit.ledger, Adjustment(pit.ada, 300, 1, pit.both, *why, "adjust"))
    query = (
        select(postings.c.kind, func.sum(ledger_lines.c.amount_cents))
        .join(postings, postings.c.id == ledger_lines.c.posting_id)
        .join(accounts, accounts.c.id == ledger_lines.c.account_id)
        .where(accounts.c.kind == "house")
        .group_by(postings.c.kind)
    )
    with pit.ledger.read() as db:
        bank = dict(db.execute(query).tuples().all())
    assert bank.pop("adjustment") == -300
    [sums] = look().values()
    assert sum(bank.values()) == sums.win_cents == -500 * 35 + 1_000 - 2_000


def test_it_is_the_same_however_it_was_read(pit):
    """Read round by round, or all at once after it was built again."""
    with followed(pit.ledger) as look_back:
        for number in range(1, 6):
            pit.play(number, number, (pit.ada, "red", 500))
            with look_back() as back:
                piecewise = takings.between(back.model, ALWAYS)
    pit.rule(5, {"pocket": "17"})
    pit.rule(5, {"pocket": "5"})
    [sums] = piecewise.values()
    wanted = {NOBODY: sums._replace(undone=2)}
    for _ in range(2):
        with followed(pit.ledger) as look_back, look_back() as back:
            assert takings.between(back.model, ALWAYS) == wanted
        builder = Follower(pit.ledger)
        assert builder.rebuild()
        builder.close()


def test_a_gaming_day_begins_at_its_hour():
    """At 05:59 it is still yesterday; two days are as long as their parts."""
    early, late = (
        int(datetime(2026, 3, 11, *clock).astimezone().timestamp()) * S
        for clock in ((5, 59), (6, 0))
    )
    assert gaming_day.day_of(early, 6) == date(2026, 3, 10)
    assert gaming_day.day_of(late, 6) == date(2026, 3, 11)
    both = gaming_day.span(date(2026, 3, 10), 6, 2)
    assert both.first_ns == gaming_day.span(date(2026, 3, 10), 6).first_ns
    assert both.end_ns == gaming_day.span(date(2026, 3, 11), 6).end_ns


@pytest.mark.parametrize(
    ("pair", "places", "text"),
    [
        ((100, 3_700), 2, "0.03"),  # 0.02702...
        ((1, 200), 2, "0.01"),  # half, away from zero
        ((-1, 200), 2, "-0.01"),
        ((-1, 201), 2, "0.00"),  # no minus zero
        ((-15_500 * 100, 3_500), 2, "-442.86"),
        ((7, -2), 0, "-4"),
        ((0, 5), 1, "0.0"),
        ((5, 0), 2, None),
    ],
)
def test_a_ratio_is_rounded_once(pair, places, text):
    assert ratio_text(*pair, places) == text


@given(st.integers(-(10**15), 10**15), st.integers(1, 10**15), st.integers(0, 4))
def test_a_ratio_is_off_by_half_a_digit_at_most(dividend, divisor, places):
    exact, shown = Fraction(dividend, divisor), Fraction(ratio_text(dividend, divisor, places))
    assert abs(shown - exact) * 2 <= Fraction(1, 10**places)


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "|x", "%x"]
WIDE = ["\uff1d1", "\uff0b1", "\uff0d1", "\uff20x", "\u22121"]


@pytest.mark.parametrize("text", FORMULAS + WIDE)
def test_no_text_becomes_a_formula(text):
    [_, line, *_] = csv_text(["name"], [[text]], "en").split("\r\n", 1)
    assert line.strip().lstrip('"').startswith("'")


def test_files_follow_the_habits_of_a_country():
    """Separator, decimal comma; a negative sum stays a number; quotes are doubled."""
    rows = [['Salon "2"; left', cents(-1_234_505), Figure("5.41")]]
    english, dutch = (csv_text(["name", "win", "hold"], rows, locale) for locale in ("en", "nl"))
    assert english == 'name,win,hold\r\n"Salon ""2""; left",-12345.05,5.41\r\n'
    assert dutch == 'name;win;hold\r\n"Salon ""2""; left";-12345,05;5,41\r\n'
