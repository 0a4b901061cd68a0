"""`tabletool release`: key pair, image and manifest of a release, signature, verification."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tabletools import release as r
from tabletools.cli.command_group import CommandGroup
from tabletools.cli.force import ForceOption
from tabletools.cli.report import JsonOption, say
from tabletools.errors import ToolError
from tabletools.private_file import verify_free

KEYGEN = """\b
Examples:
  tabletool release keygen house
"""
MAKE = """\b
Examples:
  tabletool release make mip.json --board boards/rpi_pico2/board.py \
--image pico2 --out pico2.json
  tabletool release make mip.json --board boards/rpi_pico2/board.py \
--image pico2 --out pico2.json --compiled armv7m
"""
SIGN = """\b
Examples:
  tabletool release sign pico2.json --key house.key
"""
VERIFY = """\b
Examples:
  tabletool release verify pico2.json --key house.pub --image pico2
"""

ManifestOption = typer.Option("--manifest", metavar="FILE", help="The signed manifest.")
PublicOption = typer.Option("--key", metavar="FILE", help="Public key of its signer.")


class Processor(StrEnum):
    """Processor of a board, as the cross-compiler names it."""

    armv7m = "armv7m"
    armv6m = "armv6m"
    xtensawin = "xtensawin"


release = typer.Typer(
    cls=CommandGroup, help="Make, sign and verify releases of the firmware.", rich_markup_mode=None
)


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.add_typer(release, name="release", epilog=VERIFY)


@contextmanager
def checked(file: Path) -> Iterator[None]:
    """Convert errors of a release into ToolError."""
    try:
        yield
    except r.ReleaseError as error:
        raise ToolError(error.what, step=error.step) from error
    except OSError as error:
        raise ToolError(
            f"cannot open the file: {(error.strerror or str(error)).lower()}",
            where=str(error.filename or file),
            step="check the name",
        ) from error


def public_key(manifest: Path, key: Path) -> r.Manifest:
    """The manifest, its signature verified. Raises ReleaseError, OSError."""
    return r.read(manifest, r.read_public(key))


@release.command("keygen", epilog=KEYGEN)
def keygen(
    name: Annotated[Path, typer.Argument(metavar="NAME", help="Makes NAME.key and NAME.pub.")],
    _json: JsonOption = False,
) -> None:
    """Make the key pair that signs releases. Keep the .key away from every table."""
    with checked(name):
        private, public = r.make_keys(name)
    text = f"{private}: private, mode 0600; {public}: public, for every host"
    say(text, private=str(private), public=str(public))


@release.command("make", epilog=MAKE)
def make(
    package: Annotated[Path, typer.Argument(metavar="PACKAGE", help="mip.json.")],
    board: Annotated[Path, typer.Option("--board", metavar="FILE", help="board.py of the board.")],
    image: Annotated[
        Path, typer.Option("--image", metavar="FOLDER", help="New folder for the files.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The manifest.")],
    processor: Annotated[
        Processor | None,
        typer.Option("--compiled", help="Packages as .mpy files, for Pico 2, Pico, ESP32-S3."),
    ] = None,
    force: ForceOption = False,
    _json: JsonOption = False,
) -> None:
    """Collect the files for a board, and list them with sizes and SHA-256.

    Copy the image unchanged: `mpremote cp -r FOLDER/. :`. Any other file on the flash is reported
    as a difference later.
    """
    verify_free(out, force=force)
    with checked(package):
        sources = r.image_of(package, board)
        files = sources if processor is None else r.compiled(sources, None, processor.value)
        manifest = r.manifest_of(files, sources)
        r.write_image(files, image)
        r.write(out, manifest)
    size, count = sum(file.size for file in manifest.files), len(manifest.files)
    text = f"release {manifest.release} ({manifest.version}): {count} files, {size} bytes"
    say(text, release=manifest.release, version=manifest.version, files=count, bytes=size)


@release.command("sign", epilog=SIGN)
def sign(
    manifest: Annotated[Path, typer.Argument(metavar="MANIFEST", help="Made by release make.")],
    key: Annotated[Path, typer.Option("--key", metavar="FILE", help="The private key.")],
    _json: JsonOption = False,
) -> None:
    """Sign a manifest, in place."""
    with checked(manifest):
        unsigned = r.read(manifest, None)
        r.write(manifest, unsigned, r.sign(unsigned, r.read_private(key)))
    say(f"release {unsigned.release} signed", release=unsigned.release, is_signed=True)


@release.command("verify", epilog=VERIFY)
def verify(
    manifest: Annotated[Path, typer.Argument(metavar="MANIFEST", help="A signed manifest.")],
    key: Annotated[Path, typer.Option("--key", metavar="FILE", help="The public key.")],
    image: Annotated[
        Path | None, typer.Option("--image", metavar="FOLDER", help="Compare these files too.")
    ] = None,
    _json: JsonOption = False,
) -> None:
    """Check the signature, and every file of an image: exit code 1 names what differs."""
    with checked(manifest):
        release = public_key(manifest, key)
        lines = r.differences(release, r.files_of(r.read_image(image))) if image else []
    if lines:
        raise ToolError(
            f"{image} is not release {release.release}: {len(lines)} files differ",
            cause="files were changed, lost or added after the release was made",
            step="make the image again from the release",
            details=lines,
        )
    say(
        f"release {release.release} ({release.version}): signature good,"
        f" {len(release.files)} files",
        release=release.release,
        version=release.version,
        files=len(release.files),
        is_image_compared=image is not None,
    )
