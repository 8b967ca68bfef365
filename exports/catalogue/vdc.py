"""VDC, VDCscore and Video-MMLU: files and logs of the benchmarks and of their scorers."""

from __future__ import annotations

from exports import (
    lmms_eval,
    lmms_eval_out,
    loveu,
    loveu_reader,
    vdc_captions,
    vdc_qa,
    vdc_qa_patch,
    video_mmlu,
    video_mmlu_log,
    vlmevalkit,
    vlmevalkit_out,
    vlmevalkit_tables,
)
from exports.batch import Format
from exports.catalogue.words import NO_HISTORY

VDC: tuple[Format, ...] = (
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
        f"questions, which are left out; {NO_HISTORY}",
        looks_for="lines with video_id and captions_qa or reasoning_qa, or with video_id and a "
        "discipline alone",
        recognise=video_mmlu.recognise, reader=video_mmlu.read, writer=video_mmlu.write,
    ),
    Format(
        name=vdc_qa.NAME, what="questions of VDCscore, one file per aspect", suffix="",
        evaluation="optional", cannot_hold="answers, verdicts; current values: excluded questions, "
        f"which are left out; {NO_HISTORY}", note=vdc_qa.note,
        looks_for='lines {"video_id": [{"question", "answer"}]}, or a folder with camera.jsonl and so on',
        recognise=vdc_qa.recognise, reader=vdc_qa.read, writer=vdc_qa.write,
    ),
    Format(
        name=vdc_captions.NAME, what="the five captions of VDC, one video per line", suffix=".jsonl",
        evaluation="optional",
        cannot_hold=f"captions that failed, several authors of one caption, {NO_HISTORY}",
        looks_for="lines with video_id and short_caption, camera_caption ..., flat or under captions",
        recognise=vdc_captions.recognise, reader=vdc_captions.read, writer=vdc_captions.write,
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
)  # fmt: skip
