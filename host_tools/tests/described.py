"""Check every response that a test receives against the API description."""

import json
import re
from functools import cache
from pathlib import Path

from jsonschema import Draft202012Validator

DOCUMENT = json.loads(
    (Path(__file__).resolve().parents[1] / "docs" / "openapi.json").read_text(encoding="utf-8")
)
PROBLEM = "application/problem+json"
JSON_KINDS = ("application/json", PROBLEM)


@cache
def _patterns():
    """Path as a pattern, for every path; those without a name in them first."""
    paths = sorted(DOCUMENT["paths"], key=lambda path: ("{" in path, path))
    return [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + "$"), path) for path in paths]


def operation(method, path):
    """The operation of a request, None for a path that is not described."""
    for pattern, name in _patterns():
        if pattern.match(path):
            return DOCUMENT["paths"][name].get(method.lower())
    return None


def schema_of(described, status):
    """The schema of an answer; that of a problem for a status that is not named."""
    answers = described["responses"]
    content = answers.get(str(status), answers["default"]).get("content", {})
    return next(iter(content.values()), {}).get("schema")


def verify(response):
    """Raise unless an answer is as it is described."""
    kind = response.headers.get("content-type", "")
    described = operation(response.request.method, response.request.url.path)
    if described is None:
        return
    if response.status_code == 204:
        assert "204" in described["responses"]
        assert response.read() == b""
    elif kind in JSON_KINDS:
        schema = schema_of(described, "default" if kind == PROBLEM else response.status_code)
        assert schema, (response.request.method, response.request.url.path, response.status_code)
        response.read()
        whole = {"components": DOCUMENT["components"], **schema}
        Draft202012Validator(whole).validate(response.json())
