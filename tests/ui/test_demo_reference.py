"""A reference that a visitor pastes into the Demo page."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import pytest

from annotation.systems.vdc.system import QUESTIONS
from backends.errors import UsageError
from tests.bench import Bench
from ui.demo.clips.clip_run import STAGES, ClipRun
from ui.demo.clips.demo_clips import DemoClip
from ui.demo.demo_page import ASKED
from ui.demo.sections.pasted_reference import LONGEST_FILE, LONGEST_TEXT, keep_reference, read_reference_file
from ui.demo.sections.questions_section import _rows

FIELDS = {"short_caption": "A boat.", "camera_caption": "Static."}
TEXTS = {"short": "A boat.", "camera": "Static."}
RECORD = {"video_id": "a", "captions": FIELDS}


def written(tmp_path: Path, content: object) -> Path:
    file = tmp_path / "reference.json"
    file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return file


@pytest.mark.parametrize(
    "content",
    [
        FIELDS,
        RECORD,
        [RECORD, {"captions": {"short_caption": "Another."}}],
        TEXTS,
        {**FIELDS, "captions": "not these", "detailed_caption": None, "background_caption": 5},
        b"\xef\xbb\xbf" + json.dumps(RECORD).encode(),
        json.dumps(RECORD).encode() + b"\n" + json.dumps({"short": "Another."}).encode() + b"\n",
        b"\n\n" + json.dumps(RECORD).encode() + b"\r\nbroken",
    ],
)
def test_layouts(tmp_path: Path, content: object) -> None:
    assert read_reference_file(written(tmp_path, content)) == TEXTS


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not JSON"),
        (b'{"short": "A boat."', "not JSON"),
        (b"\xff\xfe{\x00", "not JSON"),
        (b"[" * 200_000, "not JSON"),
        (b'{"short":' * 100_000, "not JSON"),
        (b"9" * 10_000, "not JSON"),
        (b"[]", "expected an object with short_caption"),
        (b"null", "expected an object"),
        (b'"words"', "expected an object"),
        (b"[[1, 2]]", "expected an object"),
        (b"{}", "expected an object"),
        ({"captions": {"short_caption": " "}}, "expected an object"),
        ({"captions": [FIELDS]}, "expected an object"),
        ({"short_caption": 5}, "expected an object"),
        (b'{"short_caption": "half \\ud83d"}', "half a surrogate pair"),
        (b'{"short_caption": "NUL \\u0000"}', "a NUL character"),
        (b" " * (LONGEST_FILE + 1), "larger than 1 MB"),
    ],
)
def test_what_is_not_a_reference(tmp_path: Path, content: object, words: str) -> None:
    with pytest.raises(UsageError, match=words) as error:
        read_reference_file(written(tmp_path, content))
    assert len(str(error.value)) < 300


@pytest.fixture
def demo(bench: Bench, clip: Path, tmp_path: Path) -> DemoClip:
    made = DemoClip(tmp_path / "home", clip)
    run(bench, made, STAGES, {})
    return made


def run(bench: Bench, clip: DemoClip, stages: tuple, texts: dict[str, str]) -> str:  # type: ignore[type-arg]
    def prepare(one: DemoClip) -> None:
        one.add()
        keep_reference(one, texts)  # type: ignore[arg-type]

    running = ClipRun(clip, stages, lambda: nullcontext(bench.engines()), prepare)
    running.start()
    running._thread.join()
    return running.failed


def asked(clip: DemoClip) -> str:
    return " / ".join(f"{row.asked.value} {row.reference.value}" for row in _rows(clip))


def test_questions_of_another_reference_replace_the_old_ones(bench: Bench, demo: DemoClip) -> None:
    stages = ASKED
    empty = dict.fromkeys(("camera", "short", "background", "main_object", "detailed"), "")
    try:
        assert run(bench, demo, stages, {**empty, "short": "A blue boat sails."}) == ""
        assert "boat" in asked(demo)
        assert run(bench, demo, stages, {**empty, "short": "A red car drives."}) == ""
        assert "car" in asked(demo) and "boat" not in asked(demo)
    finally:
        demo.close()


def test_texts_that_are_not_stored(bench: Bench, demo: DemoClip) -> None:
    try:
        for text, words in (
            ("a" * (LONGEST_TEXT + 1), "the short caption has more than 20,000 characters; shorten it"),
            ("half \ud83d", "the short caption: the text contains"),
        ):
            assert words in run(bench, demo, (QUESTIONS,), {"short": text})
    finally:
        demo.close()
