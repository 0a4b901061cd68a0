"""Rules by which users want an alarm."""

from typing import Any

from fastapi import APIRouter

from tabletools.api import answers_play as answers
from tabletools.api.answers import responds
from tabletools.api.app_state import InApp, RowNumber, SignedIn, action, as_json
from tabletools.api.shapes import NewRule
from tabletools.evidence import alarm_rules
from tabletools.evidence.alarm_rules import MEASURES, Rule

router = APIRouter(prefix="/v1")


@router.get("/alarm-rules", tags=["alarms"], **action("rules.see"), **responds(answers.Rules))
def rules(app: InApp) -> dict[str, Any]:
    """The rules in force, and what can be measured."""
    with app.ledger.read() as db:
        rows = alarm_rules.active(db)
    measures = [{"name": name, **one._asdict()} for name, one in MEASURES.items()]
    return {"rules": [as_json(row._asdict()) for row in rows], "measures": measures}


@router.post(
    "/alarm-rules", tags=["alarms"], **action("rules.change"), **responds(answers.NewRule, 201)
)
def add_rule(body: NewRule, who: SignedIn, app: InApp) -> dict[str, Any]:
    """Have an alarm raised whenever a table is outside a band."""
    return {"rule": alarm_rules.add(app.ledger, Rule(**body.model_dump()), who.actor)}


@router.delete("/alarm-rules/{rule}", tags=["alarms"], status_code=204, **action("rules.change"))
def end_rule(rule: RowNumber, who: SignedIn, app: InApp) -> None:
    """End a rule; its alarms end with it."""
    alarm_rules.end(app.ledger, rule, who.actor)
