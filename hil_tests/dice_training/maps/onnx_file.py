"""A trained network as an ONNX file, in floats: what eight_bits.py is given, and what may be
trained further."""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor
from torch.nn import BatchNorm2d, Module

_CAST, _CONV = "Cast", "Conv"


def write(network: Module, shape: tuple[int, ...], path: Path) -> None:
    """Write a network. shape: of what it may be given; the number of pictures, their height and
    width may differ."""
    path.parent.mkdir(parents=True, exist_ok=True)
    network = network.cpu().eval().to(memory_format=torch.contiguous_format)
    axes = {0: "n", 2: "h", 3: "w"}
    torch.onnx.export(
        network,
        (torch.zeros(shape),),
        str(path),
        input_names=["grey"],
        output_names=["maps"],
        dynamic_axes={"grey": axes, "maps": axes},
        opset_version=17,
        dynamo=False,
    )


def read(network: Module, path: Path) -> None:
    """Give a network the weights of a file. What normalised a layer is part of its weights there,
    so it changes nothing until it is trained; it keeps its statistics (`Plan.still`)."""
    graph = onnx.load(path).graph
    arrays = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    for node in graph.node:
        if node.op_type == _CAST:  # of weights in 16 bits
            arrays[node.output[0]] = arrays[node.input[0]]
    state: dict[str, Tensor] = network.state_dict()
    for name, norm in network.named_modules():
        if isinstance(norm, BatchNorm2d):
            state[f"{name}.running_mean"] = torch.zeros(norm.num_features)
            state[f"{name}.running_var"] = torch.full((norm.num_features,), 1 - norm.eps)
    for node in graph.node:
        if node.op_type == _CONV:
            layer = node.name.split("/")[-2]
            weight, bias = (
                torch.tensor(arrays[name], dtype=torch.float32) for name in node.input[1:]
            )
            state[f"{layer}.weight"] = weight
            after = layer if f"{layer}.bias" in state else f"{layer.removesuffix('0')}1"
            state[f"{after}.bias"] = bias
    network.load_state_dict(state)
