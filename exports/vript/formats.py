"""Vript, Vriptor and Vript-Hard."""

from __future__ import annotations

from annotation.systems.vript.hard_replies import TASKS
from exports.files.format_types import NO_HISTORY, Format, Keeps
from exports.vript import (
    captions_and_meta_of_all_videos,
    hard_annotations,
    hard_predictions,
    rr_judge,
    script_to_export,
    vript_files_per_video,
    vriptor_writer,
)
from exports.vript.clips_to_records import SYSTEM
from exports.vript.scripts_to_check import scripts_to_check

_CLIPS = f"frame numbers, times of words, all authors of a text but one, {NO_HISTORY}"

FORMATS: tuple[Format, ...] = (
    Format(
        name=vript_files_per_video.NAME,
        in_clip_zip="script",
        what="Vript's own files: script, transcript and cuts of each video",
        group="annotations of benchmarks",
        suffix="",
        cannot_hold=f"the five VDC captions, {_CLIPS}",
        keeps=Keeps(
            (
                "titles of scenes",
                "shot types and camera movements",
                "descriptions of scenes",
                "times of scenes",
            ),
            ("names of videos", "speech"),
            decimals=6,
            text="stripped",
        ),
        looks_for="*_caption.json, *_asr.jsonl or *_cut_meta.json, or a folder that holds them",
        fields=script_to_export.FIELDS,
        texts=script_to_export.texts_to_write,
        scripts_to_check=scripts_to_check,
        task="script",
        system=SYSTEM,
        recognise=vript_files_per_video.recognise,
        reader=vript_files_per_video.read,
        writer=vript_files_per_video.write,
    ),
    Format(
        name=captions_and_meta_of_all_videos.FLAT,
        what="scripts of Vript, one clip per line",
        group="annotations of benchmarks",
        suffix=".jsonl",
        cannot_hold=f"times of scenes, {_CLIPS}",
        keeps=Keeps(
            ("titles of scenes", "shot types and camera movements", "descriptions of scenes"),
            ("names of videos",),
            text="stripped",
        ),
        looks_for="lines with clip_id and a caption with content",
        fields=script_to_export.FIELDS,
        texts=script_to_export.texts_to_write,
        scripts_to_check=scripts_to_check,
        task="script",
        system=SYSTEM,
        recognise=captions_and_meta_of_all_videos.recognise_flat,
        reader=captions_and_meta_of_all_videos.read_flat,
        writer=captions_and_meta_of_all_videos.write_flat,
    ),
    Format(
        name=captions_and_meta_of_all_videos.META,
        what="titles, categories and URLs of Vript's videos",
        group="annotations of benchmarks",
        suffix=".json",
        cannot_hold="scenes, texts and speech",
        keeps=Keeps((), ("names of videos",)),
        looks_for="an object by video id with title, categories or webpage_url",
        recognise=captions_and_meta_of_all_videos.recognise_meta,
        reader=captions_and_meta_of_all_videos.read_meta,
        writer=captions_and_meta_of_all_videos.write_meta,
    ),
    Format(
        name=vriptor_writer.TRAINING,
        what="training records of Vriptor, stages 1 and 2, single and joined clips",
        group="training data",
        suffix="",
        cannot_hold="shot type, camera movement, clips without a transcript, times finer than a "
        "tenth of a second, true times of speech in successive scenes (as published), most short "
        f"samples of stage 2, {_CLIPS}",
        keeps=Keeps(
            ("descriptions of scenes", "times of scenes"),
            ("names of videos", "titles of scenes", "speech"),
            decimals=1,
            text="stripped",
        ),
        looks_for="vript_stage1_single.json and the like, or a list of objects with video and QA",
        fields={"content": script_to_export.FIELDS["content"]},
        texts=script_to_export.texts_to_write,
        scripts_to_check=scripts_to_check,
        task="script",
        system=SYSTEM,
        recognise=vriptor_writer.recognise_training,
        reader=vriptor_writer.read_training,
        writer=vriptor_writer.write_training,
    ),
    Format(
        name=vriptor_writer.SCRIPT,
        what="the script of each video as Vriptor's text",
        group="annotations of benchmarks",
        suffix="",
        each=".txt",
        cannot_hold="shot type, camera movement, speech, times finer than a tenth of a second, a description "
        f"that contains a heading, {_CLIPS}",
        keeps=Keeps(
            ("titles of scenes", "descriptions of scenes", "times of scenes"), decimals=1, text="stripped"
        ),
        looks_for="a text that begins with [Scene 1/2: title] and its Duration",
        fields={name: script_to_export.FIELDS[name] for name in ("scene_title", "content")},
        texts=script_to_export.texts_to_write,
        scripts_to_check=scripts_to_check,
        task="script",
        system=SYSTEM,
        recognise=vriptor_writer.recognise_script,
        reader=vriptor_writer.read_scripts,
        writer=vriptor_writer.write_scripts,
    ),
    Format(
        name=hard_annotations.NAME,
        what="annotations of Vript-Hard: HAL, RR and ERO, one item per line",
        group="annotations of benchmarks",
        suffix="",
        each=".jsonl",
        cannot_hold="replies and verdicts",
        keeps=Keeps(("items of Vript-Hard",), ("names of videos",)),
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
        benchmarks=tuple(f"vript-{task}" for task in TASKS),
        cannot_hold="how a reply was read, corrections, judges' ratings; the model, and without "
        "annotations also the task, come only from the file name (ERO_mymodel.csv)",
        keeps=Keeps(("items of Vript-Hard", "replies to Vript-Hard"), ("names of videos",)),
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
        benchmarks=("vript-rr",),
        cannot_hold="the judge's name, prompt and explanation, who corrected what",
        looks_for="a .csv with the columns id, judge, model and response",
        recognise=rr_judge.recognise,
        reader=rr_judge.read,
        writer=rr_judge.write,
    ),
)
