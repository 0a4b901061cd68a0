"""The run of a pit host: its ledger, its tables, the API and what follows them, until a signal."""

import gc
import logging

from tabletools.api import server
from tabletools.api.app_state import AppState, LoginState
from tabletools.api.auth import Auth
from tabletools.api.passwords import Passwords
from tabletools.cli.event_sinks import feeding
from tabletools.cli.external_wallet import wallet_of
from tabletools.cli.host_settings import open_ledger, verify
from tabletools.cli.report import say
from tabletools.cli.users import add_user
from tabletools.money import people_queries
from tabletools.pit.checkpoints import checkpointing
from tabletools.pit.host_context import HostContext
from tabletools.pit.pit import Pit, holder
from tabletools.pit.retaining import retaining
from tabletools.pit.settings import Settings
from tabletools.reports.process import following


def run(settings: Settings) -> None:
    """Serve until a signal comes. Raises ToolError."""
    keyring = verify(settings)  # errors are reported before anything is made or claimed
    log = server.Log()
    logging.getLogger().addHandler(server.Passed(log))
    with server.listening(settings) as sock:
        ledger = open_ledger(settings)
        ledger.read_limit_s = server.READ_S
        try:
            wallet = wallet_of(settings, ledger, log)
            context = HostContext(
                ledger,
                keyring.keys_of,
                holder(settings.host_name),
                settings.lease_s,
                settings.batch_ms,
                say=log,
                wallet=wallet,
            )
            pit = Pit(context, settings)
            state = AppState(pit, Auth(ledger, settings, Passwords()), log)
            greet(state)
            running = server.server_of(state)
            with server.ended_by_signals(running), checkpointing(ledger, settings, log):
                address = server.address_of(settings, sock)
                say(f"serving {address}", serving=address)
                gc.freeze()  # what is loaded stays; to search it for garbage would hold a bet up
                pit.start()
                wallet.start()
                try:
                    with (
                        following(ledger, log),
                        feeding(ledger, settings, log) as sinks,
                        retaining(ledger, settings, sinks.names, log),
                    ):
                        state.sinks, state.down_sinks = sinks.states, sinks.down
                        running.run(sockets=[sock])
                finally:
                    wallet.stop()
                    pit.stop()
        finally:
            ledger.close()
    log("ended", {})


def greet(state: LoginState) -> None:
    """Add the first user if there is none who may log in."""
    with state.ledger.read() as db:
        if people_queries.has_users(db):
            return
    password = add_user(state.ledger, state.auth.passwords, "admin", "supervisor")
    text = f"first user: admin, password for the first login: {password}"
    say(text, name="admin", first_password=password)
