"""The coding of a trace is lossless: any edges, ticks and reads come back as recorded."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hil_tests.thinned import share
from tablelogic.core.ticks import MASK
from tablelogic.core.trace import Trace
from tabletools.replay.trace_events import Analog, Edge, Read, Reader, Tick

# Tokens the recorder writes itself (PROTOCOL.md, "Traces").
END, ANALOG = 0xFE, 0xC1
SIZE = 1 << 16

# Times of edges: bursts, the pace of a ring, a pause, and late ones that come before a tick.
steps = st.one_of(
    st.integers(0, 600),
    st.integers(26_000, 28_000),
    st.integers(-50_000, 50_000),
    st.integers(-(2**28), 2**28),
)
edges = st.tuples(st.just("edge"), st.integers(0, 9), st.integers(0, 1), steps)
ticks = st.tuples(
    st.just("tick"),
    st.one_of(
        st.just(40_000),
        st.integers(30, 60).map(lambda ms: ms * 1000),
        st.integers(1, 100_000),
        st.integers(-(2**28), 2**28),
    ),
    st.integers(0, 1),
)


def written(start_us, recorded):
    """Return the bytes of what was reported, and what a reader must find."""
    trace = Trace(bytearray(SIZE))
    trace.tick_us = event_us = start_us
    trace.start()
    data = []
    for what, *more in recorded:
        if what == "edge":
            sensor, level, step = more
            event_us = (event_us + step) & MASK
            trace.edge(sensor * 2 + level, event_us)
            data.append(Edge(event_us, sensor, level))
        elif what == "analog":
            trace.flush()
            trace.put(ANALOG)
            trace.number(more[0])
            data.append(Analog(trace.tick_us, more[0]))
        else:
            if more[1]:
                data.append(Read(trace.tick_us, bytes(5)))
            trace.tick((trace.tick_us + more[0]) & MASK, more[1])
            data.append(Tick(trace.tick_us))
    trace.flush()
    trace.put(END)
    return bytes(trace.buf[: trace.length]), tuple(data)


@settings(max_examples=share(600, 3), deadline=None)
@given(
    st.one_of(st.integers(0, MASK), st.integers(MASK - 200_000, MASK)),
    st.lists(st.one_of(edges, ticks), max_size=80),
)
def test_whatever_is_reported_comes_back(start_us, recorded):
    """In order and to the microsecond, across the wrap of the clock at 2^30."""
    data, expected = written(start_us, recorded)
    reader = Reader(data, 0)
    assert reader.events(start_us) == (expected, False)
    reader.verify_end()


@settings(max_examples=share(200, 3), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 20), st.booleans(), st.integers(1, 39_999)), max_size=9))
def test_any_pause_before_an_edge_comes_back(pauses):
    """So many ticks as foreseen, the converter read anew or not, then an edge before the next."""
    recorded, event_us, tick_us = [], 0, 0
    for ticks_before, is_read, after_us in pauses:
        recorded += [("tick", 40_000, 0)] * ticks_before
        tick_us += 40_000 * ticks_before
        recorded += [("analog", 64)] * is_read
        recorded.append(("edge", 0, 1, tick_us + after_us - event_us))
        event_us = tick_us + after_us
        recorded.append(("tick", 40_000, 0))
        tick_us += 40_000
    data, expected = written(0, recorded)
    assert Reader(data, 0).events(0) == (expected, False)


@settings(max_examples=share(200, 3), deadline=None)
@given(
    st.integers(0, MASK),
    st.integers(20_000, 40_000),
    st.lists(st.integers(-300, 300), min_size=40, max_size=120),
    st.sets(st.integers(0, 119)),
)
def test_a_ring_that_loses_edges_comes_back(start_us, gap_us, jitter_us, lost):
    """A and B in quadrature with ticks between, some edges missing."""
    recorded, since_us, next_us = [], 0, 40_000
    now_us = 0
    for n, off in enumerate(jitter_us):
        now_us += gap_us + off
        while next_us < now_us:
            recorded.append(("tick", 40_000, n & 1))
            next_us += 40_000
        since_us += gap_us + off
        if n not in lost:
            recorded.append(("edge", n & 1, n >> 1 & 1, since_us))
            since_us = 0
    data, expected = written(start_us, recorded)
    assert Reader(data, 0).events(start_us) == (expected, False)


@settings(max_examples=share(300, 3), deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_give_events_or_an_error(data):
    """Nothing else happens to a reader that is given nonsense."""
    try:
        Reader(data, 0).events(0)
    except (IndexError, ValueError):
        return
    assert END in data or 0xFD in data
