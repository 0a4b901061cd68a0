"""What happens to a draw: by neighbours, air, readers and hands, at most one thing each."""

from __future__ import annotations

from collections.abc import Callable

from hil_tests.physics import balls
from hil_tests.physics.ball_draw import BALLS, CLOSES_MS, MIX_MS, OPENS_MS, SET, Draw
from hil_tests.physics.balls import Ball, Tag
from tablewire import draw_machine as words


def healthy(draw: Draw) -> None:
    """Twenty balls, one by one; the air is no longer as it was calibrated."""
    draw.way.build.air *= draw.rng.uniform(0.8, 1.3)


def call_bingo(draw: Draw) -> None:
    """A player has won, by the last ball or the one before; another may be on its way."""
    rng = draw.rng

    def call() -> None:
        count = len(draw.sink.outcome.displayed)
        draw.counts = count - rng.randrange(2)
        assert draw.order(words.END_DRAW, draw.counts) == 0

    draw.schedule(rng.uniform(20_000.0, 40_000.0), call)


def _strike(draw: Draw, act: Callable[[Ball], None]) -> None:
    draw.strikes[draw.rng.randrange(1, draw.count - 1)] = act


def pair(draw: Draw) -> None:
    """Two leave the chamber touching; the air is as when ball_ms was calibrated, or stronger."""
    draw.way.build.air *= draw.rng.uniform(1.0, 1.5)

    def strike(ball: Ball) -> None:
        other = draw.rise(behind=2 * draw.way.build.radius)
        other.v, other.air = ball.v, ball.air * draw.rng.uniform(0.95, 1.1)

    _strike(draw, strike)


def pair_one_tag(draw: Draw) -> None:
    """Two leave the chamber, at most a few mm apart, and no reader reads the tag of one."""
    rng = draw.rng
    draw.way.build.air *= rng.uniform(0.8, 1.5)

    def strike(ball: Ball) -> None:
        other = draw.rise(behind=2 * draw.way.build.radius + rng.uniform(0.0, 6.0))
        other.v, other.air = ball.v, ball.air * rng.uniform(0.97, 1.05)
        rng.choice((ball, other)).mute = True

    _strike(draw, strike)


def close_behind_one_tag(draw: Draw) -> None:
    """Another follows soon after, and no reader reads the tag of one."""
    rng = draw.rng

    def strike(ball: Ball) -> None:
        ball.mute = rng.random() < 0.5

        def follow() -> None:
            draw.rise().mute = not ball.mute

        draw.schedule(rng.uniform(10.0, 2_500.0), follow)

    _strike(draw, strike)


def close_behind(draw: Draw) -> None:
    """Another follows before the first is read, or soon after."""
    _strike(draw, lambda ball: draw.schedule(draw.rng.uniform(10.0, 2_500.0), draw.rise))


def _push_back(draw: Draw, ball: Ball) -> None:
    # The one behind falls back once the first is out of the gate.
    build = draw.way.build
    other = draw.rise(behind=2 * build.radius)
    other.v, other.air = ball.v, ball.air * 1.05
    turns = build.outer + build.chord + draw.rng.uniform(-6.0, 4.0)

    def hand(other: Ball) -> None:
        if ball.x > turns:
            other.air = -1.5

    other.hand = hand


def neighbour_falls_back(draw: Draw) -> None:
    """One leaves, pushed by one that falls back; a hand takes it out of the tube."""

    def strike(ball: Ball) -> None:
        _push_back(draw, ball)
        draw.held.append(ball.tag)

    _strike(draw, strike)


def early(draw: Draw) -> None:
    """One leaves while bets are open or balls are mixed, alone or pushed by one that stays."""
    rng = draw.rng
    draw.odd = True

    def leave() -> None:
        ball = draw.rise()
        if rng.random() < 0.7:
            _push_back(draw, ball)

    draw.schedule(rng.uniform(OPENS_MS + 100.0, CLOSES_MS + MIX_MS - 500.0), leave)


def falls_back(draw: Draw) -> None:
    """One turns round anywhere on its way, for good or for a moment."""
    build, rng = draw.way.build, draw.rng
    turns = rng.choice((rng.uniform(-15.0, 40.0), rng.uniform(-15.0, build.stop - 10.0)))
    to = turns - rng.uniform(5.0, 150.0) if rng.random() < 0.5 else -1_000.0

    def strike(ball: Ball) -> None:
        forth = ball.air

        def hand(ball: Ball) -> None:
            if ball.air > 0 and ball.x > turns:
                ball.air = -forth
            elif ball.air < 0 and ball.x < to:
                ball.air, ball.hand = forth, None

        ball.hand = hand

    _strike(draw, strike)


def stops(draw: Draw) -> None:
    """One stops anywhere for up to four seconds, and goes on by itself or pushed."""
    build, rng = draw.way.build, draw.rng
    place = rng.choice(
        (
            rng.uniform(-15.0, 40.0),
            build.exit_reader + rng.uniform(-60.0, 60.0),
            rng.uniform(0.0, build.stop - 5.0),
        )
    )
    takes = rng.uniform(60.0, 4_000.0)
    _strike(draw, lambda ball: _hold(draw, ball, place, lambda: takes))


def _hold(
    draw: Draw, ball: Ball, place: float, begins: Callable[[], float], v: float = 0.0
) -> None:
    """Hold a ball from a place on; begins: when it gets there, returns for how long, ms. v: with
    which it is let go."""
    until = 0.0

    def hand(ball: Ball) -> None:
        nonlocal until
        if ball.x < place:
            return
        until = until or draw.way.t + begins()
        ball.v = 0.0
        if draw.way.t > until:
            ball.hand, ball.held, ball.v = None, False, v

    ball.hand = hand


def reader(draw: Draw) -> None:
    """One misses a ball, reads it twice or wrong, or restarts."""
    way, rng = draw.way, draw.rng
    which, what = rng.choice((way.at_exit, way.at_tube)), rng.randrange(4)

    def strike(ball: Ball) -> None:
        when = rng.uniform(100.0, 1_800.0)
        if what == 0:
            which.blind = True
            draw.schedule(2_500.0, lambda: setattr(which, "blind", False))
        elif what == 1:
            draw.schedule(when, lambda: which.read(which.last))
        elif what == 2:
            draw.schedule(when, which.restart)
        else:
            draw.schedule(when, lambda: setattr(which, "last", Tag(rng.randint(0, BALLS), SET)))

    _strike(draw, strike)


def not_of_the_set(draw: Draw) -> None:
    """A number that came before, one the game does not have, or a tag of another set."""
    rng = draw.rng

    def strike(ball: Ball) -> None:
        draw.held.append(ball.tag)
        draw.spoiled = True
        ball.tag = rng.choice(
            (draw.way.rested[0], Tag(rng.randint(BALLS + 1, 254), SET), Tag(ball.tag.number, 9))
        )

    _strike(draw, strike)


def laid_in(draw: Draw) -> None:
    """A hand pushes a ball into the tube, past a reader or both, between balls or beside one."""
    build, rng = draw.way.build, draw.rng
    place = rng.choice((build.outer + 30.0, build.exit_reader - 60.0, build.tube - 40.0))

    def lay() -> None:
        draw.spoiled = True
        spare = Tag(rng.randint(1, BALLS), SET)
        ball = Ball(spare, place, rng.uniform(0.2, 1.0), build.air)
        draw.way.balls.append(ball)

    _strike(draw, lambda ball: draw.schedule(rng.uniform(0.0, 2_700.0), lay))


def _exchange(draw: Draw, place: float) -> None:
    def strike(ball: Ball) -> None:
        def exchange() -> float:
            takes = draw.rng.uniform(300.0, 1_500.0)
            draw.spoiled = ball.held = True
            ball.tag = draw.rng.choice(draw.chamber)
            return takes

        _hold(draw, ball, place, exchange, 0.3)

    _strike(draw, strike)


def exchanged_before(draw: Draw) -> None:
    """A hand exchanges a ball between the gate and the reader behind it."""
    build = draw.way.build
    _exchange(draw, build.outer + build.chord + 5.0)


def exchanged_behind(draw: Draw) -> None:
    """A hand exchanges a ball between the readers."""
    build = draw.way.build
    _exchange(draw, draw.rng.uniform(build.exit_reader + 60.0, build.tube))


def lid(draw: Draw) -> None:
    """It is opened in the round and a ball taken; or later, while the balls are counted."""
    rng = draw.rng
    opens = rng.uniform(150.0, 3_000.0)

    def open_lid() -> None:
        draw.odd = draw.spoiled = True
        draw.switch(words.INPUT_LID, 1)
        draw.switch(words.INPUT_LID, 0, opens)
        draw.schedule(rng.uniform(20.0, opens), draw.take)

    draw.schedule(rng.uniform(OPENS_MS, 12_000.0), open_lid)


def count_lid(draw: Draw) -> None:
    """It is opened, the balls are counted and declared, and then one is taken."""
    draw.odd = True

    def count() -> None:
        draw.switch(words.INPUT_LID, 1)
        draw.run(draw.now + 2_000.0)
        draw.order(words.DECLARE_BALLS, len(draw.chamber))
        draw.take()
        draw.switch(words.INPUT_LID, 0)
        draw.run(draw.now + 2_500.0)

    draw.after = count


def count_jam(draw: Draw) -> None:
    """A ball rests in the gate while the balls are counted with it; then it is taken away."""

    def hand(ball: Ball) -> None:
        if ball.x > -10.0:
            ball.v, ball.held = 0.0, True

    def count() -> None:
        draw.order(words.DECLARE_BALLS, len(draw.chamber) + len(draw.way.balls))
        draw.run(draw.now + 500.0)
        for ball in draw.way.balls:
            ball.x, ball.v = -200.0, 0.01
        draw.run(draw.now + 2_000.0)

    draw.after = count
    _strike(draw, lambda ball: setattr(ball, "hand", hand))


def blind_beam(draw: Draw) -> None:
    """One sees nothing for a while, in which a ball leaves, before its time or not."""
    rng, dead = draw.rng, draw.way.dead
    beam = rng.choice((balls.INNER, balls.OUTER, balls.TUBE))

    def blind() -> None:
        draw.odd = True
        dead.add(beam)
        draw.schedule(2_000.0, dead.clear)

    if rng.random() < 0.5:
        when = rng.uniform(OPENS_MS, CLOSES_MS + MIX_MS - 500.0)
        draw.schedule(when, blind)
        draw.schedule(when + 40.0, draw.rise)
    else:
        _strike(draw, lambda ball: blind())


def blown_out(draw: Draw) -> None:
    """A ball is blown out of the return and lost; one of the others is not recalled either."""
    rng = draw.rng

    def blow() -> None:
        draw.odd = draw.spoiled = True
        draw.take()
        draw.roll_in(None)
        draw.held += draw.way.rack[:1]

    draw.schedule(rng.uniform(OPENS_MS, 18_000.0), blow)


def no_ball_returns(draw: Draw) -> None:
    """A ball is not recalled, and a finger is in the return instead."""

    def strike(ball: Ball) -> None:
        draw.held.append(ball.tag)

    _strike(draw, strike)
    draw.after = lambda: draw.roll_in(None)


KINDS: dict[str, Callable[[Draw], None]] = {
    "healthy": healthy,
    "called": call_bingo,
    "two touch": pair,
    "two touch, one tag": pair_one_tag,
    "close behind": close_behind,
    "close behind, one tag": close_behind_one_tag,
    "neighbour falls back": neighbour_falls_back,
    "early": early,
    "falls back": falls_back,
    "stops": stops,
    "reader": reader,
    "not of the set": not_of_the_set,
    "laid in by hand": laid_in,
    "exchanged at the gate": exchanged_before,
    "exchanged between readers": exchanged_behind,
    "lid": lid,
    "lid open while counted": count_lid,
    "jam while counted": count_jam,
    "blind beam": blind_beam,
    "blown out of the return": blown_out,
    "no ball in the return": no_ball_returns,
}
