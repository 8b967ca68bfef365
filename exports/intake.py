"""What one import collects: records by id, problems, and the videos that it names."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from annotation.nominal_scenes import is_nominal
from annotation.pipeline.footage import current_scenes
from annotation.records import Alias, Correction, Dataset, Json, Record, Scene, Video, record_id
from exports.batch import Batch, Problem, Source
from exports.videos import VideoMatcher


class Intake:
    """Collects; writes nothing."""

    def __init__(self, source: Source, format_name: str, *, system: str, version: str = "1") -> None:
        """`system` is the kind of dataset that the format belongs to: `vdc`, `carebench`."""
        self.source = source
        self.matcher = VideoMatcher(source.store)
        self.now = time.time()
        self.records: dict[str, Record] = {}
        self.corrections: dict[str, Correction] = {}
        self._problems: list[Problem] = []
        self._format, self._system, self._version = format_name, system, version
        self._videos: dict[tuple[str, str], str] = {}

    def problem(self, where: str, what: str) -> None:
        self._problems.append(Problem(where, what))

    def add(self, record: Record) -> None:
        self.records[record.id] = record

    def batch(self) -> Batch:
        return Batch(
            self._format, self._version, tuple(self.records.values()), tuple(self.corrections.values()),
            tuple(self._problems),
        )  # fmt: skip

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
        key = (dataset.id, name)
        if key in self._videos:
            return self._videos[key]
        found = self.matcher.find(dataset.id, (name, file_name))
        if len(found) > 1:
            self.problem(where, f"{len(found)} videos here are called {name!r}; a new one is made")
        about = dict(extra or {})
        if len(found) == 1:
            known = self.matcher.videos[found.pop()]
            video = replace(
                known, category=known.category or category, discipline=known.discipline or discipline,
                extra={**about, **known.extra},
            )  # fmt: skip
        else:
            video = Video(
                id=record_id("vid", dataset.name, name), title=title or name, created_at=self.now,
                category=category, discipline=discipline, extra=about,
            )  # fmt: skip
        self.add(video)
        self.add(Alias(id=record_id("als", dataset.id, name), dataset_id=dataset.id, alias=name,
                       video_id=video.id))  # fmt: skip
        self._videos[key] = video.id
        return video.id

    def scenes_like(self, video_id: str, scenes: Sequence[Scene]) -> list[Scene]:
        """The scenes that count for a video of the store, where they are the given ones to the frame.

        Then what comes hangs on those. Other scenes are left alone, and that is a problem to name.
        """
        here = current_scenes(self.source.store, video_id) if self.source.store else []
        if not here:
            return []
        rate = facts.fps_avg if (facts := self.matcher.videos[video_id].facts) else 1000.0
        near = 0.51 / max(rate, 1.0)
        starts = [scene.start_s for scene in scenes]
        if len(here) == len(starts) and all(
            abs(a.start_s - b) <= near for a, b in zip(here, starts, strict=True)
        ):
            return here
        if not is_nominal(self.source.store.scene_list(video_id) if self.source.store else None):
            self.problem(video_id, f"the video has other scenes here ({len(here)}); those of the file "
                         f"({len(starts)}) count where no person has cut it")  # fmt: skip
        return []
