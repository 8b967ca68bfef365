"""What programs call through Gradio's API engine (`gradio_client`): the functions that answer the pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr
from pydantic import ValidationError

from annotation.people.blind_labelling import Sight, sight_of
from annotation.people.carebench_text_access import aspect_sight_of
from annotation.people.permissions import require
from annotation.records.decisions import Person
from annotation.records.storable_text import check_storable
from annotation.store.evaluations import find_evaluation
from backends.errors import DailiesError
from ui.api.page_data import VerdictQuery, verdict_rows
from ui.pages.library.video_list import Asked, library_json
from ui.pages.scores.view import scores_page_json
from ui.pages.verdicts.view import pick_evaluation
from ui.requests.dependencies import Parts

MOST_VIDEOS = 500
"""In one answer."""


class Api:
    """The endpoints of one app. Types are published to clients, and not enforced by Gradio: they are here."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    @contextmanager
    def asked(self, request: gr.Request, **words: object) -> Iterator[Person]:
        """The person who asks, after the same checks as on every route; errors become those of Gradio."""
        try:
            check_storable(words, "the arguments")
            yield require(self.parts.door.person(request.request), "read")
        except ValidationError as error:
            raise gr.Error("; ".join(f"{e['loc'][-1]}: {e['msg']}" for e in error.errors())) from None
        except DailiesError as error:
            raise gr.Error(str(error)) from None

    def sight(self, person: Person) -> Sight:
        return sight_of(self.parts.store, person)

    def evaluation(self, name_or_id: object, video: object = "") -> str:
        """The id of the evaluation that is named; without a name, of the one that the pages open."""
        store = self.parts.store
        if name_or_id:
            return find_evaluation(store, str(name_or_id))
        return pick_evaluation(store, video_id=str(video))

    def videos(
        self,
        request: gr.Request,
        evaluation: str = "",
        search: str = "",
        offset: int = 0,
        limit: int = MOST_VIDEOS,
    ) -> list[dict[str, Any]]:
        """The Library: videos with their stages, texts and scores, what needs a person first.

        Args:
            evaluation: name or id; empty: the one that the pages open
            search: words of title, category, discipline, id, or a name that a dataset gives it
            offset: the first row
            limit: rows, at most 500
        """
        with self.asked(request, evaluation=evaluation, search=search) as person:
            store, texts = self.parts.store, aspect_sight_of(self.parts.store, person)
            chosen = "" if self.sight(person).blind else self.evaluation(evaluation)
            limit = max(1, min(int(limit), MOST_VIDEOS))
            asked = Asked(chosen, str(search), offset=max(0, int(offset)), limit=limit)
            found = library_json(store, asked, lambda v: self.parts.media.copy_of(v) is not None, texts)
            return [dict(row) for row in found["videos"]]

    def verdicts(
        self,
        request: gr.Request,
        evaluation: str = "",
        video: str = "",
        aspect: str = "",
        state: list[str] | None = None,
        search: str = "",
        offset: int = 0,
        limit: int = 50,
    ) -> dict[str, Any]:
        """Questions with verdict, score and error source, the worst video first.

        Args:
            evaluation: name or id; empty: the one that the pages open
            video: its id
            aspect: camera, short, background, main_object or detailed
            state: yes, no, unparsed, failed, missing, corrected ...
            search: words of question, reference or answer
            offset: the first row
            limit: rows, at most 500
        """
        with self.asked(request, asked=[evaluation, video, aspect, state, search]) as person:
            words = {"video": video, "aspect": aspect, "state": state or [], "q": search}
            place = {"evaluation": self.evaluation(evaluation, video), "offset": offset, "limit": limit}
            wanted = VerdictQuery.model_validate(words | place)
            return dict(verdict_rows(self.parts, wanted, self.sight(person)))

    def scores(self, request: gr.Request, evaluation: str = "", by: str = "") -> dict[str, Any]:
        """Every metric of an evaluation under every policy, with its denominator and interval.

        Args:
            evaluation: name or id; empty: the one that the pages open
            by: dimensions with commas between them, such as "aspect,category"; empty: the usual ones
        """
        with self.asked(request, evaluation=evaluation, by=by) as person:
            self.sight(person).require_open()
            found = self.evaluation(evaluation)
            names = [name for name in str(by).split(",") if name]
            return dict(scores_page_json(self.parts.store, found, names))


def api_engine(parts: Parts) -> gr.Blocks:
    """Gradio's engine with the endpoints."""
    api = Api(parts)
    with gr.Blocks(title="Dailies", analytics_enabled=False) as engine:
        for endpoint in (api.videos, api.verdicts, api.scores):
            gr.api(endpoint, api_name=endpoint.__name__)
    return engine
