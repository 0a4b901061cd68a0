"""`tabletool diag bundle`: one file for support."""

import json
from pathlib import Path
from typing import Annotated

import typer

from tabletools.cli.diag import asking
from tabletools.cli.talk import KeysOption, PortArgument, talking
from tabletools.diag.bundle import Recording
from tabletools.diag.bundle import bundle as assembled
from tabletools.errors import ToolError

BUNDLE = """\b
Examples:
  tabletool diag bundle /dev/ttyACM0 support.json
"""


def bundle(
    port: PortArgument,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")],
    keys: KeysOption = None,
) -> None:
    """Write one support file of a table: who it is, how it is set, what it told, never a key.

    Identity, configuration, counters, checks, last events, the bytes on the line meanwhile and
    the versions of this program. Read it before you send it: it is JSON.
    """
    recording = Recording(port)
    with talking(port, keys, record=recording.note) as talk:
        found = asking.self_test(talk, 0)
        checks = asking.sensors(talk, found)
        checks += asking.of_table(talk, faults_told=found.refused is None)
        values = talk.configuration()
        identity = asking.identity(talk)
        events = [f"{event.clock} {event.text}" for event in talk.view.events]
    content = assembled(identity, values, checks, events, recording.text())
    try:
        out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        what = f"cannot write the bundle: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=str(out), step="name a file you may write") from error
    print(f"{out}: {out.stat().st_size} bytes, no key in it")
