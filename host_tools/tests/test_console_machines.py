"""What the console shows of machines: pictures and words of each role, checks, evidence."""

import pytest
from playwright.sync_api import expect

from hil_tests.decisions import decided_table
from host_tools.tests.browser import console, go, rested
from host_tools.tests.emulated import DEVICE
from host_tools.tests.served import Floor
from tableemulator.machines.repeater import PIECE_BYTES
from tableemulator.machines.roulette.physical_wheel import Geometry
from tablelogic.money_wheel import wheel_segments
from tablelogic.roulette import wheels
from tabletools.evidence.stored_traces import Traces
from tabletools.table import frames
from tablewire.messages import TRACE_CHUNK
from tablewire.sender import Sender

# A table with its role's fields, and the last result, as in the live stream.
STATE = {"results": [], "dealt": [], "machine": {}, "number": 4, "phase": "closed"}
# Draws the machine of a role; returns the names of its facts and what a screen reader reads.
DRAWN = """async ([role, table, state]) => {
  const { machine, termsOf } = await import("./machines.js");
  const made = machine(table, role, state);
  made.update(state, state.results[0]);
  const read = [...made.element.querySelectorAll("[aria-label]")].map((one) => one.ariaLabel);
  const facts = termsOf(role).map(([term, tell]) => `${term}: ${tell(state)}`);
  return { facts, read, text: made.element.textContent, last: made.element
    .querySelector(".last text")?.textContent, pips: made.element
    .querySelectorAll(".die circle").length, tilt: made.element
    .querySelector(".rotor")?.getAttribute("transform") };
}"""


def result(**outcome):
    """The round shown has come to that."""
    return {"results": [{"number": 4, "is_void": False, "outcome": outcome}]}


def pieces(trace):
    """The frames that bring a trace, as a table sends them."""
    table = Sender(DEVICE, 1)
    return b"".join(
        table.build(TRACE_CHUNK, (1, offset, len(trace), trace[offset : offset + PIECE_BYTES]))
        for offset in range(0, len(trace), PIECE_BYTES)
    )


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    """A table with one round, whose trace is that of a spin on this interpreter."""
    new_floor = Floor(str(tmp_path_factory.mktemp("machines") / "ledger"))
    table = decided_table(Geometry("single", "array"), 3)
    ended = table.spin().ended
    trace = table.controller.trace(ended.round)
    Traces(new_floor.host.ledger).keep(DEVICE, 1, pieces(trace), None)
    new_floor.open()
    new_floor.shut()
    new_floor.fall(ended.values[0])
    yield new_floor
    new_floor.close()


@pytest.fixture(scope="module")
def tim(chromium, floor):
    """The page of Tim, the technician."""
    with console(chromium, floor.host.url, name="Tim") as console_page:
        yield console_page


@pytest.fixture
def page(tim):
    return rested(tim)


def drawn(page, role, game, **state):
    return page.evaluate(DRAWN, [role, {"game": game}, {**STATE, **state}])


def test_the_wheels_are_drawn_in_the_order_of_the_firmware(page):
    """What the pictures have round the rotor is what the device reads there."""
    drawing = page.evaluate("import('./wheels.js').then((all) => ({...all}))")
    labels = {n: "00" if n == wheels.DOUBLE_ZERO else str(n) for n in range(38)}
    assert drawing["SINGLE"] == [labels[n] for n in wheels.SINGLE]
    assert drawing["DOUBLE"] == [labels[n] for n in wheels.DOUBLE]
    assert drawing["SEGMENTS_52"] == [str(n) for n in wheel_segments.SEGMENTS_52]
    assert drawing["SEGMENTS_54"] == [str(n) for n in wheel_segments.SEGMENTS_54]


def test_a_money_wheel_rests_with_its_segment_under_the_flapper(page):
    """Place 12 of 52 pays 20: the wheel is turned back by 12 of 52 parts of 360 degrees."""
    stop = {"pays": 20, "segment": 12, "revolutions_centi": 612, "pushes": 1}
    drawing = drawn(
        page, "money_wheel", "big_wheel", progress=6, machine={"stop": stop}, **result(pays=20)
    )
    assert drawing["facts"][0] == "Revolutions: 6"
    assert drawing["facts"][3] == "Last stop: Segment 13"
    assert (drawing["last"], drawing["tilt"]) == ("20", "rotate(-83.077)")
    assert "20to 1" in drawing["text"]
    moving = drawn(
        page,
        "money_wheel",
        "big_wheel",
        machine={"stop": stop},
        machine_drpm=423,
        **result(pays=20),
    )
    assert moving["last"] is None


def test_dice_show_their_pips_and_say_their_faces(page):
    """2, 5 and 6: thirteen pips, each die named, and how the throw went."""
    throw = {"held_ms": 1234, "hits": 3, "agreed": 2}
    drawing = drawn(
        page, "dice_tray", "sic_bo", machine={"throw": throw}, **result(dice=[2, 5, 6])
    )
    assert drawing["read"] == ["Die showing 2", "Die showing 5", "Die showing 6"]
    assert (drawing["pips"], drawing["text"]) == (13, "Round 4: total 13")
    assert drawing["facts"] == [
        "Last throw: Valid",
        "Held: 1.234 s",
        "Far wall hits: 3",
        "Agreeing pictures: 2",
    ]
    missed = {"held_ms": 900, "hits": 1, "reason": "wall_missed"}
    drawing = drawn(page, "dice_tray", "sic_bo", machine={"throw": missed})
    assert drawing["facts"][0] == "Last throw: wall missed"


def test_cards_lie_as_they_are_dealt_and_then_by_hand(page):
    """An unread card is face down; suits are also given as text."""
    shoe = {"event": "new", "cards": 416, "drawn": 23}
    state = {"dealt": ["TH", "??"], "machine": {"shoe": shoe}}
    drawing = drawn(page, "card_shoe", "punto_banco", **state)
    assert drawing["text"] == "10♥10 of heartsa card that was not readRound 4: 2 so far"
    assert drawing["facts"] == [
        "Cards of this round: 2",
        "Cards out of the shoe: 23 of 416",
        "Shoe: New",
    ]
    over = drawn(page, "card_shoe", "punto_banco", **result(punto="8C 8S", banco="AS 9D"))
    assert over["read"] == ["Punto", "Banco"]
    assert "A♠ace of spades" in over["text"]


def test_balls_lie_as_they_are_drawn(page):
    """In the order of the draw, with the number of balls in the chamber."""
    balls = {"inside": 80, "expected": 80, "counted_by": "returned"}
    state = {"dealt": ["71", "4"], "machine": {"balls": balls}}
    drawing = drawn(page, "draw_machine", "keno", **state)
    assert drawing["text"] == "714Round 4: 2 so far"
    assert drawing["facts"][:2] == ["Balls drawn: 2", "Balls in the chamber: 80 of 80"]


def test_a_shuffler_shows_counts_and_its_shoe_and_no_card(page):
    """52 in and 51 out is a refused deck, and the shoe is locked for it."""
    shuffle = {
        "verdict": "refused",
        "reason": "count_short",
        "count_in": 52,
        "count_out": 51,
        "expected": 52,
    }
    lock = {"shoe": "locked", "reason": "count_short", "replacement": None}
    parts = {"shuffle": shuffle, "lock": lock}
    drawing = drawn(page, "shuffler", "three_card", machine=parts)
    assert "Shuffle: Refused: count short, 52 cards in and 51 out of 52" in drawing["text"]
    assert "Shoe: Locked: count short" in drawing["text"]
    assert drawing["facts"] == [
        "Last shuffle: Refused: count short",
        "Cards in: 52 of 52",
        "Cards out: 51 of 52",
        "Shoe: Locked: count short",
    ]


def test_a_technician_keeps_the_daily_check(page, floor):
    """Each item has to be checked; it is in the list with the name at once."""
    floor.host.ledger.run(lambda db: frames.note_device(db, DEVICE, 1, board="rpi_pico2"))
    go(page, "#/maintenance", "Maintenance")
    unproved = "Do not open R1: no walk round this wheel is recorded."
    expect(page.get_by_text(unproved)).to_be_visible()
    expect(page.get_by_text("No machine has been checked yet")).to_be_visible()
    page.get_by_role("button", name="Record a daily check").click()
    dialogue = page.get_by_role("dialog")
    for item in ("Level", "Magnet", "Ball, dice or cards"):
        dialogue.get_by_label(item).select_option("ok")
    dialogue.get_by_role("button", name="Record the check").click()
    expect(dialogue).to_be_visible()  # parts were not looked at
    dialogue.get_by_label("Parts").select_option("bad")
    dialogue.get_by_label("Note").fill("One rail is loose")
    dialogue.get_by_role("button", name="Record the check").click()
    row = page.get_by_role("region", name="Daily checks").get_by_role("row").nth(1)
    expect(row).to_contain_text("R1")
    expect(row).to_contain_text("Tim")
    expect(row).to_contain_text("One rail is loose")
    expect(row.locator(".chip.bad")).to_have_text("Bad")


def test_the_evidence_of_a_round_is_drawn(page):
    """The replay of its trace agrees; the picture loads, and words say what it shows."""
    go(page, "#/round/1", "Round 1 of R1")
    expect(page.locator(".chip").get_by_text("Replay agrees")).to_be_visible()
    plot = page.get_by_role("img", name="Laps, circuits, rotor")
    expect(plot).to_be_visible()
    page.wait_for_function("() => document.querySelector('img.plot').naturalWidth > 0")
    expect(page.get_by_text("gives the same record")).to_be_visible()
    assert "bets open" in page.get_by_role("region", name="Records").inner_text()
