"""Logs and tables of the peers: lmms-eval and VLMEvalKit."""

from __future__ import annotations

from exports.files.format_types import Format, Keeps
from exports.logs.evaluation_rows import evaluation_counts
from exports.peers import (
    lmms_eval_log_files,
    lmms_eval_reader,
    lmms_eval_writer,
    vlmevalkit_data_tables,
    vlmevalkit_run_reader,
    vlmevalkit_writer,
)

FORMATS: tuple[Format, ...] = (
    Format(
        name=lmms_eval_log_files.NAME,
        what="logs of lmms-eval, old and new, and of AuroraCap's copy of it",
        group="runs and their scores",
        suffix="",
        evaluation="needed",
        counts=evaluation_counts,
        note=lmms_eval_writer.note,
        cannot_hold="who corrected what (only the values), error sources, why an answer failed, unknown "
        "fields of an imported log; for a verdict on a whole video and aspect (VLMEvalKit's kind) the reply "
        "and the answer, and the verdict itself if it is unreadable; the verdict on each question is in an "
        "additional field, which lmms-eval ignores",
        keeps=Keeps(
            ("captions of models", "categories of questions", "answers", "verdicts", "replies of judges"),
            ("names of videos", "reference captions of VDC", "questions", "evaluations", "models of runs"),
        ),
        looks_for="*_samples_*.jsonl, *_results.json, or lines with doc_id and filtered_resps",
        recognise=lmms_eval_log_files.recognise,
        reader=lmms_eval_reader.read,
        bundles=lmms_eval_log_files.bundles,
        writer=lmms_eval_writer.write,
    ),
    Format(
        name=vlmevalkit_run_reader.NAME,
        what="a run of VLMEvalKit on VDC: tables, pickles, rating",
        group="runs and their scores",
        suffix="",
        evaluation="needed",
        counts=evaluation_counts,
        note=vlmevalkit_writer.note,
        cannot_hold="reference captions, who corrected what (only the values), error sources, why an answer "
        "failed, unknown fields of an imported log; the mean of a video (lmms-eval's kind) is in an "
        "additional column, which the rating does not count; a table with a text beyond 32,766 characters "
        "is written as .json",
        keeps=Keeps(
            ("captions of models", "categories of questions", "answers", "verdicts", "replies of judges"),
            ("names of videos", "questions", "evaluations", "models of runs"),
        ),
        looks_for="a folder with MODEL_VDC_8frame.xlsx, .tsv or .json",
        recognise=vlmevalkit_run_reader.recognise,
        reader=vlmevalkit_run_reader.read,
        bundles=vlmevalkit_run_reader.bundles,
        writer=vlmevalkit_writer.write,
    ),
    Format(
        name=vlmevalkit_data_tables.NAME,
        what="question tables of VLMEvalKit: VDC and Video-MMLU",
        group="annotations of benchmarks",
        suffix=".tsv",
        cannot_hold="read-only; the tables hold questions and no captions",
        looks_for="a .tsv with the columns video, question and caption_type or discipline",
        recognise=vlmevalkit_data_tables.recognise,
        reader=vlmevalkit_data_tables.read,
    ),
)
