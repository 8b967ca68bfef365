"""What programs call through Gradio's API engine (`gradio_client`): the functions that answer the pages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Gradio looks these up while it is imported; without them it calls outside hosts.
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

import gradio as gr
from fastapi import FastAPI
from pydantic import ValidationError

from annotation.people.blind_labelling import Sight, sight_of
from annotation.people.carebench_text_access import aspect_sight_of
from annotation.people.permissions import require
from annotation.records.decisions import Person
from annotation.records.storable_text import check_storable
from annotation.records.texts import Verdict
from annotation.store.evaluations import find_evaluation
from backends.errors import DailiesError, UsageError
from ui.lib.chosen_evaluation import pick_evaluation
from ui.pages.library.video_list import LibraryRequest, library_json
from ui.pages.scores.view import comparison_json, scores_page_json
from ui.pages.script.view import script_json
from ui.pages.verdicts.blind_view import seen_detail
from ui.pages.verdicts.evidence_view import evidence_json
from ui.pages.verdicts.routes import VerdictQuery, verdict_rows
from ui.pages.verdicts.view import detail_json, evaluations_json
from ui.requests.dependencies import Parts

MOST_VIDEOS = 500
"""In one answer."""


class Api:
    """The endpoints of one app. Types are published to clients, and not enforced by Gradio: they are here."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def endpoints(self) -> tuple[Callable[..., Any], ...]:
        """All of them, in the order in which they are listed. They read; nothing is written through them."""
        return (
            self.evaluations,
            self.videos,
            self.verdicts,
            self.question,
            self.evidence,
            self.script,
            self.scores,
            self.compare,
        )

    @contextmanager
    def asked(self, request: gr.Request, **words: object) -> Iterator[Person]:
        """The person who asks, after the same checks as on every route; errors become those of Gradio."""
        try:
            check_storable(words, "the arguments")
            person = require(self.parts.door.person(request.request), "read")
            for name, value in words.items():
                if not isinstance(value, str):
                    raise UsageError(f"{name}: give a text, not {value!r:.40}")
            yield person
        except ValidationError as error:
            said = "; ".join(f"{e['loc'][-1]}: {e['msg']}" for e in error.errors())
            raise gr.Error(said, print_exception=False) from None
        except DailiesError as error:
            raise gr.Error(str(error), print_exception=False) from None

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
            first, most = max(0, _whole("offset", offset)), max(1, min(_whole("limit", limit), MOST_VIDEOS))
            asked = LibraryRequest(chosen, search, offset=first, limit=most)
            found = library_json(store, asked, self.parts.media.has_copy, texts)
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
        with self.asked(request, evaluation=evaluation, video=video, aspect=aspect, search=search) as person:
            check_storable(state, "the arguments")
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

    def evaluations(self, request: gr.Request) -> list[dict[str, Any]]:
        """The evaluations of this workspace, newest first: name, id, and how many verdicts each holds."""
        with self.asked(request):
            return [dict(row) for row in evaluations_json(self.parts.store)]

    def question(self, request: gr.Request, verdict: str) -> dict[str, Any]:
        """One question in full: reference, answer, caption, verdict, raw reply, error source, history.

        Args:
            verdict: id of its verdict, the `verdict_id` of a row of `/verdicts`
        """
        with self.asked(request, verdict=verdict) as person:
            return dict(seen_detail(detail_json(self.parts.store, verdict), self.sight(person)))

    def evidence(self, request: gr.Request, verdict: str) -> dict[str, Any]:
        """The frames of the video that matter for a question, each with the reasons, best first.

        `picture` is the address of the frame as a JPEG on this server.

        Args:
            verdict: id of its verdict, the `verdict_id` of a row of `/verdicts`
        """
        with self.asked(request, verdict=verdict):
            found = evidence_json(self.parts.store, self.parts.media, verdict)
            video = self.parts.store.get(Verdict, verdict).video_id
            rows = [
                {**row, "picture": f"/media/{video}/preview/{row['frame']}.jpg"} for row in found["frames"]
            ]
            return {"video": video, "found": found["found"], "frames": rows}

    def script(self, request: gr.Request, video: str) -> dict[str, Any]:
        """A video as a script: facts of the file, scenes with their fields, speech, text on screen, captions.

        Args:
            video: its id, as in a row of `/videos`
        """
        with self.asked(request, video=video):
            parts = self.parts
            return dict(script_json(parts.store, parts.media, video, parts.jobs.list()))

    def compare(self, request: gr.Request, a: str, b: str, policy: str = "parsed") -> dict[str, Any]:
        """Evaluation `b` minus `a` on the questions that both count: difference, interval, test, flips.

        Args:
            a: name or id
            b: name or id
            policy: what counts, such as parsed, corrected or failures_as_wrong
        """
        with self.asked(request, a=a, b=b, policy=policy) as person:
            self.sight(person).require_open()
            store = self.parts.store
            return dict(comparison_json(store, find_evaluation(store, a), find_evaluation(store, b), policy))


def _whole(name: str, value: object) -> int:
    try:
        return int(str(value))
    except ValueError:
        raise UsageError(f"{name}: give a whole number, not {value!r:.40}") from None


def api_app(parts: Parts) -> FastAPI:
    """Gradio's engine with the endpoints."""
    api = Api(parts)
    with gr.Blocks(title="Dailies", analytics_enabled=False) as engine:
        for endpoint in api.endpoints():
            gr.api(endpoint, api_name=endpoint.__name__)
    mounted: FastAPI = gr.mount_gradio_app(
        FastAPI(openapi_url=None),
        engine,
        path="/",
        auth_dependency=parts.door.user_name,
        footer_links=[],
        run_history=False,
        enable_monitoring=False,
        show_error=True,
        ssr_mode=False,
    )
    return mounted
