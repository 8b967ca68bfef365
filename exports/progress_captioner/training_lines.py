"""`framecap-sft` and `framecap-dpo`: training lines from accepted and rejected captions.

FrameCap's own files are not public, so the lines have the fields of LLaVA's training data: `framecap-sft` has
one accepted sequence per line with `conversations` of `from` and `value`, and an `<image>` per frame before
the query; `framecap-dpo` has `prompt`, `chosen` and `rejected`. Both name the images, the models and the
judges' choices. Pairs of frames and longer sequences share a file and differ in `n_frames`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from annotation.intake.names_of_videos import VideoNames
from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.decisions import Selection
from annotation.records.ids import Json, record_id
from annotation.records.runs import Run
from annotation.records.videos import Frame, Video
from annotation.replies.reply_readers import read_frame_captions
from annotation.store.store import Store
from annotation.systems.progress_captioner.frame_sequences import (
    SEQUENCE,
    caption_names,
    evidence,
    sequence_subject,
)
from annotation.systems.progress_captioner.preference_pairs import Evidence, Outcome, preferences
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Head, json_lines, text_at
from exports.files.write_files import json_line
from exports.progress_captioner import progcap_frame_names as names
from exports.progress_captioner.progcap_files import DATASET, SYSTEM

SFT, DPO = "framecap-sft", "framecap-dpo"
IMAGE = "<image>"


def recognise_sft(head: Head) -> bool:
    return isinstance(head.first, dict) and {"conversations", "image_files", "n_frames"} <= head.first.keys()


def recognise_dpo(head: Head) -> bool:
    return isinstance(head.first, dict) and {"chosen", "rejected", "image_files"} <= head.first.keys()


# --- writing ------------------------------------------------------------------------------


class _Lines:
    """Builds the common fields of the lines."""

    def __init__(self, store: Store) -> None:
        self.videos = {video.id: video for video in store.find(Video)}
        self.runs = {run.id: run for run in store.find(Run, stage="frames")}
        self.names = caption_names(store)
        self.video_names = VideoNames(store, SYSTEM)
        given = store.find(Selection, method=SEQUENCE, order_by=["created_at", "id"])
        self.given = {(s.video_id, s.frames): s.params for s in reversed(given)}
        self.store = store

    def about(self, one: Evidence) -> tuple[dict[str, Any], str]:
        """Return the fields of the sequence, and its query."""
        video, n = self.videos[one.video_id], len(one.frames)
        params = self.given.get((one.video_id, one.frames), {})
        files = params.get("image_files") or self._images(video, one)
        mode = str(self.runs[one.run_id].params.get("mode") or "c")
        query = params.get("query0") or names.query(n, video.action, mode if mode in "abc" else "c")
        fields: dict[str, Any] = {"action_label": video.action} if video.action else {}
        return {**fields, "n_frames": n, "image_files": files}, str(query)

    def _images(self, video: Video, one: Evidence) -> list[str]:
        frames = {frame.index: frame for frame in self.store.find(Frame, video_id=video.id)}
        seconds = [names.second_of(video, frames[i]) for i in one.frames]
        return names.image_names(self.video_names.name(video.id), seconds)

    def by(self, one: Evidence, side: str = "") -> dict[str, str]:
        """Return the model, and the run's name if the model has several runs."""
        model, name = self.runs[one.run_id].model, self.names[one.run_id]
        return {f"{side}model": model} | ({f"{side}run": name} if name != model else {})

    def marks(self, *ones: Evidence) -> dict[str, bool]:
        return {"baseline": True} if any(self.runs[one.run_id].baseline for one in ones) else {}


def write_sft(wanted: Wanted) -> Iterator[Output]:
    """Write one line per accepted sequence."""
    lines = _Lines(wanted.store)
    accepted = [one for one in evidence(wanted.store) if one.outcome == "accepted"]
    if accepted:
        yield "", [json_line(_sft(lines, one)) for one in accepted]


def _sft(lines: _Lines, one: Evidence) -> dict[str, Any]:
    fields, query = lines.about(one)
    said = [
        {"from": "human", "value": f"{IMAGE * len(one.frames)}\n{query}"},
        {"from": "gpt", "value": names.response(one.captions)},
    ]
    more = {**lines.by(one), "matched": "".join(one.choices), **lines.marks(one)}
    return {"id": record_id("sft", fields, more, said), **fields, "conversations": said, **more}


def write_dpo(wanted: Wanted) -> Iterator[Output]:
    """Write one line per pair of accepted and rejected captions of the same frames."""
    lines = _Lines(wanted.store)
    found = preferences(evidence(wanted.store))
    if found:
        yield "", [json_line(_dpo(lines, pair.chosen, pair.rejected)) for pair in found]


def _dpo(lines: _Lines, chosen: Evidence, rejected: Evidence) -> dict[str, Any]:
    fields, query = lines.about(chosen)
    said = {
        "prompt": f"{IMAGE * len(chosen.frames)}\n{query}",
        "chosen": names.response(chosen.captions),
        "rejected": names.response(rejected.captions),
        **lines.by(chosen, "chosen_"),
        **lines.by(rejected, "rejected_"),
        "chosen_matched": "".join(chosen.choices),
        "rejected_matched": "".join(rejected.choices),
        "rejected_for": "progression" if rejected.passed is False else "matching",
        **lines.marks(chosen, rejected),
    }
    return {"id": record_id("dpo", fields, said), **fields, **said}


# --- reading ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Side:
    """One model's captions in a line."""

    model: str
    run: str
    """Name of the run; empty if the line has none."""
    response: Json
    matched: str
    outcome: Outcome
    progress: bool
    """Whether it shows progress as the majority of judges does."""


def read_sft(source: Source) -> Batch:
    """Read sequences with captions, as accepted ones. Raises FormatError."""
    return _read(source, SFT, _sides_of_sft)


def read_dpo(source: Source) -> Batch:
    """Read sequences with two models' captions, one accepted and one rejected. Raises FormatError."""
    return _read(source, DPO, _sides_of_dpo)


def _sides_of_sft(value: Mapping[str, Json]) -> tuple[str, list[_Side]] | None:
    turns = value.get("conversations")
    by = (
        {t.get("from"): t.get("value") for t in turns if isinstance(t, dict)}
        if isinstance(turns, list)
        else {}
    )
    prompt, reply = by.get("human"), by.get("gpt")
    if not isinstance(prompt, str) or not isinstance(reply, str):
        return None
    return prompt, [_side(value, "", reply, "accepted", progress=True)]


def _sides_of_dpo(value: Mapping[str, Json]) -> tuple[str, list[_Side]] | None:
    prompt = value.get("prompt")
    if not isinstance(prompt, str):
        return None
    progress = value.get("rejected_for") != "progression"
    good = _side(value, "chosen_", value.get("chosen"), "accepted", progress=True)
    return prompt, [good, _side(value, "rejected_", value.get("rejected"), "rejected", progress=progress)]


def _side(value: Mapping[str, Json], side: str, response: Json, outcome: Outcome, *, progress: bool) -> _Side:
    model, run, matched = (text_at(value, f"{side}{name}") for name in ("model", "run", "matched"))
    return _Side(model, run, response, matched, outcome, progress)


def _read(source: Source, name: str, sides_of: Any) -> Batch:
    intake = Intake(source, name, system=SYSTEM)
    for place, item in enumerate(json_lines(source.path)):
        value = item.value if isinstance(item.value, dict) else {}
        clip, sides = names.clip_of(value.get("image_files")), sides_of(value)
        if isinstance(clip, str) or sides is None:
            intake.problem(
                item.where,
                f"{clip if isinstance(clip, str) else 'the query or the reply is missing'}; left out",
            )
            continue
        _add(intake, item.where, value, clip, sides, place)
    return intake.batch()


def _add(
    intake: Intake,
    where: str,
    value: Mapping[str, Json],
    clip: names.Clip,
    sides: tuple[str, list[_Side]],
    place: int,
) -> None:
    dataset = intake.dataset_of(clip.folder, DATASET)
    video = _video(intake, intake.video(dataset, clip.folder, where, file_name=clip.source), value)
    frames = names.frames_of(video, clip, intake.source.store)
    for frame in frames:
        intake.add(frame)
    query = sides[0].removeprefix(IMAGE * len(frames)).removeprefix("\n")
    at = intake.now + place * 1e-4
    indices = tuple(frame.index for frame in frames)
    params = {"image_files": value["image_files"], "query0": query, "n_frames": len(frames)}
    intake.add(
        Selection(
            id=record_id("sel", video.id, "sequence", indices, params),
            video_id=video.id,
            method=SEQUENCE,
            frames=indices,
            reasons={},
            created_at=at,
            params=params,
        )
    )
    for side in sides[1]:
        _add_side(intake, where, video, frames, side, at, baseline=value.get("baseline") is True)


def _video(intake: Intake, video_id: str, value: Mapping[str, Json]) -> Video:
    video, label = intake.videos[video_id], value.get("action_label")
    if isinstance(label, str) and label and not video.action:
        video = replace(video, action=label)
        intake.add(video)
    return video


def _add_side(
    intake: Intake, where: str, video: Video, frames: list[Frame], side: _Side, at: float, *, baseline: bool
) -> None:
    found = read_frame_captions(side.response if isinstance(side.response, str) else "", len(frames))
    if found.state != "done":
        intake.problem(where, f"{side.outcome} captions: {found.reason}; left out")
        return
    # Runs of one model differ in the rest of their name.
    apart = side.run.removeprefix(side.model).removeprefix(" · ")
    captions = Run(
        id=record_id("run", SYSTEM, side.model, baseline, *([apart] if apart else [])),
        stage="frames",
        backend=f"import:{SFT}",
        model=side.model or "unknown",
        created_at=intake.now,
        baseline=baseline,
        params={"run": apart} if apart else {},
    )
    judge = Run(
        id=record_id("run", SYSTEM, "outcomes"),
        stage="matching",
        backend=f"import:{SFT}",
        model="as the file says",
        created_at=intake.now,
        params={"system": SYSTEM},
    )
    intake.add(captions)
    intake.add(judge)
    indices = tuple(frame.index for frame in frames)
    for frame, caption in zip(frames, found.captions, strict=True):
        intake.add(
            Text(
                id=record_id("txt", captions.id, frame.id, caption),
                video_id=video.id,
                kind="frame",
                subject_type="frame",
                subject_id=frame.id,
                value=caption,
                created_at=at,
                run_id=captions.id,
                frames=indices,
                baseline=baseline,
            )
        )
    intake.add(
        Verdict(
            id=record_id("jdg", judge.id, captions.id, video.id, indices, side.outcome),
            video_id=video.id,
            run_id=judge.id,
            subject_type="frame_sequence",
            value_type="letter",
            created_at=at,
            state="done",
            subject_id=record_id("seq", sequence_subject(video.id, indices), captions.id),
            label=side.outcome,
            extra={
                "captions_run": captions.id,
                "sequence": list(indices),
                "matched": side.matched,
                "passed": side.progress,
            },
        )
    )
