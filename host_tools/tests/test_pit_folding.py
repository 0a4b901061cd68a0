"""What watchers are told of a table: cards and balls of the round, what each machine says."""

import pytest

from tabletools.pit.folding import Folding

SEEN = {"seal": "verified", "boot": 3}


def card(place, text, use="round"):
    index = place if use == "round" else None
    return {**SEEN, "type": "card_dealt", "round_index": index, "card": text, "use": use,
            "shoe_index": 100 + place}  # fmt: skip


def opened(wheel):
    return {**SEEN, "type": "round_opened", "round": 9, "wheel": wheel}


def test_cards_lie_in_the_order_of_the_round():
    """A record that is repeated lies once; a burned card and those of the round before do not."""
    table = Folding()
    table.take(card(1, "KS"))
    assert table.take(opened("shoe"))["lying"] == []
    for told in (card(1, "8C"), card(9, "2D", "burned"), card(2, None), card(1, "8C")):
        found = table.take(told)
    assert found["lying"] == ["8C", "??"]
    assert found["machine"]["shoe"] == {"left": 101}


def test_balls_lie_in_the_order_of_the_draw():
    """As they came out, not by number."""
    table = Folding()
    table.take(opened("balls"))
    for place, number in ((1, 71), (2, 4)):
        told = {**SEEN, "type": "ball_drawn", "place": place, "number": number}
        found = table.take(told)
    assert found["lying"] == ["71", "4"]


@pytest.mark.parametrize(
    ("kind", "shown_as", "told"),
    [
        ("money_wheel_result", "stop",
         {"pays": 20, "segment": 12, "revolutions_centi": 612, "pushes": 1}),
        ("throw_evidence", "throw", {"held_ms": 900, "hits": 0, "reason": "no_wall"}),
        ("shoe_told", "shoe", {"event": "new", "cards": 416, "left": 0}),
        ("balls_counted", "balls", {"inside": 80, "expected": 80, "counted_by": "host"}),
    ],
)  # fmt: skip
def test_the_newest_word_of_a_machine_is_kept(kind, shown_as, told):
    """Of each kind of record, beside those of other kinds."""
    table = Folding()
    table.take({**SEEN, "type": "shoe_changed", "shoe": "locked", "reason": None,
                "replacement": None})  # fmt: skip
    table.take({**SEEN, "type": kind, **dict.fromkeys(told, 1)})
    found = table.take({**SEEN, "type": kind, **told, "other": 1})["machine"]
    assert found[shown_as] == told
    assert set(found) == {"lock", shown_as}
