"""A trained network as an ONNX file, in floats: what eight_bits.py is given."""

from __future__ import annotations

from pathlib import Path

import torch
from torch.nn import Module


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
