"""Writes docs/openapi.json from the routes: `python -m tabletools.api.openapi [--check]`.

--check writes nothing and exits 1 when the file differs from what would be written.
"""

import json
import sys
from pathlib import Path

from tabletools.api.app import document
from tabletools.generated import write_or_check

FILE = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"


def main(arguments: list[str]) -> int:
    """Write or check the document; returns the exit code."""
    text = json.dumps(document(), indent=1, ensure_ascii=False) + "\n"
    stale = "openapi: host_tools/docs/openapi.json is stale: run `make gen` and commit it"
    return write_or_check(arguments, FILE, text, stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
