"""Bounds of a host's knowledge of a table, against a model of two clocks and a hostile line."""

from itertools import count
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from tabletools.link.freshness import Freshness
from tablewire.messages import BETS_CLOSED, FLAG_RETRANSMITTED, HEARTBEAT, STATE

MS, S = 1_000_000, 1_000_000_000
WRAP = 1 << 32


class SentFrame(NamedTuple):
    """A frame as far as its age is concerned."""

    counter: int
    uptime_ms: int
    echo: int
    echo_ms: int
    type: int = HEARTBEAT
    flags: int = 0
    device: int = 7
    boot: int = 3
    values: tuple = (1,)


class Device:
    """The model: a clock with its rate, the newest token and when it came. at_ns: host time."""

    def __init__(self, ppm=0, zero_ms=0):
        self.rate_ppm, self.zero_ns, self.stepped_ns = ppm, zero_ms * MS, 0
        self.counter = 0
        self.token, self.token_ms = 0, 0

    def shows_ns(self, at_ns):
        return self.zero_ns + at_ns + at_ns * self.rate_ppm // 1_000_000 + self.stepped_ns

    def shows_ms(self, at_ns):
        return self.shows_ns(at_ns) // MS % WRAP

    def hears(self, token, at_ns):
        self.token, self.token_ms = token, self.shows_ms(at_ns)

    def says(self, at_ns, kind=HEARTBEAT):
        self.counter += 1
        now_ms = self.shows_ms(at_ns)
        waited = (now_ms - self.token_ms) % WRAP if self.token else 65535
        return SentFrame(self.counter, now_ms, self.token, min(waited, 65535), kind)


def host():
    return Freshness(new_token=count(1).__next__)


def known_at(fresh):
    return None if fresh.known is None else fresh.known.at_ns


def reading(fresh, at_ns):
    return None if fresh.known is None else fresh.known.shows(at_ns)


def is_within(span, shown_ms):
    width = (span.latest_ms - span.earliest_ms) % WRAP
    return (shown_ms - span.earliest_ms) % WRAP <= width


# When things happen, what, and how long the line keeps it; None: it is lost.
EVENTS = st.lists(
    st.tuples(
        st.integers(0, 900),
        st.sampled_from(["beacon", "says", "says", "opens"]),
        st.lists(st.integers(0, 20_000), max_size=2),
    ),
    min_size=1,
    max_size=60,
)


@given(EVENTS, st.integers(-500, 500), st.integers(0, WRAP - 1))
def test_no_line_makes_the_host_believe_more_than_is_so(events, ppm, zero_ms):
    """However frames are delayed, dropped, doubled and reordered, nothing is taken as too fresh.

    The state is no newer than the newest frame, and the clock is within its bounds.
    """
    fresh, device = host(), Device(ppm, zero_ms)
    line, now, place = [], 0, count()
    for pause_ms, what, ways in events:
        now += pause_ms * MS + 1
        if what == "beacon":
            token = fresh.beacons.due(now)
            sent = None if token is None else ("token", token, 0)
        else:
            kind = HEARTBEAT if what == "says" else BETS_CLOSED
            sent = ("frame", kind, 0)
        if sent is not None:
            line.append((now, next(place), sent, ways))
    queue = []
    for at_ns, order, (what, content, _), ways in line:
        if what == "token":
            queue += [(at_ns + way * MS, order, "hears", content, None) for way in ways]
        else:
            queue.append((at_ns, order, "says", content, ways))
    newest = -1
    while queue:
        queue.sort(key=lambda each: each[:2])
        at_ns, order, what, content, ways = queue.pop(0)
        if what == "hears":
            device.hears(content, at_ns)
        elif what == "says":
            frame = device.says(at_ns, content)
            queue += [(at_ns + way * MS, order, "comes", (at_ns, frame), None) for way in ways]
        else:
            emitted, frame = content
            bound = fresh.beacons.emitted_after(frame.echo, frame.echo_ms)
            assert bound is None or bound <= emitted
            assert fresh.take(frame, at_ns) == 0
            newest = max(newest, emitted) if frame.type == HEARTBEAT else newest
            assert known_at(fresh) is None or known_at(fresh) <= newest
        span = reading(fresh, at_ns)
        assert span is None or is_within(span, device.shows_ms(at_ns))


@given(
    st.lists(st.tuples(*[st.integers(0, 200)] * 2, st.integers(0, 80)), min_size=40, max_size=80),
    st.integers(-500, 500),
)
def test_an_honest_line_is_never_stale(ways, ppm):
    """200 ms of jitter each way, in order; the table checks its link every 80 ms and sends
    a frame every 250 ms: after the first answers nothing is older than 1 s."""
    fresh, device = host(), Device(ppm, 5_000)
    arrivals, heard = [], []
    out_at = back_at = 0
    for number, (out_ms, back_ms, look_ms) in enumerate(ways):
        now = number * 250 * MS
        token = fresh.beacons.due(now)
        out_at = max(out_at, now + (out_ms + look_ms) * MS)
        heard.append((out_at, token))
        back_at = max(back_at, now + back_ms * MS)
        arrivals.append((now, back_at))
    oldest = 0
    for now, arrives in arrivals:
        while heard and heard[0][0] <= now:
            device.hears(heard.pop(0)[1], now)
        frame = device.says(now)
        if now > S:  # the moment before it comes is the one with the oldest knowledge
            oldest = max(oldest, fresh.known.age_ns(arrives - 1))
            assert not fresh.is_stale(arrives - 1)
        assert fresh.take(frame, arrives) == 0
    assert oldest <= 1 * S


@given(st.integers(-500, 500), st.integers(-5_000, 5_000), st.integers(0, 150))
def test_a_step_of_more_than_the_interval_is_seen(ppm, step_ms, way_ms):
    """Its size is reported to the width of the interval; then the host follows the clock again."""
    fresh, device = host(), Device(ppm, 1_000_000)
    steps = []
    for number in range(1, 40):
        now = number * 250 * MS
        if number == 30:
            device.stepped_ns = step_ms * MS
        device.hears(fresh.beacons.due(now), now + way_ms * MS)
        frame = device.says(now + way_ms * MS)
        steps.append(fresh.take(frame, now + 2 * way_ms * MS))
    width_ms = 2 * way_ms + 8
    if abs(step_ms) > 2 * width_ms:
        assert any(steps)
    if any(steps):
        assert steps.index(next(filter(None, steps))) == 29
        assert abs(sum(steps) - step_ms * MS) <= 2 * width_ms * MS
        assert is_within(reading(fresh, now), device.shows_ms(now))


def test_a_clock_that_drifts_too_fast_is_seen():
    """At 5,000 ppm within a minute; at 500 ppm never (the property above)."""
    fresh, device = host(), Device(5_000)
    steps = []
    for number in range(240):
        now = number * 250 * MS
        device.hears(fresh.beacons.due(now), now + 20 * MS)
        steps.append(fresh.take(device.says(now + 20 * MS), now + 40 * MS))
    assert any(step > 0 for step in steps)


def talk(fresh, device, now):
    """A token out and a heartbeat back, at once."""
    device.hears(fresh.beacons.due(now), now)
    return device.says(now)


def test_what_proves_nothing():
    """Repeats, frames no newer than one before, unknown tokens, a lower boot, records."""
    fresh, device = host(), Device()
    first = talk(fresh, device, 0)
    assert (fresh.is_stale(0), fresh.known) == (True, None)
    fresh.take(first, 0)
    known = known_at(fresh)
    assert known == 0
    later = talk(fresh, device, 1 * S)
    for frame in (
        later._replace(flags=FLAG_RETRANSMITTED),
        later._replace(counter=first.counter),
        later._replace(counter=9, echo=999),
        later._replace(counter=10, echo=0),
        later._replace(counter=11, echo_ms=65535),
        later._replace(counter=12, boot=2),
        later._replace(counter=13, type=BETS_CLOSED),
    ):
        assert fresh.take(frame, 1 * S) == 0
        assert known_at(fresh) == known
    assert (fresh.known.age_ns(1 * S), fresh.is_stale(1 * S)) == (1 * S, False)
    assert fresh.is_stale(1 * S + 1)
    fresh.take(later._replace(counter=14, type=STATE), 1 * S)
    assert fresh.known.age_ns(1 * S) == 0


def test_a_new_boot_begins_again():
    """Its clock begins at 0, its counter at 1; a frame of the boot before counts for nothing."""
    fresh, device = host(), Device(zero_ms=1_000_000)
    fresh.take(talk(fresh, device, 0), 0)
    before = talk(fresh, device, 1 * S)
    again = Device()
    assert fresh.take(talk(fresh, again, 2 * S)._replace(boot=4), 2 * S) == 0
    assert fresh.known[:2] == (7, 4)
    span = reading(fresh, 3 * S)
    assert span.earliest_ms <= 3_000 <= span.latest_ms
    assert fresh.take(before, 3 * S) == 0
    assert fresh.known[:2] == (7, 4)


def test_the_clock_of_a_device_wraps():
    """After 2^32 ms it shows 0: no step, and a reading on either side is right."""
    fresh, device = host(), Device(zero_ms=WRAP - 1_000)
    for second in range(4):
        assert fresh.take(talk(fresh, device, second * S), second * S) == 0
    span = reading(fresh, 3 * S)
    assert is_within(span, 2_000)
    assert (span.middle_ms, span.uncertainty_ms <= 3) == (2_000, True)
    before, after = fresh.known.host_ns(WRAP - 500)
    assert before <= 500 * MS <= after


def test_a_heartbeat_of_a_phase_not_known_here_says_nothing():
    """This host cannot determine whether bets are open in it."""
    fresh, device = host(), Device()
    fresh.take(talk(fresh, device, 0)._replace(values=()), 0)
    assert (known_at(fresh), fresh.known.offset is None) == (None, False)


def test_tokens_go_out_every_250_ms():
    """And at once on another port; they are no numbers that can be guessed."""
    beacons = Freshness().beacons
    tokens = [beacons.due(ms * MS) for ms in (0, 229, 230, 459, 460)]
    assert [token is None for token in tokens] == [False, True, False, True, False]
    beacons.restart()
    tokens.append(beacons.due(501 * MS))
    sent = [token for token in tokens if token is not None]
    assert len(set(sent)) == 4
    assert all(1 <= token < 1 << 30 for token in sent)
    assert beacons.emitted_after(sent[0], 100) <= 100 * MS
    beacons.due(40 * S)
    assert beacons.emitted_after(sent[0], 100) is None
