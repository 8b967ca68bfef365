"""What floats and flies by hand of man: the paper boat, sailing boats, the balloon."""

from __future__ import annotations

import numpy as np

from sample.film.paint import (
    Picture,
    code,
    curve,
    draw,
    ellipse,
    layer,
    mix_hex,
    ramp,
    rgb,
    stamp,
    stroke,
    textured,
)


class Boat:
    """The folded red paper boat; `size` is its length in pixels."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.unit = u = size / 300
        self.sprite = layer(int(320 * u), int(180 * u))
        self.foot = (160 * u, 163 * u)

        def face(points: list[tuple[float, float]], near: str, far: str, seed: int) -> None:
            p = [((x + 10) * u, (y + 10) * u) for x, y in points]
            ys = [b for _, b in p]
            draw(
                self.sprite,
                p,
                textured(ramp([(min(ys), near), (max(ys), far)]), 0.07, (60 * u, 60 * u), seed),
            )

        face([(150, 0), (84, 108), (150, 108)], "#f6604a", "#e04432", 1)
        face([(150, 0), (216, 108), (150, 108)], "#c93528", "#a82720", 2)
        face(
            [(0, 52), (104, 104), (150, 96), (196, 104), (300, 52), (206, 122), (94, 122)],
            "#8d1d1a",
            "#7c1816",
            3,
        )
        face([(0, 52), (104, 106), (66, 158)], "#ff7a5f", "#f05a45", 4)
        face([(104, 106), (196, 106), (234, 158), (66, 158)], "#ea4c3a", "#c8352a", 5)
        face([(300, 52), (196, 106), (234, 158)], "#bf3127", "#9c231e", 6)
        for a, b in [
            ((0, 52), (104, 106)),
            ((104, 106), (196, 106)),
            ((300, 52), (196, 106)),
            ((150, 0), (84, 108)),
            ((104, 106), (66, 158)),
        ]:
            p = np.array([a, b], np.float32) * u + 10 * u
            draw(self.sprite, stroke(p, [1.6 * u, 1.0 * u]), "#ffb9a4", 0.75)
        draw(
            self.sprite, stroke(np.array([(150, 4), (150, 96)]) * u + 10 * u, [1.4 * u] * 2), "#8d1d1a", 0.35
        )

    def sail(
        self,
        img: Picture,
        x: float,
        y: float,
        t: float,
        tint: str = "#ffffff",
        wake: str = "#fff6e4",
        wake_alpha: float = 0.5,
        speed: float = 1.0,
    ) -> tuple[float, float]:
        """Draw the boat afloat with its foot near (x, y), its mirror and its wake; returns its top."""
        u, light = self.unit, rgb(tint)
        y += 2.6 * u**0.5 * np.sin(2.3 * t)
        roll = 0.035 * np.sin(1.7 * t + 0.6)
        stamp(img, self.sprite, (x, y + 3 * u), self.foot, -roll, (1, -0.72), 0.34, light * 0.8)
        draw(img, ellipse(x, y + 5 * u, 112 * u, 11 * u), "#0c1f2c", 0.34, blur=max(1.0, 6 * u))
        stamp(img, self.sprite, (x, y + 5 * u), self.foot, roll, tint=light)
        for k in range(3):
            grow = (t * 0.45 * speed + k / 3) % 1
            a = np.linspace(0.55, 2 * np.pi - 0.55, 40)
            loop = np.stack(
                [
                    x - 46 * u * grow * speed + (96 + 90 * grow) * u * np.cos(a),
                    y + (2 + 3 * grow) * u + (9 + 17 * grow) * u * np.sin(a),
                ],
                -1,
            )
            loop = loop[loop[:, 1] > y - 1 * u]
            if len(loop) > 3:
                taper = np.sin(np.linspace(0, np.pi, len(loop))) * 3.0 * u**0.5
                draw(img, stroke(loop, taper), wake, wake_alpha * float(1 - grow))
        line = np.stack(
            [
                np.linspace(x - 88 * u, x + 88 * u, 24),
                y + 7 * u + 1.2 * u * np.sin(np.arange(24) * 1.1 + 5 * t),
            ],
            -1,
        )
        draw(img, stroke(line, np.sin(np.linspace(0, np.pi, 24)) * 3.4 * u), wake, min(1, wake_alpha * 1.5))
        return (x + 150 * u * np.sin(roll), y - 150 * u)


def sailboat(dst: Picture, x: float, y: float, s: float, hull: str, sail: str) -> None:
    """A moored sailing boat, foot at (x, y)."""
    draw(
        dst,
        curve(
            [
                (x - 80 * s, y - 26 * s),
                (x - 62 * s, y),
                (x + 50 * s, y),
                (x + 88 * s, y - 30 * s),
                (x, y - 22 * s),
            ],
            6,
        ),
        ramp([(y - 30 * s, hull), (y, mix_hex(hull, "#000000", 0.4))]),
    )
    draw(
        dst, stroke(np.array([(x - 76 * s, y - 22 * s), (x + 82 * s, y - 25 * s)]), [3.5 * s] * 2), "#fff3dd"
    )
    draw(dst, stroke(np.array([(x, y - 22 * s), (x, y - 215 * s)]), [5 * s, 3 * s]), "#5b3f2b")
    draw(
        dst,
        curve(
            [
                (x + 5 * s, y - 208 * s),
                (x + 42 * s, y - 130 * s),
                (x + 72 * s, y - 44 * s),
                (x + 5 * s, y - 40 * s),
            ],
            3,
        ),
        textured(ramp([(x, sail), (x + 72 * s, mix_hex(sail, "#5a3c46", 0.35))], True), 0.04, (40, 90), 5),
    )
    draw(
        dst,
        [(x - 5 * s, y - 200 * s), (x - 5 * s, y - 46 * s), (x - 60 * s, y - 42 * s)],
        mix_hex(sail, "#7a5560", 0.22),
    )


def balloon(size: int) -> Picture:
    """A sprite: striped hot-air balloon, `size` pixels tall, with its basket."""
    u = size / 300
    sprite, cx, cy = layer(int(220 * u), int(310 * u)), 110 * u, 104 * u
    stripes = ["#e8503a", "#fff1d2", "#2f7f93", "#fff1d2", "#f0a52c", "#fff1d2", "#e8503a", "#fff1d2"]
    k = np.linspace(0, 1, 40)
    half = np.where(k < 0.55, np.sqrt(np.clip(1 - ((k - 0.42) / 0.42) ** 2, 0, 1)), np.nan)
    half = np.where(k < 0.42, half, np.clip(np.cos((k - 0.42) / 0.58 * 1.38), 0.16, 1))
    ys = 8 * u + 206 * u * k
    edges = np.sin(np.linspace(-np.pi / 2, np.pi / 2, 9))
    for n in range(8):
        left, right = cx + 98 * u * half * edges[n], cx + 98 * u * half * edges[n + 1]
        outline = np.vstack([np.stack([left, ys], -1), np.stack([right, ys], -1)[::-1]])
        lit = 1.08 - 0.62 * abs((n - 2.4) / 5.6)
        c = np.clip(rgb(stripes[n]) * lit, 0, 1)
        draw(sprite, outline, ramp([(8 * u, code(c)), (214 * u, code(c * 0.72))]))
    a = sprite[..., 3].copy()
    draw(sprite, ellipse(cx - 34 * u, cy - 38 * u, 30 * u, 44 * u, 0.35), "#ffffff", 0.34, blur=15 * u)
    sprite *= np.where(
        sprite[..., 3:] > 0, np.minimum(a, 1)[..., None] / np.maximum(sprite[..., 3:], 1e-4), 0
    )
    for side in (-1, -0.35, 0.35, 1):
        draw(
            sprite,
            stroke(np.array([(cx + 15 * u * side, 212 * u), (cx + 14 * u * side, 262 * u)]), [1.5 * u] * 2),
            "#4b3424",
        )
    weave = textured(ramp([(cx - 18 * u, "#b98147"), (cx + 18 * u, "#6d4320")], True), 0.2, (6, 5), 4)
    draw(
        sprite,
        [(cx - 18 * u, 260 * u), (cx + 18 * u, 260 * u), (cx + 14 * u, 290 * u), (cx - 14 * u, 290 * u)],
        weave,
    )
    draw(sprite, stroke(np.array([(cx - 20 * u, 260 * u), (cx + 20 * u, 260 * u)]), [5 * u] * 2), "#8a5a2d")
    return sprite
