"""A notebook, a script in JavaScript and an agent do by Gradio and MCP what pages do; open pages show it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError
from mcp import ClientSession, McpError

from annotation.people.who_labels_blind import set_mode
from exports.sample import TITLE
from tests.backends.clips import textured, write_clip
from tests.browser.conftest import ROOT, Server, expect, open_page, serve
from tests.browser.desk import Desk
from tests.ui.agents import as_agent, told
from ui.auth.current_person import COOKIE

Script = Callable[[str], str]
NAME = "hand-written"


@pytest.fixture
def script() -> Script:
    """Runs a module in Node, beside `@gradio/client`; what it prints."""
    node = shutil.which("node", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if node is None or not (ROOT / "node_modules" / "@gradio" / "client").is_dir():
        pytest.skip("no Node, or no @gradio/client; make check brings both")

    def run(code: str) -> str:
        command = [node, "--input-type=module"]
        done = subprocess.run(command, cwd=ROOT, input=code, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    return write_clip(tmp_path / "clip.mp4", [textured(1 + (i >= 50), 90.0) for i in range(100)])


def test_the_javascript_of_the_docs_runs(server: Server, script: Script, clip: Path) -> None:
    blocks = re.findall(r"```js\n(.*?)```", (ROOT / "docs/api.md").read_text(encoding="utf-8"), re.DOTALL)
    code = "\n".join(blocks).replace("http://127.0.0.1:7860", server.url)
    said = script(code.replace("openAsBlob('clip.mp4')", f"openAsBlob({str(clip)!r})"))
    assert "done scenes" in said and f"{server.url}/media/" in said and "judge_reason" in said
    assert "clip" in {video["title"] for video in client_of(server).predict(api_name="/videos")}


def client_of(server: Server, person: str = "") -> Client:
    return Client(
        server.url,
        headers={"Cookie": f"{COOKIE}={person}"} if person else {},
        verbose=False,
        httpx_kwargs={"timeout": 60},
    )


@pytest.fixture
def with_agents(filled: Path, tmp_path: Path) -> Iterator[Server]:
    workspace = tmp_path / "workspace"
    shutil.copytree(filled, workspace)
    yield from serve(workspace, "--mcp")


def test_spine(with_agents: Server, page, script: Script, clip: Path) -> None:
    server = with_agents
    notebook = client_of(server)
    with Desk(server) as desk:
        ben, ann = desk.person("ben", "researcher"), desk.person("ann")
        set_mode(desk.store, desk.owner, ann.id, True)

    # A clip is added, and run with its progress told.
    video = notebook.predict(handle_file(str(clip)), api_name="/add_video")
    progress = list(notebook.submit([video["id"]], ["scenes", "measurements"], api_name="/run"))
    assert progress[-1]["state"] == "done" and len({one["id"] for one in progress}) == 1
    assert len(notebook.predict(video["id"], api_name="/scenes")["scenes"]) == 2

    # The questions that failed, as a DataFrame; somebody else looks at the first.
    failed = pd.DataFrame(notebook.predict(NAME, state=["no"], api_name="/verdicts")["rows"])
    assert set(failed["label"]) == {"no"} and len(failed) > 1
    first, second = failed["verdict_id"][:2]
    chosen = next(e["id"] for e in notebook.predict(api_name="/evaluations") if e["name"] == NAME)
    open_page(page, f"{server.url}/verdicts?evaluation={chosen}&qa={first}")
    page.evaluate("() => { window.sameDocument = true; }")

    # Who labels blind learns nothing of it.
    before = all_that_is_told(client_of(server, ann.id), first)
    as_ben = client_of(server, ben.id)
    seen = as_ben.predict(first, api_name="/question")["verdict"]
    value = {"label": "yes", "score": 4}
    as_ben.predict(seen["subject"], value, seen["revision"], "the caption says it", api_name="/correct")
    as_ben.predict(first, "judge", api_name="/set_error_source")
    expect(page.locator(f"[data-id='{first}'] .dl-is-corrected")).to_be_visible()
    expect(page.locator(".dl-verdict .dl-is-corrected").first).to_be_visible()
    expect(page.locator(".dl-notice", has_text="ben changed this")).to_be_visible()
    assert all_that_is_told(client_of(server, ann.id), first) == before

    # An agent reads why the video scores low; that of the blind one is told as little as they are.
    why, about = told_to_an_agent(server, ben.id, second)
    assert second in why and first not in why, "the first is right by now"
    assert about["verdict"]["value"]["label"] == "no" and about["raw"]
    why, about = told_to_an_agent(server, ann.id, second)
    assert "you label blind" in why and about["hidden"] and not about["raw"]

    # The same in JavaScript, for the second.
    script(CORRECT.replace("URL", server.url).replace("WHO", f"{COOKIE}={ben.id}").replace("VERDICT", second))
    expect(page.locator(f"[data-id='{second}'] .dl-is-corrected")).to_be_visible()
    assert page.evaluate("() => window.sameDocument")

    # What is exported holds both.
    exported = pd.read_csv(as_ben.predict("verdicts-csv", NAME, api_name="/export"))
    corrected = exported[exported["corrected_by"] == "ben"]
    assert set(corrected["question"]) == set(failed["question"][:2]) and set(corrected["score"]) == {4, 5}

    # After their own label, the blind one sees what was said of that question.
    as_ann = client_of(server, ann.id)
    mine = as_ann.predict(first, api_name="/question")["verdict"]
    as_ann.predict(mine["subject"], {"label": "no", "score": 0}, mine["revision"], api_name="/correct")
    assert as_ann.predict(first, api_name="/question")["raw"]
    assert as_ann.predict(second, api_name="/question")["hidden"]


def told_to_an_agent(server: Server, person: str, verdict: str) -> tuple[str, Any]:
    """Why the sample scores low, and one question of it."""
    found: list[Any] = []

    async def read(agent: ClientSession) -> None:
        try:
            asked = await agent.get_prompt("why_low", {"video": TITLE, "evaluation": NAME})
            found.append(asked.messages[0].content.text)
        except McpError as refused:
            found.append(str(refused))
        found.append(await told(agent, "question", verdict=verdict))

    as_agent(server.url, {"Cookie": f"{COOKIE}={person}"}, read)
    why, about = found
    return why, about


CORRECT = """
import { Client } from '@gradio/client';
const client = await Client.connect('URL', { headers: { Cookie: 'WHO' } });
const { data: [about] } = await client.predict('/question', { verdict: 'VERDICT' });
const { subject, revision } = about.verdict;
await client.predict('/correct', { subject, revision, value: { label: 'yes', score: 5 } });
process.exit(0);
"""


def all_that_is_told(program: Client, verdict: str) -> list[Any]:
    """To somebody who labels blind, in every way in which a program can ask about verdicts."""
    heard: list[Any] = [
        program.predict(NAME, limit=500, api_name="/verdicts"),
        program.predict(NAME, state=["corrected"], api_name="/verdicts"),
        program.predict(verdict, api_name="/question"),
        program.predict(verdict, api_name="/evidence")["found"],
        program.predict(api_name="/videos"),
    ]
    for name, arguments in (
        ("scores", [NAME]),
        ("compare", [NAME, NAME]),
        ("label_next", [NAME]),
        ("export", ["verdicts-csv"]),
    ):
        with pytest.raises(AppError, match="you label blind"):
            program.predict(*arguments, api_name=f"/{name}")
    assert heard[2]["hidden"] and not heard[2]["raw"] and all(row["hidden"] for row in heard[0]["rows"])
    return heard
