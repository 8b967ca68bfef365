"""A workspace in which two annotators and an expert make a CaReBench caption, and the app on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from annotation.editing import assignments
from annotation.editing import edits as services
from annotation.editing.assignments import Place
from annotation.editing.edits import Edit
from annotation.people.hidden_texts import ASPECTS
from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.records.decisions import Person
from annotation.records.videos import Video
from annotation.stages.stage_context import Engines
from annotation.store.store import Store
from annotation.systems.carebench import write_merge_approve
from annotation.workspace.workspace import Workspace
from tests.ui.direct_client import DirectClient
from ui.auth.current_person import COOKIE
from ui.web_app import build_app

SAME_SITE = {"Sec-Fetch-Site": "same-origin"}
ANN = Person(id="per-ann", name="ann", role="annotator", created_at=2.0)
BEN = Person(id="per-ben", name="ben", role="annotator", created_at=3.0)
CID = Person(id="per-cid", name="cid", role="annotator", created_at=3.5)
EVA = Person(id="per-eva", name="eva", role="expert", created_at=4.0)
VIDEO = "vid-0"


class World:
    """People at work on one video, without a browser."""

    def __init__(self, space: Workspace) -> None:
        self.space = space
        self.store: Store = space.store
        self.store.add([ANN, BEN, CID, EVA, Video(id=VIDEO, title="film 0", created_at=1.0)])

    def give(self, *people: Person, task: str = "aspects") -> None:
        for person in people:
            assignments.assign(self.store, EVA, [VIDEO], person.id, task)

    def say(self, who: Person, state: str, task: str = "aspects", of: Person | None = None) -> None:
        place = Place(VIDEO, (of or who).id, task)
        assignments.set_state(self.store, who, place, state, "see below" if state == "returned" else "")

    def write(self, who: Person, words: str) -> dict[str, str]:
        """Each part is `words` and its name; returns text ids by part."""
        parts = write_merge_approve.begin(self.store, who, VIDEO)
        return self.type(who, {name: part.text.id for name, part in parts.items()}, words)

    def merge(self, who: Person, words: str) -> dict[str, str]:
        parts = write_merge_approve.begin_merge(self.store, who, VIDEO)
        return self.type(who, {name: part.text.id for name, part in parts.items()}, words)

    def type(self, who: Person, ids: dict[str, str], words: str) -> dict[str, str]:
        for name in ASPECTS:
            base = self.store.current("text", ids[name], "value").revision
            edit = Edit("text", ids[name], "value", f"{words} {name}.", base)
            services.apply_edit(self.store, who, edit)
        return ids

    def shown(self, merger: Person) -> dict[str, int]:
        """The revisions of everything that the Merge page shows."""
        people = [row.person_id for row in write_merge_approve.work_on(self.store, VIDEO, "aspects")]
        parts = [
            p
            for who in (*people, merger.id)
            for p in write_merge_approve.parts_of(self.store, VIDEO, who).values()
        ]
        full = write_merge_approve.full_of(self.store, VIDEO, merger.id)
        return {part.text.id: part.now.revision for part in [*parts, *([full] if full else [])]}

    def value(self, text_id: str) -> Any:
        return self.store.current("text", text_id, "value").value

    def read(self, who: Person, what: str) -> Any:
        """GET /api/<what>/<the video> as this person."""
        with self.client(who) as app:
            return app.get(f"/api/{what}/{VIDEO}").json()

    @contextmanager
    def client(self, who: Person) -> Iterator[DirectClient]:
        def engines() -> Engines:
            return make_engines(EngineChoice(speech="none"), self.space)

        with DirectClient(build_app(self.space, engines), headers=SAME_SITE, cookies={COOKIE: who.id}) as app:
            yield app
