"""Rays at one die of each picture: a cube within a ball, so that its edges are round.

A look is what styles of dice say of it: a value (n, 1, 1) for each name.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

FAR = 1e9  # of a ray that meets no die
_REFRACTION = 1.5  # of cellulose acetate and of acrylic glass
Look = dict[str, Tensor]


@dataclass(frozen=True)
class Camera:
    """place, turn: in the world. rays (n, h, w, 3), focal length and shift:
    of pictures rendered doubled."""

    place: Tensor
    turn: Tensor
    rays: Tensor
    focal: Tensor
    shift: Tensor

    def project(self, points: Tensor) -> Tensor:
        """Return where points (n, k, m, 3) of the world are in the pictures, px (n, k, m, 2)."""
        view = torch.einsum("nij,nkmi->nkmj", self.turn, points - self.place[:, None, None])
        plane = view[..., :2] / view[..., 2:] * self.focal[:, None, None, None]
        middle = (self.rays.shape[1] - 1) / 2
        return (plane - self.shift[:, None, None] + middle - 0.5) / 2


@dataclass(frozen=True)
class Hit:
    """Where rays (n, h, w), which the die sees come this way (n, h, w, 3), meet it: how far, at
    which place of it (n, h, w, 3), on which face 0-5 and where on it, whether on its flat, and the
    way that the surface looks in the world."""

    ray: Tensor
    far: Tensor
    place: Tensor
    face: Tensor
    u: Tensor
    v: Tensor
    flat: Tensor
    normal: Tensor


def met(ball: Tensor, turn: Tensor, middle: Tensor, camera: Camera) -> Hit:
    """Return what rays meet of dice turned (n, 3, 3) about their middles (n, 3)."""
    start = torch.einsum("nij,ni->nj", turn, camera.place - middle)[:, None, None]
    ray = torch.einsum("nij,nhwi->nhwj", turn, camera.rays)
    ray = torch.where(ray.abs() < 1e-5, 1e-5, ray)
    first, second = (-0.5 - start) / ray, (0.5 - start) / ray
    entry, axis = torch.minimum(first, second).max(-1)
    leave = torch.maximum(first, second).amin(-1)
    a, b = (ray * ray).sum(-1), (ray * start).sum(-1)
    under = b * b - a * ((start * start).sum(-1) - ball**2)
    root = under.clamp(min=0).sqrt()
    near = (-b - root) / a
    far = torch.maximum(entry, near)
    there = (under > 0) & (far < torch.minimum(leave, (root - b) / a)) & (far > 0)
    place = start + far[..., None] * ray
    sign = -torch.sign(ray.gather(-1, axis[..., None]))
    flat = entry >= near
    square = torch.zeros_like(place).scatter(-1, axis[..., None], sign)
    away = place / place.norm(dim=-1, keepdim=True).clamp(min=1e-6)
    normal = torch.einsum("nij,nhwj->nhwi", turn, torch.where(flat[..., None], square, away))
    nearest = place.abs().argmax(-1)  # what is painted on a face runs on over its round edge
    side = torch.sign(place.gather(-1, nearest[..., None]))
    axis = torch.where(flat, axis, nearest)
    face = axis * 2 + (torch.where(flat[..., None], sign, side)[..., 0] > 0)
    u, v = _on_face(axis, place)
    return Hit(ray, torch.where(there, far, FAR), place, face, u, v, flat, normal)


def _on_face(axis: Tensor, place: Tensor) -> tuple[Tensor, Tensor]:
    """Return where on the face across an axis a place (n, h, w, 3) is."""
    x, y, z = place.unbind(-1)
    return torch.where(axis == 0, y, x), torch.where(axis == 2, y, z)


@dataclass(frozen=True)
class _Pip:
    """The nearest pip of each place (n, h, w) of faces: how much of the place it covers, the place
    from its middle, and its radius."""

    cover: Tensor
    right: Tensor
    below: Tensor
    radius: Tensor


def _nearest_pip(look: Look, patterns: Tensor, face: Tensor, u: Tensor, v: Tensor) -> _Pip:
    """Return the nearest pip of places on faces; patterns (n, 6, 9): pips of each face."""

    def of_face(values: Tensor) -> Tensor:
        return values.float().gather(1, face.flatten(1)).view_as(face)

    # Six of a squeezed make: its rows lie closer, whichever way it is turned on the face.
    pitch = look["pitch"]
    down = pitch * torch.where(of_face(patterns.sum(-1) == 6) > 0, look["six"], 1.0)
    i, k = (u / pitch).round().clamp(-1, 1), (v / down).round().clamp(-1, 1)
    index = face * 9 + ((k + 1) * 3 + i + 1).long()
    there = patterns.flatten(1).gather(1, index.flatten(1)).view_as(u)
    radius = torch.where(of_face(patterns.sum(-1) == 1) > 0, look["one"], look["radius"])
    right, below = u - i * pitch, v - k * down
    apart = torch.hypot(right, below)
    cover = ((radius - apart) / look["soft"] + 0.5).clamp(0, 1)
    ring = ((apart - radius * look["hollow"]) / look["soft"] + 0.5).clamp(0, 1)
    cover = cover * torch.where(look["hollow"] > 0, ring, 1.0) * there
    return _Pip(cover, right, below, radius)


def _through(look: Look, patterns: Tensor, hit: Hit) -> Tensor:
    """Return the grey that shows through a clear body: what is behind it, and the pips of the face
    where the refracted ray leaves it."""
    axis = (hit.face // 2)[..., None]
    sign = (hit.face % 2 * 2.0 - 1)[..., None]
    way = hit.ray / hit.ray.norm(dim=-1, keepdim=True) / _REFRACTION
    across = way.gather(-1, axis) * sign  # of the way outwards: below 0
    tangents = (way * way).sum(-1, keepdim=True) - across**2
    way = way.scatter(-1, axis, -sign * (1 - tangents).clamp(min=0.1).sqrt())
    way = torch.where(way.abs() < 1e-5, 1e-5, way)
    far, axis = ((0.5 * torch.sign(way) - hit.place) / way).clamp(min=0).min(-1)
    place = hit.place + far[..., None] * way
    face = axis * 2 + (way.gather(-1, axis[..., None])[..., 0] > 0)
    pip = _nearest_pip(look, patterns, face, *_on_face(axis, place))
    return look["behind"] + (look["pip"] - look["behind"]) * pip.cover


def painted(look: Look, patterns: Tensor, hit: Hit, light: Tensor) -> Tensor:
    """Return the grey of body and pips before light; patterns (n, 6, 9): pips of each face."""
    u, v = hit.u, hit.v
    top = _nearest_pip(look, patterns, hit.face, u, v)
    x, y, z = hit.place.unbind(-1)
    bend = torch.sin(x * look["w3"] + y * look["w4"] + look["w5"])
    waves = torch.sin(x * look["w0"] + y * look["w1"] + z * look["w2"] + 1.5 * bend)
    body = look["body"] + look["mottle"] * waves
    body = body + look["core"] * (0.5 - 2 * (u * u + v * v)) + look["slope"] * 2 * u
    body = body + look["clear"] * (_through(look, patterns, hit) - body)
    slope = (
        top.right * light[:, 0, None, None] + top.below * light[:, 1, None, None]
    ) / top.radius
    pip = look["pip"] * (1 + look["dent"] * slope) + 0.25 * look["dirt"] * waves
    # A glossy dent mirrors the lamp at one place of it, the same in all dents of a face.
    right, below = top.right / top.radius, top.below / top.radius
    beside = torch.hypot(right - look["spark_u"], below - look["spark_v"])
    pip = pip + look["spark"] * torch.exp(-((beside / look["spark_wide"]) ** 2))
    return body + (pip - body) * top.cover


def lit(look: Look, grey: Tensor, hit: Hit, camera: Camera, light: Tensor) -> Tensor:
    """Return the grey with light and gloss, the rim of each face and a glare on it."""
    u, v, flat, to_light = hit.u, hit.v, hit.flat, light[:, None, None]
    facing = (hit.normal * to_light).sum(-1).clamp(0, 1)
    grey = grey * (look["ambient"] + (1 - look["ambient"]) * facing)
    half = to_light - camera.rays / camera.rays.norm(dim=-1, keepdim=True)
    half = half / half.norm(dim=-1, keepdim=True)
    shine = (hit.normal * half).sum(-1).clamp(0, 1) ** look["polish"]
    grey = grey + look["gloss"] * shine * torch.where(flat, 0.3, 1.0)
    edge = torch.maximum(u.abs(), v.abs())
    rim = (1 - (edge - 0.45).abs() / look["rim_wide"]).clamp(0, 1)
    grey = grey + look["rim"] * rim * flat + look["arc"] * _arc(look, u, v)
    spot = ((u - look["glare_u"]) ** 2 + (v - look["glare_v"]) ** 2) / look["glare_wide"] ** 2
    return grey + (245 - grey) * look["glare"] * torch.exp(-spot) * flat


def _arc(look: Look, u: Tensor, v: Tensor) -> Tensor:
    """Return how much of the arc is seen that a lamp draws where a flat face becomes round."""
    circle = (look["ball"] ** 2 - 0.25).clamp(min=0.04).sqrt()
    apart = torch.hypot(u, v)
    ring = torch.exp(-(((apart - circle) / look["arc_wide"]) ** 2))
    towards = (u * look["arc_u"] + v * look["arc_v"]) / apart.clamp(min=1e-3)
    return ring * torch.sigmoid(6 * (towards - look["arc_ends"]))
