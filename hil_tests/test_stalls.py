"""The model of a board whose handlers wait: times and levels by hand."""

from hil_tests.physics.stalls import QUEUE, Stalled, build

FAR = 1 << 40


class Role:
    """Takes what it is given."""

    wants = 3

    def __init__(self, config=None, sink=None):
        self.log = []

    def edge(self, sensor, level, t_us):
        self.log.append((sensor, level, t_us))

    def array(self, bits, t_us):
        self.log.append(("array", t_us))

    def tick(self, t_us):
        self.log.append(("tick", t_us))


def test_an_edge_in_a_stall_has_the_time_of_its_end_and_the_level_then():
    """A pulse of 5 ms within one of 10 ms is two edges to the same level; the step is missed."""
    role = Stalled(Role(), [50_000, FAR], 10_000)
    role.tick(0)
    role.edge(1, 1, 49_000)
    role.edge(2, 1, 52_000)
    role.edge(2, 0, 57_000)
    role.tick(58_000)
    role.array(b"", 58_000)
    role.edge(1, 0, 59_000)
    role.edge(3, 1, 61_000)
    assert role.log == [
        ("tick", 0),
        (1, 1, 49_000),
        (2, 0, 60_000),
        (2, 0, 60_030),
        (1, 0, 60_060),
        (3, 1, 61_000),
    ]
    assert role.wants == 3


def test_what_the_queue_does_not_hold_is_lost():
    """Eight handlers wait; the clock wraps in the stall."""
    start = (1 << 30) - 2_000
    role = Stalled(Role(), [1_000, FAR], 10_000)
    role.tick(start)
    for n in range(20):
        role.edge(n, 1, (start + 1_500 + n) & (1 << 30) - 1)
    role.tick(20_000)
    edges = [entry for entry in role.log if entry[0] != "tick"]
    assert edges == [(n, 1, 9_000 + 30 * n) for n in range(QUEUE)]


def test_without_stalls_the_role_is_as_it_is():
    assert type(build(Role, [], None, "seed", 0)) is Role
