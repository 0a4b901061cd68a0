"""What the centre offers to this pit, and who here takes or declines it."""

from typing import Any

from fastapi import APIRouter, Response

from tabletools.api import answers_machines as answers
from tabletools.api.answers import responds
from tabletools.api.app_state import AppState, InApp, SignedIn, action, as_json
from tabletools.api.auth import Person
from tabletools.api.shapes import Digest, OfferReason
from tabletools.errors import ToolError
from tabletools.offers import Decision, Inbox, Offered, decide, offered
from tabletools.pit import centre_offers
from tabletools.store import LedgerRejection

router = APIRouter(prefix="/v1", tags=["offers"])
Row = dict[str, Any]
_NAMES = ("number", "kind", "name", "target", "digest", "made_ns", "until_ns")
_TEXT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/plain": {}}, "description": "The content."}
}


def _inbox(app: AppState) -> Inbox | None:
    """Return where offers come. Raises LedgerRejection where the settings do not say so."""
    try:
        return centre_offers.inbox_of(app.settings)
    except ToolError as error:
        raise LedgerRejection("offers_off", error.what, error.step, "offers") from error


def _needed_inbox(app: AppState) -> Inbox:
    inbox = _inbox(app)
    if inbox is None:
        step = "set `offers` and `offers_key` in the settings of the host"
        raise LedgerRejection("offers_off", "no centre offers anything here", step, "offers")
    return inbox


def _row(one: Offered) -> Row:
    decided = one.decided and {
        name: getattr(one.decided, name) for name in ("decision", "who", "at_ns", "reason")
    }
    facts = {name: getattr(one.offer, name) for name in _NAMES}
    return as_json(
        facts | {"state": one.state, "is_withdrawn": one.is_withdrawn, "decided": decided}
    )


@router.get("/offers", **action("offers.see"), **responds(answers.Offers))
def offers(app: InApp) -> Row:
    """Every offer of the centre to this pit, the newest first, and files that are none."""
    inbox = _inbox(app)
    if inbox is None:
        return {"is_read": False, "offers": [], "refused": []}
    with app.ledger.read() as db:
        present, refused = offered(db, inbox, app.ledger.clock.wall_ns())
    wrong = [{"file": file, "why": why} for file, why in refused.items()]
    return {"is_read": True, "offers": [_row(one) for one in present], "refused": wrong}


@router.get(
    "/offers/{digest}/content",
    responses=_TEXT,
    response_class=Response,
    **action("offers.see"),
)
def content(digest: Digest, app: InApp) -> Response:
    """What is offered: the signed manifest of a release, or the file of a configuration."""
    present, _ = _needed_inbox(app).read()
    for offer in present:
        if offer.digest == digest:
            return Response(offer.content, media_type="text/plain; charset=utf-8")
    step = "read the offers again"
    raise LedgerRejection("no_such_offer", "there is no such offer to this pit", step, "offer")


@router.post("/offers/{digest}/take", **action("offers.decide"), **responds(answers.Offer, 201))
def take(digest: Digest, body: OfferReason, who: SignedIn, app: InApp) -> Row:
    """Take an offer. Nothing is installed; the audit log has it, and the centre sees it."""
    return _decide(app, Decision(digest, True, body.reason), who)


@router.post("/offers/{digest}/decline", **action("offers.decide"), **responds(answers.Offer, 201))
def decline(digest: Digest, body: OfferReason, who: SignedIn, app: InApp) -> Row:
    """Decline an offer. The audit log has it, and the centre sees it."""
    return _decide(app, Decision(digest, False, body.reason), who)


def _decide(app: AppState, decision: Decision, who: Person) -> Row:
    inbox = _needed_inbox(app)
    try:
        key = centre_offers.release_key_of(app.settings)
    except ToolError as error:
        raise LedgerRejection("offer_unusable", error.what, error.step, "offer") from error
    return _row(decide(app.ledger, inbox, decision, who.actor, key))
