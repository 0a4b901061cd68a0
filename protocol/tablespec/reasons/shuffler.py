"""800 to 899: a card shuffler and its shoe.

How each is cleared: by a complete, verified shuffle once its cause is measured gone; the five
that make the deck itself suspect (801 to 803, 813, 815) only by a declared replacement, which
after all but a manual shoe needs the verified shuffle as well.
"""

from tablespec.reasons.shape import Reason

_C1 = "hc2023 3:1(7); hc2011 3:1(7): replaced, the round void but for bets won or lost"
_COUNT = f"{_C1}; COMAR 36.05.03.27 C: a deck with a wrong count leaves the table"
_MACHINE = f"{_C1}; GLI-29: a jam, a stall or an open door stops the dealing"
_DECLARE = "then declare the replacement of deck, shuffler or shoe"
_SHUFFLE = "it clears with the next complete, verified shuffle"

REASONS: tuple[Reason, ...] = (
    Reason(
        801, "count_short", "fault", 2,
        "A pass counted fewer cards than the deck has.",
        f"Search machine, tray and floor for the missing card; exchange the deck, {_DECLARE}.",
        _COUNT,
    ),
    Reason(
        802, "count_long", "fault", 2,
        "A pass counted more cards than the deck has.",
        f"Sort the deck and take out what is too many, or exchange it, {_DECLARE}.",
        _COUNT,
    ),
    Reason(
        803, "gates_disagree", "fault", 2,
        "The gates counted different numbers of cards in one pass.",
        f"Look for a card inside the machine; check both gates; count the deck, {_DECLARE}.",
        _COUNT,
    ),
    Reason(
        804, "double_feed", "fault", 2,
        "A gate was covered much longer than by one card: two at once, or one that slipped.",
        f"Shuffle again; {_SHUFFLE}. If it repeats, change worn cards, then the feed rollers.",
        _MACHINE,
    ),
    Reason(
        805, "jam_in", "fault", 2,
        "A card stands in gate in.",
        f"Take the card out, count the deck, shuffle again; {_SHUFFLE}.",
        _MACHINE,
    ),
    Reason(
        806, "jam_inside", "fault", 2,
        "A card went in, and for too long none moved: it stands between the gates.",
        f"Open the machine, take all cards out, count, shuffle again; {_SHUFFLE}.",
        _MACHINE,
    ),
    Reason(
        807, "jam_out", "fault", 2,
        "A card stands in gate out.",
        f"Take the card out, count the deck, shuffle again; {_SHUFFLE}.",
        _MACHINE,
    ),
    Reason(
        808, "motor_stalled", "fault", 3,
        "The motor drew more current than it may: it is blocked or its bearing is dry.",
        f"Free the rollers, then shuffle again; {_SHUFFLE}. Else replace the shuffler.",
        _MACHINE,
    ),
    Reason(
        809, "lid_open", "fault", 2,
        "The service lid of the shuffler was opened.",
        f"Count the deck, close the lid, shuffle again; {_SHUFFLE}.",
        _MACHINE,
    ),
    Reason(
        810, "gate_dirty", "fault", 3,
        "A card gate flickers: too few of its edges are clean. It was warned of by gate_worn.",
        f"Clean emitter and receiver of the gate, shuffle again; {_SHUFFLE}.",
        "25 CFR 547.8: no play with a fault that affects the outcome",
    ),
    Reason(
        811, "unfinished", "fault", 2,
        "A shuffle began and the machine did not become ready again.",
        f"Look for cards left in the tray and at its power, shuffle again; {_SHUFFLE}.",
        _MACHINE,
    ),
    Reason(
        812, "shuffler_link_lost", "fault", 3,
        "The shuffler's serial line has been silent for two seconds.",
        f"Check plug and power of the shuffler; once it is heard, {_SHUFFLE}.",
        _MACHINE,
    ),
    Reason(
        813, "passes_disagree", "fault", 2,
        "The second pass counted another number of cards than the first.",
        f"Count the deck by hand; clean the gates, {_DECLARE}.",
        _COUNT,
    ),
    Reason(
        814, "shuffler_failed", "fault", 3,
        "The shuffler says itself that it failed, by its fault line or its serial line.",
        f"Do as its display says; once it says so no more, {_SHUFFLE}. Else replace it.",
        _C1,
    ),
    Reason(
        815, "foreign_passage", "fault", 2,
        "What passed a gate was too short for a card, or too close behind one.",
        f"Look for a torn card or a foreign object; exchange the deck, {_DECLARE}.",
        _COUNT,
    ),
    Reason(
        816, "not_verified", "fault", 2,
        "No complete, verified shuffle is known since the controller or another shuffler began.",
        f"Shuffle; {_SHUFFLE}. Or declare a manual shoe.",
        "GLI-29; requirements 27: a deck is locked until it is verified",
    ),
    Reason(
        817, "shuffler_replaced", "void", 2,
        "A replacement was declared while the round was open.",
        "Settle what is decided, give the other stakes back, go on with the replacement.",
        _C1,
    ),
)  # fmt: skip
