"""Read access to a workspace for agents, by the Model Context Protocol (MCP).

The tools are the endpoints that read, called as Gradio's API calls them: with the same permissions and the
same error messages. The resources are an evaluation's scores and a question with its evidence. The server is
stateless: requests share no session, and no stream stays open after a request.
"""

from __future__ import annotations

import inspect
import json
import logging
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias, TypeVar, get_type_hints

from fastapi import Request
from gradio.utils import get_function_description
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import McpError
from pydantic import AnyUrl, TypeAdapter
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from annotation.records.errors import NotFound
from annotation.records.runs import Evaluation
from annotation.records.version import VERSION
from annotation.records.videos import Video
from annotation.stages.media_library import PREVIEW_WIDTH
from annotation.store.store import Store
from backends.errors import UsageError
from ui.api.files_of_programs import picture_of
from ui.api.gradio_api import Call, Endpoint, kind_words, one_line
from ui.requests.dependencies import Parts

PATH = "/mcp"
WHAT = (
    "Dailies contains videos, captions written by models, questions about the videos, answers extracted from "
    "the captions, and a judge's verdicts. Start with `evaluations`, or with `verdicts`, which lists the "
    "video with the lowest mean first; `question` and `evidence` show why a question failed."
)
URI = re.compile(r"dailies://(?P<kind>evaluations|questions)/(?P<name>[^/?#]+)$")
WHY_LOW = types.Prompt(
    name="why_low",
    title="Why does this video score low?",
    description="Reviews a video's failed questions, its caption and its frames, and explains the failures.",
    arguments=[
        types.PromptArgument(
            name="video", description="id or title of the video, as in `videos`", required=True
        ),
        types.PromptArgument(name="evaluation", description="name or id; empty: the one the pages open"),
    ],
)
TO_DO = """\
For each of them call `question` (the caption, the answer extracted from it, the judge's reply) and
`evidence` (frames of the video). Look at the frames, then name the error source and the reason:
caption_omits (the caption does not mention it), caption_wrong (the caption contradicts the frames),
extraction (the caption states it, the answer does not), judge (the answer is right) or question (the
reference does not match the frames). Finish with the change that would help most."""
MOST_LISTED = 50
"""Most questions in a prompt."""
MOST_NAMED = 5
"""Most ids in an error message."""
Content: TypeAlias = types.TextContent | types.ImageContent
Found = TypeVar("Found")


class McpServer:
    """ASGI app for one workspace."""

    def __init__(self, parts: Parts, endpoints: Iterable[Endpoint]) -> None:
        self.parts = parts
        calls = (Call(parts, each) for each in endpoints)
        # A tool returns one result: clients follow a run by calling `runs` again.
        self.calls = {call.endpoint.__name__: call for call in calls if not call.streams}
        self.server: Server[Any, Request] = Server("Dailies", VERSION, WHAT)
        self.server.list_tools()(self._tools)
        self.server.call_tool(validate_input=False)(self._tool)
        self.server.list_resources()(self._resources)
        self.server.list_resource_templates()(self._templates)
        self.server.read_resource()(self._resource)
        self.server.list_prompts()(self._prompts)
        self.server.get_prompt()(self._prompt)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        manager = StreamableHTTPSessionManager(self.server, json_response=True, stateless=True)
        async with manager.run():  # one per request: tasks it starts end with it
            await manager.handle_request(scope, receive, send)

    # --- tools ------------------------------------------------------------------------------

    async def _tools(self) -> list[types.Tool]:
        return [tool_of(name, call) for name, call in self.calls.items()]

    async def _tool(self, name: str, arguments: dict[str, Any]) -> list[Content]:
        try:
            return await run_in_threadpool(self._content, name, arguments)
        except Exception as error:  # noqa: BLE001  # becomes a result marked as an error
            raise RuntimeError(one_line(error)) from None

    def _content(self, name: str, given: dict[str, Any]) -> list[Content]:
        found, pictures = with_numbers(self._answer(name, **given))
        return [
            types.TextContent(type="text", text=as_json(found)),
            *(
                types.ImageContent(type="image", data=b64encode(jpeg).decode(), mimeType="image/jpeg")
                for jpeg in self._jpegs(pictures)
            ),
        ]

    def _answer(self, endpoint: str, **given: Any) -> Any:
        if (call := self.calls.get(endpoint)) is None:
            raise UsageError(f"tool {endpoint!r} not found; choose from {', '.join(self.calls)}")
        check_names(call, given)
        return call.answer(self._request, given)

    def _jpegs(self, pictures: Sequence[tuple[str, int]]) -> list[bytes]:
        media, store = self.parts.media, self.parts.store
        made = [media.thumbnail(store.get(Video, video), n, PREVIEW_WIDTH) for video, n in pictures]
        return [each.result().read_bytes() for each in made]

    @property
    def _request(self) -> Request:
        found: Request | None = self.server.request_context.request
        assert found is not None
        return found

    # --- resources --------------------------------------------------------------------------

    async def _resources(self) -> list[types.Resource]:
        rows = await self._or_error(self._answer, "evaluations")
        return [
            types.Resource(
                uri=AnyUrl(f"dailies://evaluations/{row['id']}"),
                name=row["name"],
                description=f"scores of {row['name']}",
                mimeType="application/json",
            )
            for row in rows
        ]

    async def _templates(self) -> list[types.ResourceTemplate]:
        return [
            types.ResourceTemplate(
                uriTemplate="dailies://evaluations/{evaluation}",
                name="evaluation",
                description="An evaluation's scores by policy, with denominators and intervals",
                mimeType="application/json",
            ),
            types.ResourceTemplate(
                uriTemplate="dailies://questions/{verdict}",
                name="question",
                description="A question with caption, answer and verdict, then its evidence frames (JPEG)",
            ),
        ]

    async def _resource(self, uri: AnyUrl) -> list[ReadResourceContents]:
        return await self._or_error(self._read, str(uri))

    def _read(self, uri: str) -> list[ReadResourceContents]:
        if not (found := URI.match(uri)):
            raise NotFound(
                f"resource {uri} not found; use dailies://evaluations/ID or dailies://questions/VERDICT"
            )
        if found["kind"] == "evaluations":
            return [json_contents(self._answer("scores", evaluation=found["name"]))]
        about = self._answer("question", verdict=found["name"])
        evidence, pictures = with_numbers(self._answer("evidence", verdict=found["name"]))
        frames = [ReadResourceContents(jpeg, "image/jpeg") for jpeg in self._jpegs(pictures)]
        return [json_contents({"question": about, "evidence": evidence}), *frames]

    # --- prompts ----------------------------------------------------------------------------

    async def _prompts(self) -> list[types.Prompt]:
        return [WHY_LOW]

    async def _prompt(self, name: str, arguments: dict[str, str] | None) -> types.GetPromptResult:
        return await self._or_error(self._why_low, name, arguments or {})

    def _why_low(self, name: str, given: Mapping[str, str]) -> types.GetPromptResult:
        if name != WHY_LOW.name:
            raise NotFound(f"prompt {name!r} not found; the only prompt is {WHY_LOW.name}")
        self.calls["verdicts"].asker(self._request).sight.require_open()
        video, evaluation = find_video(self.parts.store, given.get("video", "")), given.get("evaluation", "")
        wanted = {"video": video.id, "evaluation": evaluation, "state": ["no"], "limit": MOST_LISTED}
        found = self._answer("verdicts", **wanted)
        text = words_of_failures(
            video.title, self.parts.store.get(Evaluation, found["evaluation"]).name, found
        )
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=WHY_LOW.description, messages=[message])

    @staticmethod
    async def _or_error(work: Callable[..., Found], *given: Any) -> Found:
        try:
            return await run_in_threadpool(work, *given)
        except Exception as error:  # noqa: BLE001  # becomes an error response of the protocol
            raise McpError(types.ErrorData(code=types.INVALID_PARAMS, message=one_line(error))) from None


def find_video(store: Store, id_or_title: str) -> Video:
    """Raises NotFound, and UsageError if several videos have this title."""
    if found := store.find(Video, id=id_or_title):
        return found[0]
    titled = store.find(Video, title=id_or_title, order_by=["id"])
    if len(titled) > 1:
        some = ", ".join(video.id for video in titled[:MOST_NAMED])
        raise UsageError(f"{len(titled)} videos have the title {id_or_title!r}; give an id, such as {some}")
    if not titled:
        raise NotFound(f"video {id_or_title!r} not found; `videos` lists ids and titles")
    return titled[0]


def tool_of(name: str, call: Call) -> types.Tool:
    """The description of an endpoint for agents, from its docstring and types."""
    what, arguments, answers = get_function_description(call.endpoint)
    hints = get_type_hints(call.endpoint, include_extras=True)
    properties = {
        each.name: {
            **TypeAdapter(hints[each.name]).json_schema(),
            **({} if each.default is each.empty else {"default": each.default}),
            "description": arguments[each.name],
        }
        for each in call.parameters
    }
    return types.Tool(
        name=name,
        description=" ".join([what, "Returns:", *answers]),
        inputSchema={
            "type": "object",
            "properties": properties,
            "required": required(call),
            "additionalProperties": False,
        },
        annotations=types.ToolAnnotations(readOnlyHint=True, openWorldHint=False),
    )


def required(call: Call) -> list[str]:
    return [each.name for each in call.parameters if each.default is inspect.Parameter.empty]


def check_names(call: Call, given: Mapping[str, Any]) -> None:
    """Raises UsageError if an argument is missing or unknown."""
    for name in required(call):
        if name not in given:
            raise UsageError(f"{name}: give {kind_words(call.checks[name].hint)}")
    for name in given:
        if name not in call.checks:
            raise UsageError(f"unknown argument {name!r}; choose from {', '.join(call.checks) or 'none'}")


def with_numbers(value: Any) -> tuple[Any, list[tuple[str, int]]]:
    """Replace each picture in an answer by its number, from 1. Returns the answer and the pictures."""
    pictures: list[tuple[str, int]] = []

    def numbered(part: Any) -> Any:
        if picture := picture_of(part):
            pictures.append(picture)
            return len(pictures)
        if isinstance(part, Mapping):
            return {key: numbered(each) for key, each in part.items()}
        return [numbered(each) for each in part] if isinstance(part, list | tuple) else part

    return numbered(value), pictures


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=asdict)


def json_contents(value: Any) -> ReadResourceContents:
    return ReadResourceContents(as_json(value), "application/json")


def words_of_failures(title: str, evaluation: str, found: Mapping[str, Any]) -> str:
    """The part of a prompt that lists a video's failed questions; `found` is an answer of `verdicts`."""
    rows, total = found["rows"], found["total"]
    if not total:
        return f"No question about the video {title!r} has the verdict no in the evaluation {evaluation!r}."
    lines = [f"- {row['verdict_id']} ({row['kind']}): {row['question']}" for row in rows]
    some = f", the {len(rows)} worst of them" if total > len(rows) else ""
    head = (
        f"Why does the video {title!r} score low in the evaluation {evaluation!r}? "
        f"The judge said no to {total} of its questions{some}:"
    )
    return "\n".join([head, *lines, "", TO_DO])


def mcp_app(parts: Parts, endpoints: Iterable[Endpoint]) -> Starlette:
    """The MCP app. None of the `endpoints` changes anything."""
    keep_logging_unchanged()
    return Starlette(routes=[Route(PATH, McpServer(parts, endpoints), methods=["POST"])])


def keep_logging_unchanged() -> None:
    """Keep logging as before: warnings go to stderr, lower levels are not printed.

    The package calls `logging.debug`, which adds a handler that prints everything to a root logger without
    handlers; bm25s logs a line for each question.
    """
    if not logging.root.handlers and logging.lastResort is not None:
        logging.root.addHandler(logging.lastResort)
