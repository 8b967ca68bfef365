"""One 16:9 picture of several rows of keyframes, for a talk: each row with its name and its frames."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

from exports.progress_captioner.contact_sheet import CARD, INK, LINE, PAPER, SOFT, Tile, wrapped, write

WIDTH, HEIGHT = 1920, 1080
"""Size of the picture in pixels."""
MARGIN, NAMES, GAP = 48, 250, 12
"""Edge of the picture, width of the names, and space between frames and between rows, in pixels."""
WORDS_FROM = 150
"""Frames at least this wide, in pixels, have their caption below."""
TITLE, TEXT, SMALL = 40, 24, 19
"""Sizes of letters in pixels."""


@dataclass(frozen=True, slots=True)
class SlideRow:
    """Frames that one method selects."""

    name: str
    about: str
    """How the frames were selected."""
    tiles: Sequence[Tile]


def draw_slide(title: str, about: str, rows: Sequence[SlideRow], shape: float = 16 / 9) -> bytes:
    """Return the slide as a JPEG. `about` is below the title; `shape` is width by height of a frame."""
    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = ImageDraw.Draw(image)
    across = WIDTH - 2 * MARGIN
    write(draw, (MARGIN, MARGIN - 8), wrapped(title, TITLE, across, 1)[0], TITLE, INK)
    write(draw, (MARGIN, MARGIN + 48), wrapped(about, TEXT, across, 1)[0], TEXT, SOFT)
    top = MARGIN + 48 + TEXT + 24
    tall = (HEIGHT - top - MARGIN + GAP) // max(1, len(rows)) - GAP
    for n, row in enumerate(rows):
        _draw_row(image, draw, top + n * (tall + GAP), tall, row, shape)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=92)
    return out.getvalue()


def _draw_row(
    image: Image.Image, draw: ImageDraw.ImageDraw, y: int, tall: int, row: SlideRow, shape: float
) -> None:
    draw.rectangle((MARGIN, y, WIDTH - MARGIN - 1, y + tall - 1), fill=CARD, outline=LINE)
    x = MARGIN + 16
    write(draw, (x, y + 14), wrapped(row.name, 28, NAMES - 28, 1)[0], 28, INK)
    write(draw, (x, y + 52), f"{len(row.tiles)} frames", SMALL, SOFT)
    for n, line in enumerate(wrapped(row.about, SMALL, NAMES - 28, max(1, (tall - 90) // 25))):
        write(draw, (x, y + 80 + 25 * n), line, SMALL, SOFT)
    if not row.tiles:
        return
    left, inner = MARGIN + NAMES, tall - 28
    wide = (WIDTH - MARGIN - 16 - left + GAP) // len(row.tiles) - GAP
    words = wide >= WORDS_FROM
    below = 30 + (3 * 23 if words else 0)
    wide = max(8, min(wide, round((inner - below) * shape)))
    high = max(8, round(wide / shape))
    for n, tile in enumerate(row.tiles):
        _draw_tile(image, draw, (left + n * (wide + GAP), y + 14), (wide, high), tile, 3 if words else 0)


def _draw_tile(
    image: Image.Image,
    draw: ImageDraw.ImageDraw,
    at: tuple[int, int],
    size: tuple[int, int],
    tile: Tile,
    lines: int,
) -> None:
    x, y = at
    wide, high = size
    if tile.picture is None:
        draw.rectangle((x, y, x + wide - 1, y + high - 1), fill="#101113")
    else:
        image.paste(Image.fromarray(tile.picture).resize(size, Image.Resampling.LANCZOS), at)
    name = f"{tile.name} · {tile.time}" if tile.time and wide >= WORDS_FROM else tile.name
    write(draw, (x, y + high + 4), wrapped(name, SMALL, wide, 1)[0], SMALL, INK)
    for n, line in enumerate(wrapped(tile.caption, 17, wide, lines) if lines else ()):
        write(draw, (x, y + high + 30 + 23 * n), line, 17, SOFT)
