"""A report to hand over: what it holds, what stays out, and how large it gets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from annotation.intake.add_video import add_video
from annotation.people.who_labels_blind import set_mode
from annotation.records.decisions import Person
from annotation.stages.media_library import MediaLibrary
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from exports.catalogue import format_registry as formats
from exports.files.format_types import Wanted
from exports.offline_report import pictures
from exports.offline_report.contents import contents_of
from exports.sample import SAMPLE, TITLE
from tests.exports.notes import note
from tests.exports.world import filled_store
from tests.judged_sample import ITEMS, sample_workspace

RESEARCHER = Person(id="per-r", name="Rae", role="researcher", created_at=1.0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = filled_store(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The sample's evaluation with its clip; nothing is measured."""
    made = sample_workspace(tmp_path_factory.mktemp("report"))
    add_video(made.store, made.media, SAMPLE / "clip.mp4", title=TITLE)
    yield made
    made.close()


@pytest.fixture(scope="module")
def media(space: Workspace) -> Iterator[MediaLibrary]:
    made = MediaLibrary(space.media)
    yield made
    made.close()


class Links(HTMLParser):
    """Everything that a page may fetch or lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.found += [str(value) for name, value in attrs if name in ("src", "href", "data", "action")]


def page(store: Store, folder: Path, **more: str) -> str:
    formats.write(store, "report", folder, **more)
    return (folder / "index.html").read_text(encoding="utf-8")


def test_every_question_has_its_answer_and_what_was_corrected(store: Store, tmp_path: Path) -> None:
    text = page(store, tmp_path / "report")
    found = contents_of(Wanted(store, None, "current"))
    assert found is not None and found.asked
    assert len(re.findall(r"<details class=q ", text)) == len(found.asked)
    corrected = [one for one in found.asked if one.corrected]
    assert corrected and text.count("corrected by a person") == len(corrected)
    assert "corrected by a person" not in page(store, tmp_path / "machine", values="machine")


def test_words_of_models_and_people_do_nothing(store: Store, tmp_path: Path) -> None:
    """The world's texts hold tags, quotes and formulas."""
    text = page(store, tmp_path / "report", values="machine")
    assert "&lt;b&gt;" in text
    links = Links()
    links.feed(text)
    assert not links.tags & {"b", "i", "iframe", "object", "link", "base", "form", "a"}
    assert links.found == []
    assert "http:" not in text and "https:" not in text


def test_nobody_is_named(store: Store, tmp_path: Path) -> None:
    text = page(store, tmp_path / "report")
    assert all(person.name not in text for person in store.find(Person))


def test_what_is_excluded_stays_out(store: Store, tmp_path: Path) -> None:
    """The world's third question is excluded."""
    found = contents_of(Wanted(store, None, "current"))
    assert found is not None and found.excluded == 1
    assert "qst-3" not in {one.row.question.id for one in found.asked}
    assert "questions that people excluded, not listed: 1" in page(store, tmp_path / "report")
    assert "people excluded, not listed: 1" in note(store, "report")


def test_labels_of_somebody_who_labels_blind_stay_out(store: Store, tmp_path: Path) -> None:
    before = contents_of(Wanted(store, None, "current"))
    store.add([RESEARCHER])
    assert before is not None and before.blind == 0
    set_mode(store, RESEARCHER, "per-1", True)
    after = contents_of(Wanted(store, None, "current"))
    assert after is not None
    gone = {one.row.verdict.id for one in before.asked if one.row.verdict} - {
        one.row.verdict.id for one in after.asked if one.row.verdict
    }
    assert gone == {"jdg-1", "jdg-2"}
    assert after.blind == 2
    assert "labelled by a person who labels blind, not listed: 2" in page(store, tmp_path / "report")


def test_the_scores_say_how_they_were_made(store: Store, tmp_path: Path) -> None:
    text = page(store, tmp_path / "report")
    assert "policy parsed: readable verdicts only" in text
    assert re.search(r"judged by [^(]+\(prompt ", text)


def test_frames_lie_beside_the_page(space: Workspace, media: MediaLibrary, tmp_path: Path) -> None:
    files = formats.write(space.store, "report", tmp_path / "report", media=media)
    text = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    links = Links()
    links.feed(text)
    assert len(links.found) > ITEMS
    assert {tmp_path / "report" / name for name in links.found} == {f for f in files if f.suffix == ".jpg"}
    assert all(file.read_bytes().startswith(b"\xff\xd8") for file in files if file.suffix == ".jpg")


def test_a_thousand_questions_stay_below_40_mb(space: Workspace, media: MediaLibrary, tmp_path: Path) -> None:
    """Pictures have a budget per question; what is left of 40 MB is room for the words."""
    assert 1_000 * pictures.BYTES <= 30_000_000
    text = page(space.store, tmp_path / "report")
    assert len(text.encode()) / ITEMS * 1_000 < 10_000_000


def test_where_the_budget_ends_first_frames_go_before_second_ones(
    space: Workspace, media: MediaLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = contents_of(Wanted(space.store, None, "current"))
    assert found is not None
    whole = pictures.pictures_of(space.store, media, found.asked)
    sizes = {name: path.stat().st_size for name, path in whole.files.items()}
    firsts = {frames[0].file for frames in whole.of.values()}
    assert len(firsts) < len(sizes)
    room = sum(sizes[name] for name in firsts)
    monkeypatch.setattr(pictures, "BYTES", room / len(found.asked))
    less = pictures.pictures_of(space.store, media, found.asked)
    assert set(less.files) == firsts
    assert less.dropped
    assert all(len(frames) >= 1 for frames in less.of.values())


def test_a_video_whose_file_is_gone_is_said(tmp_path: Path) -> None:
    space = sample_workspace(tmp_path / "workspace")
    media = MediaLibrary(space.media)
    text_of = tmp_path / "report"
    formats.write(space.store, "report", text_of, media=media)
    media.close()
    space.close()
    assert "videos without frames, because the file is missing or unreadable: 1" in (
        text_of / "index.html"
    ).read_text(encoding="utf-8")
