"""Seats of players: offered by a user of the floor, opened by the player's PIN at the terminal.

No user sees the token of a terminal, and no terminal opens a seat that nobody offered. A PIN can
only be tried with the code of an offer, which its user sees and which is of use three times: so
somebody without a login neither guesses a PIN nor locks a player out.

Offers are in the memory of one host, like the times when seats were last used: after a restart a
seat is offered again, and the time of idle ones begins again. Only hashes of tokens are stored.
"""

import hmac
import secrets
import threading
from collections import OrderedDict
from contextlib import AbstractContextManager
from typing import NamedTuple

from tabletools import authority
from tabletools.api.auth import MINUTE_NS, Auth, AuthError, hashed
from tabletools.api.passwords import Lane
from tabletools.api.throttle import Throttle
from tabletools.money import gaming_day, people_queries, pins
from tabletools.pit.settings import Settings
from tabletools.store import Actor, LedgerRejection, Store, people
from tabletools.store.clock import NS

OFFER_NS = 5 * MINUTE_NS
"""How long an offer waits for its player."""
TRIES = 3
"""PINs that are checked for one offer."""
CODE_DIGITS = 8
MOST_OFFERS = 500
"""Offers that wait at once; the oldest one makes room."""
_KNOWN_MOST = 10_000


class Player(NamedTuple):
    """A player at a terminal, by the token of the terminal's session."""

    session: int
    account: int
    table: int
    terminal: str | None
    expires_ns: int


class Offer(NamedTuple):
    """A seat that a user offers a player. code: opens it together with the PIN.

    until_ns: by the monotonic clock. wrong: PINs that did not match.
    """

    code: str
    account: int
    table: int
    terminal: str
    by: Actor
    until_ns: int
    wrong: int = 0


class Seats:
    """Offers, PINs and sessions of players at the terminals of one host."""

    def __init__(self, ledger: Store, settings: Settings, auth: Auth) -> None:
        self._ledger = ledger
        self._auth = auth
        self._settings = settings
        self._passwords = auth.passwords
        self._offers: OrderedDict[str, Offer] = OrderedDict()
        self._lock = threading.Lock()  # of the offers
        self._codes = Throttle(settings.lock_after, settings.lock_minutes * MINUTE_NS)
        self._turns = Throttle(pins.MOST_WRONG, 0)
        self._used_ns: dict[int, int] = {}  # session: monotonic time of its last use
        # The ledger knows whether the session is still open.
        self._players: dict[bytes, Player] = {}

    # --- offers ----------------------------------------------------------------------------------

    def offer(self, account: int, table: int, terminal: str, who: Actor) -> Offer:
        """Offer a player a seat; an earlier offer of the account ends. Raises LedgerRejection."""
        ledger = self._ledger
        with ledger.read() as db:
            people.verify_may(db, who, authority.SEAT)
            if people_queries.player(db, account) is None:
                what = f"account {account} is not a player account"
                raise LedgerRejection("no_such_player", what, "open an account first", "account")
            if pins.find(db, account) is None:
                raise people.no_pin(account)
            pins.verify_unlocked(db, account, who, ledger.clock.wall_ns())
        self._end_over(account, who)
        until_ns = ledger.clock.mono_ns() + OFFER_NS
        with self._lock:
            for code in [code for code, one in self._offers.items() if one.account == account]:
                del self._offers[code]
            code = self._new_code()
            self._offers[code] = Offer(code, account, table, terminal, who, until_ns)
            if len(self._offers) > MOST_OFFERS:
                self._offers.popitem(last=False)
            return self._offers[code]

    def _end_over(self, account: int, who: Actor) -> None:
        """Close what is over of a player's sessions. Raises LedgerRejection if one is left."""
        with self._ledger.read() as db:
            rows = people_queries.sessions_of(db, account=account)
        for row in rows:
            cause = self._cause_of_end(row.id, row.expires_ns)
            if not cause:
                raise people.elsewhere(account)
            people.close_session(self._ledger, row.id, cause, who)
            self.forget(row.id)

    def _new_code(self) -> str:
        while True:
            code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
            if code not in self._offers:
                return code

    def _offer(self, code: str) -> Offer:
        with self._lock:
            offer = self._offers.get(code)
            if offer is not None and self._ledger.clock.mono_ns() < offer.until_ns:
                return offer
            self._offers.pop(code, None)
        what = "no seat is offered with this code"
        raise AuthError(401, "no_offer", what, "have a dealer or supervisor offer the seat")

    # --- PINs ------------------------------------------------------------------------------------

    def open(self, code: str, pin: str, address: str) -> tuple[str, Player]:
        """Open the session of an offered seat by the player's PIN; returns the terminal's token.

        address: the source of the request. Raises AuthError, LedgerRejection, TableUnavailable.
        """
        offer = self._known_offer(code, address)
        lane = self._passwords.players
        with lane.place(f"account {offer.account}"), self._turn(offer.account):
            offer = self._offer(code)  # as it is now
            pin_hash = self._judge_pin(offer.account, pin, offer.by, lane, offer)
            with self._lock:
                self._offers.pop(code, None)
        return self._begin(offer, pin_hash)

    def _known_offer(self, code: str, address: str) -> Offer:
        """Return the offer of a code; too many wrong codes of an address lock it."""
        name, now_ns = "code", self._ledger.clock.wall_ns()
        if self._codes.locked_ns(address, name, now_ns):
            what = "too many wrong codes came from this address"
            raise AuthError(401, "locked", what, f"wait {self._settings.lock_minutes} min")
        try:
            offer = self._offer(code)
        except AuthError:
            self._codes.fail(address, name, now_ns)
            raise
        self._codes.succeed(address, name)
        return offer

    def _turn(self, account: int) -> AbstractContextManager[None]:
        return self._turns.turn("pin", str(account))

    def _judge_pin(
        self, account: int, pin: str, who: Actor, lane: Lane, offer: Offer | None = None
    ) -> str:
        """Return the stored hash that a PIN matches; a wrong one counts. Called in its turn.

        offer: that the PIN was given for, None at an open seat.
        """
        with self._ledger.read() as db:
            pins.verify_unlocked(db, account, who, self._ledger.clock.wall_ns())
            stored = pins.find(db, account)
        if stored is None:
            raise people.no_pin(account)
        if self._passwords.fits(stored.pin_hash, pin, lane):
            return stored.pin_hash
        left = pins.note_wrong(self._ledger, account, who)
        step = "type it again"
        if offer is not None:
            left = min(left, self._fail(offer))
            step = "type it again" if left else "have the seat offered again"
        raise AuthError(401, "pin_wrong", f"the PIN is wrong; tries left: {left}", step)

    def _fail(self, offer: Offer) -> int:
        """Count a wrong PIN of an offer; return how many more it allows."""
        wrong = offer.wrong + 1
        with self._lock:
            if wrong >= TRIES:
                self._offers.pop(offer.code, None)
            elif offer.code in self._offers:
                self._offers[offer.code] = offer._replace(wrong=wrong)
        return TRIES - wrong

    def change_pin(self, player: Player, old: str, new: str) -> None:
        """Set another PIN for a player who gives the old one at an open seat.

        Raises AuthError, LedgerRejection, TableUnavailable.
        """
        lane, terminal = self._passwords.players, Actor(f"terminal {player.terminal}")
        account = player.account
        pins.verify(new, self._number_of(account))
        with lane.place(f"account {account}"), self._turn(account):
            was = self._judge_pin(account, old, terminal, lane)
        pin_hash = self._passwords.pin_hash(new)
        pins.change(self._ledger, account, player.session, was, pin_hash, terminal)

    def reset_pin(self, account: int, pin: str, who: Actor, two: list[Actor]) -> None:
        """Set a PIN that the player types at the cash desk. two: the users who see it.

        Raises LedgerRejection, TableUnavailable.
        """
        pin_hash = self.hash_of(pin, self._number_of(account))
        pins.reset(self._ledger, account, pin_hash, who, two)

    def hash_of(self, pin: str, player_number: str) -> str:
        """Return the hash of a new PIN. Raises LedgerRejection for a poor one."""
        pins.verify(pin, player_number)
        return self._passwords.pin_hash(pin)

    def _number_of(self, account: int) -> str:
        with self._ledger.read() as db:
            row = people_queries.player(db, account)
        if row is None:
            what = f"account {account} is not a player account"
            raise LedgerRejection("no_such_player", what, "list them", "account")
        return row.player_number

    # --- sessions --------------------------------------------------------------------------------

    def _begin(self, offer: Offer, pin_hash: str) -> tuple[str, Player]:
        now_ns = self._ledger.clock.wall_ns()
        token = secrets.token_urlsafe(32)
        expires_ns = min(
            now_ns + self._settings.session_hours * 3600 * NS,
            gaming_day.end_ns(now_ns, self._settings.day_ends_hour),
        )
        digest = hashed(token)
        opening = people.Opening(
            digest,
            expires_ns,
            account=offer.account,
            table=offer.table,
            terminal=offer.terminal,
            pin_hash=pin_hash,
            mac=self._auth.mac(digest, expires_ns, offer.account, offer.table, offer.terminal),
        )
        session = people.open_session(self._ledger, opening, offer.by)
        self._used_ns[session] = self._ledger.clock.mono_ns()
        return token, Player(session, offer.account, offer.table, offer.terminal, expires_ns)

    def player(self, token: str, *, is_known_enough: bool = False, is_use: bool = True) -> Player:
        """Return the player at the terminal with this token. Raises AuthError.

        is_known_enough: the caller's transaction will check whether the session is still open.
        is_use: False for a request that only reads, as a display does by itself.
        """
        player = self.known_player(token) if is_known_enough else None
        if player is None:
            player = self._look_up(hashed(token))
        cause = self._cause_of_end(player.session, player.expires_ns)
        if cause:
            terminal = Actor(f"terminal {player.terminal}")
            people.close_session(self._ledger, player.session, cause, terminal)
            self.forget(player.session)
            raise _no_session()
        if is_use:
            self._used_ns[player.session] = self._ledger.clock.mono_ns()
        return player

    def known_player(self, token: str) -> Player | None:
        """Return the player as last read, None if never read or ended; it is a use of the seat.

        The ledger checks whether the session is still open when a bet is placed.
        """
        player = self._players.get(hashed(token))
        if player is None or self._cause_of_end(player.session, player.expires_ns):
            return None
        self._used_ns[player.session] = self._ledger.clock.mono_ns()
        return player

    def _cause_of_end(self, session: int, expires_ns: int) -> str:
        """Return why a session has ended, empty if it has not: expired, or not used for too long.

        One of before a restart of this host counts as used now.
        """
        if self._ledger.clock.wall_ns() >= expires_ns:
            return "expired"
        now_ns = self._ledger.clock.mono_ns()
        idle_ns = now_ns - self._used_ns.setdefault(session, now_ns)
        return "idle" if idle_ns > self._settings.seat_idle_minutes * MINUTE_NS else ""

    def forget(self, session: int) -> None:
        """Forget a closed session."""
        self._players = {d: each for d, each in self._players.items() if each.session != session}
        self._used_ns.pop(session, None)

    def _look_up(self, digest: bytes) -> Player:
        with self._ledger.read() as db:
            row = people.session_of(db, digest)
        if row is None or row.account_id is None or row.table_id is None:
            raise _no_session()
        mac = self._auth.mac(digest, row.expires_ns, row.account_id, row.table_id, row.terminal)
        if not hmac.compare_digest(mac, row.mac or b""):
            raise _no_session()
        player = Player(row.id, row.account_id, row.table_id, row.terminal, row.expires_ns)
        if len(self._players) >= _KNOWN_MOST:
            self._players.clear()
        self._players[digest] = player
        return player


def _no_session() -> AuthError:
    what = "the terminal has no open session with this token"
    return AuthError(401, "no_session", what, "have a seat offered to the player")
