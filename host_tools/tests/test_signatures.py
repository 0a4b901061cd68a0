"""Decisions are signed: what another person did cannot be given to a user.

The owner of the database changes rows with sqlite3, computes the whole chain again, and `ledger
verify` finds it. A session is accepted only if a host of the database opened it.
"""

import hashlib
import shutil
import sqlite3
from contextlib import closing

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from host_tools.tests.pit import Pit
from host_tools.tests.rechained import rechain
from host_tools.tests.served import PASSWORD, Host
from host_tools.tests.test_chain import chain_problems, owned
from tabletools.cli.main import run
from tabletools.errors import UNSOUND, ToolError
from tabletools.pit.host_keys import beside
from tabletools.store import LedgerRejection, Store, user_keys
from tabletools.store.user_keys import SealedKey
from tabletools.table import rulings

DAY_CENTS = 10_000_000
OWN = "eleven blue herons"


def move(client, account, what, cents, key, **more):
    where = f"/v1/accounts/{account}/{what}"
    answer = client.post(where, json={"cents": cents, **more}, headers={"Idempotency-Key": key})
    assert answer.status_code == 201, answer.text
    return answer.json()


def decide_much(host):
    """Users log in, pay in and out, confirm, hold, release, and change each other."""
    for name, role in (("Sue", "supervisor"), ("Cas", "cashier"), ("Sam", "supervisor")):
        host.user(name, role)
    host.user("Amy", "auditor")
    sue, cas = host.login("Sue"), host.login("Cas")
    player = {"player_number": "1", "name": "Ada"}
    account = cas.post("/v1/accounts", json=player).json()["id"]
    move(cas, account, "deposits", 50_000, "a")
    second = {"second": {"name": "Sam", "password": PASSWORD}}
    move(sue, account, "deposits", DAY_CENTS + 1, "b", **second)
    move(cas, account, "payouts", 1_000, "c")
    held = move(cas, account, "held-payouts", DAY_CENTS, "d")["id"]
    where = f"/v1/held-payouts/{held}/decision"
    body = {"released": True, "reason": "Passport seen"}
    assert sue.post(where, json=body, headers={"Idempotency-Key": "e"}).status_code == 200
    new = {"name": "Dan", "role": "dealer", **second}
    fresh = sue.post("/v1/users", json=new).json()
    dan = host.client()
    answer = dan.post("/v1/login", json={"name": "Dan", "password": fresh["password"]})
    dan.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
    body = {"old": fresh["password"], "new": OWN, **second}
    assert dan.post("/v1/me/password", json=body).status_code == 204
    assert sue.patch("/v1/users/4", json={"role": "dealer", **second}).status_code == 200


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    """A ledger with decisions of every kind that needs no table, and its host stopped."""
    place = str(tmp_path_factory.mktemp("signed") / "ledger")
    with Host(place) as host:
        decide_much(host)
    host.ledger.close()
    return place


@pytest.fixture
def place(decided, tmp_path):
    """A copy of it to change."""
    return str(shutil.copy(decided, tmp_path / "ledger"))


def rows(place, query):
    with closing(sqlite3.connect(place)) as db:
        return db.execute(query).fetchall()


def test_every_decision_has_the_signature_of_its_user(decided, capsys):
    """By hand: 2 deposits, 1 confirmed, 2 payouts, 1 held, 1 released, 4 keys, 3 x 2 on users."""
    query = (
        "SELECT a.action, count(*), count(s.audit_seq) FROM audit_log a"
        " LEFT JOIN signatures s ON s.audit_seq = a.seq WHERE a.user_id IS NOT NULL"
        " AND a.action NOT IN ('login', 'session_opened', 'session_closed') GROUP BY 1"
    )
    assert {row[0]: row[1:] for row in rows(decided, query)} == {
        "deposit": (2, 2),
        "payment_confirmed": (1, 1),
        "payout": (2, 2),
        "payout_held": (1, 1),
        "payout_released": (1, 1),
        "key_added": (4, 4),
        "user_created": (2, 2),
        "user_changed": (4, 4),
    }
    assert run(["ledger", "verify", decided]) == 0
    out = capsys.readouterr().out
    assert (
        "decisions: 17 signed; not signed: 0 older than the first key of a user, 4 of pro" in out
    )


def first(place, action):
    [(seq,)] = rows(place, f"SELECT min(seq) FROM audit_log WHERE action = '{action}'")
    return seq


def give_to_another(db, place):
    """The audit row of Cas's deposit becomes one of Sue's."""
    seq = first(place, "deposit")
    db.execute("UPDATE audit_log SET user_id = 1, who = 'Sue' WHERE seq = ?", (seq,))
    db.execute("UPDATE postings SET user_id = 1 WHERE kind = 'deposit' AND user_id = 2")


def give_with_signature(db, place):
    """The same, and the key of the signature is Sue's."""
    give_to_another(db, place)
    seq = first(place, "deposit")
    key = "SELECT id FROM user_keys WHERE user_id = 1"
    db.execute(f"UPDATE signatures SET user_key_id = ({key}) WHERE audit_seq = ?", (seq,))


def more_money(db, place):
    """The deposit of 500.00 was one of 600.00: lines, balances and the audit row agree."""
    db.execute("UPDATE ledger_lines SET amount_cents = amount_cents * 6 / 5 WHERE posting_id = 1")
    db.execute("UPDATE accounts SET balance_cents = balance_cents + 10000 WHERE kind = 'player'")
    db.execute("UPDATE accounts SET balance_cents = balance_cents - 10000 WHERE kind = 'cash'")
    detail = "replace(detail, '50000', '60000')"
    seq = first(place, "deposit")
    db.execute(f"UPDATE audit_log SET detail = {detail} WHERE seq = ?", (seq,))


def money_without_decision(db, place):
    """The posting of the last payout is halved, the audit log says what was decided."""
    [(posting,)] = rows(place, "SELECT max(id) FROM postings")
    half = f"SELECT max(amount_cents) / 2 FROM ledger_lines WHERE posting_id = {posting}"
    for kind, sign in (("player", "+"), ("cash", "-")):
        change = f"balance_cents = balance_cents {sign} ({half})"
        db.execute(f"UPDATE accounts SET {change} WHERE kind = '{kind}'")
    line = "UPDATE ledger_lines SET amount_cents = amount_cents / 2 WHERE posting_id = ?"
    db.execute(line, (posting,))


def remove_signature(db, place):
    db.execute("DELETE FROM signatures WHERE audit_seq = ?", (first(place, "payout"),))


def swap_signatures(db, place):
    """Two decisions of one user have each other's signature."""
    one, two = first(place, "deposit"), first(place, "payout")
    for old, new in ((one, -1), (two, one), (-1, two)):
        db.execute("UPDATE signatures SET audit_seq = ? WHERE audit_seq = ?", (new, old))


def replace_key(db, place):
    """Sue's key is one of the thief, who has no signature of hers with it."""
    public = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
    db.execute("UPDATE user_keys SET public_key = ? WHERE user_id = 1", (public,))


def add_key(db, place):
    """Sue has a second key, of the thief, but no reset."""
    db.execute("UPDATE user_keys SET retired_ns = 1 WHERE user_id = 1")
    db.execute("INSERT INTO user_keys VALUES (99, 1, x'00', x'00', x'00', 1, NULL)")
    row = "('key_added', 'user 1', '{\"key\":99,\"public\":\"00\"}')"
    where = "(at_ns, user_id, who, action, subject, detail)"
    db.execute(f"INSERT INTO audit_log {where} VALUES (1, 1, 'Sue', {row[1:]}")


def more_rights(db, place):
    db.execute("UPDATE users SET role = 'supervisor' WHERE name = 'Dan'")


def enable_again(db, place):
    db.execute("UPDATE users SET enabled = 0 WHERE name = 'Sam'")


def older_row(db, place):
    """A row that no user signed, from before the last decisions: they signed the chain over it."""
    db.execute("UPDATE audit_log SET subject = 'session 9' WHERE action = 'session_opened'")


def other_reason(db, place):
    db.execute("UPDATE payout_decisions SET reason = 'A friend'")


def forge_program(db, place):
    """The decision becomes one of a program, which signs nothing; its signature is removed."""
    seq = first(place, "deposit")
    db.execute("UPDATE audit_log SET user_id = NULL, who = 'house' WHERE seq = ?", (seq,))
    db.execute("DELETE FROM signatures WHERE audit_seq = ?", (seq,))


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        (give_to_another, "(deposit by Sue): signed with the key of another user"),
        (give_with_signature, "(deposit by Sue): the signature does not match"),
        (more_money, "(deposit by Cas): the signature does not match"),
        (money_without_decision, "payout of -5000000 cents by user 1, which the audit log does n"),
        (remove_signature, "(payout by Cas): not signed"),
        (swap_signatures, "(payout by Cas): the signature does not match"),
        (replace_key, "user_keys 1: user 1 did not add this key"),
        (add_key, "user_keys 99: replaced that of user 1, whose password was not reset"),
        (more_rights, "(Dan): role is supervisor, the audit log decided dealer"),
        (enable_again, "(Sam): enabled is 0, the audit log decided 1"),
        (older_row, "the signature does not match, so this row, the key, or the chain up to"),
        (other_reason, "held payout 1: a ruling of user 1 is not in the audit log"),
        (forge_program, "the signature does not match, so this row, the key, or the chain up to"),
    ],
)
@pytest.mark.one_in(2)
def test_what_the_owner_changes_is_found_though_the_chain_agrees(place, attack, said, capsys):
    with owned(place) as db:
        attack(db, place)
    rechain(place)
    assert chain_problems(place) == []  # what `verify` had found before decisions were signed
    assert run(["ledger", "verify", place]) == UNSOUND
    assert said in capsys.readouterr().err


def keyed(pit):
    """The two users of a pit, with keys."""
    both = []
    for who in pit.both:
        key = SealedKey(Ed25519PrivateKey.generate(), b"salt", b"sealed")
        both.append(pit.ledger.run(lambda db, who=who, key=key: user_keys.store(db, who, key, 1)))
    pit.both = both


def test_rulings_are_signed_by_both_and_not_moved_to_another(tmp_path, capsys):
    """A round without a result is ruled on, a late bet too; another reason is found."""
    place = str(tmp_path / "ledger")
    pit = Pit(place)
    keyed(pit)
    pit.play(1, None, (pit.ada, "red", 1000))
    pit.rule(1, {"pocket": "16"})
    pit.ledger.close()
    assert run(["ledger", "verify", place]) == 0
    assert "decisions: 4 signed" in capsys.readouterr().out
    for column, value in (("reason", "'bribe'"), ("second_user", "3")):
        forged = str(shutil.copy(place, tmp_path / "forged"))
        with owned(forged) as db:
            change = f"UPDATE round_settlements SET {column} = {value} WHERE generation = 2"
            assert db.execute(change).rowcount == 1
        rechain(forged)
        assert chain_problems(forged) == []
        assert run(["ledger", "verify", forged]) == UNSOUND
        assert "a ruling of user" in capsys.readouterr().err


def test_without_the_key_nothing_is_decided(tmp_path):
    """Once a user has a key every decision is signed: a program of the host cannot act as Sue."""
    pit = Pit(str(tmp_path / "ledger"))
    bare = pit.both
    keyed(pit)
    pit.play(1, None, (pit.ada, "red", 1000))
    ruling = rulings.Ruling({"pocket": "16"}, bare, "seen", 1, "k", "camera 4")
    with pytest.raises(LedgerRejection) as refused:
        rulings.rule_round(pit.ledger, pit.lease, pit.key(1), ruling)
    assert refused.value.code == "signature_needed"
    pit.ledger.close()


# --- keys of users -------------------------------------------------------------------------------


def key_rows(place):
    query = "SELECT user_id, hex(public_key), retired_ns IS NOT NULL FROM user_keys ORDER BY id"
    return rows(place, query)


def test_the_key_stays_with_another_password_and_goes_with_a_reset(tmp_path, capsys):
    """Changed: the same key, sealed again. Reset by Sue and Sam: a new one, both verify."""
    place = str(tmp_path / "ledger")
    with Host(place) as host:
        for name in ("Sue", "Sam", "Dan"):
            host.user(name, "supervisor")
        sue, dan = host.login("Sue"), host.login("Dan")
        [_, before] = key_rows(place)
        body = {"old": PASSWORD, "new": OWN}
        assert dan.post("/v1/me/password", json=body).status_code == 204
        assert key_rows(place)[1] == before
        order = {"name": "Dan", "password": OWN}
        assert host.client().post("/v1/login", json=order).status_code == 200
        second = {"second": {"name": "Sam", "password": PASSWORD}}
        reset = sue.patch("/v1/users/3", json={"reset_password": True, **second}).json()
        fresh = host.client()
        order = {"name": "Dan", "password": reset["password"]}
        fresh.headers["X-CSRF-Token"] = fresh.post("/v1/login", json=order).json()["csrf_token"]
        body = {"old": reset["password"], "new": OWN, **second}
        assert fresh.post("/v1/me/password", json=body).status_code == 204
        old, new = [row for row in key_rows(place) if row[0] == 3]
        assert old == (*before[:2], 1)
        assert (new[1] != old[1], new[2]) == (True, 0)
        player = {"player_number": "1", "name": "Ada"}
        account = fresh.post("/v1/accounts", json=player).json()["id"]
        move(fresh, account, "deposits", 100, "after")  # the login kept can sign at once
    host.ledger.close()
    assert run(["ledger", "verify", place]) == 0, capsys.readouterr().err


def test_a_password_written_with_sqlite3_opens_nothing(tmp_path):
    """The thief writes a hash of her own for Sue: it fits, and the key does not belong to it."""
    place = str(tmp_path / "ledger")
    with Host(place) as host:
        host.user("Sue", "supervisor")
        host.login("Sue")
        forged = host.passwords.hashed(OWN, "Sue")
        with closing(sqlite3.connect(place)) as db, db:
            db.execute("UPDATE users SET password_hash = ?", (forged,))
        answer = host.client().post("/v1/login", json={"name": "Sue", "password": OWN})
        assert (answer.status_code, answer.json()["code"]) == (401, "key_damaged")
    host.ledger.close()


# --- sessions ------------------------------------------------------------------------------------


@pytest.fixture
def host(tmp_path):
    with Host(str(tmp_path / "ledger")) as new_host:
        new_host.user("Sue", "supervisor")
        new_host.user("Amy", "auditor")
        yield new_host
    new_host.ledger.close()


def written(host, statement, *values):
    with closing(sqlite3.connect(host.ledger.engine.url.database)) as db, db:
        return db.execute(statement, values).rowcount


def test_a_session_written_with_sqlite3_is_no_login(host):
    """It was a supervisor's at once."""
    digest = hashlib.sha256(b"thief").digest()
    fields = "(token_hash, user_id, opened_ns, expires_ns, mac)"
    for mac in (None, bytes(32)):
        written(host, "DELETE FROM sessions")
        insert = f"INSERT INTO sessions {fields} VALUES (?, 1, 1, ?, ?)"
        written(host, insert, digest, 2**62, mac)
        thief = host.client()
        thief.cookies.set(host.state.cookie, "thief")
        assert thief.get("/v1/me").json()["code"] == "not_logged_in"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE sessions SET user_id = 1",
        "UPDATE sessions SET expires_ns = expires_ns + 1",
        "UPDATE users SET role = 'supervisor' WHERE id = 2",
        "UPDATE sessions SET mac = x'00'",
    ],
)
def test_a_login_gives_what_it_was_opened_for(host, change):
    """Amy's own session, of another user, for longer, with another role: none is accepted."""
    amy = host.login("Amy")
    assert amy.get("/v1/me").status_code == 200
    assert written(host, change) == 1
    assert amy.get("/v1/me").json()["code"] == "not_logged_in"


def test_a_seat_moved_to_another_player_is_none(host):
    """A thief who sits as Ben gets Ada's account with sqlite3, after a restart of the host."""
    sue = host.login("Sue")
    accounts = [
        sue.post("/v1/accounts", json={"player_number": name, "name": name}).json()["id"]
        for name in ("ADA", "BEN")
    ]
    insert = "INSERT INTO sessions (token_hash, account_id, opened_ns, expires_ns) VALUES"
    digest = hashlib.sha256(b"thief").digest()
    written(host, f"{insert} (?, ?, 1, ?)", digest, accounts[0], 2**62)
    with pytest.raises(Exception, match="no open session"):
        host.state.seats.player("thief")


def test_another_host_of_the_database_signs_for_the_same_login(tmp_path):
    """Both have the key of sessions, and the token unseals the user's: also after a restart."""
    place = str(tmp_path / "ledger")
    with Host(place) as one:
        one.user("Sue", "supervisor")
        sue = one.login("Sue")
        cookies, token = dict(sue.cookies), sue.headers["X-CSRF-Token"]
    one.ledger.close()
    with Host(place) as two:
        again = two.client(**{"X-CSRF-Token": token})
        again.cookies.update(cookies)
        player = {"player_number": "1", "name": "Ada"}
        account = again.post("/v1/accounts", json=player).json()["id"]
        move(again, account, "deposits", 100, "a")
    two.ledger.close()
    assert rows(place, "SELECT count(*) FROM signatures") == [(2,)]  # her key and the deposit


def test_with_another_key_everybody_logs_in_again(tmp_path):
    """The file is lost: a new one is made, no session is accepted, and a login is."""
    place = str(tmp_path / "ledger")
    with Host(place) as one:
        one.user("Sue", "supervisor")
        cookies = dict(one.login("Sue").cookies)
    one.ledger.close()
    file = beside(place, ".session-key")
    assert file.stat().st_mode & 0o777 == 0o600
    file.unlink()
    with Host(place) as two:
        again = two.client()
        again.cookies.update(cookies)
        assert again.get("/v1/me").json()["code"] == "not_logged_in"
        assert two.login("Sue").get("/v1/me").status_code == 200
    two.ledger.close()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda file: file.chmod(0o640), "others may read the key of sessions"),
        (lambda file: file.write_text("1234"), "this is not a key of sessions"),
        (lambda file: (file.unlink(), file.mkdir()), "cannot read the key of sessions"),
    ],
)
def test_a_key_of_sessions_that_is_none_ends_the_start(tmp_path, change, said):
    from tabletools.pit import host_keys
    from tabletools.pit.settings import Settings

    ledger = Store.open(tmp_path / "ledger")
    settings = Settings(session_key=str(tmp_path / "key"))
    first_key = host_keys.session_key(settings, ledger)
    assert (len(first_key), host_keys.session_key(settings, ledger)) == (32, first_key)
    change(tmp_path / "key")
    with pytest.raises(ToolError, match=said):
        host_keys.session_key(settings, ledger)
    ledger.close()


def test_after_the_end_of_a_login_its_key_is_gone(host):
    """Not even the token and the database unseal it."""
    sue = host.login("Sue")
    query = "SELECT sealed_key IS NULL FROM sessions ORDER BY id DESC LIMIT 1"
    place = host.ledger.engine.url.database
    assert rows(place, query) == [(0,)]
    sue.post("/v1/logout")
    assert rows(place, query) == [(1,)]
