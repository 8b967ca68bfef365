"""ProgressCaptioner, FrameCapEval and keyframes."""

from __future__ import annotations

from exports.files.format_types import NO_HISTORY, Format, Keeps
from exports.progress_captioner import (
    frame_embeddings_npz,
    framecap_labels,
    keyframes,
    progcap_files,
    training_lines,
)

_LINES = f"single replies of the judges (only the majority is kept), {NO_HISTORY}"

FORMATS: tuple[Format, ...] = (
    Format(
        name=keyframes.NAME,
        in_clip_zip="keyframes",
        what="keyframes: pictures, captions, contact sheets and every row as JSON",
        group="reports and tables",
        suffix="",
        cannot_hold="images of frames that no row selects, earlier corrections, captions of runs "
        "before the newest; write-only",
        looks_for="a folder with keyframes.json and captions.txt",
        recognise=keyframes.recognise,
        writer=keyframes.write,
    ),
    Format(
        name=frame_embeddings_npz.NAME,
        what="embeddings of frames for the clusters of the Keyframes page",
        group="runs and their scores",
        suffix=".npz",
        cannot_hold="read-only; vectors are normalised to length 1 and stored as 16-bit numbers",
        looks_for="a NumPy .npz with one array of (frames, dimensions) per video",
        recognise=frame_embeddings_npz.recognise,
        reader=frame_embeddings_npz.read,
    ),
    Format(
        name=training_lines.SFT,
        what="training lines like FrameCap's: accepted captions of a sequence",
        group="training data",
        suffix=".jsonl",
        cannot_hold=f"captions that were not accepted, pictures, {_LINES}",
        keeps=Keeps((), ("names of videos", "captions of frames", "models of runs")),
        looks_for="JSON lines with conversations and image_files",
        recognise=training_lines.recognise_sft,
        reader=training_lines.read_sft,
        writer=training_lines.write_sft,
    ),
    Format(
        name=training_lines.DPO,
        what="preference lines like FrameCap's: accepted and rejected captions",
        group="training data",
        suffix=".jsonl",
        cannot_hold=f"captions without a counterpart, pictures, {_LINES}",
        keeps=Keeps(("captions of frames",), ("names of videos", "models of runs")),
        looks_for="JSON lines with chosen, rejected and image_files",
        recognise=training_lines.recognise_dpo,
        reader=training_lines.read_dpo,
        writer=training_lines.write_dpo,
    ),
    Format(
        name=framecap_labels.NAME,
        what="FrameCapEval's labels: whether the action progresses, per person",
        group="runs and their scores",
        suffix=".jsonl",
        cannot_hold="withdrawn labels, captions, verdicts",
        keeps=Keeps(("people", "labels of frames"), ("names of videos",), writer=True),
        looks_for="JSON lines with video, image_files and label",
        recognise=framecap_labels.recognise,
        reader=framecap_labels.read,
        writer=framecap_labels.write,
    ),
    Format(
        name=progcap_files.NAME,
        what="ProgressCaptioner's input and output: frame captions, one file per model",
        group="runs and their scores",
        suffix="",
        each=".json",
        cannot_hold=f"pictures, labels, verdicts, sub-second times of frames, {NO_HISTORY}",
        keeps=Keeps(
            ("captions of frames",),
            ("names of videos", "models of runs", "keyframes and sequences of frames", "requests to models"),
        ),
        looks_for="JSON objects with n_frames and image_files",
        recognise=progcap_files.recognise,
        reader=progcap_files.read,
        writer=progcap_files.write,
    ),
)
