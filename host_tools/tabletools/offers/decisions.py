"""What became of the offers of a centre: taken or declined by a person, withdrawn, out of date.

A decision is a row of the audit log, which its user signs, and an event for the centre. Nothing
else changes: who takes an offer, installs it with the commands for it.
"""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, func, select
from sqlalchemy.exc import IntegrityError

from tabletools import authority, configuration, release
from tabletools.errors import ToolError
from tabletools.offers.inbox import Inbox
from tabletools.offers.signed_offer import CONFIGURATION, FIRMWARE, WITHDRAWAL, Offer
from tabletools.release import ReleaseError, VerifyingKey
from tabletools.store import audit, people
from tabletools.store.audit import Actor
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.store.schema.evidence import attestations
from tabletools.store.schema.people import audit_log

OPEN, TAKEN, DECLINED = "open", "taken", "declined"
WITHDRAWN, EXPIRED, REPLACED = "withdrawn", "expired", "replaced"
_ACTIONS = {"offer_taken": TAKEN, "offer_declined": DECLINED}
_AGAIN = "read the offers again"
_ASK = "ask the centre for another offer"


class Decided(NamedTuple):
    """A decision in the audit log. number, kind, target: of the offer. release: of its firmware
    if it was taken, else 0."""

    decision: str
    who: str
    at_ns: int
    reason: str
    number: int
    kind: str
    target: str
    release: int = 0


class _Detail(msgspec.Struct):
    """What the row of a decision says of it."""

    digest: str
    reason: str
    number: int
    kind: str
    target: str
    release: int = 0


class Offered(NamedTuple):
    """An offer and what became of it. is_withdrawn: also of one that was taken before."""

    offer: Offer
    state: str
    decided: Decided | None
    is_withdrawn: bool


class Decision(NamedTuple):
    """What a person decides. digest: of the offer, all of it, so that it is the one they read."""

    digest: str
    is_taken: bool
    reason: str


def offered(db: Connection, inbox: Inbox, now_ns: int) -> tuple[list[Offered], dict[str, str]]:
    """Return the offers of a centre, the newest first, and why other files there are none."""
    offers, refused = inbox.read()
    decided = _decisions(db)
    newest: dict[tuple[str, str], int] = {}
    for kind, target, number in (
        *((one.kind, one.target, one.number) for one in offers),
        # Another offer with the number of one that was decided is no newer than that.
        *((one.kind, one.target, one.number + 1) for one in decided.values()),
    ):
        newest[kind, target] = max(newest.get((kind, target), 0), number)
    withdrawn = {one.withdraws for one in offers}
    answers = []
    for offer in reversed(offers):
        if offer.kind == WITHDRAWAL:
            continue
        decision = decided.get(offer.digest)
        is_withdrawn = offer.number in withdrawn
        if decision is not None:
            state = decision.decision
        elif is_withdrawn:
            state = WITHDRAWN
        elif offer.number < newest[offer.kind, offer.target]:
            state = REPLACED
        else:
            state = EXPIRED if now_ns > offer.until_ns else OPEN
        answers.append(Offered(offer, state, decision, is_withdrawn))
    return answers, refused


def decide(
    ledger: Store, inbox: Inbox, decision: Decision, who: Actor, release_key: VerifyingKey | None
) -> Offered:
    """Take or decline an offer; returns it as it is then. Raises LedgerRejection.

    release_key: of who signs the releases that tables here run, None: not set.
    """
    if not decision.reason.strip():
        what = "the decision has no reason"
        raise LedgerRejection("reason_needed", what, "give a reason", "reason")
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> Offered:
        people.verify_may(db, who, authority.OFFER)
        present, _ = offered(db, inbox, now_ns)
        matches = [one for one in present if one.offer.digest == decision.digest]
        if not matches:
            what = "there is no such offer to this pit"
            raise LedgerRejection("no_such_offer", what, _AGAIN, "offer")
        offer = matches[0].offer
        _verify_open(matches[0], present)
        facts: Mapping[str, object] = {}
        if decision.is_taken:
            inbox.verify_whole()
            facts = _verify_content(db, offer, release_key)
        word = TAKEN if decision.is_taken else DECLINED
        _note(db, offer, word, decision.reason, who, now_ns, facts)
        decided = Decided(
            word, who.name, now_ns, decision.reason, offer.number, offer.kind, offer.target
        )
        return Offered(offer, word, decided, False)

    try:
        return ledger.run(write)
    except IntegrityError as error:
        what = "an offer with this number was decided"
        raise LedgerRejection("offer_decided", what, _AGAIN, "offer") from error


def _decisions(db: Connection) -> dict[str, Decided]:
    """Return every decision by the digest of its offer."""
    col = audit_log.c
    query = select(col.action, col.who, col.at_ns, col.detail).where(col.action.in_(_ACTIONS))
    decided = {}
    for row in db.execute(query.order_by(col.seq)):
        one = msgspec.json.decode(row.detail, type=_Detail)
        decided[one.digest] = Decided(
            _ACTIONS[row.action],
            row.who,
            row.at_ns,
            one.reason,
            one.number,
            one.kind,
            one.target,
            one.release,
        )
    return decided


def _verify_open(one: Offered, present: list[Offered]) -> None:
    offer = one.offer
    name = f"offer {offer.number} ({offer.name})"
    if one.state in (TAKEN, DECLINED):
        assert one.decided is not None
        what = f"{name} was {one.state} by {one.decided.who}"
        raise LedgerRejection("offer_decided", what, _AGAIN, "offer")
    if one.state == WITHDRAWN:
        raise LedgerRejection("offer_withdrawn", f"the centre withdrew {name}", _AGAIN, "offer")
    if one.state == REPLACED:
        what = f"a newer offer for {offer.target} replaces {name}"
        raise LedgerRejection("offer_replaced", what, "decide the newer one", "offer")
    if one.state == EXPIRED:
        raise LedgerRejection("offer_expired", f"the time of {name} is over", _ASK, "offer")


def _verify_content(
    db: Connection, offer: Offer, release_key: VerifyingKey | None
) -> Mapping[str, object]:
    """Return what the audit log says of the content of an offer. Raises LedgerRejection."""
    if offer.kind == CONFIGURATION:
        try:
            configuration.parsed(offer.content, f"offer {offer.number}")
        except ToolError as error:
            raise LedgerRejection("offer_unusable", error.what, _ASK, "offer") from error
        return {}
    assert offer.kind == FIRMWARE
    if release_key is None:
        what = "it is not known here who signs releases"
        step = "set `release_key` in the settings of the host"
        raise LedgerRejection("offer_unusable", what, step, "offer")
    try:
        manifest = release.parsed(offer.content.encode(), f"offer {offer.number}", release_key)
    except ReleaseError as error:
        raise LedgerRejection("offer_unusable", error.what, error.step, "offer") from error
    runs = max(_highest_release(db), _taken(db, offer.target))
    if manifest.release < runs:
        what = f"release {manifest.release} is older than {runs}, which was taken or runs here"
        raise LedgerRejection("offer_downgrade", what, _ASK, "offer")
    return {"release": manifest.release, "version": manifest.version}


def _highest_release(db: Connection) -> int:
    """Return the highest release that a table here attested, 0 for none."""
    col = attestations.c
    newest = select(func.max(col.wanted)).where(col.outcome == "match")
    return int(db.execute(newest).scalar_one() or 0)


def _taken(db: Connection, target: str) -> int:
    """Return the highest release that was taken for a board, 0 for none."""
    decided = (one for one in _decisions(db).values() if one.decision == TAKEN)
    return max((one.release for one in decided if one.target == target), default=0)


def _note(
    db: Connection,
    offer: Offer,
    word: str,
    reason: str,
    who: Actor,
    now_ns: int,
    facts: Mapping[str, object],
) -> None:
    """Write a decision, and report it to the centre.

    The id of the event is that of the number, so that of two who decide at once one fails.
    """
    said = {name: getattr(offer, name) for name in ("digest", "number", "kind", "name", "target")}
    data = said | {"decision": word, "user": who.name, "reason": reason}
    kind = "tablewire.offer.decided"
    event = OutboxEvent(f"offer-{offer.number}", kind, f"offer/{offer.number}", data)
    enqueue(db, event, now_ns)
    subject = f"offer {offer.number}"
    audit.note(db, who, f"offer_{word}", subject, now_ns, **said, **facts, reason=reason)
