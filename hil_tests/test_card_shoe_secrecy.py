"""No card leaves a shoe's controller before it has left the shoe, and none that went back.

Two shoes are dealt from alike but for one card, drawn to where the reader has seen it, and then
pushed back or left standing: whatever comes out and whatever is kept is the same to the byte.
"""

from __future__ import annotations

import pytest

from tableemulator.machines.card_shoe.physical_shoe import Pull, ShoeSetup
from tableemulator.machines.card_shoe.shoe_dealer import ShoeTable
from tableemulator.shipped_controller import WasmController
from tabletools.replay import AGREES, replayed
from tabletools.replay.trace_events import Order
from tablewire import card_shoe as words
from tablewire import messages
from tablewire.codec import Frame
from tablewire.framing import Receiver

AT_THE_READER_MM = 100.0


def evening(card: str, bend: Pull) -> tuple[bytes, dict[str, bytes], str]:
    """Deal two cards, then bend the third, which is the card named. Returns all that came out."""
    heard = bytearray()

    def listen(_when: int, direction: str, data: bytes) -> None:
        if direction == "<":
            heard.extend(data)

    def inject(plan: object) -> None:
        plan.pulls[2] = bend
        plan.walks = 3
        plan.before.append(lambda table: table.shoe.cards.__setitem__(2, card))

    setup = ShoeSetup(8)
    controller = WasmController(setup)
    try:
        table = ShoeTable(controller, setup, 3, listen=listen)
        deal = table.spin(inject, "bent")
        assert deal.reason in (words.CARD_BACK, words.CARD_STUCK)
        assert len(deal.named) == 2
        flash = dict(controller.board.flash)
        return bytes(heard), flash, "".join(table.errors)
    finally:
        controller.close()


@pytest.mark.parametrize(
    "bend",
    [Pull(back_mm=AT_THE_READER_MM), Pull(stop_mm=AT_THE_READER_MM)],
    ids=["pushed back", "left standing"],
)
def test_a_card_that_was_read_and_did_not_leave_is_nowhere(bend: Pull) -> None:
    """All bytes on the line, all files on the flash, its traces among them."""
    one, two = evening("AS", bend), evening("2C", bend)
    assert len(one[0]) > 1_000
    assert any(name.startswith("/flash/trace.") for name in one[1])
    assert one == two


def test_a_card_is_reported_after_it_has_passed() -> None:
    """For each reported card: the outer gate came free before, its value is in the trace after."""
    reported: list[tuple[int, Frame]] = []
    receiver = Receiver()

    def listen(when: int, direction: str, data: bytes) -> None:
        if direction == "<":
            reported.extend((when, f) for f in receiver.feed(data) if isinstance(f, Frame))

    setup = ShoeSetup(8)
    controller = WasmController(setup)
    try:
        table = ShoeTable(controller, setup, 6, listen=listen)
        out: list[int] = []
        pull = table.shoe.pull
        table.shoe.pull = lambda t_us, how: out.append(pull(t_us, how)) or out[-1]
        for _ in range(4):
            deal = table.spin()
            trace, _run, verdict = replayed(controller.trace(deal.ended.round))
            assert verdict.word == AGREES
            reads = [e for e in trace.events if isinstance(e, Order) and e.values[1:2] == (3,)]
            assert [read.values[3] for read in reads] == [f.values[2] for f in deal.dealt]
    finally:
        controller.close()
    first: dict[tuple[int, int], int] = {}
    for when, frame in reported:
        if frame.type == words.CARD_DEALT and not frame.flags & messages.FLAG_RETRANSMITTED:
            first.setdefault((frame.boot, frame.counter), when)
    assert len(first) == len(out) > 15
    assert all(when > left for when, left in zip(first.values(), out, strict=True))
