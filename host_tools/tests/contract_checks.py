"""What Schemathesis cannot know of the API: a hook and checks that contract.toml loads."""

import json

import schemathesis
from jsonschema import Draft202012Validator

PROOF_CODES = {"body_unreadable", "csrf", "origin"}


@schemathesis.hook
def map_body(_context, body):
    """Write whole numbers without a point: 8.0 is an integer of JSON Schema, and no money here."""
    return whole(body)


def whole(value):
    """A value with its integral floats as integers."""
    if isinstance(value, dict):
        return {name: whole(each) for name, each in value.items()}
    if isinstance(value, list):
        return [whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@schemathesis.check
def form_of_a_described_request(_context, response, case):
    """A request as it is described is never refused for its form or its proofs."""
    is_positive = case.meta is not None and case.meta.generation.mode.is_positive
    # A link that was inferred carries on the null of an alarm that is of no table.
    places = map(str, (case.path_parameters or {}).values())
    if is_positive and "None" not in places and response.status_code in (400, 403, 422):
        problem = response.json()
        is_of_form = "errors" in problem or problem["code"] in PROOF_CODES
        assert not is_of_form, f"a request as described was refused: {response.text}"


@schemathesis.check
def allow_of_a_refused_method(_context, response, case):
    """405 lists the methods that are described, and no other (RFC 9110, 15.5.6)."""
    if response.status_code == 405:
        described = {name.upper() for name in case.operation.schema[case.operation.path]}
        [allow] = response.headers["allow"]
        assert set(allow.split(", ")) == described, f"Allow: {allow}"


@schemathesis.check
def data_of_stream_events(_context, response, case):
    """The data of an event fits its contentSchema, which validators ignore."""
    if response.headers.get("content-type", [""])[0].startswith("text/event-stream"):
        content = case.operation.definition.raw["responses"]["200"]["content"]
        data = content["text/event-stream"]["itemSchema"]["properties"]["data"]
        lines = response.text.splitlines()
        events = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
        assert events, "a stream without an event"
        for event in events:
            Draft202012Validator(data["contentSchema"]).validate(json.loads(event))
