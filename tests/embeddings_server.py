"""Embeddings over real HTTP, as vLLM's pooling servers answer: every picture and text has a known vector.

    with ChatServer(colours({"words": vector})) as server:
        engine = joint_embeddings(server.spec, WORDS)

A picture's vector is that of its colour, one of `COLOURS`, along an axis of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from annotation.pipeline.engines import embedding_words
from annotation.prompts.prompt_files import load_prompts
from backends.protocols import Picture
from tests.chat_server import Behaviour, Reply, Seen

COLOURS = {
    "red": (220, 30, 30),
    "green": (20, 160, 30),
    "blue": (30, 80, 200),
    "yellow": (250, 230, 10),
    "white": (250, 250, 250),
    "black": (5, 5, 5),
}
WORDS = embedding_words(load_prompts())
Vector = Sequence[float]


def flat(colour: str, width: int = 160, height: int = 96) -> Picture:
    return np.full((height, width, 3), COLOURS[colour], np.uint8)


def axis(colour: str) -> NDArray[np.float64]:
    return np.eye(len(COLOURS))[list(COLOURS).index(colour)]


def of_words(text: str) -> Vector:
    """The axes of the colours that it names; a little of every axis where it names none."""
    found = [axis(colour) for colour in COLOURS if colour in text.lower()]
    return list(np.sum(found, axis=0)) if found else [0.1] * len(COLOURS)


def colours(texts: Mapping[str, Vector] | None = None, longest: int = 10_000) -> Behaviour:
    """`texts` have vectors of their own; one of more than `longest` characters is refused, or cut."""
    known = texts or {}

    def vector(text: str) -> Vector:
        words = text.removesuffix("\nSummary above sentence in one word:")
        return known.get(words) or of_words(words)

    def behave(seen: Seen) -> Reply | str:
        given = seen.body.get("input") or [seen.user]
        if not seen.body.get("input") and seen.images:
            return vectors([np.mean([of_picture(one) for one in seen.images], axis=0)])
        if max(map(len, given)) > longest and "truncate_prompt_tokens" not in seen.body:
            return Reply(status=400, error="This model's maximum context length is 77 tokens.")
        return vectors([vector(text[:longest]) for text in given])

    return behave


def of_picture(jpeg: bytes) -> NDArray[np.float64]:
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    mean = picture[:, :, ::-1].reshape(-1, 3).mean(axis=0)
    return axis(min(COLOURS, key=lambda name: float(np.abs(mean - COLOURS[name]).sum())))


def vectors(rows: Sequence[Sequence[float] | NDArray[np.float64]]) -> Reply:
    """In vLLM's form, the last one first: the index says which is whose."""
    data = [
        {"index": n, "object": "embedding", "embedding": [float(x) for x in row]}
        for n, row in enumerate(rows)
    ]
    document = {
        "id": "embd-1",
        "object": "list",
        "created": 0,
        "model": "tiny",
        "data": data[::-1],
        "usage": {"prompt_tokens": 3, "total_tokens": 3},
    }
    return Reply(raw=json.dumps(document).encode())


def single_pictures(then: Behaviour) -> Behaviour:
    """CLIP: one picture at a time, and no words beside it, in vLLM's words."""

    def behave(seen: Seen) -> Reply | str:
        if not seen.body.get("input") and len(seen.images) > 1:
            return Reply(
                status=400, error="At most 1 image(s) may be provided in one prompt. (parameter=image)"
            )
        if not seen.body.get("input") and seen.images and seen.user:
            return Reply(status=400, error="CLIP accepts text-only or image-only inputs, not both!")
        return then(seen)

    return behave
