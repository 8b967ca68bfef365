"""Vript-Hard's files: items, replies and ratings in and out, on shapes of the benchmark and mutated ones."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from annotation.records.captions_to_verdicts import BenchmarkItem, Text, Verdict
from annotation.records.decisions import Person
from annotation.records.errors import FormatError
from annotation.reports.report_type import Options
from annotation.store.benchmark_of_evaluation import evaluations_of
from annotation.store.store import Store
from annotation.systems.vript.ero_scores import ero_table
from annotation.systems.vript.hard_items import ero_item, hard_rows, rr_item
from exports.catalogue import format_registry as formats
from exports.files.python_literal import read_literal
from exports.vript.hard_predictions import model_name
from exports.vript.hard_report import ero_lines, ero_report, ero_reports, rr_lines, rr_report, rr_reports
from tests.databases import new_store
from tests.paths import SHARED

BESIDE = SHARED / "data" / "vript-hard"
PERSON = Person(id="per-1", name="annotator one", role="annotator", created_at=1.0)
CHOICES = ["A yellow trophy.", "A yellow ornament.", "A yellow medal.", "A yellow cup."]


def rr_value(video: str, scene: int, right: int = 0, **more: Any) -> dict[str, Any]:
    """A line of RR_annotations.jsonl."""
    return {
        "video_id": video,
        "clip_id": f"{video}-Scene-{scene:03}",
        "question": f"What is it in {scene}?",
        "hint": "It's \"yellow\",\nand a cup: 'no'.",
        "multiple_choice": CHOICES,
        "multiple_choice_answer": CHOICES[right],
        "open_answer": "The answer is a trophy.",
        "scene_description": "A pig — [skis] {x}",
    } | more


def hal_value(clip: str) -> dict[str, Any]:
    """A line of HAL_annotations.jsonl: lists of two."""
    pair = ["A dog runs.", 'The "dog" isn\'t on the street.']
    fields = ("scene_title", "shot_type", "camera_movement", "content")
    return (
        {"video_id": clip[:11], "clip_id": clip, "video_title": "T"}
        | dict.fromkeys(fields, pair)
        | {"voiceover": "so"}
    )


def ero_value(video: str, answer: str = "CAB") -> dict[str, Any]:
    scenes = " ".join(f"[Scene ({x})] What {x} shows.\n" for x in "ABC")
    text = f"Below are the descriptions of three scenes in the video: {scenes}"
    return {"video_id": video, "question": text, "answer": answer}


def write_lines(path: Path, values: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(v, ensure_ascii=False) + "\n" for v in values), encoding="utf-8")
    return path


def write_table(path: Path, rows: Sequence[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return path


def load(store: Store, path: Path) -> tuple[str, ...]:
    batch = formats.read(path, store)
    formats.commit(store, batch)
    return tuple(problem.what for problem in batch.problems)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def full(store: Store, folder: Path) -> None:
    """All three tasks: two videos of RR with four scenes each; an id begins with '-'."""
    rr = [rr_value(v, s, n % 4) for v in ("-n5eIlDgY5w", "aaa") for n, s in enumerate((52, 138, 206, 292))]
    write_lines(folder / "RR_annotations.jsonl", rr)
    write_lines(folder / "HAL_annotations.jsonl", [hal_value(f"0wDuTuN6YxA-Scene-{n:03}") for n in (38, 40)])
    write_lines(folder / "ERO_annotations.jsonl", [ero_value("-e0"), ero_value("e1", "ABC")])
    for name in ("RR", "HAL", "ERO"):
        assert load(store, folder / f"{name}_annotations.jsonl") == ()


def test_annotations_come_back_as_they_were(store: Store, tmp_path: Path) -> None:
    full(store, tmp_path)
    formats.write(store, "vript-hard", tmp_path / "out")
    for file in ("RR", "HAL", "ERO"):
        name = f"{file}_annotations.jsonl"
        assert (tmp_path / "out" / name).read_text("utf-8") == (tmp_path / name).read_text("utf-8")
    again = new_store(tmp_path, "again")
    assert formats.detect(tmp_path / "out") == "vript-hard" and load(again, tmp_path / "out") == ()
    known = {(i.task, i.name): (i.id, i.value) for i in store.find(BenchmarkItem)}
    assert {(i.task, i.name): (i.id, i.value) for i in again.find(BenchmarkItem)} == known and len(
        known
    ) == 12


@pytest.mark.parametrize(
    "change",
    [{"voiceover": ["a", "b"]}, {"extra": {"deep": [1, None]}}, {"content": ["one"]}, {"clip_id": "x"}],
)
def test_mutated_annotations_are_kept_whole(store: Store, tmp_path: Path, change: dict[str, Any]) -> None:
    value = hal_value("0wDuTuN6YxA-Scene-038") | change
    problems = load(store, write_lines(tmp_path / "x.jsonl", [value]))
    assert [item.value for item in store.find(BenchmarkItem)] == [value]
    assert problems == (("1 captions, not 2",) if "content" in change else ())


def test_what_is_odd_is_reported(store: Store, tmp_path: Path) -> None:
    values = [
        rr_value("v", 1),
        rr_value("v", 1),
        rr_value("v", 2, multiple_choice_answer="nothing"),
        rr_value("v", 3, multiple_choice=CHOICES[:3]),
        {"video_id": 3},
        ero_value("e", "CAA"),
        rr_value("v", 4) | {"clip_id": ""},
    ]
    problems = load(store, write_lines(tmp_path / "RR_annotations.jsonl", values))
    for words in (
        "appears at",
        "not one of the options",
        "3 options",
        "not an annotation of",
        "not an order",
        "video_id or clip_id is missing",
        "do not have 4 questions",
    ):
        assert any(words in problem for problem in problems), words
    # The old name of HAL, and a JSON array.
    (tmp_path / "ERO_annotations.json").write_text(json.dumps([ero_value("e9")]), encoding="utf-8")
    assert load(store, tmp_path / "ERO_annotations.json") == ()


def replies(task: str) -> list[dict[str, str]]:
    """Tables as the benchmark's own: values printed by Python in `gt` and `meta`."""
    if task == "hal":
        values = [hal_value(f"0wDuTuN6YxA-Scene-{n:03}") for n in (38, 40)]
        return [
            {"id": v["clip_id"], "pred": "A dog, a car.\nSo.", "gt": repr(v["content"]), "meta": repr(v)}
            for v in values
        ]
    if task == "ero":
        texts = ("Scene (C), Scene (A), Scene (B)", "Scene (B) Scene (C) Scene (B)")
        return [{"id": v, "pred": text} for v, text in zip(("-e0", "e1"), texts, strict=True)]
    values = [rr_value(v, s, n) for v in ("-n5eIlDgY5w", "aaa") for n, s in enumerate((52, 138, 206, 292))]
    said = ["(A) yes", "(B) no (A)", "a cup", "", "(C)", "(A)", "(C)", "(D) 'x', \"y\""]
    return [
        {
            "id": v["video_id"],
            "pred": text,
            "meta": repr(v),
            "gt": f"({'ABCD'[n % 4]}) {v['multiple_choice_answer']}" if task == "rr" else v["open_answer"],
        }
        for n, (v, text) in enumerate(zip(values, said, strict=True))
    ]


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("hal", "HAL_llava_next_34b_output"),
        ("rr", "RR_video_videochat2_multiplechoice_output"),
        ("rr_open", "RR_video_videochat_openended_output"),
        ("ero", "ERO_claude-opus_output"),
    ],
)
def test_replies_come_back_as_they_were(store: Store, tmp_path: Path, task: str, name: str) -> None:
    if task == "ero":
        full(store, tmp_path)
    path = write_table(tmp_path / f"{name}.csv", replies(task))
    assert formats.detect(path) == "vript-predictions" and load(store, path) == ()
    formats.write(store, "vript-predictions", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == replies(task)
    assert load(store, path) == () and len(evaluations_of(store, f"vript-{task[:3].rstrip('_')}")) == 1


def test_models_are_told_by_the_files_name() -> None:
    found = {
        model_name(name)
        for name in (
            "RR_clip_videochat2_multiplechoice_output",
            "RR_video_videochat2_openended_output",
            "scores_RR_videochat2",
        )
    }
    assert found == {"videochat2"}
    assert (
        model_name("HAL_llava_next_34b_output") == "llava_next_34b" and model_name("RR_output") == "RR_output"
    )


def test_the_whole_video_has_an_id_per_question(store: Store, tmp_path: Path) -> None:
    """Without `meta`, the questions of a video follow each other; without annotations nothing parts them."""
    bare = [{"id": row["id"], "pred": row["pred"]} for row in replies("rr")]
    path = write_table(tmp_path / "RR_video_m.csv", bare)
    other = new_store(tmp_path, "other")
    problems = load(other, path)
    assert sum("import RR_annotations.jsonl first" in problem for problem in problems) == 6
    full(store, tmp_path)
    assert load(store, path) == ()
    [evaluation] = evaluations_of(store, "vript-rr")
    rows = hard_rows(store, evaluation.id)
    assert [row.place for row in rows] == ["15 %", "40 %", "60 %", "85 %"] * 2
    assert [rr_item(row).right for row in rows] == [True, True, None, None, False, False, True, True]
    assert {row.setting for row in rows} == {"whole"} and [row.replied for row in rows].count(False) == 1
    found = rr_report(store, evaluation)
    table = {(r["policy"], *r["group"].values()): (r["value"], r["n"]) for r in found["rows"]}
    assert table["published",] == (4 / 7, 7) and table["parsed",] == (4 / 6, 6)


def test_both_settings_are_compared_pairwise(store: Store, tmp_path: Path) -> None:
    full(store, tmp_path)
    whole = replies("rr")
    scene = [row | {"id": eval_meta(row)["clip_id"], "pred": row["gt"]} for row in whole]
    load(store, write_table(tmp_path / "RR_video_m_multiplechoice.csv", whole))
    load(store, write_table(tmp_path / "RR_clip_m_multiplechoice.csv", scene))
    for evaluation in evaluations_of(store, "vript-rr"):
        [published, parsed] = rr_report(store, evaluation)["settings"]
        assert (published["n"], published["both"], published["only_scene"]) == (7, 4, 3)
        assert (parsed["n"], parsed["difference"]) == (6, pytest.approx(-2 / 6))


def eval_meta(row: dict[str, str]) -> Any:
    return read_literal(row["meta"], "meta")


def test_the_artefact_is_flagged_and_a_person_settles_it(store: Store, tmp_path: Path) -> None:
    full(store, tmp_path)
    store.add([PERSON])
    load(store, write_table(tmp_path / "ERO_m.csv", replies("ero")))
    [evaluation] = evaluations_of(store, "vript-ero")
    report = ero_report(store, evaluation)
    assert report["id"] == evaluation.id
    assert [(one["item"], one["order"]) for one in report["flagged"]] == [("e1", "BCB")]
    store.correct(
        "verdict",
        report["flagged"][0]["id"],
        "verdict",
        {"label": "ABC", "score": None},
        person_id="per-1",
        base_revision=0,
    )
    after = ero_report(store, evaluation)
    assert after["flagged"] == []
    rows = ero_table([ero_item(row) for row in hard_rows(store, evaluation.id)], ["permutations"])
    assert [row["value"] for row in rows if row["metric"] == "at_3"] == [1.0]


def test_ratings_come_back_and_take_the_place_of_none(store: Store, tmp_path: Path) -> None:
    full(store, tmp_path)
    answers = replies("rr_open")
    load(store, write_table(tmp_path / "RR_video_m_openended_output.csv", answers))
    rows = [
        {
            "id": eval_meta(row)["clip_id"],
            "judge": str(n % 2 == 0),
            "model": "RR_video_m_openended_output.csv",
            "response": row["pred"],
        }
        for n, row in enumerate(answers)
        if row["pred"]
    ]
    path = write_table(tmp_path / "judged.csv", rows)
    assert formats.detect(path) == "vript-rr-judge" and load(store, path) == ()
    [evaluation] = evaluations_of(store, "vript-rr")
    found = hard_rows(store, evaluation.id)
    assert len(found) == 8 and [row.now.state for row in found].count("done") == 7
    assert [r["value"] for r in rr_report(store, evaluation)["rows"] if not r["group"]] == [4 / 7, 4 / 7]
    formats.write(store, "vript-rr-judge", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == rows
    alone = new_store(tmp_path, "alone")
    assert load(alone, path) == () and len(evaluations_of(alone, "vript-rr")) == 1
    assert alone.count(Text) == 7 == alone.count(Verdict)


def test_columns_of_scorers_and_unknown_ones_are_named(store: Store, tmp_path: Path) -> None:
    row = {"top3": "False", "top1": "True", "id": "v", "pred": "Scene (A)", "mine": "x"}
    problems = load(store, write_table(tmp_path / "scores_ERO_m.csv", [row]))
    assert all(any(words in p for p in problems) for words in ("column top3 is not read", "mine is not kept"))
    [verdict] = store.find(Verdict)
    assert (verdict.state, verdict.label) == ("unparsed", "")


@pytest.mark.parametrize(
    "cell",
    [
        "__import__('os').system('x')",
        "{'a': open}",
        "[" * 60 + "]" * 60,
        "{1: 2}",
        "{'a': 1e999}",
        "{'a': " + "9" * 400 + "}",
        "{'a': b'x'}",
        "{'a': {1, 2}}",
        "{'a': '\\ud800'}",
        "not python",
        "{'a': 'x'",
        "-" * 5000 + "1",
    ],
)
def test_what_is_no_plain_value_is_not_read(store: Store, tmp_path: Path, cell: str) -> None:
    with pytest.raises(FormatError):
        read_literal(cell, "x.csv line 2")
    row = {"id": "e0", "pred": "Scene (A) Scene (B) Scene (C)", "meta": cell}
    assert any("meta" in p for p in load(store, write_table(tmp_path / "ERO_m.csv", [row])))
    assert store.count(Verdict) == 1


def test_one_video_may_have_items_of_every_task(store: Store, tmp_path: Path) -> None:
    """Then the file's name tells which are meant."""
    rr = [rr_value("v", scene) for scene in (1, 2, 3, 4)]
    load(store, write_lines(tmp_path / "RR_annotations.jsonl", rr))
    load(store, write_lines(tmp_path / "ERO_annotations.jsonl", [ero_value("v")]))
    load(store, write_table(tmp_path / "ERO_m.csv", [{"id": "v", "pred": "Scene (C) Scene (A) Scene (B)"}]))
    load(store, write_table(tmp_path / "RR_video_m.csv", [{"id": "v", "pred": "(A)"} for _ in rr]))
    assert {j.subject_type: j.label for j in store.find(Verdict)} == {"ero_item": "CAB", "rr_item": "A"}


def test_a_table_that_tells_nothing_is_refused(tmp_path: Path) -> None:
    path = write_table(tmp_path / "x.csv", [{"id": "a", "pred": "b"}])
    with pytest.raises(FormatError, match="HAL, RR or ERO"):
        formats.read(path, new_store(tmp_path, "y"))


COUNTS = {
    "RR_clip_videochat2_multiplechoice_output": 79,
    "RR_video_videochat2_multiplechoice_output": 64,
    "RR_clip_videochat_multiplechoice_output": 51,
    "RR_video_videochat_multiplechoice_output": 34,
}


@pytest.mark.parametrize("name", COUNTS)
def test_the_benchmarks_own_files_give_the_quoted_counts(store: Store, name: str) -> None:
    path = BESIDE / f"{name}.csv"
    if not path.is_file():
        pytest.skip("the benchmark's tables of predictions are not beside this checkout")
    assert load(store, path) == ()
    [evaluation] = evaluations_of(store, "vript-rr")
    published = rr_report(store, evaluation)["rows"][0]
    assert (round(published["value"] * 152), published["n"]) == (COUNTS[name], 152)


def test_the_benchmarks_own_file_has_seven_readings_that_are_no_order(store: Store) -> None:
    path = BESIDE / "ERO_claude-opus_output.csv"
    if not path.is_file():
        pytest.skip("the benchmark's tables of predictions are not beside this checkout")
    load(store, path)
    flagged = ero_report(store, evaluations_of(store, "vript-ero")[0])["flagged"]
    assert sorted(one["order"] for one in flagged) == ["BAA", "BAB", "BCB", "BCB", "BCC", "CBC", "CCB"]


def test_what_a_table_says_is_right_counts_where_no_annotation_does(store: Store, tmp_path: Path) -> None:
    """`gt` without `meta`, which the benchmark's page allows; it goes out again."""
    ero = [
        {"id": n, "pred": f"Scene ({n[0]}) Scene ({n[1]}) Scene ({n[2]})", "gt": "ABC"}
        for n in ("ABC", "BAC")
    ]
    choice = [
        {"id": f"v-Scene-00{n}", "pred": "(B) it is", "gt": f"({x}) that"} for n, x in enumerate("AB", 1)
    ]
    load(store, write_table(tmp_path / "ERO_m.csv", ero))
    load(store, write_table(tmp_path / "RR_clip_m_multiplechoice.csv", choice))
    [evaluation] = evaluations_of(store, "vript-ero")
    report = ero_report(store, evaluation, ["published"])
    assert [row["value"] for row in report["rows"]][:3] == [1.0, 0.5, 0.5] and report["unknown"] == ""
    [evaluation] = evaluations_of(store, "vript-rr")
    assert rr_report(store, evaluation)["rows"][0]["value"] == 0.5
    [out] = formats.write(store, "vript-predictions", tmp_path / "out.csv", evaluation_id=evaluation.id)
    with out.open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == choice


def score_files(system: str, files: Sequence[Path]) -> list[dict[str, Any]]:
    """As `score SYSTEM FILES`, in a store of their own."""
    store = new_store(files[0].parent, f"score-{files[0].stem}")
    for file in files:
        load(store, file)
    reports = {"vript-ero": ero_reports, "vript-rr": rr_reports}[system]
    return reports(store, Options(files=tuple(files)))


def test_replies_without_what_is_right_say_what_to_do(tmp_path: Path) -> None:
    ero = [{"id": "-e0", "pred": "Scene (B) Scene (C) Scene (B)"}]
    [report] = score_files("vript-ero", [write_table(tmp_path / "ERO_m.csv", ero)])
    words = "\n".join(ero_lines(report))
    assert "not known here for 1 of 1 replies: give ERO_annotations.jsonl too" in words
    assert "-e0: BCB, scene B occurs" in words
    answers = [{"id": "v-Scene-001", "pred": "a cup", "gt": "a trophy"}]
    [report] = score_files("vript-rr", [write_table(tmp_path / "RR_clip_m_openended.csv", answers)])
    assert "nobody has rated 1 of 1 open answers" in "\n".join(rr_lines(report))


def test_two_settings_in_files_are_printed_once_each(store: Store, tmp_path: Path) -> None:
    full(store, tmp_path)
    whole = replies("rr")
    scene = [row | {"id": eval_meta(row)["clip_id"], "pred": row["gt"]} for row in whole]
    files = [
        write_table(tmp_path / "RR_video_m_multiplechoice.csv", whole),
        write_table(tmp_path / "RR_clip_m_multiplechoice.csv", scene),
    ]
    words = "\n".join(line for report in score_files("vript-rr", files) for line in rr_lines(report))
    for once in (
        "m · Vript-RR, multiple choice, whole video",
        "m · Vript-RR, multiple choice, scene alone",
        "published: the whole video against the scene alone",
    ):
        assert words.count(once) == 1, once
