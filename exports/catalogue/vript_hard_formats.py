"""Vript-Hard: annotations, replies, ratings."""

from __future__ import annotations

from exports.files.format_types import Format
from exports.vript import hard_annotations, hard_predictions, rr_judge

VRIPT_HARD: tuple[Format, ...] = (
    Format(
        name=hard_annotations.NAME,
        what="annotations of Vript-Hard: HAL, RR and ERO, one item per line",
        group="annotations of benchmarks",
        suffix="",
        each=".jsonl",
        cannot_hold="replies and verdicts",
        looks_for="lines with video_id and multiple_choice, with clip_id and lists in content, or with a "
        "question that contains Scene (A); or a folder with RR_annotations.jsonl and the like",
        recognise=hard_annotations.recognise,
        reader=hard_annotations.read,
        writer=hard_annotations.write,
    ),
    Format(
        name=hard_predictions.NAME,
        what="a model's replies to Vript-Hard, one row per item",
        group="runs and their scores",
        suffix=".csv",
        evaluation="needed",
        cannot_hold="how a reply was read, corrections, judges' ratings; the model, and without "
        "annotations also the task, come only from the file name (ERO_mymodel.csv)",
        looks_for="a .csv with the columns id and pred",
        recognise=hard_predictions.recognise,
        reader=hard_predictions.read,
        writer=hard_predictions.write,
    ),
    Format(
        name=rr_judge.NAME,
        what="a judge's ratings of open answers to Vript-RR, one row per question",
        group="runs and their scores",
        suffix=".csv",
        evaluation="needed",
        cannot_hold="the judge's name, prompt and explanation, who corrected what",
        looks_for="a .csv with the columns id, judge, model and response",
        recognise=rr_judge.recognise,
        reader=rr_judge.read,
        writer=rr_judge.write,
    ),
)
