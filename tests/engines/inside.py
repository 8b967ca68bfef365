"""Run by `test_vllm.py` with the Python that has vLLM: asks the engine in this process, prints what came."""

from __future__ import annotations

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from backends.chat.probe_picture import shown
from backends.chat.registry import chat_model
from backends.chat.server_probe import SCHEMA
from backends.errors import RequestRefused, RequestTooLarge
from backends.protocols import ChatModel, ChatRequest, Loading, Part


def ask(text: str, **more: object) -> ChatRequest:
    return ChatRequest(stage="probe", system="", user=(Part(text=text),), **more)  # type: ignore[arg-type]


def main(spec: str) -> dict[str, object]:
    model = chat_model(spec, concurrency=8)
    told: list[Loading] = []
    model.prepare(pictures=True, tell=told.append, stop=threading.Event())
    with ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(lambda _: model.complete(ask("Say hello.", max_tokens=12)), range(6)))
    verdict = model.complete(ask("Is the boat red?", schema=SCHEMA, max_tokens=40))
    pictures = [model.complete(shown(n, "What is it?", 12)) for n in (1, 3)]
    found: dict[str, object] = {
        "says": bool(model.backend == spec and model.endpoint and not model.baseline),
        "replies": sum(reply.finish_reason in ("stop", "length") for reply in replies),
        "schema": json.loads(verdict.text)["pred"] in ("yes", "no"),
        "pictures": pictures[0].usage["prompt_tokens"] < pictures[1].usage["prompt_tokens"],
        "phases": list(dict.fromkeys(loading.phase for loading in told)),
    } | refusals(model)
    model.close()
    return found


def refusals(model: ChatModel) -> dict[str, object]:
    try:
        model.complete(shown(17, "What is it?", 8))
    except RequestTooLarge as error:
        most = error.most
    try:
        model.complete(ask("word " * 5000, max_tokens=8))
    except RequestRefused as error:
        return {"most": most, "one_line": "\n" not in str(error)}
    return {}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])), flush=True)
