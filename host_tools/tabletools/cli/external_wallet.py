"""The wallet in the settings of a host: the ledger's own, or an external one."""

from collections.abc import Callable
from pathlib import Path

from tabletools.cli.feed import secrets_of
from tabletools.errors import ToolError
from tabletools.pit.settings import Settings
from tabletools.store import Store
from tabletools.wallet import LEDGER_WALLET, Wallet
from tabletools.wallet.external import ExternalWallet, Say
from tabletools.wallet.http_wallet import HttpWallet


def wallet_of(settings: Settings, ledger: Store, say: Say) -> Wallet:
    """Return the wallet of a host. Raises ToolError."""
    if not settings.wallet:
        return LEDGER_WALLET
    hour = settings.day_ends_hour
    return ExternalWallet(ledger, connecting(settings), day_ends_hour=hour, say=say)


def connecting(settings: Settings) -> Callable[[], HttpWallet]:
    """Return what makes a connection to the external wallet in the settings. Raises ToolError."""
    step = "correct wallet, wallet_secrets and wallet_ca in the settings; see docs/WALLET.md"
    if not settings.wallet:
        raise ToolError("these settings name no external wallet", where="wallet", step=step)

    def connect() -> HttpWallet:
        return HttpWallet(
            settings.wallet,
            secrets,
            timeout_s=settings.wallet_timeout_s,
            authority=Path(settings.wallet_ca) if settings.wallet_ca else None,
        )

    try:
        file = Path(settings.wallet_secrets) if settings.wallet_secrets else None
        secrets = secrets_of(file)
        connect()
    except (ValueError, OSError) as error:
        raise ToolError(str(error), where="wallet", step=step) from error
    return connect
