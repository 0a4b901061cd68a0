"""The sink that is a web address, against a real server: slow, wrong, hostile, over TLS."""

import base64
import hashlib
import hmac
import http.server
import json
import ssl
import threading

import pytest

from host_tools.tests.mosquitto import Certificates
from tabletools.cms import OutgoingEvent, WebhookSink
from tabletools.web_endpoint import secret_of

# The example of the specification: secret, id, time, body and the signature that comes of them.
SPEC = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
SPEC_ID, SPEC_AT, SPEC_BODY = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
SPEC_SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
OLD, NEW = b"o" * 32, b"n" * 32


def outgoing_event(number=1, ident="round-1-1", body=b'{"id":"round-1-1"}'):
    return OutgoingEvent(number, ident, "tablewire.round.settled", 1, body, 0)


class Endpoint:
    """A server with given answers. answers: statuses in turn, then 200."""

    def __init__(self, context=None):
        self.requests, self.answers, self.location = [], [], None
        self.silent, self.go_on = 0, threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.requests.append((self.path, dict(self.headers), body))
                if outer.silent:
                    outer.silent -= 1
                    outer.go_on.wait(20)
                    self.close_connection = True
                    return
                self.send_response(outer.answers.pop(0) if outer.answers else 200)
                if outer.location:
                    self.send_header("location", outer.location)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *words):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda *_: None  # a client that hangs up is what is tested
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def url(self, host="127.0.0.1", scheme="http"):
        return f"{scheme}://{host}:{self.port}/tables?floor=1"

    def close(self):
        self.go_on.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def endpoint():
    new_endpoint = Endpoint()
    yield new_endpoint
    new_endpoint.close()


def sink_to(url, **more):
    return WebhookSink(url, [NEW, OLD], wall_s=lambda: 1_800_000_000.7, **more)


def test_the_signature_is_that_of_the_specification(endpoint):
    """Secret, id, time and body of its example give its signature."""
    sink = WebhookSink(endpoint.url(), [secret_of(SPEC)], wall_s=lambda: SPEC_AT)
    assert sink.send([outgoing_event(1, SPEC_ID, SPEC_BODY)]).delivered == [1]
    sink.close()
    [(path, headers, body)] = endpoint.requests
    assert (path, body) == ("/tables?floor=1", SPEC_BODY)
    assert headers["webhook-id"] == SPEC_ID
    assert headers["webhook-timestamp"] == "1614265330"
    assert headers["webhook-signature"] == SPEC_SIGNATURE
    assert headers["content-type"] == "application/cloudevents+json; charset=utf-8"


def test_every_secret_signs(endpoint):
    """Two signatures, the newest first: either opens it. The id has no point in it."""
    sink = sink_to(endpoint.url())
    sink.send([outgoing_event(1, "tablewire.round.opened-5", b"{}")])
    sink.close()
    [(_, headers, _)] = endpoint.requests
    content = b"tablewire_round_opened-5.1800000000.{}"
    signatures = [
        f"v1,{base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()}"
        for key in (NEW, OLD)
    ]
    assert headers["webhook-signature"] == " ".join(signatures)
    assert headers["webhook-id"] == "tablewire_round_opened-5"


def test_one_connection_serves_many(endpoint):
    """Events in order over one connection; a server that hung up meanwhile is tried again."""
    sink = sink_to(endpoint.url())
    assert sink.send([outgoing_event(1), outgoing_event(2)]).delivered == [1, 2]
    sink._endpoint._connection.sock.shutdown(2)
    assert sink.send([outgoing_event(3)]).delivered == [3]
    sink.close()


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (500, "answered 500"),
        (400, "answered 400"),
        (302, "answered 302: a redirect, which is not followed"),
        (307, "answered 307: a redirect, which is not followed"),
    ],
)
def test_what_is_not_taken_fails_by_itself(endpoint, status, error):
    """The letter failed with what was answered; the next one went, and nothing was redirected."""
    other = Endpoint()
    endpoint.answers, endpoint.location = [status], other.url()
    sink = sink_to(endpoint.url())
    sent = sink.send([outgoing_event(1), outgoing_event(2)])
    sink.close()
    other.close()
    assert (sent.delivered, sent.failed, sent.down) == ([2], {1: error}, "")
    assert other.requests == []


def test_a_silent_endpoint_is_left_after_its_time(endpoint):
    """One letter waits its time and was interrupted; the ones after it were not tried."""
    endpoint.silent = 1
    sink = sink_to(endpoint.url(), timeout_s=1.0)
    sent = sink.send([outgoing_event(1), outgoing_event(2)])
    assert (sent.delivered, sent.failed, sent.interrupted) == ([], {}, 1)
    assert sent.down
    assert len(endpoint.requests) == 1
    endpoint.go_on.set()
    assert sink.send([outgoing_event(1), outgoing_event(2)]).delivered == [1, 2]
    sink.close()


def test_nobody_there(endpoint):
    """A port without a listener."""
    url = endpoint.url()
    endpoint.close()
    sink = sink_to(url)
    assert "refused" in sink.send([outgoing_event()]).down
    endpoint.__init__()


def test_the_name_in_the_certificate_counts(tmp_path):
    """Over TLS by its name it goes; by another name, or with another authority, it does not."""
    certificates = Certificates(tmp_path)
    certificate, key = certificates.make("hook", "localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    endpoint = Endpoint(context)
    sink = sink_to(endpoint.url("localhost", "https"), authority=certificates.authority)
    assert sink.send([outgoing_event()]).delivered == [1]
    sink.close()
    wrong = sink_to(endpoint.url("127.0.0.1", "https"), authority=certificates.authority)
    assert "certificate is not valid for '127.0.0.1'" in wrong.send([outgoing_event()]).down
    stranger = sink_to(endpoint.url("localhost", "https"))
    assert "certificate verify failed" in stranger.send([outgoing_event()]).down
    endpoint.close()
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://cms.example/", "is not an address"),
        ("http://cms.example/", "is not encrypted"),
        ("https://user:word@cms.example/", "no user, password"),
    ],
)
def test_an_address_that_will_not_do_is_refused(url, why):
    """Each with what is wrong."""
    with pytest.raises(ValueError, match=why):
        WebhookSink(url, [NEW])


@pytest.mark.parametrize("text", ["secret", "whsec_!", "whsec_c2hvcnQ=", SPEC[6:]])
def test_a_secret_that_will_not_do_is_refused(text):
    """No prefix, no base64, too short."""
    with pytest.raises(ValueError, match="a secret is `whsec_` and base64"):
        secret_of(text)


def test_the_body_is_the_event(endpoint):
    """What is posted is the CloudEvent as it is."""
    sink = sink_to(endpoint.url())
    sink.send([outgoing_event()])
    sink.close()
    assert json.loads(endpoint.requests[0][2]) == {"id": "round-1-1"}
