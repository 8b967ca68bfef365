"""Logs of lmms-eval, aurora and VLMEvalKit: counts, the peer's own score, and damaged copies of each."""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.errors import FormatError
from annotation.records.runs import Evaluation
from annotation.records.videos import Video
from annotation.scores.score_table import table
from annotation.store.verdicts.figures_per_video import aspect_scores
from annotation.store.verdicts.filter_and_order import VerdictFilter
from annotation.store.verdicts.score_items import score_items
from annotation.workspace.workspace import Workspace
from backends.errors import DailiesError
from backends.text.file_encoding import UTF_16
from exports.catalogue import format_registry as formats
from exports.files.read_tables import table_rows
from exports.files.safe_pickle import read_pickle
from tests.annotation.store.verdict_pages import verdicts
from tests.databases import new_workspace
from tests.exports.peers.peer_files import VIDEOS, lmms_log, sample, vlmevalkit_log, write_xlsx
from tests.paths import SHARED
from ui.lib.chosen_evaluation import pick_evaluation
from ui.pages.verdicts.one_verdict_view import detail_json

LOGS = SHARED / "data" / "vdc" / "logs"
QA = LOGS.parent / "qa"
needs_logs = pytest.mark.skipif(not LOGS.is_dir(), reason="the peers' logs are not beside this project")
GENERATIONS = ("aurora", "v0.2", "v0.3", "v0.4", "head")


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    made = new_workspace(tmp_path / "workspace")
    yield made
    made.close()


def brought(space: Workspace, path: Path) -> tuple[dict[str, int], list[str]]:
    batch = formats.read(path, space.store)
    formats.commit(space.store, batch)
    return batch.counts(), [f"{p.where}: {p.what}" for p in batch.problems]


def means(space: Workspace, policy: str) -> dict[str, float | None]:
    rows = table(score_items(space.store, pick_evaluation(space.store)), [policy])
    return {r.metric: r.value for r in rows if r.group == {"aspect": "camera"}}


# --- lmms-eval and aurora -------------------------------------------------------------


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_generation_of_lmms_eval(space: Workspace, tmp_path: Path, generation: str) -> None:
    counts, problems = brought(space, lmms_log(tmp_path / "some__model", generation))
    assert problems == []
    old = generation in ("aurora", "v0.2", "v0.3")
    assert (counts["Video"], counts["Text"], counts["Verdict"]) == (3, 6, 3)
    assert (counts.get("Question", 0), counts.get("Answer", 0)) == ((6, 6) if old else (0, 0))
    assert {v.title for v in space.store.find(Video)} == set(VIDEOS)
    [evaluation] = space.store.find(Evaluation)
    assert evaluation.name.startswith("some/model · VDC")
    assert means(space, "parsed")["accuracy_macro"] == pytest.approx(0.5)
    assert means(space, "parsed")["score_macro"] == pytest.approx(3)
    if generation != "aurora":
        assert "camera_test: acc 0.5000, score 3.0000" in evaluation.note


def test_a_mean_has_a_row_and_its_evidence_in_the_list(space: Workspace, tmp_path: Path) -> None:
    brought(space, lmms_log(tmp_path / "log", "v0.3"))
    page = verdicts(space.store, VerdictFilter(pick_evaluation(space.store)))
    assert (page.total, [row.question for row in page.rows]) == (3, ["", "", ""])
    detail = detail_json(space.store, page.rows[0].verdict_id)
    assert detail["mean"] == {"questions": 2, "accuracy": 0.0}
    assert [a["answer"] for a in detail["answers"]] == ["it pans", "it pans"]
    assert detail["caption"]["value"] == "The camera pans left."
    assert {s.accuracy for s in aspect_scores(space.store, pick_evaluation(space.store))} == {None}
    failures = means(space, "failures_as_wrong")
    assert failures["accuracy_macro"] == pytest.approx(0.5)  # the answers are behind the means


def test_the_same_log_twice_brings_nothing_new(space: Workspace, tmp_path: Path) -> None:
    log = lmms_log(tmp_path / "log", "v0.3")
    brought(space, log)
    batch = formats.read(log, space.store)
    assert formats.commit(space.store, batch) == {}


def test_a_figure_that_its_samples_do_not_give_is_named(space: Workspace, tmp_path: Path) -> None:
    log = lmms_log(tmp_path / "log", "head")
    results = log / "20260101_120000_results.json"
    results.write_text(
        results.read_text().replace('"llmms_eval_acc,none": 0.5', '"llmms_eval_acc,none": 0.6')
    )
    _, problems = brought(space, log)
    assert problems == ["results: camera_test: acc 0.6000, but its 3 samples give 0.5000"]


def test_a_row_of_another_aspect_is_told_by_its_reference(space: Workspace, tmp_path: Path) -> None:
    """The task files of lmms-eval load the rows of all five aspects."""
    captions = tmp_path / "captions.jsonl"
    captions.write_text(
        json.dumps({"video_id": VIDEOS[0], "short_caption": "Reference 0.", "camera_caption": "Pans."})
    )
    brought(space, captions)
    _, problems = brought(space, lmms_log(tmp_path / "log", "head"))
    assert any("its reference is the short caption of 'clip-a'" in p for p in problems)
    kinds = {j.video_id: j.kind for j in space.store.find(Verdict)}
    assert sorted(kinds.values()) == ["vdc:camera", "vdc:camera", "vdc:short"]


def test_questions_that_are_here_are_used(space: Workspace, tmp_path: Path) -> None:
    qa = tmp_path / "camera.jsonl"
    asked = sample(0, "v0.3")["doc"]["qa_list"]
    qa.write_text(json.dumps({VIDEOS[0]: [{k: q[k] for k in ("question", "answer")} for q in asked]}))
    brought(space, qa)
    brought(space, lmms_log(tmp_path / "log", "v0.3"))
    assert space.store.count(Question) == 6
    ids = {q.id for q in space.store.find(Question) if q.dataset_id}
    assert len(ids & {a.question_id for a in space.store.find(Answer)}) == 2


@needs_logs
@pytest.mark.parametrize(
    ("name", "texts", "answers"), [("lmms-eval_v0.3.5", 6, 57), ("lmms-eval_HEAD-75571cf", 6, 0)]
)
def test_logs_of_the_peers_own_writer(space: Workspace, name: str, texts: int, answers: int) -> None:
    counts, problems = brought(space, LOGS / name)
    assert problems == []
    assert (counts["Video"], counts["Text"], counts.get("Answer", 0)) == (3, texts, answers)
    assert means(space, "parsed")["score_macro"] == pytest.approx(2.1578947368421053)
    assert means(space, "parsed")["accuracy_macro"] == pytest.approx(0.4035087719298245)


@needs_logs
def test_a_log_of_means_alone_says_so(space: Workspace) -> None:
    counts, problems = brought(space, LOGS / "lmms-eval_v0.2.3")
    assert (counts["Evaluation"], counts.get("Video", 0)) == (1, 0)
    assert problems == [
        "lmms-eval_v0.2.3: the log has only means over all videos and no samples: no results per video"
    ]
    [evaluation] = space.store.find(Evaluation)
    assert "acc 0.4035, score 2.1579" in evaluation.note


# --- VLMEvalKit -----------------------------------------------------------------------


def test_a_run_of_vlmevalkit(space: Workspace, tmp_path: Path) -> None:
    counts, problems = brought(space, vlmevalkit_log(tmp_path / "outputs" / "SomeModel" / "T20260101-120000"))
    assert problems == []
    assert (counts["Video"], counts["Text"], counts["Question"], counts["Verdict"]) == (3, 3, 6, 3)
    found = {j.state for j in space.store.find(Verdict)}
    assert found == {"done", "unparsed"}
    assert means(space, "vlmevalkit") == {"accuracy_micro": 0.5, "score_micro": 2.5}
    assert space.store.find(Verdict)[0].extra["about"].startswith("one question of this aspect")


@needs_logs
def test_the_run_of_the_peers_own_writer(space: Workspace) -> None:
    counts, problems = brought(space, LOGS / "vlmevalkit_e8e78f0")
    assert (counts["Video"], counts["Text"], counts["Verdict"], counts["Evaluation"]) == (5, 10, 10, 1)
    assert [p for p in problems if "rating" in p] == []
    assert means(space, "vlmevalkit") == {"accuracy_micro": pytest.approx(0), "score_micro": pytest.approx(1)}
    [evaluation] = space.store.find(Evaluation)
    assert "overall 1.80" in evaluation.note


def test_a_cell_that_is_full_was_cut(space: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    header = ["index", "video", "caption_type", "question", "prediction"]
    long = ("[{'question': 'a', 'answer': 'b'}, " * 2000)[:32_767]
    rows = [
        [0, "a.mp4", "camera", long, "w" * 32_767],
        [1, "b.mp4", "short", "[]", "Failed to obtain answer via API."],
        [2, "c.mp4", "sound", "[]", "x"],
        [3, "a.mp4", "camera", "[]", "again"],
    ]
    write_xlsx(folder / "M_VDC_1fps.xlsx", [header, *rows])
    _, problems = brought(space, folder)
    said = "\n".join(problems)
    for words in (
        "cut at the length of a cell (32,767 characters)",
        "the questions cannot be read: the text was cut at the length of a cell",
        "no caption of the model",
        "unknown caption_type 'sound', not one of",
        "already appears at M_VDC_1fps.xlsx row 2",
    ):
        assert words in said
    assert {t.state for t in space.store.find(Text)} == {"done", "failed"}


# --- damaged copies -------------------------------------------------------------------


def write_table(path: Path, rows: list[list[object]], *more: str) -> None:
    header = ["index", "video", "caption_type", "question", "prediction", *more]
    if path.suffix == ".json":
        path.write_text(json.dumps([dict(zip(header, row, strict=True)) for row in rows], ensure_ascii=False))
    else:
        path.write_text("".join("\t".join(map(str, line)) + "\n" for line in [header, *rows]))


def files_of(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.is_file()) if folder.is_dir() else [folder]


def damage(path: Path, draw: random.Random) -> str:
    raw = path.read_bytes()
    how = draw.choice(["cut", "encoding", "keys", "lines twice", "bytes", "empty", "extra"])
    if how == "cut":
        raw = raw[: draw.randrange(len(raw))]
    elif how == "encoding":
        raw = (
            raw.decode("utf-8", "replace").encode("utf-16")
            if path.suffix in (".json", ".jsonl")
            else raw[::-1]
        )
    elif how == "keys":
        raw = raw.replace(
            draw.choice([b'"video_name"', b'"doc_id"', b'"results"', b"prediction", b"pred"]), b'"gone"'
        )
    elif how == "lines twice":
        raw = raw + raw
    elif how == "bytes":
        for _ in range(5):
            place = draw.randrange(max(1, len(raw)))
            raw = raw[:place] + bytes([draw.randrange(256)]) + raw[place + 1 :]
    elif how == "extra":
        raw = raw.replace(b'"doc_id"', b'"colour": "blue", "doc_id"').replace(b'"index"', b'"also"')
    else:
        raw = b""
    path.write_bytes(raw)
    return how


@pytest.mark.parametrize("kind", [*GENERATIONS, "vlmevalkit"])
def test_damaged_logs_are_read_around_or_refused_in_one_line(
    space: Workspace, tmp_path: Path, kind: str
) -> None:
    whole = vlmevalkit_log(tmp_path / "whole") if kind == "vlmevalkit" else lmms_log(tmp_path / "whole", kind)
    draw = random.Random(kind)
    refused = 0
    for number in range(25):
        copy = tmp_path / f"copy{number}"
        if whole.is_dir():
            shutil.copytree(whole, copy)
        else:
            copy.mkdir()
            shutil.copy(whole, copy)
        damage(draw.choice(files_of(copy)), draw)
        try:
            batch = formats.read(copy if whole.is_dir() else copy / whole.name, space.store)
        except DailiesError as error:
            assert "\n" not in str(error)
            refused += 1
            continue
        # What was read is whole: it goes in, and every verdict belongs to something that is there.
        formats.commit(space.store, batch)
    assert refused < 25
    texts = {t.id for t in space.store.find(Text)}
    assert all(a.text_id in texts for a in space.store.find(Answer) if a.text_id)


@pytest.mark.parametrize("suffix", [".tsv", ".json"])
def test_a_table_in_another_encoding_is_named_and_leaves_nothing(
    space: Workspace, tmp_path: Path, suffix: str
) -> None:
    """UTF-16 says what it is, and is read."""
    folder = tmp_path / "run"
    folder.mkdir()
    rows = [[0, "a.mp4", "camera", "[{'question': 'Où?', 'answer': 'là'}]", "Une caméra."]]
    write_table(folder / f"M_VDC_8frame{suffix}", rows)
    counts, _ = brought(space, folder)
    path = folder / f"M_VDC_8frame{suffix}"
    written = path.read_text(encoding="utf-8")
    path.write_bytes(written.encode("utf-16"))
    assert formats.read(folder).counts() == counts
    path.write_bytes(written.encode("latin-1"))
    other = new_workspace(tmp_path / "other")
    with pytest.raises(FormatError, match=rf"M_VDC_8frame\{suffix}.*UTF-8") as refused:
        formats.commit(other.store, formats.read(folder, other.store))
    assert "\n" not in str(refused.value)
    assert other.store.count(Video) == 0
    other.close()


@pytest.mark.parametrize("generation", GENERATIONS)
def test_a_log_in_another_encoding_is_named_and_leaves_nothing(
    space: Workspace, tmp_path: Path, generation: str
) -> None:
    log = lmms_log(tmp_path / "log", generation)
    counts = formats.read(log).counts()
    for encoding in ("utf-16", "latin-1"):
        for file in files_of(log):
            if "samples" in file.name or generation == "aurora":
                read = "utf-16" if file.read_bytes()[:2] in UTF_16 else "utf-8"
                text = file.read_text(encoding=read).replace("pans left", "pans à gauche")
                file.write_bytes(text.encode(encoding))
        if encoding == "utf-16":
            assert formats.read(log).counts() == counts
    with pytest.raises(FormatError, match=r"\.jsonl?.*(UTF-8|unknown format|not JSON)") as refused:
        formats.commit(space.store, formats.read(log, space.store))
    assert "\n" not in str(refused.value)
    assert space.store.count(Video) == 0


def test_extra_columns_are_read_around_and_unknown_fields_named(space: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    rows = [[0, "a.mp4", "camera", "[{'question': 'Q?', 'answer': 'A'}]", "C.", "more"]]
    write_table(folder / "M_VDC_8frame.tsv", rows, "colour")
    counts, problems = brought(space, folder)
    assert (counts["Text"], counts["Question"]) == (1, 1)
    assert any("unknown column 'colour'; not kept" in problem for problem in problems)
    log = lmms_log(tmp_path / "log", "v0.3")
    [samples] = log.glob("*samples*")
    samples.write_text(samples.read_text().replace('"doc_id"', '"colour": "blue", "doc_id"'))
    _, problems = brought(space, log)
    assert problems == [f"{samples.name}: unknown field 'colour'; kept unchanged"]
    kept = [j.extra["log"] for j in space.store.find(Verdict, value_type="score_only")]
    assert {(line["colour"], line["doc_hash"]) for line in kept} == {("blue", "0")}


# --- pickles --------------------------------------------------------------------------


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch /tmp/dailies-was-here",)


def test_the_pickle_reader_reads_plain_values(tmp_path: Path) -> None:
    file = tmp_path / "a.pkl"
    value = {np.int64(3): "three", 4: ["x", 1.5, None, True, {"deep": (1, 2)}], "f": np.float64(0.25)}
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        file.write_bytes(pickle.dumps(value, protocol))
        assert read_pickle(file) == {3: "three", 4: ["x", 1.5, None, True, {"deep": [1, 2]}], "f": 0.25}


@pytest.mark.parametrize(
    "value",
    [
        {"a": Evil()},
        [print],
        np.array([1, 2]),
        {"a": Path("/etc/passwd")},
        {(1, 2): "key"},
        {"a": object},
        {"a": bytearray(b"x")},
        {"a": b"bytes"},
        {"a": 1 + 2j},
        np.datetime64("2020-01-01"),
    ],
)
def test_the_pickle_reader_runs_and_imports_nothing(tmp_path: Path, value: object) -> None:
    file = tmp_path / "a.pkl"
    file.write_bytes(pickle.dumps(value))
    with pytest.raises(FormatError):
        read_pickle(file)
    assert not Path("/tmp/dailies-was-here").exists()


def test_the_pickle_reader_survives_any_bytes(tmp_path: Path) -> None:
    draw = random.Random(1)
    good = pickle.dumps({i: "text" * i for i in range(30)})
    file = tmp_path / "a.pkl"
    for _ in range(300):
        raw = bytearray(good)
        for _ in range(draw.randint(1, 8)):
            raw[draw.randrange(len(raw))] = draw.randrange(256)
        file.write_bytes(bytes(raw[: draw.randint(1, len(raw))]))
        try:
            read_pickle(file)
        except FormatError as error:
            assert "\n" not in str(error)


def test_little_files_that_unfold_to_huge_ones_are_refused(tmp_path: Path) -> None:
    many: list[object] = ["x"]
    for _ in range(40):
        many = [many, many]
    bomb = tmp_path / "bomb.pkl"
    bomb.write_bytes(pickle.dumps(many))
    with pytest.raises(FormatError, match="too many values"):
        read_pickle(bomb)
    book = tmp_path / "bomb.xlsx"
    write_xlsx(book, [["video", "question"], ["a", "b"]])
    with (
        zipfile.ZipFile(book, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("xl/more.xml", "w") as part,
    ):
        for _ in range(513):
            part.write(b" " * (1 << 20))
    assert book.stat().st_size < 4 << 20
    with pytest.raises(FormatError, match="unpacked"):
        list(table_rows(book))
