"""A running host feeds the sinks its settings name."""

import json

import pytest

from host_tools.tests.pit import Pit
from host_tools.tests.served import until
from tabletools.cli.event_sinks import feeding, sinks_of
from tabletools.errors import ToolError
from tabletools.pit.settings import Settings


def test_a_host_feeds_its_sinks(tmp_path):
    """A round is played while it runs: its three events are in the file, under its source."""
    file = tmp_path / "events.jsonl"
    pit = Pit(str(tmp_path / "ledger"))
    settings = Settings(events_file=str(file), events_source="urn:r1")
    with feeding(pit.ledger, settings, lambda event, facts: None) as sinks:
        pit.play(1, 17, (pit.ada, "red", 500))
        until(lambda: sinks.feeds[0].status.sent == 3)
    pit.ledger.close()
    events = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(one["source"], one["subject"]) for one in events] == [("urn:r1", "round/1")] * 3


def test_settings_name_sinks(tmp_path):
    """Without options none; a broker, two addresses and a file, each with a distinct name."""
    assert sinks_of(Settings()) == []
    secrets = tmp_path / "secrets"
    secrets.write_text("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
    sinks = sinks_of(
        Settings(
            mqtt="mqtt://broker.house",
            mqtt_prefix="floor",
            events_file="/events.jsonl",
            webhooks=("https://a.example/x", "https://b.example/"),
            webhook_secrets=str(secrets),
        )
    )
    assert [sink.name for sink in sinks] == [
        "mqtt:broker.house:1883/floor",
        "webhook:https://a.example/x",
        "webhook:https://b.example/",
        "file:/events.jsonl",
    ]


@pytest.mark.parametrize(
    "wrong", [{"mqtt": "broker"}, {"webhooks": ("https://a.example/",)}, {"webhooks": ("x",)}]
)
def test_a_sink_that_cannot_be_is_refused(wrong):
    """No scheme, no secrets, no address: an error before any table is held."""
    with pytest.raises(ToolError):
        sinks_of(Settings(**wrong))
