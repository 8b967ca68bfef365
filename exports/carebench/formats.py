"""CaReBench: captions, splits, CapST and retrieval."""

from __future__ import annotations

from annotation.systems.carebench import capst_requests
from exports.carebench import (
    capst_description,
    carebench_folder,
    dream_infos,
    retrieval_format,
    retrieval_ranks,
)
from exports.carebench import config as carebench_config
from exports.carebench import metadata as carebench
from exports.files.format_types import NO_HISTORY, Format, Keeps

FORMATS: tuple[Format, ...] = (
    Format(
        name=carebench.NAME,
        in_clip_zip="carebench/metadata.json",
        what="metadata.json of CaReBench: full, spatial and temporal caption",
        group="annotations of benchmarks",
        suffix=".json",
        evaluation="optional",
        cannot_hold=f"the four aspects, several authors of one caption, {NO_HISTORY}",
        keeps=Keeps(
            ("categories of videos", "captions of CaReBench", "elements of captions"), ("names of videos",)
        ),
        looks_for="a JSON array of objects with video and spatial_caption",
        fields=carebench.KINDS,
        texts=carebench.lists_to_write,
        task="split",
        system="carebench",
        recognise=carebench.recognise,
        reader=carebench.read,
        writer=carebench.write,
    ),
    Format(
        name=dream_infos.NAME,
        what="DREAM_eval_infos.jsonl: captions, elements and verdicts of CapST",
        group="runs and their scores",
        suffix=".jsonl",
        evaluation="optional",
        benchmarks=(capst_requests.SYSTEM,),
        cannot_hold="video names (on import, videos are matched by the caption text), upper case, unreadable "
        f"replies, verdicts on captions without elements, {NO_HISTORY}",
        keeps=Keeps(
            ("names of videos", "captions of CaReBench", "elements of captions", "verdicts on elements"),
            ("models of runs",),
            text="lower case",
        ),
        looks_for="lines with gt, pred and events_gt or objects_gt",
        recognise=dream_infos.recognise,
        reader=dream_infos.read,
        writer=dream_infos.write,
    ),
    Format(
        name=capst_description.NAME,
        what="description.json: predicted captions to be scored by CapST",
        group="runs and their scores",
        suffix=".json",
        evaluation="optional",
        benchmarks=(capst_requests.SYSTEM,),
        cannot_hold="video names (on import, videos are matched by the caption text), verdicts, elements of "
        f"the prediction, {NO_HISTORY}",
        keeps=Keeps(("names of videos", "captions of CaReBench"), ("models of runs", "elements of captions")),
        looks_for='an object {"<idx>": {"pred", "gt", ...}}',
        recognise=capst_description.recognise,
        reader=capst_description.read,
        writer=capst_description.write,
    ),
    Format(
        name=retrieval_format.NAME,
        what="retrieval: similarities or embeddings (npz), or recalls (JSON)",
        group="runs and their scores",
        suffix=".json",
        evaluation="optional",
        benchmarks=(retrieval_ranks.SYSTEM,),
        cannot_hold="ranks and similarities (only recalls are written), the rule for ties",
        looks_for="an npz with similarity or text_embeddings, or an object with spatial and temporal recalls",
        recognise=retrieval_format.recognise,
        reader=retrieval_format.read,
        writer=retrieval_format.write,
    ),
    Format(
        name=carebench_config.NAME,
        what="data.config of CaReBench with its metadata.json",
        group="annotations of benchmarks",
        suffix="",
        evaluation="optional",
        cannot_hold=f"the four aspects, several authors of one caption, {NO_HISTORY}",
        keeps=Keeps(
            ("categories of videos", "captions of CaReBench", "elements of captions"), ("names of videos",)
        ),
        looks_for="an object with anno_path and data_root (a trailing comma is allowed), or its folder",
        fields=carebench.KINDS,
        texts=carebench.lists_to_write,
        task="split",
        system="carebench",
        recognise=carebench_config.recognise,
        reader=carebench_config.read,
        writer=carebench_config.write,
    ),
    Format(
        name=carebench_folder.NAME,
        what="a Hugging Face folder: each video file with its texts",
        group="annotations of benchmarks",
        suffix="",
        evaluation="optional",
        cannot_hold=f"videos without a file, the four aspects, several authors of one caption, {NO_HISTORY}",
        looks_for="a folder with metadata.jsonl whose lines have file_name and spatial_caption",
        fields=carebench.KINDS,
        texts=carebench.lists_to_write,
        task="split",
        system="carebench",
        recognise=carebench_folder.recognise,
        reader=carebench_folder.read,
        writer=carebench_folder.write,
    ),
)
