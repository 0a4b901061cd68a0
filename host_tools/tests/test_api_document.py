"""docs/openapi.json: whole, of one piece, and what the routes say."""

import json

import pytest
from jsonschema import Draft202012Validator

from host_tools.tests.described import DOCUMENT
from tabletools.api import openapi
from tabletools.api.app import document


def every(document, wanted):
    """Every value of a key, anywhere."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key == wanted:
                yield value
            yield from every(value, wanted)
    elif isinstance(document, list):
        for value in document:
            yield from every(value, wanted)


def operations():
    return [
        (method, path, described)
        for path, methods in DOCUMENT["paths"].items()
        for method, described in methods.items()
    ]


def test_it_is_what_the_routes_say():
    """The committed file is that of this release; `make check` verifies it too."""
    assert json.loads(json.dumps(document())) == DOCUMENT
    assert DOCUMENT["openapi"].startswith("3.1")


def test_every_schema_is_one_and_every_reference_leads_somewhere():
    """JSON Schema 2020-12, which OpenAPI 3.1 takes over."""
    schemas = DOCUMENT["components"]["schemas"]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    references = {reference.rpartition("/") for reference in every(DOCUMENT, "$ref")}
    assert {folder for folder, _, _ in references} == {"#/components/schemas"}
    assert {name for _, _, name in references} <= set(schemas)


@pytest.mark.parametrize(("method", "path", "described"), operations())
def test_an_operation_is_described(method, path, described):
    """Each operation has a distinct name, a summary, parameters, responses and its errors."""
    named = {part[1:-1] for part in path.split("/") if part.startswith("{")}
    parameters = described.get("parameters", [])
    assert {each["name"] for each in parameters if each["in"] == "path"} == named
    assert described["description"]
    assert [other["operationId"] for _, _, other in operations()].count(
        described["operationId"]
    ) == 1
    no = described["responses"]["default"]["content"]["application/problem+json"]["schema"]
    assert no == {"$ref": "#/components/schemas/Problem"}
    [status] = [code for code in described["responses"] if code in ("200", "201", "204", "303")]
    assert (status in ("204", "303")) != ("content" in described["responses"][status])
    books = path.startswith(("/v1/bets", "/v1/slips", "/v1/calls")) and method != "get"
    keys = [each for each in parameters if each["name"] == "Idempotency-Key"]
    once = (
        "deposits",
        "payouts",
        "adjustments",
        "/decision",
        "ruling",
        "stakes-end",
        "/layout",
        "/hands",
        "/cash-transfers",
        "/day-closes",
    )
    assert bool(keys) == (books or (method == "post" and path.endswith(once)))


def test_the_file_is_checked(monkeypatch, tmp_path, capsys):
    """A stale file is an error of `make check`, and `make gen` writes it."""
    monkeypatch.setattr(openapi, "FILE", tmp_path / "openapi.json")
    monkeypatch.setattr(openapi, "document", lambda: DOCUMENT)
    assert openapi.main(["--check"]) == 1
    assert "is stale" in capsys.readouterr().out
    assert openapi.main([]) == 0
    assert openapi.main(["--check"]) == 0
