"""A private Mosquitto for tests and benches, of the system's own binary, on a free port."""

import getpass
import os
import shutil
import signal
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from host_tools.tests.private_server import free_port, started

HOW = "apt install mosquitto (Debian, Ubuntu) or: brew install mosquitto (macOS)"


def binary():
    """The path of the broker's program, None if it is not installed."""
    known = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/opt/homebrew/sbin"])
    return shutil.which("mosquitto", path=known)


class Mosquitto:
    """Run one broker in a separate folder, on loopback. lines: more of its configuration."""

    def __init__(self, folder: Path, *lines: str):
        folder.mkdir(exist_ok=True)
        self.port = free_port()
        self._conf = folder / "mosquitto.conf"
        own = [
            f"listener {self.port} 127.0.0.1",
            "persistence true",
            f"persistence_location {folder}/",
            "autosave_interval 1",
            "autosave_on_changes true",
            "log_dest stderr",
            "log_type notice",
            "log_type warning",
            "log_type error",
            "max_queued_messages 0",
            f"user {getpass.getuser()}",
        ]
        access = [] if any("certificate" in line for line in lines) else ["allow_anonymous true"]
        self._conf.write_text("\n".join([*own, *access, *lines]) + "\n")
        self._process = None

    def start(self):
        """Start the broker; returns when it listens."""
        command = [binary(), "-c", str(self._conf)]
        self._process = started(command, self._conf.with_name("log"), self.port)
        return self

    def stop(self, number=signal.SIGTERM):
        """End the broker. number: SIGKILL is that of a crash."""
        if self._process is not None:
            for seconds in (1, 1, 1, 30):  # a signal between its handlers and its loop is lost
                self._process.send_signal(number)
                try:
                    self._process.wait(seconds)
                    break
                except subprocess.TimeoutExpired:
                    if seconds > 1:
                        raise
            self._process = None

    @property
    def url(self):
        return f"mqtt://127.0.0.1:{self.port}"


class Certificates:
    """An authority of the test's own, and what it signed, as files."""

    def __init__(self, folder: Path):
        self._folder = folder
        folder.mkdir(exist_ok=True)
        self._key, self._name = ec.generate_private_key(ec.SECP256R1()), _name("Test authority")
        certificate = self._signed(self._name, self._key.public_key(), is_authority=True)
        self.authority = self._write("ca", certificate)

    def make(self, name: str, *hosts: str):
        """Files of a certificate and its key. hosts: a server's names."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._signed(_name(name), key.public_key(), hosts=hosts)
        pem = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        file = self._folder / f"{name}.key"
        file.write_bytes(pem)
        return self._write(name, certificate), file

    def _signed(self, subject, public, *, hosts=(), is_authority=False):
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
        )
        if hosts:
            names = x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts])
            builder = builder.add_extension(names, critical=False)
        return builder.sign(self._key, hashes.SHA256())

    def _write(self, name, certificate):
        file = self._folder / f"{name}.pem"
        file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        return file


def _name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
