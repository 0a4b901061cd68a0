"""An evidence file proves its rounds by itself; every change of it is found, with the place."""

import hashlib
import json
import random
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import event

from host_tools.tests.pit import BOOT, DEVICE, DURABLE, Pit, result
from tabletools import hash_tree, release
from tabletools.cli.main import run
from tabletools.cli.open_database import reading as reading_database
from tabletools.errors import UNSOUND, USER, ToolError
from tabletools.evidence import alarms
from tabletools.evidence.stored_traces import Traces
from tabletools.evidence_file import checking, layout, proof, reading, writing
from tabletools.extras import packages_by_extra
from tabletools.link import Proof
from tabletools.money import adjustments
from tabletools.pit import checkpoints
from tabletools.pit.settings import Settings
from tabletools.store import chain, user_keys
from tabletools.store.schema import METADATA
from tabletools.store.schema.base import APPEND_ONLY
from tabletools.store.schema.chain import key_names, value_columns
from tabletools.store.signatures import OnceSigner
from tabletools.store.user_keys import SealedKey
from tablewire import seal
from tablewire.framing import Receiver
from tablewire.messages import PHASE_CLOSED, TRACE_CHUNK
from tablewire.roulette import WHEEL_RESULT
from tablewire.sender import Sender

SESSION = Proof(1, BOOT, b"hostnonc", b"devnonce")
HEX = re.compile("[0-9a-f]{64,}")
WHOLE = "the signature over the whole file is wrong"


def signing(pit, actor):
    """The user with a key, as after a login."""
    key = SealedKey(Ed25519PrivateKey.generate(), b"salt", b"sealed")
    now_ns = pit.clock.wall_ns()
    return pit.ledger.run(lambda db: user_keys.store(db, actor, key, now_ns))


def checkpoint(pit):
    with checkpoints.checkpointing(pit.ledger, Settings(), lambda *_: None):
        pass


def keep_trace(pit, number):
    """The trace of a round comes in two frames of a session."""
    wires = [
        pit.frame(TRACE_CHUNK, (number, offset, 60, bytes(range(offset, offset + 30))), flags=0)
        for offset in (0, 30)
    ]
    Traces(pit.ledger).keep(DEVICE, number, b"".join(wires), SESSION)
    pit.beat(PHASE_CLOSED)  # those frames were no records: nothing is missing


def played(place):
    """Three rounds; the first is corrected by two users who sign, and adjusted."""
    pit = Pit(place)
    pit.both = [signing(pit, actor) for actor in pit.both]
    pit.play(1, 17, (pit.ada, "red", 500), (pit.ben, "black", 500))
    keep_trace(pit, 1)
    checkpoint(pit)
    pit.play(2, None, (pit.ada, "red", 500))
    pit.rule(1, {"pocket": "5"})
    wanted = adjustments.Adjustment(
        pit.ada, 100, pit.table, pit.both, "a chip fell", "camera 2", "k", pit.key(1)
    )
    adjustments.adjust(pit.ledger, wanted)
    pit.play(3, 0, (pit.ada, "red", 500))
    disputed(pit, 1)
    checkpoint(pit)
    pit.ledger.close()


def disputed(pit, number):
    """An alarm about a round, which a user acknowledges."""
    cause = alarms.AlarmCause(
        alarms.UNSETTLED, "a player disputes it", DEVICE, pit.table, pit.key(number)
    )
    now_ns = pit.clock.wall_ns()
    alarm = pit.ledger.run(lambda db: alarms.raise_alarm(db, cause, now_ns))
    alarms.acknowledge(pit.ledger, alarm, pit.both[0], "looked at the camera")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A ledger, its public key, and the file of round 1."""
    folder = tmp_path_factory.mktemp("evidence")
    place = folder / "pit.ledger"
    played(place)
    file = folder / "round.evidence"
    words = ["evidence", "export", str(place), str(file), "--table", "R1", "--round", "1"]
    assert run(words) == 0
    public = folder / "pit.ledger.checkpoint.pub"
    key = release.read_private(folder / "pit.ledger.checkpoint.key")
    return SimpleNamespace(place=place, file=file, data=file.read_bytes(), public=public, key=key)


def problems(made, data, tmp_path, *, named=True):
    """What is wrong with a file of these bytes."""
    file = tmp_path / "changed.evidence"
    file.write_bytes(data)
    key = release.read_public(made.public) if named else None
    try:
        return checking.check(file, key).problems
    except ToolError as error:
        return [error.what]


def parsed(made):
    return [json.loads(line) for line in made.data.splitlines()]


def joined(lines):
    return b"".join(map(layout.line_of, lines))


def signed(lines, key):
    """As who has the key of the host can write it."""
    body = joined(lines[:-1])
    signature = key.sign(layout.DOMAIN + hashlib.sha256(body).digest()).hex()
    return body + layout.line_of({"signature": signature, "lines": len(lines) - 1})


# --- what is proved ------------------------------------------------------------------------------


def test_a_decision_by_a_sign_on_is_signed_but_the_provider_not_known(tmp_path, capsys):
    """The key signed it; whether the token is the provider's, the file alone does not prove."""
    place, file = tmp_path / "pit.ledger", tmp_path / "round.evidence"
    proof = {"issuer": "https://id.example", "subject": "1", "token": "a.b.c", "key": {}}
    pit = Pit(place)
    pit.both = [
        user._replace(signer=OnceSigner(Ed25519PrivateKey.generate(), proof)) for user in pit.both
    ]
    pit.play(1, 17, (pit.ada, "red", 500))
    pit.rule(1, {"pocket": "5"})
    checkpoint(pit)
    pit.ledger.close()
    words = ["evidence", "export", str(place), str(file), "--table", "R1", "--round", "1"]
    assert run(words) == 0
    assert run(["evidence", "check", str(file)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "4 decisions are signed" in out
    assert "that https://id.example let its user sign on for it: its token is in the file" in out


def test_a_round_is_proved_without_its_database(made, capsys):
    """By hand: 3 frames; 17 paid black; corrected to 5, red; 2 settlements of 2 bets."""
    assert run(["evidence", "check", str(made.file), "--key", str(made.public)]) == 0
    out = capsys.readouterr().out
    assert 'round 1 of device 7: {"pocket": "5"}, 2 bets, 3 frames' in out
    assert "proved: 3 frames are what their recorded fields say" in out
    assert "proved: 2 settlements of 4 bets" in out
    # Two keys added, two rulings, two adjustments.
    assert "proved: 6 decisions are signed with the keys of their users" in out
    assert "the time of" not in out
    assert "without a signature" not in out


def test_it_takes_no_extra(made):
    """The bare install checks a file: no package of an extra is imported."""
    lacking = sorted(set.union(*map(set, packages_by_extra().values())))
    script = (
        "import sys; from tabletools.cli.main import run\n"
        f"for name in {[*lacking, 'cv2', 'PIL', 'argon2']}: sys.modules[name] = None\n"
        f"sys.exit(run(['evidence', 'check', {str(made.file)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "proved: 2 settlements" in done.stdout


def test_without_the_key_of_the_host_the_signer_is_not_proved(made, capsys):
    assert run(["evidence", "check", str(made.file), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["holds"] is True
    assert facts["not_proved"][0].startswith("whose key signed the file")
    assert facts["rounds"][0]["generations"] == 2


def test_what_it_has_of_the_round(made):
    """Everything by table, and nothing of the other rounds, of names, or of a secret."""
    lines = parsed(made)
    rows = {}
    for line in lines:
        for name, some in line.get("rows", {}).items():
            rows.setdefault(name, []).extend(some)
    counts = {name: len(some) for name, some in rows.items()}
    assert counts["frames"] == 3
    assert counts["traces"] == counts["line_sessions"] == counts["rounds"] == 1
    assert (counts["bets"], counts["settlements"], counts["round_settlements"]) == (2, 4, 2)
    assert counts["adjustments"] == 1
    assert counts["signatures"] == 6
    texts = [each for some in rows.values() for row in some for each in row if type(each) is str]
    assert "Sue" in texts
    plain = [HEX.sub("", text) for text in texts]  # a key may have three letters of a name
    assert not [text for text in plain if "ada" in text.lower() or "sealed" in text]
    assert not {"accounts", "users", "sessions", "pins", "user_keys"} & rows.keys()
    assert all(bet[2] == 1 for bet in rows["bets"])


def test_a_day_has_every_round_once(made, tmp_path, capsys):
    file = tmp_path / "day.evidence"
    words = ["--table", "1", "--day", "2027-01-15"]
    assert run(["evidence", "export", str(made.place), str(file), *words, "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert (written["rounds"], written["bytes"]) == (3, file.stat().st_size)
    assert run(["evidence", "check", str(file), "--key", str(made.public), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [each["round"] for each in facts["rounds"]] == [1, 2, 3]
    assert facts["rounds"][1]["outcome"] == {"void": "system_interruption"}


def test_the_alarms_of_a_round_are_in_it(made, capsys):
    """As they are at the time of the export, acknowledged; another round's are not."""
    assert run(["evidence", "check", str(made.file), "--key", str(made.public), "--json"]) == 0
    [alarm] = json.loads(capsys.readouterr().out)["rounds"][0]["alarms"]
    assert (alarm["kind"], alarm["text"]) == (alarms.UNSETTLED, "a player disputes it")
    assert alarm["acknowledged_ns"] is not None
    assert run(["evidence", "check", str(made.file), "--key", str(made.public)]) == 0
    assert "  alarm unsettled: a player disputes it; " in capsys.readouterr().out
    other = made.file.with_name("other.evidence")
    words = ["evidence", "export", str(made.place), str(other), "--table", "R1", "--round", "3"]
    assert run(words) == 0
    assert b"disputes" not in other.read_bytes()


def test_a_day_takes_few_statements_a_round(tmp_path):
    """Two bets a round: the rows of each table in its entries; the chain is read in blocks."""
    place = tmp_path / "pit.ledger"
    pit = Pit(place)
    for number in range(1, 21):
        pit.play(number, 17, (pit.ada, "red", 500), (pit.ben, "black", 500))
    checkpoint(pit)
    pit.ledger.close()
    statements = []
    with reading_database(str(place)) as db:
        rounds = writing.rounds_of_day(db, 1, 0, 1 << 62)
        event.listen(db, "before_cursor_execute", lambda *each: statements.append(each[2]))
        wanted = writing.Wanted(1, "R1", rounds, "a day")
        signing = writing.Signing(Ed25519PrivateKey.generate(), tmp_path / "none")
        writing.encoded(db, wanted, signing, 0)
    assert len(rounds) == 20
    assert len(statements) < 30 * len(rounds)


def test_a_round_after_the_newest_checkpoint_is_proved_by_the_export_alone(tmp_path, capsys):
    place = tmp_path / "ledger"
    pit = Pit(place)
    checkpoint(pit)
    pit.play(1, 17, (pit.ada, "red", 500))
    pit.ledger.close()
    file = str(tmp_path / "it")
    assert run(["evidence", "export", str(place), file, "--table", "R1", "--round", "1"]) == 0
    assert "entries are in no checkpoint with a tree" in capsys.readouterr().out
    assert run(["evidence", "check", file]) == 0
    assert "not proved: the time of 4 entries" in capsys.readouterr().out


def test_the_tree_of_a_checkpoint_is_bounded(tmp_path, monkeypatch):
    """A host signs in a transaction: the first tree of an old ledger has its newest entries."""
    monkeypatch.setattr("tabletools.store.checkpoint.MOST_LEAVES", 3)
    pit = Pit(tmp_path / "ledger")
    pit.play(1, 17, (pit.ada, "red", 500))
    checkpoint(pit)
    line = json.loads((tmp_path / "ledger.checkpoints").read_text())["checkpoint"]
    with pit.ledger.read() as db:
        digests = [bytes.fromhex(chain.digest_at(db, line["seq"] - back)) for back in (2, 1, 0)]
    pit.ledger.close()
    assert line["entries"] == 3
    assert line["root"] == hash_tree.root(digests).hex()


def test_columns_are_those_of_the_ledger():
    for name, (count, columns) in layout.COLUMNS.items():
        table = METADATA.tables[name]
        assert list(columns) == value_columns(table), name
        assert count == len(key_names(table)), name
        assert (name in layout.CHANGING) == (name not in APPEND_ONLY), name


def test_digests_are_those_of_the_chain(made):
    """Written twice, so compared: what the ledger computed, and what the check computes."""
    for part in reading.read(made.file).parts:
        entry, previous = part.entry, bytes.fromhex(part.entry.previous)
        wanted = chain.entry_digest(previous, entry.seq, entry.at_ns, entry.rows)
        assert proof.entry_digest(part) == wanted
        for rows in part.rows.values():
            assert proof.row_digest(rows) == chain.digest_of(rows)


# --- every change of a file ----------------------------------------------------------------------


def changed(value):
    """Another value of the same type."""
    if value is None:
        return 1
    if isinstance(value, str):
        last = value[-1:]
        return value[:-1] + {"0": "1", "a": "b"}.get(last, "0") if value else "x"
    return value + 1


def leaves(value, path=()):
    """The places of all values in a line."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in items:
        if isinstance(each, dict | list):
            yield from leaves(each, (*path, key))
        else:
            yield *path, key


def test_every_field_that_is_changed_is_found(made, tmp_path):
    """Without the key of the host: in an entry or a checkpoint also the place is named."""
    lines, places = parsed(made), set()
    for number, line in enumerate(lines):
        for path in leaves(line):
            kind = next(iter(line)), *(key for key in path if type(key) is str)
            column = path[-1] if kind[1] == "rows" else None
            if (*kind, column) in places:
                continue  # of another row of the table
            places.add((*kind, column))
            copy = json.loads(made.data.splitlines()[number])
            inner = copy
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = changed(inner[path[-1]])
            wrong = problems(made, joined([*lines[:number], copy, *lines[number + 1 :]]), tmp_path)
            assert wrong, (number, path)
            if "entry" in line or "checkpoint" in line:
                assert any(not each.startswith(WHOLE) for each in wrong), (number, path, wrong)
    assert len(places) > 150


def test_lines_dropped_repeated_and_swapped(made, tmp_path):
    lines = parsed(made)
    for number in range(1, len(lines)):
        without = [*lines[:number], *lines[number + 1 :]]
        assert problems(made, joined(without), tmp_path), number
        twice = [*lines[:number], lines[number], *lines[number:]]
        assert problems(made, joined(twice), tmp_path), number
        if number + 1 < len(lines):
            other = [*lines[:number], lines[number + 1], lines[number], *lines[number + 2 :]]
            assert problems(made, joined(other), tmp_path), number


@pytest.mark.parametrize("fields", [{"more": 1}, {"entries": "3"}, {"seq": True}])
def test_a_checkpoint_of_other_fields_is_refused(made, fields, tmp_path):
    """With the number of its line."""
    lines = parsed(made)
    place = next(place for place, line in enumerate(lines) if "checkpoint" in line)
    lines[place] = {**lines[place], "checkpoint": lines[place]["checkpoint"] | fields}
    [what] = problems(made, joined(lines), tmp_path)
    assert what.startswith(f"line {place + 1}: ")


def test_a_file_that_is_cut_off_is_refused(made, tmp_path):
    size = len(made.data)
    for end in [*range(0, size, 97), size - 1, size - 2]:
        [what] = problems(made, made.data[:end], tmp_path)
        assert "cut off" in what or "not an evidence file" in what, end


def test_another_key_is_refused(made, tmp_path, capsys):
    release.make_keys(tmp_path / "other.key")
    other = ["--key", str(tmp_path / "other.pub")]
    assert run(["evidence", "check", str(made.file), *other]) == UNSOUND
    error = capsys.readouterr().err
    assert "another key than the one named" in error
    assert "the key of the host did not sign it" in error
    assert WHOLE in error


def test_the_proof_of_another_round_is_refused(made, tmp_path):
    """An entry with the proof of its neighbour, also where the host signs the file again."""
    lines = parsed(made)
    numbers = [number for number, line in enumerate(lines) if "entry" in line]
    lines[numbers[0]]["proof"] = lines[numbers[1]]["proof"]
    wrong = problems(made, signed(lines, made.key), tmp_path)
    seq = lines[numbers[0]]["entry"]["seq"]
    assert [each for each in wrong if each.startswith(f"entry {seq} ")]


# --- who has the key of the host, or of a table --------------------------------------------------


def rewritten(made, table, change, *, signer=None):
    """The host writes a file with other rows, whose digests fit: no checkpoint has its entries."""
    lines = parsed(made)
    for line in lines:
        if table in line.get("rows", {}):
            groups, rows = json.loads(line["entry"]["rows"]), line["rows"][table]
            change(rows)
            if not rows:
                del groups[table], line["rows"][table]
            else:
                stored = [tuple(map(as_stored, row)) for row in rows]
                if table in layout.CHANGING:
                    digests = {row[0]: proof.row_digest([row]) for row in stored}
                    for each in groups[table]:
                        each[1] = digests.get(each[0][0], each[1])
                else:
                    count = layout.COLUMNS[table][0]
                    keys = chain.pack_keys([row[:count] for row in stored])
                    groups[table] = {"keys": keys, "digest": proof.row_digest(stored)}
            line["entry"]["rows"] = json.dumps(groups, separators=(",", ":"))
    before = None
    for line in lines:
        if "entry" in line:
            line["proof"] = None
            entry = line["entry"]
            if before is not None and before[0] == entry["seq"] - 1:
                entry["previous"] = before[1].hex()
            digest = chain.entry_digest(
                bytes.fromhex(entry["previous"]), entry["seq"], entry["at_ns"], entry["rows"]
            )
            before = entry["seq"], digest
    return signed(lines, signer or made.key)


def as_stored(value):
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value


def column(table, name):
    return layout.COLUMNS[table][1].index(name)


def put(table, name, change):
    """Change a column of every row."""
    place = column(table, name)

    def write(rows):
        for row in rows:
            row[place] = change(row[place])

    return write


def other_frame(rows):
    """The result names another pocket, with all fields of the row in agreement."""
    for row in rows:
        if row[column("frames", "type")] == WHEEL_RESULT:
            payload = json.loads(row[column("frames", "payload")])
            payload["number"] = 18
            row[column("frames", "payload")] = json.dumps(payload)


def test_a_rewritten_file_that_tells_the_truth_holds(made, tmp_path):
    """The helper alone changes nothing: what the next test finds is what it changed.

    Signed decisions name entries that are not as they were, so they fail.
    """
    wrong = problems(made, rewritten(made, "bets", lambda rows: None), tmp_path)
    assert wrong == []


@pytest.mark.parametrize(
    ("table", "change", "what"),
    [
        ("settlements", put("settlements", "win_cents", lambda cents: cents + 500), "the shadow"),
        ("settlements", put("settlements", "rule", lambda _: "hc2023 9:9(9)"), "paragraphs"),
        ("results", put("results", "outcome", lambda _: '{"pocket": "18"}'), "its frames say"),
        ("frames", other_frame, "its bytes have a different payload"),
        ("frames", put("frames", "boot", lambda boot: boot + 1), "bytes have a different boot"),
        ("frames", lambda rows: rows.clear(), "frame that opened it is missing"),
        ("bets", put("bets", "stake_cents", lambda cents: cents * 2), "its stake was not posted"),
        ("bets", lambda rows: rows.clear(), "was settled and is missing"),
        ("ledger_lines", put("ledger_lines", "amount_cents", lambda cents: cents + 1), "add up"),
        ("rounds", put("rounds", "number", lambda number: number + 1), "not the one that"),
        ("rounds", put("rounds", "settled", lambda _: 1), "it was settled 1 times"),
        ("rounds", lambda rows: rows.clear(), "its row is missing"),
        ("alarms", put("alarms", "table_id", lambda table: table + 1), "is of another table"),
        ("terms", put("terms", "variant", lambda _: "american00"), "the shadow has"),
        ("terms", lambda rows: rows.clear(), "terms under which it was played are missing"),
        ("line_sessions", lambda rows: rows.clear(), ""),
        ("traces", put("traces", "bytes", lambda size: size - 1), "not the trace of this round"),
        ("traces", put("traces", "raw", lambda _: {"hex": "00"}), "not the trace of this round"),
        ("audit_log", put("audit_log", "user_id", lambda _: 9), "the key of the user did not"),
        ("audit_log", put("audit_log", "detail", lambda text: text + " "), "did not sign it"),
        ("signatures", put("signatures", "signature", lambda _: {"hex": "00" * 64}), "did not"),
        ("signatures", put("signatures", "user_key_id", lambda key: 3 - key), "did not sign it"),
        ("signatures", put("signatures", "after_seq", lambda _: 10**6), "did not sign it"),
        ("adjustments", put("adjustments", "amount_cents", lambda cents: -cents), "another amo"),
        ("round_settlements", put("round_settlements", "bets", lambda bets: 3), "do not add up"),
        ("round_settlements", put("round_settlements", "first_user", lambda user: 9), "decided"),
        ("postings", put("postings", "round_id", lambda _: 7), ""),
        ("postings", lambda rows: rows.clear(), "stake was not posted"),
    ],
)
def test_what_the_host_itself_cannot_write(made, tmp_path, table, change, what):
    """With its key, in entries that no checkpoint has: what does not follow is found anyway."""
    wrong = problems(made, rewritten(made, table, change), tmp_path)
    if what:
        assert any(what in each for each in wrong), wrong
    # Without a place in a checkpoint the file says that its time is not proved.
    report = checking.check(tmp_path / "changed.evidence", release.read_public(made.public))
    assert any(each.startswith("the time of") for each in report.not_proved)


def test_who_has_the_secret_of_the_session_alone_proves_nothing(made, tmp_path):
    """The tag of the forged frame is right, by the key that table and host share; the pocket is
    another. With a ledger of its own and a key of its own the forger writes a whole file."""
    secret = bytes(range(32))
    session = seal.Session(secret, DEVICE, BOOT, SESSION.host_nonce, SESSION.device_nonce)
    device = Sender(DEVICE, BOOT)
    device.round = 1
    wire = device.build(WHEEL_RESULT, result(18), DURABLE)
    [frame] = Receiver().feed(wire)
    assert session.table is not None
    assert frame.values
    forged = tmp_path / "forged.ledger"
    pit = Pit(forged)
    pit.play(1, 18, (pit.ada, "red", 500), (pit.ben, "black", 500))
    checkpoint(pit)
    pit.ledger.close()
    file = tmp_path / "forged.evidence"
    words = ["evidence", "export", str(forged), str(file), "--table", "R1", "--round", "1"]
    assert run(words) == 0
    assert run(["evidence", "check", str(file)]) == 0  # says that the signer is not proved
    assert run(["evidence", "check", str(file), "--key", str(made.public)]) == UNSOUND
    # Put into the file of the host, the frame is not what the chain has.
    lines = parsed(made)
    for line in lines:
        for row in line.get("rows", {}).get("frames", ()):
            if row[column("frames", "type")] == WHEEL_RESULT:
                row[column("frames", "raw")] = {"hex": wire.hex()}
    wrong = problems(made, joined(lines), tmp_path)
    assert any("frames" in each and "not as written" in each for each in wrong)


# --- files that are none -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\0" * 5000,
        b"[" * 100_000,
        b'{"is": 1}\n',
        b'{"is": "tablewire archive 1"}\n',
        b"\xff\xfe" * 100,
        b"9" * 10_000,
    ],
)
def test_garbage_is_no_evidence(tmp_path, capsys, data):
    file = tmp_path / "garbage"
    file.write_bytes(data)
    assert run(["evidence", "check", str(file)]) == USER
    assert "this is not an evidence file" in capsys.readouterr().err


def test_places_that_are_no_files(tmp_path, capsys):
    for place in (tmp_path / "typo", tmp_path):
        assert run(["evidence", "check", str(place)]) == USER
        assert "cannot read the evidence file" in capsys.readouterr().err


def test_a_newer_format_is_said(made, tmp_path, capsys):
    file = tmp_path / "newer"
    file.write_bytes(made.data.replace(b"tablewire evidence 1", b"tablewire evidence 2", 1))
    assert run(["evidence", "check", str(file)]) == USER
    assert "a newer release wrote it" in capsys.readouterr().err


def test_files_and_lines_have_limits(made, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MOST_LINE", 1000)
    assert "line" in problems(made, made.data, tmp_path)[0]
    monkeypatch.setattr(reading, "MOST_FILE", 1000)
    assert problems(made, made.data, tmp_path) == [f"the file has {len(made.data):,} bytes"]


def test_bytes_that_are_changed_at_random_never_crash_it(made, tmp_path):
    chance = random.Random(46)
    for _ in range(300):
        data = bytearray(made.data)
        for _ in range(chance.choice((1, 1, 3, 20))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if bytes(data) != made.data:
            assert problems(made, bytes(data), tmp_path)


def test_values_of_other_types_never_crash_it(made, tmp_path):
    """With the key of the host and digests that fit: every column in turn is something else."""
    strange = (None, -1, 2**63, "", "{", "[]", {"hex": ""}, "\ud800")
    for table, (count, columns) in layout.COLUMNS.items():
        for place, name in enumerate(columns):
            value = strange[(place + len(table)) % len(strange)] if place >= count else -1
            data = rewritten(made, table, put(table, name, lambda _, value=value: value))
            problems(made, data, tmp_path)


# --- exports that are refused --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--table", "R1"], "name one round or one day"),
        (["--table", "R1", "--round", "1", "--day", "2027-01-15"], "name one round or one day"),
        (["--table", "R9", "--round", "1"], "there is no table 'R9'"),
        (["--table", "R1", "--round", "99"], "R1 has no round 99"),
        (["--table", "R1", "--day", "2027-01-16"], "R1 played nothing 2027-01-16"),
        (["--table", "R1", "--round", "1", "--checkpoints", "typo"], "there is no such file"),
        (["--table", "R1", "--round", "1", "--key", "typo"], "cannot open the file"),
    ],
)
def test_exports_that_are_refused(made, tmp_path, capsys, words, what):
    out = tmp_path / "it"
    assert run(["evidence", "export", str(made.place), str(out), *words]) == USER
    assert what in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_never_replaced(made, tmp_path, capsys):
    out = tmp_path / "it"
    out.write_text("mine")
    words = ["--table", "R1", "--round", "1"]
    assert run(["evidence", "export", str(made.place), str(out), *words]) == USER
    assert "there is such a file already" in capsys.readouterr().err
    assert out.read_text() == "mine"
    assert [file.name for file in tmp_path.iterdir()] == ["it"]


def test_a_folder_that_cannot_be_written(made, tmp_path, capsys):
    words = ["--table", "R1", "--round", "1"]
    file = str(tmp_path / "none" / "it")
    assert run(["evidence", "export", str(made.place), file, *words]) == USER
    assert "cannot write the file" in capsys.readouterr().err


def test_a_row_that_was_changed_is_not_exported(tmp_path, capsys):
    place = tmp_path / "ledger"
    pit = Pit(place)
    pit.play(1, 17, (pit.ada, "red", 500))
    checkpoint(pit)
    with pit.ledger.engine.begin() as db:
        db.exec_driver_sql("DROP TRIGGER bets_no_update")
        db.exec_driver_sql("UPDATE bets SET stake_cents = 501")
    pit.ledger.close()
    words = ["--table", "R1", "--round", "1"]
    assert run(["evidence", "export", str(place), str(tmp_path / "it"), *words]) == USER
    assert "bets: rows are not as written" in capsys.readouterr().err
    assert not (tmp_path / "it").exists()


def test_a_listing_needs_no_name_of_its_command(made, capsys):
    assert run(["evidence", str(made.place), "--round", "1"]) == 0
    first = capsys.readouterr().out
    assert run(["evidence", "list", str(made.place), "--round", "1"]) == 0
    assert capsys.readouterr().out == first
    assert run(["evidence", "--tables", str(made.place)]) == 0
