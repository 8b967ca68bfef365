"""Vript-Hard: annotations, replies, ratings."""

from __future__ import annotations

from exports import vript_hard, vript_predictions, vript_rr_judge
from exports.batch import Format

VRIPT_HARD: tuple[Format, ...] = (
    Format(
        name=vript_hard.NAME, what="annotations of Vript-Hard: HAL, RR and ERO, one item per line",
        suffix="", each=".jsonl", cannot_hold="replies and verdicts",
        looks_for="lines with video_id and multiple_choice, lists under content and clip_id, or a question "
        "with Scene (A); or a folder with RR_annotations.jsonl and so on",
        recognise=vript_hard.recognise, reader=vript_hard.read, writer=vript_hard.write,
    ),
    Format(
        name=vript_predictions.NAME, what="what a model replied to Vript-Hard, one row per item",
        suffix=".csv", evaluation="needed",
        cannot_hold="how a reply was read, corrections, judges' ratings, who replied",
        looks_for="a .csv with the columns id and pred", recognise=vript_predictions.recognise,
        reader=vript_predictions.read, writer=vript_predictions.write,
    ),
    Format(
        name=vript_rr_judge.NAME, what="a judge's ratings of open answers to Vript-RR, one row per question",
        suffix=".csv", evaluation="needed",
        cannot_hold="the judge's name, prompt and explanation, who corrected what",
        looks_for="a .csv with the columns id, judge, model and response", recognise=vript_rr_judge.recognise,
        reader=vript_rr_judge.read, writer=vript_rr_judge.write,
    ),
)  # fmt: skip
