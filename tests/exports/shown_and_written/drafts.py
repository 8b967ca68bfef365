"""Videos with what machines and datasets wrote of them, in a store and in the plain account of it."""

from __future__ import annotations

import random
import time
from pathlib import Path

import numpy as np

from annotation.records.allowed_values import SCRIPT_FIELDS, VDC_ASPECTS
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.decisions import Person
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.videos import Dataset, Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.probe_scenes_speech import current_scenes, scene_records
from annotation.store.store import Store
from annotation.systems.carebench.split_stage import text_to_split
from backends.protocols import PtsTable, SceneCuts
from backends.video.pts_tables import save_table
from tests.databases import new_store
from tests.exports.shown_and_written.model import PARTS, SOURCES, Model, Written

ANN = Person(id="per-ann", name="ann", role="annotator", created_at=1.0)
BEN = Person(id="per-ben", name="ben", role="annotator", created_at=1.0)
EVA = Person(id="per-eva", name="eva", role="expert", created_at=1.0)
PEOPLE = (ANN, BEN, EVA)
EVALUATIONS = ("1", "2")
FRAMES = 90
KINDS = (*(f"vdc:{aspect}" for aspect in VDC_ASPECTS), "carebench:full", *PARTS)
SCRIPT = tuple(f"script:{name}" for name in SCRIPT_FIELDS)
WORDS = ("a", "red", "kettle", "“lid”", "Übung", "runs", "over; there", "<b>", "stands", "3.5", "it's", "水")


class Drafts:
    """A store, the account of what it should hold, and the dice."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.draw = random.Random(seed)
        self.store: Store = new_store(folder)
        self.media = MediaLibrary(folder / "media")
        self.model = Model()
        self.videos = [f"vid-{n}" for n in range(3)]
        self.store.add([*PEOPLE, *self._shared()])
        for video in self.videos:
            self._add_video(video)

    def close(self) -> None:
        self.media.close()
        self.store.close()

    def words(self) -> str:
        return " ".join(self.draw.choices(WORDS, k=self.draw.randint(2, 7))) + f" {self.model.tick()}."

    # --- what machines and datasets wrote -----------------------------------------------

    def _shared(self) -> list[Record]:
        roles = ("captions", "answers", "verdicts")
        found: list[Record] = [Dataset(id="dst-vdc", name="VDC", format="vdc")]
        found += [Dataset(id="dst-care", name="CaReBench", format="carebench")]
        for number in EVALUATIONS:
            found.append(Evaluation(id=f"evl-{number}", name=f"model {number}", created_at=float(number)))
            for role in roles:
                run = f"run-{role}-{number}"
                found.append(Run(id=run, stage=role, backend="x", model=f"m{number}", created_at=1.0))
                link = f"evr-{role}-{number}"
                found.append(EvaluationRun(id=link, evaluation_id=f"evl-{number}", role=role, run_id=run))
        for name in ("split", "script", "script-b"):
            found.append(
                Run(id=f"run-{name}", stage=name.partition("-")[0], backend="x", model=name, created_at=1.0)
            )
        return found

    def _add_video(self, video: str) -> None:
        self.store.add([Video(id=video, title=f"clip {video[-1]}", created_at=1.0)])
        pts = np.arange(FRAMES, dtype=np.int64) * 40
        table = PtsTable(pts=pts, keyframes=pts[:1], time_base="1/1000", start_s=0.0, end_s=FRAMES * 0.04)
        save_table(table, self.media.folder / video / "pts.npz")
        cuts, run = SceneCuts((0, 30, 60), {"name": "x"}), self.store.get(Run, "run-script")
        self.store.add(scene_records(f"scl-{video}", run, self.store.get(Video, video), cuts, table))
        for kind in KINDS[:5]:
            for number in EVALUATIONS:
                if self.draw.random() < 0.7:
                    self._machine(video, kind, video, f"run-captions-{number}")
            if self.draw.random() < 0.4:
                self._machine(video, kind, video, None, "dst-vdc")
        if self.draw.random() < 0.4:
            self._machine(video, "carebench:full", video, None, "dst-care")
        for key in self.keys(video):
            for kind in SCRIPT:
                for run in ("run-script", "run-script-b"):
                    if self.draw.random() < 0.6:
                        self._machine(video, kind, key, run)
        self.split(video)
        self._verdicts(video)

    def _machine(
        self, video: str, kind: str, about: str, run: str | None, dataset: str | None = None, source: str = ""
    ) -> None:
        failed = run is not None and not source and self.draw.random() < 0.1
        text = Text(
            id=f"txt-{self.model.tick()}-{video}",
            video_id=video,
            kind=kind,
            subject_type="video" if about == video else "scene",
            subject_id=about,
            value="" if failed else self.words(),
            state="failed" if failed else "done",
            created_at=time.time(),
            run_id=run,
            dataset_id=dataset,
            source_text_id=source or None,
            baseline=run in ("run-script-b", "run-split"),
        )
        self.store.add([text])
        author = ("run", run) if run else ("dataset", str(dataset))
        at, baseline = self.model.tick(), text.baseline
        self.model.texts[text.id] = Written(
            text.id, video, kind, about, author, text.value, source or None, baseline, at
        )

    def split(self, video: str) -> None:
        """A machine proposes a split of the caption that counts, as the stage does."""
        whole = text_to_split(self.store, video)
        if whole is None:
            return
        source = next(one for kind in SOURCES if (one := self.model.first(video, kind, video)))
        assert (whole.text.id, whole.value) == (source.text.id, source.words)
        for kind in PARTS:
            self._machine(video, kind, video, "run-split", source=whole.text.id)
        # Of one run, the newer proposal takes the place of the older, unless a person put that right.
        for kind in PARTS:
            self._supersede(video, kind)

    def _supersede(self, video: str, kind: str) -> None:
        mine = [
            one
            for one in self.model.texts.values()
            if (one.video, one.kind, one.author) == (video, kind, ("run", "run-split")) and one.alive
        ]
        if any(one.last() for one in mine[:-1]):
            mine[-1].alive = False
        else:
            for one in mine[:-1]:
                one.alive = False

    def _verdicts(self, video: str) -> None:
        for text in list(self.model.texts.values()):
            if text.video != video or not text.author[1].startswith("run-captions"):
                continue
            number, key = text.author[1][-1], text.id
            score = float(self.draw.randint(0, 5))
            label = "yes" if score > 2 else "no"
            about = {"video_id": video, "created_at": 1.0}
            question = Question(
                id=f"qst-{key}",
                kind=text.kind,
                index=0,
                text=f"What of {key}?",
                reference=self.words(),
                dataset_id="dst-vdc",
                **about,
            )
            answer = Answer(
                id=f"ans-{key}",
                question_id=question.id,
                run_id=f"run-answers-{number}",
                source="caption",
                value=self.words(),
                text_id=text.id,
                **about,
            )
            verdict = Verdict(
                id=f"jdg-{key}",
                run_id=f"run-verdicts-{number}",
                subject_type="answer",
                subject_id=answer.id,
                value_type="yes_no_score",
                state="done",
                label=label,
                score=score,
                **about,
            )
            self.store.add([question, answer, verdict])
            self.model.verdicts[verdict.id] = [("", label, score)]

    def keys(self, video: str) -> list[str]:
        return [scene.key for scene in current_scenes(self.store, video)]
