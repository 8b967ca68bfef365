"""ProgressCaptioner: frame captions, progression between neighbours, caption matching, keyframes.

Source: ProgressCaptioner (CVPR 2025), supplement 2.1 and 2.2 and the released captioning
code. Captions of long sequences come from a sliding window; a keyframe is a frame in
which the action has advanced since the previous frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from string import ascii_uppercase
from typing import Any, Literal, NamedTuple

from annotation.prompts.prompt_files import Prompts
from annotation.records.allowed_values import ResultState
from annotation.replies.reply_readers import read_frame_captions, read_letter
from annotation.systems.progress_captioner.frame_options import MAX_WINDOW, CaptionMode
from backends.digest import digest
from backends.protocols import ChatReply, ChatRequest

Progression = Literal["yes", "no", "uncertain", ""]

MODE_WORDS: Mapping[str, str] = {
    "a": "object's state during the action",
    "b": "subject's body pose during the action",
    "c": "action",
    "page": "",
}
CAPTION_TOKENS = 1024
LETTER_TOKENS = 256
"""Token limit for models that explain their answer before or after the letter."""

_EVALUATION: Mapping[str, Progression] = {"A": "yes", "B": "no", "C": "uncertain"}
_PSEUDO_LABEL: Mapping[str, Progression] = {"A": "no", "B": "yes", "C": "uncertain"}


class ProgressionReading(NamedTuple):
    """Parsed reply: whether the second of two descriptions is further advanced (or different)."""

    state: ResultState
    label: Progression
    """Empty if the state is not `done`."""
    reason: str = ""


class FrameCaptionsReading(NamedTuple):
    """Parsed captions of one window of frames."""

    state: ResultState
    captions: tuple[str, ...]
    """One per frame; empty if the state is not `done`."""
    reason: str = ""


class MatchReading(NamedTuple):
    """Parsed reply: the caption that a model chose for a frame."""

    state: ResultState
    letter: str
    choice: int | None
    """Index of the caption; None for "none of the above" and if the state is not `done`."""
    reason: str = ""


# --- captions -------------------------------------------------------------------------


def frame_captions_request(
    prompts: Prompts,
    *,
    action: str,
    pictures: Sequence[bytes],
    frames: tuple[int, ...],
    mode: CaptionMode = "c",
    facts: Mapping[str, Any],
) -> ChatRequest:
    """The request for one caption per frame. `pictures` are JPEGs of `frames`, in order (2 to 6).

    With an empty `action` the words about it are omitted, as in the released code.
    """
    prompt = prompts["frames_caption_in_paper" if mode == "page" else "frames_caption"]
    values = {
        "n": len(pictures),
        "action": action,
        "depicting_action": f" depicting {action}" if action else "",
        "what": MODE_WORDS[mode],
        "reply_lines": _reply_lines(len(pictures)),
    }
    return ChatRequest(
        stage="frames",
        system=prompt.system,
        user=prompt.parts(values, pictures),
        facts={"action": action, **facts},
        max_tokens=CAPTION_TOKENS,
        frames=frames,
        prefix=digest("frames", frames, [blake2b(jpeg, digest_size=8).hexdigest() for jpeg in pictures]),
    )


def read_frame_captions_reply(reply: ChatReply, n: int) -> FrameCaptionsReading:
    """The `n` captions; `unparsed` unless there is one for each frame."""
    found = read_frame_captions(reply.text, n, reply.finish_reason)
    return FrameCaptionsReading(found.state, found.captions, found.reason)


def windows(n: int, size: int = 2) -> list[tuple[int, ...]]:
    """Windows of `size` neighbouring frames that slide by one; a single window if `n` <= `size`."""
    if n <= 0:
        return []
    size = max(1, min(size, n))
    return [tuple(range(start, start + size)) for start in range(n - size + 1)]


def caption_sources(
    n: int, size: int = 2, context: Literal["before", "after"] = "before"
) -> list[tuple[int, int]]:
    """For each frame, the (window, place in it) whose caption is used.

    `before`: the window that ends with the frame; with two frames, (v_{t-1}, v_t), as the
    method does for keyframes (supplement 2.1). Frames of the first window always use that window.
    `after`: the window that begins with it; frames of the last window always use that window.
    """
    size = max(1, min(size, n))
    if context == "after":
        return [(t, 0) if t <= n - size else (n - size, t - n + size) for t in range(n)]
    return [(0, t) if t < size else (t - size + 1, size - 1) for t in range(n)]


def joined(before: str, after: str) -> str:
    """Both captions of a frame, as the method joins them to classify frames; equal captions appear once."""
    return before if before == after else f"{before} {after}".strip()


def sequences(frames: Sequence[int], most: int = MAX_WINDOW) -> list[tuple[int, ...]]:
    """Runs of neighbouring frames of nearly equal length, with 2 to `most` frames each."""
    if len(frames) < 2:
        return []
    parts = -(-len(frames) // most)
    ends = [round(i * len(frames) / parts) for i in range(parts + 1)]
    return [tuple(frames[a:b]) for a, b in pairwise(ends)]


# --- progression ----------------------------------------------------------------------


def progression_request(
    prompts: Prompts, *, action: str, before: str, after: str, facts: Mapping[str, Any]
) -> ChatRequest:
    """The evaluation prompt: asks whether the action has advanced between two descriptions.

    `facts` may hold `difference`, 0 (same picture) to 1, which the baseline uses.
    """
    prompt = prompts["frames_progression"]
    values = {"action": action or "not given", "before": before, "after": after}
    return ChatRequest(
        stage="progression",
        system=prompt.system,
        user=prompt.parts(values),
        facts={**facts, **values},
        max_tokens=LETTER_TOKENS,
        prefix=digest("progression", action),
    )


def read_progression(reply: ChatReply) -> ProgressionReading:
    """A is `yes`, B is `no`, C is `uncertain` (the evaluation prompt)."""
    return _read_label(reply, _EVALUATION)


def change_request(prompts: Prompts, *, before: str, after: str, facts: Mapping[str, Any]) -> ChatRequest:
    """The pseudo-label prompt: asks whether two descriptions describe different pictures."""
    prompt = prompts["frames_change"]
    values = {"before": before, "after": after}
    return ChatRequest(
        stage="change",
        system=prompt.system,
        user=prompt.parts(values),
        facts={**facts, **values},
        max_tokens=LETTER_TOKENS,
        prefix=digest("change"),
    )


def read_change(reply: ChatReply) -> ProgressionReading:
    """A is `no` and B is `yes`: the letters of the pseudo-label prompt are reversed."""
    return _read_label(reply, _PSEUDO_LABEL)


# --- caption matching -----------------------------------------------------------------


def matching_request(
    prompts: Prompts, captions: Sequence[str], picture: bytes, frame: int, facts: Mapping[str, Any]
) -> ChatRequest:
    """Asks which of a sequence's captions describes this frame. At most 25 captions, in order."""
    options = "\n".join(
        f"{letter}. {caption}" for letter, caption in zip(ascii_uppercase, captions, strict=False)
    )
    values = {"options": options, "none_letter": ascii_uppercase[len(captions)]}
    prompt = prompts["frames_matching"]
    return ChatRequest(
        stage="matching",
        system=prompt.system,
        user=prompt.parts(values, [picture]),
        facts={**facts, "captions": list(captions), "frame": frame},
        max_tokens=LETTER_TOKENS,
        frames=(frame,),
        prefix=digest("matching", list(captions)),
    )


def read_matching(reply: ChatReply, n: int) -> MatchReading:
    """The letter chosen among `n` captions and "none of the above"."""
    found = read_letter(reply.text, ascii_uppercase[: n + 1], reply.finish_reason, reply.prompt)
    index = ascii_uppercase.find(found.letter) if found.letter else n
    return MatchReading(found.state, found.letter, index if index < n else None, found.reason)


# --- keyframes ------------------------------------------------------------------------


def select_keyframes(progressed: Sequence[bool | None]) -> tuple[int, ...]:
    """Places of the keyframes among len(progressed) + 1 frames.

    `progressed[t]` is true if the action advanced from frame t to frame t + 1; None means
    uncertain and selects nothing. The first frame is always kept, and a frame is always
    compared with its neighbour, not with the last kept frame (supplement, keyframe selection).
    """
    return (0, *(t + 1 for t, moved in enumerate(progressed) if moved))


def uniform(n_candidates: int, k: int) -> tuple[int, ...]:
    """The middle frames of `k` equal intervals of `n_candidates` frames; all frames if there are fewer."""
    if k <= 0 or n_candidates <= 0:
        return ()
    k = min(k, n_candidates)
    return tuple((2 * i + 1) * n_candidates // (2 * k) for i in range(k))


def _reply_lines(n: int) -> str:
    first, last = "<Frame 1>: Your description", f"<Frame {n}>: Your description"
    if n < 2:
        return first
    return "\n".join([first, "...", last] if n > 2 else [first, last])


def _read_label(reply: ChatReply, labels: Mapping[str, Progression]) -> ProgressionReading:
    found = read_letter(reply.text, "ABC", reply.finish_reason, reply.prompt)
    return ProgressionReading(found.state, labels.get(found.letter, ""), found.reason)
