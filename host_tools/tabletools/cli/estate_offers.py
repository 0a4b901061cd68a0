"""`tabletool estate make-offer` at the centre, `tabletool estate offers` at a site."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tabletools.cli.estate_evidence import named_pit
from tabletools.cli.host_settings import Db, File, open_ledger, settings_of
from tabletools.cli.open_database import explaining
from tabletools.cli.release import checked
from tabletools.cli.report import JsonOption, say
from tabletools.errors import ToolError, cannot_write
from tabletools.private_file import appearing
from tabletools.terminal_text import printable

if TYPE_CHECKING:
    from tabletools.offers import Offer, Offered
    from tabletools.release import SigningKey

MAKE = """\b
Examples:
  tabletool estate make-offer athens --key centre.key --firmware pico2.json \
--release-key house.pub --name "Firmware 1.2" --for rpi_pico2 --out offers
  tabletool estate make-offer athens/vip --key centre.key --configuration table.toml \
--name "Slower ball" --for "Roulette 1" --out offers
  tabletool estate make-offer athens --key centre.key --withdraw 7 --out offers
"""
SEE = """\b
Examples:
  tabletool estate offers --config host.toml
  tabletool estate offers --config host.toml --out taken
"""
_DAY_NS = 86_400 * 10**9


def _file(name: str, text: str) -> Any:
    return typer.Option(name, metavar="FILE", help=text)


_OUT = typer.Option("--out", metavar="FOLDER", help="All offers of this centre.")
_FOR = typer.Option("--for", metavar="TEXT", help="What it is for: a board, a table.")
_DAYS = typer.Option("--days", min=1, max=366, help="For how long it can be taken.")


def make_offer(
    pit: Annotated[str, typer.Argument(metavar="SITE[/PIT]", help="To whom [pit main].")],
    key: Annotated[Path, typer.Option("--key", metavar="FILE", help="Private key of the centre.")],
    out: Annotated[Path, _OUT],
    firmware: Annotated[Path | None, _file("--firmware", "A signed manifest.")] = None,
    release_key: Annotated[Path | None, _file("--release-key", "Its public key.")] = None,
    configuration: Annotated[Path | None, _file("--configuration", "Of a table, TOML.")] = None,
    withdraw: Annotated[
        int | None, typer.Option("--withdraw", min=1, metavar="N", help="Ends offer N.")
    ] = None,
    name: Annotated[str, typer.Option("--name", metavar="TEXT", help="What people call it.")] = "",
    target: Annotated[str, _FOR] = "",
    days: Annotated[int, _DAYS] = 30,
    _json: JsonOption = False,
) -> None:
    """Make an offer to a pit: a signed file, which goes there by any way.

    A person there takes or declines it. A later offer with the same --for replaces it.
    """
    from tabletools import offers, release

    kind, content = _content(firmware, release_key, configuration, withdraw)
    if kind == offers.WITHDRAWAL:
        name, target = f"withdrawal of {withdraw}", target or "withdrawal"
    if not (name and target):
        step = "say what people call it, and which board or table it is for"
        raise ToolError("the offer has no name", where="--name, --for", step=step)
    with checked(key):
        signing = release.read_private(key)
    site, place = named_pit(pit)
    now_ns = time.time_ns()
    number = 1 + max(_numbers(out, site, place), default=0)
    if withdraw is not None and withdraw not in _numbers(out, site, place):
        step = f"see the files of {site} in {out}"
        raise ToolError(f"there is no offer {withdraw}", where="--withdraw", step=step)
    offer = offers.Offer(
        site=site,
        pit=place,
        number=number,
        kind=kind,
        name=name,
        target=target,
        made_ns=now_ns,
        until_ns=now_ns + days * _DAY_NS,
        withdraws=withdraw or 0,
        content=content,
    )
    _send(offer, signing, out)


def _send(offer: "Offer", signing: "SigningKey", out: Path) -> None:
    """Write an offer into the folder of all offers. Raises ToolError."""
    from tabletools import offers

    data = offers.encoded(offer, signing)
    try:
        offers.read(data, signing.public_key())  # as strict as those who read it
    except offers.NotAnOffer as error:
        step = "shorten --name, --for or the file"
        raise ToolError(str(error), where="tabletool estate make-offer", step=step) from error
    file = out / f"{offer.site}-{offer.pit}-{offer.number:06d}.offer"
    _write_new(file, data)
    facts = {"number": offer.number, "digest": offer.digest, "file": str(file)}
    place = f"{offer.site}/{offer.pit}"
    say(f"offer {offer.number} to {place}: {file}, SHA-256 {offer.digest}", **facts)


def _content(
    firmware: Path | None,
    release_key: Path | None,
    configuration: Path | None,
    withdraw: int | None,
) -> tuple[str, str]:
    """Return the kind of an offer and its content, verified. Raises ToolError."""
    from tabletools import configuration as configurations
    from tabletools import offers, release
    from tabletools.text_file import read_text

    named = [one for one in (firmware, configuration, withdraw) if one is not None]
    if len(named) != 1 or (firmware is None) != (release_key is None):
        step = "give --firmware with --release-key, or --configuration, or --withdraw"
        raise ToolError("what is offered?", where="tabletool estate make-offer", step=step)
    if firmware is not None and release_key is not None:
        with checked(firmware):
            release.read(firmware, release.read_public(release_key))
        return offers.FIRMWARE, read_text(firmware)
    if configuration is not None:
        configurations.read(configuration)
        return offers.CONFIGURATION, read_text(configuration)
    return offers.WITHDRAWAL, ""


def _numbers(folder: Path, site: str, pit: str) -> list[int]:
    """Return the numbers of the offers to a pit in a folder."""
    start = f"{site}-{pit}-"
    texts = (each.stem.removeprefix(start) for each in folder.glob(f"{start}*.offer"))
    return [int(text) for text in texts if text.isdecimal()]


def _write_new(file: Path, data: bytes) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with appearing(file, 0o644) as stream:
            stream.write(data)
    except OSError as error:
        step = "it was left unchanged; name another folder, or give the command again"
        raise cannot_write("the file", error, file, step) from error


def offers(
    config: File = None,
    db: Db = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Write what was taken.")
    ] = None,
    _json: JsonOption = False,
) -> None:
    """List what the centre offers to this pit, and what was decided.

    It is taken or declined in the console. --out writes the content of offers that were taken and
    not withdrawn since: for `tabletool flash --manifest` and `tabletool config load`.
    """
    from tabletools.offers import offered
    from tabletools.pit import centre_offers

    settings = settings_of(config, options={"db": db})
    inbox = centre_offers.inbox_of(settings)
    if inbox is None:
        step = "set `offers` and `offers_key` in the settings of the host"
        raise ToolError("no centre offers anything here", where="--config", step=step)
    ledger = open_ledger(settings, makes=False)
    try:
        with explaining(settings.db), ledger.read() as connection:
            present, refused = offered(connection, inbox, time.time_ns())
    finally:
        ledger.close()
    for one in present:
        _say_offer(one)
    for name, why in refused.items():
        say(printable(f"no offer: {name}: {why}"), file=name, why=why)
    if not present and not refused:
        say("the centre offers nothing", offers=0)
    for one in present if out is not None else ():
        if one.state == "taken" and not one.is_withdrawn:
            assert out is not None
            _write_content(out, one)


def _say_offer(one: "Offered") -> None:
    offer, decided = one.offer, one.decided
    text = f"{offer.number}  {offer.kind}  {offer.name}  for {offer.target}  {one.state}"
    if decided is not None:
        text += f" by {decided.who}: {decided.reason}"
    if one.is_withdrawn and decided is not None:
        text += "; withdrawn since: do not install it"
    facts = {"number": offer.number, "kind": offer.kind, "name": offer.name}
    facts |= {"target": offer.target, "digest": offer.digest, "state": one.state}
    by = None if decided is None else decided.who
    say(printable(text), **facts, by=by, is_withdrawn=one.is_withdrawn)


def _write_content(folder: Path, one: "Offered") -> None:
    """Write the content of an offer; a file that has it already is left."""
    ending = "json" if one.offer.kind == "firmware" else "toml"
    file, data = folder / f"{one.offer.kind}-{one.offer.number}.{ending}", one.offer.content
    if not file.exists() or file.read_text("utf-8") != data:
        _write_new(file, data.encode())
    say(f"written: {file}", written=str(file))
