"""`progcap`: the public input and output files of ProgressCaptioner (infer.py, post_process.py).

A JSON array of `{idx, action_label?, n_frames, image_files, query0, response0?}`: `idx` is a text or a
number, `response0` is the raw reply, or a list of captions after post-processing. An input file has no
`response0`. A folder of such files is read as a whole; each file name is a model. The published code splits a
reply at `<Frame` and drops characters, which loses `>` and `*` and fails from ten frames on;
`reply_readers.read_frame_captions` reads it here.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Selection
from annotation.records.ids import Json, record_id
from annotation.records.runs import ModelCall, Run
from annotation.records.videos import BY_SECOND, Dataset, Video
from annotation.replies.reply_readers import read_frame_captions
from annotation.systems.progress_captioner.frame_sequences import SEQUENCE
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Head, json_items
from exports.files.several_files import read_files
from exports.progress_captioner import progcap_frame_names as names
from exports.progress_captioner.progcap_records import Written, written

NAME = "progcap"
DATASET = "ProgressCaptioner"
SYSTEM = "frames"
INPUT = "input"
"""Name of the file of records without a response."""
KNOWN = {"idx", "action_label", "n_frames", "image_files", "query0", "response0", "model", "baseline"}


def recognise(head: Head) -> bool:
    if head.folder:
        inside = [name for name in sorted(head.names) if name.endswith(".json")]
        return bool(inside) and all(_is_record(head.inside(name).first) for name in inside)
    return _is_record(head.first)


def _is_record(first: Json) -> bool:
    return isinstance(first, dict) and "image_files" in first and "n_frames" in first and "video" not in first


def read(source: Source) -> Batch:
    """Read sequences, and the captions of each file as a run. Raises FormatError."""
    files = sorted(source.path.glob("*.json")) if source.path.is_dir() else [source.path]
    intake, unread = read_files(
        files, lambda: Intake(source, NAME, system=SYSTEM), lambda intake, file: _File(intake, file).read()
    )
    return intake.batch(unread)


class _File:
    """One file of records."""

    def __init__(self, intake: Intake, path: Path) -> None:
        self.intake, self.path = intake, path
        self.idx: dict[str, str] = {}
        """First place of each `idx`."""
        self.filled: set[tuple[str, str]] = set()
        """(run, frame) pairs that have a caption."""

    def read(self) -> None:
        for place, item in enumerate(json_items(self.path)):
            if not _is_record(item.value):
                self.intake.problem(item.where, "n_frames or image_files is missing; left out")
                continue
            self._record(item.where, item.value, place)

    def _record(self, where: str, value: Mapping[str, Json], place: int) -> None:
        clip = names.clip_of(value["image_files"])
        if isinstance(clip, str):
            self.intake.problem(where, f"{clip}; left out")
            return
        if value["n_frames"] != len(clip.seconds):
            self.intake.problem(
                where, f"n_frames is {value['n_frames']}, but image_files has {len(clip.seconds)} entries"
            )
        self._duplicate(where, value.get("idx"))
        dataset = self.intake.dataset_of(clip.folder, DATASET)
        video = self._video(dataset, clip, where, value)
        frames = names.frames_of(video, clip, self.intake.source.store)
        if len({frame.id for frame in frames}) < len(frames):
            self.intake.problem(where, "two images are the same frame of the video; left out")
            return
        for frame in frames:
            self.intake.add(frame)
        about = {key: value[key] for key in ("idx", "n_frames", "image_files", "query0") if key in value}
        more = {key: found for key, found in value.items() if key not in KNOWN}
        sequence = Selection(
            id=record_id("sel", dataset.id, [frame.id for frame in frames], about, more),
            video_id=video.id,
            method=SEQUENCE,
            frames=tuple(frame.index for frame in frames),
            reasons={},
            created_at=self.intake.now + place * 1e-4,
            params={**about, "label": value.get("action_label"), **({"more": more} if more else {})},
        )
        self.intake.add(sequence)
        if "response0" in value:
            self._response(where, value, video, [frame.id for frame in frames], sequence)

    def _duplicate(self, where: str, idx: Json) -> None:
        if isinstance(idx, bool) or not isinstance(idx, str | int):
            self.intake.problem(where, "idx is neither a text nor a number")
            return
        first = self.idx.setdefault(str(idx), where)
        if first != where:
            self.intake.problem(where, f"idx {idx!r} already appears at {first}; both are kept")

    def _video(self, dataset: Dataset, clip: names.Clip, where: str, value: Mapping[str, Json]) -> Video:
        label = value.get("action_label")
        action = label.strip() if isinstance(label, str) else ""
        video_id = self.intake.video(dataset, clip.folder, where, file_name=clip.source)
        video = self.intake.videos[video_id]
        if video.facts is None and not video.extra.get(BY_SECOND):
            video = replace(video, extra={**video.extra, BY_SECOND: True})
            self.intake.add(video)
        if action and not video.action:
            video = replace(video, action=action)
            self.intake.add(video)
        elif action and video.action != action:
            self.intake.problem(
                where, f"{clip.folder} has the action {video.action!r} here, but {action!r} in the file"
            )
        return video

    # --- responses --------------------------------------------------------------------

    def _response(
        self,
        where: str,
        value: Mapping[str, Json],
        video: Video,
        frame_ids: Sequence[str],
        sequence: Selection,
    ) -> None:
        raw = value["response0"]
        state, captions, why = _captions(raw, len(frame_ids))
        if why:
            self.intake.problem(where, f"response0: {why}; its frames are kept as unreadable")
        run = self._run(value, frame_ids)
        call = ModelCall(
            id=record_id("call", run.id, sequence.id, raw),
            backend=run.backend,
            model=run.model,
            request={"sequence": sequence.id, "as": "text" if isinstance(raw, str) else "json"},
            reply=raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False),
            created_at=sequence.created_at,
        )
        self.intake.add(call)
        for frame_id, caption in zip(frame_ids, captions or [""] * len(frame_ids), strict=True):
            self.intake.add(
                Text(
                    id=record_id("txt", run.id, frame_id, call.id, caption),
                    video_id=video.id,
                    kind="frame",
                    subject_type="frame",
                    subject_id=frame_id,
                    value=caption,
                    created_at=sequence.created_at,
                    state="done" if state else "unparsed",
                    reason=why,
                    run_id=run.id,
                    call_id=call.id,
                    frames=sequence.frames,
                    baseline=run.baseline,
                )
            )

    def _run(self, value: Mapping[str, Json], frame_ids: Sequence[str]) -> Run:
        """Return the file's run for this kind of query, or another run if a frame already has a caption."""
        given = value.get("model")
        model = given if isinstance(given, str) and given.strip() else self.path.stem
        mode, baseline = names.mode_of(value.get("query0")), value.get("baseline") is True
        take = 1
        while True:
            params = {"mode": mode, **({"take": take} if take > 1 else {})}
            run = Run(
                id=record_id("run", NAME, model, params, baseline),
                stage="frames",
                backend=f"import:{NAME}",
                model=model,
                created_at=self.intake.now + take * 1e-4,
                params=params,
                baseline=baseline,
            )
            keys = {(run.id, frame_id) for frame_id in frame_ids}
            if not keys & self.filled:
                self.filled |= keys
                self.intake.add(run)
                return run
            take += 1


def _captions(raw: Json, n: int) -> tuple[bool, tuple[str, ...], str]:
    """Return whether the response is readable, its captions, and the reason if not."""
    if isinstance(raw, str):
        found = read_frame_captions(raw, n)
        return found.state == "done", found.captions, found.reason
    if isinstance(raw, list) and len(raw) == n and all(isinstance(caption, str) for caption in raw):
        return True, tuple(raw), ""
    if isinstance(raw, list):
        return (
            False,
            (),
            f"{len(raw)} captions for {n} frames" if len(raw) != n else "a caption is not a text",
        )
    return False, (), "neither a text nor a list of captions"


# --- writing ------------------------------------------------------------------------------


def write(wanted: Wanted) -> Iterator[Output]:
    """Write one file per model or run, and one with the sequences that have no captions."""
    groups: dict[str, list[Written]] = defaultdict(list)
    for one in written(wanted.store, wanted.values):
        groups[one.model or INPUT].append(one)
    taken: set[str] = set()
    for model, records in sorted(groups.items()):
        stem = _stem(model, taken)
        rows = [_row(one, stem) for one in sorted(records, key=lambda one: one.at)]
        yield f"{stem}.json", [json.dumps(rows, ensure_ascii=False, indent=4, allow_nan=False), "\n"]


def _stem(model: str, taken: set[str]) -> str:
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", model).strip("._-")[:80] or "model"
    stem, n = plain, 2
    while stem.lower() in taken:
        stem, n = f"{plain}_{n}", n + 1
    taken.add(stem.lower())
    return stem


def _row(one: Written, stem: str) -> dict[str, Any]:
    row = dict(one.record)
    if one.response is not None:
        row["response0"] = one.response
    if one.model and one.model != stem:
        row["model"] = one.model
    return row | ({"baseline": True} if one.baseline else {})
