"""The layers of the classifier in whole numbers, as loops; their fast form is fast_scan.py."""

from tablewire.compat import const

if -0:  # for mypy
    from tabletypes import Buffer, Ints, Writable

ZERO = const(128)  # a weight of nothing: weights are bytes


def layer(data: "Buffer", shape: "Ints", weights: bytes, biases: "Ints", out: "Writable") -> None:
    """Convolve: out = (bias + sum of weight * data) >> shift, held to 0-255.

    data: size * size places of `deep` bytes, or the rows of them that out needs. out: as many
    rows of places as it holds are worked out. shape: (size, deep, kernel, step, count, shift).
    weights: for each of count outputs kernel * kernel * deep bytes, 128 standing for 0.
    """
    size, deep, kernel, step, count, shift = shape
    places = (size - kernel) // step + 1
    run = kernel * deep
    length = kernel * run
    rows = [weights[k * length : (k + 1) * length] for k in range(count)]
    index = row = 0
    while index < len(out):
        for column in range(0, places * step, step):
            window = bytearray()
            i = (row * size + column) * deep
            for _ in range(kernel):
                window += data[i : i + run]
                i += size * deep
            base = ZERO * sum(window)
            for k in range(count):
                total = biases[k] - base
                weight = rows[k]
                for i in range(length):  # an index allocates nothing, and is faster on the device
                    total += window[i] * weight[i]
                total >>= shift
                out[index] = 0 if total < 0 else 255 if total > 255 else total
                index += 1
        row += step


def pool(data: "Buffer", size: int, deep: int, out: bytearray) -> None:
    """Keep the largest of each two by two places."""
    index = 0
    line = size * deep
    for row in range(0, size - 1, 2):
        for column in range(0, size - 1, 2):
            start = row * line + column * deep
            for i in range(start, start + deep):
                out[index] = max(data[i], data[i + deep], data[i + line], data[i + line + deep])
                index += 1
