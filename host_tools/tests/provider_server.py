"""An identity provider on a free port, which misbehaves on request."""

import base64
import hashlib
import hmac
import json
import secrets
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "pit one", "hush: 100%"
_KEY, _OTHER = RSAKey.generate_key(2048, {"kid": "k1"}), RSAKey.generate_key(2048, {"kid": "k1"})


def _encoded(part):
    return base64.urlsafe_b64encode(part).decode().rstrip("=")


class TestProvider:
    """One provider. now_s: its clock; status: of every answer to a code, 0: the right one.

    user_info: claims that it gives beside the token and not in it, empty: none. forged: how tokens
    are signed: "", "none", "HS256" (with its public key as the secret), "other" (by another key of
    the same number).
    """

    __test__ = False

    def __init__(self, now_s):
        self.now_s = now_s
        self.status, self.forged, self.changes = 0, "", {}
        self.reuses_codes = False
        self.user_info = {}
        self.codes = {}
        self.asked = []

    def log_in(self, address, **claims):
        """A user gives credentials where a browser was sent; returns the query of the answer."""
        query = {name: value for name, [value] in parse_qs(urlsplit(address).query).items()}
        self.asked.append(query)
        code = secrets.token_urlsafe(9)
        self.codes[code] = (query, claims)
        return {"code": code, "state": query["state"], "iss": self.issuer}

    def token(self, form, authorization):
        """The status and the answer to a code."""
        pair = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        code = form.get("code", "")
        if pair != "pit%20one:hush%3A%20100%25" or code not in self.codes:
            return 400, {"error": "invalid_grant"}
        query, claims = self.codes[code] if self.reuses_codes else self.codes.pop(code)
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        if (
            _encoded(digest) != query["code_challenge"]
            or form["redirect_uri"] != query["redirect_uri"]
        ):
            return 400, {"error": "invalid_grant"}
        now = self.now_s()
        facts = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": f"number of {claims.get('preferred_username')}",
            "iat": now,
            "exp": now + 300,
            "auth_time": now,
            "nonce": query["nonce"],
            **claims,
            **self.changes,
        }
        facts = {name: value for name, value in facts.items() if value is not None}
        beside = self.user_info.keys() - {"sub"}
        facts = {name: value for name, value in facts.items() if name not in beside}
        answer = {"id_token": self.signed(facts)}
        if self.user_info:
            answer["access_token"] = "of this user"
        return self.status or 200, answer

    def signed(self, facts):
        """A token with claims."""
        if self.forged in ("none", "HS256"):  # no library signs so
            parts = ({"alg": self.forged, "kid": "k1"}, facts)
            text = ".".join(_encoded(json.dumps(part).encode()) for part in parts)
            secret = _KEY.as_pem(private=False)
            mac = hmac.digest(secret, text.encode(), "sha256") if self.forged == "HS256" else b""
            return f"{text}.{_encoded(mac)}"
        key = _OTHER if self.forged == "other" else _KEY
        return jwt.encode({"alg": "RS256", "kid": "k1"}, facts, key)

    def published(self, path, authorization):
        """What it answers to GET."""
        if path == "/userinfo" and authorization == "Bearer of this user":
            return self.user_info
        if path == "/keys":
            return {"keys": [_KEY.as_dict(private=False)]}
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
        }


@contextmanager
def serving(now_s):
    """A provider that listens. now_s: its clock."""
    provider = TestProvider(now_s)

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send(200, provider.published(self.path, self.headers.get("Authorization")))

        def do_POST(self):
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: value for name, [value] in parse_qs(text).items()}
            self.send(*provider.token(form, self.headers.get("Authorization", "")))

        def send(self, status, content):
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
