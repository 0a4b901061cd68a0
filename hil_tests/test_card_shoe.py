"""Whole rounds of a card table: the shipped firmware on the VM, and the model of a shoe."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tableemulator import fault_catalogue, play_session
from tableemulator.machines.card_shoe.physical_shoe import ShoeSetup
from tableemulator.machines.card_shoe.shoe_dealer import ShoeTable
from tableemulator.machines.card_shoe.shoe_faults import FAULTS
from tableemulator.shipped_controller import WasmController
from tablespec.names import KEY_NAMES
from tablespec.reasons import REASONS
from tabletools.decode import record
from tabletools.replay import AGREES, replayed
from tabletools.roles import shoe_round
from tablewire import card_shoe as words
from tablewire import messages

KEY = bytes(range(32))
ROUND_BURNS = KEY_NAMES.index("round_burns") + 1
FAULT_CODES = {reason.number for reason in REASONS if reason.kind == "fault"}


def checks(cards: list[int]) -> tuple[int, int]:
    """The two check sums of cards_ended, as PROTOCOL.md says them."""
    one = two = 0
    for card in cards:
        one = (one + card) % 65535
        two = (two + one) % 65535
    return one, two


def test_healthy_rounds_tell_the_cards_that_left() -> None:
    """In their order, each once, with the index in the shoe; the end sums them up; replayed."""
    with play_session.emulated_table(ShoeSetup(8), 4, key=(1, KEY)) as table:
        left = 0
        for _ in range(6):
            deal = table.spin()
            assert deal.reason is None
            assert deal.reported == deal.true
            values = [frame.values for frame in deal.dealt]
            assert [v[0] for v in values] == list(range(left + 1, left + len(values) + 1))
            assert [v[1] for v in values] == list(range(1, len(values) + 1))
            count, first, last, one, two, _ms, over = deal.ended.values
            assert (count, first, last) == (len(values), left + 1, left + len(values))
            assert (one, two) == checks([v[2] for v in values])
            assert over == 0
            left = last
            trace, _run, verdict = replayed(table.controller.trace(deal.ended.round))
            assert verdict.word == AGREES, verdict
            assert trace.round == deal.ended.round
        assert table.errors == []


def test_what_is_burned_belongs_to_the_round_it_was_burned_in() -> None:
    """Two at the start of each round: the host has them beside the cards dealt, in their order."""
    with play_session.emulated_table(ShoeSetup(8), 4, key=(1, KEY)) as table:
        table.spin()
        table.order(messages.SET_CONFIGURATION, ROUND_BURNS, 2)
        for _ in range(2):
            deal = table.spin()
            assert deal.reason is None
            records = [record(frame, "verified") for frame in (*deal.dealt, deal.ended)]
            read = shoe_round.shoe_cards(records[-1], records)
            assert read is not None
            assert (*read.burned, *read.dealt) == deal.cards
            assert len(read.burned) == 2
        assert table.errors == []


@pytest.fixture(scope="module")
def table() -> Iterator[ShoeTable]:
    """A table that goes on from one fault to the next, as a real one does."""
    setup = ShoeSetup(8)
    controller = WasmController(setup)
    shoe_table = ShoeTable(controller, setup, 8)
    shoe_table.spin()
    yield shoe_table
    controller.close()


@pytest.mark.parametrize("name", [fault.name for fault in FAULTS])
def test_a_fault_gives_its_code(table: ShoeTable, name: str) -> None:
    """The round is void with the number expected; the table plays on once it is mended."""
    fault = fault_catalogue.find(name, FAULTS)
    deal = play_session.provoke(table, fault)
    data = table.controller.trace(deal.ended.round)
    if data is not None and name != "never_ends":
        _trace, _run, verdict = replayed(data)
        assert verdict.word == AGREES, verdict
    after = table.spin()
    assert (after.reason, after.reported) == (None, after.true)
    assert table.errors == []


def test_every_code_of_the_role_has_a_fault() -> None:
    """The numbers 931 to 959, none left out."""
    own = {reason.number for reason in REASONS if 931 <= reason.number < 960}
    assert {f.code for f in FAULTS if f.code >= 931} == own
    assert {code for code in own if code in FAULT_CODES} == set(words.FAULT_CODES)
