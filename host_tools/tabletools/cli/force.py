"""The option `--force` of the commands that write a file."""

from typing import Annotated

import typer

ForceOption = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]
