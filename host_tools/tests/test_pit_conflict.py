"""A record that contradicts a settled round: in the alarm, acknowledged, ended by a person."""

from host_tools.tests.emulated import result
from host_tools.tests.served import until
from tablewire.messages import PHASE_CLOSED
from tablewire.roulette import WHEEL_RESULT


def test_rule_then_release_and_the_table_plays_on(floor):
    """The number 7 was settled, then the table reports 9: it stops once, and not again."""
    sue = floor.host.login("Sue")
    floor.open()
    ada = floor.host.terminal(sue, floor.table, "Ada")
    slip = {"bet": "straight", "numbers": ["7"], "stake_cents": 500}
    assert ada.post("/v1/bets", json=slip, headers={"Idempotency-Key": "a"}).status_code == 201
    floor.shut()
    floor.fall(7)
    until(lambda: ada.get("/v1/seat").json()["balance_cents"] == 100_000 + 35 * 500)
    floor.played.order(WHEEL_RESULT, result(9), floor.round, PHASE_CLOSED)

    def conflicts():
        alarms = sue.get("/v1/alarms").json()["alarms"]
        return [one for one in alarms if one["kind"] == "conflict"]

    until(conflicts)
    until(lambda: not floor.played.journal)  # acknowledged: it does not come again
    [alarm] = conflicts()
    assert "wheel_result" in alarm["text"]
    assert '"pocket":9' in alarm["text"].replace(" ", "")
    assert ada.get("/v1/seat").json()["balance_cents"] == 100_000 + 35 * 500
    released = sue.post(f"/v1/tables/{floor.table}/release", json={"why": "the camera shows 7"})
    assert released.status_code == 204, released.text
    floor.round += 1
    floor.played.open(floor.round)
    floor.wait(lambda facts: facts["bets_open"])
    assert len(conflicts()) == 1
