"""Landscape: ridges, trees, grass, mist, rain, stars."""

from __future__ import annotations

import cv2
import numpy as np

from sample.film.paint import (
    Picture,
    Shader,
    cloud,
    curve,
    draw,
    ellipse,
    layer,
    mix,
    mix_hex,
    noise,
    ramp,
    rgb,
    smooth,
    stroke,
    view,
)


def ridge(w: int, base: float, height: float, wave: float, seed: int) -> np.ndarray:
    """The outline of hills, as heights of the ground at every 4 pixels: (n, 2) points."""
    rng = np.random.default_rng(seed)
    x = np.arange(-8, w + 12, 4, dtype=np.float32)
    y = np.zeros_like(x)
    for k, part in enumerate((1.0, 0.45, 0.2, 0.08)):
        y += part * np.sin(x / wave * 2 * np.pi * (1 + 0.83 * k) + rng.uniform(0, 6.3))
    return np.stack([x, base - height * (0.5 + y / 2.6)], -1)


def hill(dst: Picture, line: np.ndarray, paint: Shader, rim: str | None = None) -> None:
    """Fill everything below a ridge; `rim` is the light on its edge."""
    h = dst.shape[0]
    draw(dst, np.vstack([line, [line[-1, 0], h + 9], [line[0, 0], h + 9]]), paint)
    if rim:
        draw(dst, stroke(line + np.array((0, 2.5)), np.full(len(line), 5.0)), rim, 0.5, blur=2)


def pine(dst: Picture, x: float, y: float, size: float, dark: str, light: str, seed: int) -> None:
    """A fir with its foot at (x, y)."""
    rng = np.random.default_rng(seed)
    draw(
        dst,
        [
            (x - size * 0.03, y),
            (x + size * 0.03, y),
            (x + size * 0.02, y - size * 0.3),
            (x - size * 0.02, y - size * 0.3),
        ],
        mix(dark, "#000000", 0.3),
    )
    for k in range(7):
        wide = size * (0.24 - 0.028 * k) * rng.uniform(0.9, 1.1)
        top, low = y - size * (0.32 + 0.115 * k), y - size * (0.08 + 0.115 * k)
        tier = curve(
            [
                (x, top),
                (x + wide * 0.5, (top + low) / 2),
                (x + wide, low),
                (x + wide * 0.3, low - 3),
                (x, low + 3),
                (x - wide * 0.4, low - 2),
                (x - wide, low),
                (x - wide * 0.5, (top + low) / 2),
            ],
            5,
        )
        draw(dst, tier, mix(dark, light, 0.06 + 0.07 * k))
        draw(dst, [(x, top), (x - wide * 0.9, low - 1), (x - wide * 0.2, low - 4)], light, 0.22)


def crown(size: int, dark: str, light: str, seed: int, leaves: int = 700) -> Picture:
    """A layer with a round heap of leaves, lit from the upper left."""
    rng = np.random.default_rng(seed)
    big = np.zeros((size * 2, size * 2, 4), np.float32)
    heaps = [(rng.uniform(-0.24, 0.24), rng.uniform(-0.2, 0.2), rng.uniform(0.15, 0.22)) for _ in range(9)]
    for hx, hy, hr in heaps:
        draw(
            big,
            ellipse((0.5 + hx) * size * 2, (0.5 + hy) * size * 2, hr * size * 1.75, hr * size * 1.6),
            ramp([(size * 0.5, mix_hex(dark, light, 0.3)), (size * 1.4, dark)]),
            0.96,
        )
    for n in range(leaves):
        hx, hy, hr = heaps[rng.integers(9)]
        a, r = rng.uniform(0, 6.28), hr * np.sqrt(rng.uniform())
        dx, dy = np.cos(a) * r, np.sin(a) * r
        lit = np.clip(
            0.42 - 1.5 * dy / hr * 0.3 - 0.9 * dx / hr * 0.25 - 0.6 * hy + rng.normal(0, 0.12), 0, 1
        )
        lit *= 0.35 + 0.65 * n / leaves
        at = (int((0.5 + hx + dx) * size * 2), int((0.5 + hy + dy) * size * 2))
        axes = (max(1, int(size * rng.uniform(0.026, 0.05))), max(1, int(size * rng.uniform(0.016, 0.03))))
        c = mix(dark, light, float(lit)).tolist()
        cv2.ellipse(big, at, axes, rng.uniform(0, 180), 0, 360, (*c, 1.0), -1, cv2.LINE_AA)
    return np.asarray(cv2.resize(big, (size, size), interpolation=cv2.INTER_AREA), np.float32)


def blade(
    dst: Picture, x: float, y: float, tall: float, lean: float, paint: str | Picture, wide: float
) -> None:
    """One blade of grass with its foot at (x, y)."""
    k = np.linspace(0, 1, 7)
    spine = np.stack([x + lean * k**2, y - tall * k], -1)
    draw(dst, stroke(spine, wide * (1 - k) ** 0.7 + 0.4), paint)


def meadow(dst: Picture, line: np.ndarray, dark: str, light: str, seed: int, count: int, tall: float) -> None:
    """Grass along a ridge line."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        k = rng.integers(len(line))
        x, y = line[k, 0] + rng.uniform(-3, 3), line[k, 1] + rng.uniform(0, tall * 0.9) + 4
        blade(
            dst,
            x,
            y,
            tall * rng.uniform(0.5, 1.2),
            rng.normal(0, tall * 0.3),
            mix(dark, light, rng.uniform() ** 1.3),
            rng.uniform(2, 4.5),
        )


def flowers(dst: Picture, line: np.ndarray, colors: list[str], seed: int, count: int, drop: float) -> None:
    """Small blossoms scattered below a ridge line."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        k = rng.integers(len(line))
        d = drop * rng.uniform() ** 0.7
        x, y, r = line[k, 0], line[k, 1] + 4 + d, 1.3 + 3.0 * d / drop
        c = colors[rng.integers(len(colors))]
        for a in np.arange(5) * 1.2566:
            px, py = x + r * 0.9 * np.cos(a), y + r * 0.8 * np.sin(a)
            draw(dst, [(px + r * 0.7 * np.cos(b), py + r * 0.6 * np.sin(b)) for b in np.arange(8) * 0.785], c)
        draw(
            dst, [(x + r * 0.5 * np.cos(b), y + r * 0.5 * np.sin(b)) for b in np.arange(8) * 0.785], "#ffd84d"
        )


class Reeds:
    """Reeds in the foreground that sway."""

    def __init__(
        self, spots: list[tuple[float, float]], y: float, tall: float, dark: str, light: str, seed: int
    ):
        rng = np.random.default_rng(seed)
        self.stems = []
        for x0, x1 in spots:
            for _ in range(int((x1 - x0) / 7)):
                self.stems.append(
                    (
                        rng.uniform(x0, x1),
                        y + rng.uniform(0, 20),
                        tall * rng.uniform(0.5, 1.15),
                        rng.normal(0, tall * 0.16),
                        mix(dark, light, rng.uniform()),
                        rng.uniform(4, 8),
                        rng.uniform(0, 6),
                        rng.uniform() < 0.22,
                    )
                )

    def draw(self, img: Picture, t: float) -> None:
        for x, y, tall, lean, color, wide, phase, head in self.stems:
            bend = lean + tall * 0.055 * np.sin(1.5 * t + phase + x * 0.008)
            blade(img, x, y, tall, bend, color, wide)
            if head:
                tip = np.array([(x + bend * k * k, y - tall * k) for k in (0.8, 0.86, 0.92, 0.97)])
                draw(
                    img,
                    stroke(
                        curve(tip, 4, False), np.interp(np.linspace(0, 1, 13), [0, 0.2, 0.8, 1], [3, 9, 9, 3])
                    ),
                    "#5b3a24",
                )


class Clouds:
    """Clouds that drift."""

    def __init__(
        self,
        spots: list[tuple[float, float, int, int]],
        light: str,
        shade: str,
        seed: int,
        cover: float = 0.5,
        wide: int = 1280,
        tall: int = 720,
    ) -> None:
        self.sheet = layer(wide + 400, tall)
        for k, (x, y, w, h) in enumerate(spots):
            part = cloud(w, h, seed + k, light, shade, cover)
            x0, y0 = max(0, int(x)), max(0, int(y))
            spot = self.sheet[y0 : y0 + h, x0 : x0 + w]
            part = part[: spot.shape[0], : spot.shape[1]]
            spot *= 1 - part[..., 3:]
            spot += part

    def at(self, x: float, y: float = 0, w: int = 1280, h: int = 720) -> Picture:
        return view(self.sheet, x, y, w, h)


def mist(w: int, h: int, y: float, thick: float, color: str, seed: int, strength: float) -> Picture:
    """A layer with a bank of mist around height `y`."""
    rows = np.exp(-(((np.arange(h, dtype=np.float32) - y) / thick) ** 2))[:, None]
    a = rows * smooth(noise(w, h, (420, 70), seed), 0.2, 0.75) * strength
    return np.dstack([rgb(color) * a[..., None], a]).astype(np.float32)


class Rain:
    """Falling streaks, in three depths, and rings on the water."""

    def __init__(self, w: int, h: int, count: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.w, self.h = w, h
        self.drops = [
            (rng.uniform(0, w * 1.2), rng.uniform(0, h), d) for d in rng.choice([0.5, 0.75, 1.0], count)
        ]
        self.rings = [
            (rng.uniform(0, w), rng.uniform(0, 1), rng.uniform(0.5, 1.1), rng.uniform(0, 1))
            for _ in range(70)
        ]

    def fall(self, img: Picture, t: float, strength: float) -> None:
        """`strength` 0 to 1: how much of the rain is falling."""
        big = np.zeros(img.shape[:2], np.uint8)
        for x, y, d in self.drops[: int(len(self.drops) * strength)]:
            py = (y + t * 1250 * d) % (self.h + 80) - 40
            px = (x - t * 190 * d) % (self.w * 1.2) - self.w * 0.1
            p = (int(px * 8), int(py * 8))
            q = (int((px - 5 * d) * 8), int((py + 34 * d) * 8))
            cv2.line(big, p, q, int(70 + 60 * d), 1, cv2.LINE_AA, 3)
        a = big.astype(np.float32)[..., None] / 255 * 0.75
        img *= 1 - a
        img += a * rgb("#dbe8f2")

    def splash(self, img: Picture, y0: float, y1: float, t: float, strength: float) -> None:
        for x, d, rate, phase in self.rings[: int(len(self.rings) * strength)]:
            k = (t * rate + phase) % 1
            y = y0 + (y1 - y0) * d
            r = (6 + 34 * k) * (0.4 + 0.8 * d)
            a = np.linspace(0, 2 * np.pi, 30)
            loop = np.stack([x + r * np.cos(a), y + r * 0.3 * np.sin(a)], -1)
            draw(img, stroke(loop, np.full(30, 1.6)), "#e6f1f7", 0.5 * float(1 - k))


class Stars:
    """Stars that twinkle."""

    def __init__(self, w: int, h: int, count: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.all = [
            (rng.uniform(0, w), h * rng.uniform() ** 1.4, rng.uniform(0.8, 2.0), rng.uniform(0, 6.3))
            for _ in range(count)
        ]

    def draw(self, img: Picture, t: float) -> None:
        for x, y, r, phase in self.all:
            a = 0.55 + 0.4 * np.sin(2.2 * t + phase)
            draw(img, [(x - r, y), (x, y - r), (x + r, y), (x, y + r)], "#fdf3d6", float(a))
