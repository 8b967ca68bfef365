"""Files and logs of Video-MMLU."""

from __future__ import annotations

from exports.files.format_types import NO_HISTORY, Format, Keeps
from exports.video_mmlu import video_mmlu_dataset as video_mmlu
from exports.video_mmlu import video_mmlu_log

FORMATS: tuple[Format, ...] = (
    Format(
        name=video_mmlu.NAME,
        what="questions and reference notes of Video-MMLU, one video per line",
        group="annotations of benchmarks",
        suffix=".jsonl",
        without_hidden_texts=True,
        cannot_hold="answers, verdicts, machine-made notes, disciplines of "
        "videos without questions and notes if other videos have them; current values: excluded questions, "
        f"which are left out; {NO_HISTORY}",
        keeps=Keeps(("disciplines of videos", "reference notes"), ("names of videos", "questions")),
        looks_for="lines with video_id and captions_qa or reasoning_qa, or with video_id and a discipline",
        recognise=video_mmlu.recognise,
        reader=video_mmlu.read,
        writer=video_mmlu.write,
    ),
    Format(
        name=video_mmlu_log.NAME,
        what="output of Video-MMLU's scripts: answers, verdicts, summary",
        group="runs and their scores",
        suffix="",
        cannot_hold="read-only; the log holds no notes and no raw replies",
        looks_for="lines with video_id, question and pred_answer, pred_qa or verdict; or a document "
        "with category_results",
        recognise=video_mmlu_log.recognise,
        reader=video_mmlu_log.read,
        bundles=video_mmlu_log.bundles,
    ),
)
