"""A night finds what it is there to find: defects planted in the product, one at a time."""

import pytest
from sqlalchemy import text

from hil_tests.night import __main__ as program
from hil_tests.night import far_ends, world
from hil_tests.thinned import thinned
from tabletools import roles
from tabletools.api.passwords import Passwords
from tabletools.cms.sinks import SinkWorker
from tabletools.evidence import alarms, rounds, voids
from tabletools.evidence import tables as casino
from tabletools.link.session_trust import KeyedSession
from tabletools.money import cash, outbox_queries
from tabletools.rules.declared import replaced
from tabletools.store import books, people
from tabletools.table import bet_windows, betting, game_rounds, intake
from tabletools.table.bet_context import BetContext
from tablewire.messages import BOOT_REPORT


def bets_stay_open(patch):
    honest = BetContext._closing_cause
    patch.setattr(casino, "close_bets", lambda *_words: False)

    def why_closed(self, **words):
        reason = honest(self, **words)
        return "" if reason == bet_windows.RECORDED_CLOSED else reason

    patch.setattr(BetContext, "_closing_cause", why_closed)


def late_bets_are_paid(patch):
    honest, place, in_memory = betting._row, betting._COLUMNS.index("standing"), betting.OpenBet

    def row(*words):
        values = list(honest(*words))
        values[place] = "valid"
        return tuple(values)

    patch.setattr(betting, "_row", row)
    patch.setattr(betting, "OpenBet", lambda *words: in_memory(*words)._replace(standing="valid"))
    patch.setattr(bet_windows, "_refer_unproved", lambda *_words: None)


def settled_twice(patch):
    honest = books.post

    def post(db, entry, *words):
        if entry.kind == "settlement":
            honest(db, entry, *words)
        return honest(db, entry, *words)

    patch.setattr(books, "post", post)


def wins_a_cent_more(patch):
    honest = game_rounds.settle_round

    def settle_round(*words):
        return [replaced(line, win=line.win + 1) if line.win else line for line in honest(*words)]

    patch.setattr(game_rounds, "settle_round", settle_round)


def held_result_is_paid(patch):
    guess = {"punto": "4H 5D", "banco": "5C 2D"}
    guessing = roles.role("shuffler")._replace(dealt=lambda *_words: guess)
    honest = roles.role
    patch.setattr(roles, "role", lambda name: guessing if name == "shuffler" else honest(name))


def sent_out_of_order(patch):
    patch.setattr(far_ends, "REFUSED", 0.3)  # so that events wait beside each other
    honest = outbox_queries.due

    def due(*words, **named):
        messages = honest(*words, **named)
        return messages._replace(events=messages.events[::-1])

    patch.setattr(outbox_queries, "due", due)


def sent_again_and_again(patch):
    patch.setattr(outbox_queries, "note", lambda *_words: None)
    patch.setattr(SinkWorker, "_nothing_up_to", lambda *_words: None)


def an_event_is_never_written(patch):
    patch.setattr(alarms, "enqueue", lambda *_words: None)


def an_event_is_lost_on_the_way(patch):
    patch.setattr(far_ends, "REFUSED", 0.3)
    honest = outbox_queries.due

    def due(ledger, sink, **named):
        messages = honest(ledger, sink, **named)
        outbox_queries.note(ledger, sink, [event.number for event in messages.events[1:]])
        return messages._replace(events=messages.events[:1])

    patch.setattr(outbox_queries, "due", due)


def tags_pass_unread(patch):
    patch.setattr(KeyedSession, "admit", lambda *_words: None)
    patch.setattr(world, "ATTACKED", 0.5)


def acknowledged_before_it_is_kept(patch):
    honest = intake.Intake.store

    def store(self, frame, *words):
        return frame.type == BOOT_REPORT or honest(self, frame, *words)

    patch.setattr(intake.Intake, "store", store)


def faults_never_clear(patch):
    def active_faults(db, device, place):
        query = text("SELECT DISTINCT code FROM faults WHERE device = :device AND raised = 1")
        return tuple(sorted(db.execute(query, {"device": device}).scalars()))

    patch.setattr(rounds, "active_faults", active_faults)


def alarms_stay(patch):
    patch.setattr(alarms, "acknowledge", lambda *_words: None)


def an_alarm_for_nothing(patch):
    honest = alarms.raise_alarm

    def raise_alarm(db, alarm, now_ns):
        honest(db, alarm._replace(kind=alarms.CONFLICT), now_ns)
        return honest(db, alarm, now_ns)

    patch.setattr(alarms, "raise_alarm", raise_alarm)


def one_pays_in_a_fortune(patch):
    patch.setattr(cash, "_confirmation_detail", lambda *_words: {})


def any_pin_fits(patch):
    honest = Passwords.fits
    patch.setattr(
        Passwords,
        "fits",
        lambda self, *words: words[2] is self.players or honest(self, *words),
    )


def a_void_undoes_a_round(patch):
    patch.setattr(voids, "is_late", lambda *_words, **_named: False)


def a_user_gives_rights_alone(patch):
    patch.setattr(people, "verify_second", lambda *_words: None)


QUIET = "--quiet"
STAFF = "--quiet --dishonest"
PLANTED = [
    (bets_stay_open, "bets_close", "R1", 0.015, QUIET),
    (late_bets_are_paid, "no_payout_on_a_known_number", "R1", 0.05, QUIET),
    (settled_twice, "settled_once", "R1", 0.03, QUIET),
    (wins_a_cent_more, "paid_by_the_odds", "R1", 0.03, QUIET),
    (held_result_is_paid, "held_results_are_ruled", "C1", 0.02, QUIET),
    (sent_out_of_order, "events_arrive_in_order", "R1", 0.03, QUIET),
    (sent_again_and_again, "events_arrive_in_order", "R1", 0.01, QUIET),
    (an_event_is_never_written, "everything_is_delivered_once", "S1", 0.005, QUIET),
    (an_event_is_lost_on_the_way, "everything_is_delivered_once", "R1", 0.03, QUIET),
    (tags_pass_unread, "nothing_forged_counts", "R1", 0.05, ""),
    (acknowledged_before_it_is_kept, "no_record_lost", "R1", 0.04, QUIET),
    (faults_never_clear, "alarms_clear", "S1", 0.01, QUIET),
    (alarms_stay, "alarms_clear", "S1", 0.01, QUIET),
    (an_alarm_for_nothing, "every_alarm_has_a_cause", "S1", 0.005, QUIET),
    (one_pays_in_a_fortune, "cash_by_one", "R1", 0.05, STAFF),
    (any_pin_fits, "rights_by_one", "R1", 0.05, STAFF),
    (a_user_gives_rights_alone, "rights_by_one", "R1", 0.05, STAFF),
    (a_void_undoes_a_round, "moved_by_one", "R1", 0.1, STAFF),
]


@pytest.mark.parametrize(
    ("plant", "invariant", "tables", "hours", "quiet"),
    thinned(PLANTED, 10),
    ids=[plant.__name__ for plant, *_ in thinned(PLANTED, 10)],
)
@pytest.mark.one_in(2)
def test_a_planted_defect_is_found(monkeypatch, capsys, plant, invariant, tables, hours, quiet):
    """By the invariant that names it, with the command that plays the night again.

    One in three by `make test`, all by `make soak`.
    """
    plant(monkeypatch)
    words = ["--seed", "2", "--hours", f"{hours:g}", "--tables", tables]
    assert program.main([*words, *quiet.split()]) == 1
    error = capsys.readouterr().err
    assert f"BROKEN: {invariant}: " in error
    again = f"again: make night SEED=2 HOURS={hours:g} TABLES={tables}"
    again += " QUIET=1" if quiet else ""
    assert again + (" DISHONEST=1" if quiet == STAFF else "") in error
