"""Collects the contents of one import: records by id, problems, and videos."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from annotation.intake.names_of_videos import VideoMatcher
from annotation.records.decisions import Correction, Person
from annotation.records.ids import Json, record_id
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.videos import Alias, Dataset, Scene, Video
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.store.import_spool import Spool
from annotation.store.scenes_without_file import is_nominal
from exports.files.format_types import Batch, Problem, Source
from exports.files.read_text_and_json import Item
from exports.files.reading_progress import has_made

FEW = (Dataset, Person, Run, Evaluation, EvaluationRun)
"""Kinds of record that are few in a file but repeat often."""


class Intake:
    """Collects records and problems. Does not write to the store."""

    def __init__(self, source: Source, format_name: str, *, system: str, version: str = "1") -> None:
        """`system` is the kind of dataset that the format belongs to: `vdc`, `carebench`."""
        self.source = source
        self.matcher = VideoMatcher(source.store)
        self.now = time.time()
        self.videos: dict[str, Video] = {}
        """Videos named so far, by id."""
        self._few: dict[str, Record] = {}
        self._spool = Spool()
        self.corrections: dict[str, Correction] = {}
        self._problems: list[Problem] = []
        self._words: dict[str, str] = {}
        self._format, self._system, self._version = format_name, system, version
        self._first: dict[tuple[object, ...], str] = {}
        self._ids: dict[str, dict[str, str]] = defaultdict(dict)
        """Ids of videos, by dataset and name."""

    def problem(self, where: str, what: str) -> None:
        # A long file can have the same problem on many lines: store its text once.
        self._problems.append(Problem(where, self._words.setdefault(what, what)))

    def is_first(self, where: str, called: str, *key: object, hint: str = "") -> bool:
        """Return whether this key is new. A repeated key is recorded as a problem; skip its item."""
        first = self._first.setdefault(key, where)
        if first != where:
            self.problem(where, f"{called} already appears at {first}; the first is kept{hint}".lstrip())
        return first == where

    def videos_named(self, items: Iterable[Item], key: str, nameless: str) -> Iterator[tuple[str, Item]]:
        """Yield items that name a video under `key`, with the name; only the first item of each video."""
        kept: dict[str, Item] = {}
        for item in items:
            name = item.value.get(key) if isinstance(item.value, dict) else None
            if not isinstance(name, str) or not name.strip():
                self.problem(item.where, f"{nameless}; left out")
                continue
            first = kept.setdefault(name, item)
            if first is item:
                yield name, item
            else:
                same = "is identical" if first.value == item.value else "differs"
                what = f"video {name!r} already appears at {first.where}; this one {same}, the first is kept"
                self.problem(item.where, what)

    def add(self, record: Record) -> None:
        """Add a record. The last record with an id wins."""
        has_made()
        if isinstance(record, Video):
            self.videos[record.id] = record
        elif isinstance(record, FEW):
            self._few[record.id] = record
        else:
            self._spool.add(record)

    def holds(self, kind: type[Record], record_id: str) -> bool:
        """Return whether a record of this kind (text, question, answer) was added with this id."""
        return self._spool.holds(kind, record_id)

    def batch(self, unread: Iterable[Problem] = ()) -> Batch:
        """Return the collected records as a batch. `unread` is a list of files that could not be read."""
        self._problems += unread
        for record in (*self._few.values(), *self.videos.values()):
            self._spool.add(record)
        return Batch(
            self._format, self._version, self._spool, tuple(self.corrections.values()), tuple(self._problems)
        )

    def dataset(self, name: str) -> Dataset:
        """Return the dataset of this name, created if necessary."""
        for known in self.matcher.datasets.values():
            if known.name == name and known.format == self._system:
                self.add(known)
                return known
        made = Dataset(id=record_id("dst", self._system, name), name=name, format=self._system)
        self.matcher.datasets[made.id] = made
        self.add(made)
        return made

    def dataset_of(self, video_name: str, default: str) -> Dataset:
        """Return the requested dataset, else this system's only dataset with the video, else the default."""
        if self.source.dataset:
            return self.dataset(self.source.dataset)
        known = self.matcher.datasets_with(self._system, video_name)
        if len(known) == 1:
            self.add(known[0])
            return known[0]
        return self.dataset(default)

    def video(
        self,
        dataset: Dataset,
        name: str,
        where: str,
        *,
        file_name: str = "",
        title: str = "",
        category: str = "",
        discipline: str = "",
        extra: Mapping[str, Json] | None = None,
    ) -> str:
        """Return the id of the video that the dataset calls `name`. A new video has no file.

        A name that matches several videos of the store is recorded as a problem and gets a new video.
        `title` applies to a new video.
        """
        if here := self._ids[dataset.id].get(name):
            return here
        found = self.matcher.find(dataset.id, (name, file_name))
        if len(found) > 1:
            self.problem(
                where, f"{len(found)} videos of the workspace are named {name!r}; a new video is created"
            )
        about = dict(extra or {})
        if len(found) == 1:
            known = self.matcher.videos[found.pop()]
            video = replace(
                known,
                category=known.category or category,
                discipline=known.discipline or discipline,
                extra={**about, **known.extra},
            )
        else:
            video = Video(
                id=record_id("vid", dataset.name, name),
                title=title or name,
                created_at=self.now,
                category=category,
                discipline=discipline,
                extra=about,
            )
        self.add(video)
        self.add(
            Alias(id=record_id("als", dataset.id, name), dataset_id=dataset.id, alias=name, video_id=video.id)
        )
        self._ids[dataset.id][name] = video.id
        return video.id

    def person(self, name: str, created_at: float) -> str:
        """Return the id of the person with this name, from the store or a new annotator."""
        known = self.source.store.find(Person, name=name) if self.source.store else []
        new = Person(id=record_id("per", name), name=name[:80], role="annotator", created_at=created_at)
        person = known[0] if known else new
        self.add(person)
        return person.id

    def scenes_like(self, video_id: str, scenes: Sequence[Scene]) -> list[Scene]:
        """Return the video's current scenes if they equal the given ones to within a frame, else [].

        The imported records then refer to these scenes. Other scenes are kept and reported as a problem.
        """
        here = current_scenes(self.source.store, video_id) if self.source.store else []
        if not here:
            return []
        if self.matcher.videos[video_id].clips and [s.key for s in here] == [s.key for s in scenes]:
            return here  # each scene is relative to its clip, and the clip's file gives the position
        rate = facts.fps_avg if (facts := self.matcher.videos[video_id].facts) else 1000.0
        near = 0.51 / max(rate, 1.0)
        starts = [scene.start_s for scene in scenes]
        if len(here) == len(starts) and all(
            abs(a.start_s - b) <= near for a, b in zip(here, starts, strict=True)
        ):
            return here
        if not is_nominal(self.source.store.scene_list(video_id) if self.source.store else None):
            self.problem(
                video_id,
                f"the video already has {len(here)} other scenes; the {len(starts)} of the file "
                "are used unless a person has edited the scenes",
            )
        return []
