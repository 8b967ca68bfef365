"""Vript, Vriptor and Vript-Hard."""

from __future__ import annotations

from exports.files.format_types import NO_HISTORY, Format
from exports.vript import (
    captions_and_meta_of_all_videos,
    script_to_export,
    vript_files_per_video,
    vriptor_writer,
)
from exports.vript.clips_to_records import SYSTEM

_CLIPS = f"frame numbers, times of words, all authors of a text but one, {NO_HISTORY}"

VRIPT: tuple[Format, ...] = (
    Format(
        name=vript_files_per_video.NAME,
        what="Vript's own files: script, transcript and cuts of each video",
        group="annotations of benchmarks",
        suffix="",
        cannot_hold=f"the five VDC captions, {_CLIPS}",
        looks_for="*_caption.json, *_asr.jsonl or *_cut_meta.json, or a folder that holds them",
        fields=script_to_export.FIELDS,
        texts=script_to_export.texts_to_write,
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
        looks_for="lines with clip_id and a caption with content",
        fields=script_to_export.FIELDS,
        texts=script_to_export.texts_to_write,
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
        looks_for="vript_stage1_single.json and the like, or a list of objects with video and QA",
        fields={"content": script_to_export.FIELDS["content"]},
        texts=script_to_export.texts_to_write,
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
        looks_for="a text that begins with [Scene 1/2: title] and its Duration",
        fields={name: script_to_export.FIELDS[name] for name in ("scene_title", "content")},
        texts=script_to_export.texts_to_write,
        task="script",
        system=SYSTEM,
        recognise=vriptor_writer.recognise_script,
        reader=vriptor_writer.read_scripts,
        writer=vriptor_writer.write_scripts,
    ),
)
