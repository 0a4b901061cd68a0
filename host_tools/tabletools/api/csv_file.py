"""The answer with a file for a spreadsheet."""

from typing import Any

from fastapi import Response

DESCRIBED: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "The file."}
}


def answer(name: str, text: str) -> Response:
    """Return CSV as a file with a name, in UTF-8 with a byte order mark."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(
        text.encode("utf-8-sig"), media_type="text/csv; charset=utf-8", headers=headers
    )
