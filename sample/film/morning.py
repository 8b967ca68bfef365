"""The morning: stream, close-up, valley, wall."""

from __future__ import annotations

import numpy as np

from sample.film.boats import Boat
from sample.film.buildings import stones, windmill_sails, windmill_tower
from sample.film.creatures import cat, dragonfly
from sample.film.nature import Clouds, Reeds, crown, flowers, hill, meadow, mist, pine, ridge
from sample.film.paint import (
    HEIGHT,
    WIDTH,
    Picture,
    Water,
    blurred,
    canvas,
    curve,
    draw,
    ellipse,
    flat,
    glow,
    layer,
    mix,
    over,
    ramp,
    smooth,
    stamp,
    stroke,
    textured,
    view,
)


class Dawn:
    """Static wide shot: the boat sets out on a misty stream at sunrise."""

    seconds = 7.0

    def __init__(self) -> None:
        self.back = canvas(
            ramp([(0, "#33548a"), (150, "#6f86ac"), (270, "#e9a98a"), (360, "#ffd49a"), (420, "#ffe7bd")])
        )
        self.clouds = Clouds(
            [(60, 40, 520, 130), (620, 10, 560, 120), (1080, 90, 480, 110)], "#ffe3c4", "#b98a98", 11, 0.42
        )
        self.near, self.far = layer(), layer()
        hill(
            self.far,
            ridge(WIDTH, 400, 130, 620, 3),
            textured(ramp([(260, "#7d84a8"), (430, "#d8b0a0")]), 0.05, (90, 30), 1),
        )
        hill(
            self.far,
            ridge(WIDTH, 440, 120, 480, 9),
            textured(ramp([(310, "#56698c"), (440, "#b59c98")]), 0.06, (70, 20), 2),
            "#ffd9a8",
        )
        line = ridge(WIDTH, 462, 90, 700, 21)
        hill(
            self.near,
            line,
            textured(ramp([(370, "#3c5a58"), (470, "#7a8460")]), 0.10, (60, 16), 3),
            "#ffdf9e",
        )
        rng = np.random.default_rng(5)
        for n, x in enumerate(sorted(rng.uniform(-10, WIDTH, 34))):
            if 600 < x < 900:
                continue
            y = float(np.interp(x, line[:, 0], line[:, 1])) + 14
            pine(self.near, float(x), y, float(rng.uniform(60, 135)), "#20403f", "#5e7a56", n)
        self.mists = [
            mist(WIDTH + 300, HEIGHT, 405, 34, "#fff0d8", 5, 0.75),
            mist(WIDTH + 300, HEIGHT, 452, 20, "#ffe9cf", 6, 0.8),
        ]
        self.water = Water(WIDTH, 258, 1, "#e8bd98", "#2f6484", mirror=0.8, glint="#fff0c8", sparkle=0.6)
        self.bank = layer()
        shore = curve([(-20, 615), (120, 640), (270, 690), (380, 740), (-20, 740)], 14)
        draw(self.bank, shore, textured(ramp([(610, "#5f7442"), (720, "#1d3524")]), 0.16, (40, 18), 7))
        edge = curve([(-20, 618), (120, 640), (270, 690), (370, 735)], 20, False)
        meadow(self.bank, edge, "#2c4a2b", "#a9b35a", 8, 380, 46)
        flowers(self.bank, edge - np.array((20, 0)), ["#ffffff", "#ffd0dc", "#f7a8c0"], 9, 26, 40)
        self.reeds = Reeds([(1010, 1290)], 726, 210, "#1d3626", "#8c9a4c", 10)
        self.boat = Boat(220)

    def picture(self, t: float) -> Picture:
        img = self.back.copy()
        over(img, self.clouds.at(60 + 7 * t), 0.9)
        sun = (884, 330 - 6 * t)
        glow(img, *sun, 520, "#ffcf87", 0.75)
        glow(img, *sun, 150, "#fff0c2", 0.8)
        draw(img, ellipse(*sun, 37, 37), "#fffbe6", blur=1.2)
        over(img, self.far)
        over(img, view(self.mists[0], 40 + 10 * t, 0), 0.9)
        over(img, self.near)
        over(img, view(self.mists[1], 200 - 12 * t, 0), 0.9)
        self.water.flow(img, 462, t)
        glow(img, sun[0], 520, 330, "#ffd08a", 0.6)
        self.boat.sail(img, -60 + 118 * t, 586, t, wake="#ffeccb", speed=1.3)
        over(img, self.bank)
        self.reeds.draw(img, t)
        return img


class CloseUp:
    """Close-up: the boat fills the frame, and a dragonfly comes to rest on it."""

    seconds = 5.0

    def __init__(self) -> None:
        self.back = canvas(ramp([(0, "#8fb46a"), (150, "#5d9157"), (330, "#2f6d58")]))
        rng = np.random.default_rng(4)
        for _ in range(60):
            x, y, r = rng.uniform(0, WIDTH), rng.uniform(-20, 300), rng.uniform(18, 62)
            c = mix(["#d7e88a", "#fff2b0", "#3f7d4d", "#2b5f4b"][rng.integers(4)], "#a8cc70", 0.3)
            draw(self.back, ellipse(x, y, r, r), c, float(rng.uniform(0.12, 0.5)), blur=3)
        self.water = Water(
            WIDTH, 430, 3, "#5aa08c", "#0f4a63", mirror=0.66, ripple=9, glint="#f4ffe6", sparkle=0.55
        )
        self.boat = Boat(640)
        self.leaf = layer()
        for x, y, s in ((70, 640, 1.2), (1190, 690, 1.5), (1250, 560, 0.8)):
            pad = ellipse(x, y, 120 * s, 42 * s)
            draw(self.leaf, pad + np.array((0, 10)), "#06281f", 0.4, blur=8)
            draw(
                self.leaf,
                pad,
                textured(ramp([(y - 42 * s, "#8fc25c"), (y + 42 * s, "#2f7a46")]), 0.1, (60, 20), int(x)),
            )
            for a in np.linspace(0.2, 6.1, 9):
                vein = np.array([(x, y), (x + 108 * s * np.cos(a), y + 37 * s * np.sin(a))])
                draw(self.leaf, stroke(vein, [2.4, 0.8]), "#c5e08c", 0.45)
        for a in np.linspace(0, np.pi, 9):
            petal = curve(
                [
                    (150, 622),
                    (150 + 34 * np.cos(a) - 9, 604 - 30 * np.sin(a)),
                    (150 + 52 * np.cos(a), 612 - 48 * np.sin(a)),
                    (150 + 34 * np.cos(a) + 9, 606 - 26 * np.sin(a)),
                ],
                6,
            )
            draw(self.leaf, petal, ramp([(560, "#fff4fa"), (622, "#ee9cc0")]))
        draw(self.leaf, ellipse(150, 614, 13, 8), "#ffd34d")

    def picture(self, t: float) -> Picture:
        img = self.back.copy()
        self.water.flow(img, 290, t)
        over(img, view(self.leaf, 12 * t - 20, 2 * np.sin(t)))
        top = self.boat.sail(
            img, 640 + 9 * np.sin(0.5 * t), 588, t, wake="#eefbe8", wake_alpha=0.42, speed=0.7
        )
        k = float(smooth(t, 0.3, 2.6))
        x = 1330 * (1 - k) + (top[0] + 4) * k
        y = (90 + 40 * np.sin(3 * t)) * (1 - k) + (top[1] + 1) * k
        dragonfly(img, x, y, 165, t if k < 1 else 0.028 * np.sin(2 * t) + 0.02)
        return img


class Hills:
    """The camera pans right over green hills to a turning windmill."""

    seconds = 7.0

    def __init__(self) -> None:
        self.sky = canvas(ramp([(0, "#3f8fd6"), (200, "#86c2ec"), (380, "#dff0f2")]))
        self.clouds = Clouds(
            [(40, 40, 480, 190), (560, 90, 380, 130), (900, 20, 560, 220), (1300, 130, 340, 110)],
            "#ffffff",
            "#a9bfd6",
            31,
            0.62,
        )
        self.far, self.mid, self.front = layer(1700), layer(2000), layer(2400)
        hill(
            self.far,
            ridge(1700, 400, 120, 700, 2),
            textured(ramp([(290, "#7fa8c4"), (430, "#b9d3c8")]), 0.05, (100, 30), 1),
        )
        hill(
            self.far,
            ridge(1700, 440, 100, 520, 5),
            textured(ramp([(340, "#6d9f8f"), (460, "#a7c79a")]), 0.08, (80, 20), 2),
        )
        self.fields()
        shore = np.stack([np.arange(-8, 2412, 4.0), 560 + 14 * np.sin(np.arange(-8, 2412, 4.0) / 210)], -1)
        hill(self.front, shore, textured(ramp([(545, "#8fbd4d"), (640, "#4f8a3b")]), 0.12, (60, 14), 7))
        for n, (x, s) in enumerate([(170, 210), (420, 150), (985, 240), (1190, 160), (2260, 230)]):
            draw(
                self.front,
                stroke(np.array([(x, 590.0), (x + 4, 590 - s * 0.5)]), [s * 0.11, s * 0.06]),
                "#5f4630",
            )
            draw(self.front, ellipse(x + s * 0.2, 592, s * 0.5, s * 0.06), "#234a1e", 0.4, blur=6)
            stamp(
                self.front,
                crown(int(s * 1.35), "#2c5f2d", "#b7d860", n),
                (x, 590 - s * 0.62),
                (s * 0.675, s * 0.675),
            )
        self.front[628:] = 0
        meadow(self.front, shore + np.array((0, 58)), "#3a6b2c", "#a8cf55", 3, 700, 22)
        self.water = Water(WIDTH, 92, 5, "#8cc4dc", "#2c7da3", mirror=0.5, ripple=4, sparkle=0.7)
        self.bank = layer(2900)
        line = ridge(2900, 716, 22, 800, 8)
        hill(self.bank, line, textured(ramp([(690, "#679a3c"), (720, "#3c6a2c")]), 0.15, (40, 10), 9))
        meadow(self.bank, line, "#2f5d26", "#a6cc4e", 4, 1200, 44)
        flowers(self.bank, line - np.array((0, 14)), ["#ff6f59", "#ffffff", "#ffd447", "#f08bb4"], 6, 230, 34)
        self.sails, self.boat = windmill_sails(1.25), Boat(150)

    def fields(self) -> None:
        line = ridge(2000, 520, 120, 900, 12)
        hill(
            self.mid, line, textured(ramp([(390, "#a9cf63"), (560, "#6ba446")]), 0.10, (90, 16), 4), "#e6f2a8"
        )
        for k, color in enumerate(["#d9c95a", "#7fb24a", "#c3d46a", "#e3b94f"]):
            x = 240.0 + 430 * k
            top = float(np.interp(x + 110, line[:, 0], line[:, 1])) + 24
            patch = curve(
                [
                    (x, top + 14),
                    (x + 150, top),
                    (x + 250, top + 20),
                    (x + 280, top + 66),
                    (x + 60, top + 78),
                    (x - 50, top + 48),
                ],
                10,
            )
            draw(self.mid, patch, textured(flat(color), 0.10, (30, 8), k), 0.85, blur=1)
            for r in range(7):
                row = curve(
                    [
                        (x - 40 + 6 * r, top + 24 + 7 * r),
                        (x + 120, top + 14 + 9 * r),
                        (x + 262, top + 24 + 6 * r),
                    ],
                    10,
                    False,
                )
                draw(self.mid, stroke(row, np.full(len(row), 1.8)), "#6c7f2c", 0.35)
        rng = np.random.default_rng(8)
        for n in range(46):
            x = rng.uniform(0, 2000)
            y = float(np.interp(x, line[:, 0], line[:, 1])) + rng.uniform(2, 60)
            size = int(rng.uniform(22, 52))
            draw(
                self.mid,
                ellipse(x + size * 0.25, y + size * 0.24, size * 0.5, size * 0.1),
                "#2b4f22",
                0.4,
                blur=3,
            )
            stamp(self.mid, crown(size, "#2c5c34", "#9cc95a", n, 220), (x, y), (size / 2, size / 2))
        foot = float(np.interp(1560, line[:, 0], line[:, 1])) + 20
        self.hub = windmill_tower(self.mid, 1560, foot, 1.25)

    def picture(self, t: float) -> Picture:
        k = float(smooth(t, 0.5, 6.2))
        img = self.sky.copy()
        over(img, self.clouds.at(60 * k + 8 * t))
        over(img, view(self.far, 300 * k, 0))
        over(img, view(self.mid, 640 * k, 0))
        stamp(img, self.sails, (self.hub[0] - 640 * k, self.hub[1]), (187.5, 187.5), 0.9 * t)
        over(img, view(self.front, 1000 * k, 0))
        self.water.flow(img, 628, t)
        self.boat.sail(img, 330 + 1180 * t / 7 - 760 * k, 676, t, wake_alpha=0.7)
        over(img, view(self.bank, 1380 * k, 0))
        return img


class Wall:
    """Static medium shot: a black cat on a stone wall follows the boat with its eyes."""

    seconds = 5.0

    def __init__(self) -> None:
        back = canvas(ramp([(0, "#f4d9a4"), (220, "#b8b86a"), (420, "#5f7f45")]))
        rng = np.random.default_rng(2)
        for _ in range(46):
            x, y, r = rng.uniform(0, WIDTH), rng.uniform(0, 420), rng.uniform(16, 60)
            c = ["#fff0bd", "#f6c9b0", "#7f9a4c", "#4f7440", "#f3a7a0"][rng.integers(5)]
            draw(back, ellipse(x, y, r, r), c, float(rng.uniform(0.15, 0.55)), blur=4)
        for n, (x, y, s) in enumerate([(150, 120, 420), (1100, 90, 460), (560, 40, 330)]):
            stamp(back, blurred(crown(s, "#4f7a40", "#d3dc7c", 40 + n), 8), (x, y), (s / 2, s / 2))
        self.back = back
        self.wall = stones(WIDTH, 200, 6, "#d9cdb8", "#8f8576", 3)
        self.front = layer()
        stamp(self.front, self.wall, (0, 400), (0, 0))
        draw(
            self.front,
            [(0, 384), (WIDTH, 384), (WIDTH, 412), (0, 412)],
            textured(ramp([(384, "#efe4cf"), (412, "#9d9282")]), 0.12, (60, 10), 8),
        )
        for x in range(90, WIDTH, 172):
            draw(self.front, stroke(np.array([(x, 385.0), (x + 3, 412)]), [2, 2]), "#6d6456", 0.8)
        self.ivy()
        draw(self.front, ellipse(800, 402, 150, 9), "#2a241e", 0.4, blur=6)
        self.water = Water(WIDTH, 122, 9, "#7d8f62", "#2c4f4c", mirror=0.62, ripple=6, sparkle=0.4)
        self.boat = Boat(200)

    def ivy(self) -> None:
        rng = np.random.default_rng(17)
        for x0, reach, count in ((70, 170, 330), (1190, 190, 380), (430, 60, 70)):
            for _ in range(count):
                x, y = x0 + rng.normal(0, 75), 384 + reach * abs(rng.normal(0, 0.5))
                r, turn = rng.uniform(8, 15), rng.uniform(0, 6.28)
                c = mix("#25502b", "#9cc05a", float(rng.uniform() ** 1.6))
                draw(self.front, ellipse(x + 3, y + 4, r, r * 0.75, turn), "#16301c", 0.25, blur=2)
                tip = [
                    (x + r * 1.3 * np.cos(turn), y + r * 1.3 * np.sin(turn)),
                    (x + r * 0.8 * np.cos(turn + 1.4), y + r * 0.8 * np.sin(turn + 1.4)),
                    (x - r * 0.5 * np.cos(turn), y - r * 0.5 * np.sin(turn)),
                    (x + r * 0.8 * np.cos(turn - 1.4), y + r * 0.8 * np.sin(turn - 1.4)),
                ]
                draw(self.front, curve(tip, 4), c)

    def picture(self, t: float) -> Picture:
        img = self.back.copy()
        over(img, self.front)
        x = 60 + 235 * t
        self.water.flow(img, 598, t)
        cat(img, 800, 398, 1.18, t, float(np.clip((x - 800) / 420, -1, 1)), 2.3 < t < 2.45)
        self.boat.sail(img, x, 668, t, wake_alpha=0.55)
        return img
