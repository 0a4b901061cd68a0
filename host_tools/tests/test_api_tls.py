"""Over https: the cookie is the host's alone, the page has to be too, browsers stay with https."""

import datetime
import ipaddress
import ssl

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from host_tools.tests.served import PASSWORD, Host


@pytest.fixture
def certificate(tmp_path):
    """Files of a certificate of 127.0.0.1 and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "pit")])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    files = tmp_path / "pit.pem", tmp_path / "pit.key"
    files[0].write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return [str(file) for file in files]


def test_a_login_over_https(tmp_path, certificate):
    """__Host- and Secure: no other host and no plain page can set or read it."""
    chain, key = certificate
    place = str(tmp_path / "ledger")
    with Host(place, tls_certificate=chain, tls_key=key) as host:
        host.user("Sue", "supervisor")
        assert host.url.startswith("https://")
        body = {"name": "Sue", "password": PASSWORD}
        trusted = ssl.create_default_context(cafile=chain)
        with httpx.Client(base_url=host.url, verify=trusted, timeout=30) as client:
            plain = {"Origin": host.url.replace("https", "http")}
            assert client.post("/v1/login", json=body, headers=plain).json()["code"] == "origin"
            answer = client.post("/v1/login", json=body, headers={"Origin": host.url})
            cookie = answer.headers["set-cookie"]
            assert cookie.startswith("__Host-tablewire=")
            assert "Secure" in cookie
            assert "Domain" not in cookie
            assert answer.headers["strict-transport-security"] == "max-age=31536000"
            assert client.get("/v1/me").json()["name"] == "Sue"
