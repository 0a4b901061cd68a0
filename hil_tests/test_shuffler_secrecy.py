"""Nothing that leaves the controller depends on the order of the cards, or on where they were put.

The model carries real cards and shuffles them; when a card passes tells the slot it is put into.
"""

from __future__ import annotations

import pytest
from tests.rig.test_shuffler import CardDesk

from hil_tests.soak.shuffler_run import ShufflerRun, configuration
from tableemulator.machines.core.fault_actions import Fault
from tableemulator.machines.shuffler.physical_shuffler import CardShuffler, Trouble
from tableemulator.machines.shuffler.shuffler_faults import FAULTS as ALL
from tabletools.replay import AGREES, UNPROVEN, Edge, replayed
from tablewire import messages as m
from tablewire import shuffler as words

FAULTS = [fault for fault in ALL if fault.name != "croupier_void"]  # the host's
NEW = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]
# A deck as a cheat would stack it: the same cards, another order.
STACKED = NEW[::-2] + NEW[::2]
DEVICE_TIMES = {"shuffle_done": 4, "fault_raised": 2, "fault_cleared": 2, "card_round_ended": 0}


def play(
    deck: list[str], seed: int, fault: Fault | None = None
) -> tuple[ShufflerRun, list[bytes]]:
    """A shuffle, a round, a round with a shuffle in it, a fault, a manual shoe; and traces."""
    changed = fault.changed if fault else {}
    run = ShufflerRun(CardShuffler(list(deck), seed), configuration(**changed))
    traces = []
    for _ in range(2 if changed.get("passes") == 2 else 1):
        run.shuffle()
    run.play_round()
    traces.append(run.trace())
    run.role.open_bets(run._ticks(run.now_us))
    run.role.close_bets(m.CLOSE_CAUSE_COMMAND, run._ticks(run.now_us))
    if fault is None:
        run.shuffle()
        run.order(words.END_ROUND)
    else:
        run.provoke(fault)
    traces.append(run.trace())
    run.declare(words.REPLACEMENT_MANUAL_SHOE)
    run.play_round()
    return run, [*traces, run.trace()]


def mask(run: ShufflerRun) -> list[tuple[object, ...]]:
    """What was reported, without the fields that are times."""
    records: list[tuple[object, ...]] = []
    for report in run.reported:
        values = list(report.values)
        if report.name in DEVICE_TIMES:
            values[DEVICE_TIMES[report.name]] = 0
        records.append((report.name, *values))
    return records


@pytest.mark.parametrize("fault", [None, *FAULTS], ids=lambda f: f.name if f else "healthy")
def test_two_orders_of_the_deck_tell_the_same(fault: Fault | None) -> None:
    """Every record with its time, every byte of every trace."""
    first, traces = play(NEW, 5, fault)
    second, others = play(STACKED, 5, fault)
    assert first.shuffler.deck != second.shuffler.deck
    assert first.reported == second.reported
    assert traces == others


def test_where_the_cards_were_put_is_in_no_trace() -> None:
    """Other slots, other times at the gates: records differ in durations alone, traces not at all.

    A round with a shuffle in it has a trace that says so and claims nothing; the others replay.
    """
    runs = [play(NEW, seed) for seed in range(6)]
    decks = {tuple(run.shuffler.deck) for run, _ in runs}
    assert len(decks) == len(runs)
    sent = [mask(run) for run, _ in runs]
    assert all(other == sent[0] for other in sent)
    for _, traces in runs:
        verdicts = []
        for data in traces:
            trace, _, verdict = replayed(data)
            verdicts.append(verdict.word)
            gates = (words.INPUT_GATE_IN, words.INPUT_GATE_OUT)
            edges = [event for event in trace.events if isinstance(event, Edge)]
            assert not [edge for edge in edges if edge.sensor in gates]
        assert verdicts == [AGREES, UNPROVEN, AGREES]


def test_faults_without_cards_moving_replay() -> None:
    """A lid, a lost line, a declaration in a round: the trace comes to the device's own end."""
    records = set()
    for fault in FAULTS:
        if fault.name in ("lid_idle", "replaced", "unplugged", "error_said"):
            _, traces = play(NEW, 5, fault)
            trace, run, verdict = replayed(traces[1])
            assert verdict.word == AGREES, (fault.name, verdict)
            assert run.end is not None
            assert run.end.values[0] == fault.code
            records.add(trace.values[0])
    assert len(records) == 4


def evening(deck: list[str]) -> CardDesk:
    """An evening of the shipped firmware on the machine, its host attached."""
    with CardDesk(deck=deck, seed=9) as desk:
        desk.run(1_000_000)
        desk.shuffle()
        desk.settle()
        desk.tell(m.OPEN_BETS)
        desk.tell(m.CLOSE_BETS)
        desk.shuffle()
        desk.tell(words.END_ROUND)
        desk.settle()
        desk.shuffle(Trouble(place=9, overlap=0.4))
        desk.settle()
        desk.tell(words.DECLARE_REPLACEMENT, words.REPLACEMENT_MANUAL_SHOE)
        for offset in (0, 192, 384):
            desk.send(m.FETCH_TRACE, (1, offset))
        desk.flash = dict(desk.board.flash)
        desk.cards = list(desk.shuffler.deck)
    return desk


def test_the_machine_sends_and_keeps_the_same_for_two_orders() -> None:
    """All bytes on the line, all it printed, all files on its flash."""
    one, two = evening(NEW), evening(STACKED)
    assert one.cards != two.cards
    assert len(one.bytes) > 4_000
    assert one.bytes == two.bytes
    assert (one.printed, one.errors) == (two.printed, two.errors)
    assert one.flash == two.flash
    assert any(name.startswith("/flash/trace.") for name in one.flash)
