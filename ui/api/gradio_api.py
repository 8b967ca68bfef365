"""Calls of endpoints through Gradio's API engine (`gradio_client`): the caller, checks and errors.

An endpoint is a function whose first parameter is an `Asker`. An endpoint gives programs the same rights as a
route gives pages: it calls the same function, and `may`, blind labelling and errors are the same.
"""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args, get_origin, get_type_hints

# Gradio reads these on import; without them it contacts outside hosts.
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
# After each call Gradio would count up to 10,000 stored objects, for a page that is disabled here.
os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", "1000000000")

import gradio as gr
from fastapi import FastAPI, Request
from gradio.data_classes import FileData
from gradio.utils import get_function_description
from pydantic import TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool

from annotation.people.hidden_texts import AspectSight, aspect_sight_of
from annotation.people.permissions import require
from annotation.people.who_labels_blind import Sight, sight_of
from annotation.records.decisions import Person
from annotation.records.errors import NotAllowed
from annotation.store.benchmark_of_evaluation import find_of_questions
from annotation.store.store import Store
from backends.errors import DailiesError, UsageError
from backends.text.storable_text import check_storable
from ui.api.idle_queue import IdleQueue
from ui.api.known_endpoints import KnownEndpoints
from ui.api.own_calls import OwnCalls
from ui.auth.current_person import token_in
from ui.lib.chosen_evaluation import pick_evaluation
from ui.requests.audit_requests import note_call
from ui.requests.dependencies import Parts
from ui.requests.http_errors import machine_error, unfit_values

Endpoint = Callable[..., Any]
WORDS: Mapping[object, str] = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    FileData: "a file, with handle_file",
}
SESSION_CHECK_S = 5.0
"""Interval at which a stream checks that its person still has access, in seconds."""
OTHER_KIND = ("_type", "_parsing", "_from_float", "missing")
"""Pydantic's error types that concern the kind of a value."""


@dataclass(frozen=True)
class Asker:
    """The caller of an endpoint, and the server."""

    parts: Parts
    person: Person
    base: str
    """Address of the server as the caller knows it, without a trailing slash."""

    @property
    def store(self) -> Store:
        return self.parts.store

    @cached_property
    def sight(self) -> Sight:
        """Which verdicts the person may see."""
        return sight_of(self.store, self.person)

    @cached_property
    def texts(self) -> AspectSight:
        """Which CaReBench texts the person may see."""
        return aspect_sight_of(self.store, self.person)

    def evaluation(self, name_or_id: str, video: str = "") -> str:
        """As `find_of_questions`; without a name, the evaluation that the pages open."""
        if name_or_id:
            return find_of_questions(self.store, name_or_id)
        return pick_evaluation(self.store, video_id=video)


class Call:
    """One endpoint of one server. Gradio publishes its types; this class enforces them."""

    def __init__(self, parts: Parts, endpoint: Endpoint, *, noted: bool = False) -> None:
        """With `noted` each call is written to the audit log; refusals and calls with a token always are."""
        self.parts, self.endpoint, self.noted = parts, endpoint, noted
        self.parameters = list(inspect.signature(endpoint).parameters.values())[1:]
        hints = get_type_hints(endpoint, include_extras=True)
        self.checks = {p.name: Check(p.name, hints[p.name]) for p in self.parameters}

    def function(self) -> Endpoint:
        """The function that Gradio calls."""

        def answer(request: gr.Request, *values: Any) -> Any:
            with _as_gradio_error():
                return self.answer(request.request, self._given(values))

        async def stream(request: gr.Request, *values: Any) -> AsyncIterator[Any]:
            with _as_gradio_error(), self._noting_refusals(request.request):
                async with aclosing(self._stream(request.request, self._given(values))) as answers:
                    async for value in answers:
                        yield value

        return _with_signature_for_gradio(stream if self.streams else answer, self.endpoint, self.parameters)

    @property
    def streams(self) -> bool:
        return inspect.isasyncgenfunction(self.endpoint)

    def answer(self, request: Request, given: Mapping[str, Any]) -> Any:
        """The answer of an endpoint that does not stream, for the sender of `request`.

        Raises the errors that `one_line` handles.
        """
        with self._noting_refusals(request):
            asker, words = self._checked(request, given)
            found = self.endpoint(asker, **words)
        self._note(request)
        return found

    def asker(self, request: Request) -> Asker:
        """Raises NotAllowed if the person may not read."""
        person = require(self.parts.door.person(request), "read")
        return Asker(self.parts, person, self.parts.site.base(request))

    def _given(self, values: tuple[Any, ...]) -> dict[str, Any]:
        return dict(zip(self.checks, values, strict=False))

    @contextmanager
    def _noting_refusals(self, request: Request) -> Iterator[None]:
        try:
            yield
        except NotAllowed:
            self._note(request, refused=True)
            raise

    def _note(self, request: Request, *, refused: bool = False) -> None:
        if self.noted or refused or token_in(request) is not None:
            note_call(self.parts, request, self.endpoint.__name__, refused=refused)

    def _checked(self, request: Request, given: Mapping[str, Any]) -> tuple[Asker, dict[str, Any]]:
        check_storable(dict(given), "the arguments")
        asker = self.asker(request)
        return asker, {name: self.checks[name](value) for name, value in given.items()}

    async def _stream(self, request: Request, given: Mapping[str, Any]) -> AsyncGenerator[Any, None]:
        asker, words = await run_in_threadpool(self._checked, request, given)
        async with aclosing(self.endpoint(asker, **words)) as answers:
            yield await anext(answers)
            await run_in_threadpool(self._note, request)
            looked = time.monotonic()
            async for value in answers:
                if time.monotonic() > looked + SESSION_CHECK_S:
                    await run_in_threadpool(self._require_same_person, request, asker.person)
                    looked = time.monotonic()
                yield value

    def _require_same_person(self, request: Request, person: Person) -> None:
        """Raises NotAllowed if the session has ended meanwhile."""
        if (now := self.parts.door.person(request)) is None or now.id != person.id:
            raise NotAllowed("your session has ended; log in again")


def _with_signature_for_gradio(
    call: Endpoint, endpoint: Endpoint, parameters: list[inspect.Parameter]
) -> Endpoint:
    """The endpoint's name, docstring and types, with Gradio's request as the first parameter."""
    hints = get_type_hints(endpoint)
    result = hints.pop("return")
    if inspect.isasyncgenfunction(endpoint):
        (result,) = get_args(result)
    request = inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=gr.Request)
    plain = [p.replace(annotation=hints[p.name]) for p in parameters]
    types = {p.name: p.annotation for p in (request, *plain)}
    call.__name__, call.__doc__ = endpoint.__name__, inspect.getdoc(endpoint)
    call.__annotations__ = types | {"return": result}
    call.__signature__ = inspect.Signature([request, *plain], return_annotation=result)  # type: ignore[attr-defined]
    return call


class Check:
    """Check of one argument: a value of another kind is refused with a one-line message."""

    def __init__(self, name: str, hint: Any) -> None:
        self.name, self.hint, self._adapter = name, hint, TypeAdapter(hint)

    def __call__(self, value: Any) -> Any:
        """Raises UsageError."""
        try:
            return self._adapter.validate_python(value)
        except ValidationError as error:
            raise UsageError(self._refused(value, error)) from None

    def _refused(self, value: object, error: ValidationError) -> str:
        first = error.errors()[0]
        if not first["type"].endswith(OTHER_KIND):
            message = first["msg"]
            return f"{self.name}: {message[:1].lower()}{message[1:]}"
        return f"{self.name}: give {kind_words(self.hint)}, not {value!r:.40}"


def kind_words(hint: Any) -> str:
    """The kind of value an argument takes in words: "a list of strings"."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return f"one of {', '.join(repr(one) for one in inner)}"
    if origin is list and inner:
        return f"a list, each item {kind_words(inner[0])}"
    if hasattr(hint, "__metadata__"):
        return kind_words(inner[0])
    if origin is not None and type(None) in inner:
        return kind_words(next(one for one in inner if one is not type(None)))
    return WORDS.get(origin or hint, "another value")


@contextmanager
def _as_gradio_error() -> Iterator[None]:
    try:
        yield
    except gr.Error:
        raise
    except Exception as error:  # noqa: BLE001  # the traceback of a bug goes to the log
        raise gr.Error(one_line(error), print_exception=False) from None


def one_line(error: Exception) -> str:
    """The error message of an endpoint for its caller."""
    if isinstance(error, ValidationError):  # errors that the route of a page would check for
        return unfit_values(error.errors())
    return str(error) if isinstance(error, DailiesError) else machine_error(error)[1]


def api_engine(parts: Parts, reading: Sequence[Endpoint], writing: Sequence[Endpoint]) -> gr.Blocks:
    """Gradio's engine with the endpoints: those that read, and those that change or send something."""
    with gr.Blocks(title="Dailies", analytics_enabled=False) as engine:
        for endpoint in (*reading, *writing):
            call = Call(parts, endpoint, noted=endpoint in writing).function()
            # No limit, as for routes; Gradio's default is one call of an endpoint at a time.
            made = gr.api(call, api_name=endpoint.__name__, concurrency_limit=None)
            _describe(engine.fns[made["id"]], call)
    for value in engine.blocks.values():
        value.async_move_resource_to_block_cache = _unchanged_path
    return engine


async def _unchanged_path(place: str) -> str:
    """Keep file-like values in arguments and answers unchanged.

    Gradio would copy or fetch the path they name.
    """
    return place


def api_app(parts: Parts, reading: Sequence[Endpoint], writing: Sequence[Endpoint]) -> FastAPI:
    """The engine as a separate app."""
    engine = api_engine(parts, reading, writing)
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
    IdleQueue(engine._queue)
    mounted.add_middleware(KnownEndpoints, blocks=engine)
    mounted.add_middleware(OwnCalls, door=parts.door, queue=engine._queue)
    return mounted


def _describe(made: Any, call: Endpoint) -> None:
    """Fill in what `view_api` prints about arguments and the answer, from the docstring."""
    what, arguments, answers = get_function_description(call)
    for block, name in zip(made.inputs, list(arguments)[1:], strict=True):
        block._api_info = {**block._api_info, "additional_description": arguments[name]}
    (answer,) = made.outputs
    answer.label = "answer"
    answer._api_info = {**answer._api_info, "description": " ".join([what, "Returns:", *answers])}
