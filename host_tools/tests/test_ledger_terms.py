"""Terms are refused for a machine that is configured so that it may pay nothing."""

import pytest

from host_tools.tests.collecting import Collecting
from host_tools.tests.pit import DEVICE, FRENCH, HOUSE, Pit
from tabletools.evidence import Terms, claim
from tabletools.evidence.tables import device_of
from tabletools.money import play_queries
from tabletools.store.errors import LedgerRejection
from tabletools.table.terms import change_table, change_terms, create_table
from tablewire.messages import CONFIGURATION_CHANGED

POCKET_SENSOR, ARRAY, HEAD, BOTH = 5, 1, 2, 3


@pytest.fixture
def pit(tmp_path):
    new_pit = Pit(str(tmp_path / "ledger"))
    yield new_pit
    new_pit.ledger.close()


def report(pit, value):
    """The wheel reports how it reads the pocket; the record has a revision of its own."""
    pit.say(CONFIGURATION_CHANGED, (POCKET_SENSOR, value, ARRAY, 1, 2))


def refused(give):
    with pytest.raises(LedgerRejection) as caught:
        give()
    assert caught.value.code == "configuration"
    return caught.value


def test_no_table_is_made_with_a_wheel_of_a_head_alone(pit):
    """What is wrong, at which device, what fits, and what to do; nor is it given to a table."""
    report(pit, HEAD)
    other = create_table(pit.ledger, "R2", FRENCH, HOUSE)
    lease = claim(pit.ledger, other, "host a")
    for give in (
        lambda: create_table(pit.ledger, "R3", FRENCH, HOUSE, device=DEVICE),
        lambda: change_table(pit.ledger, lease, HOUSE, device=DEVICE),
    ):
        error = refused(give)
        assert f"device {DEVICE}: pocket_sensor is 2, expected 1 or 3" in error.what
        assert "a reader head alone is for displays, not for money" in error.what
        assert "tabletool config set" in error.step
        assert "tabletool collect" in error.step
    with pit.ledger.read() as db:
        assert play_queries.table_by_name(db, "R3") is None
        assert device_of(db, other) is None


def test_a_display_gets_terms_once_its_array_is_read(tmp_path):
    """It was collected without terms; then an array was fitted, and its record collected."""
    display = Collecting(tmp_path / "night.db")
    display.beat()
    display.table.configuration[POCKET_SENSOR] = HEAD
    display.say(CONFIGURATION_CHANGED, (POCKET_SENSOR, HEAD, ARRAY, 1, 2))
    refused(lambda: create_table(display.store, "R1", FRENCH, HOUSE, device=DEVICE))
    display.table.configuration[POCKET_SENSOR] = BOTH
    display.say(CONFIGURATION_CHANGED, (POCKET_SENSOR, BOTH, HEAD, 1, 3))
    assert create_table(display.store, "R1", FRENCH, HOUSE, device=DEVICE)
    display.close()


@pytest.mark.parametrize("value", [ARRAY, BOTH])
def test_an_array_alone_or_with_a_head_is_for_money(pit, value):
    """Also where it was a head alone before; a wheel of which nothing is known yet, too."""
    report(pit, HEAD)
    report(pit, value)
    other = create_table(pit.ledger, "R2", FRENCH, HOUSE, device=DEVICE + 1)
    lease = claim(pit.ledger, other, "host a")
    change_table(pit.ledger, pit.lease, HOUSE, device=None)
    change_table(pit.ledger, lease, HOUSE, device=DEVICE)
    with pit.ledger.read() as db:
        assert device_of(db, other) == DEVICE


def test_a_table_of_another_game_does_not_care(pit):
    """The key belongs to a roulette wheel."""
    report(pit, HEAD)
    change_table(pit.ledger, pit.lease, HOUSE, device=None)
    create_table(
        pit.ledger,
        "W1",
        Terms("big_wheel", "hc2011", None, {"minimum": 500}),
        HOUSE,
        device=DEVICE,
    )


def test_terms_too_long_to_be_decoded_in_a_transaction_are_refused(pit):
    """A list of 70,000 characters as JSON; 65,536 are stored."""
    terms = FRENCH._replace(limits={**FRENCH.limits, "not_offered": ["a" * 70_000]})
    with pytest.raises(LedgerRejection) as caught:
        create_table(pit.ledger, "R2", terms, HOUSE)
    assert (caught.value.code, caught.value.where) == ("invalid_text", "limits")
    assert "at most 65536" in caught.value.what


def test_terms_that_change_before_the_first_round_are_those_of_it(pit):
    """The state of the table was read before they changed."""
    change_terms(pit.ledger, pit.lease, FRENCH._replace(limits={"minimum": 1000}), HOUSE)
    pit.open(1)
    with pytest.raises(LedgerRejection, match="below the minimum 1000"):
        pit.place(pit.ada, "red", 500)
