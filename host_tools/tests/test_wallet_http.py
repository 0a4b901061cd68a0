"""The external wallet over real connections: each failure of the emulated wallet, and attacks."""

import base64
import json
import select
import socket
import threading
import time
from functools import partial

import pytest

from host_tools.tests.pit import HOUSE, PIN_HASH, Pit
from host_tools.tests.served import until
from tableemulator.wallet import (
    ANSWERED_TWICE,
    FAILURES,
    HARMLESS,
    UNANSWERED,
    UNAPPLIED,
    WalletBook,
    WalletServer,
)
from tabletools.cli.main import run
from tabletools.errors import ToolError
from tabletools.money import cash, wallet_transfers
from tabletools.money.wallet_transfers import NewStake, Transfer
from tabletools.wallet import messages
from tabletools.wallet.external import ExternalWallet
from tabletools.wallet.http_wallet import HttpWallet
from tabletools.wallet.messages import DONE, REFUSED, UNKNOWN, Entry
from tabletools.wallet.reconciliation import compare

SECRET = b"a secret of more than 24 bytes, shared"
TIMEOUT_S = 0.3
PATIENT_S = 60.0  # for what is answered at once, on a machine with much to do
DAY = "2027-01-15"


def transfer(number=1, kind="stake", cents=1000, state="requested", **more):
    """A movement of Ada's."""
    fields = {
        "id": number,
        "key": f"{number:032x}",
        "kind": kind,
        "account": 1,
        "player_number": "ADA",
        "currency": "EUR",
        "cents": cents,
        "day": DAY,
        "table": 1,
        "round": 1,
        "state": state,
        "at_ns": 0,
        "attempts": 0,
        "error": None,
    }
    return Transfer(**(fields | more))


@pytest.fixture
def server():
    """A wallet where Ada has EUR 500.00."""
    book = WalletBook()
    book.open("ADA", 50_000)
    new_server = WalletServer(book, SECRET, timeout_s=TIMEOUT_S)
    yield new_server
    new_server.close()


@pytest.fixture(autouse=True)
def closing(monkeypatch):
    """Every connection is closed when its test ends."""
    clients = []
    begin = HttpWallet.__init__

    def noted(self, *words, **more):
        begin(self, *words, **more)
        clients.append(self)

    monkeypatch.setattr(HttpWallet, "__init__", noted)
    yield
    for client in clients:
        client.close()


def client_of(server, secret=SECRET, timeout_s=TIMEOUT_S):
    return HttpWallet(server.url, [secret], timeout_s=timeout_s)


def clients_for(server, failure):
    """A client that meets the failure, and one for what comes after: the same where it can be."""
    patient = client_of(server, timeout_s=PATIENT_S)
    return client_of(server) if failure in UNANSWERED else patient, patient


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_is_unknown_and_a_reversal_makes_it_good(server, failure):
    """The debit was carried out or not; after the reversal the money is there, for good."""
    first, client = clients_for(server, failure)
    stake = transfer()
    server.failures.append(failure)
    began = time.monotonic()
    answer = first.move(messages.DEBIT, stake)
    assert failure not in UNANSWERED or time.monotonic() - began < 4 * TIMEOUT_S
    assert answer.outcome == (DONE if failure in HARMLESS else UNKNOWN), answer
    applied = 0 if failure in UNAPPLIED else 1000
    assert server.book.balances["ADA"] == 50_000 - applied
    for _ in range(2):
        assert client.move(messages.REVERSAL, stake).outcome == DONE
        assert server.book.balances["ADA"] == 50_000
    late = client.move(messages.DEBIT, stake)  # a copy of the request arrives now
    assert late.outcome in (DONE, REFUSED)
    assert server.book.balances["ADA"] == 50_000


@pytest.mark.parametrize("failure", FAILURES)
def test_a_credit_is_repeated_until_it_is_confirmed(server, failure):
    """Under one key it arrives once, whatever the first answer was."""
    first, client = clients_for(server, failure)
    payment = transfer(kind="payment", state="queued")
    server.failures.append(failure)
    first.move(messages.CREDIT, payment)
    assert client.move(messages.CREDIT, payment) == (DONE, "", "", 51_000)
    assert server.book.balances["ADA"] == 51_000


def test_an_answer_that_comes_twice_does_not_answer_the_next_requests(server):
    """The second copy stays in the connection: every later request had the answer before its
    own, and no debit of that thread was ever confirmed again."""
    client = client_of(server)
    server.failures.append(ANSWERED_TWICE)
    assert client.move(messages.DEBIT, transfer(1)).outcome == DONE
    line = client._endpoint._connection.sock
    until(lambda: select.select([line], [], [], 0)[0])
    assert client.move(messages.DEBIT, transfer(2)).outcome == DONE


def test_an_answer_to_another_request_ends_the_connection(server):
    """The copy comes while the next request waits: that one is in doubt, the one after it not."""
    client = client_of(server)
    client.move(messages.DEBIT, transfer(1))
    server.failures.append("old_answer")
    assert client.move(messages.DEBIT, transfer(2)).outcome == UNKNOWN
    assert client._endpoint._connection is None


def test_an_answer_to_an_earlier_request_answers_no_other(server):
    """Also a good one, signed by the wallet."""
    client = client_of(server)
    assert client.move(messages.DEBIT, transfer(1)).outcome == DONE
    server.failures.append("old_answer")
    assert client.move(messages.DEBIT, transfer(2)).outcome == UNKNOWN


def test_what_the_wallet_refuses_moves_nothing(server):
    """Too little money, and nobody it knows: both are final for their key."""
    client, much = client_of(server), transfer(cents=50_001)
    for _ in range(2):
        answer = client.move(messages.DEBIT, much)
        assert (answer.outcome, answer.code) == (REFUSED, "insufficient_funds")
    server.book.open("ADA", 60_000)
    assert client.move(messages.DEBIT, much).outcome == REFUSED
    unknown = client.move(messages.CREDIT, transfer(2, "payment", player_number="EVE"))
    assert (unknown.outcome, unknown.code) == (REFUSED, "unknown_account")


def test_another_secret_or_a_clock_far_off_is_no_answer(server):
    """The wallet refuses the request; the host believes no refusal that is not signed."""
    stranger = client_of(server, b"another secret of more than 24 bytes")
    assert stranger.move(messages.DEBIT, transfer()).outcome == UNKNOWN
    assert "401" in stranger.trouble()
    server.skew_s = 3600
    assert client_of(server).move(messages.DEBIT, transfer()).why == "answered 401"
    assert server.book.balances["ADA"] == 50_000


def test_a_server_without_the_secret_confirms_nothing(server):
    """Whoever answers at the address of the wallet has to know the secret."""
    thief = WalletServer(server.book, b"a secret that the thief made up", timeout_s=TIMEOUT_S)
    thief._is_authentic = lambda call, body: True
    client = client_of(thief)
    assert client.move(messages.CREDIT, transfer(kind="payment")).outcome == UNKNOWN
    assert "not signed" in client.trouble()
    thief.close()


def test_nobody_listens():
    """Connection refused."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    client = HttpWallet(f"http://127.0.0.1:{port}/", [SECRET], timeout_s=TIMEOUT_S)
    assert client.move(messages.DEBIT, transfer()).outcome == UNKNOWN
    assert client.trouble()


def test_an_address_is_encrypted():
    for url in (
        "http://wallet.example/v1",
        "https://user@wallet.example/",
        "ftp://wallet.example",
    ):
        with pytest.raises(ValueError, match=r"address|encrypted"):
            HttpWallet(url, [SECRET], timeout_s=1)


def test_a_restarted_wallet_forgets_nothing(tmp_path):
    """What it carried out is in its file: a repeated key gets the same answer."""
    for _ in range(2):
        book = WalletBook(tmp_path / "wallet")
        if not book.balances:
            book.open("ADA", 50_000)
        server = WalletServer(book, SECRET, timeout_s=TIMEOUT_S)
        client = client_of(server)
        assert client.move(messages.DEBIT, transfer()) == (DONE, "", "", 49_000)
        server.close()


HOSTILE = [
    ({"cents": True}, "cents"),
    ({"cents": 1000.0}, "cents"),
    ({"cents": -1000}, "cents"),
    ({"cents": 10**40}, "cents"),
    ({"account": "АDA"}, "account"),  # a Cyrillic letter
    ({"key": None}, "key"),
    ({"currency": "EUR\u0000"}, "currency"),
    ({"status": ["done"]}, "status"),
    ({"status": "refused", "code": ""}, "status"),
]


@pytest.mark.parametrize(("changed", "word"), HOSTILE)
def test_an_answer_that_does_not_repeat_the_request_says_nothing(changed, word):
    request = messages.request_of(messages.DEBIT, transfer())
    good = {**request, "status": "done"}
    assert messages.answer_of(json.dumps(good).encode(), request).outcome == DONE
    bad = messages.answer_of(json.dumps(good | changed).encode(), request)
    assert bad.outcome == UNKNOWN
    assert word in bad.why


def test_a_hostile_code_is_one_line():
    request = messages.request_of(messages.DEBIT, transfer())
    answer = {**request, "status": "refused", "code": "\x1b[31mhack\n" * 1000}
    said = messages.answer_of(json.dumps(answer).encode(), request)
    assert said.outcome == REFUSED
    assert said.why.isprintable()
    assert len(said.why) < 300


# --- reconciliation ------------------------------------------------------------------------------


def entry(number, kind="debit", cents=1000, reversed_=False, **more):
    fields = {"key": f"{number:032x}", "kind": kind, "account": "ADA", "currency": "EUR"}
    return Entry(**(fields | more), cents=cents, is_reversed=reversed_)


def test_a_day_that_agrees():
    """Done on both sides; reversed there or never applied; refused; still open."""
    ours = [
        transfer(1, state="done"),
        transfer(2, "payment", 2000, "done"),
        transfer(3, state="reversed"),
        transfer(4, state="reversed"),
        transfer(5, state="refused"),
        transfer(6, "payment", 700, "queued"),
        transfer(7, "payment", 700, "queued"),
    ]
    theirs = [
        entry(1),
        entry(2, "credit", 2000),
        entry(3, reversed_=True),
        entry(6, "credit", 700),
    ]
    done = compare(DAY, ours, theirs)
    assert done.differences == []
    assert [one.id for one in done.open] == [6, 7]
    assert (done.agreed, done.debited_cents, done.credited_cents) == (
        2,
        {"EUR": 1000},
        {"EUR": 2000},
    )


DIFFERENCES = [
    ([transfer(1, state="done")], [], "missing"),
    ([], [entry(1)], "extra"),
    ([transfer(1, state="done")], [entry(1, cents=1001)], "amount"),
    ([transfer(1, state="done")], [entry(1, account="BEN")], "other"),
    ([transfer(1, state="done")], [entry(1, kind="credit")], "other"),
    ([transfer(1, state="done")], [entry(1, currency="USD")], "other"),
    ([transfer(1, state="done")], [entry(1), entry(1)], "twice"),
    ([transfer(1, state="done")], [entry(1, reversed_=True)], "only_reversed"),
    ([transfer(1, state="reversed")], [entry(1)], "not_reversed"),
    ([transfer(1, state="refused")], [entry(1)], "not_reversed"),
    ([transfer(1, "payment", state="queued")], [entry(1, "credit", 999)], "amount"),
]


@pytest.mark.parametrize(("ours", "theirs", "kind"), DIFFERENCES)
def test_what_differs_is_named(ours, theirs, kind):
    [difference] = compare(DAY, ours, theirs).differences
    assert difference.kind == kind
    assert difference.key == f"{1:032x}"


def test_a_hostile_statement_is_printed_as_plain_text():
    """No code of a terminal, and no half of a surrogate pair, which no terminal can print."""
    names = {"key": "\x1b[2J", "kind": "debit", "account": "\ud800", "currency": "E\nR"}
    entry = names | {"cents": 1, "reversed": False}
    page = {"kind": "statement", "day": DAY, "next": None, "entries": [entry]}
    [read], _ = messages.statement_of(json.dumps(page).encode(), DAY, 1000)
    assert read[:4] == ("?[2J", "debit", "?", "E?R")


def test_a_statement_has_pages_and_no_nonsense(server):
    client = client_of(server)
    for number in range(1, 9):
        client.move(messages.DEBIT, transfer(number, cents=number))
    assert [one.cents for one in client.statement(DAY)] == list(range(1, 9))
    assert list(client.statement("2027-01-16")) == []
    server.book._entries[0]["cents"] = -1
    with pytest.raises(ToolError, match="whole number of cents"):
        list(client.statement(DAY))


# --- threads and commands ------------------------------------------------------------------------


def test_debits_wait_on_threads_of_their_own_and_are_bounded(server, tmp_path, monkeypatch):
    """A wallet that answers nothing holds up neither the caller nor more debits than there is
    room for."""
    monkeypatch.setattr("tabletools.wallet.external.MOST_DEBITS", 4)
    pit = Pit(str(tmp_path / "ledger"))
    pit.open(1)
    wallet_transfers.link(pit.ledger, pit.ada, HOUSE)
    server.timeout_s = 1.5  # no answer comes while a busy machine still sends the others
    connect = partial(client_of, server, timeout_s=server.timeout_s)
    wallet = ExternalWallet(pit.ledger, connect, day_ends_hour=6, lanes=2)
    with pit.ledger.write() as db:
        new = [NewStake(pit.ada, 100, pit.table, 1) for _ in range(6)]
        stakes = wallet_transfers.request_stakes(db, new, DAY, 0)
    server.failures.extend(["timeout_before"] * 4)
    answers, are_all = [], threading.Event()

    def then(answer):
        answers.append(answer.outcome)
        if len(answers) == 6:
            are_all.set()

    began = time.monotonic()
    for stake in stakes:
        wallet.debit(stake, then)
    assert time.monotonic() - began < TIMEOUT_S
    assert answers == ["unsent", "unsent"]
    assert are_all.wait(10)
    assert sorted(answers) == ["unknown"] * 4 + ["unsent"] * 2
    with pit.ledger.read() as db:
        assert wallet_transfers.counts(db)["reversing"] == 4
    wallet.stop()
    wallet.debit(stakes[0], answers.append)
    assert answers[-1].outcome == "unsent"
    pit.ledger.close()


def test_a_host_that_ends_waits_for_no_wallet(server, tmp_path):
    """A delivery on its way is cut: what it did is unknown, and it is sent again some day."""
    pit = Pit(str(tmp_path / "ledger"))
    wallet_transfers.link(pit.ledger, pit.ada, HOUSE)
    clients = []

    def connect():
        clients.append(HttpWallet(server.url, [SECRET], timeout_s=30))
        return clients[-1]

    wallet = ExternalWallet(pit.ledger, connect, day_ends_hour=6)
    server.timeout_s = 2
    server.failures.append("timeout_after")
    wallet.start()
    until(lambda: any(each["kind"] == "credit" for each in server.requests))
    began = time.monotonic()
    wallet.stop()
    assert time.monotonic() - began < 3
    with pit.ledger.read() as db:
        assert wallet_transfers.counts(db)["queued"] == 1
    pit.ledger.close()


@pytest.fixture
def night(server, tmp_path):
    """A ledger whose Ada won EUR 10.00 in a round, and settings that name the wallet."""
    place = tmp_path / "pit.ledger"
    pit = Pit(str(place))
    eve = cash.open_account(
        pit.ledger, "EVE", "Eve", pin_hash=PIN_HASH, who=HOUSE, is_in_wallet=True
    )
    cash.deposit(pit.ledger, eve, 700, "first", HOUSE)
    cash.deposit(pit.ledger, pit.ada, 1000, "won", HOUSE)
    secrets = tmp_path / "secrets"
    secrets.write_text(f"whsec_{base64.b64encode(SECRET).decode()}\n")
    config = tmp_path / "host.toml"
    config.write_text(
        f'db = "{place}"\nwallet = "{server.url}"\nwallet_secrets = "{secrets}"\n'
        "wallet_timeout_s = 1\n"
    )
    yield pit, str(config)
    pit.ledger.close()


def told(capsys, *words):
    """Exit code and output of a command."""
    code = run(["wallet", *words])
    return code, capsys.readouterr().out


def test_the_commands_report_json(night, server, capsys):
    """One object a line: linked, held, sent again, held and closed by hand, reconciled."""
    pit, config = night
    at = ("--config", config, "--json")
    wallet = ExternalWallet(pit.ledger, lambda: client_of(server), day_ends_hour=6, lanes=0)

    def rows(*words):
        code, text = told(capsys, *words, *at)
        return code, [json.loads(line) for line in text.splitlines()]

    assert rows("link", str(pit.ada)) == (0, [{"account": pit.ada, "new": True}])
    assert rows("link", str(pit.ada)) == (0, [{"account": pit.ada, "new": False}])
    for now in (0.0, 100.0):
        wallet.run_once(now)
    code, [held] = rows("open")
    number, key = str(held["transfer"]), held["key"]
    assert (code, held["state"], held["player_number"], held["cents"]) == (0, "held", "EVE", 700)
    code, [again] = rows("retry", number, "--reason", "sent again")
    assert (code, again["state"], again["key"] == key) == (0, "queued", False)
    wallet.run_once(200.0)
    code, [closed] = rows("close", number, "--reason", "ticket 4711")
    assert (code, closed["closed"]) == (0, True)
    assert rows("open") == (0, [{"transfers": 0}])
    day = wallet.day(pit.clock.wall_ns())
    code, [by_hand, done] = rows("reconcile", "--day", day)
    assert (code, by_hand["by_hand"], by_hand["player_number"]) == (0, True, "EVE")
    assert (done["agreed"], done["differences"], done["open"]) == (1, 0, 0)
    assert [kind for kind, _ in pit.alarms()].count("rights") == 1
    wallet.stop()


def test_the_commands_of_the_wallet(night, server, capsys):
    """Linked, delivered, refused, opened again, and reconciled after each."""
    pit, config = night
    at = ("--config", config)
    assert told(capsys, "link", str(pit.ada), *at)[0] == 0
    wallet = ExternalWallet(pit.ledger, lambda: client_of(server), day_ends_hour=6, lanes=0)
    day = wallet.day(pit.clock.wall_ns())
    for now in (0.0, 100.0):
        wallet.run_once(now)
    code, text = told(capsys, "open", *at)
    assert code == 0
    assert "held: transfer 1, payment of 101000 cents" in text or "player EVE" in text
    code, text = told(capsys, "reconcile", "--day", day, *at)
    assert code == 5
    assert "1 movements agree, 0 differ, 1 are open" in text
    server.book.open("EVE", 0)
    held = next(line.split()[2].strip(",") for line in text.splitlines() if "held" in line)
    assert told(capsys, "retry", held, "--reason", "account opened", *at)[0] == 0
    for now in (200.0, 300.0):
        wallet.run_once(now)
    code, text = told(capsys, "reconcile", "--day", day, *at)
    assert (code, server.book.balances["EVE"]) == (0, 700)
    server.book._entries[0]["cents"] += 1
    code, text = told(capsys, "reconcile", "--day", day, *at)
    assert code == 7
    assert "amount:" in text
    assert told(capsys, "close", held, "--reason", "no", *at)[0] == 1
