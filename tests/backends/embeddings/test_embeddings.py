"""Embeddings of texts and videos: the contract, requests to servers, and refusals."""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np
import pytest

from annotation.systems.carebench.recall_at_k import cosine
from backends.chat.ports import free_port
from backends.chat.retries import Retries
from backends.embeddings.colour_baseline import COLOURS as NAMES
from backends.embeddings.openai_embeddings import ServedEmbeddings
from backends.embeddings.registry import joint_embeddings
from backends.errors import BackendUnavailable, RequestFailed, RequestRefused, UsageError
from backends.measurements.main_colours import _NAMED
from backends.protocols import JointEmbeddings
from tests.backends.embeddings.contract import LONG, obey
from tests.chat_server import ChatServer, Reply, always, blind, first
from tests.embeddings_server import WORDS, axis, colours, flat, single_pictures, vectors

QUICK = Retries(tries=2, first_wait_s=0.01)


@contextmanager
def baseline() -> Iterator[JointEmbeddings]:
    yield joint_embeddings("baseline", WORDS)


@contextmanager
def together() -> Iterator[JointEmbeddings]:
    with ChatServer(colours(longest=400)) as server:
        yield joint_embeddings(server.spec, WORDS)


@contextmanager
def each() -> Iterator[JointEmbeddings]:
    with ChatServer(single_pictures(colours(longest=400))) as server:
        yield joint_embeddings(f"{server.url}?frames=each#tiny", WORDS)


@pytest.mark.parametrize("engine", [baseline, together, each])
def test_contract(engine: Callable[[], AbstractContextManager[JointEmbeddings]]) -> None:
    """tests/engines/test_embeddings.py tests sentence-transformers and vLLM."""
    with engine() as made:
        obey(made)


def test_the_baseline_knows_colours_and_says_that_it_is_one() -> None:
    engine = joint_embeddings("baseline", WORDS)
    assert engine.baseline
    texts = engine.texts(["A red kite.", "A dark blue sea.", "First it turns, then it stops."]).rows
    videos = engine.videos([[flat("red")] * 2, [flat("blue")]]).rows
    near = cosine(texts, videos)
    assert near[0, 0] > 0.9 > near[0, 1] and near[1, 1] > 0.9 > near[1, 0]
    assert near[2, 0] == pytest.approx(near[2, 1])
    assert {name.split()[-1] for name, _ in _NAMED} == set(NAMES)


def test_a_model_that_sees_gets_all_frames_in_one_message_with_the_published_words() -> None:
    with ChatServer(colours()) as server:
        engine = joint_embeddings(server.spec, WORDS)
        engine.texts(["A red kite."])
        engine.videos([[flat("red"), flat("blue")]])
    text, video = server.seen
    assert {seen.path for seen in server.seen} == {"/v1/embeddings"}
    assert text.user == "A red kite.\nSummary above sentence in one word:"
    assert video.user == "Summary above video in one word:" and len(video.images) == 2
    assert [part["type"] for part in video.parts] == ["image_url", "image_url", "text"]
    for seen in server.seen:
        assert (seen.body["model"], seen.body["encoding_format"]) == ("tiny", "float")
        assert seen.body["add_generation_prompt"] is True


def test_a_clip_like_model_gets_frames_one_by_one_and_texts_as_they_are() -> None:
    with ChatServer(single_pictures(colours())) as server:
        engine = joint_embeddings(f"{server.url}?frames=each#tiny", WORDS)
        engine.texts(["A red kite.", "A sea."])
        rows = engine.videos([[flat("red"), flat("blue"), flat("blue")]]).rows
        assert engine.prompt_hash == "" and "mean" in engine.how
        whole = joint_embeddings(server.spec, WORDS)
        with pytest.raises(BackendUnavailable, match=r"write \?frames=each before the #"):
            whole.videos([[flat("red"), flat("blue")]])
    np.testing.assert_allclose(rows[0], (axis("red") + 2 * axis("blue")) / 3)
    assert server.seen[0].body["input"] == ["A red kite.", "A sea."]
    assert [len(seen.images) for seen in server.seen[1:4]] == [1, 1, 1]
    assert engine.key != whole.key


def test_texts_that_are_too_long_are_cut_and_named() -> None:
    with ChatServer(colours(longest=400)) as server:
        for spec in (server.spec, f"{server.url}?frames=each#tiny"):
            found = joint_embeddings(spec, WORDS).texts(["A red kite.", LONG])
            assert found.cut == (False, True), spec
    assert server.seen[-1].body["truncate_prompt_tokens"] == -1


def test_an_overloaded_server_is_asked_again_and_told_of() -> None:
    told: list[int] = []
    busy = Reply(status=429, error="Too many requests", headers={"Retry-After": "0"})
    with ChatServer(first(1, busy, colours())) as server:
        engine = ServedEmbeddings(server.spec, WORDS, retries=QUICK)
        engine.on_pressure = lambda: told.append(1)
        assert engine.texts(["A red kite."]).rows.shape == (1, 6)
    assert told == [1] and len(server.seen) == 2


@pytest.mark.parametrize(
    "reply",
    [
        Reply(raw=b'{"data": []}'),
        Reply(raw=b"<html>"),
        Reply(raw=b'{"data": [{"embedding": ["x"]}]}'),
        Reply(raw=b'{"data": [{"embedding": 1}]}'),
        Reply(status=500, error="CUDA out of memory"),
    ],
)
def test_what_is_no_embedding_fails_in_one_line(reply: Reply) -> None:
    with ChatServer(always(reply)) as server, pytest.raises(RequestFailed) as caught:
        ServedEmbeddings(server.spec, WORDS, retries=QUICK).texts(["A red kite."])
    assert "\n" not in str(caught.value) and "2 tries" in str(caught.value)


def test_refusals_say_what_to_type() -> None:
    with ChatServer(blind(colours())) as server:
        with pytest.raises(BackendUnavailable, match=r"does not accept pictures .*--runner pooling"):
            joint_embeddings(server.spec, WORDS).videos([[flat("red")]])
        server.behaviour = always(Reply(status=404, error="Not Found"))
        with pytest.raises(RequestRefused, match="vllm serve tiny --runner pooling"):
            joint_embeddings(server.spec, WORDS).texts(["A"])
        server.behaviour = always(vectors([[0.0, 0.0]]))
        with pytest.raises(BackendUnavailable, match="use an embedding model"):
            joint_embeddings(server.spec, WORDS).texts(["A"])


def test_specs_that_name_nothing(tmp_path: Path) -> None:
    with pytest.raises(BackendUnavailable, match="start one with: vllm serve m --runner pooling --port"):
        joint_embeddings(f"http://127.0.0.1:{free_port()}/v1#m", WORDS).check()
    with pytest.raises(UsageError, match="the option is frames=each"):
        joint_embeddings("http://127.0.0.1:8000/v1?frames=two#m", WORDS)
    with pytest.raises(UsageError, match="vllm serve org/m --runner pooling"):
        joint_embeddings("vllm:org/m", WORDS)
    with pytest.raises(UsageError, match="name the embedder"):
        joint_embeddings(" ", WORDS)


def test_a_missing_package_and_a_missing_model_say_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    with pytest.raises(BackendUnavailable, match="pip install sentence-transformers") as caught:
        joint_embeddings(str(tmp_path / "clip"), WORDS)
    assert "\n" not in str(caught.value)


def test_pictures_are_sent_as_jpeg() -> None:
    with ChatServer(colours()) as server:
        joint_embeddings(server.spec, WORDS).videos([[flat("red")]])
    url = server.seen[0].parts[0]["image_url"]["url"]
    assert base64.b64decode(url.partition(",")[2])[:2] == b"\xff\xd8"
