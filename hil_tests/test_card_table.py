"""Whole rounds of a card table: the shipped firmware on the VM, the shuffler as a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tableemulator import fault_catalogue, play_session
from tableemulator.machines.core.emulated_pit import PitHost
from tableemulator.machines.core.harness import FROM_TABLE
from tableemulator.machines.shuffler.physical_shuffler import ShufflerSetup
from tableemulator.machines.shuffler.shuffler_dealer import ShufflerTable
from tableemulator.machines.shuffler.shuffler_faults import FAULTS
from tableemulator.shipped_controller import WasmController
from tabletools.cli import main
from tabletools.replay import AGREES, replayed
from tablewire import messages
from tablewire import shuffler as words
from tablewire.codec import Frame
from tablewire.framing import Receiver

KEY = bytes(range(32))
WIRED, TWICE, SERIAL = ShufflerSetup(), ShufflerSetup(passes=2), ShufflerSetup(is_serial=True)


def provoke(table: ShufflerTable, name: str) -> None:
    """Play a round with the fault, compare what was reported, and play on."""
    fault = fault_catalogue.find(name, play_session.catalogue_of(table.setup))
    play_session.provoke(table, fault)
    assert table.spin().reason is None


@pytest.mark.parametrize(
    ("setup", "names"),
    [
        (WIRED, ("jam_in", "missing_card", "replaced", "power_cut", "croupier_void")),
        (TWICE, ("second_pass_missing", "lost_between_passes")),
        (SERIAL, ("unplugged", "error_said")),
    ],
    ids=("wired", "twice", "serial"),
)
def test_a_fault_voids_the_round_and_is_mended(
    setup: ShufflerSetup, names: tuple[str, ...]
) -> None:
    """Under a key, one after the other, a healthy round after each."""
    with play_session.emulated_table(setup, 6, key=(1, KEY)) as table:
        for name in names:
            provoke(table, name)
        assert table.errors == []


def test_a_deck_is_shuffled_once_the_host_declared_it() -> None:
    """A host that was away for a minute declares it; then the shuffle counts."""
    controller = WasmController(WIRED)

    def pass_on(ident: int, values: tuple[int, ...]) -> bytes:
        command = table._pit.command(ident, values)
        if ident != words.DECLARE_REPLACEMENT:
            return command
        table.schedule(table.now_us + 60_000_000, lambda table: table.send(command))
        return b""

    table = ShufflerTable(controller, WIRED, 6, command=pass_on)
    provoke(table, "missing_card")
    controller.close()


def test_a_record_that_comes_again_locks_no_shoe() -> None:
    """What it was locked for before is over, though the line repeats it behind the shuffle."""
    with play_session.emulated_table(WIRED, 6) as table:
        read, locked = table._read, []

        def keep(when: int, frame: Frame) -> None:
            if frame.type == words.SHOE_CHANGED and frame.values[0] == words.SHOE_LOCKED:
                locked.append(frame)
            read(when, frame)

        table._read = keep
        table.run(2_000_000)
        assert locked
        shuffle = table.shuffle
        table.shuffle = lambda: (shuffle(), read(table.now_us, locked[0]))
        assert table.spin().reason is None


def test_a_healthy_round_is_proven() -> None:
    """No card moves while it is played, so its trace replays; the deck before it counted right."""
    with play_session.emulated_table(ShufflerSetup(104), 2) as table:
        dealt = table.spin()
        assert dealt.ended.type == words.CARD_ROUND_ENDED
        assert dealt.counted == dealt.verified == (104, 104)
        _trace, _run, verdict = replayed(table.controller.trace(dealt.ended.round))
        assert verdict.word == AGREES


def test_each_fault_of_the_shuffler_is_at_one_kind_of_machine() -> None:
    """The catalogues of the three machines together are that of the shuffler, and the host's."""
    catalogues = [play_session.catalogue_of(setup) for setup in (WIRED, TWICE, SERIAL)]
    names = {fault.name for catalogue in catalogues for fault in catalogue}
    assert names == {fault.name for fault in FAULTS}
    assert "jam_in" not in {fault.name for fault in catalogues[2]}


def emulate(folder: Path, *extra: str) -> tuple[int, Path, Path]:
    """Run `tabletool emulate shuffler` once; returns exit code, capture and truth."""
    out, truth = folder / "cards.capture", folder / "cards.truth"
    paths = ["--out", str(out), "--truth", str(truth)]
    return main.run(["emulate", "shuffler", "--seed", "4", *extra, *paths]), out, truth


def test_the_command_writes_what_was_reported_and_what_happened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Mixed rounds: one end each, the truth beside it, which names counts and faults alone."""
    code, out, truth = emulate(tmp_path, "--spins", "4", "--fault", "mixed")
    assert code == 0
    assert capsys.readouterr().out.startswith("4 rounds: ")
    assert main.run(["decode", str(out), "--json"]) == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    ends = {
        record["round"]: record
        for record in printed
        if record["type"] in ("card_round_ended", "round_void")
    }
    truths = [json.loads(line) for line in truth.read_text().splitlines()]
    assert len(ends) == len(truths) == 4
    assert {true["fault"] is None for true in truths} == {True, False}
    catalogue = play_session.catalogue_of(WIRED)
    for end, true in zip(ends.values(), truths, strict=True):
        assert set(true) == {"cards_in", "cards_out", "fault"}
        assert end.get("code") == (
            true["fault"] and fault_catalogue.find(true["fault"], catalogue).reason
        )


def evening(*, stacked: bool) -> tuple[list[object], list[object]]:
    """Play two rounds; returns every byte on the line with its time, and the truths."""
    heard: list[object] = []
    with play_session.emulated_table(WIRED, 9, listen=lambda *chunk: heard.append(chunk)) as table:
        if stacked:
            table.shuffler.deck.reverse()
        jam = fault_catalogue.find("jam_out", play_session.catalogue_of(WIRED))
        dealt = [table.spin(), play_session.play(table, jam)]
        assert [each.ended.round for each in dealt] == [1, 2]
        return heard, [each.truth() for each in dealt]


def test_the_order_of_the_cards_is_in_no_file() -> None:
    """A stacked deck: the same bytes on the line, the same truth."""
    assert evening(stacked=False) == evening(stacked=True)


# A dealer at a port: after which record he gives which order, and the record that answers it.
ORDERS = (
    (words.SHUFFLE_DONE, messages.OPEN_BETS, messages.ROUND_OPENED),
    (messages.ROUND_OPENED, messages.CLOSE_BETS, messages.BETS_CLOSED),
    (messages.BETS_CLOSED, words.END_ROUND, words.CARD_ROUND_ENDED),
)
PATIENCE_US = 3_000_000
LONGEST_US = 300_000_000
"""From power-on to the end of his round, which takes half a minute."""


class NotVerifiedError(Exception):
    """The table did not verify a healthy deck, as happens to one in some fifty."""


class Dealer:
    """The host at the port of a table, who takes his time over every order."""

    def __init__(self) -> None:
        self.reported: dict[int, Frame] = {}
        self._pit, self._receiver = PitHost(None, bytes), Receiver()
        self._since: dict[int, int] = {}
        self._answers = bytearray()

    def hear(self, _when: int, direction: str, data: bytes) -> None:
        for frame in self._receiver.feed(data) if direction == FROM_TABLE else ():
            self._answers += self._pit.hear(frame)
            if frame.flags & messages.FLAG_DURABLE:
                self._answers += self._pit.acknowledge(frame)
                self.reported.setdefault(frame.type, frame)

    def pace(self, table: ShufflerTable) -> None:
        assert table.now_us < LONGEST_US, sorted(self.reported)
        shuffled = self.reported.get(words.SHUFFLE_DONE)
        if shuffled is not None and shuffled.values[6]:  # the reason
            raise NotVerifiedError
        for after, order, answer in ORDERS:
            since = self._since.setdefault(order, table.now_us) if after in self.reported else None
            if answer in self.reported or since is None or table.now_us - since < PATIENCE_US:
                continue
            self._since[order] = table.now_us
            self._answers += self._pit.command(order, ())
        if self._answers:
            table.send(bytes(self._answers))
            self._answers.clear()


def play_a_round() -> tuple[Dealer, Any]:
    dealer = Dealer()
    with play_session.emulated_table(
        WIRED, 6, acknowledge=False, listen=dealer.hear, pace=dealer.pace
    ) as table:
        return dealer, play_session.play(table, None)


def test_on_a_port_rounds_go_as_their_dealer_says() -> None:
    """He opens, closes after his three seconds and not before, and ends when hands are over."""
    try:
        dealer, dealt = play_a_round()
    except NotVerifiedError:
        dealer, dealt = play_a_round()
    assert dealt.ended.type == words.CARD_ROUND_ENDED
    cause, open_ms = dealer.reported[messages.BETS_CLOSED].values
    assert cause == messages.CLOSE_CAUSE_COMMAND
    assert 3000 <= open_ms < 3200  # his order has a slice and a read of the line to go
