"""Keyframes as files: contact sheet, pictures, JSON, and embeddings read in."""

from __future__ import annotations

import io
import json
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from annotation.editing import edits as services
from annotation.records.errors import FormatError, NotFound
from annotation.systems.progress_captioner.imported_frame_embeddings import embedding_names
from annotation.systems.progress_captioner.keyframes_of_video import Sheet, read_sheet
from backends.video.probe import probe
from exports.catalogue import format_registry as formats
from exports.progress_captioner.contact_sheet import NOTE, SHOWN_MS, WIDTH, Tile, columns_of, draw_sheet
from exports.progress_captioner.keyframes import contact_sheet, film, pick_row, pictures, slide
from exports.progress_captioner.slide import MARGIN
from tests.bench import Bench

LONG = "The knife cuts through the crust of the bread and a slice falls over. " * 12


def tile(n: int, caption: str = LONG, picture: bool = True) -> Tile:
    return Tile(
        n, f"#{n}", "00:01.000", caption, np.full((90, 160, 3), 40 * (n % 6), np.uint8) if picture else None
    )


def opened(png: bytes) -> tuple[Image.Image, list[list[int]]]:
    image = Image.open(io.BytesIO(png))
    assert isinstance(image, Image.Image)
    return image.convert("RGB"), [t["box"] for t in json.loads(image.text[NOTE])["tiles"]]  # type: ignore[attr-defined]


@pytest.mark.parametrize("count", [1, 2, 5, 17, 60])
def test_a_sheet_holds_every_tile_apart_from_the_others(count: int) -> None:
    image, boxes = opened(draw_sheet("A title", ["a line", "another"], [tile(n) for n in range(count)]))
    assert image.width == WIDTH and len(boxes) == count
    assert len({box[1] for box in boxes}) == -(-count // columns_of(count))
    for n, (x, y, w, h) in enumerate(boxes):
        assert x >= 0 and y > 0 and x + w <= image.width and y + h <= image.height
        assert image.getpixel((x + w // 2, y + 20)) == (40 * (n % 6),) * 3
        others = [b for m, b in enumerate(boxes) if m != n]
        assert not any(x < b[0] + b[2] and b[0] < x + w and y < b[1] + b[3] and b[1] < y + h for b in others)


def test_odd_texts_and_missing_pictures_are_drawn() -> None:
    tiles = [tile(0, ""), tile(1, "漢字" * 120), tile(2, "x" * 900), tile(3, LONG, picture=False)]
    image, boxes = opened(draw_sheet("T" * 400, [], tiles))
    assert len(boxes) == 4 and image.height < 900


@pytest.fixture
def sheet(bench: Bench) -> Sheet:
    bench.run("frames", "keyframes")
    return read_sheet(bench.store, bench.media, bench.video.id)


def test_a_row_as_pictures_and_as_a_sheet(bench: Bench, sheet: Sheet) -> None:
    row = pick_row(sheet, "clusters:progression")
    files = pictures(sheet, bench.media, row)
    assert [name.split(" (")[0] for name, _ in files] == [
        f"{n:02} frame {frame}" for n, frame in enumerate(row.frames, start=1)
    ]
    facts = bench.store.get(type(bench.video), bench.video.id).facts
    for _, content in files:
        assert isinstance(content, bytes)
        assert Image.open(io.BytesIO(content)).size == (facts.width, facts.height)
    _, boxes = opened(contact_sheet(sheet, bench.media, row))
    assert len(boxes) == len(row.frames)
    with pytest.raises(NotFound):
        pick_row(sheet, "uniform:person")


def test_a_row_as_a_film(bench: Bench, sheet: Sheet, tmp_path: Path) -> None:
    row = pick_row(sheet, "uniform:budget", budget=2)
    file = tmp_path / "row.mp4"
    file.write_bytes(film(sheet, bench.media, row))
    facts, _ = probe(file)
    assert (facts.codec, facts.browser_playable) == ("h264", True)
    assert facts.duration_s == pytest.approx(2 * SHOWN_MS / 1000, abs=0.05)
    with av.open(str(file)) as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    wanted = [Image.open(io.BytesIO(content)) for _, content in pictures(sheet, bench.media, row)]
    for frame, picture in zip((frames[0], frames[-1]), wanted, strict=True):
        small = np.asarray(picture.resize(frame.shape[1::-1]), np.int16)
        assert np.abs(frame.astype(np.int16) - small).mean() < 12


@pytest.mark.parametrize("budget", [2, 3, 6])
def test_all_rows_are_one_slide_with_every_frame(bench: Bench, sheet: Sheet, budget: int) -> None:
    image = Image.open(io.BytesIO(slide(sheet, bench.media, budget)))
    assert (image.format, image.size) == ("JPEG", (1920, 1080))
    distinct = len({row.frames for row in sheet.rows_of_budget(budget)})
    # Cards of rows are white where nothing is drawn: just inside the right edge of each.
    column = np.asarray(image.convert("RGB"))[:, 1920 - MARGIN - 6].min(axis=1) > 250
    assert np.count_nonzero(np.diff(column.astype(int)) == 1) == distinct


def test_the_folder_has_everything_and_a_persons_row(bench: Bench, sheet: Sheet, tmp_path: Path) -> None:
    owner = bench.workspace.owner()
    services.pick_frames(bench.store, owner, bench.video.id, sheet.indices[:2])
    files = {path.name: path for path in formats.write(bench.store, "keyframes", tmp_path / "out")}
    document = json.loads(files["keyframes.json"].read_text())["videos"][0]
    assert [c["frame"] for c in document["candidates"]] == sheet.indices
    assert document["judged_by"]["baseline"] and len(document["verdicts"]) == len(sheet.indices) - 1
    rows = {(r["method"], r["size_of"]): r for r in document["rows"]}
    assert rows["progression", None]["frames"] == list(sheet.rows[0].frames)
    assert rows["person", None]["frames"] == sheet.indices[:2] and rows["person", None]["by"] == owner.name
    assert "the baseline (no model)" in files["captions.txt"].read_text()
    jpegs = [name for name in files if name.endswith(".jpg")]
    assert len(jpegs) == len(sheet.rows[0].frames) and sum(n.endswith(".png") for n in files) == 1


def test_embeddings_come_in_and_decide_the_clusters(bench: Bench, sheet: Sheet, tmp_path: Path) -> None:
    """Groups by the place in the list, against what the pictures say."""
    path = tmp_path / "clip-vectors.npz"
    n = len(sheet.indices)
    vectors = np.eye(3)[np.arange(n) * 3 // n]
    np.savez(path, **{bench.video.title: vectors, f"{bench.video.title}/frames": np.array(sheet.indices)})
    assert formats.detect(path) == "frame-embeddings"
    formats.commit(bench.store, formats.read(path, bench.store))
    assert formats.commit(bench.store, formats.read(path, bench.store)) == {}
    assert embedding_names(bench.store, bench.video.id) == ["clip-vectors"]
    by_vectors = read_sheet(bench.store, bench.media, bench.video.id, looks="clip-vectors")
    kept = pick_row(by_vectors, "clusters").frames
    assert [sheet.indices.index(frame) * 3 // n for frame in kept] == [0, 1, 2]
    assert by_vectors.looks_offered[1:] == ("clip-vectors",)


def test_bad_embeddings_say_why(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, **{"not here": np.ones((3, 2))})
    with pytest.raises(FormatError, match="video not here not found"):
        formats.read(path, bench.store)
    np.savez(path, **{bench.video.id: np.array([object()], dtype=object)})
    with pytest.raises(FormatError, match="plain numbers"):
        formats.read(path, bench.store)
    np.savez(path, **{bench.video.id: np.ones((3, 2)), f"{bench.video.id}/frames": np.arange(2)})
    with pytest.raises(FormatError, match="2 frames or times for 3"):
        formats.read(path, bench.store)
