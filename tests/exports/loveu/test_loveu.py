"""The three-stage log: complete, scored in the open, and read back as an evaluation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.prompts.prompt_files import load_prompts
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.decisions import Correction, Person
from annotation.records.errors import FormatError
from annotation.records.runs import Evaluation, Run
from annotation.store.benchmark_of_evaluation import plain_evaluations
from annotation.store.store import Store
from annotation.store.verdicts.filter_and_order import VerdictFilter
from annotation.store.verdicts.score_items import score_items
from annotation.workspace.limit_settings import Limits
from exports.catalogue import format_registry as formats
from exports.catalogue.import_found import preview
from exports.catalogue.sort_found_files import contents
from exports.logs.evaluation_rows import load_chain
from exports.loveu.scores import scores
from tests.annotation.store.verdict_pages import verdicts
from tests.databases import new_store
from tests.exports.world import CAPTION, filled_store
from tests.paths import ROOT
from ui.pages.verdicts.one_verdict_view import detail_json


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return filled_store(tmp_path)


def log(store: Store, folder: Path, values: str = "current") -> dict[str, Any]:
    formats.write(store, "loveu", folder, values=values)
    found: dict[str, Any] = {"manifest": json.loads((folder / "manifest.json").read_text(encoding="utf-8"))}
    for stage in ("captions", "answers", "verdicts"):
        text = (folder / f"{stage}.jsonl").read_text(encoding="utf-8")
        found[stage] = [json.loads(line) for line in text.splitlines()]
    return found


def folder_of(path: Path, manifest: dict[str, Any], **stages: list[dict[str, Any]]) -> Path:
    path.mkdir()
    (path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    for stage, lines in stages.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (path / f"{stage}.jsonl").write_text(text, encoding="utf-8")
    return path


def test_corrections_are_marked_and_the_machines_value_stands_beside(store: Store, tmp_path: Path) -> None:
    found = log(store, tmp_path / "log")
    caption = next(line for line in found["captions"] if line["aspect"] == "short")
    assert (caption["caption"], caption["machine_caption"]) == ("=A blue boat.", CAPTION)
    assert caption["corrected"] is True
    assert caption["corrected_by"] == "annotator one"
    verdict = found["verdicts"][1]
    assert [verdict[k] for k in ("state", "pred", "score", "machine_pred", "machine_score", "corrected")] == [
        "done",
        "yes",
        5.0,
        "no",
        1.0,
        True,
    ]
    # The caption was changed after the answers were taken from it.
    assert all(line["stale"] for line in found["answers"])


def test_a_confirmed_verdict_is_marked_as_such_and_comes_back(store: Store, tmp_path: Path) -> None:
    as_judged = store.current("verdict", "jdg-0b", "verdict").value
    person = store.find(Person)[0].id
    store.correct("verdict", "jdg-0b", "verdict", as_judged, person_id=person, base_revision=0)
    line = log(store, tmp_path / "log")["verdicts"][0]
    assert (line["confirmed"], line["corrected_by"], "corrected" in line) == (True, "annotator one", False)
    other = new_store(tmp_path, "other")
    formats.commit(other, formats.read(tmp_path / "log", other))
    found = [other.current("verdict", j.id, "verdict") for j in other.find(Verdict)]
    assert sum(now.confirmed for now in found) == 1
    again = log(other, tmp_path / "again")["verdicts"][0]
    assert {name: again[name] for name in line} == line


def test_machine_values_carry_no_marks(store: Store, tmp_path: Path) -> None:
    found = log(store, tmp_path / "log", "machine")
    assert next(x for x in found["captions"] if x["aspect"] == "short")["caption"] == CAPTION
    assert [line["pred"] for line in found["verdicts"]] == ["no", "no", "", ""]
    assert "corrected" not in json.dumps([found["captions"], found["answers"], found["verdicts"]])


def test_the_manifest_shows_score_policy_and_denominators(store: Store, tmp_path: Path) -> None:
    found = log(store, tmp_path / "log", "machine")["manifest"]
    # Readable: "no" 2.0 (the newer verdict of the first question) and "no" 1.0.
    assert found["scores"]["short"] == {
        "score": 1.5,
        "accuracy": 0.0,
        "n": 2,
        "of": 4,
        "videos": 1,
        "unparsed": 1,
        "failed": 1,
        "missing": 0,
    }
    assert (found["overall"]["score"], found["overall"]["n"], found["overall"]["of"]) == (1.5, 2, 4)
    assert "parsed" in found["policy"]
    assert (found["captioner"], found["judge"], found["prompt_hash"]) == (
        "model-captions",
        "model-verdicts",
        load_prompts()["vdc_verdict"].hash,
    )
    assert (found["baseline"], found["metric"]) == (False, "VDCscore")


def test_the_mean_is_over_videos_not_over_questions(tmp_path: Path) -> None:
    verdict = {"aspect": "short", "question": "q", "answer": "a", "pred_answer": "p", "raw": "r"}
    lines = [{**verdict, "video_id": "one", "index": n, "pred": "yes", "score": 5} for n in range(3)]
    lines += [{**verdict, "video_id": "two", "index": 0, "pred": "no", "score": 1}]
    lines += [{**verdict, "video_id": "two", "index": 1, "state": "unparsed", "pred": "", "score": None}]
    store = new_store(tmp_path)
    formats.commit(store, formats.read(folder_of(tmp_path / "log", {"judge": "j"}, verdicts=lines), store))
    found = scores(score_items(store, store.find(Evaluation)[0].id), "current")
    assert found["aspects"]["short"]["score"] == 3.0
    assert found["aspects"]["short"]["accuracy"] == 0.5
    assert [found["aspects"]["short"][k] for k in ("n", "of", "videos", "unparsed")] == [4, 5, 2, 1]


@pytest.mark.parametrize("manifest", [{"judge": "baseline"}, {"judge": "j", "baseline": True}])
def test_a_baselines_score_is_not_called_vdcscore(tmp_path: Path, manifest: dict[str, Any]) -> None:
    lines = [
        {
            "video_id": "v",
            "aspect": "short",
            "index": 0,
            "question": "q",
            "answer": "a",
            "pred_answer": "p",
            "raw": "r",
            "state": "done",
            "pred": "yes",
            "score": 4,
        }
    ]
    store = new_store(tmp_path)
    formats.commit(store, formats.read(folder_of(tmp_path / "log", manifest, verdicts=lines), store))
    assert store.find(Evaluation)[0].baseline
    assert all(verdict.baseline for verdict in store.find(Verdict))
    written = log(store, tmp_path / "again")["manifest"]
    assert written["baseline"] is True
    assert written["metric"].startswith("baseline")


def test_it_comes_back_as_an_evaluation_with_the_same_values(store: Store, tmp_path: Path) -> None:
    formats.write(store, "loveu", tmp_path / "log")
    other = new_store(tmp_path, "other")
    formats.commit(other, formats.read(tmp_path / "log", other))
    assert {run.stage for run in other.find(Run)} == {"captions", "questions", "answers", "verdicts"}
    assert {run.backend for run in other.find(Run)} == {"import:loveu"}
    caption = next(text for text in other.find(Text) if text.kind == "vdc:short")
    now = other.current("text", caption.id, "value")
    assert (now.value, now.machine, now.corrected) == ("=A blue boat.", CAPTION, True)
    (person,) = other.find(Person)
    assert (person.name, person.role) == ("annotator one", "annotator")
    chain = load_chain(other, other.find(Evaluation)[0])
    assert [row.label("current") for row in chain.rows] == ["no", "yes", "no", ""]
    assert [row.label("machine") for row in chain.rows] == ["no", "no", "", ""]
    assert [row.state("machine") for row in chain.rows] == ["done", "done", "unparsed", "failed"]
    assert all(answer.source == "imported" and answer.text_id for answer in other.find(Answer))
    # Made from the caption as it was before the correction: stale there as here.
    assert all(row.said.stale for row in chain.rows)
    page = verdicts(other, VerdictFilter(chain.evaluation.id))
    assert page.total == 4


def test_questions_that_are_here_are_recognised(store: Store, tmp_path: Path) -> None:
    before = store.find(Question)
    store.correct("question", "qst-2", "text", "Which?", person_id="per-1", base_revision=0)
    formats.write(store, "loveu", tmp_path / "log")
    batch = formats.read(tmp_path / "log", store)
    formats.commit(store, batch)
    assert store.find(Question) == before
    assert any("already" in p.what for p in batch.problems)  # the evaluation's name
    assert len(plain_evaluations(store)) == 2


def _supporting(store: Store, verdict: Verdict) -> str:
    """The words that the Verdicts page marks in the caption."""
    detail = detail_json(store, verdict.id)
    start, end = detail["span"] or (0, 0)
    return str(detail["caption"]["value"][start:end]) if detail["caption"] else ""


def test_the_sample_keeps_its_states_and_supporting_words(tmp_path: Path) -> None:
    if not (ROOT / "sample" / "evaluation").exists():
        pytest.skip("the sample is not in this checkout")
    store = new_store(tmp_path)
    for name in ("vdc_qa", "evaluation"):
        formats.commit(store, formats.read(ROOT / "sample" / name, store))
    assert {q.dataset_id is not None for q in store.find(Question)} == {True}
    states = {verdict.state for verdict in store.find(Verdict)}
    assert states == {"done", "unparsed", "failed", "missing"}
    assert "static wide shot" in [_supporting(store, verdict) for verdict in store.find(Verdict)]
    found = log(store, tmp_path / "again")
    for stage in ("captions", "answers", "verdicts"):
        given = (ROOT / "sample" / "evaluation" / f"{stage}.jsonl").read_text(encoding="utf-8").splitlines()
        keys = {"captions": ("aspect",)}.get(stage, ("aspect", "index"))
        written = {tuple(line[k] for k in keys): line for line in found[stage]}
        for line in map(json.loads, given):
            assert written[tuple(line[k] for k in keys)].items() >= line.items()


def test_odd_lines_are_reported_and_read_around(tmp_path: Path) -> None:
    base = {
        "video_id": "v",
        "aspect": "short",
        "index": 0,
        "question": "q",
        "answer": "a",
        "pred_answer": "p",
    }
    verdict = {**base, "raw": "r", "state": "done", "pred": "yes", "score": 4}
    path = folder_of(
        tmp_path / "log",
        {"judge": "j", "created": "yesterday"},
        answers=[base, base, {**base, "aspect": "sound"}, {**base, "index": 1, "pred_answer": 5}],
        verdicts=[
            {**verdict, "score": 9},
            {**verdict, "index": 1, "state": "odd"},
            {**verdict, "index": 2, "corrected": True, "machine_pred": "no", "machine_score": 0},
        ],
    )
    store = new_store(tmp_path)
    batch = formats.read(path, store)
    assert [(p.where, p.what.split(";")[0]) for p in batch.problems] == [
        ("manifest.json", "created is not a time"),
        ("manifest.json", "captions.jsonl is missing in its folder"),
        ("answers.jsonl:2", "already appears at answers.jsonl:1"),
        (
            "answers.jsonl:3",
            "unknown aspect 'sound', not one of camera, short, background, main_object, detailed, "
            "mmlu:notes, mmlu:reasoning",
        ),
        ("answers.jsonl:4", "no pred_answer"),
        ("verdicts.jsonl:1", "pred 'yes' with score 9 is not a verdict"),
        ("verdicts.jsonl:2", "unknown state 'odd', not one of done, judged, unparsed, failed, missing"),
        ("verdicts.jsonl:3", "the answer is not in answers.jsonl"),
        ("verdicts.jsonl:3", "corrected_by is empty"),
    ]
    formats.commit(store, batch)
    assert sorted((j.state, j.label, j.score) for j in store.find(Verdict)) == [
        ("done", "no", 0.0),
        ("unparsed", "", None),
        ("unparsed", "", None),
    ]
    assert store.count(Correction) == 0


def test_folders_without_a_line_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no captions, answers or verdicts"):
        formats.read(folder_of(tmp_path / "log", {"judge": "j"}, captions=[]))
    with pytest.raises(FormatError, match=r"manifest\.json"):
        formats.read(folder_of(tmp_path / "list", [], captions=[]))  # type: ignore[arg-type]


def test_captions_alone_are_an_evaluation(tmp_path: Path) -> None:
    """With the shortest manifest; each stage that is missing is named once, and no time is asked for."""
    caption = {"video_id": "v1", "aspect": "short", "caption": CAPTION}
    (tmp_path / "captions.jsonl").write_text(json.dumps(caption))
    (tmp_path / "manifest.json").write_text('{"captioner": "my-model"}')
    [found] = contents([tmp_path], Limits(), tmp_path / "room").found
    seen = preview(new_store(tmp_path), found)
    assert [name for _, name in seen.evaluations] == ["my-model · VDC"]
    said = [*found.bundle.missing, *(problem.what for problem in seen.problems)]
    assert said == [
        f"{stage}.jsonl is missing in its folder; the stage is left out" for stage in ("answers", "verdicts")
    ]


def test_a_verdict_that_is_only_a_raw_reply_is_read(tmp_path: Path) -> None:
    base = {"video_id": "v", "aspect": "short", "question": "q", "answer": "a", "pred_answer": "p"}
    replies = ("{'pred': 'yes', 'score': 4.8}", "Yes and no.", "")
    lines = [{**base, "index": n, "raw": raw} for n, raw in enumerate(replies)]
    store = new_store(tmp_path)
    formats.commit(store, formats.read(folder_of(tmp_path / "log", {"judge": "j"}, verdicts=lines), store))
    found = load_chain(store, store.find(Evaluation)[0]).rows
    assert [(row.state("machine"), row.score("machine")) for row in found] == [
        ("done", 4.8),
        ("unparsed", None),
        ("missing", None),
    ]
    assert [row.verdict.raw for row in found if row.verdict] == list(replies)


def test_a_correction_without_the_machines_value_is_reported_and_kept(tmp_path: Path) -> None:
    line = {"video_id": "v", "aspect": "short", "caption": "now", "corrected": True, "corrected_by": "one"}
    batch = formats.read(folder_of(tmp_path / "log", {"judge": "j"}, captions=[line]))
    assert [p.where for p in batch.problems if "without both" in p.what] == ["captions.jsonl:1"]
    assert [record.value for record in batch.records if isinstance(record, Text)] == ["now"]


def test_the_captions_and_questions_of_an_evaluation_alone(store: Store, tmp_path: Path) -> None:
    """The caption that failed is not in the file; the references are not either."""
    (path,) = formats.write(store, "vdc-captions", tmp_path / "x.jsonl", evaluation_id="evl-1")
    line = json.loads(path.read_text(encoding="utf-8"))
    assert {key: value for key, value in line.items() if key.endswith("_caption")} == {
        "short_caption": "=A blue boat."
    }
    (path,) = formats.write(store, "vdc-qa", tmp_path / "qa", evaluation_id="first try", values="machine")
    entries = json.loads(path.read_text(encoding="utf-8"))["boat-1"]
    assert [entry["question"] for entry in entries] == [f"-What {n}?" for n in range(4)]
