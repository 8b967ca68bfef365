"""Files of VDC."""

from __future__ import annotations

from exports.files.format_types import NO_HISTORY, Format, Keeps
from exports.vdc import vdc_captions, vdc_qa, vdc_qa_patch
from exports.vdc.entries_to_check import entries_to_check

FORMATS: tuple[Format, ...] = (
    Format(
        name=vdc_qa_patch.NAME,
        what="people's corrections and exclusions of a dataset's questions",
        group="annotations of benchmarks",
        suffix=".jsonl",
        without_hidden_texts=True,
        cannot_hold="earlier corrections, withdrawn exclusions, questions that do not come from a dataset",
        looks_for="lines with video_id, question, answer and action, correct or exclude",
        recognise=vdc_qa_patch.recognise,
        reader=vdc_qa_patch.read,
        writer=vdc_qa_patch.write,
    ),
    Format(
        name=vdc_qa.NAME,
        in_clip_zip="questions",
        what="questions of VDCscore, one file per aspect",
        group="annotations of benchmarks",
        suffix="",
        without_hidden_texts=True,
        evaluation="optional",
        cannot_hold="answers, verdicts; current values: excluded questions, "
        f"which are left out; {NO_HISTORY}",
        note=vdc_qa.note,
        entries_to_check=entries_to_check,
        keeps=Keeps((), ("names of videos", "questions", "categories of questions")),
        looks_for='lines {"video_id": [{"question", "answer"}]}, or a folder with camera.jsonl and so on',
        recognise=vdc_qa.recognise,
        reader=vdc_qa.read,
        writer=vdc_qa.write,
    ),
    Format(
        name=vdc_captions.NAME,
        in_clip_zip="captions/vdc_captions.jsonl",
        what="the five captions of VDC, one video per line",
        group="annotations of benchmarks",
        suffix=".jsonl",
        without_hidden_texts=True,
        evaluation="optional",
        cannot_hold=f"captions that failed, several authors of one caption, {NO_HISTORY}",
        keeps=Keeps(("reference captions of VDC",), ("names of videos",)),
        looks_for="lines with video_id and short_caption, camera_caption ..., flat or under captions",
        fields=vdc_captions.KIND_OF_FIELD,
        texts=vdc_captions.texts_to_write,
        task="captions",
        recognise=vdc_captions.recognise,
        reader=vdc_captions.read,
        writer=vdc_captions.write,
    ),
)
