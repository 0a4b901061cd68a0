"""Codes for fields that are wrong before any rule of a game applies."""

from tabletools.rules.violation import Code

WRONG_TYPE = Code(
    "wrong_type",
    "The type of a field is not the one in the schema.",
    "send the field as the schema has it: pockets as text, faces and cents as integers",
)
MISSING_FIELD = Code("missing_field", "A field is missing.", "add the field")
UNKNOWN_FIELD = Code("unknown_field", "A field is not known.", "remove the field")
INVALID_TEXT = Code(
    "invalid_text",
    "A text is empty, longer than 200 characters or not valid Unicode.",
    "send 1 to 200 characters",
)

FIELD_CODES: tuple[Code, ...] = (WRONG_TYPE, MISSING_FIELD, UNKNOWN_FIELD, INVALID_TEXT)
