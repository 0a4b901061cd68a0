"""Alarms by mail: which, once, in one mail; a server that is down loses none."""

import pytest
from sqlalchemy import text

from host_tools.tests.pit import DEVICE, S
from tabletools.cms import SinkWorker
from tabletools.cms.mail_sink import MailSink, server_of
from tabletools.evidence import alarms
from tabletools.evidence.alarms import AlarmCause, raise_alarm


class Server:
    """A mail server that keeps what it gets. is_up: whether it answers."""

    def __init__(self):
        self.mails = []
        self.is_up = True

    def connect(self, _server):
        if not self.is_up:
            raise ConnectionRefusedError("connection refused")
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def send_message(self, mail):
        self.mails.append(mail)


@pytest.fixture
def post(pit):
    """A mailbox fed from the ledger: run() sends what is due."""
    server = Server()
    sink = MailSink(
        server_of("smtps://mail.example"),
        "pit@example.com",
        ["sue@example.com", "tim@example.com"],
        connect=server.connect,
        wall_s=lambda: pit.clock.wall_ns() / S,
    )
    worker = SinkWorker(pit.ledger, sink)
    moments = iter(range(0, 10**6, 100))
    server.run = lambda: worker.run_once(next(moments))
    yield server
    worker.close()


def add(pit, kind, what="it happened"):
    cause = AlarmCause(kind, what, DEVICE, 1)
    return pit.ledger.run(lambda db: raise_alarm(db, cause, pit.clock.wall_ns()))


def test_urgent_and_high_alarms_of_one_moment_are_one_mail(pit, post):
    """A lost link is medium: it is in no mail, and counts as delivered."""
    add(pit, alarms.LINK_LOST, "silent")
    add(pit, alarms.FAULT, "805 jam_in")
    add(pit, alarms.TAMPER, "a forged frame")
    pit.open(1)
    post.run()
    post.run()
    [mail] = post.mails
    assert mail["Subject"] == "urgent alarm and 1 more: a forged frame"
    assert mail["To"] == "sue@example.com, tim@example.com"
    body = mail.get_content()
    assert "table 1  fault: 805 jam_in" in body
    assert "silent" not in body
    with pit.ledger.read() as db:
        waiting = "SELECT COUNT(*) FROM outbox WHERE id NOT IN (SELECT outbox_id FROM deliveries)"
        assert db.execute(text(waiting)).scalar_one() == 0


def test_a_server_that_is_down_gets_the_alarm_later_and_once(pit, post):
    add(pit, alarms.FAULT)
    post.is_up = False
    assert [post.run() for _ in range(3)] == [0, 0, 0]
    post.is_up = True
    for _ in range(3):
        post.run()
    assert len(post.mails) == 1


def test_an_alarm_older_than_an_hour_is_in_no_mail(pit, post):
    """Mail that is set up later does not send the past."""
    add(pit, alarms.FAULT)
    pit.clock.pass_ms(3_601_000)
    post.run()
    assert post.mails == []


def test_a_text_cannot_add_a_header(pit, post):
    """What a device sends becomes part of a subject."""
    add(pit, alarms.TAMPER, "x\r\nBcc: eve@example.com\r\n\r\nhello\x00")
    post.run()
    [mail] = post.mails
    assert mail["Bcc"] is None
    assert mail["Subject"] == "urgent alarm: x Bcc: eve@example.com hello"


@pytest.mark.parametrize(
    ("url", "user", "wrong"),
    [
        ("mail.example", "", "not a mail server"),
        ("https://mail.example", "", "not a mail server"),
        ("smtps://", "", "not a mail server"),
        ("smtps://sue:pw@mail.example", "", "no user in its address"),
        ("smtps://mail.example", "sue", "belong together"),
    ],
)
def test_a_wrong_server_is_refused(url, user, wrong):
    with pytest.raises(ValueError, match=wrong):
        server_of(url, user)


@pytest.mark.parametrize("address", ["", "sue", "a b@c", "a@b, c@d", "a@b\r\nBcc: x@y"])
def test_a_wrong_address_is_refused(address):
    server = server_of("smtps://mail.example")
    for people in ((address, ["a@b"]), ("a@b", [address])):
        with pytest.raises(ValueError, match="mail address"):
            MailSink(server, *people)
    with pytest.raises(ValueError, match="at least one"):
        MailSink(server, "a@b", [])


def test_the_port_is_that_of_the_kind_of_server(tmp_path):
    assert [
        server_of(url, user, tmp_path if user else None).port
        for url, user in (
            ("smtps://h", ""),
            ("smtp://h", ""),
            ("smtp://h", "sue"),
            ("smtp://h:2525", "sue"),
        )
    ] == [465, 25, 587, 2525]
