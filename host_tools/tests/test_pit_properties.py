"""Invariants in every order of events: a page's folded state is the state; no file is a defect."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tabletools.errors import ToolError
from tabletools.pit.live import MOST_EVENTS, LiveTable
from tabletools.pit.settings import HOST, TABLE
from tabletools.pit.settings_file import read

NAMES = ("phase", "progress", "bets_open")
SAID = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 3), max_size=3)
# The next step: the table sends an event, or the reader leaves and returns.
STEPS = st.lists(st.one_of(SAID, st.sampled_from(("leave", "return"))), max_size=60)


class Still:
    def wall_ns(self):
        return 0


class Page:
    """Folds events as a page does. state: None before the first."""

    def __init__(self, live):
        self.live = live
        self.state = None
        self.last = ""
        self.is_here = False

    def take(self, event):
        self.last = event.id
        if event.kind == "snapshot":
            self.state = dict(event.data["state"])
        else:
            self.state |= event.data["changed"]

    def come(self):
        if not self.is_here:
            self.is_here = True
            for event in self.live.listen(self.take, self.last):
                self.take(event)

    def leave(self):
        if self.is_here:
            self.is_here = False
            self.live.leave(self.take)


@given(STEPS)
def test_a_page_that_comes_and_goes_sees_the_state(steps):
    """Whatever was sent while it was away, it now has the current state."""
    live = LiveTable(dict.fromkeys(NAMES, 0), "run", Still())
    page = Page(live)
    for step in steps:
        if step == "leave":
            page.leave()
        elif step == "return":
            page.come()
        else:
            live.say(**step)
        assert not page.is_here or page.state == live.facts
    page.come()
    assert page.state == live.facts


@settings(max_examples=5)
@given(st.integers(MOST_EVENTS - 2, MOST_EVENTS + 2))
def test_a_page_that_was_away_for_long_sees_the_state(count):
    """At the edge of what is kept, too."""
    live = LiveTable({"progress": 0}, "run", Still())
    page = Page(live)
    page.come()
    page.leave()
    for number in range(1, count + 1):
        live.say(progress=number)
    page.come()
    assert page.state == {"progress": count}


VALUES = st.one_of(
    st.integers(-(2**70), 2**70), st.booleans(), st.text(max_size=5), st.just("[]"), st.floats()
)
KEYS = st.sampled_from([setting.name for setting in (*HOST, *TABLE)] + ["table", "x", "a.b"])


def as_text(value):
    """A value as TOML, or nearly."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value != "[]":
        return f'"{value}"'
    return str(value)


LINES = st.lists(
    st.one_of(
        st.sampled_from(["[[table]]", "[table]", "[table.limits]", "", "# x"]),
        st.builds(lambda name, value: f"{name} = {as_text(value)}", KEYS, VALUES),
    ),
    max_size=12,
)


def refusal_of(path):
    """Why a file is refused, None if it is not."""
    try:
        read(path)
    except ToolError as error:
        return error
    return None


@given(LINES)
def test_every_file_is_read_or_refused_with_its_place(tmp_path_factory, lines):
    """Never a defect: a mistake is named with the file."""
    path = tmp_path_factory.getbasetemp() / "host.toml"
    path.write_text("\n".join(lines), encoding="utf-8", newline="\n")
    error = refusal_of(path)
    assert error is None or (error.where.startswith(str(path)) and error.what)
