from __future__ import annotations

from importlib.util import find_spec

import pytest

from backends.chat.openai_chat import OpenAiChat
from backends.chat.registry import chat_model
from backends.errors import BackendUnavailable, UsageError
from tests.chat_server import ChatServer, normal


def test_addresses_give_the_openai_client() -> None:
    with ChatServer(normal("fine")) as server:
        model = chat_model(f" {server.spec} ", timeout_s=3, concurrency=7)
        assert isinstance(model, OpenAiChat)
        assert (model.model, model.concurrency, model.backend) == ("tiny", 7, server.spec)
        assert not model.baseline


def test_several_addresses_are_for_a_router() -> None:
    with pytest.raises(UsageError, match="vllm-router"):
        chat_model("http://a:8000/v1#m, http://b:8000/v1#m")


def test_baseline() -> None:
    pytest.importorskip("backends.chat.baseline")
    assert chat_model("baseline").baseline


def test_vllm_in_this_process_needs_vllm_in_this_environment() -> None:
    if find_spec("vllm"):
        pytest.skip("vLLM is installed beside Dailies")
    model = chat_model("vllm-engine:org/model")
    with pytest.raises(BackendUnavailable, match=r"pip install -r requirements-vllm.txt.*use vllm:org/model"):
        model.check()


@pytest.mark.parametrize(
    ("spec", "advice"),
    [
        ("baselin", "did you mean baseline?"),
        ("localhost:8000/v1#m", "did you mean http://localhost:8000/v1#m?"),
        ("10.0.0.7:8000/v1#m", "did you mean http://10.0.0.7:8000/v1#m?"),
        ("htttp://host/v1#m", "did you mean http://host/v1#m?"),
        ("vlm:some/model", "did you mean vllm:MODEL?"),
        ("lama:some/model", "did you mean llama:FILE.gguf?"),
        ("", "use baseline, http://host:port/v1#model, vllm:MODEL or llama:FILE"),
        ("zzz", "use baseline, http://host:port/v1#model, vllm:MODEL or llama:FILE"),
        ("baseline:x", "did you mean baseline?"),
    ],
)
def test_unknown_kinds_get_a_suggestion(spec: str, advice: str) -> None:
    with pytest.raises(UsageError) as error:
        chat_model(spec)
    assert advice in str(error.value)
