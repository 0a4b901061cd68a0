"""Requests drawn from the description of the API: such as it accepts, and such as it does not."""

import re

from host_tools.tests.described import DOCUMENT

MOST_ROW = 2**63 - 1
TEXTS = (
    "a", "17", "EUR", "A-1", "dealer", "Zoë", "two words", "a\nb", "\u202eabc", "😀😀", "red",
    "x" * 40, "x" * 41, "x" * 60, "x" * 64, "x" * 65, "x" * 100, "x" * 101, "x" * 200, "x" * 201,
    "x" * 500, "x" * 501, "", "\x00", "a\x00b", "\x1b[31m",
)  # fmt: skip
"""Texts at the limits of lengths, and with characters that some fields do not accept."""
NUMBERS = (
    0, 1, -1, 2, 20, 21, 100, 200, 201, 500, 501, 2**31, 2**32 - 1, 2**32, MOST_ROW, 2**63,
    -(2**63), -(2**63) - 1, 2**200,
)  # fmt: skip
STRANGE = (None, True, 1.5, "1", [], {}, [None], {"a": 1})


def resolve(schema):
    """A schema, and not a reference to it."""
    while "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def fits(schema, value):
    """Whether a value is as its schema says: JSON Schema, as far as the API uses it."""
    schema = resolve(schema)
    if "anyOf" in schema:
        return any(fits(each, value) for each in schema["anyOf"])
    if "enum" in schema and value not in schema["enum"]:
        return False
    kind = schema.get("type")
    if kind == "integer":
        is_whole = type(value) is int
        return is_whole and schema.get("minimum", value) <= value <= schema.get("maximum", value)
    if kind == "string":
        return (
            isinstance(value, str)
            and schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 10**6)
            and re.search(schema.get("pattern", ""), value) is not None
        )
    if kind == "array":
        size = len(value) if isinstance(value, list) else -1
        is_long = schema.get("minItems", 0) <= size <= schema.get("maxItems", 10**6)
        return is_long and all(fits(schema.get("items", {}), each) for each in value)
    if kind == "object":
        return isinstance(value, dict) and _object_fits(schema, value)
    types = {"boolean": bool, "null": type(None), None: object}
    return isinstance(value, types[kind])


def _object_fits(schema, value):
    known = schema.get("properties", {})
    more = schema.get("additionalProperties", True)
    others = [value[name] for name in value if name not in known]
    are_others_right = (
        all(fits(more, each) for each in others) if isinstance(more, dict) else more or not others
    )
    least, most = schema.get("minProperties", 0), schema.get("maxProperties", 10**6)
    is_small = least <= len(value) <= most
    return (
        is_small
        and are_others_right
        and set(schema.get("required", ())) <= set(value)
        and all(fits(known[name], value[name]) for name in value if name in known)
    )


def drawn(schema, random):
    """A value of a schema."""
    schema = resolve(schema)
    if "anyOf" in schema:
        return drawn(random.choice(schema["anyOf"]), random)
    if "enum" in schema:
        return random.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        return _drawn_object(schema, random)
    if kind == "array":
        least = schema.get("minItems", 0)
        count = random.randint(least, min(least + 3, schema.get("maxItems", least + 3)))
        return [drawn(schema.get("items", {}), random) for _ in range(count)]
    limits = [schema[name] for name in ("minimum", "maximum") if name in schema]
    pool = (*TEXTS, *NUMBERS, *STRANGE, True, False, *limits)
    return random.choice([each for each in pool if fits(schema, each)])


def _drawn_object(schema, random):
    required = schema.get("required", ())
    document = {
        name: drawn(each, random)
        for name, each in schema.get("properties", {}).items()
        if name in required or random.random() < 0.5
    }
    for pattern, each in schema.get("patternProperties", {}).items():
        if schema.get("minProperties") or random.random() < 0.5:
            [name, *_] = [name for name in ("a", "1") if re.search(pattern, name)]
            document[name] = drawn(each, random)
    more = schema.get("additionalProperties")
    if isinstance(more, dict) and random.random() < 0.5:
        document["a"] = drawn(more, random)
    return document


def spoilt(schema, value, random):
    """A value that its schema does not accept, by one field; None if there is none of these."""
    schema = resolve(schema)
    if not isinstance(value, dict):
        wrong = [each for each in (*NUMBERS, *TEXTS, *STRANGE) if not fits(schema, each)]
        return random.choice(wrong) if wrong else None
    ways = [value | {"no_such_field": 1}] if schema.get("additionalProperties") is False else []
    for name, each in schema.get("properties", {}).items():
        if name in schema.get("required", ()):
            ways.append({key: value[key] for key in value if key != name})
        for other in (*NUMBERS, *TEXTS, *STRANGE):
            if not fits(each, other):
                ways.append(value | {name: other})
    return random.choice(ways) if ways else None
