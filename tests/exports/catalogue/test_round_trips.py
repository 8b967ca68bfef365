"""Drawn evaluations through every format that is written and read: what it can hold comes back."""

from __future__ import annotations

import json
import random
from pathlib import Path

import openpyxl
import pytest

from annotation.records import fingerprints
from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.videos import Alias, Dataset, Video
from annotation.store.store import Store
from exports.catalogue import format_registry as formats
from exports.files.evaluations_and_corrections import load_evaluation
from exports.files.read_tables import CELL, table_rows
from exports.logs.evaluation_rows import load_chain
from tests.databases import new_store
from tests.exports.notes import note
from tests.exports.world import filled_store

PIECES = (
    "=1+1",
    "-2",
    "@x",
    "+y",
    "plain",
    "é 漢 🎬",
    'a "quoted" \\ thing',
    "it's",
    "<b>&amp;</b>",
    "two\nlines",
    "tab\there",
    "[1, 2]",
    "{'pred': 'no', 'score': 1}",
    "_x0041_",
    "null",
    "1e5",
    "nan",
    "'quoted",
    "\u2028",
)
NOT_YET = "not judged yet"
"""What the log of LOVEU says of an answer without a verdict."""
BOTH = ("loveu", "lmms-eval", "vlmevalkit", "dailies-jsonl")


def words(draw: random.Random) -> str:
    return " ".join(draw.choices(PIECES, k=draw.randint(1, 4)))


def evaluation(draw: random.Random) -> list[Record]:
    """Some videos, aspects, questions, answers and verdicts; gaps of each kind."""
    roles = ("captions", "answers", "verdicts")
    records: list[Record] = [
        Dataset(id="dst-1", name="VDC", format="vdc"),
        *(Run(id=f"run-{r}", stage=r, backend="x", model=f"Model/{r} 7B", created_at=1.0) for r in roles),
        Evaluation(id="evl-1", name=" ".join(words(draw).split()), created_at=1.7e9, note=words(draw)),
        *(EvaluationRun(id=f"evr-{r}", evaluation_id="evl-1", role=r, run_id=f"run-{r}") for r in roles),
    ]
    for number in range(draw.randint(1, 4)):
        video = f"vid-{number}"
        records.append(Video(id=video, title=f"title {number}", created_at=1.0))
        name = draw.choice((f"-clip_{number}", f"mixkit {number}", f"a.b-{number}"))
        records.append(
            Alias(id=record_id("als", "dst-1", name), dataset_id="dst-1", alias=name, video_id=video)
        )
        for aspect in draw.sample(VDC_ASPECTS, draw.randint(1, 3)):
            records += _aspect(draw, video, aspect)
    return records


def _aspect(draw: random.Random, video: str, aspect: str) -> list[Record]:
    about = {"video_id": video, "created_at": 1.0}
    caption = f"{words(draw)}."
    key = f"{video}-{aspect}"
    found: list[Record] = [
        Text(
            id=f"txt-{key}",
            kind=f"vdc:{aspect}",
            subject_type="video",
            subject_id=video,
            value=caption,
            run_id="run-captions",
            **about,
        ),
        Text(
            id=f"ref-{key}",
            kind=f"vdc:{aspect}",
            subject_type="video",
            subject_id=video,
            value=words(draw),
            dataset_id="dst-1",
            **about,
        ),
    ]
    for n in range(draw.randint(0, 4)):
        question, reference, said = f"{n} {words(draw)}?", f"{words(draw)} {n}", words(draw)
        state = draw.choice(("done", "done", "unparsed", "failed", "missing", "none"))
        label, score = draw.choice((("yes", 4.8), ("no", 0.0), ("yes", 3.0), ("no", 2.0)))
        found += [
            Question(
                id=f"qst-{key}-{n}",
                kind=f"vdc:{aspect}",
                index=n,
                text=question,
                reference=reference,
                category=draw.choice(("", "colour")),
                dataset_id="dst-1",
                **about,
            ),
            Answer(
                id=f"ans-{key}-{n}",
                question_id=f"qst-{key}-{n}",
                run_id="run-answers",
                source="caption",
                value=said,
                text_id=f"txt-{key}",
                source_hash=fingerprints.of_answer(caption, question),
                **about,
            ),
        ]
        if state != "none":
            done = state == "done"
            found.append(
                Verdict(
                    id=f"jdg-{key}-{n}",
                    run_id="run-verdicts",
                    subject_type="answer",
                    subject_id=f"ans-{key}-{n}",
                    value_type="yes_no_score",
                    state=state,
                    label=label if done else "",
                    score=score if done else None,
                    raw=words(draw),
                    reason="" if done else words(draw),
                    **about,
                )
            )
    return found


def held(store: Store) -> dict[str, object]:
    """What all these formats can hold, without ids."""
    chain = load_chain(store, load_evaluation(store, None))
    title = {v.id: a.alias for a in store.find(Alias) for v in store.find(Video) if a.video_id == v.id}
    captions = {
        (title[video], kind): shown.of("current")
        for video, kinds in chain.captions.items()
        for kind, shown in kinds.items()
    }
    rows = [
        (
            title[r.question.video_id],
            r.question.kind,
            r.asked.value,
            r.reference.value,
            r.said.value,
            r.question.category,
            r.state("current"),
            r.label("current"),
            r.score("current"),
            (r.verdict.raw, r.verdict.reason) if r.verdict else ("", NOT_YET),
        )
        for r in chain.rows
    ]
    return {
        "captions": captions,
        "rows": sorted(rows),
        "name": chain.evaluation.name,
        "note": chain.evaluation.note,
        "models": {
            r: [x.model for x in chain.runs[r]]
            for r in ("captions", "answers", "verdicts")
            if chain.runs[r] and rows
        },
    }


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("seed", range(12))
def test_drawn_evaluations_come_back(tmp_path: Path, name: str, seed: int) -> None:
    store = new_store(tmp_path)
    store.add(evaluation(random.Random(seed)))
    out = tmp_path / f"out{formats.FORMATS[name].suffix}"
    formats.write(store, name, out, evaluation_id=None)
    other = new_store(tmp_path, "other")
    batch = formats.read(out, other)
    assert batch.problems == ()
    formats.commit(other, batch)
    before, after = held(store), held(other)
    for what in ("captions", "rows", "name", "note"):
        assert after[what] == before[what], what


def test_no_cell_of_a_workbook_is_a_formula_and_each_text_is_itself(tmp_path: Path) -> None:
    store = filled_store(tmp_path)
    files = formats.write(store, "vlmevalkit", tmp_path / "run")
    [table] = [file for file in files if file.name.endswith("frame.xlsx")]
    cells = [cell for row in openpyxl.load_workbook(table).active.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells} <= {"s", "n", "inlineStr"}
    assert [row.text("prediction") for row in table_rows(table)] == ["=A blue boat."]


@pytest.mark.parametrize("caption", ["w" * CELL, "bell \x07 rings", "old\r\nlines"])
def test_what_no_cell_holds_goes_out_as_json_and_comes_back(tmp_path: Path, caption: str) -> None:
    store = filled_store(tmp_path)
    store.correct("text", "txt-cap", "value", caption, person_id="per-1", base_revision=1)
    files = formats.write(store, "vlmevalkit", tmp_path / "run")
    assert [file.suffix for file in files] == [".json"] * 3
    said = note(store, "vlmevalkit")
    assert ("exceed a cell" in said) == (len(caption) == CELL)
    other = new_store(tmp_path, "other")
    batch = formats.read(tmp_path / "run", other)
    assert batch.problems == ()
    formats.commit(other, batch)
    assert caption in [text.value for text in other.find(Text)]


def test_the_means_of_lmms_eval_are_those_of_the_verdicts(tmp_path: Path) -> None:
    store = filled_store(tmp_path)
    files = formats.write(store, "lmms-eval", tmp_path / "log", values="machine")
    results = json.loads(files[-1].read_text(encoding="utf-8"))["results"]["short_test"]
    # Machine verdicts: no 2, no 1, one unparsed, one failed.
    assert (results["llmms_eval_acc,none"], results["llmms_eval_score,none"]) == (0.0, 1.5)
    line = json.loads(files[0].read_text(encoding="utf-8").splitlines()[0])
    assert list(line)[:9] == [
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    ]
    assert list(line)[-1] == "input"
    assert list(line["doc"]) == ["video_name", "caption", "qa_list", "pred"]
    assert line["target"] == line["doc"]["caption"]


def test_parquet_keeps_types_and_names_what_is_missing(tmp_path: Path) -> None:
    from pyarrow import parquet

    store = filled_store(tmp_path)
    (file,) = formats.write(store, "parquet", tmp_path / "x.parquet")
    rows = parquet.read_table(file).to_pylist()
    assert len(rows) == 4
    corrected = rows[1]
    assert (corrected["machine_pred"], corrected["machine_score"], corrected["score"]) == ("no", 1.0, 5.0)
    assert (corrected["corrected"], corrected["question"], corrected["caption"]) == (
        True,
        "-What 1?",
        "=A blue boat.",
    )
    assert rows[3]["score"] is None


def test_label_studio_tasks_fit_their_configuration(tmp_path: Path) -> None:
    from xml.etree import ElementTree

    store = filled_store(tmp_path)
    tasks_file, config = formats.write(store, "label-studio", tmp_path / "tasks")
    tasks = json.loads(tasks_file.read_text(encoding="utf-8"))
    view = ElementTree.fromstring(config.read_text(encoding="utf-8"))  # our own file
    tags = {tag.get("name"): tag.tag.lower() for tag in view if tag.get("name")}
    asked = {str(tag.get("value")).rpartition("$")[2] for tag in view if "$" in str(tag.get("value"))}
    assert len(tasks) == 4
    for task in tasks:
        assert asked <= task["data"].keys()
        for made in [*task["predictions"], *task["annotations"]]:
            for region in made["result"]:
                assert tags[region["from_name"]] == region["type"] and region["to_name"] in tags
    assert [len(task["annotations"]) for task in tasks] == [0, 1, 1, 0]
    assert tasks[1]["annotations"][0]["completed_by"] == {"email": "annotator one"}
