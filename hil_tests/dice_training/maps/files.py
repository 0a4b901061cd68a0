"""A network as an ONNX file that OpenCV reads, its weights as half precision floats."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch.nn import Module


def write(network: Module, shape: tuple[int, ...], path: Path) -> str:
    """Write a network and return the SHA-256 of its file. shape: of what it may be given, number,
    height and width of the pictures may differ."""
    network = network.cpu().eval().to(memory_format=torch.contiguous_format)
    axes = {0: "n", 2: "h", 3: "w"}
    torch.onnx.export(
        network, (torch.zeros(shape),), str(path), input_names=["grey"], output_names=["maps"],
        dynamic_axes={"grey": axes, "maps": axes}, opset_version=17, dynamo=False,
    )  # fmt: skip
    graph = onnx.load(path)
    _halve(graph.graph)
    onnx.checker.check_model(graph)
    onnx.save(graph, path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _halve(graph: onnx.GraphProto) -> None:
    """Keep each layer's weights in half, turned back as the file is read."""
    kept, casts = [], []
    for stored in graph.initializer:
        values = numpy_helper.to_array(stored)
        if values.dtype == np.float32 and values.ndim == 4:
            name = f"{stored.name}_half"
            kept.append(numpy_helper.from_array(values.astype(np.float16), name))
            casts.append(helper.make_node("Cast", [name], [stored.name], to=TensorProto.FLOAT))
        else:
            kept.append(stored)
    nodes = [*casts, *graph.node]
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(kept)
    graph.node.extend(nodes)
