"""Rays at dice: a cube within a ball (so that its edges are round), pips, marbling, light."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hil_tests.dice_training.styles import ALONG, Bools, Floats, Ints, Style

MISSED = np.float32(1e9)
F = np.float32


@dataclass(frozen=True)
class View:
    """Rays of a batch: camera (n, 3), ray (n, p, 3), light (n, 3), in die edges; z points up."""

    camera: Floats
    ray: Floats
    light: Floats

    def rows(self, rows: Ints) -> View:
        """Return the view of some rows."""
        return View(self.camera[rows], self.ray[rows], self.light[rows])


@dataclass(frozen=True)
class Hit:
    """Where rays meet a cube: distance, whether at all, place and normal in its own directions,
    face 0-5, and whether it is the flat of that face, not the ball around it."""

    distance: Floats
    met: Bools
    place: Floats
    normal: Floats
    face: Ints
    flat: Bools


def turned(turn: Floats, tilt: Floats, towards: Floats) -> Floats:
    """Return the rotations (n, 3, 3): about the vertical, then tilted about a level axis."""
    c, s, none, one = np.cos(turn), np.sin(turn), np.zeros_like(turn), np.ones_like(turn)
    x, y = np.cos(towards), np.sin(towards)
    k, m = np.cos(tilt), np.sin(tilt)
    about = _matrix(((c, -s, none), (s, c, none), (none, none, one)))
    q = 1 - k
    lean = _matrix(
        ((k + x * x * q, x * y * q, y * m), (x * y * q, k + y * y * q, -x * m), (-y * m, x * m, k))
    )
    return np.asarray(lean @ about, F)


def _matrix(rows: tuple[tuple[Floats, ...], ...]) -> Floats:
    return np.stack([np.stack(row, -1) for row in rows], -2)


def cast(
    style: Style, table: Ints, pose: tuple[Floats, Floats], view: View
) -> tuple[Floats, Floats]:
    """Return (distance, grey) of every ray. table: from cubes(); pose: rotations and middles."""
    rotation, middle = pose
    hit = _meet(style, rotation, middle.astype(F), view)
    table_bits = table.reshape(len(table), -1)
    grey = _paint(style, table, table_bits, hit, view.light)
    return np.where(hit.met, hit.distance, MISSED), _lit(style, grey, hit, rotation, view)


def _meet(style: Style, rotation: Floats, middle: Floats, view: View) -> Hit:
    start = np.einsum("nij,ni->nj", rotation, view.camera - middle).astype(F)[:, None]
    ray = np.einsum("nij,npi->npj", rotation, view.ray).astype(F)
    ray = np.where(np.abs(ray) < 1e-6, F(1e-6), ray)
    first, second = (-0.5 - start) / ray, (0.5 - start) / ray
    near, far = np.minimum(first, second), np.maximum(first, second)
    axis, entry, leave = near.argmax(-1), near.max(-1), far.min(-1)
    a, b = (ray * ray).sum(-1), (ray * start).sum(-1)
    under = b * b - a * ((start * start).sum(-1) - style["ball"][:, None] ** 2)
    root = np.sqrt(np.maximum(under, 0))
    ball = (-b - root) / a
    distance = np.maximum(entry, ball)
    inside = distance < np.minimum(leave, (root - b) / a)
    met = np.asarray((under > 0) & inside & (distance > 0))
    place = start + distance[..., None] * ray
    sign = -np.sign(np.take_along_axis(ray, axis[..., None], -1))[..., 0]
    square = np.zeros_like(place)
    np.put_along_axis(square, axis[..., None], sign[..., None], -1)
    flat = entry >= ball
    away = place / np.maximum(np.linalg.norm(place, axis=-1, keepdims=True), 1e-6)
    normal = np.where(flat[..., None], square, away)
    return Hit(distance, met, place, normal, axis * 2 + (sign > 0), flat)


def _on_face(hit: Hit) -> tuple[Floats, Floats]:
    """Return the two coordinates of each hit on its face."""
    axis = hit.face >> 1
    x, y, z = (hit.place[..., k] for k in range(3))
    return np.where(axis == 0, y, x), np.where(axis == 2, y, z)


def _paint(style: Style, table: Ints, bits: Ints, hit: Hit, light: Floats) -> Floats:
    """Return the grey of body and pips, before light."""
    u, v = _on_face(hit)
    along = np.take_along_axis(table[:, :, ALONG], hit.face, 1)
    across = _each(style, "pitch") * np.where(along == 1, _each(style, "six"), 1)
    down = _each(style, "pitch") * np.where(along == 2, _each(style, "six"), 1)
    i, j = np.clip(np.rint(u / across), -1, 1), np.clip(np.rint(v / down), -1, 1)
    place = ((j + 1) * 3 + i + 1).astype(np.int64)
    there = np.take_along_axis(bits, hit.face * 10 + place, 1)
    single = np.take_along_axis(table[:, :, :ALONG].sum(-1), hit.face, 1) == 1
    radius = np.where(single, _each(style, "one"), _each(style, "radius"))
    right, below = u - i * across, v - j * down
    apart = np.hypot(right, below)
    soft = _each(style, "soft")
    cover = np.clip((radius - apart) / soft + 0.5, 0, 1)
    hollow = _each(style, "hollow")
    cover *= np.where(hollow > 0, np.clip((apart - radius * hollow) / soft + 0.5, 0, 1), 1)
    cover = np.where(there * hit.flat > 0, cover, 0)
    body = _each(style, "body") + _each(style, "mottle") * _marbling(style, hit.place) * 0.7
    slope = (right * light[:, 0:1] + below * light[:, 1:2]) / np.maximum(radius, 0.01)
    pip = _each(style, "pip") * (1 + 1.5 * _each(style, "dent") * slope)
    return np.asarray(body + (pip - body) * cover)


def _marbling(style: Style, place: Floats) -> Floats:
    waves, phase = style["waves"].astype(F), style["phase"].astype(F)
    parts = np.einsum("npk,nwk->wnp", place, waves) + phase.T[..., None]
    bend = 1.5 * np.sin(parts[2])
    return np.asarray(np.sin(parts[0] + bend) + np.sin(parts[1] + bend))


def _lit(style: Style, grey: Floats, hit: Hit, rotation: Floats, view: View) -> Floats:
    """Return the grey with light and gloss, and the rim of the face worn or polished."""
    normal = np.einsum("nij,npj->npi", rotation, hit.normal)
    light = view.light[:, None]
    facing = np.clip((normal * light).sum(-1), 0, 1)
    ambient = _each(style, "ambient")
    grey = grey * (ambient + (1 - ambient) * facing)
    half = light - view.ray / np.linalg.norm(view.ray, axis=-1, keepdims=True)
    half = half / np.linalg.norm(half, axis=-1, keepdims=True)
    shine = np.clip((normal * half).sum(-1), 0, 1) ** _each(style, "polish")
    grey = grey + _each(style, "gloss") * shine * np.where(hit.flat, 0.35, 1)
    edge = np.sort(np.abs(hit.place), axis=-1)[..., 1]
    u, v = _on_face(hit)
    worn = np.sin(np.arctan2(v, u) * _each(style, "rim_waves") + _each(style, "rim_phase"))
    rim = np.clip(1 - np.abs(edge - 0.46) / _each(style, "rim_width"), 0, 1)
    return np.asarray(grey + _each(style, "rim") * rim * np.clip(worn + 0.3, 0, 1) * hit.flat, F)


def _each(style: Style, name: str) -> Floats:
    return style[name][:, None].astype(F)
