"""The evening: balloon, town at night, home."""

from __future__ import annotations

import numpy as np

from sample.film.boats import Boat, balloon
from sample.film.buildings import house, lit_window, stones
from sample.film.creatures import gull
from sample.film.nature import Clouds, Reeds, Stars, hill, pine, ridge
from sample.film.paint import (
    WIDTH,
    Picture,
    Water,
    canvas,
    code,
    curve,
    draw,
    ellipse,
    glow,
    layer,
    mix,
    over,
    ramp,
    rgb,
    smooth,
    stamp,
    stroke,
    textured,
)


class Balloon:
    """Static wide shot: a striped balloon rises over the evening sea."""

    seconds = 5.0

    def __init__(self) -> None:
        self.back = canvas(
            ramp([(0, "#3b3a74"), (130, "#7a4f8c"), (260, "#d9707c"), (370, "#ffab6b"), (440, "#ffdc94")])
        )
        self.clouds = Clouds(
            [(30, 60, 620, 130), (640, 150, 640, 110), (1010, 20, 520, 150), (250, 240, 500, 80)],
            "#ffb58a",
            "#7d4f82",
            91,
            0.5,
        )
        self.land = layer()
        hill(
            self.land,
            ridge(WIDTH, 470, 110, 560, 14),
            textured(ramp([(360, "#7a5a86"), (470, "#c98378")]), 0.06, (90, 24), 3),
        )
        line = ridge(WIDTH, 500, 110, 900, 4)
        hill(
            self.land,
            line,
            textured(ramp([(400, "#4b4573"), (480, "#8a5f74")]), 0.08, (70, 16), 5),
            "#ff9f74",
        )
        self.land[470:] = 0
        self.land = np.ascontiguousarray(self.land[:, ::-1])
        self.water = Water(
            WIDTH, 252, 17, "#e59a78", "#2a2c5c", mirror=0.74, ripple=6, glint="#ffd9a0", sparkle=0.7
        )
        self.balloon, self.boat = balloon(330), Boat(170)
        self.small = balloon(90)

    def picture(self, t: float) -> Picture:
        img = self.back.copy()
        over(img, self.clouds.at(30 + 8 * t))
        glow(img, 575, 405, 560, "#ffcf8a", 0.85)
        draw(img, ellipse(575, 398 + 3 * t, 46, 46), "#fff3c4", blur=1.5)
        stamp(img, self.small, (190 + 3 * t, 250 - 6 * t), (33, 45), tint=rgb("#e8b4bd"), alpha=0.9)
        x, y = 900 + 8 * t, 420 - 52 * t
        lean = 0.04 * float(np.sin(1.2 * t))
        stamp(img, self.balloon, (x, y), (121, 150), lean, tint=rgb("#ffe6d2"))
        burn = max(0.0, float(np.sin(3.1 * t)))
        glow(img, x - lean * 100, y + 96, 90, "#ffcf6a", 0.75 * burn)
        draw(
            img,
            curve([(x - 5, y + 112), (x, y + 112 - 30 * burn), (x + 5, y + 112)], 6),
            "#fff0a8",
            burn * 0.9,
        )
        over(img, self.land)
        self.water.flow(img, 468, t)
        glow(img, 560, 540, 330, "#ffd79a", 0.5)
        self.boat.sail(img, 380 + 60 * t, 640, t, tint="#e6c3c6", wake="#ffdcb4")
        for n in range(4):
            gull(img, 330 + 46 * n + 26 * t, 190 + 24 * (n % 2) + 12 * n - 4 * t, 17, 8 * t + n, "#4b3a63")
        return img


class Night:
    """Static wide shot: the windows of a town light up one after another."""

    seconds = 6.0

    def __init__(self) -> None:
        self.back = canvas(ramp([(0, "#0a1230"), (230, "#1b2a58"), (430, "#3d4a7c")]))
        self.stars = Stars(WIDTH, 330, 170, 7)
        self.clouds = Clouds([(150, 120, 560, 90), (820, 190, 560, 80)], "#5a6aa0", "#27325e", 101, 0.4)
        self.town = layer()
        hill(
            self.town,
            ridge(WIDTH, 480, 130, 900, 15),
            textured(ramp([(350, "#202c55"), (480, "#2c3963")]), 0.06, (80, 20), 3),
        )
        walls = ["#44507c", "#56527e", "#3c5577", "#5a5074", "#4a5a80", "#3f4a72"]
        self.rows = [self.town, layer()]
        self.windows: list[tuple[int, tuple[float, float, float, float]]] = []
        for depth, (base, scale) in enumerate(((452, 0.72), (506, 1.0))):
            x, n = -20.0 - 40 * depth, 0
            while x < WIDTH:
                wide, tall = (
                    (120, 96, 142, 108)[n % 4] * scale,
                    (170, 215, 150, 190, 235)[(n + 2 * depth) % 5] * scale,
                )
                shade = mix(walls[(n + depth) % 6], "#1b2550", 0.45 - 0.25 * depth)
                boxes = house(self.rows[depth], x, base, wide, tall, code(shade), "#28264a", 30 * depth + n)
                self.windows += [(depth, box) for box in boxes]
                x, n = x + wide + 2, n + 1
        quay = stones(WIDTH, 26, 5, "#5b6288", "#333a60", 1)
        stamp(self.rows[1], quay, (0, 500), (0, 0), tint=rgb("#9aa0d0"))
        rng = np.random.default_rng(6)
        self.on = rng.permutation(len(self.windows))[: int(len(self.windows) * 0.62)]
        self.water = Water(
            WIDTH, 196, 19, "#27345f", "#070e26", mirror=0.8, ripple=8, glint="#9fb2ee", sparkle=0.2
        )
        self.boat = Boat(170)

    def picture(self, t: float) -> Picture:
        img = self.back.copy()
        self.stars.draw(img, t)
        glow(img, 1010, 118, 260, "#b9c8ff", 0.5)
        moon = ellipse(1010, 118, 46, 46)
        draw(img, moon, ramp([(70, "#fffdf0"), (166, "#e4e2d2")]), blur=1)
        for x, y, r in ((996, 106, 11), (1022, 130, 8), (1016, 98, 6), (988, 130, 7)):
            draw(img, ellipse(x, y, r, r), "#cfcfc6", 0.55, blur=2)
        over(img, self.clouds.at(20 + 7 * t), 0.75)
        for row in (0, 1):
            over(img, self.rows[row])
            for n, k in enumerate(self.on):
                depth, box = self.windows[int(k)]
                lit = float(smooth(t, 0.2 + 4.3 * n / len(self.on), 0.55 + 4.3 * n / len(self.on)))
                if lit > 0 and depth == row:
                    lit_window(img, box, lit)
        self.water.flow(img, 524, t)
        self.boat.sail(img, 200 + 82 * t, 640, t, tint="#8d8cb8", wake="#aebbe8")
        return img


class Home:
    """Static shot: the boat reaches a wooden landing stage with a lantern."""

    seconds = 6.0

    def __init__(self) -> None:
        self.back = canvas(ramp([(0, "#0b1433"), (200, "#1d2c5a"), (330, "#3a4a78")]))
        self.stars = Stars(WIDTH, 250, 120, 12)
        self.land = layer()
        hill(
            self.land,
            ridge(WIDTH, 345, 90, 760, 25),
            textured(ramp([(250, "#1b2850"), (350, "#2b3a62")]), 0.06, (80, 20), 3),
        )
        rng = np.random.default_rng(9)
        for n, x in enumerate(sorted(rng.uniform(0, WIDTH, 26))):
            pine(self.land, float(x), 350, float(rng.uniform(60, 150)), "#101c3c", "#2c4266", n)
        self.land[350:] = 0
        self.water = Water(
            WIDTH, 376, 23, "#2c3a68", "#060d24", mirror=0.74, ripple=8, glint="#9fb2ee", sparkle=0.22
        )
        self.stage = layer()
        self.planks()
        self.reeds = Reeds([(-10, 150)], 730, 260, "#0c1a28", "#3a5a52", 5)
        self.boat = Boat(300)
        self.flies = [
            (rng.uniform(60, 1240), rng.uniform(240, 640), rng.uniform(0, 6.3), rng.uniform(0.6, 1.4))
            for _ in range(26)
        ]

    def planks(self) -> None:
        for x in (850, 1010, 1190):
            tone = ramp([(x - 15, "#8a6a4a"), (x + 15, "#3a2a22")], True)
            draw(
                self.stage,
                [(x - 15, 470), (x + 15, 470), (x + 15, 640), (x - 15, 640)],
                textured(tone, 0.15, (8, 40), x),
            )
        draw(
            self.stage,
            [(790, 505), (1290, 505), (1290, 470), (860, 470)],
            textured(ramp([(470, "#b58a5c"), (505, "#8d6843")]), 0.14, (60, 5), 3),
        )
        draw(
            self.stage,
            [(790, 505), (1290, 505), (1290, 532), (790, 532)],
            textured(ramp([(505, "#7a5638"), (532, "#3c2a20")]), 0.16, (90, 6), 4),
        )
        for x in range(800, 1290, 62):
            draw(
                self.stage, stroke(np.array([(x + 60, 470.0), (x, 505), (x, 532)]), [2, 2, 2]), "#33231a", 0.8
            )
        draw(
            self.stage,
            stroke(np.array([(930, 492.0), (930, 262)]), [13, 10]),
            ramp([(920, "#8a6a4a"), (940, "#3f2d22")], True),
        )
        draw(self.stage, stroke(np.array([(930, 270.0), (862, 270)]), [9, 7]), "#5d442f")

    def lantern(self, img: Picture, t: float) -> None:
        x, y = 866 + 3 * np.sin(1.4 * t), 330
        shine = 0.85 + 0.08 * float(np.sin(7 * t)) + 0.05 * float(np.sin(11.3 * t))
        draw(img, stroke(np.array([(866, 272.0), (x, y - 34)]), [2, 2]), "#20180f")
        glow(img, x, y, 480, "#ffa648", 0.42 * shine)
        glow(img, x, y, 230, "#ffc46a", 0.5 * shine)
        draw(
            img,
            [(x - 17, y - 24), (x + 17, y - 24), (x + 21, y + 24), (x - 21, y + 24)],
            ramp([(y - 24, "#ffe9ae"), (y + 24, "#ffae45")]),
        )
        glow(img, x, y, 70, "#fff6cf", 0.9 * shine)
        for dx in (-19, 0, 19):
            draw(img, stroke(np.array([(x + dx * 0.85, y - 25), (x + dx * 1.1, y + 25)]), [3, 3]), "#2a1f16")
        draw(img, [(x - 24, y - 24), (x + 24, y - 24), (x, y - 42)], "#2a1f16")
        draw(img, stroke(np.array([(x - 24, y + 26), (x + 24, y + 26)]), [6, 6]), "#2a1f16")

    def picture(self, t: float) -> Picture:
        img = self.back.copy()
        self.stars.draw(img, t)
        over(img, self.land)
        self.water.flow(img, 344, t)
        for n in range(26):
            y = 545 + 6.5 * n
            x = 862 + (5 + 0.6 * n) * np.sin(2.3 * t + 1.9 * n) + 6 * np.sin(0.9 * t + n)
            draw(
                img,
                ellipse(x, y, 34 - 0.7 * n + 8 * np.sin(1.7 * t + 2.3 * n), 2.4),
                "#ffc067",
                0.5 - 0.014 * n,
                blur=1.2,
            )
        glow(img, 862, 600, 330, "#ff9c3e", 0.34)
        for px in (850, 1010, 1190):
            draw(
                img,
                stroke(
                    np.array([(px + 4 * np.sin(2 * t + k * 0.9), 636 + 9 * k) for k in range(9)]),
                    np.full(9, 30),
                ),
                "#20150f",
                0.4,
                blur=2,
            )
        over(img, self.stage)
        self.lantern(img, t)
        x = 250 + 390 * float(1 - (1 - min(t / 4.6, 1)) ** 2)
        near = float(smooth(x, 300, 640))
        tint = mix("#8788ae", "#ffd9ae", near)
        self.boat.sail(img, x, 610, t, code(tint), wake="#d9c7a8")
        for fx, fy, phase, rate in self.flies:
            px, py = fx + 34 * np.sin(0.7 * rate * t + phase), fy + 22 * np.sin(1.1 * rate * t + 2 * phase)
            k = max(0.0, float(np.sin(1.6 * rate * t + phase)))
            glow(img, px, py, 17, "#dcff8a", 0.9 * k)
            glow(img, px, py, 4, "#ffffe0", k)
        self.reeds.draw(img, t)
        return img
