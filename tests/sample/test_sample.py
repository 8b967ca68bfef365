"""The sample is whole: its files parse, agree with each other and with the clip."""

from __future__ import annotations

import ast
import json
from collections import Counter
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from annotation.intake.add_video import add_video
from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.runs import Evaluation
from annotation.reports.evaluation_report import comparison, report
from annotation.workspace.workspace import Workspace
from exports.catalogue import format_registry as formats
from exports.sample import JUDGED, RECORDED, TITLE
from sample.record import LABELS

SAMPLE = Path(__file__).resolve().parents[2] / "sample"
RATE = 22_050
"""Samples a second of the clip's voice."""
VIDEO = "paper-boat"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLE / name).read_text(encoding="utf-8").splitlines()]


def spoken() -> list[tuple[float, str]]:
    """(start second, sentence) of every line of `narration.txt`."""
    lines = (
        line.split("\t", 1) for line in (SAMPLE / "narration.txt").read_text().splitlines() if line.strip()
    )
    return [(float(start), text) for start, text in lines]


def questions(aspect: str) -> list[dict[str, str]]:
    (only,) = rows(f"vdc_qa/{aspect}.jsonl")
    assert list(only) == [VIDEO]
    return list(only[VIDEO])


def asked() -> list[tuple[str, int, str, str]]:
    """Every reference question as (aspect, index, question, answer)."""
    return [(a, i, q["question"], q["answer"]) for a in VDC_ASPECTS for i, q in enumerate(questions(a))]


@pytest.fixture(scope="module")
def verdicts() -> list[dict[str, Any]]:
    return rows("evaluation/verdicts.jsonl")


def test_clip_is_small_and_readable() -> None:
    path = SAMPLE / "clip.mp4"
    assert path.stat().st_size < 3_000_000
    with av.open(str(path)) as clip:
        video = clip.streams.video[0]
        shape = (video.codec_context.name, video.width, video.height, video.pix_fmt, video.average_rate)
        assert shape == ("h264", 1280, 720, "yuv420p", 25)
        assert clip.streams.audio[0].codec_context.name == "aac"
        count = sum(1 for _ in clip.decode(video))
    assert count == 54 * 25


def test_clip_has_its_index_in_front() -> None:
    start = (SAMPLE / "clip.mp4").read_bytes()[:4096]
    assert b"moov" in start


def test_clip_speaks_where_narration_says() -> None:
    with av.open(str(SAMPLE / "clip.mp4")) as clip:
        resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
        parts = [p.to_ndarray()[0] for f in clip.decode(audio=0) for p in resampler.resample(f)]
    sound = np.abs(np.concatenate(parts).astype(np.float32))
    for start, text in spoken():
        at = int(start * RATE)
        before, during = sound[max(0, at - RATE // 3) : at], sound[at : at + 2 * RATE]
        assert during.mean() > 500 > 10 * (before.mean() if len(before) else 0), text


def test_clip_fades_through_black_once() -> None:
    dark = []
    with av.open(str(SAMPLE / "clip.mp4")) as clip:
        clip.streams.video[0].thread_type = "AUTO"
        for n, frame in enumerate(clip.decode(video=0)):
            if np.asarray(frame.planes[0])[::16].mean() < 35:  # 16 is black
                dark.append(n)
    assert dark
    assert 30 * 25 < dark[0] <= 31 * 25 <= dark[-1] < 32 * 25


def test_narration_has_sentences_with_gaps() -> None:
    lines = spoken()
    assert 5 <= len(lines) <= 7
    starts = [start for start, _ in lines]
    assert starts == sorted(starts) and starts[-1] < 54
    words = " ".join(text for _, text in lines).lower()
    for word in (
        "paper boat",
        "stream",
        "windmill",
        "cat",
        "rain",
        "umbrella",
        "lighthouse",
        "windows",
        "home",
    ):
        assert word in words


def test_reference_captions() -> None:
    (row,) = rows("vdc_captions.jsonl")
    assert (row["video_id"], row["video_name"], row["video_source"]) == (VIDEO, "clip.mp4", "dailies-sample")
    assert all(row[f"{aspect}_caption"].strip() for aspect in VDC_ASPECTS)
    assert len(row["detailed_caption"].split()) >= 200
    assert len(row["short_caption"].split()) <= 50


@pytest.mark.parametrize("aspect", VDC_ASPECTS)
def test_questions(aspect: str) -> None:
    found = questions(aspect)
    assert 7 <= len(found) <= 10
    assert len({q["question"] for q in found}) == len(found)
    for q in found:
        assert set(q) == {"question", "answer", "category"}
        assert q["question"].endswith("?") and "?" not in q["answer"]
        assert 1 <= len(q["answer"].split()) <= 10 and q["category"]


def test_carebench_record() -> None:
    (record,) = json.loads((SAMPLE / "metadata.json").read_text(encoding="utf-8"))
    keys = {"video", "caption", "spatial_caption", "temporal_caption", "category", "subcategory"}
    assert set(record) == keys and all(record[key].strip() for key in keys)
    assert 150 <= len(record["caption"].split()) <= 300
    for part in ("spatial_caption", "temporal_caption"):
        assert len(record[part].split()) < len(record["caption"].split())


def test_evaluated_captions_cover_every_aspect() -> None:
    found = rows("evaluation/captions.jsonl")
    assert [row["aspect"] for row in found] == list(VDC_ASPECTS)
    assert all(row["video_id"] == VIDEO and row["caption"].strip() for row in found)


@pytest.mark.parametrize("name", ["answers", "verdicts"])
def test_every_question_has_its_row(name: str) -> None:
    found = rows(f"evaluation/{name}.jsonl")
    assert [(r["aspect"], r["index"], r["question"], r["answer"]) for r in found] == asked()
    assert all(r["video_id"] == VIDEO and r["pred_answer"].strip() for r in found)


def test_verdicts_follow_the_answers(verdicts: list[dict[str, Any]]) -> None:
    answers = rows("evaluation/answers.jsonl")
    assert [r["pred_answer"] for r in answers] == [r["pred_answer"] for r in verdicts]


def test_verdict_states(verdicts: list[dict[str, Any]]) -> None:
    states = Counter(row["state"] for row in verdicts)
    assert set(states) == {"done", "unparsed", "failed", "missing"}
    assert states["unparsed"] >= 3 and states["failed"] >= 2
    labels = Counter(row["pred"] for row in verdicts if row["state"] == "done")
    assert labels["yes"] >= 5 and labels["no"] >= 5


def test_verdict_values_agree_with_raw(verdicts: list[dict[str, Any]]) -> None:
    for row in verdicts:
        if row["state"] != "done":
            assert (row["pred"], row["score"]) == ("", None) and row["reason"]
            assert bool(row["raw"]) == (row["state"] == "unparsed")
            continue
        raw = row["raw"].replace("’", "'")
        said = ast.literal_eval(raw[raw.index("{") : raw.rindex("}") + 1])
        before = "machine_" if row.get("corrected") else ""
        assert said == {"pred": row[f"{before}pred"], "score": row[f"{before}score"]}
        assert row["pred"] in ("yes", "no") and 0 <= row["score"] <= 5


def test_people_agree_with_the_judge_mostly_and_say_why_not(verdicts: list[dict[str, Any]]) -> None:
    labelled = [row for row in verdicts if row.get("corrected") or row.get("confirmed")]
    against = [row for row in labelled if row["pred"] != row["machine_pred"]]
    assert len(labelled) >= 20 and {row["aspect"] for row in labelled} == set(VDC_ASPECTS)
    assert 3 <= len(against) < len(labelled) / 2 and all(row["correction_reason"] for row in against)


@pytest.fixture(scope="module")
def recorded() -> dict[str, list[dict[str, Any]]]:
    """The records of the model's evaluation by kind."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows("recorded.jsonl")[1:]:
        found.setdefault(row["record"], []).append(row)
    return found


def test_the_recording_holds_every_request_and_raw_reply(recorded: dict[str, list[dict[str, Any]]]) -> None:
    questions = len(asked())
    assert len(recorded["Answer"]) == len(recorded["Verdict"]) == questions
    calls = {call["id"]: call for call in recorded["ModelCall"]}
    for one in (*recorded["Answer"], *recorded["Verdict"]):
        call = calls[one["call_id"]]
        assert call["request"] and call["reply"] and not one["baseline"]
    assert all(one["raw"] == calls[one["call_id"]]["reply"] for one in recorded["Verdict"])


def test_the_recording_says_what_made_it_and_where_nothing_lies(
    recorded: dict[str, list[dict[str, Any]]],
) -> None:
    assert {run["stage"] for run in recorded["Run"]} == {"answers", "verdicts"}
    for run in recorded["Run"]:
        assert run["prompt_hash"] and run["software"]["dailies"] and run["software"]["xllamacpp"]
        assert run["model"] == "qwen2.5-coder-1.5b-instruct-q4_k_m" and not run["baseline"]
        assert "/" not in run["backend"]
    (evaluation,) = recorded["Evaluation"]
    assert "recorded" in evaluation["name"] and "no published VDCscore" in evaluation["note"]
    text = (SAMPLE / "recorded.jsonl").read_text(encoding="utf-8")
    assert not any(
        f'"/{folder}/' in text or f":/{folder}/" in text for folder in ("home", "root", "tmp", "work")
    )


def test_the_sample_has_two_evaluations_that_differ_and_labels_on_both(tmp_path: Path) -> None:
    space = Workspace(tmp_path / "w")
    try:
        add_video(space.store, space.media, SAMPLE / "clip.mp4", title=TITLE)
        for name in ("vdc_captions.jsonl", "vdc_qa", "evaluation", RECORDED):
            batch = formats.read(SAMPLE / name, space.store)
            assert list(batch.problems) == []
            formats.commit(space.store, batch)
        first, second = space.store.find(Evaluation, order_by=["created_at"])
        assert second.name == JUDGED and not first.baseline
        reports = {one.name: report(space.store, one.id, ["parsed"]) for one in (first, second)}
        assert all(found["agreement"]["n"] >= 15 for found in reports.values())
        assert reports[first.name]["agreement"]["kappa"]["value"] is not None
        found = comparison(space.store, first.id, second.id)
        assert len(found["flips"]) >= 3 and found["judges"]["a"] != found["judges"]["b"]
    finally:
        space.close()


def test_labels_are_laid_over_equal_answers_only() -> None:
    lines = [json.loads(line) for line in (SAMPLE / LABELS).read_text(encoding="utf-8").splitlines()]
    assert len({(line["question"], line["answer"]) for line in lines}) == len(lines)
    assert all(line["pred"] in ("yes", "no") and 0 <= line["score"] <= 5 for line in lines)


def test_evaluation_says_that_it_is_hand_written() -> None:
    manifest = json.loads((SAMPLE / "evaluation/manifest.json").read_text(encoding="utf-8"))
    assert set(manifest) == {"name", "platform", "captioner", "judge", "note", "prompt_hash", "created"}
    assert manifest["platform"] == "hand-written demonstration"
    assert manifest["captioner"] == manifest["judge"] == "hand-written"
    assert "no model's score" in manifest["note"]
    assert "no model's score" in (SAMPLE / "README.md").read_text(encoding="utf-8")
