"""The audit of wheels and dice: exact chances by hand, published powers, and the command."""

import csv
import json
import math
import random
from statistics import NormalDist

import numpy as np
import pytest

from tabletools.audit import (
    MACHINES,
    Spins,
    audit,
    chance,
    read_spins,
    scan_calibration,
    sector_scan,
)
from tabletools.audit.audit_report import ALARM, QUIET, as_text
from tabletools.audit.control_chart import control_chart
from tabletools.audit.error_budget import Test
from tabletools.audit.scan_factors import FACTORS, LOG_CHANCES
from tabletools.cli.main import run
from tabletools.store import Store

OF_WHEELS = list(Test)[: list(Test).index(Test.FACES)]


def drawn(n, height, seed, machine=MACHINES["single"]):
    """n places whose chances follow a sine of that height, drawn one by one."""
    k = machine.fields
    weights = [1 + height * math.cos(2 * math.pi * place / k - 1.0) for place in range(k)]
    return random.Random(seed).choices(range(k), weights, k=n)


def report(places, machine=MACHINES["single"], **options):
    """The audit of these places."""
    return audit(Spins("", list(places), round=len(places)), machine, **options)


@pytest.fixture
def file(tmp_path):
    """Write rows with these columns; the file's name."""

    def write(columns, rows, delimiter=","):
        path = tmp_path / "spins.csv"
        with path.open("w", newline="") as out:
            writer = csv.writer(out, delimiter=delimiter)
            writer.writerows([columns, *rows])
        return str(path)

    return write


def output(capsys):
    """The one JSON object that was written."""
    return json.loads(capsys.readouterr().out)


# --- chances -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "p"),
    [
        ([3, 0], 2 / 8),  # of 8 ways to throw 3 coins, 2 are all alike
        ([2, 1], 1.0),
        ([2, 1, 0], 21 / 27),  # 6 of 27 ways have all three different
        ([3, 0, 0], 3 / 27),
        ([1, 1, 1], 1.0),
    ],
)
def test_a_small_sample_has_its_exact_chance(counts, p):
    """Counted by hand: the ways that are at least as uneven, of all ways."""
    statistic = chance.fit(counts)
    assert statistic.method == "exact"
    assert statistic.p == pytest.approx(p)


def test_the_statistic_is_pearsons():
    """60 throws of a die as 5 8 9 8 10 20: (25+4+1+4+0+100)/10 = 13.4 over 5 degrees."""
    statistic = chance.fit([5, 8, 9, 8, 10, 20])
    assert (statistic.statistic, statistic.df) == (pytest.approx(13.4), 5)
    assert statistic.p == pytest.approx(0.0199, abs=0.0001)  # tables: 13.388 at 0.02


@pytest.mark.parametrize(("fields", "limit"), [(37, 58.6), (38, 59.9)])
def test_the_limits_at_one_percent_are_the_published_ones(fields, limit):
    """58.6 for 37 pockets and 59.9 for 38."""
    many = 10_000
    uneven = math.sqrt(limit * many / 2)
    counts = [many] * fields
    counts[0], counts[1] = round(many + uneven), round(many - uneven)
    assert chance.fit(counts).p == pytest.approx(0.01, abs=0.0003)


def test_a_middling_sample_is_simulated_the_same_each_time():
    """Between the exact and the large: a simulation with a fixed seed, near the chi-square."""
    counts = [4] * 30 + [12, 8, 6, 2, 1, 0, 0]
    first, again = chance.fit(counts), chance.fit(list(reversed(counts)))
    assert first.method == "simulated"
    assert first.p == again.p


def test_rayleigh_knows_the_side():
    """All spins in one pocket: r is 1 and the angle is the pocket's, clockwise from the zero."""
    counts = [0] * 37
    counts[10] = 60
    statistic = chance.lean(counts)
    assert statistic.r == pytest.approx(1.0)
    assert statistic.angle_deg == pytest.approx(10 * 360 / 37)
    assert statistic.p < 1e-20


def test_rayleighs_p_by_the_table():
    """A critical value of the tables: n = 100, z = 2.986 at 0.05 (r = 0.1728)."""
    aside = math.degrees(math.acos(0.1728))
    angles = [aside, -aside] * 50
    assert chance.lean_of_angles(angles).p == pytest.approx(0.05, abs=0.001)


@pytest.mark.parametrize(("df", "spins"), [(36, 8400), (2, 3500)])
def test_a_ten_percent_sine_needs_the_published_spins(df, spins):
    """About 8,400 spins by chi-square and 3,500 by Rayleigh, at 1 % and a power of 90 %."""
    assert chance.needed_spins(df, 0.01, 0.1) == pytest.approx(spins, rel=0.01)


def test_runs_of_a_hand_counted_row():
    """Ten of each side, alternating in pairs: 10 runs; 11 are expected of 20 by chance."""
    statistic = chance.runs([True, True, False, False] * 5)
    assert (statistic.runs, statistic.expected) == (10, 11.0)
    assert statistic.z == pytest.approx(-1 / math.sqrt(10 * 9 / 19))


# --- verdicts ------------------------------------------------------------------------------------


def test_a_ten_percent_sine_is_found_within_3500_spins():
    """Nine of ten simulated wheels with a sine of 10 % are not quiet after 3,500 spins."""
    verdicts = [report(drawn(3500, 0.1, seed)).verdict for seed in range(30)]
    assert verdicts.count(QUIET) <= 7


def test_a_fair_wheel_stays_quiet():
    """Of 120 audits of fair wheels one or two may say watch; an alarm is a matter of a year."""
    verdicts = [report(drawn(1500, 0.0, 1000 + seed)).verdict for seed in range(120)]
    assert verdicts.count(QUIET) >= 114
    assert verdicts.count(ALARM) <= 1


def test_a_dealer_who_always_throws_on_is_found():
    """Each spin is half a wheel after the last: equal pocket counts, unequal steps."""
    result = report([place * 18 % 37 for place in range(740)])
    assert result.chi_square.p > 0.99
    assert result.verdict == ALARM


def test_loaded_dice_alarm():
    """A six in 220 of 900 throws of one die."""
    places = [0, 1, 2, 3, 4] * 136 + [5] * 220
    assert report(places, MACHINES["dice"]).verdict == ALARM


def test_more_audits_a_year_need_a_clearer_case():
    """What alarms in a daily audit need not alarm where every spin is audited."""
    places = drawn(3500, 0.1, 4)
    assert report(places).alarm_level > report(places, audits_per_year=100_000).alarm_level


# --- the command ---------------------------------------------------------------------------------


def test_the_record_is_the_one_promised(file, capsys):
    """The keys of the JSON object, for a double-zero wheel."""
    labels = MACHINES["double"].labels
    path = file(["pocket"], [[label] for label in labels * 10])
    assert run(["audit", "--csv", path, "--wheel", "double", "--json"]) == 0
    record = output(capsys)
    assert record.keys() == {
        *("n", "chi_square", "rayleigh", "verdict", "p", "alarm_level"),
        *("tests", "not_tested", "step"),
    }
    assert record["n"] == 380
    assert record["chi_square"] == {"statistic": 0, "df": 37, "p": pytest.approx(1)}
    assert record["rayleigh"].keys() == {"r", "angle_deg", "p"}


HOSTILE = (
    b'\xef\xbb\xbf"Croupier","Pocket" ,note\r\n'  # BOM, quotes, CRLF, another order, a space
    b'"Ann, Bea",00,"a ""quoted"" word"\r\n'
    b"\r\n"  # a blank line is no row
    b'Cy,"7",\r\n'
    b"Di, 0 ,one column,too many\r\n"
    b"Ed,,a void\r\n"
    b'Flo,36,"a note\r\nof two lines"\r\n'
)


def test_a_file_as_spreadsheets_write_it(tmp_path, capsys):
    """Byte order mark, CRLF, quotes, extra columns, blank lines: four falls and a void."""
    path = tmp_path / "night.csv"
    path.write_bytes(HOSTILE)
    assert run(["audit", "--csv", str(path), "--wheel", "double"]) == 0
    assert "4 results, 1 rounds without a result" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "pocket"),
    [
        (b"Gil,37,\r\n", "37"),
        (b"Gil,000,\r\n", "000"),
        (b"Gil,-1,\r\n", "-1"),
        (b"Gil,1.0,\r\n", "1.0"),
        (b"Gil,red,\r\n", "red"),
    ],
)
def test_a_bad_pocket_is_named_with_its_line(line, pocket, tmp_path, capsys):
    """The line of the file, also after a cell of two lines: the ninth, of whatever is wrong."""
    path = tmp_path / "night.csv"
    path.write_bytes(HOSTILE + line)
    assert run(["audit", "--csv", str(path), "--wheel", "double"]) == 1
    said = capsys.readouterr().err
    assert f"'{pocket}' is not on this machine" in said
    assert "line 9" in said


def test_statistics_by_hand(file, capsys):
    """Each of 37 pockets ten times and the zero ten more, n = 380.

    Chi-square: (20 - 380/37)^2 + 36 (10 - 380/37)^2, over 380/37 = 9.4737. Rayleigh: only the ten
    more at angle 0 are left, r = 10/380; p is close to exp(-10^2 / 380) = 0.7686. scipy 1.17 has
    a p of 0.9999973843 for the chi-square.
    """
    labels = [*MACHINES["single"].labels * 10, *["0"] * 10]
    path = file(["pocket"], [[label] for label in labels])
    assert run(["audit", "--csv", path, "--wheel", "single", "--json"]) == 0
    record = output(capsys)
    assert record["n"] == 380
    assert record["chi_square"]["statistic"] == pytest.approx(9.4737, abs=1e-4)
    assert record["chi_square"]["p"] == pytest.approx(0.9999973843)
    assert record["rayleigh"]["r"] == pytest.approx(10 / 380, abs=1e-6)
    assert record["rayleigh"]["angle_deg"] % 360 == pytest.approx(0, abs=0.01)
    assert record["rayleigh"]["p"] == pytest.approx(0.7686, abs=0.001)
    assert record["verdict"] == "quiet"


def test_a_ledger_that_is_none_is_named(capsys):
    """So is a command with two places to read from, or none."""
    assert run(["audit", "--db", "not-there.ledger"]) == 1
    error = capsys.readouterr().err
    assert "there is no database" in error
    assert "not-there.ledger" in error
    for words in ([], ["--csv", "a.csv", "--db", "b.ledger"]):
        assert run(["audit", *words]) == 1
        assert "--csv or --db" in capsys.readouterr().err


def test_a_table_that_the_ledger_does_not_have_is_an_error(tmp_path, capsys):
    """A mistyped name is not a table without results."""
    Store.open(tmp_path / "pit.ledger").close()
    assert run(["audit", "--db", str(tmp_path / "pit.ledger"), "--table", "X"]) == 1
    assert "there is no table 'X'" in capsys.readouterr().err


def test_only_what_came_after_a_move_counts(file, capsys):
    """A wheel that leaned, was levelled, and is fair since."""
    rows = (
        [["17", ""]] * 500 + [["0", "1"]] + [[label, "0"] for label in MACHINES["single"].labels]
    )
    assert run(["audit", "--csv", file(["pocket", "moved"], rows), "--json"]) == 0
    assert output(capsys)["n"] == 38


def test_each_wheel_is_audited_by_itself(file, capsys):
    """A column `wheel` makes a line each."""
    path = file(["wheel", "pocket"], [["A", "1"], ["B", "2"], ["A", "3"]], delimiter=";")
    assert run(["audit", "--csv", path, "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["wheel"], line["n"]) for line in lines] == [("A", 2), ("B", 1)]


def test_voids_are_left_out_and_reported(file, capsys):
    """A row without a pocket is a void round."""
    path = file(["round", "pocket"], [[1, "7"], [2, ""], [3, "00"]])
    assert run(["audit", "--csv", path, "--wheel", "double"]) == 0
    assert "2 results, 1 rounds without a result" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("columns", "rows", "options", "words"),
    [
        (["pocket"], [["00"]], [], "line 2"),
        (["pocket"], [["37"]], ["--wheel", "double"], "'37' is not on this machine"),
        (["pocket"], [["1.0"]], [], "'1.0'"),
        (["number"], [["1"]], [], "no column 'pocket'"),
        (["pocket"], [], [], "no results"),
        (["pocket", "moved"], [["1", "perhaps"]], [], "moved is 'perhaps'"),
        (["pocket", "drop_deg"], [["1", "nan"]], [], "drop_deg is 'nan'"),
        (["round", "pocket"], [["2", "1"], ["2", "3"]], [], "line 3, more than 2"),
        (["pocket"], [["1"]], ["--wheel", "triple"], "no machine 'triple'"),
        (["pocket"], [["1"]], ["--plot", "a.gif"], "cannot draw .gif"),
    ],
)
def test_what_it_cannot_read_is_named(columns, rows, options, words, file, capsys):
    """What is wrong, and where; exit code 1."""
    assert run(["audit", "--csv", file(columns, rows), *options]) == 1
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("html", b"<!doctype")]
)
def test_the_picture_is_the_same_each_time(ending, start, file, tmp_path, capsys):
    """Two runs write identical bytes; the page describes its pictures in words."""
    path = file(["pocket"], [[label] for label in MACHINES["single"].labels * 3])
    pictures = []
    for name in ("one", "two"):
        plot = tmp_path / f"{name}.{ending}"
        assert run(["audit", "--csv", path, "--plot", str(plot)]) == 0
        pictures.append(plot.read_bytes())
    assert pictures[0] == pictures[1]
    assert pictures[0].startswith(start)
    if ending == "html":
        assert b"verdict: quiet" in pictures[0]


def test_the_table_of_powers(capsys):
    """How many results show which bias, by test: for one field in 37 that comes b more often.

    By hand: 36 (z + 1.2816)^2 / b^2, z the normal limit of the level of the test over 37.
    """
    assert run(["audit", "--power"]) == 0
    out = capsys.readouterr().out
    share = Test.FULLEST.share / sum(test.share for test in OF_WHEELS)
    z = -NormalDist().inv_cdf(share / 365 / 37)
    line = next(line for line in out.splitlines() if line.startswith("fullest field"))
    needed = [int(word.replace(",", "")) for word in line.split()[-5:]]
    assert needed[1] == pytest.approx(36 * (z + 1.2816) ** 2 / 0.1**2, rel=1e-3)
    for test in OF_WHEELS:
        assert f"\n{test.value}" in out


# --- when it began -------------------------------------------------------------------------------


def test_the_control_chart_shows_when_a_sector_began():
    """4,000 fair spins, then 4,000 in which five neighbours come twice as often."""
    places = random.Random(31).choices(range(37), k=4000) + biased(4000, range(5, 10), 1.0, 32)
    chart = control_chart(report(places))
    labels = MACHINES["single"].labels
    assert set(labels[5:10]) <= set(chart.fields.split())
    half = len(chart.deviations) // 2
    assert max(chart.deviations[:half]) < 3 < max(chart.deviations[half:])
    assert sum(chart.deviations[half:]) / half > 2


def test_a_block_of_the_chart_by_hand():
    """Face 6 is 120 of 300, all in the last 120: blocks of 60 have none or 60 of 10 expected."""
    places = [0, 1, 2, 3, 4] * 36 + [5] * 120
    chart = control_chart(audit(Spins("", places, round=1), MACHINES["dice"]))
    assert (chart.fields, chart.block) == ("dice 6", 60)
    spread = math.sqrt(60 * 5 / 36)
    assert chart.deviations == pytest.approx([-10 / spread] * 3 + [50 / spread] * 2)


def test_there_is_no_chart_without_an_order():
    """Nor of too few results."""
    places = [0, 1, 2, 3, 4, 5] * 60
    assert control_chart(audit(Spins("", places), MACHINES["dice"])) is None
    assert control_chart(audit(Spins("", places[:60], round=1), MACHINES["dice"])) is None


# --- what surveillance looks for -----------------------------------------------------------------


def biased(n, sector, height, seed, fields=37):
    """n places of a wheel on which these fields come more often by `height`."""
    weights = [1 + height * (place in sector) for place in range(fields)]
    return random.Random(seed).choices(range(fields), weights, k=n)


def alarms(result):
    """The tests that are an alarm."""
    return {f.test for f in result.findings.made if result.verdict_of(f) == ALARM}


def test_one_full_pocket_is_found_and_named():
    """A pocket that comes twice as often: its exact chance, and the pocket in words."""
    places = biased(5000, {11}, 1.0, 1)
    result = report(places)
    [most] = [f for f in result.findings.made if f.test == Test.FULLEST]
    assert Test.FULLEST in alarms(result)
    assert most.detail.startswith(f"{MACHINES['single'].labels[11]}: {places.count(11)}")


def test_the_fullest_field_of_a_small_sample_by_hand():
    """Three spins in one of three fields: 3 x (1/3)^3 = 1/9."""
    assert chance.fullest([0, 3, 0]).p == pytest.approx(1 / 9)


def test_a_full_sector_is_found_over_the_zero():
    """Five neighbours round the end of the list come 40 % more often."""
    result = report(biased(6000, {35, 36, 0, 1, 2}, 0.4, 2))
    assert Test.SECTOR in alarms(result)


def test_the_chance_of_a_scan_is_that_of_fair_wheels():
    """Of 3,000 fair wheels one in ten has a p below 0.1, and one in a hundred below 0.01."""
    rng = np.random.default_rng(5)
    ps = [sector_scan.scan(rng.multinomial(4000, [1 / 37] * 37)).p for _ in range(3000)]
    assert sum(p < 0.1 for p in ps) == pytest.approx(300, abs=4 * math.sqrt(270))
    assert sum(p < 0.01 for p in ps) == pytest.approx(30, abs=4 * math.sqrt(30))


def test_the_chance_of_the_newest_windows_is_that_of_fair_wheels():
    """Of 2,000 fair wheels one in ten has a p below 0.1 in one of the windows."""
    rng = np.random.default_rng(6)
    wheels = (sector_scan.newest_counts(rng.integers(0, 37, 9000), 37) for _ in range(2000))
    ps = [sector_scan.scan_newest(counts).p for counts in wheels]
    assert sum(p < 0.1 for p in ps) == pytest.approx(200, abs=4 * math.sqrt(180))


@pytest.mark.parametrize("fields", [37, 54])
def test_the_committed_factors_come_from_the_calibration(fields):
    """A few draws again: within a fifth of the table."""
    known = FACTORS[fields][4][LOG_CHANCES.index(-5.0)]
    assert scan_calibration.factor(fields, 4, -5.0, draws=400) == pytest.approx(known, rel=0.2)


def test_a_late_sector_is_found_after_a_fair_year():
    """After 60,000 fair spins a sector begins; 3,000 later the newest results show it."""
    places = random.Random(3).choices(range(37), k=60_000) + biased(3000, range(5), 0.5, 4)
    result = report(places)
    assert Test.NEWEST in alarms(result)
    assert Test.SECTOR not in alarms(result)


def test_the_drop_that_turns_is_a_drift():
    """Balls that leave the rim at 20 degrees, later at 80: a change, with both directions."""
    source = random.Random(7)
    angles = [source.gauss(20, 60) for _ in range(400)] + [
        source.gauss(80, 60) for _ in range(400)
    ]
    found = chance.drift(angles)
    assert found.p < 1e-6
    assert found.after == pytest.approx(400, abs=60)
    assert (found.before_deg, found.after_deg) == (
        pytest.approx(20, abs=15),
        pytest.approx(80, abs=15),
    )


def test_a_drop_that_leans_always_is_no_drift():
    """100 tables whose balls leave the rim on one side: at 5 %, about 5 show a drift."""
    source = random.Random(8)
    found = [chance.drift([source.gauss(90, 50) for _ in range(300)]).p for _ in range(100)]
    assert sum(p < 0.05 for p in found) <= 12


def test_a_croupier_is_tested_by_himself():
    """Ann's ball falls in one sector, Bob's anywhere: by croupier, Ann is named."""
    places = drawn(8000, 0, 10)
    places[::2] = biased(4000, range(5), 0.6, 9)
    spins = Spins("", places, round=1, groups={"croupier": ["Ann", "Bob"] * 4000})
    result = audit(spins, MACHINES["single"])
    assert Test.CROUPIER in alarms(result)
    [finding] = [f for f in result.findings.made if f.test == Test.CROUPIER]
    assert finding.detail.startswith("Ann: ")


def test_what_cannot_be_tested_is_stated(file, capsys):
    """Without a round column the order is not tested: with its reason, in text and JSON."""
    path = file(["pocket"], [[place % 37] for place in range(74)])
    assert run(["audit", "--csv", path, "--json"]) == 0
    missing = {row["test"]: row["reason"] for row in output(capsys)["not_tested"]}
    assert "no round column" in missing["steps from spin to spin"]
    assert "no croupier column" in missing["by croupier"]
    assert run(["audit", "--csv", path]) == 0
    assert "not tested: steps from spin to spin: the order of play" in capsys.readouterr().out


def test_each_test_has_p_level_verdict_and_advice(file, capsys):
    """The test that gave the alarm is in JSON; levels add up to the budget."""
    labels = MACHINES["single"].labels
    rows = [[number, labels[number * 18 % 37]] for number in range(1, 2001)]
    assert run(["audit", "--csv", file(["round", "pocket"], rows), "--json"]) == 0
    record = output(capsys)
    spent = sum(test["level"] for test in record["tests"])
    assert spent == pytest.approx(1 / 365)
    [steps] = [test for test in record["tests"] if test["test"] == "steps from spin to spin"]
    assert steps["verdict"] == "alarm"
    assert steps["p"] < 1e-9
    assert "croupier" in record["step"]


def test_the_budget_ends(file, capsys):
    """Look 366 of a year of 365 has nothing to spend."""
    path = file(["pocket"], [["1"]])
    assert run(["audit", "--csv", path, "--look", "365"]) == 0
    assert run(["audit", "--csv", path, "--look", "366"]) == 1
    assert "the budget of false alarms is spent" in capsys.readouterr().err


# --- dice ----------------------------------------------------------------------------------------


def throws(n, seed, dice=2):
    """n throws of fair dice."""
    return [random.Random(seed + k).randrange(6) for k in range(n * dice)]


def of_dice(places, dice=2, **fields):
    """The audit of these dice."""
    return audit(Spins("", places, round=1, dice=dice, **fields), MACHINES["dice"])


def test_one_die_that_shows_a_face_too_often_is_named():
    """Die 2 shows a six in one of four throws; the advice is about dice."""
    places = throws(2000, 11)
    places[1::8] = [5] * len(places[1::8])
    result = of_dice(places)
    assert Test.EACH_DIE in alarms(result)
    [finding] = [f for f in result.findings.made if f.test == Test.EACH_DIE]
    assert finding.detail.startswith("die 2, face 6: ")
    assert "rotor" not in as_text(result)
    assert "frets" not in as_text(result)


def test_the_same_face_in_one_of_five_throws_is_found():
    """Faces are even, but repeat: one more in five throws shows the faces of the one before."""
    places, source = throws(3000, 12), random.Random(13)
    for at in range(2, len(places), 2):
        if source.random() < 0.2:
            places[at : at + 2] = places[at - 2 : at]
    assert alarms(of_dice(places)) == {Test.IN_A_ROW}


def test_fair_throws_from_low_to_high_are_quiet():
    """As a table reports them: the first die is always the lowest, and no die is loaded."""
    places = throws(2000, 21)
    for at in range(0, len(places), 2):
        places[at : at + 2] = sorted(places[at : at + 2])
    result = of_dice(places)
    assert result.verdict == QUIET
    assert dict(result.findings.untested)[Test.EACH_DIE].startswith("faces are from low to high")


def test_throws_that_repeat_are_found_from_low_to_high_too():
    """One more in five throws is the one before: 2 dice, 0.051 + 0.2 x 0.949 instead of 0.051."""
    places, source = throws(3000, 22), random.Random(23)
    for at in range(0, len(places), 2):
        if at and source.random() < 0.2:
            places[at : at + 2] = places[at - 2 : at]
        else:
            places[at : at + 2] = sorted(places[at : at + 2])
    result = of_dice(places)
    assert alarms(result) == {Test.IN_A_ROW}
    [finding] = [f for f in result.findings.made if f.test == Test.IN_A_ROW]
    assert "throws repeat, 152.7 expected" in finding.detail


def test_linked_dice_are_found_from_low_to_high_too():
    """Doubles in one more of eight throws; 500 of 3,000 are expected."""
    places, source = throws(3000, 24), random.Random(25)
    for at in range(0, len(places), 2):
        if source.random() < 0.12:
            places[at + 1] = places[at]
        places[at : at + 2] = sorted(places[at : at + 2])
    result = of_dice(places)
    assert Test.PAIRS in alarms(result)
    [finding] = [f for f in result.findings.made if f.test == Test.PAIRS]
    assert finding.detail.endswith("of 3000, 500.0 expected")


def test_linked_dice_are_found():
    """Two dice that agree in one more of ten throws."""
    places, source = throws(3000, 14), random.Random(15)
    for at in range(0, len(places), 2):
        if source.random() < 0.12:
            places[at + 1] = places[at]
    assert Test.PAIRS in alarms(of_dice(places))


def test_a_thrower_is_tested_alone():
    """Zoe shows sixes; the others do not."""
    places = throws(4000, 16)
    for at in range(0, len(places), 12):
        places[at] = places[at + 1] = 5
    result = of_dice(places, groups={"thrower": [f"T{k % 6}" for k in range(4000)]})
    [finding] = [f for f in result.findings.made if f.test == Test.THROWER]
    assert finding.detail.startswith("T0, face 6")
    assert Test.THROWER in alarms(result)


def test_fair_dice_are_quiet():
    """Of 60 fair pairs of dice none is an alarm, bar one."""
    assert sum(of_dice(throws(800, 1000 * k)).verdict == ALARM for k in range(60)) <= 1


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_file_of_excel_in_any_encoding(encoding, tmp_path, capsys):
    """`sep=;`, umlauts, decimal commas."""
    path = tmp_path / "spins.csv"
    text = "sep=;\r\nwheel;pocket;drop_deg\r\nM\u00fcnchen;7;12,5\r\nM\u00fcnchen;00;-3,25\r\n"
    path.write_bytes(text.encode(encoding))
    [spins] = read_spins(path, MACHINES["double"])
    assert (spins.wheel, spins.drops_deg) == ("M\u00fcnchen", [12.5, -3.25])
    path.write_bytes((text + "M\u00fcnchen;x;\r\n").encode(encoding))
    assert run(["audit", "--csv", str(path), "--wheel", "double"]) == 1
    assert "line 5" in capsys.readouterr().err


def test_double_zeros_that_a_spreadsheet_turned_into_zeros_are_refused(file, capsys):
    """20 of each of 38 pockets, but each 00 a 0."""
    labels = ["0" if label == "00" else label for label in MACHINES["double"].labels * 20]
    path = file(["pocket"], [[label] for label in labels])
    assert run(["audit", "--csv", path, "--wheel", "double"]) == 1
    error = capsys.readouterr().err
    assert "there is no 00 among 760 results, and 0 came 40 times" in error
    assert "as text" in error


def test_steps_go_round_the_wheel():
    """Of five fields: 0 to 3 is 3, 3 to 1 is 3 more past the top, 1 to 1 is none, 1 to 0 is 4."""
    assert chance.steps([0, 3, 1, 1, 0], 5) == [1, 0, 0, 2, 1]


def test_results_may_be_bytes():
    """A ledger has a byte for each; the report is that of the same numbers in a list."""
    codes = bytes(number * number % 37 for number in range(2000))
    machine = MACHINES["single"]
    of_bytes, of_list = (
        as_text(audit(Spins("R1", places, round=2000), machine)) for places in (codes, list(codes))
    )
    assert of_bytes == of_list
