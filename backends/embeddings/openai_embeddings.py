"""Embeddings of texts and pictures from an OpenAI-compatible server, such as vLLM's pooling server.

A request to `/embeddings` contains either `input`, a list of texts, or `messages`, a conversation with
pictures as `image_url` parts. The reply is `{"data": [{"index", "embedding"}], ...}`. Source: vLLM 0.32,
`entrypoints/pooling/embed/protocol.py`, and its documentation of pooling models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import numpy as np
from numpy.typing import NDArray

from backends.chat.error_messages import is_blind
from backends.chat.kept_json_connections import StatusError
from backends.chat.openai_connection import OpenAiServer
from backends.chat.openai_messages import content
from backends.chat.retries import Again, Retries
from backends.digest import digest
from backends.embeddings.normalise_and_average import MEAN, mean_of_frames, unit
from backends.errors import BackendError, BackendUnavailable, RequestTooLarge, UsageError
from backends.protocols import Asked, Embedded, Part, Picture
from backends.video.jpeg_files import jpeg

TOGETHER, EACH = "together", "each"
EXAMPLE = "Qwen/Qwen3-VL-Embedding-2B"
_READ_WHOLE: Mapping[str, int] = {"truncate_prompt_tokens": -1}
"""vLLM's option to truncate the input at the model's maximum length."""


class ServedEmbeddings(OpenAiServer):
    """`http(s)://host:port/v1#model`, or `http(s)://host:port/v1?frames=each#model`.

    `together` (the default) suits vision-language models: one message with all frames of a video and the
    prompt `carebench_embed_video`, or with a text and the prompt `carebench_embed_text`. The vector is that
    of the next token. `each` suits CLIP-like models: one request per frame without a prompt, and texts
    without a prompt. The vector of a video is the mean over its frames.
    """

    baseline = False
    concurrency = 8
    replies = "a list of embeddings"

    def __init__(self, spec: str, asked: Asked, *, retries: Retries | None = None) -> None:
        """Raises UsageError for an unknown option, and BackendUnavailable as `OpenAiServer`."""
        address, self._frames = _options(spec)
        super().__init__(address, retries=retries)
        self.backend = spec
        self._asked = asked
        together = self._frames == TOGETHER
        self.prompt_hash = asked.hash if together else ""
        self.how = "all frames in one request, the vector of the next word" if together else MEAN
        self.key = digest("server", self.endpoint, self.model, self._frames, self.prompt_hash)

    # --- requests -----------------------------------------------------------------------

    def texts(self, texts: Sequence[str]) -> Embedded:
        if self._frames == EACH:
            found = self._many_texts(texts)
        else:
            found = [self._embed(self._messages(*self._asked.text(text)), 1) for text in texts]
        return Embedded(np.concatenate([rows for rows, _ in found]), tuple(cut for _, cut in found))

    def _many_texts(self, texts: Sequence[str]) -> list[tuple[NDArray[np.float64], bool]]:
        """Send all texts in one request; if one is too long, send each alone to find which were cut."""
        try:
            rows = self._ask({"input": list(texts)}, len(texts))
        except RequestTooLarge:
            return [self._embed({"input": [text]}, 1) for text in texts]
        return [(row[None], False) for row in rows]

    def _embed(self, body: Mapping[str, Any], rows: int) -> tuple[NDArray[np.float64], bool]:
        """Return the vectors, and whether the text was truncated."""
        try:
            return self._ask(body, rows), False
        except RequestTooLarge:
            return self._ask({**body, **_READ_WHOLE}, rows), True

    def videos(self, videos: Sequence[Sequence[Picture]]) -> Embedded:
        return Embedded(np.array([self._video([jpeg(picture) for picture in frames]) for frames in videos]))

    def _video(self, frames: Sequence[bytes]) -> NDArray[np.float64]:
        """Return the vector (d,) of one video."""
        if self._frames == TOGETHER:
            asked = [self._messages(*self._asked.video(frames))]
        else:
            asked = [_conversation("", (Part(jpeg=one),)) for one in frames]
        rows = [self._pictures(body, len(frames)) for body in asked]
        return mean_of_frames(np.concatenate(rows), self.model)

    def _pictures(self, body: Mapping[str, Any], frames: int) -> NDArray[np.float64]:
        """Embed frames. An excess is an error: dropping frames would change the measurement."""
        try:
            return self._ask(body, 1)
        except RequestTooLarge as error:
            less = "a CLIP-like model takes one at a time: write ?frames=each before the #"
            if error.most != 1:
                less = f"{frames} frames are too many: use fewer (--frames), or allow a longer context"
            raise BackendUnavailable(f"{error}; {less}") from error

    def _messages(self, system: str, user: tuple[Part, ...]) -> dict[str, Any]:
        return {**_conversation(system, user), "add_generation_prompt": True}

    def _ask(self, body: Mapping[str, Any], rows: int) -> NDArray[np.float64]:
        """Send a request; return (rows, d). Raises RequestRefused, RequestTooLarge, RequestFailed."""
        whole = {"model": self.model, "encoding_format": "float", **body}
        return unit(self.with_retries(lambda timeout_s: self._once(whole, rows, timeout_s)), self.model)

    def _once(self, body: Mapping[str, Any], rows: int, timeout_s: float) -> NDArray[np.float64]:
        try:
            answer = self.post("/embeddings", body, timeout_s)
        except StatusError as error:
            raise self._refused(error) from error
        return _rows(answer, rows)

    # --- messages -----------------------------------------------------------------------

    def _complaint(self, model: str, status: int, message: str, advice: str) -> BackendError:
        if is_blind(message):
            return BackendUnavailable(
                f"{model} at {self.endpoint} does not accept pictures ({message}); serve a model for texts "
                f"and pictures: vllm serve {EXAMPLE} --runner pooling"
            )
        if status in (404, 405) or "not support" in message:
            advice = f"; serve an embedding model: {self._command(model, 8000)}"
        return super()._complaint(model, status, message, advice)

    def _command(self, model: str, port: int) -> str:
        return f"vllm serve {model} --runner pooling --port {port}"


def _options(spec: str) -> tuple[str, str]:
    """Return the address without options, and how frames are sent. Raises UsageError."""
    parts = urlsplit(spec)
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    frames = given.pop("frames", TOGETHER)
    if given or frames not in (TOGETHER, EACH):
        wrong = next(iter(given), f"frames={frames}")
        raise UsageError(f"unknown option {wrong!r} in the address of an embedder; the option is frames=each")
    return urlunsplit(parts._replace(query="")), frames


def _conversation(system: str, user: tuple[Part, ...]) -> dict[str, Any]:
    first = [{"role": "system", "content": system}] if system else []
    return {"messages": [*first, {"role": "user", "content": content(user)}]}


def _rows(answer: Any, rows: int) -> NDArray[np.float64]:
    """Return the vectors in request order. Raises Again for a malformed reply."""
    data = answer.get("data") if isinstance(answer, dict) else None
    try:
        ordered = sorted(data or (), key=lambda one: one.get("index", 0))
        found = np.array([one["embedding"] for one in ordered], np.float64)
    except (TypeError, ValueError, KeyError, AttributeError):
        raise Again("the reply is not a list of embeddings") from None
    if found.ndim != 2 or len(found) != rows:
        raise Again(f"the reply is not a list of {rows} embeddings")
    return np.asarray(found)
