"""VDC, VDCscore and Video-MMLU: files and logs of the benchmarks and of their scorers."""

from __future__ import annotations

from exports.files.format_types import NO_HISTORY, Format
from exports.logs.evaluation_rows import evaluation_counts
from exports.loveu import reader as loveu_reader
from exports.loveu import writer as loveu
from exports.peers import (
    lmms_eval_log_files,
    lmms_eval_reader,
    lmms_eval_writer,
    vlmevalkit_data_tables,
    vlmevalkit_run_reader,
    vlmevalkit_writer,
)
from exports.vdc import vdc_captions, vdc_qa, vdc_qa_patch
from exports.video_mmlu import video_mmlu_dataset as video_mmlu
from exports.video_mmlu import video_mmlu_log

VDC: tuple[Format, ...] = (
    Format(
        name=loveu.NAME,
        what="the three-stage log of an evaluation, as LOVEU track 1 requires",
        group="runs and their scores",
        suffix="",
        evaluation="needed",
        counts=evaluation_counts,
        cannot_hold="error sources, raw requests, frames given to the model, changes of questions (only the "
        "current text), questions without an answer, unknown fields of an imported log, and all "
        "corrections but the latest of each value",
        looks_for="a folder with manifest.json and captions, answers or verdicts .jsonl",
        recognise=loveu.recognise,
        reader=loveu_reader.read,
        bundles=loveu_reader.bundles,
        writer=loveu.write,
    ),
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
        looks_for="a folder with MODEL_VDC_8frame.xlsx, .tsv or .json",
        recognise=vlmevalkit_run_reader.recognise,
        reader=vlmevalkit_run_reader.read,
        bundles=vlmevalkit_run_reader.bundles,
        writer=vlmevalkit_writer.write,
    ),
    Format(
        name=vdc_qa_patch.NAME,
        what="people's corrections and exclusions of a dataset's questions",
        group="annotations of benchmarks",
        suffix=".jsonl",
        without_carebench=True,
        cannot_hold="earlier corrections, withdrawn exclusions, questions that do not come from a dataset",
        looks_for="lines with video_id, question, answer and action, correct or exclude",
        recognise=vdc_qa_patch.recognise,
        reader=vdc_qa_patch.read,
        writer=vdc_qa_patch.write,
    ),
    Format(
        name=video_mmlu.NAME,
        what="questions and reference notes of Video-MMLU, one video per line",
        group="annotations of benchmarks",
        suffix=".jsonl",
        without_carebench=True,
        cannot_hold="answers, verdicts, machine-made notes, disciplines of "
        "videos without questions and notes if other videos have them; current values: excluded questions, "
        f"which are left out; {NO_HISTORY}",
        looks_for="lines with video_id and captions_qa or reasoning_qa, or with video_id and a discipline",
        recognise=video_mmlu.recognise,
        reader=video_mmlu.read,
        writer=video_mmlu.write,
    ),
    Format(
        name=vdc_qa.NAME,
        what="questions of VDCscore, one file per aspect",
        group="annotations of benchmarks",
        suffix="",
        without_carebench=True,
        evaluation="optional",
        cannot_hold="answers, verdicts; current values: excluded questions, "
        f"which are left out; {NO_HISTORY}",
        note=vdc_qa.note,
        looks_for='lines {"video_id": [{"question", "answer"}]}, or a folder with camera.jsonl and so on',
        recognise=vdc_qa.recognise,
        reader=vdc_qa.read,
        writer=vdc_qa.write,
    ),
    Format(
        name=vdc_captions.NAME,
        what="the five captions of VDC, one video per line",
        group="annotations of benchmarks",
        suffix=".jsonl",
        without_carebench=True,
        evaluation="optional",
        cannot_hold=f"captions that failed, several authors of one caption, {NO_HISTORY}",
        looks_for="lines with video_id and short_caption, camera_caption ..., flat or under captions",
        fields=vdc_captions.KIND_OF_FIELD,
        texts=vdc_captions.texts_to_write,
        task="captions",
        recognise=vdc_captions.recognise,
        reader=vdc_captions.read,
        writer=vdc_captions.write,
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
