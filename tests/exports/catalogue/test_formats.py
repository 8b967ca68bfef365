"""Every format: detected by its shape, written whole, read back with what it can hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.records.captions_to_verdicts import Text
from annotation.records.errors import FormatError, NotFound
from annotation.records.runs import Evaluation
from annotation.records.videos import Video
from annotation.store.store import Store
from annotation.workspace.limit_settings import UNBOUNDED
from backends.digest import digest
from backends.errors import UsageError
from exports.catalogue import format_registry as formats
from exports.catalogue.format_registry import FORMATS, Problem
from exports.catalogue.sort_found_files import contents
from exports.files.read_tables import table_rows
from tests.databases import new_store
from tests.exports.world import fill, filled_store
from tests.paths import ROOT

REAL_QA = ROOT / ".." / "shared" / "data" / "vdc" / "qa"
OF_THEIR_OWN = {"vript-rr-judge", "dream-infos", "capst-description", "carebench-folder", "retrieval"}
"""Written from one kind of evaluation, or with the videos' files: they have tests of their own."""
PATCHES = {"vdc-qa-patch", "label-studio"}
WRITTEN = [f.name for f in FORMATS.values() if f.writer and f.name not in OF_THEIR_OWN]
READABLE = [name for name in WRITTEN if FORMATS[name].reader and name not in PATCHES]
"""Both ways; logs of peers that are only read, and patches of what is there, have tests of their own."""
TOLD_AS = {"scenes-srt": "srt", "scenes-vtt": "vtt"}
"""Cues of scenes look like cues of speech."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return filled_store(tmp_path)


def out_of(folder: Path, name: str) -> Path:
    return folder / f"written{FORMATS[name].suffix}"


def content(path: Path) -> dict[str, str]:
    """Texts as they are; of tables their rows, since a file of them holds the time of writing."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return {file.name: _text_of(file) for file in files}


def _text_of(file: Path) -> str:
    raw = file.read_bytes()
    if raw.startswith(b"PK"):
        return "\n".join(str(row.cells) for row in table_rows(file))
    if raw.startswith(b"PAR1"):
        from pyarrow import parquet

        return str(parquet.read_table(file).to_pylist())
    if raw.startswith((b"\x89PNG", b"\xff\xd8")):
        return digest(raw.hex())
    return raw.decode("utf-8")


@pytest.mark.parametrize("name", WRITTEN)
def test_each_says_what_it_is_and_what_it_loses(name: str) -> None:
    known = FORMATS[name]
    assert known.name == name
    assert known.reader or known.writer
    for words in (known.what, known.cannot_hold, known.looks_for):
        assert words and "\n" not in words


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_written_is_recognised_whatever_it_is_called(store: Store, tmp_path: Path, name: str) -> None:
    files = formats.write(store, name, tmp_path / "some-name")
    assert files and all(file.is_file() for file in files)
    assert formats.detect(tmp_path / "some-name") == TOLD_AS.get(name, name)


@pytest.mark.parametrize("name", [n for n in WRITTEN if not (FORMATS[n].suffix or FORMATS[n].each)])
def test_a_written_folder_is_one_thing_where_it_lies(store: Store, tmp_path: Path, name: str) -> None:
    """Also among others; one that is only written is told so once, and not its files."""
    written = formats.write(store, name, tmp_path / "out" / "some-name")
    for given in (tmp_path / "out", tmp_path / "out" / "some-name"):
        found = contents([given], UNBOUNDED, tmp_path)
        if FORMATS[name].reader:
            files = [file for one in found.found for file in one.bundle.files]
            assert (sorted(files), found.unread) == (sorted(written), ())
        else:
            said = Problem("some-name", f"{name} can be written but not read")
            assert (found.found, found.unread) == ((), (said,))
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("values", ["machine", "current"])
@pytest.mark.parametrize("name", READABLE)
def test_a_round_trip_gives_the_same_file(store: Store, tmp_path: Path, name: str, values: str) -> None:
    """Out, into an empty workspace, out again: the same bytes, and a second import adds nothing."""
    first, second = out_of(tmp_path, name), out_of(tmp_path / "again", name)
    formats.write(store, name, first, values=values)
    other = new_store(tmp_path, "other")
    batch = formats.read(first, other)
    assert batch.problems == ()
    assert formats.commit(other, batch)
    assert formats.commit(other, formats.read(first, other)) == {}
    formats.write(other, name, second, values=values)
    if name == "dailies-jsonl":
        assert sorted(content(first)["written.jsonl"].splitlines()) == sorted(
            content(second)["written.jsonl"].splitlines()
        )
    else:
        assert _ignoring_values(content(second)) == _ignoring_values(content(first))


def _ignoring_values(files: dict[str, str]) -> dict[str, object]:
    """A log's list of prompt hashes names one of a stage that has no file; its means leave out the questions
    that a person excluded, which no line says."""
    if "manifest.json" in files:
        manifest = json.loads(files.pop("manifest.json"))
        manifest["prompt_hashes"].pop("questions")
        if manifest["values"] == "current":
            del manifest["scores"], manifest["overall"]
        return {**files, "manifest": manifest}
    return dict(files)


@pytest.mark.parametrize("name", READABLE)
def test_import_into_the_workspace_it_came_from_changes_no_video(
    store: Store, tmp_path: Path, name: str
) -> None:
    before = store.get(Video, "vid-1")
    formats.write(store, name, out_of(tmp_path, name), values="machine")
    formats.commit(store, formats.read(out_of(tmp_path, name), store))
    assert store.find(Video) == [before]


@pytest.mark.parametrize("name", WRITTEN)
def test_nothing_else_is_overwritten(store: Store, tmp_path: Path, name: str) -> None:
    out = out_of(tmp_path, name)
    if FORMATS[name].suffix:
        out.write_text("my own notes", encoding="utf-8")
    else:
        out.mkdir()
        (out / "notes.txt").write_text("my own notes", encoding="utf-8")
    before = content(out)
    with pytest.raises(UsageError, match="choose"):
        formats.write(store, name, out)
    assert content(out) == before
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("name", WRITTEN)
def test_writing_again_replaces_the_earlier_export(store: Store, tmp_path: Path, name: str) -> None:
    out = out_of(tmp_path, name)
    formats.write(store, name, out, values="machine")
    formats.write(store, name, out, values="current")
    fresh = tmp_path / "fresh" / out.name
    formats.write(store, name, fresh, values="current")
    assert content(out) == content(fresh)


@pytest.mark.parametrize("name", WRITTEN)
def test_an_empty_workspace_has_nothing_to_write_but_says_so(tmp_path: Path, name: str) -> None:
    if name == "dailies-jsonl":
        assert formats.write(new_store(tmp_path), name, tmp_path / "x.jsonl")
        return
    with pytest.raises(UsageError):
        formats.write(new_store(tmp_path), name, out_of(tmp_path, name))
    assert not out_of(tmp_path, name).exists()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("vdc_captions.jsonl", "vdc-captions"),
        ("vdc_qa", "vdc-qa"),
        ("vdc_qa/camera.jsonl", "vdc-qa"),
        ("metadata.json", "carebench"),
        ("evaluation", "loveu"),
    ],
)
def test_the_sample_is_recognised_and_imports_without_a_word(tmp_path: Path, path: str, name: str) -> None:
    source = ROOT / "sample" / path
    if not source.exists():
        pytest.skip(f"sample/{path} is not in this checkout")
    store = new_store(tmp_path)
    assert formats.detect(source) == name
    batch = formats.read(source, store)
    assert batch.problems == ()
    counts = formats.commit(store, batch)
    assert counts["Video"] == 1
    assert counts == batch.counts()


def test_the_files_of_one_video_meet_in_it(tmp_path: Path) -> None:
    """The sample names its video by id in one file and by file name in another."""
    if not (ROOT / "sample" / "evaluation").exists():
        pytest.skip("the sample is not in this checkout")
    store = new_store(tmp_path)
    for name in ("vdc_captions.jsonl", "vdc_qa", "metadata.json", "evaluation"):
        formats.commit(store, formats.read(ROOT / "sample" / name, store))
    assert [video.title for video in store.find(Video)] == ["paper-boat"]


def test_the_published_questions_import_and_their_double_ids_are_reported(tmp_path: Path) -> None:
    if not REAL_QA.is_dir():
        pytest.skip("the published question files are not beside this checkout")
    assert formats.detect(REAL_QA) == "vdc-qa"
    batch = formats.read(REAL_QA / "main_object.jsonl", new_store(tmp_path))
    double = [p.what for p in batch.problems if "appears at" in p.what]
    assert len(double) == 4
    assert sum("they differ" in what for what in double) == 2
    # All lines hold 19311; of the second lines 20 + 19 + 19 + 19 questions are not taken.
    assert batch.counts()["Video"] == 1025
    assert 19_200 < batch.counts()["Question"] < 19_311


def test_what_is_no_format_is_told_where_to_look(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"hello": 1}\n', encoding="utf-8")
    with pytest.raises(FormatError) as refusal:
        formats.detect(path)
    assert "docs/formats.md" in str(refusal.value)
    assert not any(name in str(refusal.value) for name in READABLE)  # 29 names for each of many files


def test_asking_for_what_does_not_exist(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="choose from"):
        formats.write(store, "xlsx", tmp_path / "x")
    with pytest.raises(UsageError, match="machine or current"):
        formats.write(store, "vtt", tmp_path / "x", values="best")
    with pytest.raises(NotFound, match="first try"):
        formats.write(store, "loveu", tmp_path / "x", evaluation_id="evl-9")
    with pytest.raises(UsageError, match="leave out --evaluation"):
        formats.write(store, "vtt", tmp_path / "x", evaluation_id="evl-1")
    with pytest.raises(UsageError, match=r"this evaluation has no data .* leave out --evaluation"):
        formats.write(store, "carebench", tmp_path / "x", evaluation_id="evl-1")
    with pytest.raises(FormatError, match=r"nowhere\.jsonl"):
        formats.read(tmp_path / "nowhere.jsonl")
    files = formats.write(store, "verdicts-csv", tmp_path / "x.csv", evaluation_id="first try")
    with pytest.raises(UsageError, match="not read"):
        formats.read(files[0], store)
    store.add([Evaluation(id="evl-2", name="another", created_at=2.0)])
    with pytest.raises(
        UsageError, match=r"name .* \(argument `evaluation`\); existing evaluations: 'orders', 'another'"
    ):
        formats.write(store, "verdicts-csv", tmp_path / "x.csv")


def test_a_batch_that_does_not_fit_leaves_nothing(store: Store, tmp_path: Path) -> None:
    """Corrections disagree with those that are here: the records that came with them stay out, too."""
    formats.write(store, "dailies-jsonl", tmp_path / "a.jsonl")
    other = fill(new_store(tmp_path, "other"))
    other.add([Video(id="vid-2", title="new", created_at=1.0)])
    formats.write(other, "dailies-jsonl", tmp_path / "b.jsonl")
    before = store.count(Text)
    with pytest.raises(FormatError, match="nothing was written"):
        formats.commit(store, formats.read(tmp_path / "b.jsonl", store))
    assert (store.count(Video), store.count(Text)) == (1, before)
