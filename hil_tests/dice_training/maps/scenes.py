"""Dice on trays, many pictures at once, rendered with PyTorch on whatever it computes on.

A die is a cube within a ball, met by the ray of each quarter pixel; its top shows 1 to 6 or a
pattern that no die has. Lengths are in die edges, z points up, the ground is z = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as nn
from torch import Tensor

from hil_tests.dice_training.maps.cubes import FAR, Camera, Look, lit, met, painted
from hil_tests.dice_training.maps.faces import FACES

_SIDES = tuple(
    (7 - a, a, 7 - b, b, 7 - top, top)
    for top in range(1, 7)
    for a in range(1, 7)
    for b in range(1, 7)
    if len({top, 7 - top, a, 7 - a, b, 7 - b}) == 6
)  # values of the faces -x, x, -y, y, -z, z

_FLAT, _STEEP = 0.19, 0.5  # radians from which a die leans, and from which no face counts
_CLEAREST = 0.45  # share of what is behind a clear die; with more its far pips are as clear
_PRINTED = 0.015  # thickness of paper, die edges
_GATHERED = 0.08  # die edges squared in which light that passed through a die falls by 1 / e
_SCALES = 5  # of which one is the picture's own
_LEAST_DETAIL = 11.0  # px of a side to which a picture may have been reduced before


@dataclass(frozen=True)
class Kind:
    """What is rendered: pictures' size and side of a top, px; dice at most; of these the shares
    that lean, that lie on another, and that are no dice: a face printed on what lies flat."""

    size: int
    least: float
    most: float
    dice: int
    leaning: float
    stacked: float
    printed: float


@dataclass(frozen=True)
class Scenes:
    """grey (n, 1, h, w), 0-255. kind (n, 3, h, w): how much of each pixel is ground, die, foreign.

    Of each die: middle of the top (n, k, 2) and side (n, k), px; value (n, k): the face, 0 where
    it is cut, covered, false, printed or leans far, -1 where there is no top, -2 where it is not
    known;
    lean (n, k): it leans or lies on another; foot (n, k, 2): from the middle of the top to that of
    the face below, px; pips (n, k, 9, 2), px, and which of them are there (n, k, 9).
    """

    grey: Tensor
    kind: Tensor
    middle: Tensor
    side: Tensor
    value: Tensor
    lean: Tensor
    foot: Tensor
    pips: Tensor
    there: Tensor


class Renderer:
    """Renders with given grounds (m, h, w) and things: below and above (m, 2, h, w)."""

    def __init__(self, grounds: Tensor, below: Tensor, above: Tensor, seed: int) -> None:
        self.device = grounds.device
        self._grounds, self._below, self._above = grounds, below, above
        self.random = torch.Generator(device=self.device).manual_seed(seed)
        # Compiled, an H100 renders a scene in a quarter of the time, a processor in 0.6 of it.
        self._drawn = torch.compile(_drawn, dynamic=False)
        bits = torch.zeros(7, 2, 9)
        for value, places in FACES.items():
            for k in range(2):
                pattern = places[k % len(places)]
                bits[value, k] = torch.tensor([pattern >> j & 1 for j in range(9)])
        self._bits = bits.to(self.device)
        self._sides = torch.tensor(_SIDES, device=self.device)
        steps = torch.tensor([-1.0, 0.0, 1.0], device=self.device)
        self._steps = torch.stack((steps.repeat(3), steps.repeat_interleave(3)), -1)
        corners = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (0.0, 0.0))
        self._corners = torch.tensor(corners, device=self.device)

    def uniform(self, low: float, high: float, *shape: int) -> Tensor:
        """Return random numbers between two."""
        values = torch.rand(shape, device=self.device, generator=self.random)
        return low + (high - low) * values

    def normal(self, *shape: int) -> Tensor:
        """Return random numbers of deviation 1."""
        return torch.randn(shape, device=self.device, generator=self.random)

    def chance(self, share: float, *shape: int) -> Tensor:
        """Return which of so many happen."""
        return self.uniform(0, 1, *shape) < share

    def whole(self, most: int, *shape: int) -> Tensor:
        """Return random whole numbers from 0 to below most."""
        return torch.randint(most, shape, device=self.device, generator=self.random)

    def some(self, share: float, low: float, high: float, *shape: int) -> Tensor:
        """Return a value between two for a share, 0 for the others."""
        return torch.where(self.chance(share, *shape), self.uniform(low, high, *shape), 0.0)

    def scenes(self, n: int, wanted: Kind) -> Scenes:
        """Return so many rendered pictures."""
        k, size = wanted.dice, 2 * wanted.size
        camera, side = self._camera(n, wanted)
        there, middle, turns, angle, upper, lower = self._poses(n, wanted, side)
        printed = self.chance(wanted.printed, n, k) & ~upper & ~lower & (angle < _FLAT)
        middle[..., 2] = torch.where(printed, _PRINTED - 0.5, middle[..., 2])
        style = self._styles(n, k)
        values = self._sides[self.whole(len(_SIDES), n, k)]
        patterns = self._bits[values, self.whole(2, n, k, 6)]
        false = self.chance(0.03, n, k)
        patterns[:, :, 5] = torch.where(
            false[..., None], self.chance(0.5, n, k, 9).float(), patterns[:, :, 5]
        )
        light = self._light(n)
        grey = self.ground(n, size)
        below, foreign = self._thing(n, size, self._below, self.chance(0.3, n))
        grey = grey * (1 - below) + foreign * below
        behind = grey.mean((1, 2)) * self.uniform(0.5, 1.1, n)
        style["behind"] = behind[:, None].expand(n, k)
        style["clear"] = style["clear"] * ~printed
        grey = grey * self._shadow(camera, middle, turns, there & ~printed, light, style["clear"])
        dice = patterns, turns, middle, there, printed
        grey, nearest, paper = self._with_dice(grey, style, dice, camera, light)
        over, foreign = self._thing(n, size, self._above, self.chance(0.12, n))
        grey = grey * (1 - over) + foreign * over
        die = ((nearest < FAR) & ~paper) * (1 - over)
        no_die = torch.maximum(below * (nearest == FAR) * (1 - over), over)
        no_die = torch.maximum(no_die, paper * (1 - over))
        kind = torch.stack((1 - die - no_die, die, no_die), 1)

        flat = self._steps * style["pitch"][..., None, None]
        six = patterns[:, :, 5].sum(-1) == 6
        flat[..., 1] *= torch.where(six, style["six"], 1.0)[..., None]
        pips = self._on_tops(flat, turns, middle, camera)
        corners = self._on_tops(self._corners.expand(n, k, 5, 2), turns, middle, camera)
        across = (corners[:, :, 1] - corners[:, :, 0]).norm(dim=-1)
        down = (corners[:, :, 2] - corners[:, :, 1]).norm(dim=-1)
        covered = self._sample(over, corners).amax(-1) > 0.3
        cut = ((corners < -1.5) | (corners > wanted.size + 0.5)).any(-1).any(-1)
        unread = (angle > _FLAT) | upper
        bad = (angle > _STEEP) | false | cut | covered | printed
        value = _values(values[:, :, 5], there & ~lower, bad, unread)
        clean = nn.avg_pool2d(grey[:, None], 2).clamp(0, 255)
        visible = patterns[:, :, 5] * (there & (angle <= _FLAT) & ~covered & ~lower)[..., None]
        side, top = (across * down).sqrt(), corners[:, :, 4]
        foot = (self._feet(turns, middle, camera) - top) * ~printed[..., None]
        kind = nn.avg_pool2d(kind, 2)
        return Scenes(clean, kind, top, side, value, unread, foot, pips, visible)

    def _with_dice(
        self, grey: Tensor, style: Look, dice: tuple[Tensor, ...], camera: Camera, light: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the greys with dice on the ground, how far what is seen of them is, and whether
        it is printed. dice: patterns, turns, middles, which are there, which are printed."""
        patterns, turns, middle, there, printed = dice
        nearest, paper = torch.full_like(grey, FAR), torch.zeros_like(grey, dtype=torch.bool)
        level = -camera.place[:, None, None, 2] / camera.rays[..., 2]
        for j in range(there.shape[1]):
            look = {name: each[:, j, None, None] for name, each in style.items()}
            far, shade = self._drawn(
                look, patterns[:, j], turns[:, j], middle[:, j], camera, light
            )
            far = torch.where(there[:, j, None, None] & (far < level + 0.01), far, FAR)
            grey = torch.where(far < nearest, shade, grey)
            paper = torch.where(far < nearest, printed[:, j, None, None], paper)
            nearest = torch.minimum(far, nearest)
        return grey, nearest, paper

    def _camera(self, n: int, wanted: Kind) -> tuple[Camera, Tensor]:
        """Return cameras, most of them straight above, and the side of a top, px."""
        size = 2 * wanted.size
        side = 2 * torch.exp(self.uniform(math.log(wanted.least), math.log(wanted.most), n))
        focal = 2 * torch.exp(self.uniform(math.log(170), math.log(900), n))
        focal = torch.maximum(focal, 4.5 * side)
        near, far = self.uniform(0, 0.27, n), self.uniform(0.27, 0.5, n)
        off = torch.where(self.chance(0.8, n), near, far)
        way = self.uniform(0, 2 * math.pi, n)
        shift = focal[:, None] * off[:, None] * torch.stack((way.cos(), way.sin()), -1)
        tilt = torch.where(self.chance(0.85, n), 0.04 * self.normal(n), self.uniform(0.1, 0.6, n))
        shift = torch.where((tilt.abs() > 0.1)[:, None], 0.0, shift)
        turn = _lean(tilt, self.uniform(0, 2 * math.pi, n))
        forward = torch.diag(torch.tensor((1.0, 1.0, -1.0), device=self.device))
        turn = turn @ forward
        axis = torch.arange(size, device=self.device) - (size - 1) / 2
        v, u = torch.meshgrid(axis, axis, indexing="ij")
        x, y = u + shift[:, 0, None, None], v + shift[:, 1, None, None]
        rays = torch.stack((x, y, focal[:, None, None].expand_as(x)), -1)
        rays = rays / focal[:, None, None, None]
        middle = torch.cat((shift, focal[:, None]), -1) / side[:, None]
        place = -torch.einsum("nij,nj->ni", turn, middle)
        place = place + torch.tensor((0.0, 0.0, 1.0), device=self.device)
        rays = torch.einsum("nij,nhwj->nhwi", turn, rays)
        return Camera(place, turn, rays, focal, shift), side / 2

    def _poses(
        self, n: int, wanted: Kind, side: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Return of each die: there, middle, rotation, angle of its lean, whether it lies on
        another, whether another lies on it."""
        k = wanted.dice
        reach = (wanted.size / 2 / side)[:, None, None]
        ground = self.uniform(-1, 1, n, k, 2) * reach * 1.05
        yaw = self.uniform(0, 2 * math.pi, n, k)
        beside = self.chance(0.25, n, k)
        high = torch.zeros(n, k, device=self.device)
        stacked = torch.zeros(n, k, dtype=torch.bool, device=self.device)
        for j in range(1, k):
            step = torch.stack((self.uniform(1.005, 1.1, n), self.uniform(-0.6, 0.6, n)), -1)
            c, s = yaw[:, j - 1].cos(), yaw[:, j - 1].sin()
            right, down = step.unbind(-1)
            step = torch.stack((right * c - down * s, right * s + down * c), -1)
            close = beside[:, j, None]
            ground[:, j] = torch.where(close, ground[:, j - 1] + step, ground[:, j])
            yaw[:, j] = torch.where(close[:, 0], yaw[:, j - 1], yaw[:, j])
            on_top = self.chance(wanted.stacked, n)
            near = ground[:, j - 1] + 0.2 * self.normal(n, 2)
            ground[:, j] = torch.where(on_top[:, None], near, ground[:, j])
            high[:, j] = torch.where(on_top, high[:, j - 1] + 1, high[:, j])
            stacked[:, j] |= on_top
            stacked[:, j - 1] |= on_top
        leans = self.chance(wanted.leaning, n, k) & ~stacked & ~beside
        more = (0.8 - _FLAT) * self.uniform(0, 1, n, k) ** 1.5
        lean = torch.where(leans, _FLAT + more, 0.012 * self.normal(n, k))
        turns = _lean(lean, self.uniform(0, 2 * math.pi, n, k)) @ _yaw(yaw)
        up = 0.5 * turns[..., 2, :].abs().sum(-1) + high
        there = self._there(ground, high, beside, stacked)
        # A die lies below only where the other one is there too.
        above = torch.cat((high[:, 1:] > high[:, :-1], torch.zeros_like(stacked[:, :1])), 1)
        after = torch.cat((there[:, 1:], torch.zeros_like(there[:, :1])), 1)
        middle = torch.cat((ground, up[..., None]), -1)
        return there, middle, turns, lean, high > 0, above & after

    def _there(self, ground: Tensor, high: Tensor, beside: Tensor, stacked: Tensor) -> Tensor:
        """Return which dice are there: so many, and none that would stand in another."""
        n, k = high.shape
        count = torch.where(self.chance(0.12, n), 0, 1 + self.whole(k, n))
        there = torch.arange(k, device=self.device) < count[:, None]
        for j in range(1, k):
            apart = (ground[:, j, None] - ground[:, :j]).norm(dim=-1)
            least = torch.where(beside[:, j], 1.0, 1.45)
            clash = (apart < least[:, None]) & there[:, :j] & (high[:, j, None] == high[:, :j])
            other = there[:, :j] & (high[:, j, None] != high[:, :j])
            under = stacked[:, j, None] & (torch.arange(j, device=self.device) == j - 1)
            clash |= (apart < 1.5) & other & ~under
            there[:, j] &= ~clash.any(1)
            alone = (high[:, j] > 0) & ~there[:, j - 1]
            there[:, j] &= ~alone
        return there

    def _styles(self, n: int, k: int) -> dict[str, Tensor]:
        """Return how dice look: one row a picture, most of one make, colours may differ."""

        def one(values: Tensor) -> Tensor:
            return values[:, None].expand(n, k).clone()

        u = self.uniform
        differ = self.chance(0.5, n)[:, None]
        body, pip, moulded = self._greys(n, k, differ)
        casino = self.chance(0.2, n)
        pitch = torch.where(self.chance(0.25, n), u(0.17, 0.21, n), u(0.21, 0.3, n))
        radius = pitch * u(0.27, 0.48, n)
        radius = torch.where(casino, u(0.085, 0.12, n), radius).clamp(0.055, 0.125)
        pitch = torch.where(casino, u(0.25, 0.3, n), pitch)
        ball = torch.where(self.chance(0.5, n), u(0.62, 0.74, n), u(0.74, 0.86, n))
        ball = torch.where(casino, 1.0, ball)
        contrast = (pip - body).abs()
        return {
            **self._shine(torch.where(moulded, 0.75, 0.08)),
            "body": body,
            "pip": pip,
            "pitch": one(pitch),
            "radius": one(radius),
            "one": one(radius * torch.where(self.chance(0.25, n), u(1, 1.8, n), 1.0)),
            "soft": one(u(0.01, 0.05, n)),
            "ball": one(ball),
            "hollow": one(self.some(0.1, 0.3, 0.6, n)),
            "dent": one(self.some(0.5, -0.6, 0.6, n)),
            "six": one(torch.where(self.chance(0.25, n), u(0.78, 1.1, n), 1.0)),
            "mottle": self.some(0.25, 0.03, 0.4, n, k) * contrast,
            "clear": one(self._clear(casino)),
            "core": self.some(0.25, -50, 70, n, k),
            "slope": self.some(0.5, -25, 25, n, k),
            "gloss": self.some(0.4, 20, 160, n, k),
            "polish": torch.exp(u(1.5, 4, n, k)),
            "glare": self.some(0.2, 0.1, 0.75, n, k),
            "glare_wide": u(0.06, 0.4, n, k),
            "glare_u": u(-0.5, 0.5, n, k),
            "glare_v": u(-0.5, 0.5, n, k),
            "ambient": one(u(0.3, 0.9, n)),
            "rim": self.some(0.3, -40, 70, n, k),
            "rim_wide": one(u(0.02, 0.07, n)),
            "dirt": self.some(0.2, 5, 40, n, k),
            "w0": self.normal(n, k) * 7,
            "w1": self.normal(n, k) * 7,
            "w2": self.normal(n, k) * 7,
            "w3": self.normal(n, k) * 7,
            "w4": self.normal(n, k) * 7,
            "w5": self.normal(n, k) * 7,
        }

    def _clear(self, casino: Tensor) -> Tensor:
        """Return how much of what is behind shows through dice: of most dice of casinos some."""
        n = len(casino)
        clear = self.chance(0.2, n) | (casino & self.chance(0.6, n))
        return clear * self.uniform(0.05, _CLEAREST, n)

    def _greys(self, n: int, k: int, differ: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the greys of bodies and of pips, and which dice are dark, of one colour and
        glossy. differ: where each die has its own."""
        u = self.uniform
        body = torch.where(self.chance(0.5, n, k), u(150, 250, n, k), u(6, 120, n, k))
        body = torch.where(self.chance(0.3, n, k), u(30, 230, n, k), body)
        body = torch.where(differ, body, body[:, :1])
        step = torch.exp(u(math.log(14), math.log(210), n, k))
        step = torch.where(self.chance(0.5, n, k), step.clamp(min=60), step)
        way = torch.where(self.chance(0.88, n, k) == (body > 125), -1.0, 1.0)
        pip = (body + way * step).clamp(2, 253)
        pip = torch.where((pip - body).abs() < 12, (body - way * step).clamp(2, 253), pip)
        same = torch.where(self.chance(0.6, n), u(2, 253, n), -1.0)[:, None].expand(n, k)
        use = (same >= 0) & ((same - body).abs() > 25)
        pip = torch.where(use, same, pip)
        # Dark dice of one colour, moulded: dents as dark as the body, and all of it glossy.
        moulded = self.chance(0.35, n)[:, None] & self.chance(0.7, n, k)
        body = torch.where(moulded, u(10, 90, n, k), body)
        near = torch.where(self.chance(0.75, n, k), u(4, 45, n, k), u(-25, -4, n, k))
        pip = torch.where(moulded, (body + near).clamp(2, 253), pip)
        return body, pip, moulded

    def _shine(self, share: Tensor) -> dict[str, Tensor]:
        """Return how lamps show on dice (n, k): in an arc at the edge of a face, and in dents."""
        u, shape = self.uniform, share.shape
        arc_way, spark_way = u(0, 2 * math.pi, *shape), u(0, 2 * math.pi, *shape)
        off = u(0, 0.8, *shape)
        return {
            "arc": (u(0, 1, *shape) < share) * u(15, 110, *shape),
            "arc_u": arc_way.cos(),
            "arc_v": arc_way.sin(),
            "arc_ends": u(-1.2, 0.9, *shape),
            "arc_wide": u(0.012, 0.05, *shape),
            "spark": (u(0, 1, *shape) < share) * u(15, 160, *shape),
            "spark_u": off * spark_way.cos(),
            "spark_v": off * spark_way.sin(),
            "spark_wide": u(0.25, 0.8, *shape),
        }

    def _light(self, n: int) -> Tensor:
        """Return a direction to the light for each picture."""
        high, way = self.uniform(0.6, 1.57, n), self.uniform(0, 2 * math.pi, n)
        return torch.stack((high.cos() * way.cos(), high.cos() * way.sin(), high.sin()), -1)

    def ground(self, n: int, size: int) -> Tensor:
        grounds = self._grounds[self.whole(len(self._grounds), n)][:, None]
        turn, scale = self.uniform(0, 2 * math.pi, n), self.uniform(0.25, 0.7, n)
        way = _way(turn, scale, self.uniform(-0.25, 0.25, n, 2))
        places = nn.affine_grid(way, [n, 1, size, size], align_corners=False)
        return nn.grid_sample(grounds, places, padding_mode="reflection", align_corners=False)[
            :, 0
        ]

    def _thing(self, n: int, size: int, things: Tensor, there: Tensor) -> tuple[Tensor, Tensor]:
        """Return (cover, grey) of a thing somewhere in each picture where it is there."""
        things_drawn = things[self.whole(len(things), n)]
        scale = torch.exp(self.uniform(math.log(0.7), math.log(6.0), n))
        offset = self.uniform(-1.1, 1.1, n, 2) * scale[:, None]
        way = _way(self.uniform(0, 2 * math.pi, n), scale, offset)
        places = nn.affine_grid(way, [n, 1, size, size], align_corners=False)
        layer = nn.grid_sample(things_drawn, places, padding_mode="zeros", align_corners=False)
        cover = layer[:, 1] * there[:, None, None]
        return cover, layer[:, 0] / layer[:, 1].clamp(min=0.05)

    def _shadow(
        self,
        camera: Camera,
        middle: Tensor,
        turns: Tensor,
        there: Tensor,
        light: Tensor,
        clear: Tensor,
    ) -> Tensor:
        """Return by what the ground is darker: near each die's foot, and on the lee of the light
        and of a second lamp. clear (n, k): by how much light passes through a die, and is gathered
        in the middle of the shadow."""
        n, rays, place = len(middle), camera.rays, camera.place[:, None, None]
        far = -place[..., 2] / rays[..., 2]
        x, y = place[..., 0] + far * rays[..., 0], place[..., 1] + far * rays[..., 1]
        left = torch.ones_like(x)
        deep, contact = self.uniform(0, 0.75, n), self.uniform(0, 0.8, n)
        second = self.some(0.35, 0.1, 0.6, n)
        soft, near = self.uniform(0.03, 0.3, n), self.uniform(0.04, 0.25, n)
        lee, other_lee = (_lee(each) for each in (light, self._light(n)))
        bright = self.uniform(0, 1.2, n)
        for j in range(middle.shape[1]):
            c, s = turns[:, j, 0, 0], turns[:, j, 1, 0]
            passes = 1 - clear[:, j] / 2
            for dx, half, strength, wide in (
                (lee, 0.5, deep * passes, soft),
                (other_lee, 0.5, second * passes, soft),
                (torch.zeros_like(lee), 0.46, contact * passes, near),
            ):
                u = x - (middle[:, j, 0] + dx[:, 0])[:, None, None]
                v = y - (middle[:, j, 1] + dx[:, 1])[:, None, None]
                c_, s_ = c[:, None, None], s[:, None, None]
                a, b = (u * c_ + v * s_).abs() - half, (v * c_ - u * s_).abs() - half
                out = torch.hypot(a.clamp(min=0), b.clamp(min=0))
                out = out + torch.maximum(a, b).clamp(max=0)
                dark = torch.sigmoid(-out / wide[:, None, None] * 2) * strength[:, None, None]
                left = left * (1 - dark * there[:, j, None, None])
            u = x - (middle[:, j, 0] + 1.6 * lee[:, 0])[:, None, None]
            v = y - (middle[:, j, 1] + 1.6 * lee[:, 1])[:, None, None]
            glow = (clear[:, j] * bright * there[:, j])[:, None, None]
            left = left * (1 + glow * torch.exp(-(u * u + v * v) / _GATHERED))
        return left

    def _on_tops(self, points: Tensor, turns: Tensor, middle: Tensor, camera: Camera) -> Tensor:
        """Return where points (n, k, m, 2) of tops are in the pictures, px."""
        tops = torch.cat((points, torch.full_like(points[..., :1], 0.5)), -1)
        return self._project(tops, turns, middle, camera)

    def _feet(self, turns: Tensor, middle: Tensor, camera: Camera) -> Tensor:
        """Return where the middles of the lowest faces (n, k, 2) are in the pictures, px."""
        below = torch.tensor((0.0, 0.0, -0.5), device=self.device)
        return self._project(below.expand(*turns.shape[:2], 1, 3), turns, middle, camera)[:, :, 0]

    @staticmethod
    def _project(points: Tensor, turns: Tensor, middle: Tensor, camera: Camera) -> Tensor:
        """Return where points (n, k, m, 3) of dice are in the pictures, px."""
        moved = torch.einsum("nkij,nkmj->nkmi", turns, points) + middle[:, :, None]
        return camera.project(moved)

    def _sample(self, over: Tensor, points: Tensor) -> Tensor:
        """Return a map (n, h, w) at points (n, k, m, 2) of the pictures."""
        n, size = over.shape[:2]
        places = (2 * (2 * points + 1) / size - 1).reshape(n, -1, 1, 2)
        samples = nn.grid_sample(over[:, None], places, align_corners=False)
        return samples.reshape(points.shape[:3])

    def worn(self, grey: Tensor, side: Tensor | None = None) -> Tensor:
        """Return (n, 1, h, w) with other light, tone, sharpness, noise and compression; some
        hardly. side (n): of tops, px; without it pictures lose no more detail."""
        n, size = len(grey), grey.shape[-1]
        fresh = self.chance(0.35, n)
        u = self.uniform

        def each(values: Tensor) -> Tensor:
            return values[:, None, None, None]

        axis = torch.linspace(-1, 1, size, device=self.device)
        fall = axis[:, None] * each(u(-1, 1, n)) + axis * each(u(-1, 1, n))
        grey = grey * (1 + each(self.some(0.5, 0, 0.3, n)) * fall)
        grey = _blur(grey, self.some(0.6, 0.2, 1.0, n) * ~fresh)
        if side is not None:
            grey = self._resample(grey, side)
        grey = 255 * (grey.clamp(0, 255) / 255) ** each(torch.exp(0.35 * self.normal(n)))
        low = each(self.some(0.3, 0, 70, n))
        high = 255 - each(self.some(0.3, 0, 120, n))
        grey = low + grey * (high - low).clamp(min=60) / 255
        grey = torch.where(each(self.chance(0.06, n)), 255 - grey, grey)
        sigma = self.some(0.7, 0, 7, n) * self.uniform(0, 1, n)
        sigma = each(torch.where(fresh, sigma.clamp(max=1.0), sigma))
        noise = torch.randn(grey.shape, device=self.device, generator=self.random)
        fine = _blur(noise, self.some(0.3, 0.4, 0.8, n))
        grey = grey + sigma * fine
        pressed = each(self.chance(0.4, n) & ~fresh)
        grey = torch.where(pressed, _compress(grey, u(4, 40, n)), grey)
        return grey.clamp(0, 255).round()

    def _resample(self, grey: Tensor, side: Tensor) -> Tensor:
        """Return pictures of which many lost detail, as a small die does that is looked at
        enlarged: a few scales for the whole batch."""
        size, result = grey.shape[-1], grey.clone()
        for part in range(1, _SCALES):
            part_grey = grey[part::_SCALES]
            small = round(float(self.uniform(0.38, 1.0, 1)) * size)
            less = nn.interpolate(
                part_grey, (small, small), mode="bilinear", antialias=True, align_corners=False
            )
            back = nn.interpolate(less, (size, size), mode="bicubic", align_corners=False)
            loses = side[part::_SCALES] * small / size > _LEAST_DETAIL
            result[part::_SCALES] = torch.where(loses[:, None, None, None], back, part_grey)
        return result


def _values(faces: Tensor, visible: Tensor, bad: Tensor, unread: Tensor) -> Tensor:
    """Return the faces to learn: -1 where no top is seen, 0 where none counts, -2 where it does
    not matter."""
    return torch.where(visible, torch.where(bad, 0, torch.where(unread, -2, faces)), -1)


def _drawn(
    look: Look, patterns: Tensor, turns: Tensor, middle: Tensor, camera: Camera, light: Tensor
) -> tuple[Tensor, Tensor]:
    """Return how far one die of each picture is along each ray, and its grey."""
    hit = met(look["ball"], turns, middle, camera)
    return hit.far, lit(look, painted(look, patterns, hit, light), hit, camera, light)


def _lean(angle: Tensor, towards: Tensor) -> Tensor:
    """Return rotations (..., 3, 3) by an angle about a level axis."""
    x, y, c, s = towards.cos(), towards.sin(), angle.cos(), angle.sin()
    q = 1 - c
    rows = (c + x * x * q, x * y * q, y * s, x * y * q, c + y * y * q, -x * s, -y * s, x * s, c)
    return torch.stack(rows, -1).unflatten(-1, (3, 3))


def _lee(light: Tensor) -> Tensor:
    """Return where the middle of a die's shadow is on the ground, from that of its foot."""
    return -(light[:, :2] / light[:, 2:]).clamp(-1.2, 1.2) * 0.5


def _yaw(yaw: Tensor) -> Tensor:
    c, s, none, one = yaw.cos(), yaw.sin(), torch.zeros_like(yaw), torch.ones_like(yaw)
    return torch.stack((c, -s, none, s, c, none, none, none, one), -1).unflatten(-1, (3, 3))


def _way(turn: Tensor, scale: Tensor, axis: Tensor) -> Tensor:
    c, s = turn.cos() * scale, turn.sin() * scale
    return torch.stack((c, -s, axis[:, 0], s, c, axis[:, 1]), -1).unflatten(-1, (2, 3))


def _blur(grey: Tensor, sigma: Tensor) -> Tensor:
    """Return pictures (n, 1, h, w) blurred, each by its own sigma, px."""
    axis = torch.arange(-4, 5, device=grey.device)
    kernel = torch.exp(-0.5 * (axis / sigma[:, None].clamp(min=0.05)) ** 2)
    kernel = kernel / kernel.sum(-1, keepdim=True)
    padded = nn.pad(grey.transpose(0, 1), (4, 4, 4, 4), mode="replicate")
    padded = nn.conv2d(padded, kernel[:, None, None], groups=len(grey))
    return nn.conv2d(padded, kernel[:, None, :, None], groups=len(grey)).transpose(0, 1)


def _compress(grey: Tensor, step: Tensor) -> Tensor:
    """Return pictures as a JPEG file keeps them: coarser the finer a wave in a block is."""
    k = torch.arange(8, device=grey.device)
    waves = torch.cos(math.pi * (2 * k[None] + 1) * k[:, None] / 16) / 2
    waves[0] /= math.sqrt(2)
    blocks = grey.unfold(2, 8, 8).unfold(3, 8, 8)
    parts = waves @ blocks @ waves.T
    coarse = step[:, None, None, None, None, None] * (0.4 + 0.15 * (k[:, None] + k))
    parts = (parts / coarse).round() * coarse
    back = waves.T @ parts @ waves
    return back.permute(0, 1, 2, 4, 3, 5).reshape(grey.shape)
