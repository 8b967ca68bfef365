"""Contact sheet of a row's keyframes: frames with times and captions.

Drawn with Pillow and its built-in font (Aileron, Latin letters). Other scripts use a font of the system;
without one, their characters appear as boxes.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from backends.protocols import Picture

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
WIDTH = 1680
"""Width of a sheet in pixels; the height follows from its contents."""
MARGIN, GAP, INNER = 40, 24, 10
PAPER, CARD, INK, SOFT, LINE = "#f3f3f1", "#ffffff", "#1c1d1f", "#5c5e63", "#dcdcd7"
MOST_LINES = 9
"""Lines of one caption. Longer captions end with an ellipsis; the JSON has the whole text."""
SHOWN_MS = 900
"""Duration of each picture in a GIF or a film."""
NOTE = "dailies"
"""Key of the PNG text with each frame's position, as JSON."""
_WIDE_FONTS = (
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/System/Library/Fonts/PingFang.ttc",
    "C:/Windows/Fonts/msyh.ttc",
)


@dataclass(frozen=True, slots=True)
class Tile:
    """One keyframe."""

    frame: int
    name: str
    """`#282`."""
    time: str
    """`00:11.280`; empty if it is unknown."""
    caption: str
    picture: Picture | None
    """None if the video file is missing."""


def columns_of(tiles: int) -> int:
    """Return the number of columns."""
    return max(1, tiles if tiles <= 3 else 4 if tiles <= 16 else 5 if tiles <= 30 else 6)


def draw_sheet(title: str, lines: Sequence[str], tiles: Sequence[Tile], shape: float = 16 / 9) -> bytes:
    """Return the sheet as a PNG of WIDTH pixels. `lines` are below the title; `shape` is width by height."""
    across = columns_of(len(tiles))
    wide = min(520, (WIDTH - 2 * MARGIN - (across - 1) * GAP) // across)
    high = round(wide / shape)
    texts = [wrapped(tile.caption or "(no caption)", 19, wide - 2 * INNER, MOST_LINES) for tile in tiles]
    head = MARGIN + 52 + 30 * len(lines) + 18
    boxes: list[tuple[int, int, int, int]] = []
    y = head
    for row in range(0, len(tiles), across):
        tall = high + 44 + 26 * max(len(text) for text in texts[row : row + across]) + INNER
        boxes += [(MARGIN + n * (wide + GAP), y, wide, tall) for n in range(len(texts[row : row + across]))]
        y += tall + GAP
    image = Image.new("RGB", (WIDTH, y - GAP + MARGIN if tiles else head + MARGIN), PAPER)
    draw = ImageDraw.Draw(image)
    write(draw, (MARGIN, MARGIN), wrapped(title, 38, WIDTH - 2 * MARGIN, 1)[0], 38, INK)
    for n, line in enumerate(lines):
        write(draw, (MARGIN, MARGIN + 54 + 30 * n), wrapped(line, 21, WIDTH - 2 * MARGIN, 1)[0], 21, SOFT)
    for box, tile, text in zip(boxes, tiles, texts, strict=True):
        _draw_tile(image, draw, box, high, tile, text)
    return png(image, [{"frame": t.frame, "box": list(b)} for t, b in zip(tiles, boxes, strict=True)])


def moving_picture(pictures: Sequence[Picture]) -> bytes:
    """Return a GIF that repeats the pictures (at least one) in order."""
    first, *others = [Image.fromarray(picture) for picture in pictures]
    out = io.BytesIO()
    first.save(out, "GIF", save_all=True, append_images=others, duration=SHOWN_MS, loop=0)
    return out.getvalue()


def _draw_tile(
    image: Image.Image,
    draw: ImageDraw.ImageDraw,
    box: tuple[int, int, int, int],
    high: int,
    tile: Tile,
    text: Sequence[str],
) -> None:
    x, y, wide, tall = box
    draw.rectangle((x, y, x + wide - 1, y + tall - 1), fill=CARD, outline=LINE)
    if tile.picture is None:
        draw.rectangle((x, y, x + wide - 1, y + high - 1), fill="#101113")
        write(draw, (x + INNER, y + high // 2 - 12), "no picture: the video file is missing", 18, "#cfcfcf")
    else:
        image.paste(Image.fromarray(tile.picture).resize((wide, high), Image.Resampling.LANCZOS), (x, y))
    write(draw, (x + INNER, y + high + 9), tile.name, 21, INK)
    if tile.time:
        shift = length(tile.time, 19)
        write(draw, (x + wide - INNER - round(shift), y + high + 10), tile.time, 19, SOFT)
    for n, line in enumerate(text):
        write(draw, (x + INNER, y + high + 42 + 26 * n), line, 19, INK)


def png(image: Image.Image, tiles: Sequence[object]) -> bytes:
    about = PngInfo()
    about.add_text(NOTE, json.dumps({"tiles": tiles}))
    out = io.BytesIO()
    image.save(out, "PNG", pnginfo=about, optimize=True)
    return out.getvalue()


# --- words ------------------------------------------------------------------------------


def wrapped(words: str, size: int, wide: int, most: int) -> list[str]:
    """Return up to `most` lines of at most `wide` pixels, at least one. Longer words are broken."""
    lines, line = [], ""
    for piece in _pieces(" ".join(words.split()), size, wide):
        joined = f"{line} {piece}" if line and not piece.startswith("\b") else line + piece.lstrip("\b")
        if line and length(joined, size) > wide:
            lines.append(line)
            joined = piece.lstrip("\b")
        line = joined
    lines.append(line)
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while last and length(f"{last}…", size) > wide:
        last = last[:-1]
    return [*lines[: most - 1], f"{last.rstrip()}…"]


def _pieces(words: str, size: int, wide: int) -> list[str]:
    """Split into words. Words longer than a line become letters, all but the first after a backspace."""
    found: list[str] = []
    for word in words.split(" "):
        if length(word, size) <= wide:
            found.append(word)
        else:
            found += [word[0], *(f"\b{letter}" for letter in word[1:])]
    return found


def write(draw: ImageDraw.ImageDraw, at: tuple[int, int], words: str, size: int, colour: str) -> None:
    draw.text(at, words, font=_font_for(words, size), fill=colour)


def length(words: str, size: int) -> float:
    return float(_font_for(words, size).getlength(words))


def _font_for(words: str, size: int) -> Font:
    latin = all(ord(letter) < 0x250 or 0x2010 <= ord(letter) <= 0x2030 for letter in words)
    return _font(size) if latin else _wide_font(size)


@cache
def _font(size: int) -> Font:
    return ImageFont.load_default(size)


@cache
def _wide_font(size: int) -> Font:
    """Return a system font that covers more scripts, else the built-in font."""
    for name in _WIDE_FONTS:
        if Path(name).is_file():
            return ImageFont.truetype(name, size)
    return _font(size)
