"""What is built: windmill, lighthouse, houses and their windows, stone walls."""

from __future__ import annotations

import numpy as np

from sample.film.paint import (
    Picture,
    curve,
    draw,
    ellipse,
    flat,
    glow,
    layer,
    mix,
    mix_hex,
    noise,
    ramp,
    rgb,
    stroke,
    textured,
)


def windmill_tower(dst: Picture, x: float, y: float, s: float) -> tuple[float, float]:
    """An old white windmill with its foot at (x, y); returns the hub of its sails."""
    draw(dst, ellipse(x + 60 * s, y - 2 * s, 120 * s, 12 * s), "#23401f", 0.4, blur=8 * s)
    body = [(x - 44 * s, y), (x + 44 * s, y), (x + 29 * s, y - 150 * s), (x - 29 * s, y - 150 * s)]
    draw(
        dst,
        body,
        textured(
            ramp([(x - 44 * s, "#fffaf0"), (x - 5 * s, "#f2e6d2"), (x + 44 * s, "#b39d86")], True),
            0.05,
            (30, 12),
            3,
        ),
    )
    cap = curve(
        [
            (x - 33 * s, y - 148 * s),
            (x - 22 * s, y - 178 * s),
            (x + 4 * s, y - 192 * s),
            (x + 26 * s, y - 176 * s),
            (x + 35 * s, y - 148 * s),
        ],
        8,
    )
    draw(dst, cap, ramp([(x - 33 * s, "#a9603c"), (x + 35 * s, "#5f2f20")], True))
    door = curve(
        [
            (x - 12 * s, y),
            (x - 12 * s, y - 30 * s),
            (x, y - 42 * s),
            (x + 12 * s, y - 30 * s),
            (x + 12 * s, y),
        ],
        6,
    )
    draw(dst, door, "#6b4028")
    for wy in (80, 118):
        draw(dst, ellipse(x - 3 * s, y - wy * s, 8 * s, 11 * s), "#3f5669")
        draw(
            dst, stroke(np.array([(x - 11 * s, y - wy * s), (x + 5 * s, y - wy * s)]), [2 * s] * 2), "#fff8ea"
        )
    return x - 4 * s, y - 166 * s


def windmill_sails(s: float) -> Picture:
    """Four lattice sails around the middle of a square sprite."""
    n = int(300 * s)
    sprite, c = layer(n, n), n / 2
    for k in range(4):
        co, si = np.cos(k * np.pi / 2), np.sin(k * np.pi / 2)

        def at(px: float, py: float, co: float = co, si: float = si) -> tuple[float, float]:
            return c + (px * co - py * si) * s, c + (px * si + py * co) * s

        draw(sprite, [at(28, 3), at(140, 3), at(140, 31), at(28, 27)], "#fbf3e2", 0.93)
        for q in range(6):
            draw(sprite, stroke(np.array([at(30 + 22 * q, 2), at(30 + 22 * q, 30)]), [2 * s] * 2), "#7a5a44")
        draw(sprite, stroke(np.array([at(28, 16), at(140, 16)]), [1.6 * s] * 2), "#7a5a44")
        draw(sprite, stroke(np.array([at(0, 0), at(144, 0)]), [6 * s, 4 * s]), "#5e4030")
    draw(sprite, ellipse(c, c, 9 * s, 9 * s), ramp([(c - 9 * s, "#8b6248"), (c + 9 * s, "#3c271c")]))
    return sprite


def lighthouse(dst: Picture, x: float, y: float, s: float) -> tuple[float, float]:
    """A white lighthouse with two red bands, its foot at (x, y); returns its lamp."""

    def wide(k: float) -> float:
        return (58 - 24 * k) * s

    def ring(k0: float, k1: float, light: str, mid: str, dark: str, seed: int) -> None:
        y0, y1 = y - 470 * s * k0, y - 470 * s * k1
        shape = [(x - wide(k0), y0), (x + wide(k0), y0), (x + wide(k1), y1), (x - wide(k1), y1)]
        tone = ramp([(x - wide(k0), light), (x - 10 * s, mid), (x + wide(k0), dark)], True)
        draw(dst, shape, textured(tone, 0.05, (40, 16), seed))

    ring(0, 1, "#fffdf6", "#f6ead8", "#a9968c", 1)
    ring(0.24, 0.42, "#ef6a50", "#d94733", "#86271f", 2)
    ring(0.64, 0.82, "#ef6a50", "#d94733", "#86271f", 3)
    for k in (0.14, 0.53, 0.72):
        wy = y - 470 * s * k
        draw(
            dst,
            curve(
                [
                    (x - 20 * s, wy),
                    (x - 20 * s, wy - 22 * s),
                    (x - 12 * s, wy - 30 * s),
                    (x - 4 * s, wy - 22 * s),
                    (x - 4 * s, wy),
                ],
                5,
            ),
            "#3b4b5d",
        )
    top = y - 470 * s
    draw(
        dst,
        [(x - 50 * s, top), (x + 50 * s, top), (x + 44 * s, top - 12 * s), (x - 44 * s, top - 12 * s)],
        ramp([(x - 50 * s, "#5a6472"), (x + 50 * s, "#262d38")], True),
    )
    draw(
        dst,
        [
            (x - 25 * s, top - 12 * s),
            (x + 25 * s, top - 12 * s),
            (x + 25 * s, top - 62 * s),
            (x - 25 * s, top - 62 * s),
        ],
        ramp([(top - 62 * s, "#ffe9a8"), (top - 12 * s, "#ffc861")]),
    )
    for px in (-25, -9, 9, 25):
        draw(
            dst,
            stroke(np.array([(x + px * s, top - 12 * s), (x + px * s, top - 62 * s)]), [3 * s] * 2),
            "#38414d",
        )
    for px in range(-48, 49, 16):
        draw(
            dst,
            stroke(np.array([(x + px * s, top - 10 * s), (x + px * s, top - 32 * s)]), [2 * s] * 2),
            "#38414d",
        )
    draw(
        dst,
        stroke(np.array([(x - 49 * s, top - 32 * s), (x + 49 * s, top - 32 * s)]), [3 * s] * 2),
        "#38414d",
    )
    dome = curve(
        [
            (x - 32 * s, top - 60 * s),
            (x - 22 * s, top - 86 * s),
            (x, top - 100 * s),
            (x + 22 * s, top - 86 * s),
            (x + 32 * s, top - 60 * s),
        ],
        8,
        False,
    )
    draw(dst, dome, ramp([(x - 32 * s, "#e2553f"), (x + 32 * s, "#7d241c")], True))
    draw(dst, stroke(np.array([(x, top - 98 * s), (x, top - 124 * s)]), [4 * s, 2 * s]), "#38414d")
    return x, top - 38 * s


def house(
    dst: Picture, x: float, y: float, w: float, h: float, wall: str, roof: str, seed: int
) -> list[tuple[float, float, float, float]]:
    """A gabled house with its foot at (x, y); returns its windows as (x, y, width, height)."""
    rng = np.random.default_rng(seed)
    tone = ramp([(x, mix_hex(wall, "#ffffff", 0.12)), (x + w, mix_hex(wall, "#000000", 0.28))], True)
    draw(dst, [(x, y), (x + w, y), (x + w, y - h), (x, y - h)], textured(tone, 0.06, (24, 10), seed))
    peak = h * 0.32 + w * 0.12
    if rng.uniform() < 0.6:
        cx = x + w * rng.choice([0.25, 0.72])
        draw(
            dst,
            [
                (cx, y - h),
                (cx + w * 0.11, y - h),
                (cx + w * 0.11, y - h - peak * 0.95),
                (cx, y - h - peak * 0.95),
            ],
            mix_hex(roof, "#000000", 0.3),
        )
    roof_line = [(x - w * 0.06, y - h + 3), (x + w * 0.5, y - h - peak), (x + w * 1.06, y - h + 3)]
    draw(
        dst,
        roof_line,
        textured(
            ramp([(x, mix_hex(roof, "#ffffff", 0.14)), (x + w, mix_hex(roof, "#000000", 0.3))], True),
            0.1,
            (14, 5),
            seed + 1,
        ),
    )
    cols, rows = max(2, int(w / 44)), max(2, int(h / 66))
    windows = []
    for r in range(rows):
        for c in range(cols):
            ww, wh = w / cols * 0.42, h / rows * 0.46
            wx, wy = x + w / cols * (c + 0.5) - ww / 2, y - h + h / rows * (r + 0.28)
            draw(
                dst,
                [(wx - 3, wy - 3), (wx + ww + 3, wy - 3), (wx + ww + 3, wy + wh + 3), (wx - 3, wy + wh + 3)],
                mix_hex(wall, "#ffffff", 0.4),
            )
            draw(
                dst,
                [(wx, wy), (wx + ww, wy), (wx + ww, wy + wh), (wx, wy + wh)],
                ramp([(wy, "#2d3d50"), (wy + wh, "#516579")]),
            )
            windows.append((wx, wy, ww, wh))
    return windows


def lit_window(img: Picture, box: tuple[float, float, float, float], k: float) -> None:
    """Light a window, `k` 0 dark to 1 full."""
    x, y, w, h = box
    draw(img, [(x, y), (x + w, y), (x + w, y + h), (x, y + h)], ramp([(y, "#ffe9a3"), (y + h, "#ffb04a")]), k)
    draw(img, stroke(np.array([(x + w / 2, y), (x + w / 2, y + h)]), [1.8] * 2), "#6b4320", 0.8 * k)
    draw(img, stroke(np.array([(x, y + h * 0.45), (x + w, y + h * 0.45)]), [1.8] * 2), "#6b4320", 0.8 * k)
    glow(img, x + w / 2, y + h / 2, w * 1.9, "#ffb95a", 0.34 * k)


def stones(w: int, h: int, seed: int, light: str, dark: str, rows: int) -> Picture:
    """A picture of a wall of rounded stones."""
    rng = np.random.default_rng(seed)
    wall = layer(w, h)
    draw(
        wall,
        [(0, 0), (w, 0), (w, h), (0, h)],
        textured(flat(mix(dark, "#000000", 0.45)), 0.2, (20, 20), seed),
    )
    tall = h / rows
    for r in range(rows):
        x = -rng.uniform(0, 60)
        while x < w:
            wide = rng.uniform(0.9, 2.1) * tall
            x0, x1, y0, y1 = x + 2, x + wide - 2, r * tall + 2, (r + 1) * tall - 2
            j = rng.uniform(-3, 3, (8, 2))
            q = tall * 0.2
            shape = (
                np.array(
                    [
                        (x0 + q, y0),
                        (x1 - q, y0),
                        (x1, y0 + q),
                        (x1, y1 - q),
                        (x1 - q, y1),
                        (x0 + q, y1),
                        (x0, y1 - q),
                        (x0, y0 + q),
                    ]
                )
                + j
            )
            base = mix_hex(dark, light, rng.uniform(0.35, 1))
            tone = ramp(
                [
                    (y0, mix_hex(base, "#ffffff", 0.22)),
                    (y0 + tall * 0.3, base),
                    (y1, mix_hex(base, "#000000", 0.34)),
                ]
            )
            draw(wall, curve(shape, 5), textured(tone, 0.14, (18, 14), int(rng.integers(1_000_000))))
            x += wide
    moss = noise(w, h, (120, 90), seed + 7)
    a = (np.clip((moss - 0.55) * 4, 0, 1) * 0.4)[..., None]
    wall[..., :3] = wall[..., :3] * (1 - a) + rgb("#6d8a3f") * wall[..., 3:] * a
    return wall
