"""Refer bets that are not proved to be earlier than no-more-bets; they need a ruling to be paid.

A bet is proved early if the clock of the table was known when it was accepted, and the latest
value that clock can have had is before the time of no-more-bets, in the same boot.
"""

from tabletools.evidence import alarms
from tabletools.evidence.alarms import Found
from tabletools.link.freshness import signed_ms
from tabletools.money.referring import named
from tabletools.store.rows import insert_many
from tabletools.store.schema.play import referrals
from tabletools.table.judging import Stored
from tabletools.table.shell import Turn
from tabletools.table.state import REFERRED, VALID, OpenBet, Round
from tablewire.codec import Frame

NOT_BEFORE, NO_READING, OTHER_BOOT = "not_before", "no_reading", "other_boot"


def refer_unproved(turn: Turn, played: Round, closed: Frame) -> None:
    """Refer the bets of a round that its no-more-bets does not prove to be early, with an alarm.

    played: a round which no settlement has decided yet.
    """
    rows = []
    for number, bet in sorted(played.bets.items()):
        cause = _cause(closed, bet) if bet.is_own and bet.standing == VALID else ""
        if cause:
            rows.append((number, played.id, cause, turn.now_ns))
            played.bets[number] = bet._replace(standing=REFERRED)
    if not rows:
        return
    insert_many(turn.db, referrals, ("bet_id", "round_id", "cause", "at_ns"), rows)
    names, they = named([row[0] for row in rows]), "it" if len(rows) == 1 else "they"
    text = f"{names}: nothing proves that {they} came before no-more-bets"
    text += "; two users have to rule"
    alarm = Found(alarms.LATE_BET, text, closed.device, played.table, played.id)
    alarms.raise_alarm(turn.db, alarm, turn.now_ns)


def report_unproved_withdrawals(turn: Turn, played: Round, closed: Stored) -> None:
    """Raise an alarm for bets taken back or changed not provably before no-more-bets.

    The stake is with the player, who may have played on with it, so nothing is booked.
    """
    estimate, late = closed.made, played.returned
    if estimate is not None:
        least_ns = estimate.at_ns - estimate.uncertainty_ns
        late = [each for each in late if each[1] >= least_ns]
    if late:
        text = f"{named([bet for bet, _ in late])}: nothing proves that the stake was taken back"
        text += " or changed before no-more-bets; it was returned"
        device = closed.frame.device
        alarm = Found(alarms.LATE_WITHDRAWAL, text, device, played.table, played.id)
        alarms.raise_alarm(turn.db, alarm, turn.now_ns)


def _cause(closed: Frame, bet: OpenBet) -> str:
    """Return why a bet is not proved early, empty if it is."""
    boot, shown_ms, uncertainty_ms = bet.clock
    if boot is None or shown_ms is None or uncertainty_ms is None:
        return NO_READING
    if boot != closed.boot:
        return OTHER_BOOT
    is_before = signed_ms(shown_ms + uncertainty_ms - closed.uptime_ms) < 0
    return "" if is_before else NOT_BEFORE
