"""The afternoon: rain on the canal, and the harbour."""

from __future__ import annotations

import cv2
import numpy as np

from sample.film.boats import Boat, sailboat
from sample.film.buildings import house, lighthouse, lit_window, stones
from sample.film.creatures import gull, umbrella, walker
from sample.film.nature import Clouds, Rain, hill, meadow, mist, ridge
from sample.film.paint import (
    HEIGHT,
    WIDTH,
    Picture,
    Water,
    canvas,
    curve,
    draw,
    flat,
    glow,
    layer,
    over,
    ramp,
    smooth,
    stamp,
    stroke,
    textured,
    view,
)


class RainStreet:
    """The camera zooms in on somebody who opens a yellow umbrella on a bridge in the rain."""

    seconds = 7.0
    size = (1920, 1080)

    def __init__(self) -> None:
        w, h = self.size
        self.back = canvas(ramp([(0, "#5d6b7d"), (330, "#8d9aa6"), (640, "#b4bbbd")]), w, h)
        over(
            self.back,
            Clouds(
                [(-10, -60, 900, 330), (700, -90, 800, 340), (1300, -30, 800, 300)],
                "#a3aeb9",
                "#5c6879",
                61,
                0.8,
                w,
                h,
            ).at(0, 0, w, h),
        )
        row = layer(w, h)
        colors = [
            ("#a89a94", "#5d4a4c"),
            ("#9aa9a4", "#4c5660"),
            ("#b9a184", "#6b4a40"),
            ("#8c97a8", "#47505f"),
            ("#b08d86", "#5a4446"),
            ("#a3a690", "#55564c"),
            ("#9b93a6", "#4d475a"),
            ("#b5a590", "#644d43"),
        ]
        x = -30.0
        lit = []
        for n in range(11):
            wide, tall = (200, 170, 230, 180)[n % 4], (330, 400, 290, 370, 345)[n % 5]
            boxes = house(row, x, 700, wide, tall, *colors[n % 8], 70 + n)
            lit += [b for k, b in enumerate(boxes) if (k * 7 + n * 3) % 5 == 0]
            x += wide + 4
        for box in lit:
            lit_window(row, box, 0.8)
        over(self.back, row)
        over(self.back, mist(w, h, 690, 90, "#b9c3ca", 5, 0.55))
        quay = stones(w, 74, 3, "#8f959a", "#565d66", 2)
        stamp(self.back, quay, (0, 690), (0, 0))
        self.water = Water(
            w, h - 764, 12, "#7f8d99", "#2d4251", mirror=0.55, ripple=7, glint="#e6eef2", sparkle=0.25
        )
        self.bridge = layer(w, h)
        deck = curve([(520, 700), (760, 628), (960, 606), (1160, 628), (1400, 700)], 16, False)
        arch = curve(
            [(1200, 800), (1150, 730), (1060, 694), (960, 682), (860, 694), (770, 730), (720, 800)], 12, False
        )
        face = np.vstack(
            [
                [(430, 712), (430, 800)],
                deck[:0],
                [(720, 800)],
                arch[::-1],
                [(1490, 800), (1490, 712)],
                deck[::-1],
            ]
        )
        face_paint = stones(w, 260, 9, "#b3b3ae", "#6b6c6f", 8)
        draw(
            self.bridge, face, lambda gx, gy: face_paint[(gy - 560).astype(int) % 260, gx.astype(int) % w, :3]
        )
        for line, color, wide in (
            (deck, "#d3d2c9", 20),
            (deck + np.array((0, 13)), "#4a4d52", 5),
            (arch, "#c2c0b8", 16),
        ):
            draw(
                self.bridge,
                stroke(line, np.full(len(line), wide)),
                textured(flat(color), 0.14, (26, 8), wide),
            )
        self.rain = Rain(w, h, 560, 3)
        self.boat = Boat(180)
        self.lamps = [(360, 690), (1560, 690)]

    def wide(self, t: float) -> Picture:
        img = self.back.copy()
        for x, y in self.lamps:
            draw(img, stroke(np.array([(x, y), (x, y - 190)]), [9, 6]), "#2b3138")
            draw(img, [(x - 15, y - 190), (x + 15, y - 190), (x + 10, y - 226), (x - 10, y - 226)], "#ffe2a0")
            draw(img, [(x - 20, y - 224), (x + 20, y - 224), (x, y - 246)], "#2b3138")
            glow(img, x, y - 206, 150, "#ffcf7d", 0.55)
        over(img, self.bridge)
        self.water.flow(img, 764, t)
        self.rain.splash(img, 770, 1070, t, float(smooth(t, 0.2, 1.5)))
        self.boat.sail(img, 640 + 62 * t, 905, t, tint="#b4bac4", wake="#d7e2ea")
        over(img, self.bridge)
        hand = walker(img, 960, 603, 0.92, float(smooth(t, 1.6, 2.6)))
        umbrella(img, hand[0], hand[1], 0.98, float(smooth(t, 2.0, 3.1)), t)
        self.rain.fall(img, t, float(smooth(t, 0.0, 1.5)))
        return img

    def picture(self, t: float) -> Picture:
        k = float(smooth(t, 1.2, 6.0))
        w = 1920 * (1 - 0.58 * k)
        h = w * HEIGHT / WIDTH
        cx, cy = 960 + 18 * k, 540 + (505 - 540) * k
        x0, y0 = cx - w / 2, min(max(cy - h / 2, 0), 1080 - h)
        img = self.wide(t)
        part = img[int(y0) : int(y0 + h) + 2, int(x0) : int(x0 + w) + 2]
        scale = WIDTH / w
        move = np.array([[scale, 0, (int(x0) - x0) * scale], [0, scale, (int(y0) - y0) * scale]], np.float32)
        if scale < 1:
            part = cv2.GaussianBlur(part, (0, 0), 0.45 / scale)
        out = cv2.warpAffine(
            part, move, (WIDTH, HEIGHT), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(np.clip(out, 0, 1), np.float32)


class Harbour:
    """The camera tilts up from the harbour's water to the top of a lighthouse."""

    seconds = 6.0
    tall = 1400

    def __init__(self) -> None:
        h = self.tall
        self.sky = canvas(
            ramp([(0, "#3f86c4"), (420, "#8fc0de"), (800, "#fbe0b4"), (1000, "#ffd196")]), WIDTH, h
        )
        self.clouds = Clouds(
            [(-20, 90, 560, 210), (760, 40, 600, 240), (60, 560, 520, 150), (980, 520, 500, 150)],
            "#fffaf0",
            "#d3a99c",
            81,
            0.55,
            WIDTH,
            h,
        )
        self.land = layer(WIDTH, h)
        hill(
            self.land,
            ridge(WIDTH, 1000, 90, 800, 6),
            textured(ramp([(890, "#8e93b4"), (1010, "#d9b5a2")]), 0.05, (100, 20), 4),
        )
        self.land[1012:] = 0
        rock = curve(
            [
                (560, 1070),
                (590, 985),
                (680, 930),
                (770, 905),
                (930, 900),
                (1030, 930),
                (1150, 950),
                (1300, 1000),
                (1300, 1075),
            ],
            10,
        )
        draw(
            self.land,
            rock,
            textured(ramp([(900, "#a08873"), (990, "#6b5650"), (1070, "#2f2a33")]), 0.35, (46, 20), 5),
        )
        rng = np.random.default_rng(3)
        for _ in range(46):
            x, y = rng.uniform(600, 1290), rng.uniform(945, 1058)
            s = rng.uniform(14, 42)
            shape = curve(
                np.array(
                    [
                        (x - s, y),
                        (x - s * 0.5, y - s * 0.6),
                        (x + s * 0.4, y - s * 0.55),
                        (x + s, y),
                        (x + s * 0.4, y + s * 0.3),
                        (x - s * 0.5, y + s * 0.32),
                    ]
                )
                + rng.uniform(-4, 4, (6, 2)),
                4,
            )
            draw(
                self.land,
                shape,
                textured(
                    ramp([(y - s * 0.6, "#c9ab8c"), (y, "#80685c"), (y + s * 0.3, "#3f363b")]),
                    0.2,
                    (16, 10),
                    int(rng.integers(1_000_000)),
                ),
            )
        self.lamp = lighthouse(self.land, 850, 922, 1.42)
        top = np.stack([np.linspace(690, 1010, 60), 918 + 5 * np.sin(np.arange(60) / 7)], -1)
        meadow(self.land, top, "#4f6a34", "#b9bb5e", 5, 160, 20)
        house(self.land, 975, 948, 120, 80, "#f2e4cd", "#b0563c", 5)
        for x, s, hull, sail in ((160, 1.1, "#2c5f7c", "#fff6e6"), (395, 0.8, "#f1efe6", "#f3c27a")):
            boat = layer(WIDTH, h)
            sailboat(boat, x, 1066, s, hull, sail)
            over(self.land, boat)
        self.water = Water(
            WIDTH, h - 1050, 14, "#d3b59c", "#1d5877", mirror=0.66, ripple=7, glint="#ffe9bd", sparkle=0.6
        )
        self.boat = Boat(200)

    def picture(self, t: float) -> Picture:
        k = float(smooth(t, 1.0, 5.2))
        y0 = 680 * (1 - k)
        img = self.sky.copy()
        over(img, self.clouds.at(40 + 9 * t, 0, WIDTH, self.tall))
        over(img, self.land)
        glow(img, *self.lamp, 120, "#ffe39a", 0.5 + 0.2 * float(np.sin(3 * t)))
        if y0 + HEIGHT > 1050:
            self.water.flow(img, 1050, t)
            self.boat.sail(img, 190 + 78 * t, 1252, t, wake="#fff0d2")
        for n in range(5):
            a = 0.5 * t + n * 1.3
            gull(
                img,
                640 + 380 * np.cos(a) + 60 * n,
                230 + 90 * np.sin(a * 1.3) + 40 * n,
                24 + 5 * n,
                7 * t + 2 * n,
            )
        return view(img, 0, y0)
