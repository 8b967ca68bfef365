"""Vript, Vriptor and Vript-Hard."""

from __future__ import annotations

from exports import vript, vript_flat, vriptor
from exports.batch import Format
from exports.catalogue.words import NO_HISTORY

_CLIPS = f"frame numbers, words with their times, all authors of a text but one, {NO_HISTORY}"

VRIPT: tuple[Format, ...] = (
    Format(
        name=vript.NAME, what="Vript's own files: script, transcript and cuts of each video", suffix="",
        cannot_hold=f"the five VDC captions, {_CLIPS}",
        looks_for="*_caption.json, *_asr.jsonl or *_cut_meta.json, or a folder that holds them",
        recognise=vript.recognise, reader=vript.read, writer=vript.write,
    ),
    Format(
        name=vript_flat.FLAT, what="scripts of Vript, one clip per line", suffix=".jsonl",
        cannot_hold=f"times of scenes, {_CLIPS}",
        looks_for="lines with clip_id and a caption with content", recognise=vript_flat.recognise_flat,
        reader=vript_flat.read_flat, writer=vript_flat.write_flat,
    ),
    Format(
        name=vript_flat.META, what="titles, categories and addresses of Vript's videos", suffix=".json",
        cannot_hold="scenes, texts and speech",
        looks_for="an object by video id with title, categories or webpage_url",
        recognise=vript_flat.recognise_meta, reader=vript_flat.read_meta, writer=vript_flat.write_meta,
    ),
    Format(
        name=vriptor.TRAINING, what="training records of Vriptor, stages 1 and 2, single and joined clips",
        suffix="", cannot_hold="shot type, camera movement, times finer than a tenth of a second, lines of "
        f"speech as they were parted, {_CLIPS}",
        looks_for="vript_stage1_single.json and so on, or a list of objects with video and QA",
        recognise=vriptor.recognise_training, reader=vriptor.read_training, writer=vriptor.write_training,
    ),
    Format(
        name=vriptor.SCRIPT, what="the script of each video as Vriptor's text", suffix="", each=".txt",
        cannot_hold="shot type, camera movement, speech, times finer than a tenth of a second, a description "
        f"that holds a heading itself, {_CLIPS}",
        looks_for="a text that begins with [Scene 1/2: title] and its Duration",
        recognise=vriptor.recognise_script, reader=vriptor.read_scripts,
        writer=vriptor.write_scripts,
    ),
)  # fmt: skip
