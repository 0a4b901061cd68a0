"""The classifier in floating point: convolutions and one sum for each class, trained by Adam."""

from __future__ import annotations

from typing import Any

import numpy as np

from hil_tests.dice_training.styles import Floats, Ints
from tablelogic.dice.patch import DISC, SIZE

CLASSES = 7
# (kernel, step, deep, count, whether two by two places are pooled after)
LAYERS = ((5, 2, 1, 16, False), (3, 1, 16, 24, True), (3, 1, 24, 32, False))
LAST = 4  # places each way after them
_F = np.float32
_IN_DISC = np.zeros((SIZE, SIZE), bool)
for _row, _first, _end in DISC:
    _IN_DISC[_row, _first:_end] = True
_SMOOTHING = 0.02  # of the labels
_DECAY = 1e-3


def evened(patches: Any) -> Floats:
    """Return patches as patch.py hands them on: by mean and deviation of the disc, -2 to 2."""
    grey = patches.astype(np.int32)
    middle = grey[:, _IN_DISC]
    mean = middle.sum(1) // middle.shape[1]
    spread = np.maximum(4 * np.abs(middle - mean[:, None]).sum(1) // middle.shape[1], 12)
    steps = (grey - mean[:, None, None]) * 160 // spread[:, None, None]
    return np.asarray(np.clip(steps, -127, 127) / 64, _F)


def columns(values: Floats, kernel: int, step: int) -> tuple[Floats, int]:
    """Return every window of (n, size, size, deep) as a row, and how many there are each way."""
    count, size, _, deep = values.shape
    places = (size - kernel) // step + 1
    a, b, c, d = values.strides
    shape = (count, places, places, kernel, kernel, deep)
    windows = np.lib.stride_tricks.as_strided(values, shape, (a, b * step, c * step, b, c, d))
    return windows.reshape(count * places * places, -1), places


def pooled(values: Floats) -> Floats:
    """Return (n, half, half, 4, deep): the four places that become one."""
    count, size, _, deep = values.shape
    half = size // 2
    four = values[:, : 2 * half, : 2 * half].reshape(count, half, 2, half, 2, deep)
    return four.transpose(0, 1, 3, 2, 4, 5).reshape(count, half, half, 4, deep)


class Network:
    """Weights and biases by turns in `parts`; the last two are the classes'."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.parts: list[Floats] = []
        for kernel, _, deep, count, _ in LAYERS:
            length = kernel * kernel * deep
            self.parts += [rng.normal(0, (2 / length) ** 0.5, (length, count)), np.zeros(count)]
        length = LAST * LAST * LAYERS[-1][3]
        self.parts += [rng.normal(0, length**-0.5, (length, CLASSES)), np.zeros(CLASSES)]
        self.parts = [part.astype(_F) for part in self.parts]
        self._means = [np.zeros_like(part) for part in self.parts]
        self._squares = [np.zeros_like(part) for part in self.parts]
        self._steps = 0

    def forward(self, values: Floats, record: list[Any] | None = None) -> Floats:
        """Return the scores (n, CLASSES); fills kept with what backward() needs."""
        x = values[..., None]
        for k, (kernel, step, _, count, pool) in enumerate(LAYERS):
            windows, places = columns(np.ascontiguousarray(x), kernel, step)
            flat = np.maximum(windows @ self.parts[2 * k] + self.parts[2 * k + 1], 0)
            out = flat.reshape(len(x), places, places, count)
            if record is not None:
                record.append((windows, x.shape, out))
            x = pooled(out).max(3) if pool else out
        x = x.reshape(len(x), -1)
        if record is not None:
            record.append(x)
        return np.asarray(x @ self.parts[-2] + self.parts[-1])

    def learn(self, values: Floats, classes: Ints, rate: float) -> float:
        """Take one step down the slope of the loss; return the share that was right before."""
        record: list[Any] = []
        scores = self.forward(values, record)
        odds = np.exp(scores - scores.max(1, keepdims=True))
        odds /= odds.sum(1, keepdims=True)
        wanted = np.full_like(odds, _SMOOTHING / CLASSES)
        wanted[np.arange(len(classes)), classes] += 1 - _SMOOTHING
        self._descend(self._slopes(record, ((odds - wanted) / len(classes)).astype(_F)), rate)
        return float((scores.argmax(1) == classes).mean())

    def _slopes(self, record: list[Any], slope: Floats) -> list[Floats]:
        slopes = [slope.sum(0), record[-1].T @ slope]
        slope = slope @ self.parts[-2].T
        for k in range(len(LAYERS) - 1, -1, -1):
            windows, shape, out = record[k]
            slope = _through_pool(out, slope) if LAYERS[k][4] else slope.reshape(out.shape)
            flat = (slope * (out > 0)).reshape(-1, out.shape[-1])
            slopes += [flat.sum(0), windows.T @ flat]
            if k:
                slope = _through_windows(flat @ self.parts[2 * k].T, shape, LAYERS[k][:2])
        return slopes[::-1]

    def _descend(self, slopes: list[Floats], rate: float) -> None:
        self._steps += 1
        for k, (part, slope) in enumerate(zip(self.parts, slopes, strict=True)):
            self._means[k] += 0.1 * (slope - self._means[k])
            self._squares[k] += 0.001 * (slope * slope - self._squares[k])
            mean = self._means[k] / (1 - 0.9**self._steps)
            square = self._squares[k] / (1 - 0.999**self._steps)
            decay = _DECAY * part if part.ndim > 1 else 0
            part -= rate * (mean / (np.sqrt(square) + 1e-8) + decay)


def _through_pool(out: Floats, slope: Floats) -> Floats:
    """Hand the slope to the largest of each four places."""
    four = pooled(out)
    count, half, _, _, deep = four.shape
    back = np.zeros_like(four)
    first = four.argmax(3)[:, :, :, None]
    np.put_along_axis(back, first, slope.reshape(count, half, half, 1, deep), 3)
    whole = np.zeros_like(out)
    rows = back.reshape(count, half, half, 2, 2, deep).transpose(0, 1, 3, 2, 4, 5)
    whole[:, : 2 * half, : 2 * half] = rows.reshape(count, 2 * half, 2 * half, deep)
    return whole


def _through_windows(slope: Floats, shape: Any, window: tuple[int, int]) -> Floats:
    """Add up the slopes of every window a place was in."""
    kernel, step = window
    places = (shape[1] - kernel) // step + 1
    slope = slope.reshape(shape[0], places, places, kernel, kernel, shape[3])
    back = np.zeros(shape, _F)
    for row in range(kernel):
        for column in range(kernel):
            down, across = (slice(k, k + step * places, step) for k in (row, column))
            back[:, down, across] += slope[:, :, :, row, column]
    return back
