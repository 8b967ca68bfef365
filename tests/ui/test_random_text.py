"""Random text through every way in; then every page and every export is read.

    make test ARGS="-k random_text --random-texts 500"   # a longer search; the usual few are always the same

The routes are derived from the app: a new one is covered as soon as it is there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.runs import Evaluation, ModelCall
from annotation.records.videos import Video
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from backends.errors import DailiesError
from backends.text.storable_text import is_storable, mended
from exports.catalogue import format_registry as formats
from tests.chat_server import ChatServer, Reply
from tests.judged_sample import ITEMS, judge_sample, sample_workspace
from tests.ui.direct_client import DirectClient
from tests.ui.every_route import ROUTES, asked, path_of, requests
from ui.web_app import build_app

SLOW = (
    "POST /api/jobs",
    "POST /login",
    "POST /api/cuts/{video_id}/detect",
    "DELETE /api/videos/{video_id}",
    "POST /api/files",
)
"""They take words as the others do, and work for long, or take what the others need away."""
ODD = st.sampled_from(
    ["\0", "\ud800", "\udfff", "\ud83d", "\x0b", "\ufffe", "\u202e", "\x85", "\u2028", "=1+1", "']\"{"]
)
ANY = st.characters(exclude_categories=())
"""Every code point, halves of surrogate pairs too."""
WORDS = st.one_of(
    st.text(ANY, max_size=40),
    st.builds("".join, st.lists(st.one_of(ODD, st.text(ANY, max_size=5)), max_size=6)),
)


@dataclass(frozen=True)
class World:
    """A workspace with an evaluation, and its app."""

    workspace: Workspace
    client: DirectClient
    known: dict[str, str]
    """Ids for the parameters of routes."""

    @property
    def store(self) -> Store:
        return self.workspace.store


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.engines)])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    database = None
    if request.param == "postgresql":
        database = str(request.getfixturevalue("postgres_module_database"))
    workspace = sample_workspace(tmp_path_factory.mktemp("random") / "workspace", database)
    store = workspace.store
    with ChatServer(lambda seen: "{'pred': 'no', 'score': 5}") as server:
        judge_sample(workspace, server.spec)
    verdict = store.find(Verdict, subject_type="answer", order_by=["id"])[0]
    answer = store.get(Answer, verdict.subject_id)
    known = {
        "video_id": verdict.video_id,
        "verdict_id": verdict.id,
        "question_id": answer.question_id,
        "evaluation": store.find(Evaluation, order_by=["created_at"])[0].id,
        "index": "0",
        "kind": "jpg",
        "size": "160",
        "of": "hal",
        "answer": answer.id,
        "name": "verdicts-csv",
    }
    app = build_app(workspace, lambda: make_engines(EngineChoice(speech="none"), workspace))
    headers = {"Sec-Fetch-Site": "same-origin"}
    with DirectClient(app, headers=headers) as client:
        yield World(workspace, client, known)
    workspace.close()


# --- in -----------------------------------------------------------------------------------

Write = tuple[str, dict[str, Any], Callable[[], Any]]
"""Address, body, and what is stored afterwards."""


def writes(world: World, word: str) -> Iterator[Write]:
    """Requests that are in order but for the word, with what they change."""
    store, known = world.store, world.known
    question, video = known["question_id"], known["video_id"]
    text = {"video_id": video, "kind": "vdc:short", "value": word, "anew": True}
    yield "/api/text", text, lambda: _newest(store, video)
    for subject, record, field in (
        ("question", question, "text"),
        ("question", question, "reference"),
        ("answer", known["answer"], "value"),
    ):
        now = store.current(subject, record, field)  # type: ignore[arg-type]
        body = {"subject": [subject, record, field], "value": word, "base_revision": now.revision}
        yield "/api/edit", body, lambda s=subject, r=record, f=field: store.current(s, r, f).value
    verdict = store.current("verdict", known["verdict_id"], "verdict")
    body = {
        "subject": ["verdict", known["verdict_id"], "verdict"],
        "reason": word,
        "value": {"label": "no", "score": 1 + verdict.revision % 3},
        "base_revision": verdict.revision,
    }
    yield "/api/edit", body, lambda: _reason(store, known["verdict_id"])
    error_source = {"verdict_id": known["verdict_id"], "kind": "judge", "note": word}
    yield "/api/error-source", error_source, lambda: None
    yield f"/api/questions/{question}/exclusion", {"reason": word}, lambda: None
    yield f"/api/keyframes/{video}/action", {"action": word}, lambda: None


def _reason(store: Store, verdict: str) -> str:
    history = store.history("verdict", verdict, "verdict")
    return history[-1].reason if history else ""


def _newest(store: Store, video: str) -> str:
    text = store.find(Text, video_id=video, kind="vdc:short", order_by=["created_at"])[-1]
    return str(store.current("text", text.id, "value").value)


def as_json_reads_it(word: str) -> str:
    """Two halves side by side are one character."""
    return str(json.loads(json.dumps(word)))


def send(world: World, path: str, body: Any) -> Any:
    content = json.dumps(body)  # with escapes: half of a pair can be sent
    return world.client.post(path, content=content, headers={"Content-Type": "application/json"})


def write_everywhere(world: World, word: str) -> None:
    for path, body, stored in writes(world, word):
        before = stored()
        answer = send(world, path, body)
        assert answer.status_code < 500, f"{path} {body!r}: {answer.text}"
        if not is_storable(word):
            assert answer.status_code == 400, f"{path}: {answer.text}"
            assert "cannot be stored" in answer.json()["error"]
            assert "\n" not in answer.json()["error"]
            assert stored() == before
        elif answer.status_code == 200 and before is not None:
            assert stored() == word, path


def ask_everywhere(world: World, word: str) -> None:
    for name in sorted(set(ROUTES) - set(SLOW)):
        for request in requests(name, world.known["video_id"], word):
            answer = world.client.request(**request, follow_redirects=False)
            assert answer.status_code < 500, f"{request}: {answer.text[:500]}"


# --- out ----------------------------------------------------------------------------------


def read_every_page(world: World) -> None:
    for name in (name for name in ROUTES if name.startswith("GET ")):
        params = asked(name)["params"] | {"evaluation": world.known["evaluation"]}
        answer = world.client.get(path_of(name, world.known), params=params, follow_redirects=False)
        assert answer.status_code < 500, f"{name}: {answer.text[:500]}"
    video = world.known["video_id"]
    for path in (
        f"/api/script/{video}",
        f"/api/verdicts?video={video}",
        "/api/library",
        f"/api/split/{video}",
        f"/api/verdicts/{world.known['verdict_id']}",
    ):
        assert world.client.get(path).status_code == 200, path


def write_every_export(world: World, folder: Path) -> int:
    """Files that were written; each that can be read is read again, into a new workspace."""
    written = 0
    fresh = Workspace(folder / "fresh")
    for name, known in formats.FORMATS.items():
        if known.writer is None:
            continue
        evaluation = world.known["evaluation"] if known.evaluation == "needed" else None
        out = folder / f"{name}{known.suffix}"
        with suppress(DailiesError):  # nothing of this kind is here
            formats.write(world.store, name, out, evaluation_id=evaluation)
        if out.exists():
            written += 1
            with suppress(DailiesError):
                formats.commit(fresh.store, formats.read(out, fresh.store))
    fresh.close()
    return written


# --- the search ---------------------------------------------------------------------------


def search(
    request: pytest.FixtureRequest, usual: int
) -> Callable[[Callable[[str], None]], Callable[[], None]]:
    """Runs a function on random texts: the same few each time, or as many others as were asked for."""
    asked_for = int(request.config.getoption("--random-texts"))
    return lambda check: settings(
        max_examples=asked_for or usual,
        derandomize=not asked_for,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )(given(WORDS)(check))


def test_what_is_accepted_is_stored_and_can_be_read(
    world: World, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    @search(request, 8)
    def check(word: str) -> None:
        write_everywhere(world, as_json_reads_it(word))

    check()
    for word in ("half \ud83d", "a\0b", "plain \U0001f600\x0b\ufffe"):
        write_everywhere(world, word)
    read_every_page(world)
    assert write_every_export(world, tmp_path) > 10


def test_no_route_breaks(world: World, request: pytest.FixtureRequest) -> None:
    @search(request, 1)
    def check(word: str) -> None:
        ask_everywhere(world, word)

    check()
    ask_everywhere(world, "half \ud83d and \0")
    read_every_page(world)


def test_files(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    path, store = tmp_path / "captions.jsonl", Store(f"sqlite:///{tmp_path}/files.db")
    numbers = count(1)

    @search(request, 15)
    def check(word: str) -> None:
        word, video = as_json_reads_it(word), f"video {next(numbers)}"
        path.write_text(json.dumps({"video_id": video, "short_caption": f"x{word}"}), encoding="utf-8")
        batch = formats.read(path, store)
        assert any("U+FFFD" in problem.what for problem in batch.problems) == (not is_storable(word))
        formats.commit(store, batch)
        (found,) = store.find(Video, title=video)
        assert [text.value for text in store.find(Text, video_id=found.id)] == [mended(f"x{word}")]

    check()
    store.close()


def test_replies(world: World, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    @search(request, 2)
    def check(word: str) -> None:
        word = as_json_reads_it(word)
        with ChatServer(lambda seen: Reply(text=f"{{'pred': 'no', 'score': 1}}\n{word}")) as server:
            judged = judge_sample(world.workspace, server.spec)
        assert judged.problems == ()
        assert len(judged.verdicts) == ITEMS
        assert all(verdict.state in ("done", "unparsed") for verdict in judged.verdicts)
        call = world.store.get(ModelCall, str(judged.verdicts[0].call_id))
        assert call.reply == mended(f"{{'pred': 'no', 'score': 1}}\n{word}")
        assert bool(call.note) == (not is_storable(word))

    check()
    assert world.store.count(Video) == 1
    assert world.store.count(Question) > 0
    read_every_page(world)
