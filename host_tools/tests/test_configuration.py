"""Configurations as files and as plans: what is read, refused, and in which order it is set."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablespec.config_keys import KEYS, ORDERS
from tabletools import configuration
from tabletools.errors import ToolError
from tablewire.settings import COUNT, clash, factory, is_valid

DUMP = configuration.dump(factory(), "table 7")


def refused(tmp_path, text):
    """The message a file with this text is refused with."""
    path = tmp_path / "t.toml"
    path.write_text(text)
    with pytest.raises(ToolError) as caught:
        configuration.read(path)
    return "\n".join(caught.value.lines())


def test_a_dumped_file_is_read_as_it_was(tmp_path):
    """One line a key with unit, range and meaning; reading the lines gives the same values."""
    path = tmp_path / "t.toml"
    path.write_text(DUMP)
    assert configuration.read(path) == factory()
    assert "min_circuits = 7  # circuits, 1..20: fewer void the spin" in DUMP
    assert DUMP.startswith("# table 7\nrole = 1")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("min_circuits = 7", "min_circuits = 20000", ("line 9", "1..20 circuits")),
        ("min_circuits = 7", "min_circuit = 7", ("line 9", "did you mean min_circuits")),
        ("min_circuits = 7", "# no", (f"1 of {COUNT} keys are missing: min_circuits", "= 7")),
        ("min_circuits = 7", "min_circuits = 7.5", ("7.5 is not a whole number", "line 9")),
        ("min_circuits = 7", "min_circuits = true", ("True is not a whole number", "line 9")),
        ("min_circuits = 7", "min_circuits = ", ("not a configuration file", "line 9")),
        ("rotor_min_drpm = 60", "rotor_min_drpm = 300", ("at most 299", "no rotor speed")),
        ("index_offset = 0", "index_offset = 37", ("contradicts wheel = 1", "at most 36")),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path, before, after, expected):
    """File, line, limit and next step, whatever it is."""
    assert before in DUMP
    message = refused(tmp_path, DUMP.replace(before, after))
    assert "t.toml" in message
    for words in expected:
        assert words in message


def test_nesting_without_end_is_refused(tmp_path):
    """Not an internal error: the file is not a configuration file."""
    assert "nested too deeply" in refused(tmp_path, "role = " + "[" * 5000 + "]" * 5000)


def test_what_is_no_text_is_refused(tmp_path):
    """A picture or an empty file gives a plain message."""
    path = tmp_path / "t.toml"
    path.write_bytes(b"\xff\xd8\x00")
    with pytest.raises(ToolError, match="not a text file"):
        configuration.read(path)
    with pytest.raises(ToolError, match="cannot read the file"):
        configuration.read(tmp_path / "none.toml")


def test_values_as_typed():
    """name=value; anything else is refused with the valid forms."""
    key, value = configuration.assignment("min_circuits=4")
    assert (key.name, value) == ("min_circuits", 4)
    for text, words in (
        ("min_circuits", "neither a file nor name=value"),
        ("min_circuits=four", "'four' is not a whole number"),
        ("min_circuits=20000", "min_circuits = 20000 is out of range"),
        ("circuits=4", "no configuration key named 'circuits'"),
    ):
        with pytest.raises(ToolError, match=words):
            configuration.assignment(text)


def test_a_value_waits_for_its_neighbour():
    """60..300 to 350..400 of rotor speed: the upper first; back: the lower first."""
    low = factory()
    high = list(low)
    high[18], high[19] = 350, 400
    assert [c.key.number for c in configuration.changes(low, high)] == [19, 18]
    assert [c.key.number for c in configuration.changes(high, low)] == [18, 19]
    assert [(c.before, c.after) for c in configuration.changes(high, low)] == [
        (350, 60),
        (400, 300),
    ]
    assert list(configuration.changes(low, low)) == []


_ORDERED = sorted({name for order in ORDERS for name in (order.lower, order.upper)})


@st.composite
def valid(draw):
    values = factory()
    for key in KEYS:
        if key.name in _ORDERED:
            edges = [key.low, key.high, key.default]
            values[key.number] = draw(
                st.one_of(st.sampled_from(edges), st.integers(key.low, key.high))
            )
    if clash(values) is not None:
        return factory() if draw(st.booleans()) else _mend(values)
    return values


def _mend(values):
    """Lower values brought down until none contradicts; factory values where none will do."""
    for _ in range(len(KEYS)):
        order = clash(values)
        if order is None:
            return values
        values[order[0]] = values[order[1]] - order[2]
        if values[order[0]] < KEYS[order[0] - 1].low:
            return factory()
    return values


@given(valid(), valid())
def test_every_step_of_a_plan_is_valid(now, wanted):
    """From any configuration to any other: each step is accepted, the last is what was wanted."""
    values = list(now)
    for change in configuration.changes(now, wanted):
        assert values[change.key.number] == change.before != change.after
        values[change.key.number] = change.after
        assert is_valid(values)
    assert values == wanted
