"""The whole pipeline with real vLLM and a tiny vision model, by `run` and on the Demo page.

The model sees nothing, and its words mean nothing. What counts is what the server receives, what happens at
its limits, and what is stored.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import cv2
import numpy as np
import pytest

from annotation.prompts.prompt_files import load_prompts
from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.runs import ModelCall, Run
from annotation.records.videos import Scene
from annotation.workspace.workspace import Workspace
from backends.chat import model_server_process
from backends.chat.chat_on_started_server import StartedChat
from backends.chat.ports import free_port
from backends.chat.registry import chat_model
from backends.digest import digest
from backends.errors import RequestRefused
from backends.protocols import ChatRequest, Part
from tests.app_process import AppProcess, run_app, wait_for_server
from tests.backends.clips import number_of, numbered, textured, write_clip
from tests.chat_server import ChatServer, Reply, Seen
from tests.engines.vllm_env import VllmEnv
from tests.ui.demo_visitor import FILE, Visitor

pytestmark = [pytest.mark.engines, pytest.mark.timeout(900)]

PICTURES = 8
"""The server's limit for one request; captions want 16 frames."""
CONTEXT = 4096
FRAMES, WIDTH, HEIGHT = 100, 800, 480
"""Wider than the pictures that models receive."""
SENT_WIDTH = 768
TOKENS = {
    "script": 1024,
    "questions": 4096,
    "answer": 256,
    "verdict": 256,
    "vdc:camera": 512,
    "vdc:short": 256,
    "vdc:background": 512,
    "vdc:main_object": 512,
    "vdc:detailed": 2048,
}
STAGES = ("scenes", "script", "captions", "questions", "answers", "verdicts")
NOTE = "8 of 16 frames: the server accepts at most 8 pictures in a request"
KEY = "sk-of-one-visitor"
REFERENCE = "A red boat floats on a stream. A cat watches it from a hill."


@dataclass(frozen=True)
class Exchange:
    """One request that vLLM answered."""

    seen: Seen
    status: int
    answer: Mapping[str, Any]

    @property
    def text(self) -> str:
        return str(self.answer["choices"][0]["message"]["content"] or "")

    @property
    def numbers(self) -> list[int]:
        """The frame numbers burned into its pictures."""
        return [int(number_of(decoded(jpeg))) for jpeg in self.seen.images]

    @property
    def key(self) -> tuple[str, ...]:
        """Its words and pictures, as `key_of` reads them from a record."""
        return (self.seen.user, *(hashlib.sha256(jpeg).hexdigest() for jpeg in self.seen.images))


class Relay:
    """A behaviour of `ChatServer`: hands each request to vLLM and keeps both sides."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.exchanges: list[Exchange] = []

    def __call__(self, seen: Seen) -> Reply:
        request = Request(
            f"{self.url}/chat/completions",
            json.dumps(seen.body).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            with urlopen(request, timeout=600) as answer:
                status, raw = 200, answer.read()
        except HTTPError as error:
            status, raw = error.code, error.read()
        if seen.body["max_tokens"] > 1:  # otherwise it only checks whether the model accepts pictures
            self.exchanges.append(Exchange(seen, status, json.loads(raw)))
        return Reply(status=status, raw=raw)


@dataclass(frozen=True)
class Desk:
    """vLLM, with a server in front of it that keeps what passes."""

    relay: Relay
    spec: str
    model: str


@dataclass(frozen=True)
class Ran:
    """What one `run` sent and stored."""

    folder: Path
    clip: Path
    code: int
    summary: Mapping[str, Any]
    told: str
    exchanges: list[Exchange]

    @property
    def answered(self) -> list[Exchange]:
        return [one for one in self.exchanges if one.status == 200]


def decoded(jpeg: bytes) -> Any:
    return cv2.cvtColor(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)


def key_of(call: ModelCall) -> tuple[str, ...]:
    user: Any = call.request["user"]
    words = "\n".join(part["text"] for part in user if "text" in part)
    return (words, *(part["jpeg_sha256"] for part in user if "jpeg_sha256" in part))


@pytest.fixture(scope="module")
def desk(vllm: VllmEnv, vllm_cache: Path) -> Iterator[Desk]:
    options = f"dtype=float32&max_model_len={CONTEXT}&enforce_eager=1&images={PICTURES}"
    model = chat_model(f"vllm:{vllm.sees}?{options}", folder=vllm_cache / "dailies" / "servers")
    assert isinstance(model, StartedChat)
    model.prepare(pictures=True, tell=lambda loading: None, stop=threading.Event())
    client = model.running()
    assert client
    relay = Relay(client.endpoint)
    with ChatServer(relay, models=[model.model], context=CONTEXT) as server:
        yield Desk(relay, server.spec, model.model)
    model.close()
    model_server_process.end_all()


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four seconds of two shots; every frame shows its number, in a strip too thin to look like a cut."""
    pictures = []
    for index in range(FRAMES):
        picture = textured(1 + (index >= 50), 70.0 + 110 * (index >= 50), WIDTH, HEIGHT)
        strip = slice(HEIGHT // 6 - 16, HEIGHT // 6 + 16)
        picture[strip] = numbered(index, WIDTH, HEIGHT)[strip]
        pictures.append(picture)
    return write_clip(tmp_path_factory.mktemp("film") / "numbered.mp4", pictures)


def run(desk: Desk, folder: Path, clip: Path, *words: object) -> Ran:
    """`app.py run` with the model in every role."""
    roles = [
        part for role in ("captioner", "writer", "extractor", "judge") for part in (f"--{role}", desk.spec)
    ]
    before = len(desk.relay.exchanges)
    done = run_app(
        *("run", clip, "--workspace", folder, "--speech", "none", "--ocr", "none", "--json"), *roles, *words
    )
    assert done.returncode in (0, 1), done.stderr
    (summary,) = json.loads(done.stdout)
    return Ran(folder, clip, done.returncode, summary, done.stderr, desk.relay.exchanges[before:])


@pytest.fixture(scope="module")
def ran(desk: Desk, film: Path, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("ran")
    captions = {f"{aspect}_caption": REFERENCE for aspect in VDC_ASPECTS}
    reference = folder / "references.jsonl"
    reference.write_text(json.dumps({"video_id": "numbered", "video_name": film.name, **captions}))
    stages = ("--stages", ",".join(STAGES))
    return run(desk, folder / "workspace", film, "--reference", reference, *stages)


@pytest.fixture
def space(ran: Ran) -> Iterator[Workspace]:
    opened = Workspace(ran.folder)
    yield opened
    opened.close()


def test_what_the_server_receives(ran: Ran, space: Workspace) -> None:
    """Every stored call is one answered request, with the same words, pictures, limits and reply."""
    calls = space.store.find(ModelCall)
    answered = {one.key: one for one in ran.answered}
    assert len(calls) == len(ran.answered) == len(answered), "equal requests are sent once"
    for call in calls:
        one = answered[key_of(call)]
        stage = str(call.request["stage"])
        assert one.seen.body["max_tokens"] == call.request["max_tokens"] == TOKENS[stage]
        assert (one.seen.body["temperature"], one.seen.body["seed"]) == (0.0, 0)
        assert one.seen.schema == call.request["schema"]
        assert (one.seen.schema is not None) == (stage in ("script", "questions"))
        assert one.seen.system == call.request["system"]
        choice = one.answer["choices"][0]
        assert (call.reply, call.finish_reason) == (one.text, choice["finish_reason"])
        assert call.usage["completion_tokens"] == one.answer["usage"]["completion_tokens"]
    assert {str(call.request["stage"]) for call in calls} == TOKENS.keys()


def test_pictures_are_those_of_the_recorded_frames(ran: Ran, space: Workspace) -> None:
    answered = {one.key: one for one in ran.answered}
    with_pictures = [call for call in space.store.find(ModelCall) if call.frames]
    assert len(with_pictures) == len(VDC_ASPECTS) + 2, "the captions, and the script of two scenes"
    for call in with_pictures:
        one = answered[key_of(call)]
        assert one.numbers == list(call.frames)
        assert len(one.numbers) <= PICTURES
        sizes = {decoded(jpeg).shape for jpeg in one.seen.images}
        assert sizes == {(round(SENT_WIDTH * HEIGHT / WIDTH), SENT_WIDTH, 3)}
    assert not any(one.seen.images for one in ran.answered if not one.numbers)


def test_captions_say_that_the_server_takes_fewer_pictures(ran: Ran, space: Workspace) -> None:
    refused = [one for one in ran.exchanges if one.status == 400]
    assert len(refused) == len(VDC_ASPECTS)
    assert {len(one.seen.images) for one in refused} == {16}
    assert all("At most 8 image(s)" in json.dumps(one.answer) for one in refused)
    captions = [text for text in space.store.find(Text) if text.run_id and text.kind.startswith("vdc:")]
    assert {text.kind for text in captions} == {f"vdc:{aspect}" for aspect in VDC_ASPECTS}
    assert len({text.frames for text in captions}) == 1
    (frames,) = {text.frames for text in captions}
    assert len(frames) == PICTURES
    assert set(frames) < {one for exchange in refused for one in exchange.numbers}
    assert all(NOTE in text.reason for text in captions)


def test_scripts_show_the_frames_of_their_scene(ran: Ran, space: Workspace) -> None:
    scenes = {scene.key: scene for scene in space.store.find(Scene)}
    assert len(scenes) == 2
    script = [text for text in space.store.find(Text) if text.kind.startswith("script:")]
    assert {text.subject_id for text in script} == scenes.keys()
    for text in script:
        scene = scenes[text.subject_id]
        length = scene.end_frame - scene.start_frame
        assert text.frames == tuple(scene.start_frame + int(p * length) for p in (0.2, 0.5, 0.8))
        assert not text.reason.startswith(NOTE)


def test_runs_name_model_prompt_and_frames(ran: Ran, desk: Desk, space: Workspace) -> None:
    prompts = load_prompts(ran.folder / "prompts")
    captions = digest(*(prompts[f"vdc_caption_{aspect}"].hash for aspect in VDC_ASPECTS))
    hashes = {
        "script": prompts["vript_script"].hash,
        "captions": captions,
        "questions": prompts["vdc_questions"].hash,
        "answers": prompts["vdc_answer"].hash,
        "verdicts": prompts["vdc_verdict"].hash,
    }
    runs = {run.stage: run for run in space.store.find(Run) if run.stage in hashes}
    assert {stage: run.prompt_hash for stage, run in runs.items()} == hashes
    endpoint = desk.spec.partition("#")[0]
    for found in runs.values():
        assert (found.backend, found.model, found.endpoint) == (desk.spec, desk.model, endpoint)
        assert not found.baseline and found.params["temperature"] == 0.0
    assert runs["captions"].params["frames"] == 16
    assert runs["answers"].upstream == (runs["captions"].id,)
    assert runs["verdicts"].upstream == (runs["answers"].id,)


def test_unreadable_replies_are_kept_and_are_not_wrong(ran: Ran, space: Workspace) -> None:
    replies = {call.id: call.reply for call in space.store.find(ModelCall)}
    questions, answers = space.store.find(Question), space.store.find(Answer)
    verdicts = space.store.find(Verdict)
    assert len(verdicts) == len(answers) == len(questions) > 0
    assert all(question.source_text_id and question.call_id in replies for question in questions)
    for verdict in verdicts:
        if verdict.call_id is None:
            assert verdict.state == "missing" and "the answer is" in verdict.reason
        else:
            assert verdict.raw == replies[verdict.call_id]
            assert bool(verdict.label) == (verdict.state == "done")
        if verdict.state == "unparsed":
            assert verdict.reason and not verdict.label and verdict.score is None
    states = [verdict.state for verdict in verdicts]
    assert states.count("unparsed") > 0
    assert ran.summary["verdicts"].get("unparsed", 0) == states.count("unparsed")
    assert ran.code == 1 and "unparsed" in ran.told
    made = [text for text in space.store.find(Text) if text.run_id]
    assert {text.state for text in made} <= {"done", "unparsed"}
    assert all(text.call_id in replies and not text.baseline for text in made)


def test_a_prompt_that_is_too_long_says_what_to_do(desk: Desk, ran: Ran, film: Path) -> None:
    """The other captions are not requested again."""
    prompts = ran.folder / "prompts"
    prompts.mkdir(exist_ok=True)
    long = prompts / "vdc_caption_short.txt"
    long.write_text(
        "=== system ===\nYou describe videos.\n=== user ===\n{pictures}\n" + "and so on " * CONTEXT
    )
    try:
        again = run(desk, ran.folder, film, "--stages", "captions")
    finally:
        long.unlink()
    assert again.code == 1
    # All frames, as many as the server takes, then fewer and fewer: without any it would be another question.
    assert [len(one.seen.images) for one in again.exchanges] == [16, 8, 6, 4, 3, 2, 1]
    assert {one.status for one in again.exchanges} == {400}
    assert "start the server with a longer context (vLLM: max_model_len)" in again.told
    space = Workspace(ran.folder)
    try:
        (failed,) = space.store.find(Text, state="failed")
    finally:
        space.close()
    assert (failed.kind, failed.value, failed.call_id) == ("vdc:short", "", None)
    assert "This model's maximum context length is 4096 tokens" in failed.reason
    assert failed.reason.endswith("; start the server with a longer context (vLLM: max_model_len)")


def test_a_reply_longer_than_the_context_says_what_to_do(desk: Desk) -> None:
    request = ChatRequest(stage="probe", system="", user=(Part(text="Hi"),), max_tokens=CONTEXT + 1)
    with pytest.raises(RequestRefused, match=r"max_tokens.*; start the server with a longer context"):
        chat_model(desk.spec).complete(request)


@pytest.mark.parametrize("own", [False, True], ids=["captioner of the server", "a visitor's own model"])
def test_the_demo_page_shows_what_the_model_wrote(desk: Desk, film: Path, tmp_path: Path, own: bool) -> None:
    """With the model of `serve --captioner`, and with one that the visitor enters (address, name, key)."""
    before, port = len(desk.relay.exchanges), free_port()
    address, _, model = desk.spec.partition("#")
    serve: tuple[object, ...] = () if own else ("--demo-only", "--captioner", desk.spec)
    environment = {**os.environ, "GRADIO_TEMP_DIR": str(tmp_path / "temporary"), "DAILIES_API_KEY": ""}
    plain = ("--workspace", tmp_path / "workspace", "--speech", "none", "--ocr", "none")
    with AppProcess("serve", "--port", port, *plain, *serve, environment=environment) as served:
        try:
            url = f"http://127.0.0.1:{port}"
            wait_for_server(url, lambda: served.poll() is None, served.err)
            told = run_on_page(Visitor(url), film, (address, model, KEY) if own else ("", "", ""))
            files = [file for file in tmp_path.rglob("*") if file.is_file()]
            assert files and not [file for file in files if KEY.encode() in file.read_bytes()]
        finally:
            served.send_signal(signal.SIGTERM)
    ended = next(one for one in told if one["msg"] == "process_completed")
    assert ended["success"], ended
    said = json.dumps(told)
    assert "unparsed (cut off at 160 tokens" in said and NOTE in said
    assert KEY not in said + served.err.read_text() + served.out.read_text()
    sent = desk.relay.exchanges[before:]
    assert {one.seen.headers["Authorization"] for one in sent} == {f"Bearer {KEY if own else 'none'}"}
    answered = [one for one in sent if one.status == 200]
    captions = [one for one in answered if len(one.numbers) == PICTURES]
    assert len(captions) == len(VDC_ASPECTS)
    assert all(json.dumps(one.text.strip())[1:-1] in said for one in captions)
    assert {len(one.numbers) for one in answered} == {0, 2, 3, PICTURES}, "pairs of frames, scenes, captions"
    judged = [one for one in answered if not one.numbers and one.seen.body["max_tokens"] == TOKENS["verdict"]]
    assert bool(judged) == own, "without a judge, rules judge"


def run_on_page(visitor: Visitor, film: Path, own: tuple[str, str, str]) -> list[dict[str, Any]]:
    (clip,) = visitor.upload(film).json()
    assert visitor.join("_run", [{"path": clip, "meta": FILE}, "", *own]).status_code == 200
    return list(visitor.told())
