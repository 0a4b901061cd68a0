"""`tabletool diag` against the shipped firmware on the VM, its machines moved and broken."""

import json
import re
from dataclasses import replace

import pytest
from PIL import Image
from sqlalchemy import select

from hil_tests.thinned import IS_SOAK
from host_tools.tests.diagnosed import (
    Floor,
    Technician,
    dead,
    dead_gate,
    shuffle,
    spin,
    throw,
    turn,
)
from tableemulator.machines.card_shoe.physical_shoe import Pull, ShoeSetup
from tableemulator.machines.dice_tray import physical_tray as tray
from tableemulator.machines.dice_tray.physical_tray import TrayCamera, TraySetup
from tableemulator.machines.dice_tray.rendering import Die
from tableemulator.machines.draw_machine.physical_draw import DrawSetup
from tableemulator.machines.money_wheel.physical_money_wheel import PIN_B, MoneyWheelSetup
from tableemulator.machines.roulette import physical_wheel as g
from tableemulator.machines.roulette.physical_wheel import Geometry
from tableemulator.machines.shuffler.physical_shuffler import GATE_OUT, ShufflerSetup
from tableemulator.play_session import emulated_table
from tablespec.names import KEY_NAMES
from tabletools.cli.diag.calibrations import card_shoe, money_wheel, roulette, shuffler
from tabletools.cli.main import run
from tabletools.diag import money_wheel as wheel_law
from tabletools.diag.report import FAILED
from tabletools.errors import USER
from tabletools.evidence import maintenance as log
from tabletools.keys import Key, Keyring
from tabletools.store import Actor, Store, people
from tabletools.store.schema.people import maintenance
from tabletools.table import frames

SECRET = bytes(range(100, 132))


def brown(table):
    """Dead lines, and 3.9 V where 5 V should be: 25816 of 65535 at a third, for 3.3 V."""
    dead(g.ROTOR_B, g.INDEX, g.RIM_2)(table)
    table.set_converter(29, 25816)


def stiff(table):
    """Pin sensor B is dead, and the flapper does not bend."""
    dead(PIN_B)(table)
    table.wheel.stiff = True


def in_the_dark(table):
    """A plate and the edge beams are dead, the light is off; the chip has 86 C (0.604 V)."""
    dead(tray.PLATE_2, tray.EDGE)(table)
    table.tray.camera.lit = 0.05
    table.set_converter(4, 12000)


# Machine: (setup, hands, what breaks, seconds, failures expected as (check, code)).
BROKEN = {
    "roulette": (
        Geometry("single"), spin, brown, 14,
        [("rotor b: pulses", 301), ("index: pulses", 205), ("rim 2: pulses", 301),
         ("rotor b: fault active", 301), ("table: supply", 1006)],
    ),
    "money_wheel": (
        MoneyWheelSetup(), turn, stiff, 12,
        [("rotor b: pulses", 609), ("flapper: swing", 611), ("rotor b: fault active", 301)],
    ),
    "shuffler": (
        ShufflerSetup(), shuffle, dead_gate(GATE_OUT), 20,
        [("gate out: pulses", 810), ("table: fault active", 816)],
    ),
    "dice_tray": (
        TraySetup(), throw, in_the_dark, 14,
        [("far wall: pulses", 301), ("edge beams: pulses", 301), ("camera: brightness", 714),
         ("camera: fault active", 714), ("table: temperature of the chip", 1007)],
    ),
}  # fmt: skip
HEALTHY = {name: (setup, moved) for name, (setup, moved, *_) in BROKEN.items()}
if not IS_SOAK:
    HEALTHY = {name: HEALTHY[name] for name in ("roulette",)}


def diagnosis(capsys, *words):
    """The exit code of a command and the JSON object it printed."""
    capsys.readouterr()
    code = run(["diag", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def failures(report):
    """(check, code) of what failed."""
    return [(row["name"], row["code"]) for row in report["checks"] if row["verdict"] == "fail"]


@pytest.mark.parametrize("name", BROKEN)
def test_each_broken_sensor_is_named(name, capsys):
    """By its check and its code, with cause and remedy; what works passes; exit code 6."""
    setup, moved, broken, seconds, expected = BROKEN[name]
    with Floor(setup, moved=moved, broken=broken) as floor:
        code, report = diagnosis(capsys, floor.url, "--self-test", "--yes", "--for", str(seconds))
    assert sorted(failures(report)) == sorted(expected)
    assert code == FAILED
    assert report["table"]["role"] == name
    for row in report["checks"]:
        assert row["verdict"] != "fail" or (row["cause"] and row["remedy"])


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_machine_passes(name, capsys):
    """Nothing fails that moves as it should; 40 s are enough to verify a deck."""
    setup, moved = HEALTHY[name]
    with Floor(setup, moved=moved) as floor:
        seconds = "40" if name == "shuffler" else "16"
        _code, report = diagnosis(capsys, floor.url, "--self-test", "--yes", "--for", seconds)
    assert failures(report) == []
    assert sum(row["verdict"] == "pass" for row in report["checks"]) >= 8


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """A healthy wheel with a key, and its keyring."""
    file = tmp_path_factory.mktemp("keys") / "keys.json"
    Keyring(file).add(1382865454, Key(1, SECRET))
    with Floor(Geometry("single"), moved=spin, key=(1, SECRET)) as floor:
        yield floor, file


def test_a_bundle_holds_all_but_keys(sealed, tmp_path, capsys):
    """Identity, each value of the configuration, checks, versions, a capture; no key material."""
    floor, file = sealed
    out = tmp_path / "support.json"
    assert run(["diag", "bundle", floor.url, str(out), "--keys", str(file)]) == 0
    text = out.read_text()
    bundle = json.loads(text)
    assert bundle["table"]["authenticated"] is True
    assert tuple(bundle["configuration"]) == KEY_NAMES
    assert bundle["versions"]["tabletool"]
    assert bundle["capture"].startswith("tablewire-capture 2 ")
    assert bundle["events"]
    assert {row["verdict"] for row in bundle["checks"]} <= {"pass", "fail", "skip"}
    for part in range(0, len(SECRET), 4):  # no four bytes of it, written in any way
        piece = SECRET[part : part + 4]
        assert piece not in out.read_bytes()
        assert piece.hex() not in text.lower()


def test_the_sensors_are_watched(sealed, capsys):
    """One look a line block where there is no terminal: speed, laps and lamp, then each sensor."""
    floor, file = sealed
    assert run(["diag", floor.url, "--watch", "--yes", "--for", "0.2", "--keys", str(file)]) == 0
    output = capsys.readouterr().out
    assert "laps of the ball" in output
    assert "lamp " in output
    assert "rotor_a" in output


def test_the_picture_of_a_tray_is_watched(capsys):
    """Twelve lines of letters, and how bright they are, below the sensors."""
    with Floor(TraySetup(), moved=lambda table: None) as floor:
        assert run(["diag", floor.url, "--watch", "--yes", "--for", "0.1"]) == 0
    output = capsys.readouterr().out.splitlines()
    below = next(
        place for place, line in enumerate(output) if line.startswith("brightness of 255: min")
    )
    assert all(len(line) == 32 for line in output[below - 12 : below])
    assert len("".join(output[below - 12 : below]).strip()) > 100


def test_a_wheel_is_calibrated_and_checked(sealed, capsys):
    """It reported place 12 of 37, the ball was in 14: the offset rises by 2, then all agrees."""
    _, file = sealed
    with Floor(Geometry("single", "head"), moved=spin, key=(1, SECRET)) as floor:
        words = [floor.url, "--calibrate", "index_offset", "--yes", "--keys", str(file)]
        assert run(["diag", *words, "--reported", "12", "--true", "14"]) == 0
        assert "index_offset = 2, was 0" in capsys.readouterr().out
        code, report = diagnosis(capsys, *words, "--reported", "14", "--true", "14")
        assert (code, report["counts"]) == (0, {"pass": 1, "fail": 0, "skip": 0})


def test_a_shuffler_is_calibrated_and_checked(monkeypatch, capsys):
    """Its cards take 80 ms and spread by 1.5 % (emulators.shuffler), at both gates."""
    asked, echo = [], shuffler.typer.echo

    def heard(text, *more, **options):
        asked.extend([text] * ("huffle it" in text or "have it shuffle" in text.lower()))
        echo(text, *more, **options)

    def shuffle_when_asked(table):
        if asked:
            asked.clear()
            shuffle(table)

    monkeypatch.setattr(shuffler.typer, "echo", heard)
    with Floor(ShufflerSetup(), moved=shuffle_when_asked, every_us=1_000_000) as floor:
        words = [floor.url, "--calibrate", "card_time", "--yes", "--for", "30"]
        assert run(["diag", *words]) == 0
    output = capsys.readouterr().out
    assert 14 <= int(re.search(r"card_spread = (\d+), was 80", output)[1]) <= 24
    assert output.count("PASS  calibration: gate") == 2


class Dealer:
    """Pulls one card, or two, as the calibration says."""

    def __init__(self):
        self._second = None

    def hear(self, text):
        """A line of the calibration."""
        self._second = 0.0 if "ten times two" in text else None

    def pull(self, table):
        """See Floor, moved."""
        table.shoe.pull(table.now_us, Pull(second=self._second))


def test_a_shoe_is_calibrated_and_checked(monkeypatch, capsys):
    """88 mm over 20 mm; one card reads 1900, two 3000, give or take 60 (emulators.card_shoe)."""
    dealer, echo = Dealer(), card_shoe.typer.echo

    def heard(text, *more, **options):
        dealer.hear(text)
        echo(text, *more, **options)

    monkeypatch.setattr(card_shoe.typer, "echo", heard)
    with Floor(ShoeSetup(), moved=dealer.pull, every_us=1_000_000) as floor:
        words = [floor.url, "--calibrate", "cards", "--yes", "--for", "20.5"]
        assert run(["diag", *words]) == 0
    output = capsys.readouterr().out
    assert abs(int(re.search(r"sheet_limit_raw = (\d+), was 2500", output)[1]) - 2450) < 64
    assert abs(int(re.search(r"sheet_card_raw = (\d+), was 0", output)[1]) - 1900) < 64
    assert output.count("PASS  calibration: ") == 3


def test_a_money_wheel_is_learned(monkeypatch, capsys):
    """From the traces of free turns: 15 degrees/s^2 without air, by the model's friction."""
    setup = MoneyWheelSetup()
    with emulated_table(setup, 7) as table:
        rounds = [table.spin().ended.round for _ in range(8)]
        traces = [table.controller.trace(number) for number in rounds]
    monkeypatch.setattr(money_wheel, "traces", lambda ledger, device: traces)
    monkeypatch.setattr(wheel_law, "LEAST_TURNS", 6)
    with Floor(setup, moved=lambda _: None) as floor:
        words = [floor.url, "--calibrate", "wheel_law", "--yes"]
        assert run(["diag", *words]) == USER
        assert "--ledger DB" in capsys.readouterr().err
        code = run(["diag", *words, "--ledger", "pit.db"])
        output = capsys.readouterr().out
    assert code == 0, output
    stored = dict(re.findall(r"(\w+) = (\d+), was", output))
    assert int(stored["friction_ddegss"]) == pytest.approx(150, rel=0.03)
    assert int(stored["air_1024"]) == pytest.approx(295, rel=0.2)
    assert "is not seen" in output


def test_a_wheel_without_a_head_has_no_offset(sealed, capsys):
    """A switch array reports the pocket by its wire."""
    floor, file = sealed
    for what in ("index_offset", "reader_offset"):
        words = [floor.url, "--calibrate", what, "--yes", "--keys", str(file)]
        assert run(["diag", *words, "--reported", "12", "--true", "14"]) == USER
        assert f"{what} is the reader head's" in capsys.readouterr().err


def test_what_needs_a_person_asks_first(sealed, capsys):
    """Without a terminal and --yes nothing is opened."""
    floor, _file = sealed
    assert run(["diag", floor.url, "--self-test"]) == 1
    assert "give --yes; nothing was sent" in capsys.readouterr().err


def misplace(table):
    """The head of this wheel is 2.5 degrees, a quarter of a pocket, past its set position."""
    wheel = table.wheel
    wheel.geometry = replace(wheel.geometry, head_deg=182.5)
    wheel.put_in_pocket(wheel.now_us, wheel.ball, 5)


def turn_rotor(rpm):
    """The ball is in a pocket; the rotor is pushed when it is slow or turns the other way."""

    def push(table):
        if table.wheel.rotor_rpm / rpm < 0.7:
            table.wheel.push_rotor(rpm)

    return push


@pytest.mark.parametrize("rpm", [14, -14])
def test_the_reader_head_is_found(rpm, capsys):
    """Whichever way the rotor turns: to a twentieth of a pocket; then it is checked."""
    with Floor(Geometry("single", "head"), moved=turn_rotor(rpm), broken=misplace) as floor:
        words = [floor.url, "--calibrate", "reader_offset", "--yes"]
        _code, report = diagnosis(capsys, floor.url, "--self-test", "--yes", "--for", "13")
        [place] = [row for row in report["checks"] if row["name"] == "head: off its place"]
        assert (place["verdict"], place["code"]) == ("fail", 103)
        assert run(["diag", *words]) == 0
        output = capsys.readouterr().out
        angle = int(re.search(r"head_angle_mdeg = (\d+), was 180000", output)[1])
        assert abs(angle - 182_500) <= 500
        assert "PASS  calibration: reader head off its place" in output


class Uncalibrated(DrawSetup):
    """A machine whose balls were never measured."""

    @property
    def keys(self):
        return super().keys | {"ball_ratio": 0}


def drawn(table):
    """Twelve balls were drawn, one by one, while a host was there; then it went away."""
    table.acknowledge_again()
    table._has_host = True
    assert table.spin().reason is None
    table.stop_acknowledging()


def test_a_ball_gate_is_calibrated_by_the_last_draws(capsys):
    """A ball of 40 mm, beams 15 mm apart: 267 %; the emulated machine draws them at 1 m/s."""
    with Floor(Uncalibrated(20, 12), moved=lambda table: None, broken=drawn) as floor:
        assert run(["diag", floor.url, "--calibrate", "ball", "--yes"]) == 0
    output = capsys.readouterr().out
    ratio = int(re.search(r"ball_ratio = (\d+), was 0", output)[1])
    assert abs(ratio - 267) <= 8
    assert "PASS  calibration: ball_ms" in output
    assert "12 balls" in output


def test_a_machine_that_drew_nothing_cannot_be_calibrated(capsys):
    """No trace, no ball."""
    with Floor(DrawSetup(20, 6), moved=lambda table: None) as floor:
        assert run(["diag", floor.url, "--calibrate", "ball", "--yes"]) == USER
    assert "0 balls are in the traces of the last rounds" in capsys.readouterr().err


def walked_round(mounting, sensor, monkeypatch, *options, rims=2):
    """Exit code and report of a walk round a wheel that is mounted so."""
    hands = Technician()
    monkeypatch.setattr(roulette.typer, "echo", hands.do)
    setup = Geometry("single", sensor, mounting=mounting, rim_sensors=rims)
    with Floor(setup, moved=lambda _: None, broken=hands.come, every_us=10**9) as floor:
        words = ["diag", floor.url, "--calibrate", "pockets", "--yes", *options]
        return run(words), hands.said[-1]


def test_a_right_wheel_passes_the_walk(monkeypatch, tmp_path):
    """Lines, direction and three pockets of a head, recorded; test_mounting.py walks arrays."""
    file = str(tmp_path / "pit.ledger")
    ledger = Store.open(file)
    people.create_user(ledger, "Tim", "technician", None, Actor("test"))
    code, report = walked_round("right", "head", monkeypatch, "--ledger", file, "--by", "Tim")
    assert code == 0, report
    assert "PASS  head: pockets that read as themselves  3  (3)" in report
    assert report.endswith("23 checks: 0 failed, 0 not judged")
    with ledger.read() as db:
        [(device, text)] = db.execute(select(maintenance.c.device, maintenance.c.text))
        ledger.run(lambda db: frames.note_device(db, device, 1, role="roulette"))
    assert json.loads(text)["passed"] is True
    with ledger.read() as db:
        assert log.missing_walk(db, device) == ""
    ledger.close()


def test_each_of_four_rim_sensors_is_walked(monkeypatch):
    """Eight checks more than with two: at rest, a finger, passes and place of two more."""
    code, report = walked_round("right", "head", monkeypatch, rims=4)
    assert code == 0, report
    assert report.endswith("31 checks: 0 failed, 0 not judged")
    code, report = walked_round("rim_3_angle", "head", monkeypatch, rims=4)
    assert code == FAILED
    assert re.search(r"rim_3_angle_mdeg = 1(79|80)\d{3} corrects it", report)


def test_a_walk_is_recorded_by_a_user_or_not_begun(tmp_path, capsys):
    """No name, no ledger, another calibration, a name that the ledger does not know."""
    file = str(tmp_path / "pit.ledger")
    Store.open(file).close()
    walk = ["diag", "/dev/not-there", "--yes", "--calibrate"]
    for words, refusal in (
        ([*walk, "pockets", "--ledger", file], "--ledger and --by"),
        ([*walk, "pockets", "--by", "Tim"], "--ledger and --by"),
        ([*walk, "flapper", "--ledger", file, "--by", "Tim"], "--ledger and --by"),
        ([*walk, "pockets", "--ledger", file, "--by", "Tim"], "there is no enabled user 'Tim'"),
    ):
        assert run(words) == 1
        assert refusal in capsys.readouterr().err


def test_the_walk_names_what_is_mounted_wrong(monkeypatch):
    """A ball in each of 37 pockets; exit code 6."""
    code, report = walked_round("registers_exchanged", "array", monkeypatch)
    assert code == FAILED
    assert "registers 2 and 3 are exchanged" in report
    assert "1009 mounting_wrong" in report


def with_strip(table):
    """A strip of paper along the dice line, and the camera hung again: the wall at row 9."""
    camera = table.tray.camera
    camera.wall, camera.strip = 9, (38, 42)
    table.tray.lift()


def test_a_tray_is_calibrated_and_tried(capsys):
    """Wall, mark and line are found and stored, the table's own eye agrees; no dice, and three."""
    lies = []

    def hands(table):
        table.tray.lying = list(lies)
        table.tray.camera.strip = None if lies else table.tray.camera.strip

    with Floor(TraySetup(), moved=hands, broken=with_strip, every_us=100_000) as floor:
        words = [floor.url, "--yes", "--calibrate"]
        assert run(["diag", *words, "tray_lines"]) == 0
        output = capsys.readouterr().out
        assert re.search(r"wall_row = (8|9|10), was 6", output)
        assert re.search(r"line_row = 4[23], was 36", output)
        assert "PASS  camera: off its place" in output
        code, report = diagnosis(capsys, *words, "tray_background")
        assert (code, failures(report)) == (0, [])
        assert len(report["checks"]) == 6
        code, report = diagnosis(capsys, *words, "dice_size")  # there is no die
        assert (code, failures(report)) == (FAILED, [("dice: are read", 1008)])
        style = TrayCamera(7).style
        for k in range(3):
            die = Die(0, 0, 3 + k, 0.3 * k, style)
            lies.append(TrayCamera(7).placed(die, 35 + 45 * k, 80))
        floor.pass_time(3_000_000)  # the camera looks at a tray at rest every 2 s
        code, report = diagnosis(capsys, *words, "dice_size")
        assert (code, failures(report)) == (0, [])
        sides = [row["value"] for row in report["checks"][1:]]
        assert all(20 <= side <= 24 for side in sides)  # drawn 22 px wide
        code, report = diagnosis(capsys, *words, "tray_background")
        assert ("tray: reads as empty", 1008) in failures(report)


def test_a_frame_of_the_camera_is_saved(tmp_path, capsys):
    """The tray as it is, pixel by pixel but for the noise of the sensor; never over a file."""
    file = tmp_path / "empty.png"
    with Floor(TraySetup(), moved=lambda table: None) as floor:
        assert run(["take-picture", floor.url, str(file), "--yes"]) == 0
        assert "160 x 120 px" in capsys.readouterr().out
        with Image.open(file) as picture:
            size, greys = picture.size, picture.tobytes()
        exposure = TrayCamera(7).expose([], 0)
        assert exposure is not None
        still = exposure.greys()
        assert size == (160, 120)
        assert max(abs(one - other) for one, other in zip(greys, still, strict=True)) < 16
        assert run(["take-picture", floor.url, str(file), "--yes"]) == USER
    assert "already exists" in capsys.readouterr().err


def without_memory(table):
    """The part that examines sensors does not fit any more."""
    table.controller.board.exec(
        "from tabledev.app import service\n"
        "def _fail(table, frame, refuse):\n"
        "    raise MemoryError('memory allocation failed, allocating 1344 bytes')\n"
        "service.obey = _fail\n"
    )


def test_a_table_without_memory_says_so(capsys):
    """Neither its line nor its firmware is blamed: the message has the bytes needed and free."""
    with Floor(Geometry("single", "head"), moved=lambda _: None, broken=without_memory) as floor:
        assert run(["diag", floor.url, "--self-test", "--yes", "--for", "1"]) == 1
    error = capsys.readouterr().err
    assert "the table has no memory for" in error
    assert "1344 bytes in one piece" in error
    assert "bytes free, fragmented" in error
