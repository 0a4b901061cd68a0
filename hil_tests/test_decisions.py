"""What is decided, against what physically happened: many spins, the decisions alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hil_tests.decisions import BEYOND, decided_table
from hil_tests.thinned import share, thinned
from tableemulator import fault_catalogue, play_session
from tableemulator.machines.roulette.croupier import RouletteTable, Spin, SpinPlan
from tableemulator.machines.roulette.physical_wheel import ORDERS, POCKET_SENSORS, Geometry
from tableemulator.machines.roulette.roulette_faults import FAULTS, fits, weak_throw
from tablewire import codes, roulette
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver

WRAP_US = 2**30
HEALTHY_SPINS = share(40, 3)
KEYLESS = [fault for fault in FAULTS if not fault.keyed]
KINDS = [(wheel, sensor) for wheel in ORDERS for sensor in POCKET_SENSORS]
kinds = pytest.mark.parametrize(("wheel", "sensor"), KINDS)


def said(spin: Spin, geometry: Geometry) -> str | None:
    """Return the reported number, None for a void; number and index must be of one pocket."""
    if spin.reason is not None:
        return None
    number, index = spin.ended.values[:2]
    printed = "00" if number == 37 else str(number)
    assert geometry.order[index] == printed
    return printed


class Heard:
    """Listens to a table. frames: what it sent; stamped: the same as (time, bytes)."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.stamped: list[tuple[int, bytes]] = []
        self._receiver = Receiver()

    def __call__(self, when: int, direction: str, data: bytes) -> None:
        if direction == "<":
            self.stamped.append((when, data))
            self.frames += self._receiver.feed(data)

    def values(self, ident: int) -> list[tuple[int, ...]]:
        """Return the values of all frames of that kind."""
        return [frame.values for frame in self.frames if frame.type == ident]


# --- faults ---------------------------------------------------------------------------------


def test_only_known_faults_are_beyond():
    """What the decisions alone cannot show is in the catalogue, each with the reason why."""
    known = {fault.name for fault in fault_catalogue.CATALOGUE}
    assert set(BEYOND) <= known
    assert all(BEYOND.values())


RIMS = (*((*kind, 2) for kind in KINDS), ("single", "head", 3), ("double", "both", 4))


@pytest.mark.parametrize(("wheel", "sensor", "rims"), RIMS)
@pytest.mark.parametrize("seed", thinned([1, 2], 2))
@pytest.mark.one_in(2)
def test_every_fault_gives_its_code(wheel: str, sensor: str, rims: int, seed: int) -> None:
    """One after the other at one table, mended in between; then a healthy spin."""
    table = decided_table(Geometry(wheel, sensor, rim_sensors=rims), f"faults {seed}")
    wrong = []
    for fault in FAULTS:
        if fault.name in BEYOND or not fits(table.geometry, fault):
            continue
        spin = play_session.play(table, fault)
        if spin.reason != fault.reason or fault.code not in (spin.reason, *spin.faults):
            wrong.append((fault.name, spin.reason, spin.faults))
    assert wrong == []
    spin = table.spin()
    assert said(spin, table.geometry) == spin.pocket is not None


# --- numbers --------------------------------------------------------------------------------


def spin_on(table: RouletteTable, spins: int) -> None:
    """Play healthy spins; each number is the truth, its circuits and directions are."""
    for _ in range(spins):
        spin = table.spin()
        assert said(spin, table.geometry) == spin.pocket is not None
        centi, ball, rotor = spin.ended.values[4:7]
        assert 7.0 <= centi / 100 <= spin.circuits
        assert (ball, rotor) == (spin.ball_direction, spin.rotor_direction)


@kinds
@pytest.mark.parametrize("noise", ["healthy", "worn"])
def test_healthy_spins_give_the_true_number(wheel: str, sensor: str, noise: str) -> None:
    """Both wheels, each pocket sensor, good and worn sensor lines."""
    spin_on(decided_table(Geometry(wheel, sensor), "numbers", noise=noise), HEALTHY_SPINS // 2)


BUILT: list[dict[str, float]] = [
    {"clockwise": False},
    {"index_offset": 11},
    {"index_offset": 36, "clockwise": False},
    {"head_deg": 0.0},
    {"head_deg": 33.3, "rim_2_deg": 60.0},
    {"head_deg": 359.9, "rim_2_deg": 120.0},
    {"rim_2_deg": 30.0},
    {"rim_2_deg": 150.0},
    {"rim_sensors": 3},
    {"rim_sensors": 3, "rim_2_deg": 100.0, "rim_3_deg": 225.0},
    {"rim_sensors": 4},
    {"rim_sensors": 4, "rim_3_deg": 170.0, "clockwise": False},
]


@pytest.mark.parametrize(
    ("built", "wheel", "sensor"),
    thinned([(built, *kind) for built in BUILT for kind in KINDS], 5),
    ids=str,
)
def test_wheels_built_otherwise_give_the_true_number(
    built: dict[str, float], wheel: str, sensor: str
) -> None:
    """Reading direction, place of the index magnet, of the head and of two to four rim sensors.

    Each with one kind of wheel in six or two, in turn; `make soak` plays all of them.
    """
    geometry = replace(Geometry(wheel, sensor), **built)
    spin_on(decided_table(geometry, "built"), 2)


def test_fewer_circuits_where_the_rule_asks_for_fewer() -> None:
    """Five to six circuits: a number where four are asked for, a short spin where seven are."""
    for circuits, reason in ((4, None), (7, roulette.SHORT_SPIN)):
        table = decided_table(Geometry(), "weak", changed={"min_circuits": circuits})
        for _ in range(5):
            spin = table.spin(weak_throw)
            assert spin.reason == reason
            assert reason or said(spin, table.geometry) == spin.pocket


# --- time -----------------------------------------------------------------------------------


def sent(geometry: Geometry, start_us: int) -> list[tuple[int, bytes]]:
    """Return what a table sends in a healthy and a faulty spin, with times."""
    heard = Heard()
    table = decided_table(geometry, "wrap", start_us=start_us, listen=heard)
    table.spin()
    table.spin(fault_catalogue.find("tilt").inject)
    assert 50_000_000 < table.now_us < 120_000_000
    return heard.stamped


@pytest.mark.parametrize("sensor", POCKET_SENSORS)
def test_the_clock_may_wrap_at_any_moment(sensor: str) -> None:
    """The 30-bit clock wraps in every phase of two spins: the same bytes at the same times."""
    geometry = Geometry("double", sensor)
    expected = sent(geometry, 0)
    assert len(expected) > 10
    for wrap_s in thinned(range(1, 50, 3), 3):
        assert sent(geometry, WRAP_US - wrap_s * 1_000_000) == expected, wrap_s


# --- rounds ---------------------------------------------------------------------------------


def test_bets_close_by_lap_time_where_the_ball_does_not_close_them() -> None:
    """close_on_ball off: 8 s or more after the launch, before the drop, in every healthy spin."""
    heard = Heard()
    table = decided_table(Geometry(), 5, changed={"close_on_ball": 0}, listen=heard)
    spin_on(table, 4)
    closed = heard.values(m.BETS_CLOSED)
    assert [cause for cause, _ in closed] == [m.CLOSE_CAUSE_LAP_TIME] * 4
    # The ball is thrown 5.5 to 9 s after the opening and needs about as long to slow to 1 s a lap.
    assert all(12_000 < open_ms < 25_000 for _, open_ms in closed)


def nobody_throws(plan: SpinPlan) -> None:
    """Let the croupier pick up the ball and keep it."""
    plan.throw = None


def test_bets_close_after_the_maximum_time_and_the_launch_failed() -> None:
    """A minute of bets, a minute without a ball; then the table plays on."""
    heard = Heard()
    table = decided_table(Geometry(), 6, listen=heard)
    assert table.spin(nobody_throws).reason == roulette.LAUNCH_FAILED
    assert heard.values(m.BETS_CLOSED) == [(m.CLOSE_CAUSE_TIMEOUT, 60_000)]
    assert heard.values(m.ROUND_VOID)[0][:3] == (roulette.LAUNCH_FAILED, m.PHASE_NO_MORE_BETS, 255)
    spin_on(table, 1)


@pytest.mark.parametrize(
    ("close_on_ball", "wheel", "sensor"),
    thinned([(closes, *kind) for closes in (0, 1) for kind in KINDS], 5),
)
def test_each_round_opens_closes_and_ends_once(
    close_on_ball: int, wheel: str, sensor: str
) -> None:
    """Rounds in order, each opened, closed, then decided or void, whatever befalls the spin."""
    heard = Heard()
    changed = {"close_on_ball": close_on_ball}
    table = decided_table(Geometry(wheel, sensor), 8, changed=changed, listen=heard)
    for fault in (None, *KEYLESS[::3], None):
        play_session.play(table, fault)
    rounds = reported_by_round(heard.frames)
    assert len(rounds) == len(KEYLESS[::3]) + 2
    for round_number, (opened, *closed, ended) in enumerate(rounds, 1):
        assert {opened.round, *(frame.round for frame in closed), ended.round} == {round_number}
        assert opened.type == m.ROUND_OPENED
        assert ended.type in (roulette.WHEEL_RESULT, m.ROUND_VOID)
        # What ended by a power cut may not have come to close its bets.
        cut = ended.values[0] == codes.SYSTEM_INTERRUPTION and ended.type == m.ROUND_VOID
        assert [frame.type for frame in closed] == [m.BETS_CLOSED] or (cut and not closed)


def reported_by_round(frames: list[Frame]) -> list[list[Frame]]:
    """Split the reports of rounds after each result and void; a round still open is left out."""
    rounds: list[list[Frame]] = [[]]
    for frame in frames:
        if frame.type in (m.ROUND_OPENED, m.BETS_CLOSED, roulette.WHEEL_RESULT, m.ROUND_VOID):
            rounds[-1].append(frame)
        if frame.type in (roulette.WHEEL_RESULT, m.ROUND_VOID):
            rounds.append([])
    return rounds[:-1]
