"""The checks of question sets: small cases of each rule, and the published questions of VDC."""

from __future__ import annotations

import pytest

from annotation.checks.question_checks import CHECKS, Asked, counts, lint
from exports.catalogue.lint_files import from_files
from tests.paths import SHARED

PUBLISHED = SHARED / "data" / "vdc" / "qa"


def checks(answer: str = "a red car", question: str = "What drives by?", category: str = "") -> set[str]:
    asked = Asked(video="v", aspect="camera", question=question, answer=answer, category=category)
    return {defect.check for defect in lint([asked])}


@pytest.mark.parametrize(
    ("answer", "category", "found"),
    [
        ("a red car", "object", set()),
        ("the subject or the setting?, Both", "", {"comma_split", "question_mark_in_answer"}),
        ("is it red ? , yes", "", {"comma_split", "question_mark_in_answer"}),
        ("What?", "", {"question_mark_in_answer"}),
        ("Object", "", {"placeholder"}),
        ("the object", "", set()),
        ("Camera angle.", "camera angle", {"placeholder"}),
        ("Not specified in the description", "", {"unknown_answer"}),
        ("unknown", "", {"unknown_answer"}),
        ("It is not mentioned.", "", {"unknown_answer"}),
        ("N/A", "", {"unknown_answer"}),
        ("an unknown man", "", set()),
        ("nonetheless", "", set()),
        ("not specified, but likely a dog", "", set()),
        ("a red car'", "", {"stray_quote"}),
        ('"a red car', "", {"stray_quote"}),
        ("a red car", "object'", {"stray_quote"}),
        ("the man's car", "", set()),
        ("", "", {"empty"}),
        ("  ", "object", {"empty"}),
    ],
)
def test_one_question(answer: str, category: str, found: set[str]) -> None:
    assert checks(answer, category=category) == found


def test_an_empty_question_is_one_finding() -> None:
    assert [d.why for d in lint([Asked(video="v", aspect="short", question="", answer="")])] == [
        "no question and no answer"
    ]


def test_a_question_is_a_duplicate_only_within_its_list() -> None:
    def asked(video: str, group: str, aspect: str = "short") -> Asked:
        return Asked(video=video, aspect=aspect, question="Where?", answer="at sea", group=group)

    rows = [asked("a", "1"), asked("a", "1"), asked("a", "2"), asked("b", "1"), asked("a", "1", "camera")]
    assert [rows.index(d.asked) for d in lint(rows)] == [0]  # equal records: the second equals the first
    assert counts(lint(rows))["duplicate_question"] == {"short": 1}


def test_an_answer_is_looked_for_in_its_own_reference() -> None:
    reference = {("v", "camera"): "The camera pans slowly across a harbour where boats are moored."}

    def found(answer: str, video: str = "v") -> list[str]:
        asked = Asked(video=video, aspect="camera", question="What happens?", answer=answer)
        return [d.why for d in lint([asked], reference)]

    assert found("a slow panning shot of the boats") == []
    assert found("moored boat") == []
    assert found("it zooms in on a lighthouse keeper") == [
        "0 of 3 content words of the answer are in the reference caption"
    ]
    assert found("it is there") == []  # no content word to look for
    assert found("a lighthouse", video="another") == []


def test_every_check_is_counted_also_when_it_finds_nothing() -> None:
    assert counts([]) == {check: {} for check in CHECKS}


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published questions are not beside this project")
def test_counts_on_the_published_questions() -> None:
    """Defects that were counted by other means; the files hold 96,902 questions in all lines."""
    asked, _ = from_files([PUBLISHED])
    assert len(asked) == 96_902
    defects = list(lint(asked))
    found = counts(defects)

    def row(check: str, field: str = "") -> list[int]:
        wanted = [d for d in defects if d.check == check and field in ("", d.field)]
        each = counts(wanted)[check]
        return [each.get(a, 0) for a in ("camera", "short", "background", "main_object", "detailed")]

    assert row("comma_split") == [113, 34, 100, 181, 391]
    assert row("question_mark_in_answer") == [137, 40, 125, 205, 422]
    assert row("duplicate_question") == [35, 188, 33, 107, 1]
    assert row("stray_quote", "category") == [0, 0, 0, 1303, 1910]
    assert row("stray_quote", "answer") == [58, 0, 3, 504, 837]
    assert row("empty") == [0, 2, 0, 0, 1]
    # Rules of our own: these counts stand in docs/lint.md.
    assert row("placeholder") == [363, 109, 186, 300, 387]
    assert row("unknown_answer") == [319, 1919, 501, 483, 92]
    assert sum(found["not_in_reference"].values()) == 0  # no captions were given
