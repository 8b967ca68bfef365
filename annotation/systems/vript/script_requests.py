"""Vript: the scene script. Input: frames, voice-over and title. Output: four fields.

Source: Vript (NeurIPS 2024), sections C.1 and C.2 and Table 4; frame positions and the
wording without speech or title from the authors' README.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.prompts.prompt_files import Prompts
from annotation.records.allowed_values import SCRIPT_FIELDS, ResultState
from annotation.replies.reply_readers import read_json_reply
from backends.digest import digest
from backends.protocols import ChatReply, ChatRequest

PROMPT = "vript_script"
WORD_LIMITS: Mapping[str, int] = {
    "shot_type": 15,
    "camera_movement": 15,
    "content": 150,
    "scene_title": 10,
}
"""Word limit in the prompt, per field."""
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in SCRIPT_FIELDS},
    "required": list(SCRIPT_FIELDS),
    "additionalProperties": False,
}
MAX_TOKENS = 1024

_SHORT = (0.20, 0.50, 0.80)
_MEDIUM = (0.15, 0.40, 0.60, 0.85)
_LONG = (0.15, 0.30, 0.50, 0.70, 0.85)


@dataclass(frozen=True, slots=True)
class ScriptReading:
    """A parsed reply."""

    state: ResultState
    fields: Mapping[str, str]
    """The four fields by name; empty if the state is not `done`."""
    reason: str = ""


def frame_positions(duration_s: float) -> tuple[float, ...]:
    """Positions of a scene's frames, as shares of its length (0 to 1).

    Three frames below 6 s, four below 30 s, five from 30 s.
    """
    if duration_s < 6:
        return _SHORT
    return _MEDIUM if duration_s < 30 else _LONG


def script_request(
    prompts: Prompts,
    *,
    title: str,
    voice_over: str,
    on_screen: str = "",
    pictures: Sequence[bytes],
    frames: tuple[int, ...],
    facts: Mapping[str, Any],
) -> ChatRequest:
    """The request for one scene. `pictures` are JPEGs of `frames`, in order.

    Without speech the voice-over line is omitted, and without a title the title. Without on-screen text the
    line for it, which is our addition, is omitted.
    """
    prompt = prompts[PROMPT]
    values = {
        "title": title,
        "voice_over": voice_over,
        "voice_over_line": f'Voice-over:"{voice_over}"\n' if voice_over else "",
        "on_screen": on_screen,
        "on_screen_line": f'Text on screen:"{" / ".join(on_screen.splitlines())}"\n' if on_screen else "",
        "voice_over_and": "voice-over and " if voice_over else "",
        "from_title": f'from the video titled "{title}" ' if title else "",
    }
    return ChatRequest(
        stage="script",
        system=prompt.system,
        user=prompt.parts(values, pictures),
        facts={"title": title, "voice_over": voice_over, **facts},
        schema=SCHEMA,
        max_tokens=MAX_TOKENS,
        frames=frames,
        prefix=digest("script", frames, title, facts.get("scene")),
        fewer_frames=True,
    )


def read_script(reply: ChatReply) -> ScriptReading:
    """The four fields. The reply is `unparsed` if a field is missing or empty."""
    state, fields, reason = read_json_reply(reply.text, SCRIPT_FIELDS, reply.finish_reason, reply.prompt)
    return ScriptReading(state, fields, reason)
