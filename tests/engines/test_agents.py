"""An agent at the app as it is really started: `serve --mcp --accounts` on the sample, with tokens."""

from __future__ import annotations

import io
import json
import os
import signal
import time
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import ClientSession, McpError
from PIL import Image
from pydantic import AnyUrl

from annotation.people import accounts, personal_tokens
from annotation.people.who_labels_blind import set_mode
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Person
from annotation.workspace.workspace import Workspace
from backends.chat.ports import free_port
from exports.sample import JUDGED, TITLE, import_sample
from tests.app_process import AppProcess
from tests.ui.agents import Work, as_agent, told

pytestmark = pytest.mark.engines
START_S, END_S = 120, 4
"""An app that starts; one that is told to end while agents are connected."""


@dataclass
class Served:
    """The app, and tokens for it by the name of their person."""

    workspace: Workspace
    app: AppProcess
    url: str
    tokens: dict[str, str]

    def as_agent(self, who: str, work: Work) -> None:
        as_agent(self.url, {"Authorization": f"Bearer {self.tokens[who]}"}, work)

    def wait(self) -> None:
        end = time.monotonic() + START_S
        while True:
            try:
                assert httpx.get(f"{self.url}/healthz").status_code == 200
            except httpx.TransportError:
                assert self.app.poll() is None and time.monotonic() < end, self.app.err.read_text()
                time.sleep(0.1)
            else:
                return


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    workspace = Workspace(tmp_path / "workspace")
    import_sample(workspace)
    people = {name: workspace.add_person(name, "annotator") for name in ("ada", "ben")}
    admin = workspace.add_person("root", "admin")
    for person in (admin, *people.values()):
        accounts.set_password(workspace.store, person.id, "correct horse")
    set_mode(workspace.store, admin, people["ben"].id, True)
    tokens = {name: token_of(workspace, person) for name, person in people.items()}
    port = free_port()
    words = ("serve", "--mcp", "--accounts", "--workspace", workspace.path, "--port", port)
    with AppProcess(*words) as app:
        found = Served(workspace, app, f"http://127.0.0.1:{port}", tokens)
        try:
            found.wait()
            yield found
        finally:
            app.kill()
            workspace.close()


def token_of(workspace: Workspace, person: Person) -> str:
    return personal_tokens.make(workspace.store, person, "agent", "read", 1, with_accounts=True).token


def test_an_agent_reads_why_the_sample_scores_low(served: Served) -> None:
    async def work(agent: ClientSession) -> None:
        assert {"verdicts", "question", "evidence"} <= {one.name for one in (await agent.list_tools()).tools}
        asked = (await agent.get_prompt("why_low", {"video": TITLE, "evaluation": JUDGED})).messages[0]
        listed = await told(agent, "verdicts", evaluation=JUDGED, state=["no"])
        row = listed["rows"][0]
        assert listed["total"] > 5 and row["verdict_id"] in asked.content.text
        about = await told(agent, "question", verdict=row["verdict_id"])
        assert about["question"]["value"] == row["question"] and about["caption"]["value"]
        pictures = [part async for part in frames(agent, row["verdict_id"])]
        read = (await agent.read_resource(AnyUrl(f"dailies://questions/{row['verdict_id']}"))).contents
        assert json.loads(read[0].text)["question"] == about
        assert [b64decode(part.blob) for part in read[1:]] == pictures
        named = {one.name: one.uri for one in (await agent.list_resources()).resources}
        scores = (await agent.read_resource(named[JUDGED])).contents[0]
        assert json.loads(scores.text)["evaluation"] == JUDGED

    served.as_agent("ada", work)


async def frames(agent: ClientSession, verdict: str) -> Any:
    """The pictures of a question as bytes, each of which is opened."""
    found = await agent.call_tool("evidence", {"verdict": verdict})
    assert not found.isError and len(found.content) > 1, found
    for part in found.content[1:]:
        jpeg = b64decode(part.data)
        with Image.open(io.BytesIO(jpeg)) as picture:
            picture.load()
            assert picture.format == "JPEG" and min(picture.size) > 100
        yield jpeg


def test_a_blind_labeller_learns_nothing_from_an_agent(served: Served) -> None:
    verdicts = served.workspace.store.find(Verdict, subject_type="answer")
    words = {verdict.raw.strip() for verdict in verdicts if verdict.raw.strip()}

    async def work(agent: ClientSession) -> None:
        listed = await told(agent, "verdicts", evaluation=JUDGED)
        shown = {(row["label"], row["score"], row["state"]) for row in listed["rows"]}
        assert listed["total"] and shown == {("", None, "hidden")}
        said = [str(listed)]
        for row in listed["rows"][:5]:
            said.append(str(await told(agent, "question", verdict=row["verdict_id"])))
            read = await agent.read_resource(AnyUrl(f"dailies://questions/{row['verdict_id']}"))
            said.append(read.contents[0].text)
        assert words and not [one for one in words if any(one in text for text in said)]
        (first, *_) = (await agent.list_resources()).resources
        for refused in (
            agent.read_resource(first.uri),
            agent.get_prompt("why_low", {"video": TITLE, "evaluation": JUDGED}),
        ):
            with pytest.raises(McpError, match="label blind"):
                await refused

    served.as_agent("ben", work)


def test_a_revoked_token_is_refused_and_the_app_ends_with_agents_connected(served: Served) -> None:
    store = served.workspace.store

    async def connected(agent: ClientSession) -> None:
        assert await told(agent, "videos")
        (token,) = [one for one in personal_tokens.tokens(store) if one.person == "ben"]
        personal_tokens.revoke(store, token.id)
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        headers = {"Authorization": f"Bearer {served.tokens['ben']}"}
        async with httpx.AsyncClient(headers=headers, timeout=60) as other:
            refused = await other.post(f"{served.url}/mcp", json=asked)
        assert refused.status_code == 401 and "revoked" in refused.json()["error"]
        assert await told(agent, "videos")  # ada's still holds
        before = time.monotonic()
        os.kill(served.app.pid, signal.SIGTERM)
        await anyio.to_thread.run_sync(served.app.wait, 30)
        assert time.monotonic() - before < END_S

    served.as_agent("ada", connected)
