"""Stored data about frame captions, per sequence of frames: captions, votes, matches, preferences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_uppercase
from typing import Any

from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.decisions import Selection
from annotation.records.ids import record_id
from annotation.records.runs import Run
from annotation.records.videos import Frame, Video
from annotation.store.run_names import run_names
from annotation.store.store import Store
from annotation.systems.progress_captioner import preference_pairs
from annotation.systems.progress_captioner.preference_pairs import Evidence, Outcome
from annotation.systems.progress_captioner.requests import Progression, sequences
from backends.digest import digest

SEQUENCE = "sequence"
"""Method of a selection that is a dataset's sequence: the frames that its models received."""
Pair = tuple[int, int]
Frames = tuple[int, ...]


def change_inputs(captions: Sequence[str]) -> str:
    """Fingerprint of the inputs of a change verdict or a match."""
    return digest("captions", list(captions))


def match_subject(video_id: str, sequence: Frames, frame: int) -> str:
    return record_id("match", video_id, list(sequence), frame)


def change_subject(video_id: str, pair: Pair) -> str:
    return record_id("chg", video_id, list(pair))


def pair_id(video: Video, pair: Pair) -> str:
    return record_id("pair", video.id, pair)


def pair_inputs(captions: tuple[str, str], action: str) -> str:
    """Fingerprint of the inputs of a progression verdict; if it differs now, the verdict is stale."""
    return digest("progression", captions, action)


def sequence_subject(video_id: str, frames: Frames) -> str:
    return record_id("seq", video_id, list(frames))


def captions_of(
    store: Store, run_ids: Iterable[str], video_id: str = ""
) -> dict[tuple[str, str], dict[int, str]]:
    """`{(run id, video id): {frame index: current caption}}`, for readable captions."""
    where: dict[str, Any] = {"run_id": list(run_ids), "kind": "frame", "state": "done"} | (
        {"video_id": video_id} if video_id else {}
    )
    texts = store.find(Text, order_by=["created_at", "id"], **where)
    index = {f.id: f.index for f in store.find(Frame, video_id=sorted({t.video_id for t in texts}))}
    found: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for text, now in store.not_superseded(texts):
        if text.run_id and text.subject_id in index:
            found[text.run_id, text.video_id][index[text.subject_id]] = str(now.value)
    return dict(found)


def caption_runs(store: Store) -> list[Run]:
    """Every run that wrote frame captions, oldest first."""
    wrote = {text.run_id for text in store.find(Text, kind="frame") if text.run_id}
    return [run for run in store.find(Run, order_by=["created_at", "id"]) if run.id in wrote]


def caption_names(store: Store) -> dict[str, str]:
    """Display names of the runs that wrote frame captions, by run id; each name is unique."""
    return run_names(caption_runs(store))


def judge_names(runs: Iterable[Run]) -> dict[str, str]:
    """Display names of judges, by run id, distinct among runs of one stage over the same captions."""
    groups: dict[tuple[str, tuple[str, ...]], list[Run]] = defaultdict(list)
    for run in runs:
        groups[run.stage, run.upstream[:1]].append(run)
    return {key: name for group in groups.values() for key, name in run_names(group).items()}


def given_sequences(store: Store, video_id: str) -> list[Selection]:
    """Sequences imported with a dataset, oldest first."""
    return store.find(Selection, video_id=video_id, method=SEQUENCE, order_by=["created_at", "id"])


def sequences_of(store: Store, video_id: str, captioned: Iterable[int]) -> list[Frames]:
    """A dataset's sequences whose frames all have captions; if none, neighbours in parts of at most 6."""
    there = sorted(set(captioned))
    given = dict.fromkeys(tuple(s.frames) for s in given_sequences(store, video_id))
    return [f for f in given if len(f) > 1 and set(f) <= set(there)] or sequences(there)


# --- verdicts of judges ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Judged:
    """Readable verdicts on captions that have not changed since."""

    changes: Mapping[tuple[str, str, Pair], list[str]]
    """(captions run, video, pair) to labels, one per judge."""
    letters: Mapping[tuple[str, str, Frames], Mapping[int, list[str]]]
    """(captions run, video, sequence) to frame to letters, one per judge."""
    outcomes: Mapping[tuple[str, str, Frames], tuple[Outcome, str, bool]]
    """Values that a file gives for a sequence: outcome, chosen letters, whether progress is correct."""

    def changed(self, video_id: str, pair: Pair) -> Progression:
        """The majority label over all models and judges."""
        return preference_pairs.majority(
            label
            for (_, video, about), labels in self.changes.items()
            if (video, about) == (video_id, pair)
            for label in labels
        )


def read_judged(store: Store, captions: Mapping[tuple[str, str], Mapping[int, str]]) -> Judged:
    """Verdicts on the current captions."""
    kinds = ("frame_change", "frame_match", "frame_sequence")
    rows = store.find(Verdict, subject_type=list(kinds), state="done", order_by=["created_at", "id"])
    changes: dict[tuple[str, str, Pair], list[str]] = defaultdict(list)
    letters: dict[tuple[str, str, Frames], dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    outcomes: dict[tuple[str, str, Frames], tuple[Outcome, str, bool]] = {}
    for row, now in store.not_superseded(rows):
        run_id, label = str(row.extra.get("captions_run", "")), str(now.value["label"])
        frames = tuple(int(i) for i in row.extra.get("sequence") or row.extra.get("frames") or ())
        about = captions.get((run_id, row.video_id), {})
        if not frames or not set(frames) <= set(about):
            continue
        if row.source_hash and row.source_hash != change_inputs([about[i] for i in frames]):
            continue
        if row.subject_type == "frame_change":
            changes[run_id, row.video_id, (frames[0], frames[1])].append(label)
        elif row.subject_type == "frame_match":
            letters[run_id, row.video_id, frames][int(row.extra["frame"])].append(label)
        elif label in ("accepted", "rejected"):
            word: Outcome = "accepted" if label == "accepted" else "rejected"
            matched, passed = str(row.extra.get("matched", "")), row.extra.get("passed") is not False
            outcomes[run_id, row.video_id, frames] = (word, matched, passed)
    return Judged(changes, letters, outcomes)


def evidence(store: Store, video_id: str = "") -> list[Evidence]:
    """Evidence of every judged model and sequence, in a fixed order."""
    captions = captions_of(store, [run.id for run in caption_runs(store)], video_id)
    judged = read_judged(store, captions)
    keys = dict.fromkeys([*judged.letters, *judged.outcomes])
    # Two frames are judged by their change alone if they are not part of a matched sequence.
    inside = {(run, video, pair) for run, video, frames in keys for pair in pairwise(frames)}
    alone = [key for key in judged.changes if key not in inside]
    keys |= dict.fromkeys((run, video, pair) for run, video, pair in alone)
    found = [_evidence(judged, key, captions[key[0], key[1]]) for key in keys if key[:2] in captions]
    return sorted(found, key=lambda e: (e.video_id, e.frames, e.run_id))


def _evidence(judged: Judged, key: tuple[str, str, Frames], about: Mapping[int, str]) -> Evidence:
    run_id, video_id, frames = key
    matched = judged.letters.get(key, {})
    chosen = [preference_pairs.chosen_by_most(matched.get(frame, [])) for frame in frames] if matched else []
    correct = tuple(
        None if not letter else letter == own for letter, own in zip(chosen, ascii_uppercase, strict=False)
    )
    passed = _passed(judged, run_id, video_id, frames)
    captions = tuple(about[i] for i in frames)
    if key in judged.outcomes:
        word, letters, passed = judged.outcomes[key]
        return Evidence(video_id, frames, run_id, captions, passed, correct, tuple(letters), word)
    return Evidence(
        video_id,
        frames,
        run_id,
        captions,
        passed,
        correct,
        tuple(letter or "?" for letter in chosen),
        preference_pairs.outcome(correct, passed),
    )


def _passed(judged: Judged, run_id: str, video_id: str, frames: Frames) -> bool | None:
    """Only pairs are compared with the majority; for longer sequences it only selects distinct frames."""
    if len(frames) != 2:
        return True
    pair = (frames[0], frames[1])
    own = judged.changes.get((run_id, video_id, pair), [])
    everybody = [
        x for (_, v, p), labels in judged.changes.items() if (v, p) == (video_id, pair) for x in labels
    ]
    # A pair without change verdicts is judged by its match alone.
    return preference_pairs.agrees(own, everybody) if everybody else True


def neighbours(frames: Iterable[Frames]) -> list[Pair]:
    """Every neighbouring pair of the sequences, once, in order."""
    return sorted({(a, b) for sequence in frames for a, b in pairwise(sequence)})


def titles(store: Store) -> dict[str, Video]:
    """`{video id: video}`."""
    return {video.id: video for video in store.find(Video)}
