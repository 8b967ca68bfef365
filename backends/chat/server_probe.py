"""Find out how a server differs from expectations, with a few small requests, for `doctor`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from backends.chat.openai_chat import OpenAiChat
from backends.chat.probe_picture import LOOK, shown
from backends.chat.vllm_arguments import STRUCTURED
from backends.errors import BackendError, BackendUnavailable, RequestRefused, RequestTooLarge
from backends.protocols import ChatReply, ChatRequest, Part

MANY = 16
"""Number of pictures of a caption request."""
NO_MODEL = "no-such-model-of-dailies"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"pred": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["pred"],
    "additionalProperties": False,
}
JSON_TOKENS = 48
"""Enough for several times `{"pred":"yes"}`; a longer reply consists of white space."""
_ASK_JSON = ChatRequest(
    stage="probe",
    system="",
    user=(Part(text="Say hello, and name a colour."),),
    schema=SCHEMA,
    max_tokens=JSON_TOKENS,
)


@dataclass(frozen=True, slots=True)
class ServerProbe:
    """Result of one probe; `fine` if a run needs no precautions."""

    what: str
    fine: bool
    said: str


_Found = tuple[bool, str]
"""`fine` and `said` of a `ServerProbe`."""


def server_probes(model: OpenAiChat, *, pictures: bool, started: bool = False) -> Iterator[ServerProbe]:
    """Yield results as they are found: four to seven requests with very short replies.

    A server that Dailies `started` accepts any model name, so that probe is skipped. Stops at the first
    result that makes the others pointless (no answer). Raises nothing.
    """
    for what, (probe, sees) in _PROBES.items():
        if (sees and not pictures) or (started and probe is _unknown_model):
            continue
        try:
            fine, said = probe(model)
        except BackendError as error:
            yield ServerProbe(what, False, str(error))
            if isinstance(error, BackendUnavailable):
                return
        else:
            yield ServerProbe(what, fine, said)


def _unknown_model(model: OpenAiChat) -> _Found:
    known = model.model
    other = model.as_model(NO_MODEL)
    try:
        other.complete(ChatRequest(stage="probe", system="", user=(Part(text="Hi"),), max_tokens=1))
    except RequestRefused:
        return (True, "refused, as it should be")
    finally:
        other.close()
    return (
        False,
        f"accepts any model name: replies may come from a model other than {known} without an error; "
        "check which model the server was started with",
    )


def _schema(model: OpenAiChat) -> _Found:
    reply = model.complete(_ASK_JSON)
    if model.refused_schema(SCHEMA):
        return (True, "refused; replies are parsed without it, and more of them may be unparsed")
    if _loops(reply):
        return (
            False,
            "fills JSON with white space until it is truncated, so verdicts would be unparsed; "
            f"for vLLM add --structured-outputs-config '{json.dumps(STRUCTURED)}'",
        )
    if _obeys(reply.text):
        return (True, "obeyed")
    return (False, "accepted but ignored; replies are parsed without it, and more of them may be unparsed")


def _loops(reply: ChatReply) -> bool:
    """Return whether a reply was truncated and consists mostly of white space."""
    words = "".join(reply.text.split())
    return reply.finish_reason == "length" and len(words) < len(reply.text) / 2


def _obeys(text: str) -> bool:
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict) and value.get("pred") in ("yes", "no")


def _pictures(model: OpenAiChat) -> _Found:
    """Check a picture. Raises BackendUnavailable if pictures are refused."""
    without = model.complete(
        ChatRequest(stage="probe", system="", user=(Part(text="What do you see?"),), max_tokens=1)
    )
    reply = model.complete(LOOK)
    if _tokens(without) and _tokens(reply) and _tokens(reply) <= _tokens(without):
        return (False, "accepted but ignored: the request has as many tokens with a picture as without")
    return (True, "accepted")


def _many_pictures(model: OpenAiChat) -> _Found:
    one = model.complete(LOOK)
    try:
        reply = model.complete(shown(MANY, "What do you see?", 1))
    except RequestTooLarge as error:
        most = f"at most {error.most}" if error.most else "fewer"
        return (False, f"refused: it accepts {most}; captions then use fewer frames and are marked")
    if _tokens(one) and _tokens(reply) and _tokens(reply) < 2 * _tokens(one):
        return (
            False,
            "accepted, but most of them are dropped without an error: raise the server's context "
            "length (Ollama: num_ctx)",
        )
    return (True, "accepted")


def _tokens(reply: ChatReply) -> int:
    found = reply.usage.get("prompt_tokens")
    return found if isinstance(found, int) else 0


_PROBES: Mapping[str, tuple[Callable[[OpenAiChat], _Found], bool]] = {
    "unknown model": (_unknown_model, False),
    "JSON schema": (_schema, False),
    "pictures": (_pictures, True),
    f"{MANY} pictures": (_many_pictures, True),
}
"""Probes by name; the flag marks those that apply only to models with pictures."""
