"""Formats for other programs: spreadsheets, data frames, labelling tools and subtitles."""

from __future__ import annotations

from functools import partial

from exports.files.format_types import Format
from exports.generic import (
    huggingface_dataset,
    label_studio,
    label_studio_reader,
    parquet,
    subtitles,
    verdicts_csv,
)
from exports.logs.evaluation_rows import evaluation_counts
from exports.offline_report import writer as offline_report

_SCENES = "frame numbers, detector, shot types and descriptions; write-only"
_SUBTITLES = "times of words, probabilities, who corrected what"

TABLES: tuple[Format, ...] = (
    Format(
        name=verdicts_csv.NAME,
        in_clip_zip="verdicts.csv",
        what="one row per verdict, machine and current, for a spreadsheet",
        group="reports and tables",
        suffix=".csv",
        without_hidden_texts=True,
        evaluation="needed",
        counts=evaluation_counts,
        cannot_hold="captions, earlier corrections, a cell beyond 32,000 characters, questions without an "
        "answer; write-only",
        looks_for="a table that begins with evaluation,video_id,title,aspect",
        recognise=verdicts_csv.recognise,
        writer=verdicts_csv.write,
    ),
    Format(
        name=parquet.NAME,
        what="one row per verdict, machine and current, for programs",
        group="reports and tables",
        suffix=".parquet",
        without_hidden_texts=True,
        evaluation="needed",
        counts=evaluation_counts,
        cannot_hold="captions without a verdict or an answer, earlier corrections; write-only; "
        "needs pyarrow (requirements-parquet.txt)",
        looks_for="a file that begins with PAR1",
        recognise=parquet.recognise,
        writer=parquet.write,
    ),
    Format(
        name=huggingface_dataset.NAME,
        what="a folder for Hugging Face's load_dataset: three tables",
        group="reports and tables",
        suffix="",
        evaluation="needed",
        counts=evaluation_counts,
        cannot_hold="earlier corrections, videos; write-only",
        looks_for="a folder with README.md and verdicts.jsonl",
        recognise=huggingface_dataset.recognise,
        writer=huggingface_dataset.write,
    ),
    Format(
        name=offline_report.NAME,
        in_clip_zip="report",
        what="an evaluation to share: a folder whose index.html opens in a browser without a server",
        group="reports and tables",
        suffix="",
        evaluation="needed",
        counts=evaluation_counts,
        note=offline_report.note,
        cannot_hold="raw replies, who corrected what, excluded questions, blind labels, "
        "more than three small frames per question; write-only",
        looks_for="a folder with an index.html that Dailies wrote",
        recognise=offline_report.recognise,
        writer=offline_report.write,
    ),
    Format(
        name=label_studio.NAME,
        what="tasks for Label Studio with verdicts, and people's labels",
        group="other tools",
        suffix="",
        without_hidden_texts=True,
        evaluation="needed",
        counts=evaluation_counts,
        note=label_studio.note,
        cannot_hold="captions without a question, verdicts without a question, fractional scores "
        "(the task keeps the judge's score), error sources, all but the latest decision of each "
        "person on a verdict; "
        "only labels are imported, into a workspace that contains their verdicts",
        looks_for="a folder with tasks.json and config.xml, or a list of tasks whose data has a verdict_id",
        recognise=label_studio.recognise,
        reader=label_studio_reader.read,
        bundles=label_studio.bundles,
        writer=label_studio.write,
    ),
    Format(
        name="srt",
        in_clip_zip="speech",
        what="speech as SubRip, one file per video",
        group="other tools",
        suffix="",
        without_hidden_texts=True,
        each=".srt",
        cannot_hold=f"{_SUBTITLES}, the arrow --> in a text; write-only",
        looks_for="numbered cues with 00:00:00,000 --> 00:00:00,000",
        recognise=partial(subtitles.recognise, "srt"),
        writer=subtitles.writer("srt", subtitles.speech),
    ),
    Format(
        name="vtt",
        what="speech as WebVTT, one file per video",
        group="other tools",
        suffix="",
        without_hidden_texts=True,
        each=".vtt",
        cannot_hold=f"{_SUBTITLES}; write-only",
        looks_for="a first line WEBVTT",
        recognise=partial(subtitles.recognise, "vtt"),
        writer=subtitles.writer("vtt", subtitles.speech),
    ),
    Format(
        name="scenes-srt",
        in_clip_zip="scenes",
        what="scenes with their titles as SubRip, one file per video",
        group="other tools",
        suffix="",
        without_hidden_texts=True,
        each=".srt",
        cannot_hold=_SCENES,
        looks_for="as srt",
        recognise=partial(subtitles.recognise, "srt"),
        writer=subtitles.writer("srt", subtitles.scenes),
    ),
    Format(
        name="scenes-vtt",
        what="scenes with their titles as WebVTT, one file per video",
        group="other tools",
        suffix="",
        without_hidden_texts=True,
        each=".vtt",
        cannot_hold=_SCENES,
        looks_for="as vtt",
        recognise=partial(subtitles.recognise, "vtt"),
        writer=subtitles.writer("vtt", subtitles.scenes),
    ),
)
