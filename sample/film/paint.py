"""A small painter: antialiased shapes, gradients, noise, glow, sprites and water, in numpy and OpenCV.

Pictures are float32 arrays of light between 0 and 1: (height, width, 3) for a finished
picture, (height, width, 4) with colour premultiplied by alpha for a layer. Everything
random takes a seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.float32]
Shader = Callable[[Picture, Picture], Picture]
"""Colour at every (x, y): two (h, w) grids in, (h, w, 3) out."""
Points = Sequence[tuple[float, float]] | npt.NDArray[np.floating]

WIDTH, HEIGHT, FPS = 1280, 720, 25
SAMPLES = 3
"""Shapes are cut out at this many times the resolution, then averaged."""


def rgb(code: str) -> Picture:
    """`#ff8800` as light between 0 and 1."""
    return np.array([int(code[i : i + 2], 16) / 255 for i in (1, 3, 5)], np.float32)


def mix(a: Picture | str, b: Picture | str, k: float) -> Picture:
    """`k` of the way from colour `a` to colour `b`."""
    one = rgb(a) if isinstance(a, str) else a
    two = rgb(b) if isinstance(b, str) else b
    return (one * (1 - k) + two * k).astype(np.float32)


def code(color: Picture) -> str:
    """The inverse of `rgb`."""
    return "#" + "".join(f"{round(min(1.0, max(0.0, float(v))) * 255):02x}" for v in color)


def mix_hex(a: str, b: str, k: float) -> str:
    """`mix`, as a colour code."""
    return code(mix(a, b, k))


def smooth(x: npt.ArrayLike, low: float = 0.0, high: float = 1.0) -> Picture:
    """0 below `low`, 1 above `high`, an S-curve between."""
    k = np.clip((np.asarray(x, np.float32) - low) / (high - low), 0, 1)
    return np.asarray(k * k * (3 - 2 * k), np.float32)


# --- shaders ---------------------------------------------------------------------------


def flat(color: str | Picture) -> Shader:
    c = rgb(color) if isinstance(color, str) else color
    return lambda x, _y: np.broadcast_to(c, (*x.shape, 3))


def ramp(stops: Sequence[tuple[float, str]], across: bool = False) -> Shader:
    """Gradient through (position, colour) stops, downwards, or to the right if `across`."""
    at = [s[0] for s in stops]
    colors = np.stack([rgb(s[1]) for s in stops])

    def shade(x: Picture, y: Picture) -> Picture:
        line = x[0] if across else y[:, 0]
        table = np.stack([np.interp(line, at, colors[:, c]) for c in range(3)], -1).astype(np.float32)
        return np.broadcast_to(table[None] if across else table[:, None], (*x.shape, 3))

    return shade


def textured(base: Shader, amount: float, cell: tuple[float, float], seed: int) -> Shader:
    """`base` with brush strokes: noise whose cells are (width, height) pixels."""

    def shade(x: Picture, y: Picture) -> Picture:
        h, w = x.shape
        grain = noise(w, h, cell, seed) - 0.5
        return (base(x, y) * (1 + amount * 2 * grain[..., None])).astype(np.float32)

    return shade


def noise(w: int, h: int, cell: tuple[float, float], seed: int, octaves: int = 4) -> Picture:
    """Fractal noise between 0 and 1 with mean 0.5; `cell` is the largest grain, pixels."""
    rng = np.random.default_rng(seed)
    total, weight = np.zeros((h, w), np.float32), 0.0
    for k in range(octaves):
        size = (max(2, int(w * 2**k / cell[0]) + 2), max(2, int(h * 2**k / cell[1]) + 2))
        grid = rng.random((min(size[1], h), min(size[0], w)), np.float32)
        total += cv2.resize(grid, (w, h), interpolation=cv2.INTER_CUBIC) * 0.5**k
        weight += 0.5**k
    return np.asarray(np.clip(total / weight, 0, 1), np.float32)


# --- shapes ----------------------------------------------------------------------------


def layer(w: int = WIDTH, h: int = HEIGHT) -> Picture:
    """An empty transparent layer."""
    return np.zeros((h, w, 4), np.float32)


def canvas(shader: Shader, w: int = WIDTH, h: int = HEIGHT) -> Picture:
    """A picture filled by `shader`."""
    x, y = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
    return shader(x, y).astype(np.float32).copy()


def curve(points: Points, steps: int = 12, closed: bool = True) -> npt.NDArray[np.float32]:
    """Catmull-Rom spline through `points`."""
    p = np.asarray(points, np.float32)
    p = np.vstack([p[-1:], p, p[:2]]) if closed else np.vstack([p[:1], p, p[-1:]])
    t = np.linspace(0, 1, steps, endpoint=False, dtype=np.float32)[:, None]
    pieces = []
    for a, b, c, d in zip(p[:-3], p[1:-2], p[2:-1], p[3:], strict=True):
        bend = (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t**3
        pieces.append(0.5 * (2 * b + (c - a) * t + bend))
    return np.vstack(pieces) if closed else np.vstack([*pieces, p[-2:-1]])


def ellipse(cx: float, cy: float, rx: float, ry: float, turn: float = 0.0) -> npt.NDArray[np.float32]:
    """Outline of an ellipse turned by `turn` radians."""
    a = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    x, y = rx * np.cos(a), ry * np.sin(a)
    c, s = np.cos(turn), np.sin(turn)
    return np.stack([cx + c * x - s * y, cy + s * x + c * y], -1).astype(np.float32)


def stroke(points: Points, widths: Sequence[float] | npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
    """Outline of a line through `points` with a width at each of them."""
    p = np.asarray(points, np.float32)
    tangent = np.gradient(p, axis=0)
    normal = np.stack([-tangent[:, 1], tangent[:, 0]], -1)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True) + 1e-6
    half = np.asarray(widths, np.float32)[:, None] / 2
    return np.vstack([p + normal * half, (p - normal * half)[::-1]])


def draw(
    dst: Picture, points: Points, paint: Shader | str | Picture, alpha: float = 1.0, blur: float = 0.0
) -> None:
    """Fill an outline on a picture or layer; `blur` is the softness of its edge, pixels."""
    p = np.asarray(points, np.float32)
    pad = int(3 * blur) + 2
    x0, y0 = np.maximum(np.floor(p.min(0)).astype(int) - pad, 0)
    x1, y1 = np.minimum(np.ceil(p.max(0)).astype(int) + pad, (dst.shape[1], dst.shape[0]))
    if x1 <= x0 or y1 <= y0:
        return
    big = np.zeros(((y1 - y0) * SAMPLES, (x1 - x0) * SAMPLES), np.uint8)
    fixed = np.round((p - (x0, y0)) * SAMPLES * 16).astype(np.int32)
    cv2.fillPoly(big, [fixed], 255, cv2.LINE_AA, 4)
    cover = cv2.resize(big, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    if blur:
        cover = cv2.GaussianBlur(cover, (0, 0), blur)
    shader = paint if callable(paint) else flat(paint)
    x, y = np.meshgrid(np.arange(x0, x1, dtype=np.float32), np.arange(y0, y1, dtype=np.float32))
    a = cover[..., None] * alpha
    part = dst[y0:y1, x0:x1]
    part *= 1 - a
    part[..., :3] += shader(x, y) * a
    if dst.shape[2] == 4:
        part[..., 3:] += a


def glow(dst: Picture, x: float, y: float, radius: float, color: str | Picture, strength: float) -> None:
    """Add light around a point, falling off to nothing at `radius`."""
    x0, y0 = max(0, int(x - radius)), max(0, int(y - radius))
    x1, y1 = min(dst.shape[1], int(x + radius) + 1), min(dst.shape[0], int(y + radius) + 1)
    if x1 <= x0 or y1 <= y0:
        return
    dx = np.arange(x0, x1, dtype=np.float32)[None] - x
    dy = np.arange(y0, y1, dtype=np.float32)[:, None] - y
    fall = np.clip(1 - np.sqrt(dx * dx + dy * dy) / radius, 0, 1) ** 2.2
    c = rgb(color) if isinstance(color, str) else color
    part = dst[y0:y1, x0:x1, :3]
    part += (1 - np.clip(part, 0, 1)) * (fall * strength)[..., None] * c


# --- layers and sprites ----------------------------------------------------------------


def over(dst: Picture, src: Picture, alpha: float = 1.0) -> None:
    """Lay a layer of the same size over a picture or layer."""
    dst *= 1 - src[..., 3:] * alpha
    dst += src[..., : dst.shape[2]] * alpha


def view(src: Picture, x: float, y: float, w: int = WIDTH, h: int = HEIGHT) -> Picture:
    """The w x h window of a wider layer whose corner is at (x, y); whole pixels are not needed."""
    move = np.array([[1, 0, -x], [0, 1, -y]], np.float32)
    window = cv2.warpAffine(src, move, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(window, np.float32)


def stamp(
    dst: Picture,
    sprite: Picture,
    at: tuple[float, float],
    pivot: tuple[float, float],
    turn: float = 0.0,
    scale: tuple[float, float] = (1.0, 1.0),
    alpha: float = 1.0,
    tint: Picture | None = None,
) -> None:
    """Lay a sprite so that its `pivot` is at `at`, scaled, then turned by `turn` radians."""
    h, w = sprite.shape[:2]
    c, s = np.cos(turn), np.sin(turn)
    m = np.array([[c * scale[0], -s * scale[1], 0], [s * scale[0], c * scale[1], 0]], np.float32)
    m[:, 2] = np.array(at, np.float32) - m[:, :2] @ np.array(pivot, np.float32)
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) @ m[:, :2].T + m[:, 2]
    x0, y0 = np.maximum(np.floor(corners.min(0)).astype(int) - 1, 0)
    x1, y1 = np.minimum(np.ceil(corners.max(0)).astype(int) + 1, (dst.shape[1], dst.shape[0]))
    if x1 <= x0 or y1 <= y0:
        return
    m[:, 2] -= (x0, y0)
    piece = cv2.warpAffine(sprite, m, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_LINEAR)
    if tint is not None:
        piece[..., :3] *= tint
    over(dst[y0:y1, x0:x1], piece, alpha)


def blurred(src: Picture, sigma: float) -> Picture:
    """Out of focus."""
    return np.asarray(cv2.GaussianBlur(src, (0, 0), sigma), np.float32)


def cloud(w: int, h: int, seed: int, light: str, shade: str, cover: float = 0.5) -> Picture:
    """A layer with one heap of cloud, lit from above."""
    body = noise(w, h, (w / 3.2, h / 2.2), seed, 5)
    x, y = np.meshgrid(np.linspace(-1, 1, w, dtype=np.float32), np.linspace(-1, 1, h, dtype=np.float32))
    heap = body + 0.55 * (1 - (x * x + np.where(y > 0, 2.6 * y * y, y * y))) - 0.55
    a = smooth(heap, 0.5 - 0.35 * cover, 0.74 - 0.35 * cover) * smooth(
        1 - np.maximum(abs(x), abs(y)), 0, 0.25
    )
    lower = cv2.GaussianBlur(np.roll(heap, h // 7, 0), (0, 0), h / 26)
    lit = smooth(heap - lower, -0.22, 0.2)[..., None]
    colors = rgb(shade) * (1 - lit) + rgb(light) * lit
    return np.dstack([colors * a[..., None], a]).astype(np.float32)


class Water:
    """Moving water: a rippled mirror of what stands above it, tinted by depth, with glints."""

    def __init__(
        self,
        w: int,
        h: int,
        seed: int,
        top: str,
        bottom: str,
        mirror: float = 0.62,
        ripple: float = 5.0,
        glint: str = "#fff4d8",
        sparkle: float = 0.5,
    ) -> None:
        x, y = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
        self.x, self.y, self.ripple, self.sparkle = x, y, ripple, sparkle
        self.near = (y + 1) / h
        far = 1 / (0.12 + self.near)
        rough = noise(w, h, (190, 34), seed, 3) * 9
        self.one = far * 17 + x * 0.006 * far**0.5 + rough
        self.two = far * 31 - x * 0.011 * far**0.5 + rough * 1.7 + 2
        self.tint = rgb(top) + (rgb(bottom) - rgb(top)) * smooth(self.near)[..., None]
        self.keep = (mirror * (1 - 0.55 * self.near))[..., None]
        self.glint = rgb(glint)

    def flow(self, img: Picture, y0: int, t: float) -> None:
        """Draw the water into `img` from row `y0` down, at time `t` seconds."""
        waves = np.sin(self.one - 2.1 * t) + 0.7 * np.sin(self.two + 2.9 * t)
        amount = self.ripple * (0.15 + 1.6 * self.near)
        rows = y0 - 1 - self.y * 0.92 + waves * amount * 0.9
        seen = cv2.remap(
            img[:y0], self.x + waves * amount * 0.5, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101
        )
        out = seen * self.keep + self.tint * (1 - self.keep)
        out *= (1 + 0.07 * waves * (0.3 + self.near))[..., None]
        crest = smooth(waves, 1.25, 1.68)[..., None] * self.sparkle * (0.25 + 0.75 * self.near)[..., None]
        h = self.y.shape[0]
        img[y0 : y0 + h] = out * (1 - crest) + self.glint * crest
