"""Logs of Video-MMLU's scripts: counts, their own figures, what is odd, and damaged copies."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.records.captions_to_verdicts import Answer, Question, Verdict
from annotation.records.runs import Evaluation
from annotation.records.videos import Video
from annotation.store.verdicts.score_items import evaluations_on, score_items
from annotation.systems.video_mmlu.kinds import NOTES, REASONING
from annotation.systems.video_mmlu.scores import mmlu_table
from annotation.workspace.workspace import Workspace
from backends.errors import DailiesError
from exports.catalogue import format_registry as formats
from tests.databases import new_workspace
from tests.exports.peers.test_peer_logs import brought, damage, files_of
from tests.exports.video_mmlu.mmlu_files import (
    VIDEOS,
    dataset,
    extracted,
    judged,
    mmlu_log,
    summary,
    write_lines,
)


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    made = new_workspace(tmp_path / "workspace")
    yield made
    made.close()


def scored(space: Workspace, policy: str = "parsed") -> dict[str, float | None]:
    [evaluation] = evaluations_on(space.store, [NOTES, REASONING])
    rows = mmlu_table(score_items(space.store, evaluation), [policy])
    return {f"{r.group['task']} {r.metric}": r.value for r in rows if "discipline" not in r.group}


def test_a_folder_of_all_files_is_one_evaluation(space: Workspace, tmp_path: Path) -> None:
    log = mmlu_log(tmp_path / "log")
    assert formats.detect(log) == "video-mmlu-log"
    counts, problems = brought(space, log)
    assert problems == []
    assert (counts["Video"], counts["Question"], counts["Answer"], counts["Verdict"]) == (3, 12, 12, 12)
    assert {v.discipline for v in space.store.find(Video)} == {"Math", "Physics", "Chemistry"}
    assert {q.kind for q in space.store.find(Question)} == {NOTES, REASONING}
    found = scored(space)
    assert found["final accuracy_macro"] == found["caption accuracy_macro"] == 0.5
    assert found["caption score_macro"] == 3
    assert scored(space, "video-mmlu")["qa score_micro"] == 3
    [evaluation] = space.store.find(Evaluation)
    assert evaluation.name == "judged · Video-MMLU"
    assert "summary.json: total_samples 6, overall_accuracy 50.0" in evaluation.note
    assert formats.commit(space.store, formats.read(log, space.store)) == {}


def test_the_datasets_own_questions_are_used_and_tell_the_kind(space: Workspace, tmp_path: Path) -> None:
    brought(space, dataset(tmp_path / "video_mmlu.jsonl"))
    lines = [{k: v for k, v in line.items() if k != "discipline"} for line in judged("Why? ")]
    _, problems = brought(space, write_lines(tmp_path / "some-model.jsonl", lines))
    assert problems == []  # neither a discipline nor a name is needed
    assert space.store.count(Question) == 12
    kinds = {q.id: q.kind for q in space.store.find(Question)}
    assert {kinds[a.question_id] for a in space.store.find(Answer)} == {REASONING}
    _, problems = brought(space, write_lines(tmp_path / "other.jsonl", judged()))
    assert problems == [] and space.store.count(Question) == 12


def test_one_evaluation_per_model_where_a_folder_holds_several(space: Workspace, tmp_path: Path) -> None:
    for model in ("small", "large"):
        write_lines(tmp_path / "log" / "cap_judge" / f"{model}.jsonl", judged())
        write_lines(tmp_path / "log" / "qa_judge" / f"{model}.jsonl", judged("Why? "))
    _, problems = brought(space, tmp_path / "log")
    assert problems == []
    assert {e.name for e in space.store.find(Evaluation)} == {"small · Video-MMLU", "large · Video-MMLU"}
    assert space.store.count(Verdict) == 24


def test_answers_without_verdicts_can_be_judged_here(space: Workspace, tmp_path: Path) -> None:
    counts, problems = brought(space, write_lines(tmp_path / "pred.jsonl", extracted()))
    assert (counts["Answer"], counts.get("Verdict", 0), problems) == (6, 0, [])
    direct = [{"video_id": "v.mp4", "question": "Why?", "answer": "so", "pred_qa": "so"}]
    _, problems = brought(space, write_lines(tmp_path / "direct.jsonl", direct))
    assert any("the discipline of 1 videos is unknown (v.mp4 ...)" in p for p in problems)
    assert space.store.find(Question, text="Why?")[0].kind == REASONING


def test_figures_that_the_lines_do_not_give_are_named(space: Workspace, tmp_path: Path) -> None:
    log = mmlu_log(tmp_path / "log")
    wrong = summary()
    wrong["category_results"]["Math"] = wrong["category_results"]["Math"] | {"accuracy": 60.0}
    wrong["overall_results"]["final_score"] = 4.0
    (log / "summary.json").write_text(json.dumps(wrong))
    _, problems = brought(space, log)
    assert problems == [
        "summary.json: Math: accuracy 60, but the lines give 50 in judged_cap.jsonl",
        "summary.json: overall: final_score 4, but the lines give 3 in judged_cap.jsonl",
    ]


def test_a_summary_alone_says_so(space: Workspace, tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text(json.dumps(summary(), indent=4))
    _, problems = brought(space, tmp_path / "summary.json")
    assert problems == ["summary: the log has only a summary and no lines: no results per question"]
    assert "final_score 3.0" in space.store.find(Evaluation)[0].note


def test_what_is_odd_in_a_line_is_named_and_unknown_fields_are_kept(space: Workspace, tmp_path: Path) -> None:
    lines = judged()
    lines[0] |= {"seconds": 1.5}
    lines[1]["judgement"] = {"pred": "yes"}
    lines[2]["judgement"] = None
    lines[3] |= {"pred": "w" * 32_767}
    lines[4] |= {"discipline": "Math"}
    lines[5] |= {"discipline": "chemistry"}
    path = write_lines(
        tmp_path / "judged_cap.jsonl", [*lines, lines[0], {"video_id": "x", "judgement": {}}, {"question": 1}]
    )
    text = path.read_text(encoding="utf-8") + "[1]\n"
    path.write_text(text, encoding="utf-8")
    _, problems = brought(space, path)
    assert problems == [
        "judged_cap.jsonl:4: the answer was cut at the length of a spreadsheet cell (32,767 characters)",
        "judged_cap.jsonl:8: question, answer missing; left out",
        "judged_cap.jsonl:9: video_id, question, answer missing; left out",
        "judged_cap.jsonl:10: not an object; left out",
        "judged_cap.jsonl:6: video 'chem0000003' has the discipline 'Math', but 'chemistry' here; "
        "'Math' is kept",
        "judged_cap.jsonl:7: this question of '-math000001' already appears at judged_cap.jsonl:1; the first "
        "is kept",
    ]
    assert [j.state for j in space.store.find(Verdict)].count("done") == 4
    assert sorted(j.state for j in space.store.find(Verdict) if j.state != "done") == ["failed", "unparsed"]
    assert [j.extra for j in space.store.find(Verdict) if j.extra] == [{"seconds": 1.5}]


def test_a_name_that_does_not_tell_the_kind_is_said(space: Workspace, tmp_path: Path) -> None:
    _, problems = brought(space, write_lines(tmp_path / "results.jsonl", judged()))
    assert len(problems) == 1 and "put cap or qa into the file name" in problems[0]


def test_an_evaluation_goes_out_as_loveu_asks_and_scores_the_same_elsewhere(
    space: Workspace, tmp_path: Path
) -> None:
    brought(space, mmlu_log(tmp_path / "log"))
    formats.write(space.store, "loveu", tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    [final] = [r for r in manifest["video_mmlu"] if (r["task"], r["metric"]) == ("final", "accuracy")]
    assert (final["value"], final["n"], final["of"], final["note"]) == (0.5, 12, 12, "")
    other = new_workspace(tmp_path / "other")
    try:
        _, problems = brought(other, tmp_path / "out")
        assert problems == []
        assert scored(other) == scored(space)
        assert {v.title for v in other.store.find(Video)} == set(VIDEOS)
    finally:
        other.close()


def test_damaged_logs_are_read_around_or_refused_in_one_line(space: Workspace, tmp_path: Path) -> None:
    whole = mmlu_log(tmp_path / "whole")
    draw, refused = random.Random(7), 0
    for number in range(40):
        copy = tmp_path / f"copy{number}"
        shutil.copytree(whole, copy)
        file = draw.choice(files_of(copy))
        damage(file, draw)
        if draw.random() < 0.3:  # damage of our own shapes
            key = draw.choice([b'"question"', b'"judgement"', b'"video_id"', b'"category_results"'])
            file.write_bytes(file.read_bytes().replace(key, b'"gone"', draw.choice([1, -1])))
        try:
            batch = formats.read(copy, space.store)
        except DailiesError as error:
            assert "\n" not in str(error) and str(tmp_path) not in str(error)
            refused += 1
            continue
        formats.commit(space.store, batch)
    assert 0 < refused < 40
    answers = {a.id for a in space.store.find(Answer)}
    assert all(j.subject_id in answers for j in space.store.find(Verdict))
