"""Agents read a workspace by the Model Context Protocol, here with the protocol's own client."""

from __future__ import annotations

import json
import logging
import time
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from mcp import ClientSession, McpError
from pydantic import AnyUrl
from starlette.testclient import TestClient

from annotation.records.runs import Evaluation
from annotation.records.videos import Video
from backends.errors import UsageError
from tests.bench import Bench
from tests.ui.agents import HEADERS, as_agent, ask, call_tool, told
from tests.ui.programs import call
from tests.ui.serving import serving
from ui import server
from ui.api.endpoints.registry import READING, WRITING
from ui.auth.host_names import OwnNames
from ui.web_app import build_app

JPEG = b"\xff\xd8\xff"


@pytest.fixture(scope="module")
def url(module_bench: Bench) -> Iterator[str]:
    module_bench.run()
    with serving(build_app(module_bench.workspace, module_bench.engines, for_agents=True)) as port:
        found = f"http://127.0.0.1:{port}"
        fail_one(found)
        yield found


def fail_one(url: str) -> None:
    with httpx.Client(base_url=url, timeout=60) as client:
        _, listed = call(client, "verdicts", {"limit": 1})
        _, about = call(client, "question", {"verdict": listed["rows"][0]["verdict_id"]})
        seen = about["verdict"]
        given = {
            "subject": seen["subject"],
            "value": {"label": "no", "score": 0},
            "revision": seen["revision"],
        }
        assert call(client, "correct", given)[0] == "complete"


def test_an_agent_reads_why_a_video_scores_low(url: str) -> None:
    async def work(agent: ClientSession) -> None:
        (evaluation, *_) = await told(agent, "evaluations")
        row = (await told(agent, "verdicts", evaluation=evaluation["id"], sort="verdict"))["rows"][0]
        asked = await agent.get_prompt(
            "why_low", {"video": row["video_id"], "evaluation": evaluation["name"]}
        )
        text = asked.messages[0].content.text
        assert row["question"] in text and row["verdict_id"] in text and "caption_omits" in text

        about = await told(agent, "question", verdict=row["verdict_id"])
        assert about["question"]["value"] == row["question"] and about["caption"]["value"] and about["raw"]
        found = await agent.call_tool("evidence", {"verdict": row["verdict_id"]})
        frames = json.loads(found.content[0].text)["frames"]
        pictures = [b64decode(part.data) for part in found.content[1:]]
        assert [frame["picture"] for frame in frames] == list(range(1, len(pictures) + 1)) and pictures
        assert all(picture.startswith(JPEG) for picture in pictures)

        read = (await agent.read_resource(AnyUrl(f"dailies://questions/{row['verdict_id']}"))).contents
        assert json.loads(read[0].text)["question"] == about
        assert [b64decode(part.blob) for part in read[1:]] == pictures

    as_agent(url, {}, work)


def test_an_evaluation_is_a_resource(url: str) -> None:
    async def work(agent: ClientSession) -> None:
        listed = (await agent.list_resources()).resources
        evaluations = await told(agent, "evaluations")
        assert [one.name for one in listed] == [one["name"] for one in evaluations]
        read = (await agent.read_resource(listed[0].uri)).contents[0]
        assert json.loads(read.text)["rows"] and read.mimeType == "application/json"
        templates = (await agent.list_resource_templates()).resourceTemplates
        assert [one.name for one in templates] == ["evaluation", "question"]

    as_agent(url, {}, work)


def test_frames_are_images(url: str, module_bench: Bench) -> None:
    async def work(agent: ClientSession) -> None:
        given = {"video": module_bench.video.id, "frames": [0, 60]}
        found = await agent.call_tool("frames", given)
        rows = json.loads(found.content[0].text)
        assert [(row["frame"], row["at_s"], row["picture"]) for row in rows] == [(0, 0.0, 1), (60, 2.4, 2)]
        assert all(b64decode(part.data).startswith(JPEG) for part in found.content[1:])
        found = await agent.call_tool("frames", given | {"frames": [100]})
        assert found.isError and found.content[0].text.endswith("has frames 0 to 99")

    as_agent(url, {}, work)


def test_tools_are_what_reads_and_say_what_they_take(url: str) -> None:
    async def work(agent: ClientSession) -> None:
        tools = {tool.name: tool for tool in (await agent.list_tools()).tools}
        reading = {endpoint.__name__ for endpoint in READING}
        assert set(tools) == reading - {"progress"}  # it streams
        assert not set(tools) & {endpoint.__name__ for endpoint in WRITING}
        for tool in tools.values():
            assert tool.description and tool.annotations and tool.annotations.readOnlyHint
            assert all(about.get("description") for about in tool.inputSchema["properties"].values()), (
                tool.name
            )
        keyframes = tools["keyframes"].inputSchema
        assert keyframes["required"] == ["video"] and keyframes["properties"]["budget"]["maximum"] == 24

    as_agent(url, {}, work)


@pytest.mark.parametrize(
    ("name", "given", "line"),
    [
        ("verdict", {}, "tool 'verdict' not found"),
        ("correct", {}, "tool 'correct' not found"),
        ("scenes", {}, "video: give a string"),
        ("scenes", {"video": 3}, "video: give a string, not 3"),
        ("scenes", {"video": "vid-x", "frame": 1}, "unknown argument 'frame'; choose from video"),
        ("scenes", {"video": "vid-none"}, "vid-none"),
        ("keyframes", {"video": "vid-x", "budget": 1000}, "budget: "),
        ("verdicts", {"search": "\ud800"}, ""),
    ],
)
def test_a_wrong_call_is_an_error_of_one_line(url: str, name: str, given: dict[str, Any], line: str) -> None:
    with httpx.Client(base_url=url, timeout=60) as client:
        event, said = call_tool(client, name, given)
    assert event in ("error", "400") and "\n" not in str(said) and line in str(said)


def test_what_is_not_there_is_an_error_of_one_line(url: str) -> None:
    with httpx.Client(base_url=url, timeout=60) as client:
        for method, params in (
            ("resources/read", {"uri": "dailies://questions/jdg-none"}),
            ("resources/read", {"uri": "dailies://evaluations/evl-none"}),
            ("resources/read", {"uri": "file:///etc/passwd"}),
            ("prompts/get", {"name": "other"}),
            ("prompts/get", {"name": "why_low", "arguments": {"video": "vid-none"}}),
            ("prompts/get", {"name": "why_low"}),
        ):
            event, said = ask(client, method, params)
            assert event == "error" and said and "\n" not in said, (method, params, said)


def test_a_video_without_failures_says_so(url: str, module_bench: Bench) -> None:
    other = Evaluation(id="evl-empty", name="nothing yet", created_at=time.time())
    module_bench.store.add([other])

    async def work(agent: ClientSession) -> None:
        given = {"video": module_bench.video.id, "evaluation": other.name}
        text = (await agent.get_prompt("why_low", given)).messages[0].content.text
        assert text.startswith("No question about the video")
        with pytest.raises(McpError, match="evaluation"):
            await agent.get_prompt("why_low", given | {"evaluation": "no such one"})

    as_agent(url, {}, work)


def test_a_video_is_named_by_its_title_too(url: str, module_bench: Bench) -> None:
    """Where several have it, the error names their ids."""
    store, video = module_bench.store, module_bench.video

    async def work(agent: ClientSession) -> None:
        by_id, by_title = [
            await agent.get_prompt("why_low", {"video": name}) for name in (video.id, video.title)
        ]
        assert by_title == by_id and video.title in by_id.messages[0].content.text
        store.add([Video(id="vid-twin", title=video.title, created_at=time.time())])
        with pytest.raises(McpError, match=f"2 videos have the title .*{video.id}"):
            await agent.get_prompt("why_low", {"video": video.title})
        assert await agent.get_prompt("why_low", {"video": video.id}) == by_id

    try:
        as_agent(url, {}, work)
    finally:
        store.remove_video("vid-twin")


def test_nothing_stays_open(url: str) -> None:
    """No stream waits for messages of the server, and other sites' pages send nothing."""
    with httpx.Client(base_url=url, headers=HEADERS, timeout=10) as client:
        assert client.get("/mcp").status_code == 405
        foreign = client.post("/mcp", json={}, headers={"Origin": "https://example.org"})
        assert foreign.status_code == 403
        assert client.post("/mcp", content=b"no json").status_code == 400


def test_the_log_of_the_server_stays_as_it_is(module_bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package would have the root logger print what others log for debugging."""
    app = build_app(module_bench.workspace, module_bench.engines, for_agents=True)
    with monkeypatch.context() as without_handlers, TestClient(app, headers={"X-Dailies": "1"}) as client:
        without_handlers.setattr(logging.root, "handlers", [])
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        assert client.post("/mcp", json=body, headers=HEADERS).status_code == 200
        assert logging.root.handlers == [logging.lastResort]


def test_it_answers_to_its_own_names_and_only_where_it_is_asked_for(module_bench: Bench) -> None:
    names = OwnNames.of("127.0.0.1", 80, "", ())
    with serving(
        build_app(module_bench.workspace, module_bench.engines, names=names, for_agents=True)
    ) as port:
        rebound = httpx.post(f"http://127.0.0.1:{port}/mcp", json={}, headers={"Host": "evil.example"})
    assert rebound.status_code == 421
    with serving(build_app(module_bench.workspace, module_bench.engines)) as port:
        assert httpx.post(
            f"http://127.0.0.1:{port}/mcp", json={}, headers=HEADERS, timeout=60
        ).status_code in (404, 405)


def test_without_the_package_it_is_said_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "find_spec", lambda _name: None)
    with pytest.raises(UsageError, match=r"pip install -r requirements-mcp\.txt"):
        server.check_mcp()
