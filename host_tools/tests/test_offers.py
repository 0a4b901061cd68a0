"""Offers of a centre: seen at the site, taken or declined by a person, never installed."""

import json
import os
import threading
from itertools import count
from types import SimpleNamespace

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from host_tools.tests.pit import DEVICE, Pit, S
from host_tools.tests.served import Host
from tablespec.config_keys import KEYS
from tabletools import configuration, offers, release
from tabletools.cli.main import run
from tabletools.errors import USER
from tabletools.money import outbox_queries
from tabletools.money.people_queries import audit_rows
from tabletools.offers import CONFIGURATION, DECLINED, FIRMWARE, TAKEN, Decision, Inbox
from tabletools.release import Manifest
from tabletools.store import LedgerRejection
from tabletools.table import programs

DAY = 24 * 3600 * S
FACTORY = configuration.dump([0, *(key.default for key in KEYS)], "of the factory")


class Centre:
    """A centre, and the folder of a site into which its offers come."""

    def __init__(self, folder, now_ns):
        folder.mkdir()
        self.folder, self.now_ns = folder, now_ns
        self.key, self.publisher = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
        self.inbox = Inbox(folder, self.key.public_key(), "athens", "main")
        self.files = count(1)

    def manifest(self, number, key=None):
        """The text of the signed manifest of a release."""
        manifest = Manifest(number, f"1.{number}.0", ())
        release.write(
            self.folder / "manifest", manifest, release.sign(manifest, key or self.publisher)
        )
        return (self.folder / "manifest").read_text()

    def offer(self, number, *, key=None, **changes):
        """Send an offer; returns it."""
        facts = {"site": "athens", "pit": "main", "kind": CONFIGURATION, "name": f"offer {number}"}
        facts |= {"target": "Roulette 1", "content": FACTORY, "number": number}
        facts |= {"made_ns": self.now_ns, "until_ns": self.now_ns + 30 * DAY}
        one = offers.Offer(**facts | changes)
        file = self.folder / f"{next(self.files)}.offer"
        file.write_bytes(offers.encoded(one, key or self.key))
        return one

    def firmware(self, number, release_number, **changes):
        """Offer a release for a board."""
        content = self.manifest(release_number)
        facts = {"kind": FIRMWARE, "target": "rpi_pico2", "content": content}
        return self.offer(number, **facts | changes)

    def withdraw(self, number, offer):
        facts = {"kind": "withdrawal", "target": "withdrawal", "content": "", "withdraws": offer}
        return self.offer(number, **facts)


@pytest.fixture
def pit(ledger_place):
    new = Pit(ledger_place)
    yield new
    new.ledger.close()


@pytest.fixture
def centre(pit, tmp_path):
    return Centre(tmp_path / "offers", pit.clock.wall_ns())


def take(pit, centre, offer, *, user=0, is_taken=True, reason="as agreed"):
    decision = Decision(offer.digest, is_taken, reason)
    key = centre.publisher.public_key()
    return offers.decide(pit.ledger, centre.inbox, decision, pit.both[user], key)


def states(pit, centre):
    """The state of each offer by its number."""
    with pit.ledger.read() as db:
        present, _ = offers.offered(db, centre.inbox, pit.clock.wall_ns())
    return {one.offer.number: one.state for one in present}


def refused(centre):
    return list(centre.inbox.read()[1].values())


def rejection(pit, centre, offer, **how):
    with pytest.raises(LedgerRejection) as raised:
        take(pit, centre, offer, **how)
    assert raised.value.step
    return raised.value.code


def logged(pit):
    with pit.ledger.read() as db:
        rows = audit_rows(db)
    rows = [row for row in rows if row["action"].startswith("offer_")]
    return [(row["action"], row["who"], row["detail"]) for row in rows]


def test_an_offer_is_taken_by_a_person_and_the_log_and_the_centre_have_it(pit, centre):
    """Who, when, with which digest, and why; the same in the event for the centre."""
    offer = centre.firmware(7, 12)
    assert states(pit, centre) == {7: "open"}
    taken = take(pit, centre, offer, reason="tried on table 3")
    assert (taken.state, taken.decided.who, taken.decided.at_ns) == (
        TAKEN,
        "Sue",
        pit.clock.wall_ns(),
    )
    facts = {"digest": offer.digest, "number": 7, "kind": "firmware", "name": "offer 7"}
    facts |= {"target": "rpi_pico2", "reason": "tried on table 3"}
    [(action, who, detail)] = logged(pit)
    assert (action, who) == ("offer_taken", "Sue")
    assert detail == facts | {"release": 12, "version": "1.12.0"}
    [event] = [
        json.loads(one.data)
        for one in outbox_queries.due(pit.ledger, "reader").events
        if one.type == "tablewire.offer.decided"
    ]
    assert event == facts | {"decision": "taken", "user": "Sue"}
    assert states(pit, centre) == {7: TAKEN}
    assert rejection(pit, centre, offer) == "offer_decided"


def test_behind_files_that_are_not_read_no_offer_is_taken(pit, centre):
    """One of them may withdraw it: 200 files are read, whatever they are."""
    offer = centre.offer(1)
    (centre.folder / "1.offer").rename(centre.folder / "z.offer")
    centre.withdraw(2, offer=1)
    (centre.folder / "2.offer").rename(centre.folder / "a.offer")
    junk = [centre.folder / f"j{number}.offer" for number in range(200)]
    for file in junk:
        file.write_bytes(b"no offer")
    assert rejection(pit, centre, offer) == "offers_unread"
    for file in junk:
        file.unlink()
    assert rejection(pit, centre, offer) == "offer_withdrawn"


def test_an_offer_is_declined_with_a_reason(pit, centre):
    offer = centre.offer(1)
    assert rejection(pit, centre, offer, is_taken=False, reason="  ") == "reason_needed"
    assert take(pit, centre, offer, is_taken=False, reason="not this week").state == DECLINED
    assert rejection(pit, centre, offer) == "offer_decided"
    assert [action for action, _, _ in logged(pit)] == ["offer_declined"]


def test_a_dealer_decides_nothing(pit, centre):
    """Dan is a dealer."""
    assert rejection(pit, centre, centre.offer(1), user=1) == "user_not_allowed"
    assert logged(pit) == []


# --- attacks -------------------------------------------------------------------------------------


def test_the_offer_of_another_centre_is_none(pit, centre):
    offer = centre.offer(1, key=Ed25519PrivateKey.generate())
    assert ["did not sign it" in why for why in refused(centre)] == [True]
    assert rejection(pit, centre, offer) == "no_such_offer"


def test_any_changed_byte_is_found(centre):
    """As text it may say the same, or be no JSON: it is the offer that was signed, or none."""
    offer = centre.firmware(3, 12)
    file = centre.folder / "1.offer"
    whole = file.read_bytes()
    for place in range(0, len(whole), 7):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert centre.inbox.read()[0] in ([], [offer]), place
    file.write_bytes(whole.replace(b'"number": 3', b'"number": 4'))
    assert len(refused(centre)) == 1


def test_an_offer_to_another_site_or_pit_is_none(pit, centre):
    for change in ({"site": "berlin"}, {"pit": "vip"}):
        assert rejection(pit, centre, centre.offer(1, **change)) == "no_such_offer"
    assert sorted(refused(centre)) == [
        "it is for athens/vip, not athens/main",
        "it is for berlin/main, not athens/main",
    ]


def test_an_old_offer_that_comes_again_is_not_taken(pit, centre):
    """After a newer one was decided, also where that is not in the folder any more."""
    old = centre.offer(1)
    newer = centre.offer(2)
    assert states(pit, centre) == {2: "open", 1: "replaced"}
    assert rejection(pit, centre, old) == "offer_replaced"
    take(pit, centre, newer, is_taken=False)
    (centre.folder / "2.offer").unlink()
    assert rejection(pit, centre, old) == "offer_replaced"
    other = centre.offer(2, name="another with the number of one that was decided")
    assert rejection(pit, centre, other) == "offer_replaced"
    assert states(pit, centre)[2] == "replaced"


def test_offers_for_other_tables_replace_none(pit, centre):
    one, other = centre.offer(1), centre.offer(2, target="Roulette 2")
    assert take(pit, centre, other).state == take(pit, centre, one).state == TAKEN


def test_an_offer_ends(pit, centre):
    offer = centre.offer(1)
    pit.clock.ahead += 31 * DAY
    assert rejection(pit, centre, offer) == "offer_expired"


def attested(pit, number):
    """A table attests a release."""
    manifest = Manifest(number, f"1.{number}.0", ())
    nonce = bytes(16)
    values = (nonce, release.digest(manifest, nonce), 0, 0, number)
    answer = SimpleNamespace(values=values)
    said = programs.Attested(DEVICE, 3, nonce, answer, "verified")
    outcome = pit.ledger.run(
        lambda db: programs.keep(db, pit.table, manifest, said, pit.clock.wall_ns())
    )
    assert outcome == programs.MATCH


def test_a_release_older_than_one_that_runs_here_is_a_downgrade(pit, centre):
    attested(pit, 12)
    assert rejection(pit, centre, centre.firmware(1, 11)) == "offer_downgrade"
    assert take(pit, centre, centre.firmware(2, 12)).state == TAKEN


def test_a_release_older_than_one_that_was_taken_is_a_downgrade(pit, centre):
    """It may be on its way to the tables."""
    take(pit, centre, centre.firmware(1, 12))
    assert rejection(pit, centre, centre.firmware(2, 11)) == "offer_downgrade"
    assert take(pit, centre, centre.firmware(3, 9, target="another_board")).state == TAKEN


def test_a_release_is_signed_by_its_publisher_too(pit, centre):
    """The key of the centre alone brings no program onto a table."""
    content = centre.manifest(12, Ed25519PrivateKey.generate())
    assert rejection(pit, centre, centre.firmware(1, 12, content=content)) == "offer_unusable"
    decision = Decision(centre.firmware(2, 12).digest, True, "without a key")
    with pytest.raises(LedgerRejection, match="not known here who signs"):
        offers.decide(pit.ledger, centre.inbox, decision, pit.both[0], None)


def test_a_configuration_that_no_table_takes_is_not_taken(pit, centre):
    wrong = FACTORY.replace("min_circuits", "no_such_key")
    assert rejection(pit, centre, centre.offer(1, content=wrong)) == "offer_unusable"
    assert take(pit, centre, centre.offer(2)).state == TAKEN


def test_two_different_offers_with_one_number_are_none(pit, centre):
    """The centre contradicts itself, or another has its key."""
    one = centre.offer(1)
    other = centre.offer(1, name="another")
    assert refused(centre) == ["2 different offers have this number"]
    assert rejection(pit, centre, one) == rejection(pit, centre, other) == "no_such_offer"


def test_a_file_that_comes_twice_is_one_offer(pit, centre):
    offer = centre.offer(1)
    centre.offer(1)
    assert take(pit, centre, offer).state == TAKEN


def test_a_withdrawn_offer_is_not_taken(pit, centre):
    offer = centre.offer(1)
    centre.withdraw(2, offer=1)
    assert states(pit, centre) == {1: "withdrawn"}
    assert rejection(pit, centre, offer) == "offer_withdrawn"


def test_an_offer_withdrawn_after_it_was_taken_says_both(pit, centre):
    take(pit, centre, centre.offer(1))
    centre.withdraw(2, offer=1)
    with pit.ledger.read() as db:
        [one], _ = offers.offered(db, centre.inbox, pit.clock.wall_ns())
    assert (one.state, one.is_withdrawn) == (TAKEN, True)


def test_of_two_who_decide_at_once_one_does(pit, centre):
    """Both have read that it is open."""
    offer, both, results = centre.offer(1), threading.Barrier(2), []

    def act(is_taken):
        both.wait()
        try:
            results.append(take(pit, centre, offer, is_taken=is_taken).state)
        except LedgerRejection as rejected:
            results.append(rejected.code)

    threads = [threading.Thread(target=act, args=(word,)) for word in (True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(logged(pit)) == 1
    assert "offer_decided" in results


def test_what_is_no_offer_is_named_and_harms_nothing(pit, centre):
    offer = centre.offer(9)
    centre.folder.joinpath("empty.offer").touch()
    centre.folder.joinpath("large.offer").write_bytes(b" " * (2 << 20))
    centre.folder.joinpath("deep.offer").write_bytes(b"[" * 100_000)
    centre.folder.joinpath("link.offer").symlink_to(centre.folder / "1.offer")
    os.mkfifo(centre.folder / "pipe.offer")
    centre.folder.joinpath("folder.offer").mkdir()
    centre.offer(10, withdraws=9)
    _, wrong = centre.inbox.read()
    names = {"empty", "large", "deep", "link", "pipe", "folder", "2"}
    assert wrong.keys() == {f"{name}.offer" for name in names}
    assert take(pit, centre, offer).state == TAKEN


def test_without_the_folder_there_is_nothing_to_take(pit, centre):
    """The way to the centre is cut, or a disk is missing: the pit plays on."""
    inbox = centre.inbox._replace(folder=centre.folder / "gone")
    with pit.ledger.read() as db:
        present, wrong = offers.offered(db, inbox, pit.clock.wall_ns())
    assert (present, list(wrong.values())) == ([], ["no such file or directory"])


def test_an_offer_of_a_later_program_is_none(centre):
    facts = msgspec.to_builtins(centre.offer(1)) | {"installs_itself": True}
    text = json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()
    signature = centre.key.sign(b"tablewire offer 1\n" + text).hex()
    data = json.dumps({"offer": facts, "signature": signature}).encode()
    with pytest.raises(offers.NotAnOffer, match="unknown field"):
        offers.read(data, centre.key.public_key())


# --- the commands and the API --------------------------------------------------------------------


@pytest.fixture
def made(tmp_path):
    """What two people of a centre and a site have: keys, a manifest, a configuration, settings."""
    for name in ("centre", "house"):
        release.make_keys(tmp_path / f"{name}.key")
    manifest = Manifest(12, "1.12.0", ())
    signing = release.read_private(tmp_path / "house.key")
    release.write(tmp_path / "pico2.json", manifest, release.sign(manifest, signing))
    (tmp_path / "table.toml").write_text(FACTORY)
    (tmp_path / "host.toml").write_text(
        f'db = "{tmp_path}/ledger"\nsite = "athens"\noffers = "{tmp_path}/out"\n'
        f'offers_key = "{tmp_path}/centre.pub"\nrelease_key = "{tmp_path}/house.pub"\n'
    )
    return tmp_path


def make(folder, *words):
    more = ["--key", str(folder / "centre.key"), "--out", str(folder / "out")]
    return run(["estate", "make-offer", "athens", *words, *more])


def test_an_offer_goes_from_the_centre_to_a_taken_file(made, capsys, monkeypatch):
    """Made, listed, taken in the console's API, written out; withdrawn afterwards."""
    monkeypatch.chdir(made)
    firmware = ["--firmware", "pico2.json", "--release-key", "house.pub"]
    assert make(made, *firmware, "--name", "Firmware 1.12", "--for", "rpi_pico2") == 0
    assert make(made, "--configuration", "table.toml", "--name", "x", "--for", "Roulette 1") == 0
    assert "offer 2 to athens/main" in capsys.readouterr().out
    settings = {"site": "athens", "offers": str(made / "out")}
    settings |= {"offers_key": str(made / "centre.pub"), "release_key": str(made / "house.pub")}
    with Host(str(made / "ledger"), **settings) as host:
        host.user("Tim", "technician")
        host.user("Olga", "auditor")
        tim, olga = host.login("Tim"), host.login("Olga")
        found = olga.get("/v1/offers").json()
        assert [one["state"] for one in found["offers"]] == ["open", "open"]
        path = f"/v1/offers/{found['offers'][1]['digest']}"
        assert olga.get(f"{path}/content").text == (made / "pico2.json").read_text()
        body = {"reason": "tried on table 3"}
        assert olga.post(f"{path}/take", json=body).status_code == 403
        assert tim.post(f"{path}/take", json=body).json()["state"] == "taken"
        again = tim.post(f"{path}/take", json=body)
        assert (again.status_code, again.json()["code"]) == (409, "offer_decided")
        late = tim.post(f"{path}/decline", json=body)
        assert (late.status_code, late.json()["code"]) == (409, "offer_decided")
        missing = tim.get(f"/v1/offers/{'0' * 64}/content")
        assert (missing.status_code, missing.json()["code"]) == (404, "no_such_offer")
    seen = ["estate", "offers", "--config", str(made / "host.toml")]
    assert run([*seen, "--out", "taken"]) == 0
    out = capsys.readouterr().out
    assert "2  configuration  x  for Roulette 1  open\n" in out
    assert "1  firmware  Firmware 1.12  for rpi_pico2  taken by Tim: tried on table 3\n" in out
    assert [file.name for file in (made / "taken").iterdir()] == ["firmware-1.json"]
    assert (made / "taken/firmware-1.json").read_text() == (made / "pico2.json").read_text()
    assert make(made, "--withdraw", "1") == 0
    capsys.readouterr()
    assert run([*seen, "--out", "again", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (rows[-1]["state"], rows[-1]["is_withdrawn"]) == ("taken", True)
    assert not (made / "again").exists()


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ([], "what is offered?"),
        (["--firmware", "pico2.json"], "what is offered?"),
        (["--firmware", "pico2.json", "--release-key", "centre.pub"], "is not signed by this key"),
        (["--configuration", "pico2.json", "--name", "x", "--for", "y"], "not a configuration"),
        (["--configuration", "table.toml"], "the offer has no name"),
        (["--withdraw", "3"], "there is no offer 3"),
    ],
)
def test_what_cannot_be_offered_is_refused(made, words, what, capsys, monkeypatch):
    monkeypatch.chdir(made)
    assert make(made, *words) == USER
    assert what in capsys.readouterr().err
    assert not (made / "out").exists()


def test_a_host_without_a_centre_says_so(made, capsys):
    with Host(str(made / "ledger")) as host:
        host.user("Sue", "supervisor")
        client = host.login("Sue")
        assert client.get("/v1/offers").json() == {"is_read": False, "offers": [], "refused": []}
        answer = client.get(f"/v1/offers/{'0' * 64}/content")
        assert (answer.status_code, answer.json()["code"]) == (404, "offers_off")
    assert run(["estate", "offers", "--db", str(made / "ledger")]) == USER
    assert "no centre offers anything here" in capsys.readouterr().err
    (made / "host.toml").write_text(f'offers = "{made}"\n')
    assert run(["serve", "--check", "--config", str(made / "host.toml")]) == USER
    assert "offers, offers_key and site go together" in capsys.readouterr().err
