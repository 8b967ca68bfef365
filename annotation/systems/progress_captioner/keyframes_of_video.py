"""Current keyframe data of one video, for the page and for files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.decisions import Person, Selection
from annotation.records.errors import NotFound
from annotation.records.runs import Run, RunVideo
from annotation.records.videos import Frame, Video
from annotation.stages.media_library import MediaLibrary
from annotation.store.store import Current, Store
from annotation.systems.progress_captioner.caption_stage import caption_inputs
from annotation.systems.progress_captioner.frame_differences import DESCRIPTOR, frame_looks
from annotation.systems.progress_captioner.frame_sequences import pair_inputs
from annotation.systems.progress_captioner.imported_frame_embeddings import embedding_names, embeddings_at
from annotation.systems.progress_captioner.keyframe_budget import budget_rows
from annotation.systems.progress_captioner.keyframe_rows_by_method import (
    Pair,
    Row,
    Vectors,
    machine_rows,
    progression_row,
    rows_like,
)
from backends.errors import MediaError


@dataclass(frozen=True, slots=True)
class CaptionOfFrame:
    """A candidate frame with its caption."""

    index: int
    seconds: float | None
    """None if the video file is missing."""
    text: Text
    now: Current
    stale: bool
    """Whether it was written for another action label."""

    @property
    def readable(self) -> bool:
        return self.text.state == "done" or self.now.corrected

    @property
    def words(self) -> str:
        return str(self.now.value) if self.readable else ""


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """The judge's verdict on two neighbours, and the person who corrected it."""

    frames: tuple[int, int]
    verdict: Verdict
    now: Current
    stale: bool
    """Whether a caption or the action label has changed since the verdict."""
    by: str
    """Person whose correction is used; empty if the judge's verdict is used."""

    @property
    def label(self) -> str:
        return str(self.now.value["label"])


@dataclass(frozen=True, slots=True)
class Author:
    """One captioning pass over this video's frames, or a file from which captions were imported."""

    id: str
    run: Run | None
    frames: int
    at: float


@dataclass(frozen=True)
class Sheet:
    """Candidates, captions, verdicts and rows of one video."""

    video: Video
    author: Author | None
    """Author of the displayed captions; None if there are no captions."""
    authors: tuple[Author, ...]
    """All authors, newest first."""
    captions: tuple[CaptionOfFrame, ...]
    verdicts: tuple[PairVerdict, ...]
    judge: Run | None
    picks: tuple[Selection, ...]
    """The latest row of each person."""
    looks: str
    """Basis of clusters and redundancy: the name of the descriptor, or of imported embeddings."""
    looks_offered: tuple[str, ...]
    vectors: Vectors | None
    """(candidates, d), each of length 1; None if no pictures are available."""

    @property
    def indices(self) -> list[int]:
        return [caption.index for caption in self.captions]

    @cached_property
    def pairs(self) -> list[Pair]:
        return [
            Pair(v.frames, v.label if v.now.state == "done" or v.by else "", v.by, v.verdict.label)
            for v in self.verdicts
        ]

    @cached_property
    def rows(self) -> list[Row]:
        """Rows by method, from the current verdicts."""
        return machine_rows(self.indices, self.pairs, self.vectors)

    @cached_property
    def as_judged(self) -> Row | None:
        """The progression row from the judge's verdicts, if people's corrections change the row."""
        plain = [Pair(v.frames, v.verdict.label) for v in self.verdicts]
        row = progression_row(self.indices, plain)
        return row if row.frames != self.rows[0].frames else None

    def rows_of_budget(self, size: int) -> list[Row]:
        """`budget_rows` of the candidates of this sheet."""
        return budget_rows(self.indices, self.pairs, self.vectors, size)

    def rows_of_size(self, size: int) -> list[Row]:
        return rows_like(self.indices, self.vectors, size)

    def vectors_of(self, frames: Sequence[int]) -> Vectors | None:
        """(k, d) vectors of those frames that are current candidates."""
        places = {index: place for place, index in enumerate(self.indices)}
        wanted = [places[index] for index in frames if index in places]
        return None if self.vectors is None else self.vectors[wanted]


def read_sheet(store: Store, media: MediaLibrary, video_id: str, author: str = "", looks: str = "") -> Sheet:
    """Read the sheet: `author` is the run whose captions are shown, `looks` names imported embeddings.

    Raises NotFound if the video, the captions or the embeddings do not exist.
    """
    video = store.get(Video, video_id)
    texts, authors = _authors(store, video)
    chosen = _chosen(authors, author)
    people = {person.id: person.name for person in store.find(Person)}
    captions = _captions(store, media, video, [t for t in texts if chosen and _author_id(t) == chosen.id])
    verdicts, judge = _verdicts(store, video, chosen, captions, people)
    offered = (DESCRIPTOR, *embedding_names(store, video.id))
    if looks and looks not in offered:
        raise NotFound(f"embeddings {looks!r} of this video not found; choose from {', '.join(offered)}")
    looks = looks or DESCRIPTOR
    vectors = _vectors(store, media, video, captions, looks)
    return Sheet(
        video, chosen, authors, captions, verdicts, judge, _picks(store, video.id), looks, offered, vectors
    )


# --- captions ---------------------------------------------------------------------------


def _author_id(text: Text) -> str:
    return text.run_id or text.dataset_id or text.person_id or ""


def _authors(store: Store, video: Video) -> tuple[list[Text], tuple[Author, ...]]:
    """The latest captions of frames and their authors, newest first."""
    rows = store.find(Text, video_id=video.id, kind="frame", order_by=["created_at", "id"])
    texts = [text for text, _ in store.not_superseded(rows)]
    runs = {run.id: run for run in store.find(Run, id=sorted({t.run_id for t in texts if t.run_id}))}
    # A pass that finds everything up to date still counts as the newest.
    passes = {
        row.run_id: row.updated_at for row in store.find(RunVideo, video_id=video.id, run_id=sorted(runs))
    }
    found: dict[str, Author] = {}
    for text in texts:
        key = _author_id(text)
        before = found.get(key)
        at = max(text.created_at, before.at if before else passes.get(key, 0.0))
        found[key] = Author(key, runs.get(key), (before.frames if before else 0) + 1, at)
    return texts, tuple(sorted(found.values(), key=lambda author: -author.at))


def _chosen(authors: Sequence[Author], wanted: str) -> Author | None:
    if wanted and wanted not in {author.id for author in authors}:
        raise NotFound("these frame captions no longer exist; reload the page")
    return next((author for author in authors if not wanted or author.id == wanted), None)


def _captions(
    store: Store, media: MediaLibrary, video: Video, texts: Sequence[Text]
) -> tuple[CaptionOfFrame, ...]:
    index_of = {frame.id: frame.index for frame in store.find(Frame, video_id=video.id)}
    now = store.currents("text", [text.id for text in texts], "value")
    seconds = _seconds(media, video)
    shown = {
        index_of[text.subject_id]: CaptionOfFrame(
            index_of[text.subject_id],
            seconds.get(index_of[text.subject_id]),
            text,
            now[text.id],
            bool(text.source_hash)
            and len(text.frames) > 1
            and caption_inputs(text.frames, video.action) != text.source_hash,
        )
        for text in texts
    }
    return tuple(shown[index] for index in sorted(shown))


def _seconds(media: MediaLibrary, video: Video) -> Mapping[int, float]:
    if not (video.facts and video.path):
        return {}
    try:
        return dict(enumerate(media.table(video).seconds.tolist()))
    except MediaError:
        return {}


# --- verdicts ---------------------------------------------------------------------------


def _verdicts(
    store: Store,
    video: Video,
    author: Author | None,
    captions: Sequence[CaptionOfFrame],
    people: Mapping[str, str],
) -> tuple[tuple[PairVerdict, ...], Run | None]:
    """The newest judge's verdicts on these captions, for pairs that are neighbours now."""
    found = store.find(
        Verdict,
        video_id=video.id,
        subject_type="frame_pair",
        value_type="progression",
        order_by=["created_at", "id"],
    )
    runs = {run.id: run for run in store.find(Run, id=sorted({j.run_id for j in found}))}
    judge = _judge(store, video, author, found, runs)
    mine = store.not_superseded(j for j in found if judge and j.run_id == judge.id)
    words = {caption.index: caption.words for caption in captions}
    neighbours = set(pairwise(index for index in sorted(words) if words[index]))
    newest = {_frames(j): (j, now) for j, now in mine if _frames(j) in neighbours}
    shown = []
    for frames, (verdict, now) in sorted(newest.items()):
        inputs = pair_inputs((words[frames[0]], words[frames[1]]), video.action)
        stale = bool(verdict.source_hash) and inputs != verdict.source_hash
        by = people.get(now.by, "a person") if now.corrected else ""
        shown.append(PairVerdict(frames, verdict, now, stale, by))
    return tuple(shown), judge


def _judge(
    store: Store, video: Video, author: Author | None, found: Sequence[Verdict], runs: Mapping[str, Run]
) -> Run | None:
    """The run that judged these captions last; imported verdicts belong to the captions of their file."""
    passes = {
        row.run_id: row.updated_at for row in store.find(RunVideo, video_id=video.id, run_id=sorted(runs))
    }
    last: dict[str, float] = {}
    for verdict in found:
        run = runs[verdict.run_id]
        if author and (author.id in run.upstream or author.id == run.id):
            last[run.id] = max(last.get(run.id, passes.get(run.id, 0.0)), verdict.created_at)
    return runs[max(last, key=lambda key: last[key])] if last else None


def _frames(verdict: Verdict) -> tuple[int, int]:
    before, after = verdict.extra.get("frames", (-1, -1))
    return int(before), int(after)


# --- people's rows, looks ---------------------------------------------------------------


def _picks(store: Store, video_id: str) -> tuple[Selection, ...]:
    found = store.find(Selection, video_id=video_id, method="person", order_by=["created_at", "id"])
    newest = {selection.person_id: selection for selection in found}
    return tuple(newest.values())


def _vectors(
    store: Store, media: MediaLibrary, video: Video, captions: Sequence[CaptionOfFrame], looks: str
) -> Vectors | None:
    """Returns None if no pictures are available; clusters are omitted then."""
    if not captions:
        return None
    if looks != DESCRIPTOR:
        return embeddings_at(store, video.id, looks, [(c.index, c.seconds) for c in captions])
    if not (video.facts and video.path):
        return None
    try:
        return frame_looks(media, video, [caption.index for caption in captions])
    except MediaError:
        return None
