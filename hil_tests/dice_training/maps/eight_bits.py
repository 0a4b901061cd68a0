"""A trained network in integers of eight bits, which takes half its time.

python -m hil_tests.dice_training.maps.eight_bits --data FOLDER [--floats FILE] [--out FILE]

The floats are what training wrote. The range of each layer is measured on the tuned half of the
photographs and on rendered scenes. The first three layers, of which a small die's pips are made,
and the last one stay floats. Weights have seven bits: a processor without instructions for such
networks adds two products in 16 bits, where those of eight bits could overflow.

The last layer is then fitted again to what the floats say of the same pictures: of surfaces in all
cells, of a die's face, place, side and foot where its top is.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
from onnx import numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from hil_tests.dice_foreign import KINDS, with_thing
from hil_tests.dice_training.maps.photograph_files import tuned
from tableemulator.machines.dice_tray.rendering import render
from tableemulator.machines.dice_tray.scene_families import FAMILIES, scene
from tabletools.dice.maps import DIE, FACE, FILE, FOOT, HEAT, KIND, MAPS, OFFSET, SIDE
from tabletools.dice.picture_patches import Grey
from tabletools.dice.pictures import Frame, open_picture
from tabletools.dice.reference import pixels

FLOATS = Path("build/maps.onnx")
_FLOATS = "/fine/", "/quarter/", "/heads/"  # layers that stay floats
_LAST = "/heads/Conv"
_EVERYWHERE, _AT_TOPS = np.r_[KIND], np.r_[FACE, OFFSET, SIDE, FOOT]  # maps that are fitted again
_TOP = 0.3  # chance of a top from which on a cell is one
_HOLD = 0.1  # of the features' squares: how much the trained weights are held to
_UNUSED = 1e-9  # the same for features that no picture has, of the number of cells
_SEEDS = range(700_000, 700_006)  # of each family of scenes
_EVERY = 2  # of the photographs
_ROUND = 8  # sides of what the network is given are multiples of it

Picture = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.float64]


def to_eight_bits(floats: Path, pictures: Sequence[Picture], path: Path) -> str:
    """Write a network in eight bits and return the SHA-256 of its file. pictures (h, w): greys."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        options = onnxruntime.SessionOptions()  # what is constant is computed first
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(plain)
        onnxruntime.InferenceSession(str(floats), options, providers=["CPUExecutionProvider"])
        names = [node.name for node in onnx.load(plain).graph.node]
        quantize_static(
            plain,
            path,
            _Pictures(pictures),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            nodes_to_exclude=[name for name in names if name.startswith(_FLOATS)],
        )
    graph = onnx.load(path)
    _fit_last_layer(graph, floats, pictures)
    onnx.checker.check_model(graph)
    onnx.save(graph, path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def measured_on(folder: Path) -> list[Picture]:
    """Return pictures of dice from above: photographs of the tuned half, and rendered scenes."""
    rows = [row for row, _ in tuned(folder) if row["source"] == "byler_d6"]
    greys = [pixels(open_picture(folder / row["file"])) for row in rows[::_EVERY]]
    greys += [grey for seed in _SEEDS for grey in _render(seed)]
    return [
        grey[: len(grey) // _ROUND * _ROUND, : grey.shape[1] // _ROUND * _ROUND].astype(np.float32)
        for grey in greys
    ]


def _render(seed: int) -> Iterator[Grey]:
    """Yield a scene of each family, and of each kind of thing that is no die; those without room
    for them are passed over."""
    for family in FAMILIES:
        with suppress(ValueError):
            rendering = scene(family, seed)
            grey = pixels(Frame(rendering.width, rendering.height, render(rendering, seed)))
            yield grey
            closer = DIE / rendering.scale  # as the second look sees it
            large = cv2.resize(grey, None, fx=closer, fy=closer, interpolation=cv2.INTER_CUBIC)
            yield np.asarray(large, np.uint8)
    for kind in KINDS:
        with suppress(ValueError):
            yield with_thing(kind, seed)[1]


class _Pictures(CalibrationDataReader):
    def __init__(self, pictures: Sequence[Picture]) -> None:
        self._left = iter(pictures)

    def get_next(self) -> dict[str, Picture] | None:
        picture = next(self._left, None)
        return None if picture is None else {"grey": picture[None, None]}


class _Fit:
    """Least squares, held to the weights there were: (features and 1, maps)."""

    def __init__(self, old: Numbers) -> None:
        self._old = old
        self._squares: Numbers = np.zeros((len(old), len(old)))
        self._missed: Numbers = np.zeros(old.shape)

    def add(self, features: Numbers, maps: Numbers) -> None:
        """Add cells: (n, features and 1) and (n, maps)."""
        self._squares += features.T @ features
        self._missed += features.T @ (maps - features @ self._old)

    def weights(self) -> Numbers:
        """Return the fitted weights."""
        hold = np.diag(_HOLD * np.diag(self._squares) + _UNUSED * self._squares[-1, -1])
        return self._old + np.linalg.solve(self._squares + hold, self._missed)


def _fit_last_layer(graph: onnx.ModelProto, floats: Path, pictures: Sequence[Picture]) -> None:
    """Fit the last layer's weights to the maps of the network in floats."""
    (last,) = (node for node in graph.graph.node if node.name == _LAST)
    features, *names = last.input
    tensors = {each.name: each for each in graph.graph.initializer}
    weights, bias = (numpy_helper.to_array(tensors[name]) for name in names)
    old = np.vstack((weights.reshape(MAPS, -1).T, bias)).astype(np.float64)
    everywhere, at_tops = _Fit(old), _Fit(old)
    for features_of, wanted in _compare(graph, features, floats, pictures):
        top = wanted[:, HEAT] > np.log(_TOP / (1 - _TOP))
        everywhere.add(features_of, wanted)
        at_tops.add(features_of[top], wanted[top])
    new = old.copy()
    for maps, fit in ((_EVERYWHERE, everywhere), (_AT_TOPS, at_tops)):
        new[:, maps] = fit.weights()[:, maps]
    for name, fitted in zip(names, (new[:-1].T.reshape(weights.shape), new[-1]), strict=True):
        tensors[name].CopyFrom(numpy_helper.from_array(fitted.astype(np.float32), name))


def _compare(
    graph: onnx.ModelProto, features: str, floats: Path, pictures: Sequence[Picture]
) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield of each picture, cell by cell, what the last layer is given, with 1 at its end, and
    the maps of the network in floats."""
    model = onnx.ModelProto()
    model.CopyFrom(graph)
    model.graph.output.add(name=features).type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    device_run, wanted = (
        onnxruntime.InferenceSession(network, providers=["CPUExecutionProvider"])
        for network in (model.SerializeToString(), str(floats))
    )
    for picture in pictures:
        grey = {"grey": picture[None, None]}
        (outputs,), (maps,) = device_run.run([features], grey)[0], wanted.run(["maps"], grey)[0]
        cells, truth = (
            each.reshape(len(each), -1).T.astype(np.float64) for each in (outputs, maps)
        )
        yield np.hstack((cells, np.ones((len(cells), 1)))), truth


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description="Turn a trained network into eight bits.")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="photographs")
    parser.add_argument("--floats", type=Path, default=FLOATS, metavar="FILE")
    parser.add_argument("--out", type=Path, default=FILE, metavar="FILE")
    options = parser.parse_args()
    print(options.out.name, to_eight_bits(options.floats, measured_on(options.data), options.out))


if __name__ == "__main__":
    main()
