"""The files of host_tools/deploy, tried as far as it goes without systemd or Docker running."""

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from host_tools.delivery import dist
from host_tools.delivery.packages import closure, locked
from host_tools.tests import mosquitto
from host_tools.tests.left_out import leave_out
from host_tools.tests.mosquitto import Certificates
from tabletools.cli.main import run
from tabletools.pit.settings_file import read

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "host_tools" / "deploy"
PLACE = "/opt/tablewire/"
ANALYZE = shutil.which("systemd-analyze")
if ANALYZE is None:
    leave_out("systemd-analyze", "the units in host_tools/deploy", "apt install systemd")
UNITS = sorted([*DEPLOY.glob("*.service"), *DEPLOY.glob("*.timer")])
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]


def analyze(*words):
    done = subprocess.run([ANALYZE, *map(str, words)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def units(tmp_path):
    """The units with the program where it is here."""
    for unit in UNITS:
        text = unit.read_text(encoding="utf-8").replace(PLACE, f"{ROOT}/")
        (tmp_path / unit.name).write_text(text, encoding="utf-8")
    return tmp_path


# --- systemd -------------------------------------------------------------------------------------


@pytest.mark.skipif(ANALYZE is None, reason="no systemd-analyze")
def test_systemd_takes_the_units(units):
    """Every key known, every program there, nothing to complain of."""
    assert [unit.name for unit in UNITS] == [
        "tablewire-backup.service",
        "tablewire-backup.timer",
        "tablewire.service",
    ]
    code, output = analyze("verify", "--man=no", *(units / unit.name for unit in UNITS))
    ours = [line for line in output.splitlines() if "tablewire" in line]
    assert (code, ours) == (0, [])


@pytest.mark.skipif(ANALYZE is None, reason="no systemd-analyze")
@pytest.mark.parametrize("name", ["tablewire.service", "tablewire-backup.service"])
def test_the_units_are_hardened(units, name):
    """At most 20 of 100 points of exposure, as systemd counts them; a plain service has 96."""
    code, output = analyze("security", "--offline=yes", "--threshold=20", units / name)
    assert code == 0, output.splitlines()[-1]


def test_what_a_unit_must_say():
    """No new rights, a read-only system, a private folder, secrets by systemd, restarted."""
    lines = (DEPLOY / "tablewire.service").read_text(encoding="utf-8").splitlines()
    assert {
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
        "StateDirectory=tablewire",
        "UMask=0077",
        "LoadCredential=secret:/etc/tablewire/secrets",
        "Restart=always",
        "User=tablewire",
        "StartLimitIntervalSec=0",
    } <= set(lines)
    users = (DEPLOY / "sysusers.conf").read_text(encoding="utf-8")
    assert re.search(r"(?m)^u tablewire ", users)


FOLDERS = {
    "compose.toml": ("/run/secrets/",),
    "host.toml": ("/run/credentials/tablewire.service/secret_", "/etc/tablewire/"),
}


def with_secrets(name, folder):
    """Write settings with their secrets in a folder; returns the file."""
    certificates = Certificates(folder / "certificates")
    for owner, files in (("pit", ("tls.pem", "tls.key")), ("pit1", ("pit1.pem", "pit1.key"))):
        for source, target in zip(certificates.make(owner, "localhost"), files, strict=True):
            shutil.copy(source, folder / target)
    shutil.copy(certificates.authority, folder / "ca.pem")
    assert run(["keys", "new", "1382865454", "--keys", str(folder / "keys.json")]) == 0
    text = (DEPLOY / name).read_text(encoding="utf-8")
    for place in FOLDERS[name]:
        text = text.replace(f'"{place}', f'"{folder}/')
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("name", ["host.toml", "compose.toml"])
def test_the_settings_shown_can_be_served(name, tmp_path, capsys):
    """Each key is known, each table can be played, once the secrets are there."""
    assert run(["config", "check", str(DEPLOY / name)]) == 1
    assert "there is no such keyring" in capsys.readouterr().err
    assert run(["config", "check", str(with_secrets(name, tmp_path))]) == 0
    assert "1 table: every setting is known" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["host.toml", "compose.toml"])
def test_secrets_are_where_the_unit_puts_them(name):
    settings = read(DEPLOY / name)
    folder = "/run/secrets/" if name == "compose.toml" else "/run/credentials/tablewire.service/"
    assert settings.keys.startswith(folder)
    assert settings.tls_key.startswith(folder)


# --- containers ----------------------------------------------------------------------------------


def test_the_parts_of_the_pit_fit_together():
    """Database, broker, host; what one names of another is there, and healthy before it starts."""
    assert set(SERVICES) == {"database", "broker", "host"}
    for name, service in SERVICES.items():
        assert "test" in service["healthcheck"], name
        assert service["restart"] == "unless-stopped"
        assert set(service["secrets"]) <= set(COMPOSE["secrets"]), name
        assert set(service["networks"]) <= set(COMPOSE["networks"]), name
        assert set(service.get("depends_on", ())) <= set(SERVICES), name
        assert re.search(r":\w", service.get("image", "")) or "build" in service, name
    needs = SERVICES["host"]["depends_on"].values()
    assert [need["condition"] for need in needs] == ["service_healthy"] * 2
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert "ports" not in SERVICES["database"]
    assert SERVICES["host"]["read_only"] is True
    assert {
        str(secret["file"]).removeprefix("./secrets/") for secret in COMPOSE["secrets"].values()
    } == set(COMPOSE["secrets"])


def test_the_host_finds_the_others():
    """Names, ports and secrets of its settings are those of the compose file."""
    settings = read(DEPLOY / "compose.toml")
    database = SERVICES["database"]["environment"]
    user, name = database["POSTGRES_USER"], database["POSTGRES_DB"]
    assert settings.db == f"postgresql://{user}@database/{name}"
    assert settings.mqtt == "mqtts://broker"
    host = SERVICES["host"]
    assert f"{settings.port}:{settings.port}" in host["ports"]
    assert host["volumes"] == ["./compose.toml:/etc/tablewire/host.toml:ro"]
    output = [
        settings.keys,
        settings.tls_certificate,
        settings.tls_key,
        settings.mqtt_ca,
        settings.mqtt_certificate,
        settings.mqtt_key,
        host["environment"]["PGPASSFILE"],
    ]
    assert {place.removeprefix("/run/secrets/") for place in output} == set(host["secrets"])
    assert f":{settings.port}/" in host["healthcheck"]["test"][-1]
    assert "127.0.0.1" in settings.names


def test_image_and_service_install_the_wheel_by_hashes():
    """Both from the folder that `make dist` fills; the interpreter is one that is supported."""
    image = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    page = (ROOT / "host_tools/docs/DEPLOY.md").read_text(encoding="utf-8")
    for text in (image.replace(" --no-cache-dir", ""), page):
        assert re.findall(r"pip (install .*)", text) == [
            "install --require-hashes -r requirements.txt"
        ]
    assert "source=dist" in image
    assert "COPY" not in image
    version = re.search(r"FROM python:([\d.]+)-", image)[1]
    assert f">={version}" in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert SERVICES["host"]["build"] == {
        "context": "../..",
        "dockerfile": "host_tools/deploy/Dockerfile",
    }


def test_the_lock_of_a_host_has_what_runs_and_no_test_package():
    """Each package with a version and a hash, and nothing that only a checkout needs."""
    lines = locked(closure(dist.HOST)).splitlines()
    names = {line.partition("==")[0] for line in lines if "==" in line}
    assert {"sqlalchemy", "fastapi", "onnxruntime", "matplotlib", "typer"} <= names
    assert not names & {"pytest", "hypothesis", "playwright", "ruff", "mypy", "httpx", "pymavlink"}
    assert all("--hash=sha256:" in after for line, after in pairwise(lines) if "==" in line)


@pytest.mark.skipif(mosquitto.binary() is None, reason="no mosquitto")
def test_a_real_broker_takes_its_file(tmp_path):
    """With the places of the container made those of this machine, it listens."""
    certificates = mosquitto.Certificates(tmp_path / "made")
    certificate, key = certificates.make("broker", "broker")
    places = {
        "/run/secrets/ca.pem": certificates.authority,
        "/run/secrets/broker.pem": certificate,
        "/run/secrets/broker.key": key,
        "/mosquitto/data": tmp_path,
        "/mosquitto/config/mosquitto.acl": ROOT / "host_tools/docs/mosquitto.acl",
    }
    text = (DEPLOY / "mosquitto.conf").read_text(encoding="utf-8")
    assert set(re.findall(r" (/\S+?)/?\n", text)) == set(places)
    for place, here in places.items():
        text = text.replace(place, str(here))
    lines = [line for line in text.splitlines() if not line.startswith(("#", "listener", "pers"))]
    broker = mosquitto.Mosquitto(tmp_path / "broker", *lines)
    broker.start()
    broker.stop()
