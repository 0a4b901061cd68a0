"""`tabletool diag bundle`: one file for support."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from tabletools.cli.diag import asking
from tabletools.cli.force import ForceOption
from tabletools.cli.report import JsonOption, say
from tabletools.cli.table_client import KeysOption, PortArgument, connected_client
from tabletools.diag.support_file import Recording
from tabletools.diag.support_file import bundle as assembled
from tabletools.private_file import NewFile

BUNDLE = """\b
Examples:
  tabletool diag bundle /dev/ttyACM0 support.json
"""


def bundle(
    port: PortArgument,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")],
    keys: KeysOption = None,
    force: ForceOption = False,
    _json: JsonOption = False,
) -> None:
    """Write a support file of a table: identity, configuration, checks; never a key.

    Identity, configuration, counters, checks, last events, the bytes on the line during the checks
    and the versions of this program. Read it before you send it: it is JSON.
    """
    recording = Recording(port)
    with NewFile(out, force=force) as file:
        content = _content(port, keys, recording)
        file.write(json.dumps(content, indent=1) + "\n")
    size = out.stat().st_size
    say(f"{out}: {size} bytes, no key in it", file=str(out), bytes=size)


def _content(port: str, keys: Path | None, recording: Recording) -> dict[str, Any]:
    with connected_client(port, keys, record=recording.note) as client:
        test = asking.self_test(client, 0)
        checks = asking.sensors(client, test)
        checks += asking.of_table(client, faults_reported=test.refused is None)
        values = client.configuration()
        identity = asking.identity_record(client)
        events = [f"{event.clock} {event.text}" for event in client.view.events]
    return assembled(identity, values, checks, events, recording.text())
