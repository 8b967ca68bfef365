"""What one import collects: records by id, problems, and the videos that it names."""

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
"""Kinds of which a file brings few, again and again."""


class Intake:
    """Collects; writes nothing."""

    def __init__(self, source: Source, format_name: str, *, system: str, version: str = "1") -> None:
        """`system` is the kind of dataset that the format belongs to: `vdc`, `carebench`."""
        self.source = source
        self.matcher = VideoMatcher(source.store)
        self.now = time.time()
        self.videos: dict[str, Video] = {}
        """Those that were named, by id, as they are so far."""
        self._few: dict[str, Record] = {}
        self._spool = Spool()
        self.corrections: dict[str, Correction] = {}
        self._problems: list[Problem] = []
        self._words: dict[str, str] = {}
        self._format, self._system, self._version = format_name, system, version
        self._first: dict[tuple[object, ...], str] = {}
        self._ids: dict[str, dict[str, str]] = defaultdict(dict)
        """Of the videos, by dataset and name."""

    def problem(self, where: str, what: str) -> None:
        # A long file has the same thing to say of many lines.
        self._problems.append(Problem(where, self._words.setdefault(what, what)))

    def is_first(self, where: str, called: str, *key: object, hint: str = "") -> bool:
        """Whether nothing with this key has come before; what comes again is a problem, to be left out."""
        first = self._first.setdefault(key, where)
        if first != where:
            self.problem(where, f"{called} stands at {first} already; the first is kept{hint}".lstrip())
        return first == where

    def videos_named(self, items: Iterable[Item], key: str, nameless: str) -> Iterator[tuple[str, Item]]:
        """Items that name a video under `key`, with its name; of several for one video the first."""
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
                same = "says the same" if first.value == item.value else "differs"
                what = f"video {name!r} stands at {first.where} already; this one {same}, the first is kept"
                self.problem(item.where, what)

    def add(self, record: Record) -> None:
        """Of several records with one id the last counts."""
        has_made()
        if isinstance(record, Video):
            self.videos[record.id] = record
        elif isinstance(record, FEW):
            self._few[record.id] = record
        else:
            self._spool.add(record)

    def holds(self, kind: type[Record], record_id: str) -> bool:
        """Whether a text, a question, an answer and the like has come."""
        return self._spool.holds(kind, record_id)

    def batch(self, unread: Iterable[Problem] = ()) -> Batch:
        """Everything that came; the intake is done with. `unread` are files that could not be read."""
        self._problems += unread
        for record in (*self._few.values(), *self.videos.values()):
            self._spool.add(record)
        return Batch(
            self._format, self._version, self._spool, tuple(self.corrections.values()), tuple(self._problems)
        )

    def dataset(self, name: str) -> Dataset:
        """The dataset of this name: the one that is there, or a new one."""
        for known in self.matcher.datasets.values():
            if known.name == name and known.format == self._system:
                self.add(known)
                return known
        made = Dataset(id=record_id("dst", self._system, name), name=name, format=self._system)
        self.matcher.datasets[made.id] = made
        self.add(made)
        return made

    def dataset_of(self, video_name: str, default: str) -> Dataset:
        """The one asked for; else the one of this system that knows the video; else the default."""
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
        """Id of the video that the dataset calls `name`: one of the store, or a new one without a file.

        A name that fits several videos of the store is reported, and none of them is taken. `title` is
        for a new one.
        """
        if here := self._ids[dataset.id].get(name):
            return here
        found = self.matcher.find(dataset.id, (name, file_name))
        if len(found) > 1:
            self.problem(where, f"{len(found)} videos here are called {name!r}; a new one is made")
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
        """Id of whoever has this name: of the store, or a new annotator."""
        known = self.source.store.find(Person, name=name) if self.source.store else []
        new = Person(id=record_id("per", name), name=name[:80], role="annotator", created_at=created_at)
        person = known[0] if known else new
        self.add(person)
        return person.id

    def scenes_like(self, video_id: str, scenes: Sequence[Scene]) -> list[Scene]:
        """The scenes that count for a video of the store, where they are the given ones to the frame.

        Then what comes hangs on those. Other scenes are left alone, and that is a problem to name.
        """
        here = current_scenes(self.source.store, video_id) if self.source.store else []
        if not here:
            return []
        if self.matcher.videos[video_id].clips and [s.key for s in here] == [s.key for s in scenes]:
            return here  # each on its own clip, whose file says where it lies
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
                f"the video has other scenes here ({len(here)}); those of the file "
                f"({len(starts)}) count where no person has cut it",
            )
        return []
