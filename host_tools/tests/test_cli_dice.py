"""`tabletool dice`: pictures in, one JSON line each, whatever else is among the files."""

import json

import pytest
from PIL import Image, ImageChops

from tableemulator.machines.dice_tray import scene_families
from tableemulator.machines.dice_tray.physical_tray import TrayCamera
from tableemulator.machines.dice_tray.rendering import Die, Scene, Style, render
from tabletools.cli.main import run
from tabletools.dice import open_picture
from tabletools.errors import ToolError


def thrown():
    """A five and a two on dark cloth, the lens high above: 160 x 120."""
    scene = Scene(scale=26.0, above=30.0, shadow=0.3, noise=1.0)
    scene.dice = [Die(-1.5, 0.2, 5, 0.4, Style()), Die(1.4, -0.3, 2, 0.8, Style())]
    return Image.frombytes("L", (160, 120), render(scene, 4))


@pytest.fixture
def picture(tmp_path):
    """The throw, saved in the format of its file name."""

    def save(name, image=None):
        path = tmp_path / name
        (image or thrown()).save(path)
        return path

    return save


def lines(capsys):
    """What was written, line by line, as data."""
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("name", ["throw.png", "throw.pgm", "throw.jpg"])
def test_a_throw_is_read(name, picture, capsys):
    """Faces sorted, the file as it was named, and who read it."""
    path = picture(name)
    assert run(["dice", str(path)]) == 0
    assert lines(capsys) == [
        {
            "file": str(path),
            "dice": [2, 5],
            "accepted": True,
            "reason": "",
            "reader": "host",
            "reference": False,
            "counted": False,
        }
    ]


def test_a_reading_says_whether_the_number_of_dice_was_checked(tmp_path, capsys):
    """A die that lies on another hides it: where two are expected, the one is refused."""
    stacked = tmp_path / "stacked.png"
    scene = scene_families.scene("stacked", 16)  # a one above a six, of which nothing shows
    Image.frombytes("L", (scene.width, scene.height), render(scene, 16)).save(stacked)
    assert run(["dice", str(stacked)]) == 0
    assert run(["dice", "--expect", "2", str(stacked)]) == 0
    alone, expected = lines(capsys)
    assert not alone["counted"]
    assert expected["counted"]
    assert (expected["dice"], expected["reason"]) == ([1], "count_wrong")


def test_a_table_reads_with_its_commissioned_tray(tmp_path, picture, capsys):
    """Its frames; another picture is another tray, and of another size is damaged."""
    tray, camera = tmp_path / "tray.0", TrayCamera(4)
    tray.write_bytes(camera.commissioned())
    dice = [
        camera.placed(Die(0, 0, face, 0.4, camera.style), x, 70) for face, x in ((6, 50), (1, 110))
    ]
    frame = Image.frombytes("L", (160, 120), camera.expose(dice, 0).greys())
    large = frame.resize((320, 240))
    paths = [str(picture(f"{k}.png", each)) for k, each in enumerate((frame, thrown(), large))]
    assert run(["dice", "--tray", str(tray), *paths]) == 1
    read, other, damaged = lines(capsys)
    assert (read["dice"], read["accepted"], read["reader"]) == ([1, 6], True, "table")
    assert (other["dice"], other["accepted"]) == ([], False)
    assert damaged["error"] == "the picture is 320 x 240 px"


def test_what_is_no_tray_is_refused(tmp_path, picture, capsys):
    """No file, and one that is damaged."""
    bad, path = tmp_path / "tray.0", str(picture("throw.png"))
    assert run(["dice", "--tray", str(bad), path]) == 1
    bad.write_bytes(TrayCamera(4).commissioned()[:-1])
    assert run(["dice", "--tray", str(bad), path]) == 1
    err = capsys.readouterr().err
    assert "cannot read the file of the tray" in err
    assert "not the file of a commissioned tray (length)" in err


def test_a_reference_makes_a_tray_with_print_plain(picture, tmp_path, capsys):
    """Bars across the cloth: refused without the empty tray, read with it or with its median."""
    empty = Scene(scale=26.0, above=30.0, shadow=0.3, noise=1.0)
    bars = [(0, 55, 160, 66), (70, 0, 80, 120), (0, 0, 9, 120)]
    trays = []
    for seed in (5, 6, 7, 8):
        image = Image.frombytes("L", (160, 120), render(empty, seed))
        for x0, y0, x1, y1 in bars:
            image.paste(150, (x0, y0, x1, y1))
        trays.append(image)
    dice = ImageChops.difference(thrown(), Image.frombytes("L", (160, 120), render(empty, 4)))
    throw = Image.composite(thrown(), trays[0], dice.point(lambda grey: 255 * (grey > 15)))
    rig = tmp_path / "rig"
    rig.mkdir()
    for number, image in enumerate([*trays, throw]):
        image.save(rig / f"{number}.png")
    path, reference = str(picture("throw.png", throw)), str(picture("empty.png", trays[1]))
    assert run(["dice", path]) == 0
    assert run(["dice", "--reference", reference, path]) == 0
    assert run(["dice", "--rig", str(rig), path]) == 0
    alone, *known = lines(capsys)
    assert (alone["accepted"], alone["reference"]) == (False, False)
    for reading in known:
        assert (reading["dice"], reading["accepted"], reading["reference"]) == ([2, 5], True, True)
        assert reading["reader"] == "host"
    assert run(["dice", "--tray", reference, "--reference", reference, path]) == 1
    assert "its own picture of the empty one" in capsys.readouterr().err


def test_a_rig_of_too_few_pictures_has_no_reference(picture, tmp_path, capsys):
    """One picture: a warning, and the picture is read without."""
    path = picture("throw.png")
    assert run(["dice", "--rig", str(tmp_path), str(path)]) == 0
    out, err = capsys.readouterr()
    assert "fewer than 5 pictures" in err
    assert json.loads(out)["reference"] is False


def test_a_reference_is_one(picture, tmp_path, capsys):
    """Both options, and a rig that is a file, are refused."""
    path = str(picture("throw.png"))
    assert run(["dice", "--rig", str(tmp_path), "--reference", path, path]) == 1
    assert run(["dice", "--rig", path, path]) == 1
    err = capsys.readouterr().err
    assert "given twice" in err
    assert "is not a folder" in err


def test_the_count_is_held_against_the_table(picture, capsys):
    """--expect 3 refuses two dice; --expect 2 does not."""
    path = str(picture("throw.png"))
    assert run(["dice", "--expect", "3", path]) == 0
    assert run(["dice", "--expect", "2", path]) == 0
    refused, accepted = lines(capsys)
    assert (refused["accepted"], refused["reason"]) == (False, "count_wrong")
    assert accepted["accepted"] is True


def small(seed=4, dice=True, width=1280):
    """A five, a two and a six of 22 px in a picture of 1280 x 960; they are 5 px in 320 x 240."""
    scene = Scene(width=1280, height=960, scale=22.0, above=60.0, shadow=0.3, noise=1.0)
    if dice:
        scene.dice = [
            Die(-4.5, 0.2, 5, 0.4, Style()),
            Die(4.4, -3.3, 2, 1.1, Style()),
            Die(8.4, 5.3, 6, 0.7, Style()),
        ]
    image = Image.frombytes("L", (1280, 960), bytes(render(scene, seed)))
    return image.reduce(1280 // width)


def test_small_dice_are_read_in_a_finer_picture(picture, capsys):
    """If the file has it; also of frames of one throw."""
    fine, again = str(picture("fine.png", small())), str(picture("again.png", small(5)))
    coarse = str(picture("coarse.png", small(width=320)))
    for arguments in ([fine], ["--throw", fine, again], [coarse]):
        assert run(["dice", *arguments]) == 0
    alone, throw, *others = lines(capsys)
    for reading in (alone, throw):
        assert (reading["dice"], reading["accepted"], reading["reason"]) == ([2, 5, 6], True, "")
    assert not any(reading["accepted"] for reading in others)


def test_a_finer_picture_wants_as_fine_an_empty_tray(picture, capsys):
    """Both are reduced alike; with an empty tray of 320 x 240 dice are read in 320 x 240."""
    throw = str(picture("throw.png", small()))
    for width, accepted in ((1280, True), (320, False)):
        empty = str(picture(f"{width}.png", small(6, dice=False, width=width)))
        assert run(["dice", "--reference", empty, throw]) == 0
        (reading,) = lines(capsys)
        assert (reading["accepted"], reading["reference"]) == (accepted, True)


def test_a_rig_of_fine_pictures_is_reduced_as_the_throw_is(picture, tmp_path, capsys):
    """Its empty tray is known at both sizes; a bad picture in it is named once."""
    rig = tmp_path / "rig"
    rig.mkdir()
    for seed in range(5):
        small(seed, dice=False).save(rig / f"{seed}.png")
    (rig / "bad.png").write_text("no picture")
    assert run(["dice", "--rig", str(rig), str(picture("throw.png", small(7)))]) == 0
    out, err = capsys.readouterr()
    reading = json.loads(out)
    assert (reading["dice"], reading["accepted"], reading["reference"]) == ([2, 5, 6], True, True)
    assert err.count("bad.png") == 1


def test_a_bad_file_is_named_and_the_others_are_read(picture, tmp_path, capsys):
    """Text, a cut picture, no file, a folder: exit code 1, a line each, and the throw is read."""
    good = picture("throw.png")
    text, cut = tmp_path / "note.png", tmp_path / "cut.png"
    text.write_text("no picture")
    cut.write_bytes(good.read_bytes()[:200])
    assert (
        run(["dice", str(text), str(cut), str(tmp_path / "none.png"), str(tmp_path), str(good)])
        == 1
    )
    out, err = capsys.readouterr()
    readings = [json.loads(line) for line in out.splitlines()]
    assert [(each["dice"], each["reason"]) for each in readings] == [([], "damaged")] * 4 + [
        ([2, 5], "")
    ]
    assert not any(each["accepted"] for each in readings[:4])
    assert [each["error"] for each in readings if "error" in each][2].endswith("does not exist")
    for name, what in (("note.png", "not a picture"), ("cut.png", "cannot be read")):
        assert any(name in line and what in line for line in err.splitlines())
    assert "none.png does not exist" in err
    assert f"{tmp_path} is a folder" in err


def test_a_png_without_its_end_is_damaged(picture, tmp_path):
    """Pixels are whole, the last chunk is gone: what else is missing cannot be known."""
    cut = tmp_path / "cut.png"
    cut.write_bytes(picture("throw.png").read_bytes()[:-12])
    with pytest.raises(ToolError, match="truncated"):
        open_picture(cut)


def test_a_hundred_megapixels_are_refused(tmp_path, recwarn):
    """By name and limit, and without a warning of Python."""
    path = tmp_path / "huge.pgm"
    path.write_bytes(b"P5 10000 10000 255\n")
    with pytest.raises(ToolError, match="too large") as refused:
        open_picture(path)
    assert "89 megapixels" in refused.value.step
    assert not recwarn.list


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "LA", "I;16"])
def test_every_kind_of_png_is_read_in_grey(mode, picture):
    """Colours, transparency, a palette and 16 bits give the grey they hold."""
    image = thrown()
    if mode == "I;16":
        deep = b"".join(bytes((0, grey)) for grey in image.tobytes())
        image = Image.frombytes("I;16", image.size, deep)
    frame = open_picture(picture("other.png", image if mode == "I;16" else image.convert(mode)))
    assert (frame.width, frame.height) == (160, 120)
    apart = [abs(a - b) for a, b in zip(frame.grey, thrown().tobytes(), strict=True)]
    assert max(apart) <= (3 if mode == "P" else 1)


def test_colours_are_those_of_the_pixels_of_grey(picture):
    """Reduced alike; a picture saved in colour that has none is grey."""
    red, grey = thrown().resize((640, 480)), Image.new("L", (640, 480), 60)
    frame = open_picture(picture("red.png", Image.merge("RGB", (red, grey, grey))))
    assert frame.colour[::3] == open_picture(picture("grey.png", red)).grey
    assert set(frame.colour[1::3]) == {60}
    assert len(frame.colour) == 3 * len(frame.grey)
    assert open_picture(picture("grey.png", red.convert("RGB"))).colour == b""


@pytest.mark.parametrize(
    ("size", "reduced"),
    [
        ((320, 240), (320, 240)),
        ((400, 300), (400, 300)),
        ((640, 480), (320, 240)),
        ((480, 640), (240, 320)),
        ((4032, 3024), (366, 274)),
        ((264, 352), (264, 352)),
        ((440, 330), (400, 300)),
        ((330, 440), (300, 400)),
        ((500, 100), (400, 80)),
        ((500, 70), (400, 56)),
        ((1, 5000), (0, 384)),
    ],
)
def test_large_pictures_are_reduced(size, reduced, picture):
    """By the least whole factor with which both sides fit, whichever is the longer; where less
    than the camera's 320 would be left, just to fit. Too little that is left is refused."""
    path = picture("large.png", Image.new("L", size, 77))
    if min(reduced) < 64:
        with pytest.raises(ToolError, match="{} x {} when".format(*reduced)):
            open_picture(path)
        return
    frame = open_picture(path)
    assert (frame.width, frame.height) == reduced
    assert set(frame.grey) == {77}


def test_reducing_takes_the_mean(picture):
    """Stripes of 0 and 100, one pixel wide, halved: 50 everywhere."""
    image = Image.frombytes("L", (640, 480), bytes((0, 100)) * (320 * 480))
    assert set(open_picture(picture("stripes.png", image)).grey) == {50}
