"""The three-stage log of LOVEU track 1."""

from __future__ import annotations

from exports.files.format_types import Format, Keeps
from exports.logs.evaluation_rows import evaluation_counts
from exports.loveu import reader as loveu_reader
from exports.loveu import writer as loveu

FORMATS: tuple[Format, ...] = (
    Format(
        name=loveu.NAME,
        in_clip_zip="log",
        what="the three-stage log of an evaluation, as LOVEU track 1 requires",
        group="runs and their scores",
        suffix="",
        evaluation="needed",
        counts=evaluation_counts,
        cannot_hold="error sources, raw requests, frames given to the model, changes of questions (only the "
        "current text), questions without an answer, unknown fields of an imported log, and all "
        "corrections but the latest of each value",
        keeps=Keeps(
            (
                "captions of models",
                "captions that failed",
                "categories of questions",
                "answers",
                "verdicts",
                "replies of judges",
                "people",
            ),
            ("names of videos", "questions", "evaluations", "models of runs", "corrections"),
            writer=True,
        ),
        looks_for="a folder with manifest.json and captions, answers or verdicts .jsonl",
        recognise=loveu.recognise,
        reader=loveu_reader.read,
        bundles=loveu_reader.bundles,
        writer=loveu.write,
    ),
)
