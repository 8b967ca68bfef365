"""How a server differs from what a client expects: found out with a few small requests, for `doctor`."""

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
"""Pictures of a caption request."""
NO_MODEL = "no-such-model-of-dailies"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"pred": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["pred"],
    "additionalProperties": False,
}
JSON_TOKENS = 48
"""Enough for `{"pred":"yes"}` several times over; what is longer went into white space."""
_ASK_JSON = ChatRequest(
    stage="probe",
    system="",
    user=(Part(text="Say hello, and name a colour."),),
    schema=SCHEMA,
    max_tokens=JSON_TOKENS,
)


@dataclass(frozen=True, slots=True)
class ServerProbe:
    """One thing that was tried: `fine` when a run needs no care for it."""

    what: str
    fine: bool
    said: str


_Found = tuple[bool, str]
"""`fine` and `said` of a `ServerProbe`."""


def server_probes(model: OpenAiChat, *, pictures: bool, started: bool = False) -> Iterator[ServerProbe]:
    """What was found, as it is found: four to seven requests with very short replies.

    A server that Dailies `started` serves what was named, whatever name it answers to.
    Stops at the first thing that makes all others moot (nobody answers). Raises nothing.
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
        f"answers under any name: nobody will notice when it is not {known} that answers; "
        "compare with what the server was started with",
    )


def _schema(model: OpenAiChat) -> _Found:
    reply = model.complete(_ASK_JSON)
    if model.refused_schema(SCHEMA):
        return (True, "refused; replies are read as they come, and more of them may be unparsed")
    if _loops(reply):
        return (
            False,
            "fills JSON with white space until it is cut off, so verdicts would be unparsed; "
            f"for vLLM add --structured-outputs-config '{json.dumps(STRUCTURED)}'",
        )
    if _obeys(reply.text):
        return (True, "obeyed")
    return (False, "taken and ignored; replies are read as they come, and more of them may be unparsed")


def _loops(reply: ChatReply) -> bool:
    """Cut off, with little but white space at the end or between the first words."""
    words = "".join(reply.text.split())
    return reply.finish_reason == "length" and len(words) < len(reply.text) / 2


def _obeys(text: str) -> bool:
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict) and value.get("pred") in ("yes", "no")


def _pictures(model: OpenAiChat) -> _Found:
    """Raises BackendUnavailable when they are refused."""
    without = model.complete(
        ChatRequest(stage="probe", system="", user=(Part(text="What do you see?"),), max_tokens=1)
    )
    reply = model.complete(LOOK)
    if _tokens(without) and _tokens(reply) and _tokens(reply) <= _tokens(without):
        return (False, "taken and thrown away: the request is as long with a picture as without")
    return (True, "taken")


def _many_pictures(model: OpenAiChat) -> _Found:
    one = model.complete(LOOK)
    try:
        reply = model.complete(shown(MANY, "What do you see?", 1))
    except RequestTooLarge as error:
        most = f"at most {error.most}" if error.most else "fewer"
        return (False, f"refused: it takes {most}; captions are then made from fewer frames, and say so")
    if _tokens(one) and _tokens(reply) and _tokens(reply) < 2 * _tokens(one):
        return (
            False,
            "taken, and most of them thrown away without a word: raise the server's context "
            "length (Ollama: num_ctx)",
        )
    return (True, "taken")


def _tokens(reply: ChatReply) -> int:
    found = reply.usage.get("prompt_tokens")
    return found if isinstance(found, int) else 0


_PROBES: Mapping[str, tuple[Callable[[OpenAiChat], _Found], bool]] = {
    "unknown model": (_unknown_model, False),
    "JSON schema": (_schema, False),
    "pictures": (_pictures, True),
    f"{MANY} pictures": (_many_pictures, True),
}
"""And whether it is only for models that are shown pictures."""
