"""Who plays: dragonfly, cat, gulls, and somebody with a yellow umbrella."""

from __future__ import annotations

import numpy as np

from sample.film.paint import (
    Picture,
    curve,
    draw,
    ellipse,
    mix_hex,
    ramp,
    stroke,
)


def dragonfly(img: Picture, x: float, y: float, size: float, t: float) -> None:
    """A blue dragonfly seen from the side, facing left."""
    beat = np.sin(t * 55)
    for root, lift in ((-4, 0.95), (6, 0.55)):
        tip = (x + root + size * 0.34, y - size * (0.42 + 0.24 * beat) * lift)
        base = (x + root, y - 3)
        mid = ((tip[0] + base[0]) / 2 + size * 0.12, (tip[1] + base[1]) / 2 + size * 0.08)
        wing = curve(
            [base, ((base[0] + tip[0]) / 2 - size * 0.07, (base[1] + tip[1]) / 2 - size * 0.06), tip, mid], 8
        )
        draw(img, wing, "#eefaff", 0.62)
        draw(img, stroke(np.array([base, tip]), [2.4, 0.8]), "#7fb4cf", 0.7)
    tail = np.array([(x + 8, y), (x + size * 0.4, y - 3), (x + size * 0.8, y + 3)])
    draw(
        img,
        stroke(curve(tail, 8, False), np.linspace(8, 4, 17)),
        ramp([(x, "#1f7fb8"), (x + size, "#3fc1dd")], True),
    )
    for k in range(4):
        bx = x + size * (0.25 + 0.14 * k)
        draw(img, ellipse(bx, y - 1, 1.8, 4), "#123a5c", 0.7)
    draw(img, ellipse(x, y, 13, 9, -0.15), ramp([(y - 8, "#4cc6e2"), (y + 8, "#155a87")]))
    draw(img, ellipse(x - 15, y - 1, 8, 8), ramp([(y - 8, "#57c98f"), (y + 7, "#0e5a4a")]))
    draw(img, ellipse(x - 17, y - 4, 2.4, 2), "#ffffff", 0.9)


def cat(img: Picture, x: float, y: float, s: float, t: float, look: float, blink: bool) -> None:
    """A black cat that sits on a wall; its haunches rest at (x, y). `look` -1 left to 1 right."""
    fur = ramp([(y - 210 * s, "#3b3a4d"), (y - 60 * s, "#23222f"), (y, "#15141d")])

    def at(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
        return [(x + px * s, y + py * s) for px, py in points]

    sway = np.sin(1.9 * t)
    k = np.linspace(0, 1, 20)
    tail = np.stack(
        [
            x + (66 + 26 * np.sin(k * 3.1) + 34 * k * k * sway) * s,
            y + (-16 + 150 * k - 26 * k**3 * (1 + sway)) * s,
        ],
        -1,
    )
    draw(img, tail_outline := stroke(tail, (19 - 7 * k) * s * np.minimum(1, 0.35 + 6 * (1 - k))), fur)
    draw(img, tail_outline - np.array((2 * s, 0)), "#6a6785", 0.10)
    body = at(
        [
            (-58, 0),
            (-62, -46),
            (-46, -104),
            (-24, -140),
            (22, -142),
            (44, -112),
            (76, -66),
            (86, -22),
            (78, 2),
            (0, 6),
        ]
    )
    draw(img, curve(body, 10), fur)
    draw(
        img,
        curve(at([(-56, -30), (-52, -80), (-36, -118), (-42, -70), (-48, -30)]), 8),
        "#8a86a8",
        0.28,
        blur=3 * s,
    )
    draw(img, curve(at([(30, 0), (28, -40), (52, -58), (76, -36), (80, 0)]), 8), "#2e2c3c", 0.9, blur=1.5 * s)
    for px in (-40, -8):
        draw(
            img,
            curve(at([(px - 15, 4), (px - 13, -62), (px + 13, -62), (px + 15, 4), (px, 9)]), 8),
            "#1c1b26",
        )
        draw(
            img,
            ellipse(x + px * s, y + 2 * s, 19 * s, 9 * s),
            ramp([(y - 8 * s, "#33313f"), (y + 10 * s, "#15141d")]),
        )
    hx, hy = x + (-14 + 8 * look) * s, y + (-168 + 2 * np.sin(1.1 * t)) * s
    for side in (-1, 1):
        ear = [
            (hx + side * 16 * s, hy - 34 * s),
            (hx + side * 42 * s, hy - 82 * s),
            (hx + side * 53 * s, hy - 18 * s),
        ]
        draw(img, curve(ear, 3), "#262531")
        inner = [
            (hx + side * 27 * s, hy - 38 * s),
            (hx + side * 41 * s, hy - 66 * s),
            (hx + side * 46 * s, hy - 26 * s),
        ]
        draw(img, inner, "#b5747c", 0.8, blur=s)
    head = [
        (hx - 56 * s, hy),
        (hx - 44 * s, hy - 36 * s),
        (hx, hy - 48 * s),
        (hx + 44 * s, hy - 36 * s),
        (hx + 56 * s, hy),
        (hx + 38 * s, hy + 30 * s),
        (hx, hy + 40 * s),
        (hx - 38 * s, hy + 30 * s),
    ]
    draw(img, curve(head, 8), ramp([(hy - 50 * s, "#474559"), (hy + 40 * s, "#1d1c27")]))
    fx = hx + 7 * look * s
    for side in (-1, 1):
        ex, ey = fx + side * 22 * s, hy - 4 * s
        if blink:
            draw(
                img,
                stroke(
                    curve([(ex - 13 * s, ey), (ex, ey + 6 * s), (ex + 13 * s, ey)], 6, False),
                    np.full(13, 3 * s),
                ),
                "#0b0a10",
            )
            continue
        draw(img, ellipse(ex, ey, 14 * s, 13 * s), ramp([(ey - 13 * s, "#f7d94c"), (ey + 13 * s, "#b9a31f")]))
        draw(img, ellipse(ex + 6 * look * s, ey + 2 * s, 4.4 * s, 11 * s), "#0b0a10")
        draw(img, ellipse(ex + (6 * look - 4) * s, ey - 5 * s, 3 * s, 3 * s), "#ffffff", 0.95)
    draw(img, [(fx - 6 * s, hy + 11 * s), (fx + 6 * s, hy + 11 * s), (fx, hy + 18 * s)], "#d98c92")
    mouth = curve(
        [
            (fx - 12 * s, hy + 23 * s),
            (fx - 5 * s, hy + 26 * s),
            (fx, hy + 19 * s),
            (fx + 5 * s, hy + 26 * s),
            (fx + 12 * s, hy + 23 * s),
        ],
        5,
        False,
    )
    draw(img, stroke(mouth, np.full(len(mouth), 2 * s)), "#77738c")
    for side in (-1, 1):
        for d in (-4, 3, 10):
            line = curve(
                [
                    (fx + side * 16 * s, hy + 17 * s),
                    (fx + side * 46 * s, hy + (12 + d) * s),
                    (fx + side * 78 * s, hy + (10 + 2.2 * d) * s),
                ],
                5,
                False,
            )
            draw(img, stroke(line, np.linspace(1.8, 0.5, len(line)) * s), "#d6d4e4", 0.65)
    collar = curve([(hx - 34 * s, hy + 33 * s), (hx, hy + 48 * s), (hx + 34 * s, hy + 33 * s)], 6, False)
    draw(img, stroke(collar, np.full(len(collar), 9 * s)), "#c8402f")
    draw(
        img,
        ellipse(hx + 2 * s, hy + 52 * s, 7 * s, 7 * s),
        ramp([(hy + 45 * s, "#ffe27a"), (hy + 60 * s, "#b27d14")]),
    )


def gull(img: Picture, x: float, y: float, size: float, t: float, color: str = "#ffffff") -> None:
    """A gull on the wing."""
    flap = 0.5 * np.sin(t)
    for side in (-1, 1):
        elbow = (x + side * size * 0.45, y - size * (0.24 + 0.22 * flap))
        tip = (x + side * size, y - size * (0.05 - 0.5 * flap))
        wing = curve([(x, y), elbow, tip], 8, False)
        draw(img, stroke(wing, np.linspace(size * 0.17, 0.8, len(wing))), color)
        draw(img, stroke(wing[-6:], np.linspace(size * 0.07, 0.8, 6)), "#4a4f5c", 0.9)
    draw(img, ellipse(x, y + size * 0.03, size * 0.13, size * 0.1), color)


def umbrella(img: Picture, x: float, y: float, s: float, opened: float, t: float) -> None:
    """A yellow umbrella whose handle is held at (x, y); `opened` 0 shut to 1 open."""
    wide, tall = (12 + 118 * opened) * s, (118 - 52 * opened) * s
    top = y - (128 + 30 * opened) * s
    sway = 2.5 * s * np.sin(1.3 * t)
    draw(img, stroke(np.array([(x, y + 14 * s), (x + sway, top - 12 * s)]), [5 * s, 4 * s]), "#4c3a2c")
    hook = curve(
        [(x, y + 12 * s), (x + 1 * s, y + 24 * s), (x + 10 * s, y + 26 * s), (x + 13 * s, y + 18 * s)],
        6,
        False,
    )
    draw(img, stroke(hook, np.full(len(hook), 5 * s)), "#4c3a2c")
    tips = [(-1 + 2 * k / 6) for k in range(7)]
    reds = ["#ffd23a", "#ffdf62", "#fbc52a", "#f4b716", "#e6a30e", "#d08e0a"]
    cx = x + sway
    low = top + tall

    def edge(k: float) -> tuple[float, float]:
        return cx + wide * np.sin(k * np.pi / 2), low - tall * 0.10 * abs(k) + 2

    if opened > 0.4:
        under = [edge(k) for k in np.linspace(-1, 1, 15)]
        draw(
            img,
            [*under, (cx + wide * 0.4, low - tall * 0.25), (cx - wide * 0.4, low - tall * 0.25)],
            "#8a5f0c",
        )
    for k in range(6):
        a, b = edge(tips[k]), edge(tips[k + 1])
        left = curve([(cx, top), (cx + (a[0] - cx) * 0.72, top + tall * 0.28), a], 8, False)
        right = curve([(cx, top), (cx + (b[0] - cx) * 0.72, top + tall * 0.28), b], 8, False)
        scallop = curve([a, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2 - tall * 0.10), b], 6, False)
        draw(
            img,
            np.vstack([left, scallop, right[::-1]]),
            ramp([(top, mix_hex(reds[k], "#ffffff", 0.25)), (low, reds[k])]),
        )
        draw(img, stroke(left, np.full(len(left), 1.4 * s)), "#9c6c06", 0.5)
    draw(img, stroke(np.array([(cx, top + 2), (cx, top - 15 * s)]), [5 * s, 2 * s]), "#4c3a2c")


def walker(img: Picture, x: float, y: float, s: float, arm: float) -> tuple[float, float]:
    """Somebody in a teal raincoat who stands with feet at (x, y); returns the raised hand. `arm` 0-1."""
    for side in (-1, 1):
        draw(
            img,
            [
                (x + side * 13 * s - 8 * s, y - 48 * s),
                (x + side * 13 * s + 8 * s, y - 48 * s),
                (x + side * 13 * s + 8 * s, y),
                (x + side * 13 * s - 8 * s, y),
            ],
            "#2b3340",
        )
        boot = [
            (x + side * 13 * s - 10 * s, y - 26 * s),
            (x + side * 13 * s + 9 * s, y - 26 * s),
            (x + side * 13 * s + 18 * s, y + 2 * s),
            (x + side * 13 * s - 10 * s, y + 2 * s),
        ]
        draw(img, curve(boot, 4), "#b9402f")
    coat = curve(
        [
            (x - 34 * s, y - 40 * s),
            (x - 26 * s, y - 110 * s),
            (x - 16 * s, y - 138 * s),
            (x + 16 * s, y - 138 * s),
            (x + 26 * s, y - 110 * s),
            (x + 36 * s, y - 40 * s),
            (x, y - 34 * s),
        ],
        8,
    )
    draw(img, coat, ramp([(x - 36 * s, "#3f9aa0"), (x + 36 * s, "#1d5860")], True))
    draw(
        img,
        stroke(np.array([(x + 2 * s, y - 134 * s), (x + 3 * s, y - 38 * s)]), [2 * s] * 2),
        "#174a52",
        0.7,
    )
    for by in (-112, -88, -64):
        draw(img, ellipse(x + 9 * s, y + by * s, 3 * s, 3 * s), "#e8d9b0")
    hood = curve(
        [
            (x - 27 * s, y - 150 * s),
            (x - 20 * s, y - 186 * s),
            (x + 4 * s, y - 198 * s),
            (x + 26 * s, y - 180 * s),
            (x + 27 * s, y - 148 * s),
            (x, y - 132 * s),
        ],
        8,
    )
    draw(img, hood, ramp([(x - 27 * s, "#4aa9ae"), (x + 27 * s, "#216470")], True))
    draw(
        img,
        ellipse(x + 7 * s, y - 162 * s, 16 * s, 20 * s),
        ramp([(y - 182 * s, "#b97f5e"), (y - 140 * s, "#f0bf98")]),
    )
    draw(img, ellipse(x + 13 * s, y - 165 * s, 2.2 * s, 3 * s), "#2a1d18")
    draw(img, ellipse(x + 3 * s, y - 165 * s, 2.2 * s, 3 * s), "#2a1d18")
    smile = curve([(x + 3 * s, y - 154 * s), (x + 9 * s, y - 151 * s), (x + 15 * s, y - 154 * s)], 5, False)
    draw(img, stroke(smile, np.full(len(smile), 1.8 * s)), "#8a3f35")
    hand = (x + 44 * s, y - (96 + 26 * arm) * s)
    sleeve = curve([(x + 16 * s, y - 126 * s), (x + 34 * s, y - 102 * s), hand], 8, False)
    draw(img, stroke(sleeve, np.linspace(22, 15, len(sleeve)) * s), "#2c7680")
    draw(img, ellipse(hand[0], hand[1], 8 * s, 8 * s), "#f0bf98")
    return hand
