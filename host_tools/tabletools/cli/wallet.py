"""`tabletool wallet`: the external wallet of a host: its day, and what waits for a user."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabletools.cli.command_group import CommandGroup
from tabletools.cli.named import MOST_TEXT, verify_text
from tabletools.cli.open_database import existing, explaining
from tabletools.cli.report import JsonOption, say
from tabletools.errors import INCOMPLETE, UNSOUND

if TYPE_CHECKING:
    from tabletools.money.wallet_transfers import Transfer
    from tabletools.pit.settings import Settings
    from tabletools.wallet.reconciliation import Reconciliation

EXAMPLES = """\b
Examples:
  tabletool wallet reconcile --config host.toml --day 2027-01-15
  tabletool wallet open --config host.toml
"""
RECONCILE = """\b
Examples:
  tabletool wallet reconcile --config host.toml
  tabletool wallet reconcile --config host.toml --day 2027-01-15 --json
"""
OPEN = """\b
Examples:
  tabletool wallet open --config host.toml
"""
RETRY = """\b
Examples:
  tabletool wallet retry 17 --config host.toml --reason "Player paid in at the wallet"
"""
CLOSE = """\b
Examples:
  tabletool wallet close 17 --config host.toml --reason "Moved by hand, wallet ticket 4711"
"""
LINK = """\b
Examples:
  tabletool wallet link 12 --config host.toml
"""
_Config = Annotated[
    Path, typer.Option("--config", metavar="FILE", help="Settings of the host, TOML.")
]
_Number = Annotated[
    int, typer.Argument(metavar="TRANSFER", min=1, help="Number in `wallet open`.")
]
_Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="For the audit log.")]
_Day = Annotated[
    datetime | None,
    typer.Option("--day", formats=["%Y-%m-%d"], help="Gaming day [the one before this]."),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    group = typer.Typer(cls=CommandGroup, help=_group.__doc__, no_args_is_help=True)
    group.command("reconcile", epilog=RECONCILE)(reconcile)
    group.command("open", epilog=OPEN)(open_)
    group.command("retry", epilog=RETRY)(retry)
    group.command("close", epilog=CLOSE)(close)
    group.command("link", epilog=LINK)(link)
    app.add_typer(group, name="wallet", epilog=EXAMPLES)


def _group() -> None:
    """The external wallet of a host: its day, and what waits for a user."""


def reconcile(config: _Config, day: _Day = None, _json: JsonOption = False) -> None:
    """Compare the movements of a gaming day with the wallet's statement of it.

    Names each that is missing at the wallet, that only the wallet has, or on which the two differ.
    Exit code 7 when they differ, 5 when a movement of the day is not final yet: the wallet has not
    confirmed it, or refused it and a user has to decide. Reads one state; the pit may play.
    """
    from tabletools.cli.external_wallet import connecting
    from tabletools.money import gaming_day
    from tabletools.wallet.reconciliation import reconciled

    settings = _settings(config)
    wallet = connecting(settings)()
    try:
        with existing(_place(settings), reads=True) as ledger, explaining(_place(settings)):
            now_ns, hour = ledger.clock.wall_ns(), settings.day_ends_hour
            chosen = None if day is None else day.date()
            name = gaming_day.chosen(chosen, now_ns, hour, back=1).isoformat()
            compared = reconciled(ledger, wallet.statement, name)
    finally:
        wallet.close()
    _report(compared)
    if compared.differences:
        raise typer.Exit(UNSOUND)
    if compared.open:
        raise typer.Exit(INCOMPLETE)


def open_(config: _Config, _json: JsonOption = False) -> None:
    """List the movements that the wallet has not confirmed, or refused."""
    from tabletools.money import wallet_transfers

    settings = _settings(config)
    with existing(_place(settings), reads=True) as ledger, ledger.read() as db:
        waiting = wallet_transfers.in_states(db, *wallet_transfers.OPEN_STATES)
    for one in waiting:
        say(_text(one), **_facts(one))
    if not waiting:
        say("nothing waits for the wallet", transfers=0)


def retry(number: _Number, config: _Config, reason: _Reason, _json: JsonOption = False) -> None:
    """Send a movement that the wallet refused again; the host of the ledger delivers it."""
    from tabletools.money import wallet_transfers
    from tabletools.store import Actor

    verify_text("--reason", reason, MOST_TEXT, "a reason")
    settings = _settings(config)
    with existing(_place(settings)) as ledger, explaining(_place(settings)):
        one = wallet_transfers.retry(ledger, number, Actor("command line"), reason)
    say(f"transfer {one.id} is sent again under key {one.key}", **_facts(one))


def close(number: _Number, config: _Config, reason: _Reason, _json: JsonOption = False) -> None:
    """Note that the money of a movement that the wallet refused was moved there by hand."""
    from tabletools.money import wallet_transfers
    from tabletools.store import Actor

    verify_text("--reason", reason, MOST_TEXT, "a reason")
    settings = _settings(config)
    with existing(_place(settings)) as ledger, explaining(_place(settings)):
        one = wallet_transfers.close(ledger, number, [Actor("command line")], reason)
    say(f"transfer {one.id} is closed: {reason}", transfer=one.id, key=one.key, closed=True)


def link(
    account: Annotated[int, typer.Argument(metavar="ACCOUNT", min=1, help="Of a player.")],
    config: _Config,
    _json: JsonOption = False,
) -> None:
    """Have the money of a player with an account be in the wallet; what is here goes there.

    The wallet knows the player by the player number. Accounts that are opened at a host with a
    wallet are linked from the beginning. It cannot be undone.
    """
    from tabletools.money import wallet_transfers
    from tabletools.store import Actor

    settings = _settings(config)
    with existing(_place(settings)) as ledger, explaining(_place(settings)):
        is_new = wallet_transfers.link(ledger, account, Actor("command line"))
    text = f"account {account}: its money is in the wallet" + ("" if is_new else " already")
    say(text, account=account, new=is_new)


def _settings(config: Path) -> "Settings":
    from tabletools.pit.settings_file import read

    return read(config)


def _place(settings: "Settings") -> str:
    from tabletools.pit.settings import default_ledger

    return settings.db or str(default_ledger())


def _report(compared: "Reconciliation") -> None:
    for one in compared.differences:
        text = f"{one.kind}: {one.key}, player {one.account}, {one.cents} cents {one.currency}"
        say(f"{text}: {one.text}", difference=one.kind, **_without(one._asdict(), "kind"))
    for transfer in compared.open:
        say(_text(transfer), **_facts(transfer))
    for transfer in compared.by_hand:
        say(f"by hand: {_text(transfer)}", by_hand=True, **_facts(transfer))
    count, waiting = len(compared.differences), len(compared.open)
    text = f"{compared.day}: {compared.agreed} movements agree, {count} differ, {waiting} are open"
    currencies = sorted({*compared.debited_cents, *compared.credited_cents})
    for currency in currencies:
        debited = compared.debited_cents.get(currency, 0)
        credited = compared.credited_cents.get(currency, 0)
        text += f"; {currency}: debited {debited}, credited {credited} cents"
    say(
        text,
        day=compared.day,
        agreed=compared.agreed,
        differences=count,
        open=waiting,
        debited_cents=compared.debited_cents,
        credited_cents=compared.credited_cents,
    )


def _without(facts: dict[str, object], name: str) -> dict[str, object]:
    return {each: value for each, value in facts.items() if each != name}


def _text(one: "Transfer") -> str:
    text = f"{one.state}: transfer {one.id}, {one.kind} of {one.cents} cents {one.currency},"
    text += f" player {one.player_number}, key {one.key}"
    return f"{text}: {one.error}" if one.error else text


def _facts(one: "Transfer") -> dict[str, object]:
    facts = one._asdict()
    return {"transfer": facts.pop("id"), "type": facts.pop("kind"), **facts}
