"""What happens to a shuffle: cards that stick, hands, a lid, dust, a line without room.

Each plays one shuffle of a machine; what is true afterwards is where its cards lie.
"""

from __future__ import annotations

from collections.abc import Callable

from hil_tests.physics.shuffler import Machine, Stopped
from tablewire import shuffler as words

IN, OUT = words.INPUT_GATE_IN, words.INPUT_GATE_OUT


def healthy(machine: Machine) -> None:
    """A whole deck, once; the rollers are no longer as fast as card_ms was calibrated with."""
    machine.build.speed *= machine.rng.uniform(0.8, 1.2)
    machine.shuffle()


def twice(machine: Machine) -> None:
    """Two passes; between them a card is taken, added, or none."""
    machine.shuffle()
    machine.tray, machine.out = machine.out, []
    _change(machine)
    machine.wait(2_000.0)
    machine.shuffle()


def _change(machine: Machine) -> None:
    # A card less, a card more, or neither.
    step = machine.rng.choice((-1, 0, 1))
    if step < 0:
        machine.tray.pop()
    elif step:
        machine.tray.append(0)


def wrong_deck(machine: Machine) -> None:
    """A card is missing or there is one too many."""
    while len(machine.tray) == machine.cards:
        _change(machine)
    machine.shuffle()


def two_at_once(machine: Machine) -> None:
    """Two go in together, overlapping by anything, and are parted inside."""
    _change(machine)
    overlap = machine.rng.uniform(0.02, 0.98)
    machine.in_overlaps[machine.rng.randrange(40)] = overlap
    machine.shuffle()


def extra_under(machine: Machine) -> None:
    """One too many, and two that overlap by 60 to 97 % all the way."""
    machine.tray.append(0)
    place, overlap = machine.rng.randrange(40), machine.rng.uniform(0.60, 0.97)
    machine.in_overlaps[place] = machine.out_overlaps[machine.rng.randrange(40)] = overlap
    machine.shuffle()


def torn(machine: Machine) -> None:
    """A piece of a card is missing, so that 20 to 95 % of it are left."""
    machine.torn[machine.rng.randrange(machine.cards)] = machine.rng.uniform(0.20, 0.95)
    machine.shuffle()


def stuck_together(machine: Machine) -> None:
    """One too many, and two that stick together by more than half all the way."""
    machine.tray.append(0)
    overlap = machine.rng.uniform(0.5, 1.0)
    machine.in_overlaps[machine.rng.randrange(40)] = overlap
    machine.out_overlaps[machine.rng.randrange(40)] = overlap
    machine.shuffle()


def pulled_back(machine: Machine) -> None:
    """A hand draws a card back out of a gate, and it passes again; one is missing, or not."""
    rng, build = machine.rng, machine.build
    _change(machine)
    gate = rng.choice((IN, OUT))

    def hand() -> None:
        machine.cover(gate, rng.uniform(3.0, build.length), rng.uniform(0.1, 1.0))
        machine.t += rng.uniform(20.0, 900.0)

    (machine.in_hands if gate == IN else machine.out_hands)[rng.randrange(45)] = hand
    machine.shuffle()


def jam(machine: Machine) -> None:
    """A card stops in a gate, alone or with the next, and goes on by itself; one is missing."""
    rng, build = machine.rng, machine.build
    if rng.random() < 0.5:
        machine.tray.pop()
    gate = rng.choice((IN, OUT))
    stands = rng.choice((rng.uniform(20.0, 1_400.0), rng.uniform(1_480.0, 1_560.0), 12_000.0))
    is_stalled = rng.random() < 0.5
    count = rng.choice((1, 2))

    def hand() -> None:
        source, target = machine.tray, machine.inside
        if gate == OUT:
            source, target = machine.inside, machine.out
        if is_stalled:
            machine.current(build.stalls)
        machine.cover(gate, build.length, build.length / (build.length / build.speed + stands))
        machine.current(build.works)
        target += source[:count]
        del source[:count]
        machine.free(20.0)

    (machine.in_hands if gate == IN else machine.out_hands)[rng.randrange(45)] = hand
    machine.shuffle()


def clear_jam(machine: Machine) -> None:
    """It jams for good; a hand opens the lid, takes the cards out, and keeps one or none."""
    rng, build = machine.rng, machine.build
    gate = rng.choice((IN, OUT))

    def stop() -> None:
        machine.switch(gate, 1)
        machine.current(rng.choice((build.stalls, build.works)))
        machine.wait(rng.uniform(200.0, 6_000.0))
        machine.current(120.0)
        machine.switch(words.INPUT_LID, 1)
        machine.t += rng.uniform(200.0, 2_000.0)
        machine.switch(gate, 0)
        machine.tray += machine.inside
        machine.inside.clear()
        if rng.random() < 0.5:
            machine.tray.pop()
        machine.t += rng.uniform(200.0, 3_000.0)
        machine.switch(words.INPUT_LID, 0)
        machine.switch(words.INPUT_READY, 1, 100.0)
        raise Stopped

    (machine.in_hands if gate == IN else machine.out_hands)[rng.randrange(45)] = stop
    machine.shuffle()


def _take(machine: Machine, opens: float) -> None:
    # The lid is open for a moment, and a card is gone, or only looked at.
    rng = machine.rng
    machine.switch(words.INPUT_LID, 1)
    machine.t += opens
    stacks = [cards for cards in (machine.tray, machine.inside, machine.out) if cards]
    if rng.random() < 0.7:
        rng.choice(stacks).pop()
    machine.switch(words.INPUT_LID, 0)


def lid(machine: Machine) -> None:
    """It is opened during a pass or after it, or its wire is cut, and a card is gone, or not."""
    rng = machine.rng
    where, place, opens = rng.randrange(3), rng.randrange(45), rng.uniform(250.0, 4_000.0)
    if where < 2:
        hands = (machine.in_hands, machine.out_hands)[where]
        hands[place] = lambda: _take(machine, opens)
        machine.shuffle()
    else:
        machine.shuffle()
        _take(machine, opens)
    machine.wait(2_000.0)


def no_room(machine: Machine) -> None:
    """The journal has no room when the pass is over; the lid is opened until it has."""
    rng = machine.rng
    machine.sink.has_room = False
    machine.shuffle()
    if rng.random() < 0.5:
        machine.out.pop()
        machine.cover(IN, machine.build.length)  # in passing
    else:
        _take(machine, rng.uniform(250.0, 2_000.0))
    machine.wait(rng.uniform(1_200.0, 4_000.0))
    machine.sink.has_room = True
    machine.wait(1_000.0)


def dust(machine: Machine) -> None:
    """Beams flicker at every second edge or more; the deck is whole, or not."""
    _change(machine)
    machine.dust = machine.rng.uniform(0.3, 1.0)
    machine.shuffle()


def ready_early(machine: Machine) -> None:
    """The machine says that it is ready while its last cards come out; one may be missing."""
    rng = machine.rng
    _change(machine)

    def ready() -> None:
        machine.switch(words.INPUT_READY, 1)
        machine.t += rng.uniform(0.0, 900.0)

    machine.out_hands[machine.cards - rng.randrange(1, 8)] = ready
    machine.shuffle()


def fed_again(machine: Machine) -> None:
    """One is missing, and a hand lays one that came out back into the tray that goes in."""
    rng = machine.rng
    machine.tray.pop()

    def again() -> None:
        machine.tray.append(machine.out.pop())
        machine.cover(IN, machine.build.length)
        machine.inside.append(machine.tray.pop())

    machine.out_hands[rng.randrange(5, 45)] = again
    machine.shuffle()


KINDS: dict[str, Callable[[Machine], None]] = {
    "healthy": healthy,
    "healthy, spread not calibrated": healthy,
    "two passes": twice,
    "wrong deck": wrong_deck,
    "two at once": two_at_once,
    "stuck together": stuck_together,
    "two overlap by 60 to 97 %": extra_under,
    "one torn": torn,
    "pulled back": pulled_back,
    "jam": jam,
    "jam cleared": clear_jam,
    "lid": lid,
    "no room": no_room,
    "dust": dust,
    "ready early": ready_early,
    "fed again": fed_again,
}
