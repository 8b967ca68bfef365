"""Every format that files come in and go out by, and the four things to do with them.

Reading changes nothing: `read` gives a batch, `commit` writes it in one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import get_args

from annotation.errors import FormatError, UsageError
from annotation.records import Blame, VdcAspect
from annotation.store.store import Store
from exports import (
    carebench,
    hf_dataset,
    jsonl,
    label_studio,
    lmms_eval,
    lmms_eval_out,
    loveu,
    loveu_reader,
    parquet,
    subtitles,
    vdc_captions,
    vdc_qa,
    vdc_qa_patch,
    verdicts_csv,
    video_mmlu,
    video_mmlu_log,
    vlmevalkit,
    vlmevalkit_out,
    vlmevalkit_tables,
)
from exports.batch import Batch, Format, Output, Problem, Source, Values, Wanted
from exports.memory import no_cycles
from exports.reading import look
from exports.writing import write_file, write_folder

__all__ = ["FORMATS", "Batch", "Format", "Problem", "Values", "commit", "detect", "read", "write"]

_NO_HISTORY = "who corrected what (only the values), runs, prompts, scores"
_SCENES = "frame numbers, detector, shot types and descriptions; it is only written"
_SUBTITLES = "words with their times, probabilities, who corrected what"

FORMATS: Mapping[str, Format] = {
    f.name: f
    for f in (
        Format(
            name=jsonl.NAME, what="everything in the workspace, to move or keep it", suffix=".jsonl",
            cannot_hold="the video files and where they lie; a video that is there already keeps its own row",
            looks_for='a first line {"format": "dailies", ...}', recognise=jsonl.recognise,
            reader=jsonl.read, writer=jsonl.write,
        ),
        Format(
            name=loveu.NAME, what="the three-stage log of an evaluation, as LOVEU track 1 asks for it",
            suffix="", evaluation="needed",
            cannot_hold="blames, raw requests, frames given to the model, changes of questions (only how "
            "they read), and all corrections but the last of each value",
            looks_for="a folder with manifest.json and captions, answers or verdicts .jsonl",
            recognise=loveu.recognise, reader=loveu_reader.read, writer=loveu.write,
        ),
        Format(
            name=lmms_eval.NAME, what="logs of lmms-eval, of every generation, and of aurora", suffix="",
            evaluation="needed",
            cannot_hold="who corrected what (only the values), blames, why an answer failed; the verdict on "
            "each question stands in a field of our own, which lmms-eval does not mind",
            looks_for="*_samples_*.jsonl, *_results.json, or lines with doc_id and filtered_resps",
            recognise=lmms_eval.recognise, reader=lmms_eval.read, writer=lmms_eval_out.write,
        ),
        Format(
            name=vlmevalkit.NAME, what="a run of VLMEvalKit on VDC: tables, pickles, rating", suffix="",
            evaluation="needed", note=vlmevalkit_out.note,
            cannot_hold="reference captions, who corrected what (only the values), blames, why an answer "
            "failed; a table with a text beyond 32,766 characters goes out as .json",
            looks_for="a folder with MODEL_VDC_8frame.xlsx, .tsv or .json", recognise=vlmevalkit.recognise,
            reader=vlmevalkit.read, writer=vlmevalkit_out.write,
        ),
        Format(
            name=vdc_qa_patch.NAME, what="what people corrected and excluded in a dataset's questions",
            suffix=".jsonl",
            cannot_hold="earlier corrections and words taken back, questions that no dataset brought",
            looks_for="lines with video_id, question, answer and action, correct or exclude",
            recognise=vdc_qa_patch.recognise, reader=vdc_qa_patch.read, writer=vdc_qa_patch.write,
        ),
        Format(
            name=video_mmlu.NAME, what="questions and reference notes of Video-MMLU, one video per line",
            suffix=".jsonl", cannot_hold="answers, verdicts, machine-made notes; current values: excluded "
            f"questions, which are left out; {_NO_HISTORY}",
            looks_for="lines with video_id and captions_qa or reasoning_qa, or with video_id and a "
            "discipline alone",
            recognise=video_mmlu.recognise, reader=video_mmlu.read, writer=video_mmlu.write,
        ),
        Format(
            name=vdc_qa.NAME, what="questions of VDCscore, one file per aspect", suffix="",
            evaluation="optional", cannot_hold="answers, verdicts; current values: excluded questions, "
            f"which are left out; {_NO_HISTORY}", note=vdc_qa.note,
            looks_for='lines {"video_id": [{"question", "answer"}]}, or a folder with camera.jsonl and so on',
            recognise=vdc_qa.recognise, reader=vdc_qa.read, writer=vdc_qa.write,
        ),
        Format(
            name=vdc_captions.NAME, what="the five captions of VDC, one video per line", suffix=".jsonl",
            evaluation="optional",
            cannot_hold=f"captions that failed, several authors of one caption, {_NO_HISTORY}",
            looks_for="lines with video_id and short_caption, camera_caption ..., flat or under captions",
            recognise=vdc_captions.recognise, reader=vdc_captions.read, writer=vdc_captions.write,
        ),
        Format(
            name=carebench.NAME, what="metadata.json of CaReBench: full, spatial and temporal caption",
            suffix=".json", evaluation="optional",
            cannot_hold=f"the four aspects, several authors of one caption, {_NO_HISTORY}",
            looks_for="a JSON array of objects with video and spatial_caption", recognise=carebench.recognise,
            reader=carebench.read, writer=carebench.write,
        ),
        Format(
            name=vlmevalkit_tables.NAME, what="question tables of VLMEvalKit: VDC and Video-MMLU",
            suffix=".tsv",
            cannot_hold="it is only read; the tables hold questions and no captions",
            looks_for="a .tsv with the columns video, question and caption_type or discipline",
            recognise=vlmevalkit_tables.recognise, reader=vlmevalkit_tables.read,
        ),
        Format(
            name=video_mmlu_log.NAME, what="what the scripts of Video-MMLU leave: answers, verdicts, summary",
            suffix="", cannot_hold="it is only read; the log itself holds no notes and no raw reply",
            looks_for="lines with video_id, question and pred_answer, pred_qa or judgement; or a document "
            "with category_results",
            recognise=video_mmlu_log.recognise, reader=video_mmlu_log.read,
        ),
        Format(
            name=verdicts_csv.NAME, what="one row per verdict, machine and current, for a spreadsheet",
            suffix=".csv", evaluation="needed",
            cannot_hold="captions, earlier corrections, a cell beyond 32,000 characters; it is only written",
            looks_for="a table that begins with evaluation,video_id,title,aspect",
            recognise=verdicts_csv.recognise, writer=verdicts_csv.write,
        ),
        Format(
            name=parquet.NAME, what="one row per verdict, machine and current, for programs",
            suffix=".parquet", evaluation="needed",
            cannot_hold="captions without a question, earlier corrections; it is only written, and "
            "needs pyarrow (requirements-parquet.txt)",
            looks_for="a file that begins with PAR1", recognise=parquet.recognise, writer=parquet.write,
        ),
        Format(
            name=hf_dataset.NAME, what="a folder for Hugging Face's load_dataset: three tables",
            suffix="", evaluation="needed", cannot_hold="earlier corrections, videos; it is only written",
            looks_for="a folder with README.md and verdicts.jsonl", recognise=hf_dataset.recognise,
            writer=hf_dataset.write,
        ),
        Format(
            name=label_studio.NAME, what="tasks for Label Studio with the judge's verdicts",
            suffix="", evaluation="needed", cannot_hold="captions without a question, scores between "
            "whole stars (the judge's own stays in the task), blames; it is only written",
            looks_for="a folder with tasks.json and config.xml", recognise=label_studio.recognise,
            writer=label_studio.write,
        ),
        Format(
            name="srt", what="speech as SubRip, one file per video", suffix="", each=".srt",
            cannot_hold=f"{_SUBTITLES}, the arrow --> in a text; it is only written",
            looks_for="numbered cues with 00:00:00,000 --> 00:00:00,000",
            recognise=partial(subtitles.recognise, "srt"), writer=subtitles.writer("srt", subtitles.speech),
        ),
        Format(
            name="vtt", what="speech as WebVTT, one file per video", suffix="", each=".vtt",
            cannot_hold=f"{_SUBTITLES}; it is only written", looks_for="a first line WEBVTT",
            recognise=partial(subtitles.recognise, "vtt"), writer=subtitles.writer("vtt", subtitles.speech),
        ),
        Format(
            name="scenes-srt", what="scenes with their titles as SubRip, one file per video", suffix="",
            each=".srt", cannot_hold=_SCENES,
            looks_for="as srt", recognise=partial(subtitles.recognise, "srt"),
            writer=subtitles.writer("srt", subtitles.scenes),
        ),
        Format(
            name="scenes-vtt", what="scenes with their titles as WebVTT, one file per video", suffix="",
            each=".vtt", cannot_hold=_SCENES,
            looks_for="as vtt", recognise=partial(subtitles.recognise, "vtt"),
            writer=subtitles.writer("vtt", subtitles.scenes),
        ),
    )
}  # fmt: skip
"""By name, the most particular shapes first."""


def detect(path: Path) -> str:
    """The format of a file or folder, told by what is in it, not by its name.

    Raises FormatError that lists what was looked for.
    """
    head = look(path)
    for known in FORMATS.values():
        if known.recognise(head):
            return known.name
    sought = "; ".join(f"{f.name}: {f.looks_for}" for f in FORMATS.values() if f.reader)
    raise FormatError(f"{path.name}: no format that is known here. Looked for {sought}")


def read(
    path: Path,
    store: Store | None = None,
    format: str | None = None,
    *,
    dataset: str | None = None,
    aspect: str | None = None,
) -> Batch:
    """What the file brings; nothing is written. Raises FormatError, UsageError.

    `store` is where videos, questions and people are recognised. `dataset` names the dataset,
    `aspect` says what a question file is about when its name does not.
    """
    known = _known(format or detect(path))
    if known.reader is None:
        raise UsageError(f"{path.name}: {known.name} can be written but not read")
    if aspect is not None and aspect not in get_args(VdcAspect):
        raise UsageError(f"no aspect {aspect!r}; choose from {', '.join(get_args(VdcAspect))}")
    with no_cycles():
        batch = known.reader(Source(path, store, dataset, aspect))  # type: ignore[arg-type]  # checked above
    if not batch.records and not known.recognise(look(path)):
        raise FormatError(f"{path.name}: this is no {known.name}; looked for {known.looks_for}")
    return batch


def commit(store: Store, batch: Batch) -> dict[str, int]:
    """Write the batch, all of it or nothing. Returns how many of each kind were new.

    Raises FormatError when it does not fit what is in the store.
    """
    blames = [record for record in batch.records if isinstance(record, Blame)]
    others = [record for record in batch.records if not isinstance(record, Blame)]
    with no_cycles():
        return {k: n for k, n in store.restore(others, batch.corrections, blames).items() if n}


def write(
    store: Store, format: str, out: Path, *, evaluation_id: str | None = None, values: str = "current"
) -> list[Path]:
    """Write a file or a folder; it appears whole or not at all. Returns the files.

    `evaluation_id` may be the evaluation's id or name. Raises UsageError, also when `out` holds
    something else, or when there is nothing to write.
    """
    known = _known(format)
    if known.writer is None:
        raise UsageError(f"{format} can be read but not written")
    if evaluation_id and known.evaluation == "none":
        raise UsageError(f"{format} is not written from an evaluation; leave --evaluation out")
    if values not in get_args(Values):
        raise UsageError(f"no values {values!r}; choose {' or '.join(get_args(Values))}")
    outputs = list(known.writer(Wanted(store, evaluation_id, values)))  # type: ignore[arg-type]  # checked above
    if not outputs:
        raise UsageError(f"there is nothing to write as {format} yet{_hint(known)}")
    return _to_disk(known, out, outputs)


def note(store: Store, format: str, *, evaluation_id: str | None = None, values: str = "current") -> str:
    """What was left out of a file that was written, in a line; empty when there is nothing to say."""
    known = _known(format)
    return known.note(Wanted(store, evaluation_id, values)) if known.note else ""  # type: ignore[arg-type]


def _hint(known: Format) -> str:
    return "; for an evaluation's own, name it with --evaluation" if known.evaluation == "optional" else ""


def _to_disk(known: Format, out: Path, outputs: list[Output]) -> list[Path]:
    def is_ours(path: Path) -> bool:
        try:
            return known.recognise(look(path))
        except FormatError:
            return False

    alone = known.each and out.suffix.lower() == known.each and not out.is_dir()
    if alone and len(outputs) != 1:
        raise UsageError(f"{len(outputs)} videos make {len(outputs)} files; name a folder, not {out.name}")
    if known.suffix or alone:
        write_file(out, outputs[0][1], is_ours)
        return [out]
    return write_folder(out, outputs, is_ours)


def _known(name: str) -> Format:
    if name not in FORMATS:
        raise UsageError(f"no format {name!r}; choose from {', '.join(FORMATS)}")
    return FORMATS[name]
