"""The takings of gaming days, by table, dealer, game, zone or day, as rows of one report."""

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

from tabletools.api.app_state import AppState
from tabletools.api.spreadsheet import Figure, cents
from tabletools.money import people_queries, play_queries
from tabletools.money.gaming_day import chosen, span
from tabletools.money.ratio import ratio_text
from tabletools.reports import takings
from tabletools.reports.reading import LookBack
from tabletools.reports.takings import Key, Sums

TABLE, DEALER, GAME, ZONE, DAY = BY = ("table", "dealer", "game", "zone", "day")
MOST_DAYS = 62
_HOUR_MS = 3_600_000
HEAD = (
    "name", "currency", "games", "drop", "win", "hold_percent", "theoretical_hold_percent",
    "theoretical_win", "games_an_hour",
)  # fmt: skip


class Row(NamedTuple):
    """The sums of one group, see `answers_cash.TakingsRow`."""

    name: str
    currency: str
    games: int
    drop_cents: int
    win_cents: int
    hold_percent: str | None
    theoretical_hold_percent: str | None
    theoretical_win_cents: int
    theory_known_cents: int
    games_an_hour: str | None


class Report(NamedTuple):
    """What tables took on gaming days. day: the first, YYYY-MM-DD."""

    day: str
    days: int
    by: str
    rows: list[Row]


class Wanted(NamedTuple):
    """Which days, from which on, and how the rows are grouped."""

    day: date | None
    """None: the present gaming day."""
    days: int
    by: str


def report(app: AppState, wanted: Wanted) -> Report:
    """Return the report. Raises LedgerRejection."""
    hour = app.settings.day_ends_hour
    day = chosen(wanted.day, app.ledger.clock.wall_ns(), hour)
    starts = [day + timedelta(days=n) for n in range(wanted.days)] if wanted.by == DAY else [day]
    length = 1 if wanted.by == DAY else wanted.days
    groups: dict[tuple[str, str], Sums] = {}
    with app.reports.look_back() as look:
        name = _namer(app, look, wanted.by)
        for start in starts:
            sums = takings.between(look.model, span(start, hour, length))
            for key, one in sums.items():
                group = name(key, start)
                groups[group] = groups.get(group, Sums()).plus(one)
    rows = [_row(*named, sums) for named, sums in sorted(groups.items())]
    return Report(day.isoformat(), wanted.days, wanted.by, rows)


def _namer(app: AppState, look: LookBack, by: str) -> Callable[[Key, date], tuple[str, str]]:
    """Return what gives the name and the currency of the group of a key on a day."""
    known = {row.id: row for row in play_queries.table_rows(look.ledger)}
    people = {row.id: row.name for row in people_queries.user_rows(look.ledger)}
    zones = {one.name: one.zone for one in app.settings.tables}

    def name(key: Key, day: date) -> tuple[str, str]:
        table = known[key.table]
        names = {
            TABLE: table.name,
            DEALER: people.get(key.dealer, ""),
            GAME: key.game,
            ZONE: zones.get(table.name, ""),
            DAY: day.isoformat(),
        }
        return names[by], table.currency

    return name


def _row(name: str, currency: str, sums: Sums) -> Row:
    won = sums.theory
    whole_won = ratio_text(won.numerator, won.denominator, 0) or "0"
    known = won.denominator * sums.known_cents
    return Row(
        name,
        currency,
        sums.games,
        sums.drop_cents,
        sums.win_cents,
        ratio_text(100 * sums.win_cents, sums.drop_cents, 2),
        ratio_text(100 * won.numerator, known, 2),
        int(whole_won),
        sums.known_cents,
        ratio_text(_HOUR_MS * sums.paced, sums.paced_ms, 1),
    )


def lines(rows: list[Row]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a report as the cells of a file."""
    for row in rows:
        yield (
            row.name,
            row.currency,
            Figure(row.games),
            cents(row.drop_cents),
            cents(row.win_cents),
            Figure(row.hold_percent or ""),
            Figure(row.theoretical_hold_percent or ""),
            cents(row.theoretical_win_cents) if row.theory_known_cents else Figure(),
            Figure(row.games_an_hour or ""),
        )
