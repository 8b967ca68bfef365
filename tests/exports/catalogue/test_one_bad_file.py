"""A file that cannot be read costs only itself: what lies beside it is found, and the file is named."""

from __future__ import annotations

import io
import json
import os
import pickle
import resource
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest

from annotation.records.captions_to_verdicts import Question, Text
from annotation.workspace.limit_settings import Limits
from exports.catalogue import format_registry as formats
from exports.catalogue.sort_found_files import Contents, contents
from tests.bench import clip
from tests.databases import new_store

__all__ = ["clip"]
CAPTIONS = json.dumps({"video_id": "vid0", "short_caption": "a bright café"}, ensure_ascii=False) + "\n"
QUESTIONS = json.dumps({"vid0": [{"question": "q", "answer": "a"}]}) + "\n"
TABLE = "video\tquestion\tanswer\tcaption_type\nvid0\t[{'question': 'q', 'answer': 'café'}]\t\tcamera\n"
PICKLE = pickle.dumps({"a": [1, 2]})


def named_pipe(path: Path) -> None:
    os.mkfifo(path)


def unreadable(path: Path) -> None:
    """A regular file that opens, and whose bytes the system does not give."""
    path.symlink_to("/proc/self/mem")


def bytes_of(content: bytes) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(content) and None


def zip_with_damaged_member(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.jsonl", "x" * 500)
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b"x" * 100, b"y" * 100, 1))


BAD: dict[str, tuple[str, Callable[[Path], None]]] = {
    "half a UTF-16 character": ("bad.json", bytes_of('[{"q": "é"}]'.encode("utf-16")[:-1])),
    "pickle called json": ("bad.json", bytes_of(PICKLE)),
    "pickle called jsonl": ("bad.jsonl", bytes_of(PICKLE)),
    "random bytes": ("bad.json", bytes_of(bytes(range(256)) * 9)),
    "deep": ("bad.json", bytes_of(b"[" * 100_000)),
    "empty": ("bad.json", bytes_of(b"")),
    "subtitles in Latin-1": ("bad.srt", bytes_of(b"1\n00:00:00,000 --> 00:00:01,000\ncaf\xe9\n")),
    "workbook": ("bad.xlsx", bytes_of(b"PK\x03\x04 no workbook")),
    "archive": ("bad.zip", bytes_of(b"PK\x03\x04 no archive")),
    "archive with a damaged file": ("bad.zip", zip_with_damaged_member),
    "cut tar": ("bad.tar.gz", bytes_of(b"\x1f\x8b\x08 no archive")),
    "pipe": ("bad.json", named_pipe),
    "read error": ("bad.json", unreadable),
    "link without end": ("bad.json", lambda path: path.symlink_to(path.name)),
    "table": ("bad.csv", bytes_of(b"video_id,short\n\xff\xfe\x00,x\n")),
}


NAMED = {"pipe", "link without end"}
"""What is an error of its own where a person names the path itself."""


def seen(room: Path, *paths: Path) -> Contents:
    room.mkdir()
    return contents(paths, Limits(), room)


@pytest.mark.parametrize(
    ("bad", "folder"), [*product(BAD, [True]), *product(sorted(BAD.keys() - NAMED), [False])]
)
def test_what_lies_beside_a_bad_file_is_found(tmp_path: Path, clip: Path, bad: str, folder: bool) -> None:
    name, make = BAD[bad]
    place = tmp_path / "drop"
    place.mkdir()
    shutil.copy(clip, place / "film.mp4")
    (place / "captions.jsonl").write_text(CAPTIONS, encoding="utf-8")
    make(place / name)
    found = seen(tmp_path / "room", *([place] if folder else sorted(place.iterdir())))
    assert [file.name for file in found.videos] == ["film.mp4"]
    assert [one.format for one in found.found] == ["vdc-captions"]
    [problem] = found.unread
    assert problem.where.startswith("bad") and problem.what


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig"])
def test_a_text_is_read_by_its_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    rows = [f'{{"video_id": "vid{n}", "short_caption": "café {n}\u2028 one line"}}\n' for n in range(3000)]
    for name, text, count in (
        ("camera.jsonl", QUESTIONS, 1),
        ("lines.jsonl", "".join(rows), 3000),
        ("list.json", f"[{','.join(rows)}]", 3000),
        ("table.tsv", TABLE, 1),
    ):
        path = tmp_path / name
        path.write_bytes((mark + text).encode(encoding))
        batch = formats.read(path)
        kind = Question if name in ("camera.jsonl", "table.tsv") else Text
        assert len(list(batch.records.of_kind(kind))) == count, name
        assert [p for p in batch.problems if "has no" not in p.what] == []


def test_a_file_and_a_folder_of_one_name_are_both_unpacked(tmp_path: Path) -> None:
    archive, tar = tmp_path / "a.zip", tmp_path / "b.tar"
    with zipfile.ZipFile(archive, "w") as packed:
        for name, text in (("d", "x"), ("d/captions.jsonl", CAPTIONS), ("e/x.txt", "x"), ("e", QUESTIONS)):
            packed.writestr(name, text)
    with tarfile.open(tar, "w") as packed_too, zipfile.ZipFile(archive) as packed:
        for item in packed.infolist():
            about = tarfile.TarInfo(item.filename)
            about.size = item.file_size
            with packed.open(item) as content:
                packed_too.addfile(about, content)
    for path in (archive, tar):
        found = seen(tmp_path / f"room of {path.name}", path)
        assert sorted(one.format for one in found.found) == ["vdc-captions", "vdc-qa"]
        assert len(found.unread) == 2 and all("unknown format" in one.what for one in found.unread)


def test_a_damaged_file_of_an_archive_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("bad.jsonl", "x" * 500)
        archive.writestr("captions.jsonl", CAPTIONS)
    path.write_bytes(path.read_bytes().replace(b"x" * 100, b"y" * 100, 1))
    found = seen(tmp_path / "room", path)
    assert [one.format for one in found.found] == ["vdc-captions"]
    [problem] = found.unread
    assert problem.where.endswith("bad.jsonl") and "damaged" in problem.what


def tar(path: Path, files: dict[str, bytes]) -> Path:
    packing = {".gz": "w:gz", ".tgz": "w:gz", ".xz": "w:xz"}.get(path.suffix, "w")
    with tarfile.open(path, packing) as packed:  # type: ignore[call-overload]
        for name, content in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            packed.addfile(about, io.BytesIO(content))
    return path


def captions_and_more(path: Path, size: int) -> Path:
    """A tar archive of captions and two files of so many bytes that compress badly."""
    more = {f"file-{number}.jsonl": os.urandom(size) for number in (1, 2)}
    return tar(path, {"captions.jsonl": CAPTIONS.encode(), **more})


def flipped(raw: bytes, at: int) -> bytes:
    changed = bytearray(raw)
    changed[at] ^= 0xFF
    return bytes(changed)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut in a file": lambda raw: raw[: len(raw) * 3 // 4],
    "cut in the checksum": lambda raw: raw[:-5],
    "wrong checksum": lambda raw: flipped(raw, -6),
}


@pytest.mark.parametrize("suffix", [".tar.gz", ".tgz", ".tar.xz"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_tar_is_named_and_what_can_be_read_stays(tmp_path: Path, suffix: str, damage: str) -> None:
    path = captions_and_more(tmp_path / f"a{suffix}", 400_000)
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    found = seen(tmp_path / "room", path)
    assert [one.format for one in found.found] == ["vdc-captions"]
    whole = next(one for one in found.unread if one.where == path.name)
    assert "damaged" in whole.what and "files may be missing" in whole.what


@pytest.mark.parametrize("damage", ["header", "end", "file"])
def test_a_plain_tar_that_breaks_off_is_named(tmp_path: Path, damage: str) -> None:
    """Behind the captions (header and one block) the header of the next file begins."""
    path, second = captions_and_more(tmp_path / "a.tar", 2000), 2 * tarfile.BLOCKSIZE
    raw = path.read_bytes()
    changed = {"header": flipped(raw, second + 150), "end": raw[:second], "file": raw[: second + 600]}
    path.write_bytes(changed[damage])
    found = seen(tmp_path / "room", path)
    assert [one.format for one in found.found] == ["vdc-captions"]
    assert any(one.where == "a.tar" and "files may be missing" in one.what for one in found.unread)
    assert not [*(tmp_path / "room").rglob("file-1.jsonl")]  # no part of a file is left


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """No file of this process grows further: an OSError that is not a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_that_cannot_be_written_is_named_and_no_part_of_it_stays(tmp_path: Path) -> None:
    captions = CAPTIONS.encode()
    files = {"large.jsonl": captions * 30_000, f"{'x' * 300}.jsonl": captions, "captions.jsonl": captions}
    path = tar(tmp_path / "a.tar", files)
    with files_of_at_most(1_000_000):
        found = seen(tmp_path / "room", path)
    assert [file.name for one in found.found for file in one.bundle.files] == ["captions.jsonl"]
    why = {Path(one.where).name[:5]: one.what for one in found.unread}
    long = "its name has 306 bytes, at most 200 are allowed; rename it in the archive"
    assert why == {"large": "File too large", "xxxxx": long}


def test_what_systems_leave_in_archives_is_left_out(tmp_path: Path, clip: Path) -> None:
    path = tmp_path / "mac.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(clip, "data/vid0.mp4")
        for name in ("__MACOSX/data/._vid0.mp4", "data/.DS_Store", "data/._vid0.mp4", "Thumbs.db"):
            archive.writestr(name, b"\x00\x05\x16\x07")
    found = seen(tmp_path / "room", path)
    assert [one.name for one in found.packed] == ["data/vid0.mp4"] and found.unread == ()


def vript(number: int) -> str:
    clip_id = f"v{number}-Scene-001"
    row = {
        "clip_id": clip_id,
        "caption": {"content": "c", "shot_type": "", "camera_movement": "", "scene_title": ""},
    }
    return json.dumps({"meta": {"video_id": f"v{number}", "num_clips": 1}, "data": {clip_id: row}})


def progcap(number: int) -> str:
    files = [f"v{number}/{n}.jpg" for n in (1, 2)]
    return json.dumps([{"idx": f"i{number}", "n_frames": 2, "image_files": files, "response0": "a"}])


FOLDERS: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "vdc-qa": (("camera.jsonl", QUESTIONS), ("detailed.jsonl", QUESTIONS)),
    "vript": (("v1_caption.json", vript(1)), ("v2_caption.json", vript(2))),
    "progcap": (("a.json", progcap(1)), ("b.json", progcap(2))),
}


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("at", [0, 1])
def test_a_bad_file_of_a_folder_is_a_problem_of_it(tmp_path: Path, name: str, at: int) -> None:
    both, good = tmp_path / "both", tmp_path / "good"
    for folder, files in ((both, FOLDERS[name]), (good, [FOLDERS[name][1 - at]])):
        folder.mkdir()
        for file, text in files:
            (folder / file).write_text(text)
    bad = both / FOLDERS[name][at][0]
    bad.write_bytes(bad.read_bytes() + b'{"one": "more"\n')
    batch, alone = formats.read(both, format=name), formats.read(good, format=name)
    assert batch.counts() == alone.counts() and batch.counts()
    assert [problem.where for problem in batch.problems if "not JSON" in problem.what] != []
    store = new_store(tmp_path)
    formats.commit(store, batch)
