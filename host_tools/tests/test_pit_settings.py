"""The file of a host: every key known, every value checked, each mistake with its line."""

import pytest

from host_tools.tests.mosquitto import Certificates
from tabletools.cli.main import run
from tabletools.errors import USER, ToolError
from tabletools.pit.settings import FILES, HOST, TABLE, Settings, TableSettings
from tabletools.pit.settings_file import read

TABLE_TEXT = """\
[[table]]
name = "R1"
port = "/dev/ttyUSB0"
device = 7
game = "roulette"
rules = "hc2023"
variant = "french"
limits.minimum = 500
"""
WHOLE = """\
# a host
port = 8443
names = ["pit.house"]

[[table]]
name = "R1"
port = "/dev/ttyUSB0"
device = 7
game = "roulette"
rules = "hc2023"
variant = "french"
[table.limits]
minimum = 500

[[table]]
name = "W1"
port = "socket://127.0.0.1:7301"
device = 8
game = "big_wheel"
rules = "hc2011"
"""


@pytest.fixture
def written(tmp_path):
    """A function that writes a file and returns its path."""

    def write(text):
        path = tmp_path / "host.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def refused(path, **options):
    with pytest.raises(ToolError) as caught:
        read(path, **options)
    return caught.value


def test_a_file_is_read_whole(written):
    """What is not given is the default."""
    settings = read(written(WHOLE))
    first, second = settings.tables
    assert (settings.port, settings.names, settings.host) == (8443, ("pit.house",), "127.0.0.1")
    assert (first.name, dict(first.limits), second.device) == ("R1", {"minimum": 500}, 8)
    assert (first.void_policy, first.currency) == ("refund", "EUR")


def test_the_declared_defaults_are_those_that_hold():
    """What is written in the list of settings is what a host without a file does."""
    for declared, record in ((HOST, Settings()), (TABLE, TableSettings("", "", 0, "", ""))):
        for setting in declared:
            if setting.default is not None:
                assert getattr(record, setting.name) == setting.default, setting.name


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("port = 8443", "prot = 8443", 2, "did you mean port?"),
        ("port = 8443", "port = 70000", 2, "0..65535"),
        ("port = 8443", 'port = "8443"', 2, "not a whole number"),
        ("port = 8443", "port = true", 2, "not a whole number"),
        ('names = ["pit.house"]', "names = [1]", 3, "not a list of texts"),
        ("device = 8", "divice = 8", 18, "did you mean device?"),
        ("device = 8", "device = 7", 18, "used by another table"),
        ("device = 8\n", "", 15, "the key device is missing"),
        ("device = 8", "device = 0", 18, "1..4294967295"),
        ('name = "W1"', 'name = "R1"', 16, "used by another table"),
        ("[table.limits]", "[table.limit]", 12, "did you mean limits?"),
    ],
)
def test_a_mistake_is_named_with_its_line(written, old, new, line, said):
    """File and line, what was found, what would have been accepted."""
    assert WHOLE.count(old) == 1 or old.startswith("device")
    error = refused(written(WHOLE.replace(old, new)))
    assert error.where.endswith(f"line {line}")
    assert said in " ".join((error.what, error.limit, error.step))


def test_a_file_of_tables_holds_nothing_else(written):
    """--tables reads tables alone."""
    assert len(read(written(TABLE_TEXT), tables_only=True).tables) == 1
    error = refused(written(WHOLE), tables_only=True)
    assert "use --config" in error.step


@pytest.mark.parametrize("text", ["port = ", "table = 3", "\xff"])
def test_what_is_no_file_of_a_host(written, text):
    """Not TOML, or tables of the wrong type."""
    refused(written(text))


def test_both_commands_check_it(written, capsys):
    """`serve --check` and `config check` say the same of a host's file that names no other."""
    path = str(written(WHOLE))
    assert run(["serve", "--config", path, "--check"]) == 0
    assert run(["config", "check", path]) == 0
    said = capsys.readouterr().out
    assert said.count("2 tables: every setting is known and in range") == 2
    none = str(written(WHOLE.replace("hc2011", "hc1811")))
    assert run(["config", "check", none]) == USER
    assert "table W1" in capsys.readouterr().err
    bad = str(written(WHOLE.replace("port = 8443", "prot = 8443")))
    assert run(["config", "check", bad]) == USER
    assert "did you mean port?" in capsys.readouterr().err


SECRETS = 'webhook_secrets = "secrets"'


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (f'webhooks = ["ftp://cms.example/"]\n{SECRETS}', "is not an address"),
        (f'webhooks = ["http://10.0.0.7/"]\n{SECRETS}', "is not encrypted"),
        (
            f'webhooks = ["https://a.example/", "https://a.example/?x=1"]\n{SECRETS}',
            "two sinks have the same name",
        ),
        ('webhooks = ["https://a.example/"]', "needs a file of secrets"),
        ('mqtt = "http://broker.house"', "is not a broker"),
        ('mqtt = "amqp://broker.house"', "is not a broker"),
        ('db = "mysql://pit@db.house/pit"', "no such kind of database"),
        ('db = "postgresql://pit@db.house:port/pit"', "cannot be read"),
        ('tls_certificate = "/nowhere.pem"\ntls_key = "/nowhere.key"', "cannot open the file"),
        ('tls_certificate = "secrets"', "tls_key is missing"),
        ('tls_certificate = "secrets"\ntls_key = "secrets"', "certificate and key cannot be used"),
        ('host = "10.0.0.7"', "is reached from other machines"),
        ('checkpoint_key = "secrets"', "checkpoint"),
        ('manifest = "secrets"', "manifest and release_key go together"),
        (TABLE_TEXT.replace("/dev/ttyUSB0", "spy:///dev/ttyUSB0?file=x"), "is no kind of port"),
        (TABLE_TEXT.replace("/dev/ttyUSB0", "socket://wheel"), "names no port number"),
    ],
)
def test_what_a_start_refuses_the_checks_refuse(
    settings, said, tmp_path, written, capsys, monkeypatch
):
    """`config check`, `serve --check` and `serve` say the same; nothing is made."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secrets").write_text("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
    if not settings.startswith("[[table]]"):
        settings += "\n" + TABLE_TEXT
    path = str(written(settings))
    messages = []
    for words in (
        ["config", "check", path],
        ["serve", "--config", path, "--check"],
        ["serve", "--config", path, "--port", "1"],
    ):
        assert run(words) == USER, words
        messages.append(capsys.readouterr().err)
    assert said in messages[0]
    assert messages[0] == messages[1] == messages[2]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["host.toml", "secrets"]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("more", [["--check"], []])
def test_a_named_file_must_be_there(name, more, written, tmp_path, capsys):
    """Also without tables; a start makes no ledger and no user first."""
    lines = [f'db = "{tmp_path / "pit.ledger"}"', f'{name} = "{tmp_path / name}"']
    if name.startswith("tls"):
        [partner] = {"tls_certificate", "tls_key"} - {name}
        lines.append(f'{partner} = "{__file__}"')
    path = str(written("\n".join(lines)))
    assert run(["serve", "--config", path, *more]) == USER
    error = capsys.readouterr().err
    assert str(tmp_path / name) in error
    assert "next step: check the name" in error
    assert not (tmp_path / "pit.ledger").exists()


def test_a_certificate_must_fit_its_key(written, tmp_path, capsys):
    """Said before anything is made, also by --check."""
    pair = Certificates(tmp_path).make("pit", "pit")
    other = Certificates(tmp_path / "other").make("pit", "pit")
    for key, code in ((pair[1], 0), (other[1], USER), (pair[0], USER)):
        path = str(written(f'tls_certificate = "{pair[0]}"\ntls_key = "{key}"'))
        assert run(["serve", "--config", path, "--check"]) == code
    assert "tls_certificate, tls_key" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--host", "0.0.0.0"], "is reached from other machines"),
        (["--host", "0.0.0.0", "--public"], "unencrypted"),
        (["--public", "--host", "::", "--tls-certificate", "x"], "tls_key is missing"),
    ],
)
def test_nobody_else_is_let_near_by_mistake(words, said, capsys):
    """Beyond loopback only by an explicit option, and then encrypted or behind a proxy that is."""
    assert run(["serve", "--check", *words]) == USER
    assert said in capsys.readouterr().err
    assert run(["serve", "--check", "--host", "0.0.0.0", "--behind-proxy"]) == 0
